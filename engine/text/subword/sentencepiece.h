// Tokenizers made of pieces with scores: SentencePiece's own files, and the same in GGUF.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "text/subword/pipeline.h"
#include "text/subword/scoredpieces.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::detail {

struct SentencePieces {
    std::vector<ScoredPiece> pieces;
    SpacingSettings spacing;
    bool isBpe = false; ///< else unigram
    bool byteFallback = false;
    /// Numbers of the pieces that begin and end a text, where the file names them.
    std::optional<std::uint32_t> begin;
    std::optional<std::uint32_t> end;
};

/// The content of a .model file.
/// @throws Refusal: no such file, with the byte; a model of words or characters.
[[nodiscard]] SentencePieces readSentencePieces(std::string_view bytes, const std::string& file);

/// The stages of a tokenizer. Nothing is put around a text.
/// @param findsControls  whether pieces such as "</s>" are recognised where a text has them.
/// @throws Refusal for pieces that cannot be used, naming one.
[[nodiscard]] PipelineParts pipelineOf(SentencePieces model, bool findsControls,
                                       const std::string& file);

/// Puts tokens around every text: [begin] A [end], or [begin] A [end] [begin] B [end].
void surround(PostProcessor& processor, std::optional<std::uint32_t> begin,
              std::optional<std::uint32_t> end);

} // namespace heed::detail
