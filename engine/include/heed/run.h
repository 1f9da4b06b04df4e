// From a source (text, arrays, files) to everything attention computes with it.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/layer.h"
#include "heed/maps.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heed {

/// Everything the user said; a value. Window, command line and session files share it.
struct Source {
    std::vector<std::string> lines;        ///< text, one batch item each
    std::vector<std::string> contextLines; ///< second text: cross attention (keys and values)
    std::string tokenizer = "words";
    PadSide padSide = PadSide::Right;
    std::int64_t padTo = 0;

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

/// The outcome. Immutable; parts that an array source skips are empty or null.
class Run {
public:
    virtual ~Run() = default;
    [[nodiscard]] virtual const Source& source() const = 0;
    [[nodiscard]] virtual const Batch&
    queryTokens() const = 0; ///< "0", "1", … for arrays without labels
    [[nodiscard]] virtual const Batch&
    keyTokens() const = 0; ///< the same as queryTokens for self attention
    [[nodiscard]] virtual const LayerConfig& layer() const = 0; ///< after loading weights
    [[nodiscard]] virtual float scale() const = 0;
    [[nodiscard]] virtual const Tensor* x() const = 0; ///< [B, L, d_model]
    [[nodiscard]] virtual const Tensor* q() const = 0; ///< [1, B, H, L, D]
    [[nodiscard]] virtual const Tensor* k() const = 0; ///< [1, B, Hkv, S, D]
    [[nodiscard]] virtual const Tensor* v() const = 0; ///< [1, B, Hkv, S, Dv]
    [[nodiscard]] virtual MapsPtr maps() const = 0;
    [[nodiscard]] virtual MaskPtr mask() const = 0; ///< null when none is known (maps from a file)
    [[nodiscard]] virtual BackendPtr backend() const = 0;
    /// weights·V per head, [1, B, H, L, Dv]; computed on each call.
    /// @return Code::Unsupported when there is no V.
    [[nodiscard]] virtual Expected<Tensor> headOutput(const Execution& execution) const = 0;
    /// concat(heads)·W_O + b, [1, B, L, d_model]. @return Code::Unsupported when there is no W_O.
    [[nodiscard]] virtual Expected<Tensor> output(const Execution& execution) const = 0;
};
using RunPtr = std::shared_ptr<const Run>;

/// Tokenizes, embeds, projects, compiles the mask.
/// @param previous an earlier run: steps whose inputs did not change are taken from it (a mask
/// change keeps
///        Q, K and V). May be null.
/// @return what validate(), makeBatch(), compileMask(), openArrays(), loadWeights() say;
/// Code::OutOfMemory when over the
///         budget; Code::InvalidArgument for options that exclude each other (names both).
[[nodiscard]] Expected<RunPtr> compute(const Source& source, const BackendPtr& backend,
                                       const Execution& execution,
                                       const RunPtr& previous = nullptr);

} // namespace heed
