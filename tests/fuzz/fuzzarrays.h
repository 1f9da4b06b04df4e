// What every array reader must keep, whatever bytes it gets.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "fuzztarget.h"
#include "heed/arrayfile.h"

#include <cstring>

namespace heed::fuzz {

/// Opens @p input and reads every array in every way.
inline void readArrays(std::span<const std::byte> input, const char* format)
{
    const auto file = openArrays({input.begin(), input.end()}, format);
    if (!file) {
        require(!file.error().message.empty(), "an error has a message");
        require(file.error().code != Code::Internal, "no exception escapes a library");
        return;
    }
    for (const ArrayInfo& info : (*file)->arrays()) {
        const auto count = elementCount(info.shape);
        require(count.has_value(), "a listed shape has a size");
        require((*file)->find(info.name) != nullptr, "a listed name is found");
        const auto tensor = (*file)->read(info.name);
        const auto raw = (*file)->readRaw(info.name);
        const auto mapped = (*file)->mapped(info.name);
        require(tensor.has_value() == raw.has_value(), "both ways of reading agree");
        if (!tensor) {
            continue;
        }
        require(tensor->size() == *count, "the tensor has the listed size");
        const std::int64_t columns = info.shape.empty() ? 1 : info.shape.back();
        if (columns > 0) {
            std::vector<float> rows(static_cast<std::size_t>(*count));
            const auto read =
                (*file)->readRows(info.name, 0, {rows.data(), *count / columns, columns, columns});
            require(read && (rows.empty() || std::memcmp(rows.data(), tensor->data(),
                                                         rows.size() * sizeof(float)) == 0),
                    "the rows are those of the whole array");
        }
        require(static_cast<std::int64_t>(raw->size()) == *count * elementSize(info.type),
                "the bytes have the listed size");
        if (!mapped.empty()) {
            require(mapped.size_bytes() == raw->size() &&
                        std::memcmp(mapped.data(), raw->data(), raw->size()) == 0,
                    "the mapped numbers are those that are read");
        }
    }
}

} // namespace heed::fuzz
