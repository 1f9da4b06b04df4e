// The inner loop of every product with keys or values.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels.h"

#include <algorithm>
#include <new>

namespace heed::cpu {
namespace {

/// Rows of the register tile: 6 × 2 accumulators leave room for the operands in 16 registers.
constexpr std::int64_t TileRows = 6;
constexpr std::align_val_t Alignment{64};

template <int Rows>
void multiplyTile(const float* a, std::int64_t aStride, const float* panel, std::int64_t depth,
                  float* out, std::int64_t outStride, bool accumulate)
{
    FloatV sums[Rows][2];
    for (int r = 0; r < Rows; ++r) {
        sums[r][0] = accumulate ? load(out + r * outStride) : FloatV{};
        sums[r][1] = accumulate ? load(out + r * outStride + Lanes) : FloatV{};
    }
    for (std::int64_t d = 0; d < depth; ++d) {
        const FloatV left = load(panel + d * PanelWidth);
        const FloatV right = load(panel + d * PanelWidth + Lanes);
        for (int r = 0; r < Rows; ++r) {
            const float factor = a[r * aStride + d];
            sums[r][0] += factor * left;
            sums[r][1] += factor * right;
        }
    }
    for (int r = 0; r < Rows; ++r) {
        store(out + r * outStride, sums[r][0]);
        store(out + r * outStride + Lanes, sums[r][1]);
    }
}

} // namespace

void Panels::Free::operator()(float* p) const
{
    ::operator delete[](p, Alignment);
}

Panels::Panels(std::int64_t depth, std::int64_t columns)
    : m_depth(depth)
    , m_columns(columns)
    , m_count((columns + PanelWidth - 1) / PanelWidth)
{
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(m_count * PanelWidth, depth, &bytes) ||
        __builtin_mul_overflow(bytes, std::int64_t{sizeof(float)}, &bytes)) {
        throw std::bad_alloc();
    }
    m_data.reset(static_cast<float*>(
        ::operator new[](static_cast<std::size_t>(std::max<std::int64_t>(bytes, 64)), Alignment)));
}

void Panels::packRows(std::int64_t p, const MatrixRef& matrix, std::int64_t firstRow)
{
    float* panel = writable(p);
    const std::int64_t columns = std::min(PanelWidth, m_columns - p * PanelWidth);
    if (columns < PanelWidth) {
        std::fill_n(panel, m_depth * PanelWidth, 0.0F);
    }
    for (std::int64_t c = 0; c < columns; ++c) {
        const float* row = matrix.row(firstRow + p * PanelWidth + c);
        for (std::int64_t d = 0; d < m_depth; ++d) {
            panel[d * PanelWidth + c] = row[d];
        }
    }
}

void Panels::packColumns(std::int64_t p, const MatrixRef& matrix)
{
    float* panel = writable(p);
    const std::int64_t columns = std::min(PanelWidth, m_columns - p * PanelWidth);
    for (std::int64_t d = 0; d < m_depth; ++d) {
        float* to = std::copy_n(matrix.row(d) + p * PanelWidth, columns, panel + d * PanelWidth);
        std::fill(to, panel + (d + 1) * PanelWidth, 0.0F);
    }
}

void multiplyPanel(const float* a, std::int64_t aStride, std::int64_t rows, const float* panel,
                   std::int64_t depth, float* out, std::int64_t outStride, bool accumulate)
{
    std::int64_t r = 0;
    for (; r + TileRows <= rows; r += TileRows) {
        multiplyTile<TileRows>(a + r * aStride, aStride, panel, depth, out + r * outStride,
                               outStride, accumulate);
    }
    const float* restA = a + r * aStride;
    float* restOut = out + r * outStride;
    switch (rows - r) {
    case 5:
        multiplyTile<5>(restA, aStride, panel, depth, restOut, outStride, accumulate);
        break;
    case 4:
        multiplyTile<4>(restA, aStride, panel, depth, restOut, outStride, accumulate);
        break;
    case 3:
        multiplyTile<3>(restA, aStride, panel, depth, restOut, outStride, accumulate);
        break;
    case 2:
        multiplyTile<2>(restA, aStride, panel, depth, restOut, outStride, accumulate);
        break;
    case 1:
        multiplyTile<1>(restA, aStride, panel, depth, restOut, outStride, accumulate);
        break;
    default:
        break;
    }
}

} // namespace heed::cpu
