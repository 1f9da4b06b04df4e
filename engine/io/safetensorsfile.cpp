// Reads .safetensors: a JSON header and one buffer. The rules are those of the reference reader:
// no overlap, no hole, nothing behind the last array.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/jsonreader.h"
#include "io/readers.h"
#include "io/textpieces.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <unordered_set>

namespace heed::detail {

namespace {

constexpr std::size_t lengthBytes = 8;
constexpr std::uint64_t longestHeader = 100'000'000; // the reference reader's limit

struct StoredType {
    std::string_view name;
    unsigned bits;
    std::optional<ElementType> type; ///< nothing: the size is known, the numbers are not read
};

constexpr std::array<StoredType, 22> storedTypes = {{{"BOOL", 8, ElementType::Bool},
                                                     {"U8", 8, ElementType::UInt8},
                                                     {"I8", 8, ElementType::Int8},
                                                     {"U16", 16, ElementType::UInt16},
                                                     {"I16", 16, ElementType::Int16},
                                                     {"U32", 32, ElementType::UInt32},
                                                     {"I32", 32, ElementType::Int32},
                                                     {"U64", 64, ElementType::UInt64},
                                                     {"I64", 64, ElementType::Int64},
                                                     {"F16", 16, ElementType::Float16},
                                                     {"BF16", 16, ElementType::BFloat16},
                                                     {"F32", 32, ElementType::Float32},
                                                     {"F64", 64, ElementType::Float64},
                                                     {"F8_E5M2", 8, {}},
                                                     {"F8_E4M3", 8, {}},
                                                     {"F8_E8M0", 8, {}},
                                                     {"F8_E4M3FNUZ", 8, {}},
                                                     {"F8_E5M2FNUZ", 8, {}},
                                                     {"C64", 64, {}},
                                                     {"F4", 4, {}},
                                                     {"F6_E2M3", 6, {}},
                                                     {"F6_E3M2", 6, {}}}};

struct Entry {
    std::string name;
    const StoredType* type = nullptr;
    std::optional<std::vector<std::uint64_t>> shape;
    std::optional<std::vector<std::uint64_t>> offsets;
};

class HeaderVisitor : public JsonVisitor {
public:
    std::vector<Entry> entries;
    TextMap metadata;

    bool startObject() override
    {
        if (m_skipped > 0 || m_field == Field::Unknown) {
            ++m_skipped;
            return true;
        }
        if (m_list != nullptr || m_depth == 2) {
            return refuse("Expected no object here in the header.");
        }
        ++m_depth;
        m_fields.clear();
        return true;
    }

    bool endObject() override
    {
        if (leaveSkipped()) {
            return true;
        }
        --m_depth;
        if (m_depth != 1 || m_inMetadata) {
            m_inMetadata = false;
            return true;
        }
        const Entry& entry = entries.back();
        if (entry.type == nullptr || !entry.shape || !entry.offsets) {
            return refuse("The array " + inQuotes(entry.name) +
                          " lacks one of dtype, shape and data_offsets.");
        }
        return true;
    }

    bool key(std::string& name) override
    {
        if (m_skipped > 0) {
            return true;
        }
        if (m_depth == 2) {
            return fieldKey(name);
        }
        if (!m_names.insert(name).second) {
            return refuse("The name " + inQuotes(name) + " occurs twice in the header.");
        }
        m_inMetadata = name == "__metadata__";
        if (!m_inMetadata) {
            entries.emplace_back().name = std::move(name);
        }
        return true;
    }

    bool startArray() override
    {
        if (m_skipped > 0 || m_field == Field::Unknown) {
            ++m_skipped;
            return true;
        }
        if (m_list != nullptr || (m_field != Field::Shape && m_field != Field::Offsets)) {
            return unexpectedValue();
        }
        auto& list = m_field == Field::Shape ? entries.back().shape : entries.back().offsets;
        m_list = &list.emplace();
        return true;
    }

    bool endArray() override
    {
        if (leaveSkipped()) {
            return true;
        }
        if (m_field == Field::Offsets && m_list->size() != 2) {
            return refuse("data_offsets has two numbers: where the array begins and ends.");
        }
        m_list = nullptr;
        m_field = Field::None;
        return true;
    }

    bool text(std::string& value) override
    {
        if (skipScalar()) {
            return true;
        }
        if (m_inMetadata && m_depth == 2) {
            metadata.emplace_back(m_metadataKey, std::move(value));
            return true;
        }
        if (m_field != Field::Type) {
            return unexpectedValue();
        }
        const auto* found =
            std::find_if(storedTypes.begin(), storedTypes.end(),
                         [&](const StoredType& known) { return known.name == value; });
        if (found == storedTypes.end()) {
            return refuse("The type " + inQuotes(value) + " is not known.");
        }
        entries.back().type = found;
        m_field = Field::None;
        return true;
    }

    bool natural(std::uint64_t value) override
    {
        if (skipScalar()) {
            return true;
        }
        if (m_list == nullptr) {
            return unexpectedValue();
        }
        if (m_field == Field::Shape && m_list->size() == maxRank) {
            return refuse("An array has at most 64 axes.");
        }
        m_list->push_back(value);
        return true;
    }

    bool null() override
    {
        // The reference takes null for "no metadata".
        return skipScalar() || (m_inMetadata && m_depth == 1) || unexpectedValue();
    }
    bool boolean(bool) override { return skipScalar() || unexpectedValue(); }
    bool negative(std::int64_t) override { return skipScalar() || unexpectedValue(); }
    bool decimal(double, std::string_view) override { return skipScalar() || unexpectedValue(); }

private:
    enum class Field { None, Type, Shape, Offsets, Unknown };

    bool fieldKey(std::string& name)
    {
        if (!m_fields.insert(name).second) {
            return refuse("The name " + inQuotes(name) + " occurs twice in one object.");
        }
        if (m_inMetadata) {
            m_metadataKey = std::move(name);
            return true;
        }
        m_field = name == "dtype"          ? Field::Type
                  : name == "shape"        ? Field::Shape
                  : name == "data_offsets" ? Field::Offsets
                                           : Field::Unknown;
        return true;
    }

    bool leaveSkipped()
    {
        if (m_skipped == 0) {
            return false;
        }
        if (--m_skipped == 0) {
            m_field = Field::None;
        }
        return true;
    }

    bool skipScalar()
    {
        if (m_skipped > 0) {
            return true;
        }
        if (m_field != Field::Unknown) {
            return false;
        }
        m_field = Field::None;
        return true;
    }

    bool unexpectedValue()
    {
        return refuse("The header does not have the form of a safetensors header here: names with "
                      "dtype (text), shape and data_offsets (lists of whole numbers), or "
                      "__metadata__ with texts.");
    }

    std::size_t m_depth = 0;
    std::size_t m_skipped = 0; ///< depth inside the value of an unknown field, which is ignored
    bool m_inMetadata = false;
    std::string m_metadataKey;
    Field m_field = Field::None;
    std::vector<std::uint64_t>* m_list = nullptr;
    std::unordered_set<std::string> m_names;
    std::unordered_set<std::string> m_fields;
};

/// Bytes that an entry takes by its shape and type.
Expected<std::uint64_t> computedSize(const Entry& entry, const std::string& where)
{
    std::uint64_t count = 1;
    bool fits = true;
    constexpr std::uint64_t longest = std::numeric_limits<std::int64_t>::max();
    for (const std::uint64_t extent : *entry.shape) {
        fits = fits && extent <= longest && !__builtin_mul_overflow(count, extent, &count) &&
               count <= longest;
    }
    std::uint64_t bits = 0;
    if (!fits || __builtin_mul_overflow(count, std::uint64_t{entry.type->bits}, &bits)) {
        return fail(Code::BadFormat, "The shape holds more elements than memory can address.",
                    where);
    }
    if (bits % 8 != 0) {
        return fail(Code::BadFormat, "The elements do not fill whole bytes.", where);
    }
    return bits / 8;
}

Expected<void> addEntries(PlainArrayFile& file, std::vector<Entry> entries, const Source& source,
                          std::size_t dataBegin)
{
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return *a.offsets < *b.offsets; });
    std::uint64_t position = 0;
    const std::uint64_t available = source.bytes.size() - dataBegin;
    for (Entry& entry : entries) {
        const std::string where = source.name + ", array " + inQuotes(entry.name);
        const std::uint64_t begin = (*entry.offsets)[0];
        const std::uint64_t end = (*entry.offsets)[1];
        if (begin != position || end < begin) {
            return fail(Code::BadFormat,
                        "data_offsets [" + std::to_string(begin) + ", " + std::to_string(end) +
                            "] leaves a hole, overlaps or is reversed; the array before ends at " +
                            std::to_string(position) + ".",
                        where);
        }
        const auto size = computedSize(entry, where);
        if (!size) {
            return tl::unexpected(size.error());
        }
        if (*size != end - begin) {
            return fail(Code::BadFormat,
                        "The shape takes " + std::to_string(*size) + " bytes, but data_offsets " +
                            "give it " + std::to_string(end - begin) + ".",
                        where);
        }
        if (end > available) {
            return fail(Code::BadFormat,
                        "The file is cut short: the array ends at byte " + std::to_string(end) +
                            " of " + std::to_string(available) + " that are there.",
                        where);
        }
        position = end;
        if (!entry.type->type) {
            file.addUnreadable(entry.name, {Code::Unsupported,
                                            "The type " + std::string(entry.type->name) +
                                                " is not read. Convert the array to float32.",
                                            where});
            continue;
        }
        Shape shape(entry.shape->begin(), entry.shape->end());
        file.add({std::move(entry.name), *entry.type->type, std::move(shape), false}, false,
                 source.bytes.subspan(dataBegin + begin, end - begin));
    }
    if (position != available) {
        return badFormat(source.name, dataBegin + position,
                         std::to_string(available - position) +
                             " bytes follow the last array. Nothing may follow it.");
    }
    return {};
}

} // namespace

bool looksLikeSafetensors(std::span<const std::byte> bytes)
{
    if (bytes.size() <= lengthBytes) {
        return false;
    }
    const auto length = readLittleEndian<std::uint64_t>(bytes, 0);
    if (length > longestHeader || length > bytes.size() - lengthBytes) {
        return false;
    }
    const auto header = asText(bytes.subspan(lengthBytes, length));
    const std::size_t first = header.find_first_not_of(" \t\r\n");
    return first != header.npos && header[first] == '{';
}

Expected<ArrayFilePtr> openSafetensors(const Source& source)
{
    if (source.bytes.size() < lengthBytes) {
        return badFormat(source.name, source.bytes.size(),
                         "The file is too short for a safetensors file, which begins with a "
                         "length of 8 bytes.");
    }
    const auto length = readLittleEndian<std::uint64_t>(source.bytes, 0);
    if (length > longestHeader) {
        return badFormat(source.name, 0,
                         "The header claims " + std::to_string(length) +
                             " bytes; at most 100000000 are allowed.");
    }
    if (length > source.bytes.size() - lengthBytes) {
        return badFormat(source.name, 0,
                         "The header claims " + std::to_string(length) + " bytes, but " +
                             std::to_string(source.bytes.size() - lengthBytes) + " follow.");
    }
    const auto header = asText(source.bytes.subspan(lengthBytes, length));
    if (!looksLikeSafetensors(source.bytes)) {
        return badFormat(source.name, lengthBytes, "The header is not a JSON object.");
    }
    if (!isUtf8(header)) {
        return badFormat(source.name, lengthBytes, "The header is not UTF-8.");
    }
    HeaderVisitor visitor;
    if (auto parsed = parseJson(header, source.name, visitor, lengthBytes); !parsed) {
        return tl::unexpected(parsed.error());
    }
    auto file = std::make_shared<PlainArrayFile>("safetensors", source);
    if (auto added = addEntries(*file, std::move(visitor.entries), source, lengthBytes + length);
        !added) {
        return tl::unexpected(added.error());
    }
    file->setMetadata(std::move(visitor.metadata));
    return file;
}

} // namespace heed::detail
