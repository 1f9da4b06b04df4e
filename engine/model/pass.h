// The steps of a forward pass. Rows are tokens: row i of a [B·L, ..] matrix is token i % L of item
// i / L.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/parts.h"
#include "model/rotary.h"

namespace heed::detail {

/// What every step needs.
struct Pass {
    const Backend& backend;
    const ModelConfig& config;
    const ModelFamily& family;
    std::int64_t items;  ///< B
    std::int64_t length; ///< L
    Execution execution; ///< without progress, which counts layers

    [[nodiscard]] std::int64_t rows() const { return items * length; }
};

/// x [B, L, d_model] before the first layer.
/// @pre ids, types and lengths of @p input were checked.
[[nodiscard]] Expected<Tensor> embedTokens(const Pass& pass, const EmbeddingWeights& weights,
                                           const ModelInput& input);

/// What a layer of a decoder attends to beside itself.
struct Memory {
    const Tensor& states; ///< [B, S, d_model], the last of the encoder
    MaskPtr mask;         ///< of T queries and S keys
};

/// What is the same for all layers of a pass, or most of them.
struct Surroundings {
    const RotaryTable* rotary = nullptr; ///< null for models without rotary positions
    MaskPtr mask;
    std::shared_ptr<const std::vector<float>> distanceBias = {};
    const Memory* memory = nullptr; ///< null for all but decoders that have one
};

struct BlockCapture {
    LayerCapture self;
    LayerCapture cross; ///< where there is a memory
};

/// One layer: @p x is replaced by what comes out of it.
[[nodiscard]] Expected<BlockCapture> runBlock(const Pass& pass, const BlockWeights& weights,
                                              std::int64_t layer, const Surroundings& around,
                                              Tensor& x);

/// Logits [B, L, vocabulary] of the last hidden state [B, L, ..].
[[nodiscard]] Expected<Tensor> predict(const Pass& pass, const HeadWeights& weights,
                                       const Tensor& hidden);

/// A tensor as the matrix of its rows.
[[nodiscard]] MatrixView<float> rowsOf(Tensor& x);
[[nodiscard]] ConstMatrixView<float> rowsOf(const Tensor& x);

/// x·wᵀ + b over the rows of @p x, as [B, L, out].
[[nodiscard]] Expected<Tensor> apply(const Pass& pass, const Linear& linear,
                                     ConstMatrixView<float> x);
[[nodiscard]] Expected<void> apply(const Pass& pass, const Linear& linear, ConstMatrixView<float> x,
                                   MatrixView<float> out);

} // namespace heed::detail
