// The stages of a tokenizer with a vocabulary, in a row.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/tokenizerfile.h"
#include "text/subword/addedtokens.h"
#include "text/subword/normalizers.h"
#include "text/subword/piecemodel.h"
#include "text/subword/postprocessor.h"
#include "text/subword/presplit.h"

#include <string>

namespace heed::detail {

/// How pieces are written in the vocabulary.
struct PieceSpelling {
    bool byteCharacters = false; ///< every byte as a character (GPT-2)
    std::string space;           ///< "▁", or empty
    bool bytePieces = false;     ///< "<0x0A>" is a byte
};

struct PipelineParts {
    std::string name;
    NormalizerPtr normalizer;     ///< may be null
    PreTokenizerPtr preTokenizer; ///< may be null
    PieceModelPtr model;          ///< never null
    PostProcessor postProcessor;
    std::vector<AddedToken> added;
    PieceSpelling spelling;
};

/// @throws Refusal when a normalizer takes too many steps on an added token.
[[nodiscard]] VocabularyTokenizerPtr makePipeline(PipelineParts parts);

} // namespace heed::detail
