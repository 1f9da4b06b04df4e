// What of a text a model does not see.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/tokenizerfile.h"

#include <span>

namespace heed {

/// Parts of texts.
struct TextParts {
    std::int64_t count = 0;
    std::vector<std::string> first; ///< the first of them, each once
};

struct UnseenText {
    TextParts unknown; ///< became the token for what has no piece
    TextParts leftOut; ///< became nothing; white space, controls and invisible marks do not count
};

/// @param most  how many different parts are kept of each kind; all are counted.
/// @return a text that the tokenizer refuses counts for nothing. A token such as "[UNK]" that a
/// text holds literally is not unknown.
/// @complexity that of VocabularyTokenizer::encodeTexts() for each text.
[[nodiscard]] UnseenText unseenText(const VocabularyTokenizer& tokenizer,
                                    std::span<const std::string> texts, std::size_t most = 5);

} // namespace heed
