// Small pieces of text: as several formats hold them, and as error messages show them.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::detail {

using TextMap = std::vector<std::pair<std::string, std::string>>;

/// {"name":"value",…} in the order given.
[[nodiscard]] std::string textMapToJson(const TextMap& map);

/// [["I","like"],["Hi"]].
[[nodiscard]] std::string textListsToJson(const std::vector<std::vector<std::string>>& lists);

/// An object of texts, as textMapToJson() writes it; members that are not text are ignored.
/// @return Code::BadFormat when it is not a JSON object.
[[nodiscard]] Expected<TextMap> parseTextMap(std::string_view text, const std::string& where);

using TextLists = std::vector<std::vector<std::string>>;

/// Lists of texts as textListsToJson() writes them; nothing when @p text is anything else.
[[nodiscard]] std::optional<TextLists> parseTextLists(std::string_view text);

/// Code points of @p text; what is not UTF-8 becomes U+FFFD.
[[nodiscard]] std::u32string decodeUtf8(std::string_view text);

/// The reverse; what is no character becomes U+FFFD.
[[nodiscard]] std::string encodeUtf8(std::u32string_view points);

[[nodiscard]] bool isUtf8(std::string_view text);

} // namespace heed::detail
