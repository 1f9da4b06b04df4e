// Checkpoints of the field: what a model is, and its forward pass with every layer's Q, K and V.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/arrayfile.h"
#include "heed/attentionset.h"
#include "heed/backend.h"
#include "heed/execution.h"
#include "heed/mask.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

enum class NormKind {
    Layer,      ///< (x − mean) / √(variance + ε) · w + b
    Rms,        ///< x / √(mean x² + ε) · w
    RmsPlusOne, ///< the same, · (1 + w)
};

/// Where a block normalises. f is attention, then the MLP.
enum class NormPlace {
    Pre,      ///< x + f(norm x)
    Post,     ///< norm(x + f x)
    Sandwich, ///< x + norm(f(norm x))
    Parallel, ///< x + attention(norm x) + mlp(norm' x)
};

enum class Activation { Gelu, GeluTanh, QuickGelu, Relu, Silu };

/// How a model knows where a token stands.
enum class ModelPositions {
    None, ///< or by distance alone: RelativeBias
    Learned,
    Rotary,
    Sinusoid, ///< sines of all frequencies, then cosines (Marian)
};

/// What T5 adds to scores by distance: distances share buckets, those beyond `distance` the last.
struct RelativeBias {
    std::int64_t buckets = 0; ///< 0 = none
    std::int64_t distance = 128;
};

/// How the angles of a model are made smaller for texts longer than it was trained on.
enum class RotaryScaling {
    None,
    Linear,   ///< all alike
    Llama3,   ///< long waves alone
    Dynamic,  ///< by a larger base, where the text is longer (NTK)
    Yarn,     ///< pairs that turn seldom within the original length alone
    LongRope, ///< each pair by a number of its own, others where the text is longer
};

/// Rotary angles: position · base^(−2c/n), over the first n = share · D numbers of a head.
struct RotarySettings {
    double base = 10000;
    double share = 1;
    /// Pairs are (2c, 2c + 1) instead of (c, c + n/2). Files that differ in it have their rows of Q
    /// and K in another order; scores are the same.
    bool adjacent = false;
    RotaryScaling scaling = RotaryScaling::None;
    double factor = 1; ///< of all scalings but LongRope
    /// Llama 3: wavelengths beyond original / lowFactor are stretched, those below original /
    /// highFactor are not, those between partly.
    double lowFactor = 1;
    double highFactor = 4;
    double originalLength = 8192; ///< of all scalings but Linear
    /// Yarn: pairs with more turns than fastTurns in the original length keep their angle, those
    /// with fewer than slowTurns are stretched, those between partly; whole pairs where it rounds.
    double fastTurns = 32;
    double slowTurns = 1;
    bool roundsPairs = true;
    double attentionFactor = 1;            ///< of cosines and sines
    std::vector<float> divisors = {};      ///< of the angles of each pair; empty = 1
    std::vector<float> shortDivisors = {}; ///< LongRope: those up to the original length
};

/// What distinguishes one transformer from another; one row of settings is a family.
struct ModelConfig {
    std::string family; ///< `model_type`
    std::string title;  ///< as people write it
    bool causal = false;

    std::int64_t layers = 0;
    std::int64_t width = 0;          ///< d_model
    std::int64_t embeddingWidth = 0; ///< of the token table; d_model unless the model projects it
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    std::int64_t headSize = 0; ///< D; H·D need not be d_model
    std::int64_t mlpWidth = 0;
    std::int64_t vocabulary = 0;
    std::int64_t longest = 0;      ///< tokens the positions reach
    std::int64_t tokenTypes = 0;   ///< rows of the segment table; 0 = there is none
    std::int64_t layerGroups = 0;  ///< layers that share their weights are one group; 0 = none do
    std::int64_t paddingToken = 0; ///< id that fills a batch

    NormKind norm = NormKind::Layer;
    NormPlace normPlace = NormPlace::Pre;
    double normEpsilon = 1e-5;
    bool normBias = true;
    bool queryKeyNorm = false; ///< RMS over each head of Q and K, before rotation
    bool qkvBias = true;
    bool outputBias = true;
    bool mlpBias = true;
    bool gatedMlp = false; ///< act(gate x) · up x instead of act(up x)
    Activation activation = Activation::Gelu;

    ModelPositions positions = ModelPositions::Learned;
    std::int64_t positionOffset = 0;   ///< row of the table for the first token
    bool positionsSkipPadding = false; ///< padding takes no position
    RotarySettings rotary;             ///< of layers that see everything
    RotarySettings localRotary;        ///< of layers with a window
    RelativeBias relativeBias;

    /// Per layer: 0 sees everything; W > 0 is window(W) where causal, symmetric(W) otherwise.
    std::vector<std::int64_t> windows;
    double scale = 0;          ///< of scores; before layers divide it
    bool scaleByLayer = false; ///< layer i divides by i + 1
    double softCap = 0;        ///< of scaled scores; 0 = none
    double logitCap = 0;       ///< of logits; 0 = none
    double embeddingScale = 1;
    double headScale = 1; ///< of the last hidden state, before the head
    bool tiedHead = true; ///< logits use the token table where the file has no matrix for them

    /// The other half of an encoder–decoder model, whose layers also attend to what the encoder
    /// gives; null for all others.
    std::shared_ptr<const ModelConfig> decoder;
    bool crossAttention = false;    ///< of the decoder
    std::int64_t decoderStart = -1; ///< token that begins what a decoder is given; −1 = none

    [[nodiscard]] float scoreScale(std::int64_t layer) const;
    /// Which layer's weights layer @p layer has: its own, or those of its group.
    [[nodiscard]] std::int64_t weightsOf(std::int64_t layer) const;
    /// The mask of a layer as an expression: "causal & padding & window(4)".
    [[nodiscard]] std::string maskExpression(std::int64_t layer) const;
};

/// Every `model_type` with a row of settings.
[[nodiscard]] std::vector<std::string_view> modelFamilies();

/// The settings of a config.json, in the old and new spellings of its keys.
/// @param where  the file, for errors.
/// @return Code::BadFormat (no JSON, or a key of the wrong kind, named); Code::NotFound for a
/// missing key, named; Code::Unsupported for a model_type without a row (with the nearest that has
/// one) and for settings the engine lacks; Code::InvalidShape for numbers that do not fit together.
[[nodiscard]] Expected<ModelConfig> readModelConfig(std::string_view json,
                                                    const std::string& where);

/// The settings of a GGUF checkpoint: its metadata, and what its tensors tell.
/// @param where  the file, for errors.
/// @return Code::Unsupported for an architecture without a row of settings (with the nearest that
/// has one), for settings the engine lacks, and for a file that is no GGUF; Code::NotFound for a
/// missing value or tensor, named; Code::BadFormat for a value of the wrong kind, with its byte;
/// Code::InvalidShape for numbers that do not fit together.
[[nodiscard]] Expected<ModelConfig> readModelConfig(const ArrayFile& gguf,
                                                    const std::string& where);

/// Token ids for a run, padded to one length.
struct ModelInput {
    std::vector<std::vector<std::int64_t>> ids; ///< B rows of L
    std::vector<std::int64_t> lengths = {};     ///< real tokens of each row, 1…L; empty = all
    PadSide padSide = PadSide::Right;
    std::vector<std::vector<std::int64_t>> types = {}; ///< B × L segments, or empty = all 0
    /// The user's mask, joined to that of every layer with "&": what would the model do if …
    std::string mask = {};
    AttentionSet masked = AttentionSet::Encoder; ///< of an encoder–decoder model, what it joins
    /// How many layers to run, from the first; 0 = all. The others are not read, nor is a decoder
    /// when it is not 0.
    std::int64_t layers = 0;
    /// What the decoder of an encoder–decoder model is given: B rows of T ids, its start token
    /// included. Empty: only the encoder runs.
    std::vector<std::vector<std::int64_t>> targets = {};
    std::vector<std::int64_t> targetLengths = {}; ///< real tokens of each, 1…T; empty = all
    bool logits = true;                           ///< where the model has a head and all layers run
};

/// One layer of a run.
struct LayerCapture {
    std::shared_ptr<const Tensor> q; ///< [B, H, L, D], normalised and rotated as the model does
    std::shared_ptr<const Tensor> k; ///< [B, Hkv, S, D], likewise; S = L but across two texts
    std::shared_ptr<const Tensor> v; ///< [B, Hkv, S, D]
    BufferPtr qBuffer;               ///< the same on the backend
    BufferPtr kBuffer;
    BufferPtr vBuffer;
    MaskPtr mask;
    float scale = 1;
    float softCap = 0; ///< 0 = none
    /// Of each head the L + S − 1 numbers of HeadProblem::distanceBias; null = none.
    std::shared_ptr<const std::vector<float>> distanceBias;

    /// Everything needed to compute any part of one map. Points into the capture.
    [[nodiscard]] HeadProblem problem(std::int64_t item, std::int64_t head) const;
};

/// What a forward pass found. Immutable; shared by everything that looks at it.
struct ModelRun {
    std::vector<LayerCapture> layers;
    /// [B, L, d_model]: before the first layer and after each, the last after the final norm when
    /// all layers ran (as Hugging Face counts hidden_states). Rows of padding mean nothing.
    std::vector<Tensor> hidden;
    /// [B, L, vocabulary], of a decoder [B, T, vocabulary]; empty when not asked for, without a
    /// head, or when a decoder did not run.
    Tensor logits;

    // Of an encoder–decoder model `layers` and `hidden` are the encoder's; these are empty when
    // there was no target.
    std::vector<LayerCapture> decoderLayers; ///< target to target, L = S = T
    std::vector<LayerCapture> crossLayers;   ///< target to source, L = T
    std::vector<Tensor> decoderHidden;       ///< [B, T, d_model], as `hidden`
};
using ModelRunPtr = std::shared_ptr<const ModelRun>;

/// A checkpoint that can run. Weights stay in the mapped file: float32 is used in place, other
/// types are converted layer by layer while they run, and tables of words in blocks of rows, so
/// memory holds one layer of them.
/// Immutable and re-entrant.
class Model {
public:
    virtual ~Model() = default;
    [[nodiscard]] virtual const ModelConfig& config() const = 0;
    /// Whether the file has what turns hidden states into predictions of tokens.
    [[nodiscard]] virtual bool hasHead() const = 0;
    /// One forward pass. Positions count from 0 at the first column, padding included, as
    /// Hugging Face's forward() does, unless positionsSkipPadding. A row that may attend to nothing
    /// (padding on the left of a causal model) has weights of 0. Progress counts layers.
    /// @return Code::InvalidArgument for ids, lengths or a mask that do not fit; Code::NotFound or
    /// Code::InvalidShape naming a tensor; Code::OutOfMemory with the number, before anything is
    /// computed; Code::Cancelled.
    /// @complexity O(layers · B · (L · d_model² + L² · d_model)); memory O(layers · B · L ·
    /// d_model) for what is captured.
    [[nodiscard]] virtual Expected<ModelRunPtr> run(const ModelInput& input,
                                                    const Execution& execution) const = 0;
    /// Logits [B, L, vocabulary] of the last hidden state of a run of all layers (of the decoder,
    /// where there is one), or of some rows of it: [B, L, d_model].
    /// @return Code::Unsupported without a head; Code::InvalidShape; Code::OutOfMemory with the
    /// number; Code::Cancelled. @complexity O(B · L · vocabulary · d_model).
    [[nodiscard]] virtual Expected<Tensor> logits(const Tensor& hidden,
                                                  const Execution& execution) const = 0;
};
using ModelPtr = std::shared_ptr<const Model>;

/// A model of settings and named tensors. Prefixes of the names ("bert.", "model.") may be there or
/// not. The tensors every layer needs are looked up now, by name and shape; no number is read.
/// @return Code::NotFound naming a missing tensor, Code::InvalidShape naming one of another shape.
[[nodiscard]] Expected<ModelPtr> makeModel(const ModelConfig& config, ArrayFilePtr tensors,
                                           BackendPtr backend);

/// The model in a folder that holds config.json and model.safetensors, or the index of several, or
/// pytorch_model.bin; or in a .gguf file, or the first of several.
/// @return also the errors of readModelConfig() and openArrays().
[[nodiscard]] Expected<ModelPtr> openModel(const std::filesystem::path& path, BackendPtr backend);

} // namespace heed
