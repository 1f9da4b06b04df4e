// What of a text a model does not see.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/unseentext.h"

#include "text/unicode.h"

#include <algorithm>

namespace heed {
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
    return !detail::isWhiteSpace(c) && !detail::isControl(c) && !detail::isIgnorable(c);
}

/// The visible characters of @p gap, each run of them a part.
void addLeftOut(TextParts& parts, std::string_view gap, std::size_t most)
{
    std::size_t begin = gap.npos;
    for (std::size_t position = 0; position < gap.size();) {
        const std::size_t at = position;
        const bool seen = isSeen(detail::nextCodePoint(gap, position));
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

} // namespace

UnseenText unseenText(const VocabularyTokenizer& tokenizer, std::span<const std::string> texts,
                      std::size_t most)
{
    UnseenText unseen;
    const auto unknown = tokenizer.unknown();
    for (const std::string& text : texts) {
        const auto encoding = tokenizer.encodeTexts(text, std::nullopt, SpecialTokens::LeaveOut);
        if (!encoding) {
            continue;
        }
        const std::string_view line = text;
        std::size_t at = 0;
        for (const Token& token : encoding->tokens) {
            const auto begin = static_cast<std::size_t>(token.begin);
            const auto end = static_cast<std::size_t>(token.end);
            if (begin > at) {
                addLeftOut(unseen.leftOut, line.substr(at, begin - at), most);
            }
            at = std::max(at, end);
            const std::string_view part = line.substr(begin, end - begin);
            if (token.id == unknown && !part.empty() && part != tokenizer.piece(token.id)) {
                add(unseen.unknown, part, most);
            }
        }
        addLeftOut(unseen.leftOut, line.substr(at), most);
    }
    return unseen;
}

} // namespace heed
