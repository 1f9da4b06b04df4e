// The operations on attention maps of the reference backend: row by row, in float64.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/backend_abi.h"

#include <cstdint>

struct heed_buffer {
    const float* data = nullptr;
    std::int64_t count = 0;
};

namespace heed::detail::reference {

/// A float32 matrix, wherever it lies.
struct Matrix {
    const float* data;
    std::int64_t rowStride;
    std::int64_t columnStride;

    explicit Matrix(const heed_matrix& matrix)
        : data((matrix.buffer != nullptr ? matrix.buffer->data
                                         : static_cast<const float*>(matrix.data)) +
               matrix.offset)
        , rowStride(matrix.row_stride)
        , columnStride(matrix.column_stride)
    {
    }
    [[nodiscard]] double at(std::int64_t row, std::int64_t column) const
    {
        return data[row * rowStride + column * columnStride];
    }
};

/// Row @p i of @p a times row @p j of @p b.
[[nodiscard]] double dot(const Matrix& a, const Matrix& b, std::int64_t i, std::int64_t j,
                         std::int64_t width);

[[nodiscard]] bool shouldStop(const heed_control* control);
void report(const heed_control* control, std::int64_t done, std::int64_t total);
/// HEED_CANCELLED, with its message.
[[nodiscard]] heed_status stopped();

[[nodiscard]] heed_status survey(const heed_op_row_stats& op, const heed_control* control);
[[nodiscard]] heed_status tile(const heed_op_tile& op, const heed_control* control);
[[nodiscard]] heed_status attend(const heed_op_attend& op, const heed_control* control);

} // namespace heed::detail::reference
