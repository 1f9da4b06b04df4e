// Conversions between the element types of files and float32.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/elementtype.h"

#include "io/source.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace heed {

namespace {

struct TypeFacts {
    std::string_view name;
    std::int64_t size;
};

// In the order of ElementType.
constexpr std::array<TypeFacts, 13> types = {{{"bool", 1},
                                              {"uint8", 1},
                                              {"int8", 1},
                                              {"uint16", 2},
                                              {"int16", 2},
                                              {"uint32", 4},
                                              {"int32", 4},
                                              {"uint64", 8},
                                              {"int64", 8},
                                              {"float16", 2},
                                              {"bfloat16", 2},
                                              {"float32", 4},
                                              {"float64", 8}}};

} // namespace

std::string_view elementTypeName(ElementType type)
{
    return types[static_cast<std::size_t>(type)].name;
}

std::int64_t elementSize(ElementType type)
{
    return types[static_cast<std::size_t>(type)].size;
}

namespace detail {

namespace {

template <typename T, typename Convert>
void convertAll(std::span<const std::byte> raw, std::span<float> out, Convert convert)
{
    for (std::size_t i = 0; i < out.size(); ++i) {
        T value{};
        std::memcpy(&value, raw.data() + i * sizeof(T), sizeof value);
        out[i] = convert(value);
    }
}

template <typename T>
void convertNumbers(std::span<const std::byte> raw, std::span<float> out)
{
    convertAll<T>(raw, out, [](T value) { return static_cast<float>(value); });
}

template <std::size_t Size>
void copyReordered(const Shape& shape, std::span<const std::byte> from, std::span<std::byte> to)
{
    const std::size_t rank = shape.size();
    std::vector<std::size_t> stride(rank); // of the source, in elements
    std::size_t step = 1;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        stride[axis] = step;
        step *= static_cast<std::size_t>(shape[axis]);
    }
    std::vector<std::int64_t> index(rank, 0);
    std::size_t source = 0;
    for (std::size_t target = 0; target < to.size(); target += Size) {
        std::memcpy(to.data() + target, from.data() + source * Size, Size);
        for (std::size_t axis = rank; axis-- > 0;) {
            source += stride[axis];
            if (++index[axis] < shape[axis]) {
                break;
            }
            source -= stride[axis] * static_cast<std::size_t>(shape[axis]);
            index[axis] = 0;
        }
    }
}

/// Whether the order of the axes makes a difference: not with at most one axis longer than 1.
bool reordered(const ArrayInfo& info)
{
    return info.fortranOrder &&
           std::count_if(info.shape.begin(), info.shape.end(), [](auto n) { return n != 1; }) > 1;
}

/// The elements in C order and little-endian: those of the file, or a copy kept in @p buffer.
std::span<const std::byte> plainBytes(const StoredArray& array, std::vector<std::byte>& buffer)
{
    const std::int64_t size = elementSize(array.info->type);
    const bool reorder = reordered(*array.info);
    const bool swap = array.bigEndian && size > 1;
    if (!reorder && !swap) {
        return array.bytes;
    }
    if (reorder) {
        buffer.resize(array.bytes.size());
        fortranToC(array.info->shape, size, array.bytes, buffer);
    } else {
        buffer.assign(array.bytes.begin(), array.bytes.end());
    }
    if (swap) {
        swapByteOrder(buffer, size);
    }
    return buffer;
}

} // namespace

float halfToFloat(std::uint16_t bits)
{
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1FU;
    std::uint32_t mantissa = bits & 0x3FFU;
    if (exponent == 0x1F) {
        return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13));
    }
    if (exponent != 0) {
        return std::bit_cast<float>(sign | ((exponent + 127 - 15) << 23) | (mantissa << 13));
    }
    if (mantissa == 0) {
        return std::bit_cast<float>(sign);
    }
    // A subnormal is mantissa * 2^-24; every one of them is a normal float32.
    const int shift = std::countl_zero(mantissa) - 21; // brings the leading bit to bit 10
    mantissa = (mantissa << shift) & 0x3FFU;
    return std::bit_cast<float>(sign | (static_cast<std::uint32_t>(127 - 14 - shift) << 23) |
                                (mantissa << 13));
}

float bfloat16ToFloat(std::uint16_t bits)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

void convertToFloat(ElementType type, std::span<const std::byte> raw, std::span<float> out)
{
    if (out.empty()) {
        return;
    }
    switch (type) {
    case ElementType::Bool:
        return convertAll<std::uint8_t>(raw, out, [](auto v) { return v != 0 ? 1.0F : 0.0F; });
    case ElementType::UInt8:
        return convertNumbers<std::uint8_t>(raw, out);
    case ElementType::Int8:
        return convertNumbers<std::int8_t>(raw, out);
    case ElementType::UInt16:
        return convertNumbers<std::uint16_t>(raw, out);
    case ElementType::Int16:
        return convertNumbers<std::int16_t>(raw, out);
    case ElementType::UInt32:
        return convertNumbers<std::uint32_t>(raw, out);
    case ElementType::Int32:
        return convertNumbers<std::int32_t>(raw, out);
    case ElementType::UInt64:
        return convertNumbers<std::uint64_t>(raw, out);
    case ElementType::Int64:
        return convertNumbers<std::int64_t>(raw, out);
    case ElementType::Float16:
        return convertAll<std::uint16_t>(raw, out, halfToFloat);
    case ElementType::BFloat16:
        return convertAll<std::uint16_t>(raw, out, bfloat16ToFloat);
    case ElementType::Float32:
        std::memcpy(out.data(), raw.data(), out.size_bytes());
        return;
    case ElementType::Float64:
        return convertNumbers<double>(raw, out);
    }
}

void swapByteOrder(std::span<std::byte> elements, std::int64_t size)
{
    for (auto at = elements.begin(); at != elements.end(); at += size) {
        std::reverse(at, at + size);
    }
}

void fortranToC(const Shape& shape, std::int64_t size, std::span<const std::byte> from,
                std::span<std::byte> to)
{
    switch (size) {
    case 1:
        return copyReordered<1>(shape, from, to);
    case 2:
        return copyReordered<2>(shape, from, to);
    case 4:
        return copyReordered<4>(shape, from, to);
    default:
        return copyReordered<8>(shape, from, to);
    }
}

Expected<Tensor> decodeTensor(const StoredArray& array, const std::string& where)
{
    return guarded(where, [&]() -> Expected<Tensor> {
        std::vector<std::byte> buffer;
        const auto raw = plainBytes(array, buffer);
        auto tensor = Tensor::make(array.info->shape);
        if (!tensor) {
            tensor.error().context = where;
            return tensor;
        }
        // Reordered bytes are a copy, and stay.
        const Forget forget = buffer.empty() ? array.forget : nullptr;
        const auto size = static_cast<std::size_t>(elementSize(array.info->type));
        std::size_t done = 0;
        readInPieces(raw, forget, [&](std::span<const std::byte> piece) {
            const std::size_t count = piece.size() / size;
            convertToFloat(array.info->type, piece, tensor->values().subspan(done, count));
            done += count;
        });
        return tensor;
    });
}

bool decodeRows(const StoredArray& array, std::int64_t first, MatrixView<float> out)
{
    const std::int64_t size = elementSize(array.info->type);
    if (reordered(*array.info) || (array.bigEndian && size > 1)) {
        return false;
    }
    const auto rowBytes = static_cast<std::size_t>(out.columns * size);
    for (std::int64_t row = 0; row < out.rows && out.columns > 0; ++row) {
        const auto bytes =
            array.bytes.subspan(static_cast<std::size_t>(first + row) * rowBytes, rowBytes);
        convertToFloat(array.info->type, bytes, out.row(row));
    }
    if (array.forget != nullptr) {
        array.forget(array.bytes.subspan(static_cast<std::size_t>(first) * rowBytes,
                                         static_cast<std::size_t>(out.rows) * rowBytes));
    }
    return true;
}

Expected<std::vector<std::byte>> decodeRaw(const StoredArray& array, const std::string& where)
{
    return guarded(where, [&]() -> Expected<std::vector<std::byte>> {
        std::vector<std::byte> buffer;
        const auto raw = plainBytes(array, buffer);
        if (buffer.empty()) {
            buffer.assign(raw.begin(), raw.end());
        }
        if (array.info->type == ElementType::Bool) {
            for (std::byte& value : buffer) {
                value = value == std::byte{0} ? std::byte{0} : std::byte{1};
            }
        }
        return buffer;
    });
}

std::span<const float> decodeInPlace(const StoredArray& array)
{
    const bool aligned = reinterpret_cast<std::uintptr_t>(array.bytes.data()) % alignof(float) == 0;
    if (array.info->type != ElementType::Float32 || array.bigEndian || reordered(*array.info) ||
        !aligned) {
        return {};
    }
    return {reinterpret_cast<const float*>(array.bytes.data()), array.bytes.size() / sizeof(float)};
}

Expected<std::size_t> byteCount(const Shape& shape, ElementType type)
{
    const auto count = elementCount(shape);
    if (!count) {
        return tl::unexpected(count.error());
    }
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(*count, elementSize(type), &bytes)) {
        return fail(Code::OutOfMemory, "The shape " + toString(shape) +
                                           " holds more elements than memory can address.");
    }
    return static_cast<std::size_t>(bytes);
}

} // namespace detail
} // namespace heed
