// What of a text a model does not see.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/unseentext.h"

#include "text/unicode.h"

#include <algorithm>

namespace heed::detail {
namespace {

void add(TextParts& parts, std::string_view part, std::size_t most)
{
    ++parts.count;
    if (parts.first.size() < most && std::ranges::find(parts.first, part) == parts.first.end()) {
        parts.first.emplace_back(part);
    }
}

/// Whether a reader would miss it.
bool isSeen(char32_t c)
{
    return !isWhiteSpace(c) && !isControl(c) && !isIgnorable(c);
}

/// The visible characters of @p gap, each run of them a part.
void addLeftOut(TextParts& parts, std::string_view gap, std::size_t most)
{
    std::size_t begin = gap.npos;
    for (std::size_t position = 0; position < gap.size();) {
        const std::size_t at = position;
        const bool seen = isSeen(nextCodePoint(gap, position));
        if (seen && begin == gap.npos) {
            begin = at;
        }
        if (!seen && begin != gap.npos) {
            add(parts, gap.substr(begin, at - begin), most);
            begin = gap.npos;
        }
    }
    if (begin != gap.npos) {
        add(parts, gap.substr(begin), most);
    }
}

std::string quoted(const TextParts& parts)
{
    std::string list;
    for (const std::string& part : parts.first) {
        list += (list.empty() ? "'" : ", '") + displayText({.text = part}) + "'";
    }
    return parts.count > std::ssize(parts.first) ? list + ", …" : list;
}

} // namespace

void addUnseen(UnseenText& unseen, const VocabularyTokenizer& tokenizer, std::string_view text,
               std::span<const Token> tokens, std::size_t most)
{
    const auto unknown = tokenizer.unknown();
    std::size_t at = 0;
    for (const Token& token : tokens) {
        const auto begin = static_cast<std::size_t>(token.begin);
        const auto end = static_cast<std::size_t>(token.end);
        if (begin > at) {
            addLeftOut(unseen.leftOut, text.substr(at, begin - at), most);
        }
        at = std::max(at, end);
        const std::string_view part = text.substr(begin, end - begin);
        if (token.id == unknown && !part.empty() && part != tokenizer.piece(token.id)) {
            add(unseen.unknown, part, most);
        }
    }
    addLeftOut(unseen.leftOut, text.substr(at), most);
}

std::vector<std::string> notesOn(const UnseenText& unseen, const VocabularyTokenizer& tokenizer)
{
    const auto& [unknown, leftOut] = unseen;
    std::vector<std::string> notes;
    if (unknown.count > 0) {
        notes.push_back(std::to_string(unknown.count) +
                        (unknown.count == 1 ? " token is " : " tokens are ") +
                        std::string(tokenizer.piece(*tokenizer.unknown())) +
                        ", as the vocabulary has no piece for " + quoted(unknown));
    }
    if (leftOut.count > 0) {
        notes.push_back("the tokenizer of this model leaves out " + quoted(leftOut));
    }
    return notes;
}

} // namespace heed::detail
