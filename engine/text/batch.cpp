// Lines to one padded batch, and tokens as people read them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/text.h"
#include "text/tokenid.h"
#include "text/unicode.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <new>

namespace heed {
namespace {

constexpr std::string_view paddingText = "<pad>";
// About 1.5 GB of tokens; more is a mistyped number, not a batch somebody looks at.
constexpr std::int64_t mostTokens = std::int64_t{1} << 24;

Token paddingToken(std::int64_t position)
{
    return {.text = std::string(paddingText),
            .id = detail::tokenId(paddingText),
            .begin = position,
            .end = position,
            .isPadding = true,
            .isSpecial = true};
}

std::string counted(std::int64_t count, const std::string& what)
{
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

void pad(std::vector<Token>& tokens, PadSide side, std::int64_t length, std::int64_t lineBytes)
{
    const auto missing =
        static_cast<std::size_t>(length - static_cast<std::int64_t>(tokens.size()));
    if (side == PadSide::Right) {
        tokens.insert(tokens.end(), missing, paddingToken(lineBytes));
    } else {
        tokens.insert(tokens.begin(), missing, paddingToken(0));
    }
}

/// Memory is refused by the number of tokens, so that none has to be made to know.
Expected<void> checkTokens(std::int64_t count, const Execution& execution)
{
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(Token));
    return checkMemory(count > std::numeric_limits<std::int64_t>::max() / bytes
                           ? std::numeric_limits<std::int64_t>::max()
                           : count * bytes,
                       "The list of tokens", execution, "give less text or a smaller --pad-to");
}

Expected<Batch> buildBatch(const std::vector<std::string>& lines, const Tokenizer& tokenizer,
                           PadSide side, std::int64_t padTo, const Execution& execution)
{
    const std::int64_t budget =
        execution.memoryBudget > 0
            ? execution.memoryBudget / static_cast<std::int64_t>(sizeof(Token))
            : mostTokens;
    std::int64_t made = 0;
    if (lines.empty()) {
        return fail(Code::InvalidArgument,
                    "There is no text. Give at least one line; every line is one batch item.");
    }
    if (padTo < 0) {
        return fail(Code::InvalidArgument, "Padding to " + std::to_string(padTo) +
                                               " tokens is impossible. Give 0 to pad to the "
                                               "longest line, or a number of tokens.");
    }
    Batch batch;
    batch.padSide = side;
    std::size_t longestLine = 0;
    for (std::size_t line = 0; line < lines.size(); ++line) {
        const std::string place = "line " + std::to_string(line + 1);
        auto tokens = tokenizer.encode(lines[line], std::min(mostTokens, budget) - made);
        if (!tokens && tokens.error().code == Code::OutOfMemory && budget < mostTokens) {
            // More than the budget, of which only that much is known.
            return tl::unexpected(checkTokens(budget + 1, execution).error());
        }
        if (!tokens) {
            Error error = std::move(tokens).error();
            error.context = place + (error.context.empty() ? "" : ", ") + error.context;
            return tl::unexpected<Error>(std::move(error));
        }
        if (tokens->empty()) {
            return fail(Code::InvalidArgument,
                        "Line " + std::to_string(line + 1) + " of " + std::to_string(lines.size()) +
                            " holds no token: it is " +
                            (lines[line].empty() ? "empty" : "white space only") +
                            ". Every batch item needs at least one token; remove the line or "
                            "write in it.",
                        place);
        }
        batch.lengths.push_back(static_cast<std::int64_t>(tokens->size()));
        made += batch.lengths.back();
        if (batch.lengths.back() > batch.length) {
            batch.length = batch.lengths.back();
            longestLine = line;
        }
        batch.items.push_back(std::move(*tokens));
    }
    if (padTo != 0 && padTo < batch.length) {
        return fail(Code::InvalidArgument,
                    "Padding to " + counted(padTo, "token") + " would cut line " +
                        std::to_string(longestLine + 1) + ", which has " +
                        counted(batch.length, "token") + ". Pad to at least " +
                        std::to_string(batch.length) + ", or give 0 to pad to the longest line.",
                    "line " + std::to_string(longestLine + 1));
    }
    batch.length = std::max(batch.length, padTo);
    if (batch.length > mostTokens / batch.size()) {
        return fail(Code::OutOfMemory,
                    counted(batch.size(), "line") + " padded to " + counted(batch.length, "token") +
                        " are more than the " + std::to_string(mostTokens) +
                        " tokens a batch may have. Pad to at most " +
                        std::to_string(mostTokens / batch.size()) + ", or use fewer lines.");
    }
    if (auto fits = checkTokens(batch.size() * batch.length, execution); !fits) {
        return tl::unexpected(fits.error());
    }
    for (std::size_t item = 0; item < batch.items.size(); ++item) {
        pad(batch.items[item], side, batch.length, static_cast<std::int64_t>(lines[item].size()));
    }
    return batch;
}

void appendEscaped(std::string& text, char32_t c)
{
    char digits[16];
    std::snprintf(digits, sizeof digits, "%02X", static_cast<unsigned>(c));
    text += "‹";
    text += digits;
    text += "›";
}

} // namespace

Expected<Batch> makeBatch(const std::vector<std::string>& lines, const Tokenizer& tokenizer,
                          PadSide side, std::int64_t padTo, const Execution& execution)
{
    try {
        return buildBatch(lines, tokenizer, side, padTo, execution);
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory,
                    "There is no memory for the tokens of " +
                        counted(static_cast<std::int64_t>(lines.size()), "line") +
                        ". Use fewer or shorter lines.");
    }
}

std::string displayText(const Token& token)
{
    constexpr int most = 200;
    const std::string_view text = token.text;
    if (!detail::checkUtf8(text)) {
        // Part of a character, perhaps with a space or a letter before it.
        std::string escaped;
        for (const char c : text.substr(0, most)) {
            if (c == ' ') {
                escaped += "␣";
            } else if (c > ' ' && c < '\x7F') {
                escaped += c;
            } else {
                appendEscaped(escaped, static_cast<unsigned char>(c));
            }
        }
        return text.size() > most ? escaped + "…" : escaped;
    }
    std::string shown;
    // A joiner inside an emoji must stay; a token of nothing but joiners must be seen.
    bool anyVisible = false;
    for (std::size_t position = 0; position < text.size();) {
        const char32_t c = detail::nextCodePoint(text, position);
        anyVisible = anyVisible || !(detail::isIgnorable(c) || detail::isControl(c));
    }
    int characters = 0;
    for (std::size_t position = 0; position < text.size();) {
        if (characters++ == most) {
            return shown + "…";
        }
        const std::size_t begin = position;
        const char32_t c = detail::nextCodePoint(text, position);
        if (c == U' ') {
            shown += "␣";
        } else if (c == U'\n') {
            shown += "⏎";
        } else if (c == U'\t') {
            shown += "⇥";
        } else if (detail::isControl(c) || (!anyVisible && detail::isIgnorable(c)) ||
                   detail::isWhiteSpace(c)) {
            appendEscaped(shown, c);
        } else {
            shown += text.substr(begin, position - begin);
        }
    }
    return shown;
}

} // namespace heed
