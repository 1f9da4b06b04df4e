// Matrices that are looked at (views) and tensors that are owned.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/check.h"
#include "heed/error.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace heed {

/// A row-major matrix owned by somebody else: element (r, c) is data[r * rowStride + c].
template <typename T>
struct MatrixView {
    T* data = nullptr;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t rowStride = 0; ///< in elements, >= columns

    T& operator()(std::int64_t row, std::int64_t column) const
    {
        return data[row * rowStride + column];
    }
    std::span<T> row(std::int64_t r) const
    {
        return {data + r * rowStride, static_cast<std::size_t>(columns)};
    }
    operator MatrixView<const T>() const { return {data, rows, columns, rowStride}; }
};

template <typename T>
using ConstMatrixView = MatrixView<const T>;

/// Extents of a tensor, outermost first.
using Shape = std::vector<std::int64_t>;

/// "[2, 4, 7, 16]".
[[nodiscard]] std::string toString(const Shape& shape);

/// Number of elements of @p shape.
/// @return Code::InvalidShape for a negative extent, Code::OutOfMemory when the product overflows.
[[nodiscard]] Expected<std::int64_t> elementCount(const Shape& shape);

/// Dense row-major float32 tensor that owns its memory. Copying copies the numbers.
class Tensor {
public:
    Tensor() = default;
    /// Zero-filled. The product of the extents must fit; use make() for extents from outside.
    explicit Tensor(Shape shape);
    Tensor(Shape shape, std::vector<float> values);

    /// Zero-filled tensor of a shape that came from a user or a file.
    /// @return Code::InvalidShape or Code::OutOfMemory with the number of bytes.
    [[nodiscard]] static Expected<Tensor> make(Shape shape);

    /// The same numbers in another shape of as many elements.
    [[nodiscard]] Tensor reshaped(Shape shape) &&;

    [[nodiscard]] const Shape& shape() const { return m_shape; }
    [[nodiscard]] std::int64_t extent(std::size_t axis) const { return m_shape[axis]; }
    [[nodiscard]] std::size_t rank() const { return m_shape.size(); }
    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(m_values.size()); }
    [[nodiscard]] bool empty() const { return m_values.empty(); }
    [[nodiscard]] float* data() { return m_values.data(); }
    [[nodiscard]] const float* data() const { return m_values.data(); }
    [[nodiscard]] std::span<const float> values() const { return m_values; }
    [[nodiscard]] std::span<float> values() { return m_values; }

    /// The last two axes at @p leading, one index for each axis before them (all, or none for the
    /// first matrix). Rank must be at least 2.
    [[nodiscard]] MatrixView<float> matrix(std::initializer_list<std::int64_t> leading = {});
    [[nodiscard]] ConstMatrixView<float>
    matrix(std::initializer_list<std::int64_t> leading = {}) const;

private:
    [[nodiscard]] std::int64_t matrixOffset(std::initializer_list<std::int64_t> leading) const;

    Shape m_shape;
    std::vector<float> m_values;
};

} // namespace heed
