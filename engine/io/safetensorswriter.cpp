// Writes .safetensors with the arrays in the order of the reference writer: larger elements first,
// then by name, so that every array is aligned.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/elementtype.h"
#include "io/jsonreader.h"
#include "io/source.h"
#include "io/textpieces.h"
#include "io/writers.h"

#include <algorithm>
#include <bit>

namespace heed::detail {

namespace {

/// The place of a type in the reference's list; it sorts types of one size by it as well.
struct TypeName {
    std::string_view name;
    int rank;
};

TypeName safetensorsType(ElementType type)
{
    switch (type) {
    case ElementType::Bool:
        return {"BOOL", 0};
    case ElementType::UInt8:
        return {"U8", 1};
    case ElementType::Int8:
        return {"I8", 2};
    case ElementType::Int16:
        return {"I16", 3};
    case ElementType::UInt16:
        return {"U16", 4};
    case ElementType::Float16:
        return {"F16", 5};
    case ElementType::BFloat16:
        return {"BF16", 6};
    case ElementType::Int32:
        return {"I32", 7};
    case ElementType::UInt32:
        return {"U32", 8};
    case ElementType::Float32:
        return {"F32", 9};
    case ElementType::Float64:
        return {"F64", 10};
    case ElementType::Int64:
        return {"I64", 11};
    case ElementType::UInt64:
        return {"U64", 12};
    }
    return {"F32", 0};
}

TextMap metadataOf(const ArrayFileNotes& notes)
{
    TextMap metadata = notes.metadata;
    if (!notes.tokens.empty()) {
        // The format has texts only, so the lists travel as JSON inside one.
        metadata.emplace_back("tokens", textListsToJson(notes.tokens));
    }
    return metadata;
}

} // namespace

Expected<void> writeSafetensors(const ByteSink& sink, std::span<const ArrayToWrite> arrays,
                                const ArrayFileNotes& notes)
{
    const TextMap metadata = metadataOf(notes);
    for (std::size_t i = 0; i < metadata.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            if (metadata[i].first == metadata[k].first) {
                return fail(Code::InvalidArgument,
                            "The metadata has " + inQuotes(metadata[i].first) + " twice.");
            }
        }
    }
    std::vector<const ArrayToWrite*> order;
    order.reserve(arrays.size());
    for (const ArrayToWrite& array : arrays) {
        order.push_back(&array);
    }
    std::sort(order.begin(), order.end(), [](const ArrayToWrite* a, const ArrayToWrite* b) {
        const int rankA = safetensorsType(a->type).rank;
        const int rankB = safetensorsType(b->type).rank;
        return rankA != rankB ? rankA > rankB : a->name < b->name;
    });

    std::string header = "{";
    if (!metadata.empty()) {
        header += "\"__metadata__\":" + textMapToJson(metadata);
    }
    std::uint64_t position = 0;
    for (const ArrayToWrite* array : order) {
        header += header.size() == 1 ? "" : ",";
        header += jsonString(array->name) + ":{\"dtype\":\"" +
                  std::string(safetensorsType(array->type).name) + "\",\"shape\":[";
        for (std::size_t axis = 0; axis < array->shape.size(); ++axis) {
            header += (axis == 0 ? "" : ",") + std::to_string(array->shape[axis]);
        }
        header += "],\"data_offsets\":[" + std::to_string(position) + ",";
        const auto size = byteCount(array->shape, array->type);
        if (!size) {
            return tl::unexpected(size.error());
        }
        position += *size;
        header += std::to_string(position) + "]}";
    }
    header += "}";
    header.append((8 - header.size() % 8) % 8, ' ');

    const auto length = std::bit_cast<std::array<std::byte, 8>>(std::uint64_t{header.size()});
    auto written = sink(length);
    if (written) {
        written = sink(asBytes(header));
    }
    for (std::size_t i = 0; written && i < order.size(); ++i) {
        written = copyTo(sink, *order[i]);
    }
    return written;
}

} // namespace heed::detail
