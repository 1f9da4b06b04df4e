// Which tokens a model expects: the next one, or the one behind a mask.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/run.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace heed {

/// A token with what the model makes of it.
struct Prediction {
    Token token;            ///< its text is its number where there is no tokenizer
    double probability = 0; ///< softmax over the whole vocabulary
    float logit = 0;
    std::int64_t rank = 1; ///< 1 = the most probable
};

/// Whether a run predicts what comes after a token; else what stands in its place.
[[nodiscard]] bool predictsNext(const Run& run);

/// What a model expects at one token, one of Run::predictingTokens().
struct TokenPredictions {
    std::int64_t item = 0;
    /// Where predictsNext(), what comes after this token; else what stands in its place.
    std::int64_t position = 0;
    std::vector<Prediction> best; ///< most probable first; of equals the lower number
    /// The token that does come next, or does stand there and is no mask.
    std::optional<Prediction> actual;
};

/// Where a person most likely wants to know: behind the last token where predictsNext(), else at
/// every mask ("[MASK]", "<mask>") of the item. Empty where there is none.
[[nodiscard]] std::vector<std::int64_t> predictedPositions(const Run& run, std::int64_t item);

/// The @p count most probable tokens at each of @p positions.
/// @return errors of Run::logits(); Code::InvalidArgument for a position that is padding or not
/// there. @complexity O(positions · vocabulary · d_model).
[[nodiscard]] Expected<std::vector<TokenPredictions>>
predictTokens(const Run& run, std::int64_t item, const std::vector<std::int64_t>& positions,
              std::int64_t count, const Execution& execution);

} // namespace heed
