// The models of a tokenizer.json: from a word to pieces of a vocabulary.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "text/subword/settings.h"
#include "text/subword/vocabulary.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::detail {

/// A token, and the bytes of the word that it stands for.
struct Piece {
    std::uint32_t id = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// Immutable and re-entrant.
class PieceModel {
public:
    PieceModel(const PieceModel&) = delete;
    PieceModel& operator=(const PieceModel&) = delete;
    virtual ~PieceModel() = default;

    [[nodiscard]] const Vocabulary& vocabulary() const { return m_vocabulary; }

    /// Adds the pieces of @p word, not empty and valid UTF-8, to @p pieces.
    /// @throws Refusal when the word needs an unknown token and there is none.
    virtual void tokenize(std::string_view word, std::vector<Piece>& pieces) const = 0;

    /// The token for what has no piece, if any.
    [[nodiscard]] virtual std::optional<std::uint32_t> unknown() const = 0;

protected:
    explicit PieceModel(Vocabulary vocabulary)
        : m_vocabulary(std::move(vocabulary))
    {
    }

private:
    Vocabulary m_vocabulary;
};

using PieceModelPtr = std::unique_ptr<const PieceModel>;

struct WordPieceSettings {
    std::string unknown = "[UNK]";
    std::string prefix = "##"; ///< of pieces inside a word
    std::size_t mostCharacters = 100;
};
/// Greedy, the longest piece first; a word that does not come out whole is unknown.
[[nodiscard]] PieceModelPtr wordPieceModel(Vocabulary vocabulary, WordPieceSettings settings);

/// A word is a piece or unknown.
[[nodiscard]] PieceModelPtr wordLevelModel(Vocabulary vocabulary, std::string unknown);

struct BpeSettings {
    std::string unknown;        ///< empty: characters without a piece are left out
    std::string prefix;         ///< of characters inside a word
    std::string suffix;         ///< of the last character
    bool fusesUnknown = false;  ///< neighbours become one
    bool byteFallback = false;  ///< "<0x0A>" instead of unknown
    bool ignoresMerges = false; ///< a word of the vocabulary is not looked at further
};
using Merges = std::vector<std::pair<std::string, std::string>>;
/// Pairs are merged by rank, the lowest first, the leftmost of equals first. Merges of pieces that
/// are not in the vocabulary never apply. O(n log n) in the length of a word.
[[nodiscard]] PieceModelPtr bpeModel(Vocabulary vocabulary, const Merges& merges,
                                     BpeSettings settings);

/// The pieces with the greatest sum of scores.
/// @param pieces   text and score; the place in the list is the number.
/// @param unknown  the number of the unknown piece, if any.
[[nodiscard]] PieceModelPtr unigramModel(const std::vector<std::pair<std::string, double>>& pieces,
                                         std::optional<std::uint32_t> unknown, bool byteFallback);

/// @throws Refusal: an unknown or incomplete model, with its name and place.
[[nodiscard]] PieceModelPtr readModel(const Settings& settings);

/// "<0x0A>".
[[nodiscard]] std::string bytePiece(unsigned char byte);

/// Tells that a text has something that the vocabulary has no piece for.
[[noreturn]] void refuseUnknownText(std::string_view word, std::string_view unknown);

} // namespace heed::detail
