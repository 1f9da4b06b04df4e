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
    ModelInput input;               ///< ids, lengths, padSide and types; nothing else is set
    std::vector<std::string> notes; ///< what of the text the model does not see, for people
};

/// Tokenizes the lines of @p source with their pairs, or takes its ids; pads to the longest or to
/// padTo.
/// @param tokenizer  may be null where there are ids; then these are shown as numbers.
/// @return Code::InvalidArgument for a line without a token, a padTo that would cut one, or pairs
/// that are not one for each line; Code::OutOfMemory; errors of encodeTexts() with the line.
[[nodiscard]] Expected<ModelText> modelText(const Source& source, const ModelConfig& config,
                                            const VocabularyTokenizer* tokenizer,
                                            const Execution& execution);

} // namespace heed
