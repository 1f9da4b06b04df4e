// The two tokenizers that need no vocabulary: words and characters.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/text.h"
#include "text/nearestname.h"
#include "text/tokenid.h"
#include "text/unicode.h"

#include <array>
#include <new>

namespace heed {
namespace {

constexpr std::array<std::string_view, 2> tokenizerNames = {"words", "chars"};

/// Thrown out of the middle of a line.
struct TooManyTokens {};

/// The tokens of a line, and no more than wanted.
struct Tokens {
    std::vector<Token> list;
    std::int64_t most = 0;
};

void append(Tokens& tokens, std::string_view line, std::size_t begin, std::size_t end)
{
    if (begin == end) {
        return;
    }
    if (std::ssize(tokens.list) >= tokens.most) {
        throw TooManyTokens();
    }
    const std::string_view piece = line.substr(begin, end - begin);
    tokens.list.push_back({.text = std::string(piece),
                           .id = detail::tokenId(piece),
                           .begin = static_cast<std::int64_t>(begin),
                           .end = static_cast<std::int64_t>(end)});
}

/// Splits and translates what ICU or the allocator throws at us.
template <typename Split>
Expected<std::vector<Token>> tokensOf(std::string_view line, std::int64_t most, const Split& split)
{
    try {
        Tokens tokens{{}, most};
        return detail::checkUtf8(line).and_then([&] { return split(tokens); }).map([&] {
            return std::move(tokens.list);
        });
    } catch (const TooManyTokens&) {
        return fail(Code::OutOfMemory,
                    "The line has more than " + std::to_string(most) + " tokens.");
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory for the tokens of a line of " +
                                           std::to_string(line.size()) + " bytes.");
    }
}

class WordTokenizer final : public Tokenizer {
public:
    std::string_view name() const override { return tokenizerNames[0]; }

    Expected<std::vector<Token>> encode(std::string_view line, std::int64_t most) const override
    {
        return tokensOf(line, most, [line](Tokens& tokens) {
            return detail::splitAt(
                detail::Boundary::Word, line,
                [&](std::size_t begin, std::size_t end) { addWord(tokens, line, begin, end); });
        });
    }

private:
    static void addWord(Tokens& tokens, std::string_view line, std::size_t begin, std::size_t end);
};

/// One piece between word boundaries, with two things ICU does to the standard's rules undone,
/// because they differ from version to version: it joins Chinese characters and kana to dictionary
/// words, and some versions take @ for a letter. Marks stay with the character they follow.
void WordTokenizer::addWord(Tokens& tokens, std::string_view line, std::size_t begin,
                            std::size_t end)
{
    std::size_t position = begin;
    std::size_t start = begin;
    bool inSpace = true;
    bool afterSingle = false;
    while (position < end) {
        const std::size_t here = position;
        const char32_t c = detail::nextCodePoint(line, position);
        if (inSpace && detail::isWhiteSpace(c)) {
            start = position;
            continue;
        }
        inSpace = false;
        if (detail::extendsCharacter(c)) {
            continue;
        }
        const bool single = c == U'@' || detail::isCjk(c);
        if (single || afterSingle) {
            append(tokens, line, start, here);
            start = here;
        }
        afterSingle = single;
    }
    append(tokens, line, start, end);
}

class CharacterTokenizer final : public Tokenizer {
public:
    std::string_view name() const override { return tokenizerNames[1]; }

    Expected<std::vector<Token>> encode(std::string_view line, std::int64_t most) const override
    {
        return tokensOf(line, most, [line](Tokens& tokens) {
            return detail::splitAt(
                detail::Boundary::Grapheme, line,
                [&](std::size_t begin, std::size_t end) { append(tokens, line, begin, end); });
        });
    }
};

} // namespace

Expected<std::shared_ptr<const Tokenizer>> makeTokenizer(std::string_view name)
{
    if (name == tokenizerNames[0]) {
        return std::make_shared<const WordTokenizer>();
    }
    if (name == tokenizerNames[1]) {
        return std::make_shared<const CharacterTokenizer>();
    }
    const std::string_view nearest = detail::nearestName(name, tokenizerNames);
    return fail(
        Code::InvalidArgument,
        "There is no tokenizer " + detail::inQuotes(name) + ". " +
            (nearest.empty() ? std::string() : "Did you mean '" + std::string(nearest) + "'? ") +
            "Known tokenizers: " + detail::listNames(tokenizerNames) + ".",
        "tokenizer");
}

} // namespace heed
