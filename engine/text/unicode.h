// UTF-8 text cut at Unicode boundaries; this and unicodeforms are the only places that see ICU.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace heed::detail {

enum class Boundary { Word, Grapheme };

/// Refuses text that is not UTF-8.
/// @return Code::BadFormat with the offset of the first wrong byte.
[[nodiscard]] Expected<void> checkUtf8(std::string_view text);

/// Calls @p piece with every [begin, end) byte range between two boundaries, in order.
/// @param text valid UTF-8 of less than 2^31 bytes.
/// @return Code::InvalidArgument for a longer text, Code::Internal when ICU's data is missing.
[[nodiscard]] Expected<void>
splitAt(Boundary boundary, std::string_view text,
        const std::function<void(std::size_t begin, std::size_t end)>& piece);

/// The code point at @p position, which is moved behind it. @p text is valid UTF-8.
char32_t nextCodePoint(std::string_view text, std::size_t& position);

/// Adds @p c, which is no surrogate, to @p text.
void appendCodePoint(std::string& text, char32_t c);

[[nodiscard]] bool isWhiteSpace(char32_t c);
/// Chinese characters, hiragana and katakana: scripts written without spaces between words.
[[nodiscard]] bool isCjk(char32_t c);
/// A mark that belongs to the character before it.
[[nodiscard]] bool extendsCharacter(char32_t c);
/// General category P: dashes, brackets, quotes, full stops and so on.
[[nodiscard]] bool isPunctuation(char32_t c);
/// Control characters, and the marks that reorder text around them.
[[nodiscard]] bool isControl(char32_t c);
/// Has no picture of its own: joiners, variation selectors, zero width space and so on.
[[nodiscard]] bool isIgnorable(char32_t c);

} // namespace heed::detail
