// Models that know whole words and their beginnings: WordLevel and WordPiece.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/nearestname.h"
#include "text/subword/alignedtext.h"
#include "text/subword/piecemodel.h"
#include "text/subword/refusal.h"

namespace heed::detail {
namespace {

class WordLevel final : public PieceModel {
public:
    WordLevel(Vocabulary vocabulary, std::string unknown)
        : PieceModel(std::move(vocabulary))
        , m_unknown(std::move(unknown))
    {
    }

    void tokenize(std::string_view word, std::vector<Piece>& pieces) const override
    {
        auto id = vocabulary().find(word);
        if (!id) {
            id = unknown();
        }
        if (!id) {
            refuseUnknownText(word, m_unknown);
        }
        pieces.push_back({*id, 0, word.size()});
    }
    std::optional<std::uint32_t> unknown() const override { return vocabulary().find(m_unknown); }

private:
    std::string m_unknown;
};

class WordPiece final : public PieceModel {
public:
    WordPiece(Vocabulary vocabulary, WordPieceSettings settings)
        : PieceModel(std::move(vocabulary))
        , m_settings(std::move(settings))
    {
    }

    void tokenize(std::string_view word, std::vector<Piece>& pieces) const override
    {
        const std::size_t before = pieces.size();
        if (isTooLong(word) || !cut(word, pieces)) {
            pieces.resize(before);
            const auto id = unknown();
            if (!id) {
                refuseUnknownText(word, m_settings.unknown);
            }
            pieces.push_back({*id, 0, word.size()});
        }
    }
    std::optional<std::uint32_t> unknown() const override
    {
        return vocabulary().find(m_settings.unknown);
    }

private:
    bool isTooLong(std::string_view word) const
    {
        std::size_t characters = 0;
        for (std::size_t position = 0; position < word.size(); ++characters) {
            position += characterBytes(word, position);
        }
        return characters > m_settings.mostCharacters;
    }

    bool cut(std::string_view word, std::vector<Piece>& pieces) const
    {
        std::string inner;
        for (std::size_t begin = 0; begin < word.size();) {
            std::size_t end = word.size();
            std::optional<std::uint32_t> id;
            for (; end > begin; end = before(word, end)) {
                const std::string_view part = word.substr(begin, end - begin);
                if (begin == 0) {
                    id = vocabulary().find(part);
                } else {
                    inner.assign(m_settings.prefix).append(part);
                    id = vocabulary().find(inner);
                }
                if (id) {
                    break;
                }
            }
            if (!id) {
                return false;
            }
            pieces.push_back({*id, begin, end});
            begin = end;
        }
        return true;
    }

    /// Where the character before @p end begins.
    static std::size_t before(std::string_view word, std::size_t end)
    {
        do {
            --end;
        } while (end > 0 && (static_cast<unsigned char>(word[end]) & 0xC0U) == 0x80U);
        return end;
    }

    WordPieceSettings m_settings;
};

} // namespace

PieceModelPtr wordPieceModel(Vocabulary vocabulary, WordPieceSettings settings)
{
    return std::make_unique<const WordPiece>(std::move(vocabulary), std::move(settings));
}

PieceModelPtr wordLevelModel(Vocabulary vocabulary, std::string unknown)
{
    return std::make_unique<const WordLevel>(std::move(vocabulary), std::move(unknown));
}

std::string bytePiece(unsigned char byte)
{
    static constexpr char digits[] = "0123456789ABCDEF";
    return std::string("<0x") + digits[byte >> 4U] + digits[byte & 15U] + ">";
}

void refuseUnknownText(std::string_view word, std::string_view unknown)
{
    refuse(Code::BadFormat,
           "The tokenizer has no piece for " + inQuotes(word) +
               (unknown.empty() ? " and no token for what it does not know."
                                : " and none for its unknown token " + inQuotes(unknown) + "."));
}

} // namespace heed::detail
