// x·wᵀ + bias, in blocks of a size that depends on the shape alone.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "context.h"

#include <Eigen/Core>

namespace heed::cpu {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const RowMajor, Eigen::Unaligned, Eigen::OuterStride<>>;
using Map = Eigen::Map<RowMajor, Eigen::Unaligned, Eigen::OuterStride<>>;

constexpr std::int64_t OutRows = 128;
constexpr std::int64_t OutColumns = 128;

} // namespace

heed_status linear(const heed_op_linear& op, Call& call)
{
    const MatrixRef x(op.x);
    const MatrixRef w(op.w);
    const std::int64_t down = (x.rows + OutRows - 1) / OutRows;
    const std::int64_t across = (w.rows + OutColumns - 1) / OutColumns;
    const double work =
        static_cast<double>(x.rows) * static_cast<double>(w.rows) * static_cast<double>(x.columns);
    call.forBlocks(down * across, work, true, [&](std::int64_t task) {
        const std::int64_t m = task / across * OutRows;
        const std::int64_t n = task % across * OutColumns;
        const std::int64_t rows = std::min(OutRows, x.rows - m);
        const std::int64_t columns = std::min(OutColumns, w.rows - n);
        const ConstMap left(x.row(m), rows, x.columns, Eigen::OuterStride<>(x.rowStride));
        const ConstMap right(w.row(n), columns, w.columns, Eigen::OuterStride<>(w.rowStride));
        Map out(op.out.data + m * op.out.row_stride + n, rows, columns,
                Eigen::OuterStride<>(op.out.row_stride));
        out.noalias() = left * right.transpose();
        if (op.bias != nullptr) {
            out.rowwise() += Eigen::Map<const Eigen::RowVectorXf>(op.bias + n, columns);
        }
    });
    return call.status();
}

} // namespace heed::cpu
