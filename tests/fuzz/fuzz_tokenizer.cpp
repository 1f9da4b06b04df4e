// Fuzzes the reader of tokenizer.json, and what it read on a few lines.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzztarget.h"

#include "heed/tokenizerfile.h"

#include <algorithm>
#include <string_view>

namespace {

void fuzz(std::span<const std::byte> input)
{
    const std::string_view json(reinterpret_cast<const char*>(input.data()), input.size());
    const auto tokenizer = heed::readTokenizerJson(json, "input");
    if (!tokenizer) {
        heed::fuzz::require(!tokenizer.error().message.empty(), "an error without words");
        return;
    }
    for (const std::string_view line : {"", " ", "a b", "The cat's 42  mats.\n",
                                        "e\u0301 \u4F60 \U0001F999 \uAC01", "<s>ab</s>"}) {
        const auto encoding =
            (*tokenizer)->encodeTexts(line, std::string_view("a"), heed::SpecialTokens::Add, 1000);
        if (!encoding) {
            heed::fuzz::require(!encoding.error().message.empty(), "an error without words");
            continue;
        }
        heed::fuzz::require(encoding->tokens.size() == encoding->segments.size(),
                            "a segment for each token");
        for (const heed::Token& token : encoding->tokens) {
            heed::fuzz::require(token.begin >= 0 && token.begin <= token.end, "a range");
            heed::fuzz::require(
                token.end <= static_cast<std::int64_t>(std::max<std::size_t>(line.size(), 1)),
                "a range of one of the lines");
            heed::fuzz::require(!heed::displayText(token).empty() || token.text.empty(),
                                "a token can be shown");
        }
    }
}

} // namespace

HEED_FUZZ_TARGET(tokenizer, fuzz)
