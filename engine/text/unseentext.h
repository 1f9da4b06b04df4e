// What of a text a model does not see.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/tokenizerfile.h"

#include <span>

namespace heed::detail {

/// Parts of texts.
struct TextParts {
    std::int64_t count = 0;
    std::vector<std::string> first; ///< the first of them, each once
};

struct UnseenText {
    TextParts unknown; ///< became the token for what has no piece
    TextParts leftOut; ///< became nothing; white space, controls and invisible marks do not count
};

/// Adds what of @p text does not come back in its tokens. A token such as "[UNK]" that a text holds
/// literally is not unknown.
/// @param tokens  of the text, as encodeTexts() gives them; those put around it may be among them.
/// @param most  how many different parts are kept of each kind; all are counted.
/// @complexity O(tokens + bytes).
void addUnseen(UnseenText& unseen, const VocabularyTokenizer& tokenizer, std::string_view text,
               std::span<const Token> tokens, std::size_t most = 5);

/// The same for people; nothing where everything is seen.
[[nodiscard]] std::vector<std::string> notesOn(const UnseenText& unseen,
                                               const VocabularyTokenizer& tokenizer);

} // namespace heed::detail
