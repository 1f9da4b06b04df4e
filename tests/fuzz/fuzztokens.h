// What every tokenizer must keep, whatever file it came from.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "fuzztarget.h"
#include "heed/tokenizerfile.h"

#include <algorithm>
#include <string_view>

namespace heed::fuzz {

/// Uses @p tokenizer, if there is one, on a few lines.
inline void tokenizeLines(const Expected<VocabularyTokenizerPtr>& tokenizer)
{
    if (!tokenizer) {
        require(!tokenizer.error().message.empty(), "an error without words");
        return;
    }
    for (const std::string_view line : {"", " ", "a b", "The cat's 42  mats.\n",
                                        "e\u0301 \u4F60 \U0001F999 \uAC01", "<s>ab</s>"}) {
        const auto encoding =
            (*tokenizer)->encodeTexts(line, std::string_view("a"), SpecialTokens::Add, 1000);
        if (!encoding) {
            require(!encoding.error().message.empty(), "an error without words");
            continue;
        }
        require(encoding->tokens.size() == encoding->segments.size(), "a segment for each token");
        for (const Token& token : encoding->tokens) {
            require(token.begin >= 0 && token.begin <= token.end, "a range");
            require(token.end <= static_cast<std::int64_t>(std::max<std::size_t>(line.size(), 1)),
                    "a range of one of the lines");
            require(!displayText(token).empty() || token.text.empty(), "a token can be shown");
        }
    }
}

} // namespace heed::fuzz
