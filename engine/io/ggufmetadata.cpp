// The names and values at the front of a GGUF file, and their conversions.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/gguf.h"

#include "io/ggufcursor.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <unordered_set>

namespace heed {

namespace {

using namespace detail;

struct TypeFacts {
    std::string_view name;
    std::size_t size; ///< 0: of a length of its own
};

// In the order of GgufType.
constexpr std::array<TypeFacts, 13> types = {{{"uint8", 1},
                                              {"int8", 1},
                                              {"uint16", 2},
                                              {"int16", 2},
                                              {"uint32", 4},
                                              {"int32", 4},
                                              {"float32", 4},
                                              {"bool", 1},
                                              {"text", 0},
                                              {"list", 0},
                                              {"uint64", 8},
                                              {"int64", 8},
                                              {"float64", 8}}};

const TypeFacts& factsOf(GgufType type)
{
    return types[static_cast<std::size_t>(type)];
}

/// Of a type that integer() takes. Nothing when it is past 2^63-1.
std::optional<std::int64_t> integerAt(GgufType type, std::span<const std::byte> bytes)
{
    switch (type) {
    case GgufType::UInt8:
        return readLittleEndian<std::uint8_t>(bytes, 0);
    case GgufType::Int8:
        return readLittleEndian<std::int8_t>(bytes, 0);
    case GgufType::UInt16:
        return readLittleEndian<std::uint16_t>(bytes, 0);
    case GgufType::Int16:
        return readLittleEndian<std::int16_t>(bytes, 0);
    case GgufType::UInt32:
        return readLittleEndian<std::uint32_t>(bytes, 0);
    case GgufType::Int32:
        return readLittleEndian<std::int32_t>(bytes, 0);
    case GgufType::Int64:
        return readLittleEndian<std::int64_t>(bytes, 0);
    case GgufType::UInt64:
        if (const auto value = readLittleEndian<std::uint64_t>(bytes, 0);
            value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
            return static_cast<std::int64_t>(value);
        }
        return {};
    default:
        return {};
    }
}

/// Of a type that number() takes; nothing for others.
std::optional<double> numberAt(GgufType type, std::span<const std::byte> bytes)
{
    switch (type) {
    case GgufType::Float32:
        return readLittleEndian<float>(bytes, 0);
    case GgufType::Float64:
        return readLittleEndian<double>(bytes, 0);
    case GgufType::UInt64:
        return static_cast<double>(readLittleEndian<std::uint64_t>(bytes, 0));
    default:
        break;
    }
    const auto whole = integerAt(type, bytes);
    return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

std::optional<bool> boolAt(GgufType type, std::span<const std::byte> bytes)
{
    return type == GgufType::Bool ? std::optional(bytes[0] != std::byte{0}) : std::nullopt;
}

template <typename T>
std::string shortest(T value)
{
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.begin(), text.end(), value).ptr;
    return {text.begin(), end};
}

/// A value that is neither text nor list.
std::string plainText(GgufType type, std::span<const std::byte> bytes)
{
    switch (type) {
    case GgufType::Bool:
        return bytes[0] != std::byte{0} ? "true" : "false";
    case GgufType::Float32:
        return shortest(readLittleEndian<float>(bytes, 0));
    case GgufType::Float64:
        return shortest(readLittleEndian<double>(bytes, 0));
    case GgufType::UInt64:
        return shortest(readLittleEndian<std::uint64_t>(bytes, 0));
    default:
        return shortest(integerAt(type, bytes).value_or(0));
    }
}

constexpr std::string_view integerWanted = "a whole number of at most 2^63-1";

} // namespace

std::string_view ggufTypeName(GgufType type)
{
    return factsOf(type).name;
}

tl::unexpected<Error> GgufValue::refuse(const std::string& wanted) const
{
    std::string is(ggufTypeName(m_place.type));
    if (m_place.type == GgufType::List) {
        is += " of " + std::string(ggufTypeName(m_place.elementType));
    }
    return badFormat(*m_place.file, m_place.offset,
                     "The value " + inQuotes(m_place.name) + " is a " + is + "; it should be " +
                         wanted + ".");
}

Expected<std::int64_t> GgufValue::integer() const
{
    const auto value = integerAt(m_place.type, m_place.bytes);
    return value ? Expected<std::int64_t>(*value) : refuse(std::string(integerWanted));
}

Expected<double> GgufValue::number() const
{
    const auto value = numberAt(m_place.type, m_place.bytes);
    return value ? Expected<double>(*value) : refuse("a number");
}

Expected<bool> GgufValue::boolean() const
{
    const auto value = boolAt(m_place.type, m_place.bytes);
    return value ? Expected<bool>(*value) : refuse("a bool");
}

Expected<std::string_view> GgufValue::text() const
{
    if (m_place.type != GgufType::Text) {
        return refuse("a text");
    }
    // Checked again, as is every text of a list: the file may have been changed behind the mapping.
    return GgufCursor(m_place.bytes, *m_place.file, m_place.offset).text("A text");
}

template <typename Result, typename Read>
Expected<std::vector<Result>> GgufValue::elements(std::string_view wanted, Read read) const
{
    const auto wrong = [&] { return refuse("a list, each of it " + std::string(wanted)); };
    const std::size_t size = factsOf(m_place.elementType).size;
    if (m_place.type != GgufType::List || size == 0) {
        return wrong();
    }
    return guarded(*m_place.file, [&]() -> Expected<std::vector<Result>> {
        std::vector<Result> all(m_place.size);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto value = read(m_place.elementType, m_place.bytes.subspan(i * size, size));
            if (!value) {
                return wrong();
            }
            all[i] = *value;
        }
        return all;
    });
}

Expected<std::vector<std::int64_t>> GgufValue::integers() const
{
    return elements<std::int64_t>(integerWanted, integerAt);
}

Expected<std::vector<double>> GgufValue::numbers() const
{
    return elements<double>("a number", numberAt);
}

Expected<std::vector<bool>> GgufValue::booleans() const
{
    return elements<bool>("a bool", boolAt);
}

Expected<std::vector<std::string_view>> GgufValue::texts() const
{
    if (m_place.type != GgufType::List || m_place.elementType != GgufType::Text) {
        return refuse("a list of text");
    }
    return guarded(*m_place.file, [&]() -> Expected<std::vector<std::string_view>> {
        GgufCursor cursor(m_place.bytes, *m_place.file, m_place.offset);
        std::vector<std::string_view> all(m_place.size);
        for (std::string_view& one : all) {
            const auto text = cursor.text("A text of a list");
            if (!text) {
                return tl::unexpected(text.error());
            }
            one = *text;
        }
        return all;
    });
}

std::string GgufValue::toString() const
{
    if (m_place.type == GgufType::Text) {
        return std::string(text().value_or(""));
    }
    if (m_place.type != GgufType::List) {
        return plainText(m_place.type, m_place.bytes);
    }
    constexpr std::size_t most = 8;
    const std::size_t size = factsOf(m_place.elementType).size;
    GgufCursor cursor(m_place.bytes, *m_place.file, m_place.offset);
    std::string list = "[";
    for (std::size_t i = 0; i < m_place.size && i < most; ++i) {
        list += i == 0 ? "" : ", ";
        list += size == 0 ? inQuotes(cursor.text("A text").value_or(""))
                          : plainText(m_place.elementType, m_place.bytes.subspan(i * size, size));
    }
    return m_place.size > most ? list + ", …], " + std::to_string(m_place.size) + " in all"
                               : list + "]";
}

GgufMetadata::GgufMetadata(std::string file, std::vector<GgufValue> values)
    : m_file(std::move(file))
    , m_values(std::move(values))
{
    for (std::size_t i = 0; i < m_values.size(); ++i) {
        m_index.emplace(m_values[i].name(), i);
    }
}

const GgufValue* GgufMetadata::find(std::string_view name) const
{
    const auto found = m_index.find(name);
    return found == m_index.end() ? nullptr : &m_values[found->second];
}

Expected<GgufValue> GgufMetadata::value(std::string_view name) const
{
    if (const GgufValue* found = find(name)) {
        return *found;
    }
    return fail(Code::NotFound, "The file does not say " + inQuotes(name) + ".", m_file);
}

namespace detail {

namespace {

Expected<GgufType> readType(GgufCursor& cursor)
{
    const std::size_t begin = cursor.offset();
    const auto number = cursor.number<std::uint32_t>("The type of a value");
    if (!number) {
        return tl::unexpected(number.error());
    }
    if (*number >= types.size()) {
        return cursor.refuse(begin, "There is no type of values " + std::to_string(*number) +
                                        "; the last is 12.");
    }
    return static_cast<GgufType>(*number);
}

Expected<void> readTypeAndSize(GgufCursor& cursor, GgufValue::Place& place)
{
    const auto type = readType(cursor);
    if (!type) {
        return tl::unexpected(type.error());
    }
    place.type = place.elementType = *type;
    if (*type != GgufType::List) {
        return {};
    }
    const std::size_t begin = cursor.offset();
    const auto elementType = readType(cursor);
    const auto size = elementType ? cursor.number<std::uint64_t>("The length of a list")
                                  : tl::unexpected(elementType.error());
    if (!size) {
        return tl::unexpected(size.error());
    }
    if (*elementType == GgufType::List) {
        return cursor.refuse(begin, "The list " + inQuotes(place.name) +
                                        " holds lists, which GGUF does not allow.");
    }
    const std::size_t fixed = factsOf(*elementType).size;
    const std::size_t least = fixed == 0 ? sizeof(std::uint64_t) : fixed; // a text has its length
    if (*size > longestGgufList || *size > cursor.remaining() / least) {
        return cursor.refuse(begin, "The list " + inQuotes(place.name) + " claims " +
                                        std::to_string(*size) + " elements, but " +
                                        std::to_string(cursor.remaining()) +
                                        " bytes follow and 2^30 elements are allowed.");
    }
    place.elementType = *elementType;
    place.size = *size;
    return {};
}

/// Steps over the elements of @p place, whose number fits the bytes that remain.
Expected<void> skipElements(GgufCursor& cursor, const GgufValue::Place& place)
{
    if (place.elementType == GgufType::Text) {
        for (std::size_t i = 0; i < place.size; ++i) {
            if (const auto text = cursor.text("A text"); !text) {
                return tl::unexpected(text.error());
            }
        }
        return {};
    }
    const auto bytes = cursor.take(place.size * factsOf(place.elementType).size, "A value");
    if (!bytes) {
        return tl::unexpected(bytes.error());
    }
    if (place.elementType == GgufType::Bool &&
        std::any_of(bytes->begin(), bytes->end(), [](std::byte b) { return b > std::byte{1}; })) {
        return cursor.refuse(place.offset,
                             "The value " + inQuotes(place.name) + " is a bool, but not 0 or 1.");
    }
    return {};
}

} // namespace

Expected<std::vector<GgufValue>> readGgufValues(GgufCursor& cursor, std::uint64_t count,
                                                const std::string& file)
{
    const auto shared = std::make_shared<const std::string>(file);
    std::vector<GgufValue> values;
    std::unordered_set<std::string_view> names;
    for (std::uint64_t i = 0; i < count; ++i) {
        GgufValue::Place place;
        place.file = shared;
        const std::size_t begin = cursor.offset();
        const auto name = cursor.text("The name of a value");
        if (!name) {
            return tl::unexpected(name.error());
        }
        if (name->empty()) {
            return cursor.refuse(begin, "A value has no name.");
        }
        if (!names.insert(*name).second) {
            return cursor.refuse(begin, "Two values have the name " + inQuotes(*name) + ".");
        }
        place.name = *name;
        if (auto read = readTypeAndSize(cursor, place); !read) {
            return tl::unexpected(read.error());
        }
        place.offset = cursor.offset();
        const auto rest = cursor.rest();
        if (auto skipped = skipElements(cursor, place); !skipped) {
            return tl::unexpected(skipped.error());
        }
        place.bytes = rest.first(cursor.offset() - place.offset);
        values.emplace_back(std::move(place));
    }
    return values;
}

} // namespace detail
} // namespace heed
