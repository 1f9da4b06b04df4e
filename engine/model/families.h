// The families: one row of settings and names each, over one engine.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/model.h"
#include "model/settings.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace heed::detail {

/// How a file keeps the projections to Q, K and V.
enum class QkvLayout {
    Split,      ///< three matrices
    Contiguous, ///< one: all of Q, then K, then V
    PerHead,    ///< one: Q, K and V of head 0, then of head 1, …
};

/// Names of tensors without ".weight" and ".bias"; "" where a family has none. Those of a layer
/// follow `layer`, whose "{}" is the number of the layer (or of its group).
struct TensorNames {
    std::string_view prefix = ""; ///< of all names but those of the head; files may lack it
    std::string_view tokens = "";
    std::string_view positions = "";
    std::string_view tokenTypes = "";
    std::string_view embeddingNorm = "";
    std::string_view embeddingProjection = ""; ///< embedding width → d_model, where they differ

    std::string_view layer = "";
    std::string_view qkv = ""; ///< of a fused layout
    std::string_view query = "";
    std::string_view key = "";
    std::string_view value = "";
    std::string_view queryNorm = "";
    std::string_view keyNorm = "";
    std::string_view output = "";
    std::string_view gate = ""; ///< "" with a gated MLP: the first half of `up`
    std::string_view up = "";
    std::string_view plainUp = ""; ///< of an MLP without a gate, where it has another name
    std::string_view down = "";
    std::string_view attentionNorm = "";
    std::string_view attentionOutNorm = ""; ///< of NormPlace::Sandwich
    std::string_view mlpNorm = "";
    std::string_view mlpOutNorm = "";
    std::string_view crossQuery = ""; ///< of a decoder that attends to an encoder
    std::string_view crossKey = "";
    std::string_view crossValue = "";
    std::string_view crossOutput = "";
    std::string_view crossNorm = "";
    std::string_view relativeBias = ""; ///< one table for all layers; whole name behind the prefix

    std::string_view finalNorm = "";
    std::string_view outputProjection = ""; ///< d_model → embedding width, where they differ

    std::string_view headDense = ""; ///< dense → activation → norm before the vocabulary
    std::string_view headNorm = "";
    std::string_view head = "";
    std::string_view headBias = ""; ///< whole name; "" = none
};

struct ModelFamily {
    std::string_view type; ///< `model_type`
    /// What a config.json of the family does not say, or says only sometimes.
    ModelConfig defaults;
    TensorNames names;
    QkvLayout layout = QkvLayout::Split;
    /// Matrices may be stored [in, out]; which, the shape of the fused one tells.
    bool mayBeTransposed = false;
    bool firstLayerHasNoNorm = false; ///< no attentionNorm in layer 0
    /// The embedding projection comes before positions are added and has no bias.
    bool projectsTokensOnly = false;
    double localRotaryBase = 0; ///< of layers with a window; 0 = as the others
    bool headDenseBias = true;
    bool headBiasIsRow = false; ///< [1, vocabulary], and may be missing
    /// A matrix for logits in the file counts, whatever the settings say of a tied head.
    bool prefersOwnHead = false;
    /// Of an encoder–decoder family, whose `names` are those of the encoder; `layer` empty = none.
    TensorNames decoderNames = {};
    std::optional<Activation> headActivation = std::nullopt; ///< nothing: that of the MLP
    /// Keys that only this family has.
    void (*adjust)(const ModelSettings& settings, ModelConfig& config) = nullptr;
};

[[nodiscard]] std::span<const ModelFamily> modelFamilyRows();
/// Null when there is no such row.
[[nodiscard]] const ModelFamily* findModelFamily(std::string_view type);

/// Those of encoders with decoders.
void addEncoderDecoderFamilies(std::vector<ModelFamily>& rows);

/// The settings of a model of @p family, in the spellings of a config.json.
/// @return as readModelConfig().
[[nodiscard]] Expected<ModelConfig>
configure(const ModelFamily& family, const ModelSettings& settings, const std::string& where);

} // namespace heed::detail
