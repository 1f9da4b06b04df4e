// The unigram language model: the best way through all pieces of a word.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/alignedtext.h"
#include "text/subword/piecemodel.h"
#include "text/subword/piecetrie.h"

#include <algorithm>
#include <array>
#include <limits>

namespace heed::detail {
namespace {

class Unigram final : public PieceModel {
public:
    Unigram(Vocabulary vocabulary, std::vector<double> scores, std::optional<std::uint32_t> unknown,
            bool byteFallback)
        : PieceModel(std::move(vocabulary))
        , m_scores(std::move(scores))
        , m_unknown(unknown)
        , m_byteFallback(byteFallback)
    {
        std::vector<std::pair<std::string_view, std::uint32_t>> pieces;
        for (const auto& [id, text] : this->vocabulary().byId()) {
            // Of equal pieces the vocabulary has the last.
            if (this->vocabulary().find(*text) == id) {
                pieces.emplace_back(*text, id);
            }
        }
        m_trie = PieceTrie(std::move(pieces));
        for (unsigned byte = 0; byte < m_bytes.size(); ++byte) {
            m_bytes[byte] = this->vocabulary().find(bytePiece(static_cast<unsigned char>(byte)));
        }
        constexpr double penalty = 10; // SentencePiece's
        m_unknownScore = m_scores.empty() ? 0 : *std::ranges::min_element(m_scores) - penalty;
    }

    void tokenize(std::string_view word, std::vector<Piece>& pieces) const override
    {
        for (const Piece& stretch : bestPath(word)) {
            const std::string_view text = word.substr(stretch.begin, stretch.end - stretch.begin);
            if (const auto id = vocabulary().find(text)) {
                pieces.push_back({*id, stretch.begin, stretch.end});
            } else if (hasBytes(text)) {
                for (const char byte : text) {
                    pieces.push_back(
                        {*m_bytes[static_cast<unsigned char>(byte)], stretch.begin, stretch.end});
                }
            } else {
                pieces.push_back({unknownId(word), stretch.begin, stretch.end});
            }
        }
    }
    std::optional<std::uint32_t> unknown() const override { return m_unknown; }

private:
    /// The best pieces that end at a byte.
    struct Best {
        double score = 0;
        std::size_t begin = std::numeric_limits<std::size_t>::max(); ///< of the last piece
        std::uint32_t id = 0;

        [[nodiscard]] bool isReached() const
        {
            return begin != std::numeric_limits<std::size_t>::max();
        }
        /// Of equal scores the first stays.
        void offer(double candidate, std::size_t from, std::uint32_t piece)
        {
            if (!isReached() || candidate > score) {
                *this = {candidate, from, piece};
            }
        }
    };

    std::uint32_t unknownId(std::string_view word) const
    {
        if (!m_unknown) {
            refuseUnknownText(word, {});
        }
        return *m_unknown;
    }

    bool hasBytes(std::string_view text) const
    {
        return m_byteFallback && std::ranges::all_of(text, [&](char byte) {
                   return m_bytes[static_cast<unsigned char>(byte)].has_value();
               });
    }

    /// Stretches of the word; neighbours that are unknown are one.
    std::vector<Piece> bestPath(std::string_view word) const
    {
        std::vector<Best> best(word.size() + 1);
        for (std::size_t begin = 0; begin < word.size();) {
            const std::size_t character = characterBytes(word, begin);
            const double score = best[begin].score;
            bool hasCharacter = false;
            m_trie.forEachPrefix(word.substr(begin), [&](std::size_t length, std::uint32_t id) {
                best[begin + length].offer(score + m_scores[id], begin, id);
                hasCharacter = hasCharacter || length == character;
            });
            if (!hasCharacter) {
                best[begin + character].offer(score + m_unknownScore, begin, unknownId(word));
            }
            begin += character;
        }
        std::vector<Piece> path;
        bool inUnknown = false;
        for (std::size_t end = word.size(); end > 0;) {
            const Best& last = best[end];
            const bool isUnknown = m_unknown && last.id == *m_unknown;
            if (isUnknown && inUnknown) {
                path.back().begin = last.begin;
            } else {
                path.push_back({last.id, last.begin, end});
            }
            inUnknown = isUnknown;
            end = last.begin;
        }
        std::ranges::reverse(path);
        return path;
    }

    std::vector<double> m_scores; ///< by number
    std::optional<std::uint32_t> m_unknown;
    bool m_byteFallback;
    double m_unknownScore = 0;
    PieceTrie m_trie;
    std::array<std::optional<std::uint32_t>, 256> m_bytes;
};

} // namespace

PieceModelPtr unigramModel(const std::vector<std::pair<std::string, double>>& pieces,
                           std::optional<std::uint32_t> unknown, bool byteFallback)
{
    Vocabulary vocabulary;
    std::vector<double> scores;
    scores.reserve(pieces.size());
    for (const auto& [text, score] : pieces) {
        vocabulary.add(text, static_cast<std::uint32_t>(scores.size()));
        scores.push_back(score);
    }
    return std::make_unique<const Unigram>(std::move(vocabulary), std::move(scores), unknown,
                                           byteFallback);
}

} // namespace heed::detail
