// What a model runs on: the text or the ids of a source as padded tokens.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/model.h"
#include "heed/run.h"
#include "heed/tokenizerfile.h"

namespace heed {

/// The same tokens as people see them and as the model takes them.
struct ModelText {
    Batch batch;
    Batch targets;                  ///< what a decoder is given; empty where nothing is
    ModelInput input;               ///< ids, lengths, padSide, types and targets; nothing else
    std::vector<std::string> notes; ///< what of the text the model does not see, for people
};

/// Tokenizes the lines of @p source with their pairs, or takes its ids; pads to the longest or to
/// padTo.
/// A decoder is given its start token and the target, as in training: without the last token that
/// the tokenizer puts behind a text, which is left to be predicted.
/// @param tokenizer  may be null where there are ids; then these are shown as numbers.
/// @return Code::InvalidArgument for a line without a token, a padTo that would cut one, and pairs
/// or targets that are not one for each line; Code::OutOfMemory; errors of encodeTexts() with the
/// line.
[[nodiscard]] Expected<ModelText> modelText(const Source& source, const ModelConfig& config,
                                            const VocabularyTokenizer* tokenizer,
                                            const Execution& execution);

} // namespace heed
