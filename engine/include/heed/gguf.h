// What a GGUF checkpoint says about itself: typed values by name.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/arrayfile.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed {

/// The kinds of values, numbered as in the file.
enum class GgufType : std::uint8_t {
    UInt8,
    Int8,
    UInt16,
    Int16,
    UInt32,
    Int32,
    Float32,
    Bool,
    Text,
    List,
    UInt64,
    Int64,
    Float64
};

/// "uint8", "text", "list", …
[[nodiscard]] std::string_view ggufTypeName(GgufType type);

/// One value of the metadata. It points into the file, and so do the texts it gives: valid while
/// the file object lives. Nothing is converted before it is asked for, and no conversion is
/// silent: another kind of value is Code::BadFormat with the file, the byte and the name. Immutable
/// and re-entrant.
class GgufValue {
public:
    /// Where a value lies; made by the reader.
    struct Place {
        std::shared_ptr<const std::string> file; ///< for Error::context
        std::string_view name;
        std::size_t offset = 0; ///< of the first of `bytes`, in the file
        GgufType type = GgufType::UInt8;
        GgufType elementType = GgufType::UInt8;
        std::size_t size = 1;
        std::span<const std::byte> bytes; ///< without the type and the number of elements
    };
    explicit GgufValue(Place place)
        : m_place(std::move(place))
    {
    }

    [[nodiscard]] std::string_view name() const { return m_place.name; }
    /// Of its bytes in the file, for errors.
    [[nodiscard]] std::size_t offset() const { return m_place.offset; }
    [[nodiscard]] GgufType type() const { return m_place.type; }
    /// Of the elements of a list, which are no lists; type() of any other value.
    [[nodiscard]] GgufType elementType() const { return m_place.elementType; }
    /// Elements of a list; 1 for any other value.
    [[nodiscard]] std::size_t size() const { return m_place.size; }

    /// Of any of the eight integer types, at most 2^63-1. Files use several for one meaning.
    [[nodiscard]] Expected<std::int64_t> integer() const;
    /// Of any integer or float type; 64-bit integers are rounded.
    [[nodiscard]] Expected<double> number() const;
    [[nodiscard]] Expected<bool> boolean() const;
    /// The bytes of the file, which need not be UTF-8.
    [[nodiscard]] Expected<std::string_view> text() const;

    /// The same of every element of a list; a value that is no list is an error.
    [[nodiscard]] Expected<std::vector<std::int64_t>> integers() const;
    [[nodiscard]] Expected<std::vector<double>> numbers() const;
    [[nodiscard]] Expected<std::vector<bool>> booleans() const;
    [[nodiscard]] Expected<std::vector<std::string_view>> texts() const;

    /// For people: the value, or the first elements of a list and how many there are.
    [[nodiscard]] std::string toString() const;

private:
    template <typename Result, typename Read>
    [[nodiscard]] Expected<std::vector<Result>> elements(std::string_view wanted, Read read) const;
    [[nodiscard]] tl::unexpected<Error> refuse(const std::string& wanted) const;

    Place m_place;
};

/// The values of a file in its order, and by name. Immutable.
class GgufMetadata {
public:
    /// @param values  no two of one name.
    GgufMetadata(std::string file, std::vector<GgufValue> values);

    [[nodiscard]] const std::vector<GgufValue>& values() const { return m_values; }
    /// Null when there is none of that name.
    [[nodiscard]] const GgufValue* find(std::string_view name) const;
    /// For what must be there: `metadata.value("general.architecture").and_then(&GgufValue::text)`.
    /// @return Code::NotFound with the name.
    [[nodiscard]] Expected<GgufValue> value(std::string_view name) const;

private:
    std::string m_file;
    std::vector<GgufValue> m_values;
    std::unordered_map<std::string_view, std::size_t> m_index;
};

/// The metadata of @p file, or null when it is no GGUF file. Valid while @p file lives.
[[nodiscard]] const GgufMetadata* ggufMetadata(const ArrayFile& file);

} // namespace heed
