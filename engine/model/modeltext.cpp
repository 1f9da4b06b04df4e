// What a model runs on: the text or the ids of a source as padded tokens.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/modeltext.h"

#include "text/unseentext.h"

#include <algorithm>

namespace heed {

namespace {

constexpr std::int64_t MostTokens = std::int64_t{1} << 24;

std::int64_t sizeOf(const auto& list)
{
    return static_cast<std::int64_t>(list.size());
}

std::string placeOf(std::size_t line)
{
    return "line " + std::to_string(line + 1);
}

/// Memory is refused by the number of tokens, before they are made.
Expected<void> checkTokens(double count, const Execution& execution)
{
    const double bytes = count * (sizeof(Token) + 2 * sizeof(std::int64_t));
    return checkMemory(static_cast<std::int64_t>(std::min(bytes, 0x1p62)), "The list of tokens",
                       execution, "give less text or a smaller --pad-to");
}

/// Tokens of one item, with the number of the text each is of.
Encoding idsAsTokens(const std::vector<std::int64_t>& ids, const VocabularyTokenizer* tokenizer)
{
    Encoding encoding;
    for (const std::int64_t id : ids) {
        // What is no id is told when the model looks at it.
        Token token;
        if (tokenizer != nullptr && id >= 0) {
            token = tokenizer->token(static_cast<std::uint64_t>(id));
        }
        token.id = static_cast<std::uint64_t>(id);
        if (token.text.empty()) {
            token.text = std::to_string(id);
        }
        encoding.tokens.push_back(std::move(token));
    }
    encoding.segments.resize(ids.size());
    return encoding;
}

Expected<std::vector<Encoding>>
encodeLines(const Source& source, const VocabularyTokenizer& tokenizer, const Execution& execution)
{
    if (!source.pairLines.empty() && source.pairLines.size() != source.lines.size()) {
        return fail(Code::InvalidArgument, "There are " + std::to_string(source.pairLines.size()) +
                                               " second texts for " +
                                               std::to_string(source.lines.size()) +
                                               " lines. Give one --text-pair for each --text.");
    }
    const SpecialTokens special =
        source.specialTokens ? SpecialTokens::Add : SpecialTokens::LeaveOut;
    std::vector<Encoding> encodings;
    std::int64_t made = 0;
    for (std::size_t line = 0; line < source.lines.size(); ++line) {
        const auto second = source.pairLines.empty()
                                ? std::nullopt
                                : std::optional<std::string_view>(source.pairLines[line]);
        auto encoding =
            tokenizer.encodeTexts(source.lines[line], second, special, MostTokens - made);
        if (!encoding) {
            Error error = std::move(encoding).error();
            error.context = placeOf(line) + (error.context.empty() ? "" : ", ") + error.context;
            return tl::unexpected<Error>(std::move(error));
        }
        made += sizeOf(encoding->tokens);
        if (auto fits = checkTokens(static_cast<double>(made), execution); !fits) {
            return tl::unexpected(fits.error());
        }
        encodings.push_back(std::move(*encoding));
    }
    return encodings;
}

/// What of the lines, and of their pairs, the tokens do not show.
std::vector<std::string> notesOn(const std::vector<Encoding>& encodings, const Source& source,
                                 const VocabularyTokenizer& tokenizer)
{
    detail::UnseenText ofLines;
    detail::UnseenText ofPairs;
    for (std::size_t line = 0; line < encodings.size(); ++line) {
        const std::span<const Token> tokens(encodings[line].tokens);
        const std::size_t second = encodings[line].second;
        detail::addUnseen(ofLines, tokenizer, source.lines[line], tokens.first(second));
        if (!source.pairLines.empty()) {
            detail::addUnseen(ofPairs, tokenizer, source.pairLines[line], tokens.subspan(second));
        }
    }
    std::vector<std::string> notes = detail::notesOn(ofLines, tokenizer);
    std::ranges::move(detail::notesOn(ofPairs, tokenizer), std::back_inserter(notes));
    return notes;
}

/// The length of every item once it is padded.
Expected<std::int64_t> paddedLength(const std::vector<Encoding>& encodings, const Source& source,
                                    const Execution& execution)
{
    std::int64_t longest = 0;
    for (std::size_t line = 0; line < encodings.size(); ++line) {
        const std::int64_t length = sizeOf(encodings[line].tokens);
        if (length == 0) {
            return fail(Code::InvalidArgument,
                        "This batch item holds no token. Write something in it, or remove it.",
                        placeOf(line));
        }
        longest = std::max(longest, length);
    }
    if (source.padTo != 0 && source.padTo < longest) {
        return fail(Code::InvalidArgument, "Padding to " + std::to_string(source.padTo) +
                                               " tokens would cut the longest line, which has " +
                                               std::to_string(longest) + ".");
    }
    longest = std::max(longest, source.padTo);
    const double all = static_cast<double>(longest) * static_cast<double>(encodings.size());
    if (all > static_cast<double>(MostTokens)) {
        return fail(Code::OutOfMemory, std::to_string(encodings.size()) + " lines padded to " +
                                           std::to_string(longest) + " tokens are more than the " +
                                           std::to_string(MostTokens) +
                                           " tokens a batch may have.");
    }
    if (auto fits = checkTokens(all, execution); !fits) {
        return tl::unexpected(fits.error());
    }
    return longest;
}

void insertPadding(auto& list, PadSide side, std::int64_t length, const auto& padding)
{
    const auto missing = static_cast<std::size_t>(length - sizeOf(list));
    list.insert(side == PadSide::Left ? list.begin() : list.end(), missing, padding);
}

} // namespace

Expected<ModelText> modelText(const Source& source, const ModelConfig& config,
                              const VocabularyTokenizer* tokenizer, const Execution& execution)
{
    ModelText made;
    std::vector<Encoding> encodings;
    if (source.ids.empty()) {
        auto encoded = encodeLines(source, *tokenizer, execution);
        if (!encoded) {
            return tl::unexpected(encoded.error());
        }
        encodings = std::move(*encoded);
        made.notes = notesOn(encodings, source, *tokenizer);
    } else {
        for (const auto& ids : source.ids) {
            encodings.push_back(idsAsTokens(ids, tokenizer));
        }
    }
    const auto length = paddedLength(encodings, source, execution);
    if (!length) {
        return tl::unexpected(length.error());
    }
    const bool isInVocabulary = config.paddingToken >= 0 && config.paddingToken < config.vocabulary;
    const std::int64_t paddingId = isInVocabulary ? config.paddingToken : 0;
    Token padding;
    padding.text = "<pad>";
    padding.id = static_cast<std::uint64_t>(paddingId);
    padding.isPadding = padding.isSpecial = true;

    made.batch.length = *length;
    made.batch.padSide = made.input.padSide = source.padSide;
    const bool hasTypes = config.tokenTypes > 1;
    for (Encoding& encoding : encodings) {
        made.batch.lengths.push_back(sizeOf(encoding.tokens));
        std::vector<std::int64_t>& ids = made.input.ids.emplace_back();
        for (const Token& token : encoding.tokens) {
            ids.push_back(static_cast<std::int64_t>(token.id));
        }
        insertPadding(ids, source.padSide, *length, paddingId);
        if (hasTypes) {
            auto& types =
                made.input.types.emplace_back(encoding.segments.begin(), encoding.segments.end());
            insertPadding(types, source.padSide, *length, std::int64_t{0});
        }
        insertPadding(encoding.tokens, source.padSide, *length, padding);
        made.batch.items.push_back(std::move(encoding.tokens));
    }
    made.input.lengths = made.batch.lengths;
    return made;
}

} // namespace heed
