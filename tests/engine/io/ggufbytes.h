// GGUF files made by hand, right or wrong, for the tests.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/gguf.h"
#include "iofiles.h"

#include <optional>

namespace heed {

/// A little-endian number of @p size bytes.
inline std::string ggufNumber(std::uint64_t value, int size)
{
    std::string text;
    for (int byte = 0; byte < size; ++byte) {
        text += static_cast<char>(value >> (8 * byte) & 0xFF);
    }
    return text;
}

inline std::string ggufText(const std::string& text)
{
    return ggufNumber(text.size(), 8) + text;
}

/// A name and a value whose bytes, without its type, are @p value.
inline std::string ggufValue(const std::string& name, unsigned type, const std::string& value)
{
    return ggufText(name) + ggufNumber(type, 4) + value;
}

/// The bytes of a list of @p size elements.
inline std::string ggufList(unsigned elementType, std::uint64_t size, const std::string& elements)
{
    return ggufNumber(elementType, 4) + ggufNumber(size, 8) + elements;
}

/// @param extents  fastest first, as in the file.
inline std::string ggufTensor(const std::string& name, const std::vector<std::uint64_t>& extents,
                              unsigned type, std::uint64_t offset)
{
    std::string text = ggufText(name) + ggufNumber(extents.size(), 4);
    for (const std::uint64_t extent : extents) {
        text += ggufNumber(extent, 8);
    }
    return text + ggufNumber(type, 4) + ggufNumber(offset, 8);
}

/// What is not set is as it should be.
struct GgufParts {
    std::vector<std::string> values = {};
    std::vector<std::string> tensors = {};
    std::string data = {};
    std::size_t alignment = 32; ///< of the data; the file says nothing of it
    std::string magic = "GGUF";
    std::uint32_t version = 3;
    std::optional<std::uint64_t> tensorCount = {};
    std::optional<std::uint64_t> valueCount = {};
};

inline Bytes gguf(const GgufParts& parts)
{
    std::string text = parts.magic + ggufNumber(parts.version, 4) +
                       ggufNumber(parts.tensorCount.value_or(parts.tensors.size()), 8) +
                       ggufNumber(parts.valueCount.value_or(parts.values.size()), 8);
    for (const std::string& value : parts.values) {
        text += value;
    }
    for (const std::string& tensor : parts.tensors) {
        text += tensor;
    }
    if (!parts.data.empty()) {
        text.resize((text.size() + parts.alignment - 1) / parts.alignment * parts.alignment);
    }
    return toBytes(text + parts.data);
}

} // namespace heed
