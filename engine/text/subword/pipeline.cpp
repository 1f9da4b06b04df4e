// The stages of a tokenizer with a vocabulary, in a row.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/pipeline.h"

#include "text/unicode.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <new>

namespace heed::detail {
namespace {

/// A token before anybody reads it.
struct Found {
    std::uint32_t id = 0;
    ByteRange range;
    std::string added; ///< the text of an added token as it was found, with white space around it
};

/// Moves @p position over @p count characters to the right, up to @p limit.
std::uint32_t forward(std::string_view line, std::uint32_t position, std::size_t count,
                      std::uint32_t limit)
{
    for (; count > 0 && position < limit; --count) {
        position += static_cast<std::uint32_t>(characterBytes(line, position));
    }
    return std::min(position, limit);
}

/// Moves @p position over @p count characters to the left, down to @p limit.
std::uint32_t backward(std::string_view line, std::uint32_t position, std::size_t count,
                       std::uint32_t limit)
{
    for (; count > 0 && position > limit; --count) {
        do {
            --position;
        } while (position > limit && (static_cast<unsigned char>(line[position]) & 0xC0U) == 0x80U);
    }
    return position;
}

class Pipeline final : public VocabularyTokenizer {
public:
    explicit Pipeline(PipelineParts parts)
        : m_parts(std::move(parts))
        , m_added(std::move(m_parts.added), m_parts.normalizer.get())
    {
        std::uint32_t most = 0;
        for (const auto& [id, piece] : m_parts.model->vocabulary().byId()) {
            most = std::max(most, id);
        }
        m_size = m_parts.model->vocabulary().size() == 0 ? 0 : std::int64_t{most} + 1;
        m_size = std::max(m_size, m_added.size());
    }

    std::string_view name() const override { return m_parts.name; }

    Expected<Encoding> encodeTexts(std::string_view line, std::optional<std::string_view> second,
                                   SpecialTokens special, std::int64_t most) const override;

    std::string_view piece(std::uint64_t id) const override
    {
        if (id > std::numeric_limits<std::uint32_t>::max()) {
            return {};
        }
        const auto number = static_cast<std::uint32_t>(id);
        const AddedToken* added = m_added.find(number);
        return added != nullptr ? std::string_view(added->content)
                                : m_parts.model->vocabulary().piece(number);
    }
    std::optional<std::uint64_t> find(std::string_view piece) const override
    {
        if (const auto id = m_added.find(piece)) {
            return *id;
        }
        const auto id = m_parts.model->vocabulary().find(piece);
        return id ? std::optional<std::uint64_t>(*id) : std::nullopt;
    }
    Token token(std::uint64_t id) const override
    {
        Token token;
        token.id = id;
        if (id <= std::numeric_limits<std::uint32_t>::max()) {
            const auto number = static_cast<std::uint32_t>(id);
            const AddedToken* added = m_added.find(number);
            token.text = readable(number);
            token.isSpecial = added != nullptr && added->special;
        }
        return token;
    }
    std::optional<std::uint64_t> unknown() const override
    {
        const auto id = m_parts.model->unknown();
        return id ? std::optional<std::uint64_t>(*id) : std::nullopt;
    }
    std::int64_t size() const override { return m_size; }

private:
    std::vector<Found> tokensOf(std::string_view line, std::int64_t most) const;
    void trim(std::vector<Found>& tokens, std::string_view line) const;
    Token tokenOf(const Found& found) const;
    std::string readable(std::uint32_t id) const;

    PipelineParts m_parts;
    AddedTokens m_added;
    std::int64_t m_size = 0;
};

[[noreturn]] void refuseMany(std::int64_t most)
{
    refuse(Code::OutOfMemory, "The line has more than " + std::to_string(most) + " tokens.");
}

std::vector<Found> Pipeline::tokensOf(std::string_view line, std::int64_t most) const
{
    if (auto valid = checkUtf8(line); !valid) {
        throw Refusal{valid.error()};
    }
    if (line.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        refuse(Code::InvalidArgument, "A line of " + std::to_string(line.size()) +
                                          " bytes is too long; at most 2147483647 bytes can be "
                                          "split. Break it into several lines.");
    }
    std::vector<Part> parts = m_added.split(line, m_parts.normalizer.get());
    if (m_parts.preTokenizer != nullptr) {
        m_parts.preTokenizer->apply(parts);
    }
    std::vector<Found> tokens;
    std::vector<Piece> pieces;
    for (const Part& part : parts) {
        const std::string_view text = part.text.text();
        pieces.clear();
        if (part.token) {
            tokens.push_back({*part.token, part.text.origin(0, text.size()), std::string(text)});
        } else if (!text.empty()) {
            m_parts.model->tokenize(text, pieces);
        }
        for (const Piece& piece : pieces) {
            tokens.push_back({piece.id, part.text.origin(piece.begin, piece.end), {}});
        }
        if (std::ssize(tokens) > most) {
            refuseMany(most);
        }
    }
    if (m_parts.postProcessor.trimsOffsets) {
        trim(tokens, line);
    }
    return tokens;
}

void Pipeline::trim(std::vector<Found>& tokens, std::string_view line) const
{
    const auto isSpace = [](char32_t c) { return c == characterOfByte(' ') || isWhiteSpace(c); };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        Found& token = tokens[i];
        const std::string_view text =
            token.added.empty() ? piece(token.id) : std::string_view(token.added);
        std::size_t leading = 0;
        std::size_t trailing = 0;
        bool inLead = true;
        for (std::size_t position = 0; position < text.size();) {
            const bool space = isSpace(nextCodePoint(text, position));
            inLead = inLead && space;
            leading += inLead ? 1 : 0;
            trailing = space ? trailing + 1 : 0;
        }
        ByteRange& range = token.range;
        // One space before the first token may be the one that was put there.
        const bool isFirst = i == 0 || range.begin == 0;
        if (isFirst && m_parts.postProcessor.addPrefixSpace && leading == 1) {
            leading = 0;
        }
        range.begin = forward(line, range.begin, leading, range.end);
        range.end = backward(line, range.end, trailing, range.begin);
    }
}

std::string Pipeline::readable(std::uint32_t id) const
{
    const std::string_view text = piece(id);
    if (m_added.find(id) != nullptr) {
        return std::string(text);
    }
    std::string result;
    if (m_parts.spelling.byteCharacters) {
        for (std::size_t position = 0; position < text.size();) {
            const auto byte = byteOfCharacter(nextCodePoint(text, position));
            if (!byte) {
                return std::string(text);
            }
            result += static_cast<char>(*byte);
        }
        return result;
    }
    if (m_parts.spelling.bytePieces && text.size() == 6 && text.starts_with("<0x") &&
        text.ends_with(">")) {
        unsigned byte = 0;
        const char* digits = text.data() + 3;
        if (std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
            return {static_cast<char>(static_cast<unsigned char>(byte))};
        }
    }
    const std::string& space = m_parts.spelling.space;
    for (std::size_t position = 0; position < text.size();) {
        if (!space.empty() && text.substr(position).starts_with(space)) {
            result += ' ';
            position += space.size();
        } else {
            result += text[position++];
        }
    }
    return result;
}

Token Pipeline::tokenOf(const Found& found) const
{
    Token token;
    token.text = readable(found.id);
    token.id = found.id;
    token.begin = found.range.begin;
    token.end = found.range.end;
    return token;
}

Expected<Encoding> Pipeline::encodeTexts(std::string_view line,
                                         std::optional<std::string_view> second,
                                         SpecialTokens special, std::int64_t most) const
{
    bool inSecond = false;
    try {
        const std::vector<Found> first = tokensOf(line, most);
        inSecond = true;
        const std::vector<Found> other = second ? tokensOf(*second, most) : std::vector<Found>();
        inSecond = false;
        Encoding encoding;
        const auto add = [&](Token token, std::int32_t segment) {
            if (std::ssize(encoding.tokens) >= most) {
                refuseMany(most);
            }
            encoding.tokens.push_back(std::move(token));
            encoding.segments.push_back(segment);
        };
        const PostProcessor& processor = m_parts.postProcessor;
        for (const TemplateItem& item : second ? processor.pair : processor.single) {
            if (item.kind == TemplateItem::Kind::Special) {
                for (const std::uint32_t id : item.ids) {
                    if (special == SpecialTokens::Add) {
                        Token token = tokenOf({id, {}, {}});
                        token.isSpecial = true;
                        add(std::move(token), item.segment);
                    }
                }
                continue;
            }
            const bool isFirst = item.kind == TemplateItem::Kind::First;
            if (!isFirst) {
                encoding.second = encoding.tokens.size();
            }
            for (const Found& found : isFirst ? first : other) {
                add(tokenOf(found), item.segment);
            }
        }
        if (!second) {
            encoding.second = encoding.tokens.size();
        }
        return encoding;
    } catch (const Refusal& refusal) {
        Error error = refusal.error;
        if (inSecond) {
            error.context = "second text" + (error.context.empty() ? "" : ", " + error.context);
        }
        return tl::unexpected<Error>(std::move(error));
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory for the tokens of a line of " +
                                           std::to_string(line.size()) + " bytes.");
    }
}

} // namespace

VocabularyTokenizerPtr makePipeline(PipelineParts parts)
{
    return std::make_shared<const Pipeline>(std::move(parts));
}

} // namespace heed::detail

namespace heed {

Expected<std::vector<Token>> VocabularyTokenizer::encode(std::string_view line,
                                                         std::int64_t most) const
{
    return encodeTexts(line, std::nullopt, SpecialTokens::Add, most).map([](Encoding encoding) {
        return std::move(encoding.tokens);
    });
}

} // namespace heed
