// The weights of the parts of a model: what comes before the layers, a layer, what comes after.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/families.h"
#include "model/weights.h"

#include <vector>

namespace heed::detail {

struct EmbeddingWeights {
    Table tokens;      ///< [vocabulary, embedding width]
    Table positions;   ///< [offset + longest, width]; may not exist, like all below
    Table types;       ///< [token types, embedding width]
    Norm norm;         ///< before the projection
    Linear projection; ///< to d_model
};

struct BlockWeights {
    Norm attentionNorm; ///< norms and gates may not exist
    Norm attentionOutNorm;
    Norm mlpNorm;
    Norm mlpOutNorm;
    Norm queryNorm;
    Norm keyNorm;
    std::vector<Linear> qkv; ///< one fused, or Q, K and V
    Linear output;
    std::vector<Linear> up; ///< one, or gate and up
    Linear down;
    // Of a decoder that attends to an encoder.
    Norm crossNorm;
    Linear crossQuery;
    std::vector<Linear> crossKeyValue;
    Linear crossOutput;
};

struct HeadWeights {
    Linear dense; ///< may not exist, nor its norm
    Norm norm;
    Table words; ///< [vocabulary, embedding width]
    Weight bias; ///< may not exist
};

/// What all parts are found by.
struct Blueprint {
    const ModelConfig& config;
    const ModelFamily& family;
    const Weights& weights;
};

/// @return of all: errors of Weights::read().
[[nodiscard]] Expected<EmbeddingWeights> loadEmbedding(const Blueprint& model);
[[nodiscard]] Expected<BlockWeights> loadBlock(const Blueprint& model, std::int64_t layer);
/// [buckets, H] of positions by distance; it does not exist in other models.
[[nodiscard]] Expected<Weight> loadRelativeBias(const Blueprint& model);
/// The norm after the last layer; it does not exist in every family.
[[nodiscard]] Expected<Norm> loadFinalNorm(const Blueprint& model);
/// d_model → embedding width before the head, where they differ and the family has it.
[[nodiscard]] Expected<Linear> loadOutputProjection(const Blueprint& model);
[[nodiscard]] bool hasHead(const Blueprint& model);
[[nodiscard]] Expected<HeadWeights> loadHead(const Blueprint& model);

} // namespace heed::detail
