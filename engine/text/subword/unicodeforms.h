// Unicode as the `tokenizers` package knows it: normal forms, case and categories.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The package looks things up in tables of different ages, and a character that is younger than the
// table has no category and no decomposition. The same is said here, or vocabularies would be
// entered at the wrong place.
#pragma once

#include "text/subword/alignedtext.h"

#include <string_view>
#include <vector>

namespace heed::detail {

enum class NormalForm { Nfc, Nfd, Nfkc, Nfkd };

/// @p text, valid UTF-8, in the normal form, for AlignedText::transform(). ICU's data is part of
/// the library; where it is missing all the same, nothing is changed.
[[nodiscard]] std::vector<Change> normalForm(std::string_view text, NormalForm form);

/// Lower case by character, without a look at its neighbours: a final sigma is none.
[[nodiscard]] std::vector<Change> lowerCase(std::string_view text);

/// What BERT cleans away: control, format and private use characters.
[[nodiscard]] bool isOther(char32_t c);
/// Category Mn, the marks that BERT strips.
[[nodiscard]] bool isNonspacingMark(char32_t c);
/// Category M, the marks that StripAccents strips.
[[nodiscard]] bool isCombiningMark(char32_t c);
/// ASCII symbols and category P.
[[nodiscard]] bool isPunctuationOrSymbol(char32_t c);
/// Category N.
[[nodiscard]] bool isNumeric(char32_t c);
/// \w of a regular expression: letters, marks, decimal digits, connectors, joiners.
[[nodiscard]] bool isWordCharacter(char32_t c);

} // namespace heed::detail
