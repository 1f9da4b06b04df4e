// Tensors: shapes checked, memory owned.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/tensor.h"

#include "heed/execution.h"

#include <new>
#include <stdexcept>

namespace heed {

std::string toString(const Shape& shape)
{
    std::string text = "[";
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        text += (axis == 0 ? "" : ", ") + std::to_string(shape[axis]);
    }
    return text + "]";
}

Expected<std::int64_t> elementCount(const Shape& shape)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) {
        if (extent < 0) {
            return fail(Code::InvalidShape,
                        "A shape cannot have a negative extent: " + toString(shape) + ".");
        }
        if (__builtin_mul_overflow(count, extent, &count)) {
            return fail(Code::OutOfMemory, "The shape " + toString(shape) +
                                               " holds more elements than memory can address.");
        }
    }
    return count;
}

Tensor::Tensor(Shape shape)
{
    const auto count = elementCount(shape);
    HEED_CHECK(count.has_value(), return );
    m_values.resize(static_cast<std::size_t>(*count));
    m_shape = std::move(shape);
}

Tensor::Tensor(Shape shape, std::vector<float> values)
{
    const auto count = elementCount(shape);
    HEED_CHECK(count.has_value() && *count == static_cast<std::int64_t>(values.size()), return );
    m_shape = std::move(shape);
    m_values = std::move(values);
}

Tensor Tensor::reshaped(Shape shape) &&
{
    return {std::move(shape), std::move(m_values)};
}

Expected<Tensor> Tensor::make(Shape shape)
{
    const auto count = elementCount(shape);
    if (!count) {
        return tl::unexpected(count.error());
    }
    constexpr std::int64_t most = std::int64_t{1}
                                  << 44; // elements: past any address space of today
    const auto refuse = [&] {
        return fail(Code::OutOfMemory,
                    "There is no memory for an array of shape " + toString(shape) +
                        (*count <= most ? " (" + formatBytes(*count * 4) + ")." : "."));
    };
    if (*count > most) {
        return refuse();
    }
    try {
        return Tensor(shape);
    } catch (const std::bad_alloc&) {
        return refuse();
    } catch (const std::length_error&) {
        return refuse();
    }
}

std::int64_t Tensor::matrixOffset(std::initializer_list<std::int64_t> leading) const
{
    HEED_CHECK(rank() >= 2 && (leading.size() == 0 || leading.size() + 2 == rank()), return 0);
    std::int64_t index = 0;
    std::size_t axis = 0;
    for (const std::int64_t position : leading) {
        HEED_CHECK(position >= 0 && position < m_shape[axis], return 0);
        index = index * m_shape[axis++] + position;
    }
    return index * m_shape[rank() - 2] * m_shape[rank() - 1];
}

MatrixView<float> Tensor::matrix(std::initializer_list<std::int64_t> leading)
{
    const std::int64_t columns = m_shape[rank() - 1];
    return {m_values.data() + matrixOffset(leading), m_shape[rank() - 2], columns, columns};
}

ConstMatrixView<float> Tensor::matrix(std::initializer_list<std::int64_t> leading) const
{
    const std::int64_t columns = m_shape[rank() - 1];
    return {m_values.data() + matrixOffset(leading), m_shape[rank() - 2], columns, columns};
}

} // namespace heed
