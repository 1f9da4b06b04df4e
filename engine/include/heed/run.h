// From a source (text, arrays, files) to everything attention computes with it.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/attentionset.h"
#include "heed/layer.h"
#include "heed/maps.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heed {

struct ModelConfig;
class VocabularyTokenizer;

/// Everything the user said; a value. Window, command line and session files share it.
struct Source {
    std::vector<std::string> lines;        ///< text, one batch item each
    std::vector<std::string> contextLines; ///< second text: cross attention (keys and values)
    std::string tokenizer = "words";
    std::filesystem::path tokenizerFile; ///< --tokenizer FILE, instead of the named one
    PadSide padSide = PadSide::Right;
    std::int64_t padTo = 0;

    /// --model: the folder or file of a checkpoint; empty = the sandbox, one layer of `layer`.
    std::filesystem::path model;
    std::vector<std::vector<std::int64_t>> ids; ///< --ids of a model, instead of text
    std::vector<std::string> pairLines;         ///< --text-pair: a second text for each line
    bool specialTokens = true;                  ///< a model's own tokens around the text
    /// --target: what the decoder of an encoder–decoder model is given for each line, behind its
    /// start token. Blank or none: that token alone.
    std::vector<std::string> targetLines;
    std::vector<std::vector<std::int64_t>> targetIds; ///< --target-ids, start token included
    AttentionSet attention = AttentionSet::Encoder;   ///< of such a model, whose maps are shown
    /// The layer of a model that the user's mask acts on while everything that comes into it stays
    /// as without; −1 = every layer, what the model would do. Layers are those of `attention`.
    std::int64_t maskLayer = -1;
    /// Layers of a model after this one are neither read nor run; −1, or one that it lacks: all
    /// are; an encoder with a decoder always runs whole. A model cut short predicts nothing.
    std::int64_t lastLayer = -1;

    LayerConfig layer;
    std::filesystem::path weights; ///< --weights
    std::filesystem::path input;   ///< --input, instead of text
    std::filesystem::path context; ///< --context, arrays instead of contextLines
    std::filesystem::path qkv;     ///< --qkv, skips the projections
    std::filesystem::path maps;    ///< --maps, finished maps

    bool padding = false;   ///< mask padded keys
    bool causal = false;    ///< hide later keys
    std::string mask;       ///< further expression, combined with AND
    std::string maskFolder; ///< where file("…") is looked for

    bool operator==(const Source&) const = default;
};

/// "padding & causal & (…)", or "none".
[[nodiscard]] std::string maskExpression(const Source& source);

/// Whether queries are of one text and keys of another.
[[nodiscard]] bool isCross(const Source& source);

/// The outcome. Immutable; parts that an array source skips are empty or null.
class Run {
public:
    virtual ~Run() = default;
    [[nodiscard]] virtual const Source& source() const = 0;
    [[nodiscard]] virtual const Batch&
    queryTokens() const = 0; ///< "0", "1", … for arrays without labels
    [[nodiscard]] virtual const Batch&
    keyTokens() const = 0; ///< the same as queryTokens for self attention
    /// After loading weights; of a model what a layer alone has, too.
    [[nodiscard]] virtual const LayerConfig& layer() const = 0;
    [[nodiscard]] virtual const Tensor* x() const = 0; ///< [B, L, d_model]
    [[nodiscard]] virtual MapsPtr maps() const = 0;
    [[nodiscard]] virtual BackendPtr backend() const = 0;

    // Of one layer, counted from 0; the layers of a run have equal shapes.
    [[nodiscard]] virtual const Tensor* q(std::int64_t layer) const = 0; ///< [B, H, L, D]
    [[nodiscard]] virtual const Tensor* k(std::int64_t layer) const = 0; ///< [B, Hkv, S, D]
    [[nodiscard]] virtual const Tensor* v(std::int64_t layer) const = 0; ///< [B, Hkv, S, Dv]
    [[nodiscard]] virtual float scale(std::int64_t layer) const = 0;
    /// c of c · tanh(scaled / c); 0 = scores are not capped.
    [[nodiscard]] virtual float softCap(std::int64_t /*layer*/) const { return 0; }
    /// Null when none is known (maps from a file).
    [[nodiscard]] MaskPtr mask(std::int64_t layer) const { return maps()->mask(layer); }
    /// weights·V per head, [B, H, L, Dv]; computed on each call.
    /// @return Code::Unsupported when there is no V.
    [[nodiscard]] virtual Expected<Tensor> headOutput(std::int64_t layer,
                                                      const Execution& execution) const = 0;
    /// concat(heads)·W_O + b, [B, L, d_model]. @return Code::Unsupported when there is no W_O.
    [[nodiscard]] virtual Expected<Tensor> output(std::int64_t layer,
                                                  const Execution& execution) const = 0;

    /// What a person should know about the numbers although nothing failed.
    [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }

    // Of a model; a layer alone has none of these.
    [[nodiscard]] virtual const ModelConfig* model() const { return nullptr; }
    /// Null also where a checkpoint came without one.
    [[nodiscard]] virtual const VocabularyTokenizer* tokenizer() const { return nullptr; }
    /// [B, L, d_model]: what comes into layer @p index; for index N what comes out of the last,
    /// after the final norm (but of a model cut short). Rows are queryTokens(); those of padding
    /// mean nothing.
    [[nodiscard]] virtual const Tensor* hidden(std::int64_t /*index*/) const { return nullptr; }
    /// Whether logits() are to be had.
    [[nodiscard]] virtual bool predicts() const { return false; }
    /// The tokens that logits() are of: those of the decoder where there is one, whichever maps are
    /// shown; else the same object as queryTokens().
    [[nodiscard]] virtual const Batch& predictingTokens() const { return queryTokens(); }
    /// Logits of @p count tokens from @p first on, [count, vocabulary]; computed on each call.
    /// @return Code::Unsupported where there is nothing that predicts; Code::InvalidArgument for
    /// tokens that are not there; Code::OutOfMemory. @complexity O(count · vocabulary · d_model).
    [[nodiscard]] virtual Expected<Tensor> logits(std::int64_t /*item*/, std::int64_t /*first*/,
                                                  std::int64_t /*count*/,
                                                  const Execution& /*execution*/) const
    {
        return fail(Code::Unsupported, "This source predicts no tokens.");
    }
};
using RunPtr = std::shared_ptr<const Run>;

/// Tokenizes, embeds, projects, compiles the mask; a model runs all its layers.
/// @param previous an earlier run: steps whose inputs did not change are taken from it (a mask
/// change keeps Q, K and V of a layer, and the opened files of a model). May be null.
/// @return what validate(), makeBatch(), compileMask(), openArrays(), loadWeights(), openModel(),
/// openTokenizer() and Model::run() say; Code::OutOfMemory when over the budget;
/// Code::InvalidArgument for options that exclude each other (names both).
[[nodiscard]] Expected<RunPtr> compute(const Source& source, const BackendPtr& backend,
                                       const Execution& execution,
                                       const RunPtr& previous = nullptr);

} // namespace heed
