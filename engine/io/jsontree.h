// A whole JSON text in memory, with the place of every value.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heed::detail {

struct JsonMember;

struct JsonValue {
    using Array = std::vector<JsonValue>;
    using Object = std::vector<JsonMember>; ///< in the order of the file
    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array,
                 Object>
        value;              ///< std::monostate: null; std::int64_t: below zero
    std::size_t offset = 0; ///< near where in the text it begins

    [[nodiscard]] bool isNull() const { return std::holds_alternative<std::monostate>(value); }
    /// The member @p name of an object; null when this is no object or has no such member.
    [[nodiscard]] const JsonValue* find(std::string_view name) const;
};

struct JsonMember {
    std::string name;
    JsonValue value;
};

/// @param where  file, for the error; @p base  where the text begins in it.
/// @return Code::BadFormat: what parseJson() refuses, or an object that has a member twice.
[[nodiscard]] Expected<JsonValue> readJsonTree(std::string_view text, const std::string& where,
                                               std::size_t base = 0);

} // namespace heed::detail
