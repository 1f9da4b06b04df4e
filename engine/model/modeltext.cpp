// What a model runs on: the text or the ids of a source as padded tokens.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/modeltext.h"

#include "text/unseentext.h"

#include <algorithm>
#include <array>
#include <iterator>

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

/// Encodes one text after another, and counts.
class TextEncoder {
public:
    /// @param tokenizer  may be null where nothing is encoded.
    TextEncoder(const Source& source, const VocabularyTokenizer* tokenizer,
                const Execution& execution)
        : m_tokenizer(tokenizer)
        , m_execution(execution)
        , m_special(source.specialTokens ? SpecialTokens::Add : SpecialTokens::LeaveOut)
    {
    }

    [[nodiscard]] Expected<Encoding>
    encode(std::string_view text, std::optional<std::string_view> second, const std::string& place)
    {
        auto encoding = m_tokenizer->encodeTexts(text, second, m_special, MostTokens - m_made);
        if (!encoding) {
            Error error = std::move(encoding).error();
            error.context = place + (error.context.empty() ? "" : ", ") + error.context;
            return tl::unexpected<Error>(std::move(error));
        }
        m_made += sizeOf(encoding->tokens);
        if (auto fits = checkTokens(static_cast<double>(m_made), m_execution); !fits) {
            return tl::unexpected(fits.error());
        }
        return encoding;
    }

private:
    const VocabularyTokenizer* m_tokenizer;
    const Execution& m_execution;
    SpecialTokens m_special;
    std::int64_t m_made = 0;
};

using Encodings = std::vector<Encoding>;

Encodings encodeIds(const std::vector<std::vector<std::int64_t>>& rows,
                    const VocabularyTokenizer* tokenizer)
{
    Encodings encodings;
    for (const auto& ids : rows) {
        encodings.push_back(idsAsTokens(ids, tokenizer));
    }
    return encodings;
}

Expected<Encodings> encodeSources(const Source& source, const VocabularyTokenizer* tokenizer,
                                  const Execution& execution)
{
    if (!source.ids.empty()) {
        return encodeIds(source.ids, tokenizer);
    }
    if (!source.pairLines.empty() && source.pairLines.size() != source.lines.size()) {
        return fail(Code::InvalidArgument, "There are " + std::to_string(source.pairLines.size()) +
                                               " second texts for " +
                                               std::to_string(source.lines.size()) +
                                               " lines. Give one --text-pair for each --text.");
    }
    TextEncoder encoder(source, tokenizer, execution);
    Encodings encodings;
    for (std::size_t line = 0; line < source.lines.size(); ++line) {
        const auto second = source.pairLines.empty()
                                ? std::nullopt
                                : std::optional<std::string_view>(source.pairLines[line]);
        auto encoding = encoder.encode(source.lines[line], second, placeOf(line));
        if (!encoding) {
            return tl::unexpected(encoding.error());
        }
        encodings.push_back(std::move(*encoding));
    }
    return encodings;
}

bool isBlank(std::string_view text)
{
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool isPutBehindText(const Token& token)
{
    return token.isSpecial && token.begin == token.end;
}

/// What the decoder is given; nothing where there is none, or none that anybody asks for.
Expected<Encodings> encodeTargets(const Source& source, const ModelConfig& config,
                                  const VocabularyTokenizer* tokenizer, const Execution& execution)
{
    if (config.decoder == nullptr) {
        return Encodings();
    }
    if (!source.targetIds.empty()) {
        return encodeIds(source.targetIds, tokenizer);
    }
    const std::size_t items = source.ids.empty() ? source.lines.size() : source.ids.size();
    const auto& lines = source.targetLines;
    if (!lines.empty() && lines.size() != items) {
        return fail(Code::InvalidArgument, "There are " + std::to_string(lines.size()) +
                                               " target texts for " + std::to_string(items) +
                                               " lines. Give one --target for each --text.");
    }
    if (config.decoderStart < 0) {
        if (lines.empty() && source.attention == AttentionSet::Encoder) {
            return Encodings();
        }
        return fail(Code::Unsupported,
                    "The config.json of this model names no decoder_start_token_id, with which its "
                    "decoder begins. Give all of the decoder's tokens with --target-ids.");
    }
    Encoding start = idsAsTokens({config.decoderStart}, tokenizer);
    start.tokens.front().isSpecial = true;
    Encodings encodings(items, start);
    TextEncoder encoder(source, tokenizer, execution);
    for (std::size_t line = 0; line < lines.size(); ++line) {
        if (isBlank(lines[line])) {
            continue;
        }
        auto target = encoder.encode(lines[line], std::nullopt, "target of " + placeOf(line));
        if (!target) {
            return tl::unexpected(target.error());
        }
        std::vector<Token>& tokens = target->tokens;
        if (!tokens.empty() && isPutBehindText(tokens.back())) {
            tokens.pop_back();
        }
        auto& all = encodings[line].tokens;
        all.insert(all.end(), tokens.begin(), tokens.end());
    }
    return encodings;
}

/// What of the lines, of their pairs and of the targets the tokens do not show.
std::vector<std::string> notesOn(const Source& source, const Encodings& encodings,
                                 const Encodings& targets, const VocabularyTokenizer* tokenizer)
{
    if (tokenizer == nullptr) {
        return {};
    }
    std::array<detail::UnseenText, 3> unseen; // each has notes of its own
    for (std::size_t line = 0; source.ids.empty() && line < encodings.size(); ++line) {
        const std::span<const Token> tokens(encodings[line].tokens);
        const std::size_t second = encodings[line].second;
        detail::addUnseen(unseen[0], *tokenizer, source.lines[line], tokens.first(second));
        if (!source.pairLines.empty()) {
            detail::addUnseen(unseen[1], *tokenizer, source.pairLines[line],
                              tokens.subspan(second));
        }
    }
    for (std::size_t line = 0; line < std::min(source.targetLines.size(), targets.size()); ++line) {
        // The decoder's start token is of no text.
        detail::addUnseen(unseen[2], *tokenizer, source.targetLines[line],
                          std::span(targets[line].tokens).subspan(1));
    }
    std::vector<std::string> notes;
    for (const detail::UnseenText& part : unseen) {
        std::ranges::move(detail::notesOn(part, *tokenizer), std::back_inserter(notes));
    }
    return notes;
}

/// The length of every item once it is padded.
Expected<std::int64_t> paddedLength(const Encodings& encodings, std::int64_t padTo,
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
    if (padTo != 0 && padTo < longest) {
        return fail(Code::InvalidArgument, "Padding to " + std::to_string(padTo) +
                                               " tokens would cut the longest line, which has " +
                                               std::to_string(longest) + ".");
    }
    longest = std::max(longest, padTo);
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

/// Tokens of equal length, as people see them and as the model takes them.
struct Padded {
    Batch batch;
    std::vector<std::vector<std::int64_t>> ids;
};

Padded pad(const Encodings& encodings, PadSide side, std::int64_t length, const Token& padding)
{
    Padded made;
    made.batch.length = length;
    made.batch.padSide = side;
    for (const Encoding& encoding : encodings) {
        made.batch.lengths.push_back(sizeOf(encoding.tokens));
        std::vector<Token>& tokens = made.batch.items.emplace_back(encoding.tokens);
        insertPadding(tokens, side, length, padding);
        std::vector<std::int64_t>& ids = made.ids.emplace_back();
        std::ranges::transform(tokens, std::back_inserter(ids), [](const Token& token) {
            return static_cast<std::int64_t>(token.id);
        });
    }
    return made;
}

Token paddingOf(const ModelConfig& config)
{
    const bool isInVocabulary = config.paddingToken >= 0 && config.paddingToken < config.vocabulary;
    Token padding;
    padding.text = "<pad>";
    padding.id = static_cast<std::uint64_t>(isInVocabulary ? config.paddingToken : 0);
    padding.isPadding = padding.isSpecial = true;
    return padding;
}

} // namespace

Expected<ModelText> modelText(const Source& source, const ModelConfig& config,
                              const VocabularyTokenizer* tokenizer, const Execution& execution)
{
    const auto encodings = encodeSources(source, tokenizer, execution);
    if (!encodings) {
        return tl::unexpected(encodings.error());
    }
    const auto targets = encodeTargets(source, config, tokenizer, execution);
    if (!targets) {
        return tl::unexpected(targets.error());
    }
    const auto length = paddedLength(*encodings, source.padTo, execution);
    const auto targetLength = paddedLength(*targets, 0, execution);
    if (!length || !targetLength) {
        return tl::unexpected(length ? targetLength.error() : length.error());
    }
    const Token padding = paddingOf(config);
    Padded sources = pad(*encodings, source.padSide, *length, padding);
    Padded given = pad(*targets, source.padSide, *targetLength, padding);

    ModelText made;
    made.input.padSide = source.padSide;
    made.input.ids = std::move(sources.ids);
    made.input.lengths = sources.batch.lengths;
    if (config.tokenTypes > 1) {
        for (const Encoding& encoding : *encodings) {
            auto& types =
                made.input.types.emplace_back(encoding.segments.begin(), encoding.segments.end());
            insertPadding(types, source.padSide, *length, std::int64_t{0});
        }
    }
    made.notes = notesOn(source, *encodings, *targets, tokenizer);
    made.input.targets = std::move(given.ids);
    made.input.targetLengths = given.batch.lengths;
    made.batch = std::move(sources.batch);
    made.targets = std::move(given.batch);
    return made;
}

} // namespace heed
