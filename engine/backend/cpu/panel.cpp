// The inner loops of every product with keys or values.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "panel.h"

#include <algorithm>
#include <array>
#include <new>

namespace heed::cpu {
namespace {

/// Rows of the register tile: with two vectors each, enough chains to hide the latency of an
/// addition and few enough for 16 registers. More rows gain nothing where there are 32.
constexpr int TileRows = 6;
#if defined(__AVX512F__)
constexpr int ValueRows = 8; // a divisor of the usual widths, as many as the registers allow
#else
constexpr int ValueRows = 4;
#endif
constexpr std::align_val_t Alignment{64};

/// Zeros behind fewer numbers than there are lanes.
FloatV loadUpTo(const float* p, std::int64_t count)
{
    return count == Lanes ? load(p) : loadPart(p, count, 0.0F);
}

void storeUpTo(float* p, FloatV v, std::int64_t count)
{
    if (count == Lanes) {
        store(p, v);
    } else {
        storePart(p, v, count);
    }
}

template <int Rows>
void multiplyTile(const float* keys, std::int64_t stride, const float* panel, std::int64_t depth,
                  float* out)
{
    FloatV sums[Rows][2] = {};
    for (std::int64_t d = 0; d < depth; ++d) {
        const FloatV left = load(panel + d * PanelWidth);
        const FloatV right = load(panel + d * PanelWidth + Lanes);
        for (int r = 0; r < Rows; ++r) {
            const float factor = keys[r * stride + d];
            sums[r][0] += factor * left;
            sums[r][1] += factor * right;
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
        store(out + r * PanelWidth, sums[r][0]);
        store(out + r * PanelWidth + Lanes, sums[r][1]);
    }
}

/// The last rows, fewer than @p Rows, by halves.
template <int Rows>
void multiplyRest(const float* keys, std::int64_t stride, std::int64_t count, const float* panel,
                  std::int64_t depth, float* out)
{
    if (count >= Rows) {
        multiplyTile<Rows>(keys, stride, panel, depth, out);
        keys += Rows * stride;
        out += Rows * PanelWidth;
        count -= Rows;
    }
    if constexpr (Rows > 1) {
        if (count > 0) {
            multiplyRest<Rows / 2>(keys, stride, count, panel, depth, out);
        }
    } else if (count > 0) {
        multiplyRest<1>(keys, stride, count, panel, depth, out);
    }
}

template <int Rows>
void addValuesTile(const float* weights, std::int64_t count, const float* values,
                   std::int64_t stride, float* sums)
{
    FloatV tile[Rows][2];
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
        tile[r][0] = load(sums + r * PanelWidth);
        tile[r][1] = load(sums + r * PanelWidth + Lanes);
    }
    for (std::int64_t j = 0; j < count; ++j) {
        const FloatV left = load(weights + j * PanelWidth);
        const FloatV right = load(weights + j * PanelWidth + Lanes);
        for (int r = 0; r < Rows; ++r) {
            const float factor = values[j * stride + r];
            tile[r][0] += factor * left;
            tile[r][1] += factor * right;
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
        store(sums + r * PanelWidth, tile[r][0]);
        store(sums + r * PanelWidth + Lanes, tile[r][1]);
    }
}

template <int Rows>
void addValuesRest(const float* weights, std::int64_t count, const float* values,
                   std::int64_t stride, std::int64_t width, float* sums)
{
    if (width >= Rows) {
        addValuesTile<Rows>(weights, count, values, stride, sums);
        values += Rows;
        sums += Rows * PanelWidth;
        width -= Rows;
    }
    if constexpr (Rows > 1) {
        if (width > 0) {
            addValuesRest<Rows / 2>(weights, count, values, stride, width, sums);
        }
    } else if (width > 0) {
        addValuesRest<1>(weights, count, values, stride, width, sums);
    }
}

} // namespace

void Scratch::Free::operator()(float* p) const
{
    ::operator delete[](p, Alignment);
}

Scratch::Scratch(std::int64_t count)
{
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(count, std::int64_t{sizeof(float)}, &bytes)) {
        throw std::bad_alloc();
    }
    m_data.reset(static_cast<float*>(
        ::operator new[](static_cast<std::size_t>(std::max<std::int64_t>(bytes, 64)), Alignment)));
}

void packQueries(const MatrixRef& q, std::int64_t row, std::int64_t rows, float scale, float* panel)
{
    std::array<FloatV, Lanes> square;
    for (std::int64_t lane = 0; lane < PanelWidth; lane += Lanes) {
        for (std::int64_t d = 0; d < q.columns; d += Lanes) {
            const std::int64_t depth = std::min<std::int64_t>(Lanes, q.columns - d);
            for (std::int64_t r = 0; r < Lanes; ++r) {
                square[static_cast<std::size_t>(r)] =
                    lane + r >= rows ? FloatV{} : loadUpTo(q.row(row + lane + r) + d, depth);
            }
            transpose(square);
            for (std::int64_t k = 0; k < depth; ++k) {
                store(panel + (d + k) * PanelWidth + lane,
                      scale * square[static_cast<std::size_t>(k)]);
            }
        }
    }
}

void unpackProducts(const float* products, std::int64_t rows, std::int64_t columns,
                    const float* bias, float* out, std::int64_t outStride)
{
    std::array<FloatV, Lanes> square;
    for (std::int64_t lane = 0; lane < rows; lane += Lanes) {
        for (std::int64_t n = 0; n < columns; n += Lanes) {
            const std::int64_t width = std::min<std::int64_t>(Lanes, columns - n);
            for (std::int64_t k = 0; k < Lanes; ++k) {
                square[static_cast<std::size_t>(k)] =
                    k < width ? load(products + (n + k) * PanelWidth + lane) : FloatV{};
            }
            transpose(square);
            const FloatV added = bias == nullptr ? FloatV{} : loadUpTo(bias + n, width);
            for (std::int64_t r = 0; r < std::min<std::int64_t>(Lanes, rows - lane); ++r) {
                storeUpTo(out + (lane + r) * outStride + n,
                          square[static_cast<std::size_t>(r)] + added, width);
            }
        }
    }
}

void multiplyKeys(const float* keys, std::int64_t keyStride, std::int64_t count, const float* panel,
                  std::int64_t depth, float* out)
{
    while (count >= TileRows) {
        multiplyTile<TileRows>(keys, keyStride, panel, depth, out);
        keys += TileRows * keyStride;
        out += TileRows * PanelWidth;
        count -= TileRows;
    }
    multiplyRest<TileRows / 2>(keys, keyStride, count, panel, depth, out);
}

void addValues(const float* weights, std::int64_t count, const float* values,
               std::int64_t valueStride, std::int64_t width, float* sums)
{
    while (width >= ValueRows) {
        addValuesTile<ValueRows>(weights, count, values, valueStride, sums);
        values += ValueRows;
        sums += ValueRows * PanelWidth;
        width -= ValueRows;
    }
    addValuesRest<ValueRows / 2>(weights, count, values, valueStride, width, sums);
}

} // namespace heed::cpu
