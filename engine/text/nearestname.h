// The known name a mistyped one was probably meant to be.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heed::detail {

/// The entry of @p known closest to @p name by edit distance (swapped neighbours count once, case
/// is ignored), or "" when none is close enough to be a slip of the fingers.
[[nodiscard]] std::string_view nearestName(std::string_view name,
                                           std::span<const std::string_view> known);

/// "a, b, c".
[[nodiscard]] std::string listNames(std::span<const std::string_view> known);

/// @p text in single quotation marks, at most @p limit bytes of it, so that hostile input cannot
/// fill an error message. Cut between characters; control bytes become '?'.
[[nodiscard]] std::string inQuotes(std::string_view text, std::size_t limit = 40);

} // namespace heed::detail
