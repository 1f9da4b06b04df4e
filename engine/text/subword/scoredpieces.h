// The models of SentencePiece: pieces with scores, as its own files and GGUF files have them.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "text/subword/normalizers.h"
#include "text/subword/piecemodel.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heed::detail {

/// Numbered as in the files.
enum class PieceType : std::uint8_t {
    Normal = 1,
    Unknown,
    Control,     ///< stands for no text and is not found in it
    UserDefined, ///< is found in the text before anything else
    Unused,      ///< exists on the way to other pieces only
    Byte
};

struct ScoredPiece {
    std::string text;
    float score = 0; ///< no NaN
    PieceType type = PieceType::Normal;
};

/// What is done to a text before it is cut.
struct SpacingSettings {
    std::string charsMap;     ///< blob of a table of characters, or empty
    bool dummyPrefix = true;  ///< a space before the text
    bool removeExtra = true;  ///< spaces at the ends, and all but one between words
    bool asSuffix = false;    ///< the dummy space goes behind the text
    bool writesSpaces = true; ///< a space becomes "▁"
};

/// The pieces with the greatest sum of scores, in single precision as SentencePiece sums them.
/// @param byteFallback  characters without a piece become their bytes, if those have pieces.
[[nodiscard]] PieceModelPtr scoredUnigramModel(std::vector<ScoredPiece> pieces, bool byteFallback);
/// Neighbours are joined to the piece of the greatest score, the leftmost of equals first.
/// O(n log n).
[[nodiscard]] PieceModelPtr scoredBpeModel(std::vector<ScoredPiece> pieces, bool byteFallback);

/// @param pieces  those that are user-defined stay as they are.
/// @throws Refusal for a table of characters that is none.
[[nodiscard]] NormalizerPtr spacingNormalizer(const SpacingSettings& settings,
                                              const std::vector<ScoredPiece>& pieces);

} // namespace heed::detail
