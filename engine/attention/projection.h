// From a source to Q, K and V: the part of a run that no mask changes.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "attention/source.h"
#include "heed/run.h"

namespace heed {

/// Q, K, V and what they were made from. Immutable once made; shared by the runs that differ in
/// their masks only.
struct Projection {
    std::shared_ptr<const Batch> queryTokens;
    std::shared_ptr<const Batch> keyTokens; ///< the same object for self attention
    bool knowsPadding = false;              ///< keyTokens came from text
    LayerConfig layer;
    std::shared_ptr<const LayerWeights> weights; ///< null when projections came from a file
    std::shared_ptr<const Tensor> x;             ///< [B, L, d_model], or null
    std::shared_ptr<const Tensor> q;             ///< [B, H, L, D], rotated when asked for
    std::shared_ptr<const Tensor> k;             ///< [B, Hkv, S, D], likewise
    std::shared_ptr<const Tensor> v;             ///< [B, Hkv, S, Dv], or null
    BufferPtr qBuffer;                           ///< the same on the backend
    BufferPtr kBuffer;
    BufferPtr vBuffer;
    BackendPtr backend;
    std::vector<FileState>
        files; ///< as they were when read: weights, input, context, qkv, tokenizer
};
using ProjectionPtr = std::shared_ptr<const Projection>;

/// @param previous of an earlier source @p previousSource, or null: the whole of it is returned
/// when nothing it depends on changed; its weights are used again when they would be the same.
[[nodiscard]] Expected<ProjectionPtr> project(const Source& source, SourceKind kind,
                                              const BackendPtr& backend, const Execution& execution,
                                              const Source* previousSource,
                                              const ProjectionPtr& previous);

/// The two middle axes swapped: [B, L, heads·D] → [B, heads, L, D].
[[nodiscard]] Expected<Tensor> splitHeads(const Tensor& rows, std::int64_t heads);
/// The way back: [B, heads, L, D] → [B, L, heads·D].
[[nodiscard]] Expected<Tensor> joinHeads(const Tensor& heads);

/// x·wᵀ + bias over the last axis of @p x [B, L, in] → [B, L, out].
[[nodiscard]] Expected<Tensor> applyLinear(const Backend& backend, const Tensor& x,
                                           const Tensor& weight, const Tensor& bias,
                                           const Execution& execution);

} // namespace heed
