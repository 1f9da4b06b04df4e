// What a token is besides text.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/text.h"
#include "text/unicode.h"

#include <algorithm>
#include <array>

namespace heed {

namespace {

// The spellings of BERT, RoBERTa, T5, GPT-2, Llama, Gemma and their relatives.
constexpr std::array<std::string_view, 11> Ends = {
    "[SEP]",   "[EOS]",      "</s>",       "<sep>",           "<eos>",        "<|endoftext|>",
    "<|end|>", "<|eot_id|>", "<|im_end|>", "<|end_of_text|>", "<end_of_turn>"};
constexpr std::array<std::string_view, 9> Beginnings = {
    "[CLS]",          "[BOS]",           "<s>",          "<cls>",
    "<bos>",          "<|startoftext|>", "<|im_start|>", "<|begin_of_text|>",
    "<start_of_turn>"};

bool contains(const auto& names, std::string_view text)
{
    return std::ranges::find(names, text) != names.end();
}

} // namespace

bool isDelimiter(const Token& token)
{
    if (token.isPadding) {
        return false;
    }
    if (contains(Ends, token.text)) {
        return true;
    }
    bool hasPunctuation = false;
    for (std::size_t position = 0; position < token.text.size();) {
        const char32_t c = detail::nextCodePoint(token.text, position);
        const bool isWordMark = c == U'\u0120' || c == U'\u2581' || detail::isWhiteSpace(c);
        if (!hasPunctuation && isWordMark) {
            continue;
        }
        if (!detail::isPunctuation(c)) {
            return false;
        }
        hasPunctuation = true;
    }
    return hasPunctuation;
}

bool isSpecialSymbol(const Token& token)
{
    return token.isSpecial || token.isPadding || contains(Ends, token.text) ||
           contains(Beginnings, token.text);
}

} // namespace heed
