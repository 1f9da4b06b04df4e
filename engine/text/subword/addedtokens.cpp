// Tokens that are found in the text itself, before the model sees it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/addedtokens.h"

#include "text/nearestname.h"
#include "text/subword/unicodeforms.h"
#include "text/unicode.h"

#include <algorithm>

namespace heed::detail {
namespace {

/// Where the character before @p position begins.
std::size_t characterBefore(std::string_view text, std::size_t position)
{
    do {
        --position;
    } while (position > 0 && (static_cast<unsigned char>(text[position]) & 0xC0U) == 0x80U);
    return position;
}

char32_t characterAt(std::string_view text, std::size_t position)
{
    return nextCodePoint(text, position);
}

bool standsAlone(std::string_view text, std::size_t begin, std::size_t end)
{
    const bool left =
        begin == 0 || !isWordCharacter(characterAt(text, characterBefore(text, begin)));
    return left && (end == text.size() || !isWordCharacter(characterAt(text, end)));
}

} // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, const Normalizer* normalizer)
    : m_tokens(std::move(tokens))
{
    // Special tokens are looked for first, whatever their order in the file: equal texts are
    // possible once they are normalized.
    std::stable_partition(m_tokens.begin(), m_tokens.end(),
                          [](const AddedToken& token) { return token.special; });
    for (std::size_t i = 0; i < m_tokens.size(); ++i) {
        const AddedToken& token = m_tokens[i];
        m_byId.insert_or_assign(token.id, i);
        Matcher& matcher = token.normalized ? m_normalized : m_raw;
        AlignedText text(token.content);
        if (token.normalized && normalizer != nullptr) {
            normalizer->apply(text);
        }
        matcher.texts.emplace_back(text.text());
        matcher.tokens.push_back(i);
    }
    build(m_raw);
    build(m_normalized);
}

void AddedTokens::build(Matcher& matcher)
{
    std::vector<std::pair<std::string_view, std::uint32_t>> pieces;
    // Backwards: of equal texts the first counts.
    for (std::size_t i = matcher.texts.size(); i > 0; --i) {
        pieces.emplace_back(matcher.texts[i - 1], static_cast<std::uint32_t>(i - 1));
    }
    matcher.trie = PieceTrie(std::move(pieces));
}

std::vector<Part> AddedTokens::split(std::string_view line, const Normalizer* normalizer) const
{
    std::vector<Part> raw;
    cut(AlignedText(line), m_raw, raw);
    std::vector<Part> parts;
    for (Part& part : raw) {
        if (part.token) {
            parts.push_back(std::move(part));
            continue;
        }
        if (normalizer != nullptr) {
            normalizer->apply(part.text);
        }
        cut(std::move(part.text), m_normalized, parts);
    }
    return parts;
}

void AddedTokens::cut(AlignedText text, const Matcher& matcher, std::vector<Part>& parts) const
{
    const std::string_view all = text.text();
    std::size_t kept = 0; ///< everything before it is in parts
    for (std::size_t position = 0; position < all.size() && !matcher.texts.empty();) {
        std::size_t length = 0;
        std::uint32_t found = 0;
        matcher.trie.forEachPrefix(all.substr(position), [&](std::size_t n, std::uint32_t which) {
            length = n;
            found = which;
        });
        if (length == 0) {
            position += characterBytes(all, position);
            continue;
        }
        const AddedToken& token = m_tokens[matcher.tokens[found]];
        std::size_t begin = position;
        std::size_t end = position + length;
        position = end;
        if (token.singleWord && !standsAlone(all, begin, end)) {
            continue;
        }
        while (token.stripLeft && begin > kept) {
            const std::size_t before = characterBefore(all, begin);
            if (!isWhiteSpace(characterAt(all, before))) {
                break;
            }
            begin = before;
        }
        begin = std::max(begin, kept);
        while (token.stripRight && end < all.size() && isWhiteSpace(characterAt(all, end))) {
            end += characterBytes(all, end);
        }
        if (kept < begin) {
            parts.push_back({text.slice(kept, begin), {}});
        }
        parts.push_back({text.slice(begin, end), token.id});
        kept = end;
        position = std::max(position, kept);
    }
    if (kept == 0 && !text.empty()) {
        parts.push_back({std::move(text), {}});
    } else if (kept < all.size()) {
        parts.push_back({text.slice(kept, all.size()), {}});
    }
}

const AddedToken* AddedTokens::find(std::uint32_t id) const
{
    const auto at = m_byId.find(id);
    return at == m_byId.end() ? nullptr : &m_tokens[at->second];
}

std::optional<std::uint32_t> AddedTokens::find(std::string_view content) const
{
    const auto at = std::ranges::find(
        m_tokens, content, [](const AddedToken& token) { return std::string_view(token.content); });
    return at == m_tokens.end() ? std::nullopt : std::optional(at->id);
}

std::int64_t AddedTokens::size() const
{
    std::int64_t size = 0;
    for (const AddedToken& token : m_tokens) {
        size = std::max(size, std::int64_t{token.id} + 1);
    }
    return size;
}

std::vector<AddedToken> readAddedTokens(const Settings& settings, const Vocabulary& vocabulary)
{
    std::vector<AddedToken> tokens;
    for (const Settings& item : settings.items()) {
        AddedToken token{item.at("content").text(), item.at("id").id()};
        token.special = item.flag("special", false);
        token.singleWord = item.flag("single_word", false);
        token.stripLeft = item.flag("lstrip", false);
        token.stripRight = item.flag("rstrip", false);
        token.normalized = item.flag("normalized", !token.special);
        if (token.content.empty()) {
            continue;
        }
        if (const auto known = vocabulary.find(token.content); known && *known != token.id) {
            item.refuse("gives " + inQuotes(token.content, 40) + " the number " +
                        std::to_string(token.id) + ", but in the vocabulary it is " +
                        std::to_string(*known) + ".");
        }
        tokens.push_back(std::move(token));
    }
    return tokens;
}

} // namespace heed::detail
