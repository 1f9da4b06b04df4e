// The range of an array in a file, with its exact numbers.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "arraysummary.h"

#include "output.h"

#include <cmath>
#include <cstring>
#include <type_traits>

namespace heed::cli {

namespace {

template <typename T>
std::string valueText(T value)
{
    if constexpr (std::is_same_v<T, bool>) {
        return value ? "true" : "false";
    } else if constexpr (std::is_floating_point_v<T>) {
        return numberText(value);
    } else {
        return std::to_string(value);
    }
}

/// @p at gives element i.
template <typename T, typename At>
ArraySummary rangeOf(std::size_t count, At at)
{
    ArraySummary summary;
    summary.known = count > 0;
    bool any = false;
    T least{};
    T largest{};
    for (std::size_t i = 0; i < count; ++i) {
        const T value = at(i);
        if constexpr (std::is_floating_point_v<T>) {
            if (std::isnan(value)) {
                ++summary.nan;
                continue;
            }
            summary.infinite += std::isinf(value) ? 1 : 0;
        }
        if (!any || value < least) {
            least = value;
        }
        if (!any || value > largest) {
            largest = value;
        }
        any = true;
    }
    if (any) {
        summary.least = valueText(least);
        summary.largest = valueText(largest);
    }
    return summary;
}

template <typename T>
ArraySummary rangeOfBytes(const std::vector<std::byte>& bytes)
{
    return rangeOf<T>(bytes.size() / sizeof(T), [&bytes](std::size_t i) {
        T value{};
        std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
        return value;
    });
}

ArraySummary rangeOfRaw(ElementType type, const std::vector<std::byte>& bytes)
{
    switch (type) {
    case ElementType::Bool:
        return rangeOf<bool>(bytes.size(),
                             [&bytes](std::size_t i) { return bytes[i] != std::byte{0}; });
    case ElementType::UInt8:
        return rangeOfBytes<std::uint8_t>(bytes);
    case ElementType::Int8:
        return rangeOfBytes<std::int8_t>(bytes);
    case ElementType::UInt16:
        return rangeOfBytes<std::uint16_t>(bytes);
    case ElementType::Int16:
        return rangeOfBytes<std::int16_t>(bytes);
    case ElementType::UInt32:
        return rangeOfBytes<std::uint32_t>(bytes);
    case ElementType::Int32:
        return rangeOfBytes<std::int32_t>(bytes);
    case ElementType::UInt64:
        return rangeOfBytes<std::uint64_t>(bytes);
    case ElementType::Int64:
        return rangeOfBytes<std::int64_t>(bytes);
    case ElementType::Float64:
        return rangeOfBytes<double>(bytes);
    case ElementType::Float16:
    case ElementType::BFloat16:
    case ElementType::Float32:
        return rangeOfBytes<float>(bytes);
    }
    return {};
}

} // namespace

Expected<ArraySummary> summarise(const ArrayFile& file, const ArrayInfo& info,
                                 const Execution& execution)
{
    if (execution.cancelled()) {
        return fail(Code::Cancelled, "Stopped.");
    }
    const auto elements = elementCount(info.shape);
    if (!elements) {
        return tl::unexpected(elements.error());
    }
    const std::span<const float> mapped = file.mapped(info.name);
    if (!mapped.empty()) {
        // Takes no memory, but the user asked for no range, and terabytes would take hours.
        if (execution.memoryBudget > 0 &&
            mapped.size_bytes() > static_cast<std::size_t>(execution.memoryBudget)) {
            return ArraySummary{};
        }
        return rangeOf<float>(mapped.size(), [mapped](std::size_t i) { return mapped[i]; });
    }
    constexpr std::int64_t widest = 8; // bytes an element takes at most once it is read
    if (execution.memoryBudget > 0 && *elements > execution.memoryBudget / widest) {
        return ArraySummary{};
    }
    const bool isShortFloat = info.type == ElementType::Float16 ||
                              info.type == ElementType::BFloat16 ||
                              info.type == ElementType::Float32;
    if (isShortFloat) {
        const auto tensor = file.read(info.name); // exact: float32 holds all of both
        if (!tensor) {
            return tl::unexpected(tensor.error());
        }
        const std::span<const float> values = tensor->values();
        return rangeOf<float>(values.size(), [values](std::size_t i) { return values[i]; });
    }
    const auto bytes = file.readRaw(info.name);
    if (!bytes) {
        return tl::unexpected(bytes.error());
    }
    return rangeOfRaw(info.type, *bytes);
}

} // namespace heed::cli
