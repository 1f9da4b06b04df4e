// Tokenizers of the time before tokenizer.json: a list of pieces, and rules that everybody knew.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "text/subword/pipeline.h"

#include <filesystem>

namespace heed::detail {

/// @param path  vocab.txt (BERT, or SMILES: see isSmilesVocabulary()), or vocab.json or merges.txt
/// (GPT-2 and RoBERTa, which need both).
///              tokenizer_config.json beside it is obeyed.
/// @throws Refusal: a file is missing or wrong, with its name and the byte.
[[nodiscard]] PipelineParts readVocabularyFiles(const std::filesystem::path& path);

/// @param path  a .model or .spm file of SentencePiece. tokenizer_config.json beside it, or else
///              config.json, tells the family, and so which tokens the model puts around a text and
///              how it numbers the pieces; without them there are none, and the numbers are those
///              of the file. A .spm is Marian's, with vocab.json beside it.
/// @throws Refusal: a file is wrong, with its name and the byte; a family that numbers the pieces
///         in a way that this program does not know.
[[nodiscard]] PipelineParts readSentencePieceFiles(const std::filesystem::path& path);

} // namespace heed::detail
