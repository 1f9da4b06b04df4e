// x·wᵀ + bias: rows of x are lanes, as queries are, so that weights stream past them as they lie.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scores.h"

#include <Eigen/Core>
#include <algorithm>

namespace heed::cpu {
namespace {

/// Columns of the output that are made at once; they stay in the nearest cache until they are put
/// where they belong. A multiple of what a register tile holds.
constexpr std::int64_t OutColumns = 48;
/// Floats of packed x: what the second cache has room for.
constexpr std::int64_t PackedFloats = 196'608;
constexpr std::int64_t TasksPerThread = 2;

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const RowMajor, Eigen::Unaligned, Eigen::OuterStride<>>;
using Map = Eigen::Map<RowMajor, Eigen::Unaligned, Eigen::OuterStride<>>;

std::int64_t ceilDiv(std::int64_t a, std::int64_t b)
{
    return (a + b - 1) / b;
}

/// Rows that would leave a quarter of a panel empty, or more.
void multiplyFewRows(const MatrixRef& x, const MatrixRef& w, std::int64_t column,
                     std::int64_t columns, const heed_op_linear& op)
{
    const ConstMap left(x.data, x.rows, x.columns, Eigen::OuterStride<>(x.rowStride));
    const ConstMap right(w.row(column), columns, w.columns, Eigen::OuterStride<>(w.rowStride));
    Map out(op.out.data + column, x.rows, columns, Eigen::OuterStride<>(op.out.row_stride));
    out.noalias() = left * right.transpose();
    if (op.bias != nullptr) {
        out.rowwise() += Eigen::Map<const Eigen::RowVectorXf>(op.bias + column, columns);
    }
}

/// A band of rows of x, packed.
class PackedRows {
public:
    PackedRows(std::int64_t panels, std::int64_t depth)
        : m_depth(depth)
        , m_numbers(panels * depth * PanelWidth)
    {
    }

    void pack(const MatrixRef& x, std::int64_t row, std::int64_t rows)
    {
        m_rows = rows;
        for (std::int64_t first = 0; first < rows; first += PanelWidth) {
            packQueries(x, row + first, std::min(PanelWidth, rows - first), 1.0F,
                        m_numbers.data() + first * m_depth);
        }
    }

    /// The products with @p columns rows of w from @p column on, into @p out.
    void multiply(const MatrixRef& w, std::int64_t column, std::int64_t columns, const float* bias,
                  float* out, std::int64_t outStride)
    {
        for (std::int64_t first = 0; first < m_rows; first += PanelWidth) {
            multiplyKeys(w.row(column), w.rowStride, columns, m_numbers.data() + first * m_depth,
                         m_depth, m_products.cells.data());
            unpackProducts(m_products.cells.data(), std::min(PanelWidth, m_rows - first), columns,
                           bias, out + first * outStride, outStride);
        }
    }

private:
    std::int64_t m_depth;
    std::int64_t m_rows = 0;
    Scratch m_numbers;
    Block m_products;
};

} // namespace

heed_status linear(const heed_op_linear& op, Call& call)
{
    const MatrixRef x(op.x);
    const MatrixRef w(op.w);
    const double work =
        static_cast<double>(x.rows) * static_cast<double>(w.rows) * static_cast<double>(x.columns);
    const bool isFew = x.rows * 4 <= PanelWidth * 3;
    const std::int64_t panels = std::clamp<std::int64_t>(
        PackedFloats / PanelWidth / std::max<std::int64_t>(1, x.columns), 1, BandPanels);
    const std::int64_t bandRows = isFew ? x.rows : panels * PanelWidth;
    const std::int64_t bands = ceilDiv(x.rows, bandRows);
    const std::int64_t blocks = ceilDiv(w.rows, OutColumns);
    // Packing is shared by the columns of a task, so they are many, as long as all threads work.
    const std::int64_t tasks = call.threads() == 1 ? 1 : TasksPerThread * call.threads();
    const std::int64_t across = std::min(blocks, ceilDiv(tasks, bands));
    const std::int64_t taskColumns = ceilDiv(blocks, across) * OutColumns;
    UnitPool<PackedRows> pool;
    call.forBlocks(bands * across, work, true, [&](std::int64_t task) {
        const std::int64_t row = task / across * bandRows;
        const std::int64_t first = task % across * taskColumns;
        const std::int64_t end = std::min(first + taskColumns, w.rows);
        if (first >= end) {
            return;
        }
        if (isFew) {
            multiplyFewRows(x, w, first, end - first, op);
            return;
        }
        pool.with([&] { return std::make_unique<PackedRows>(panels, x.columns); },
                  [&](PackedRows& packed) {
                      packed.pack(x, row, std::min(bandRows, x.rows - row));
                      for (std::int64_t n = first; n < end; n += OutColumns) {
                          packed.multiply(w, n, std::min(OutColumns, end - n),
                                          op.bias == nullptr ? nullptr : op.bias + n,
                                          op.out.data + row * op.out.row_stride + n,
                                          op.out.row_stride);
                      }
                  });
    });
    return call.status();
}

} // namespace heed::cpu
