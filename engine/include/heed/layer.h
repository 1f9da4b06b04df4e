// One multi-head attention layer: its settings, its weights, its input.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/arrayfile.h"
#include "heed/error.h"
#include "heed/execution.h"
#include "heed/tensor.h"
#include "heed/text.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heed {

enum class Positions { None, Sinusoidal, Rotary };

struct LayerConfig {
    std::int64_t modelWidth = 64; ///< d_model, 1…65536
    std::int64_t heads = 8;       ///< H, divides d_model
    std::int64_t kvHeads = 0;     ///< Hkv, divides H; 0 = H
    std::uint64_t seed = 0;
    Positions positions = Positions::Sinusoidal;
    bool scaled = true; ///< multiply scores by 1/√D
    bool biased = true;
    /// D of weights whose H·D is not d_model; loadWeights() sets it. 0 = d_model/H.
    std::int64_t headSize = 0;

    [[nodiscard]] std::int64_t headWidth() const ///< D
    {
        return headSize == 0 ? modelWidth / heads : headSize;
    }
    [[nodiscard]] std::int64_t keyValueHeads() const { return kvHeads == 0 ? heads : kvHeads; }
    [[nodiscard]] float scale() const; ///< 1/√D, or 1
    bool operator==(const LayerConfig&) const = default;
};

/// Checks the numbers of @p config.
/// @return Code::InvalidArgument in the pattern "d_model 1600 cannot be split into 48 heads (1600 ÷
/// 48 = 33
///         remainder 16). Every head needs the same width. Heads that fit near 48: 40, 50.";
///         likewise for H ÷ Hkv, for an odd D with rotary positions, and for sizes out of range.
[[nodiscard]] Expected<void> validate(const LayerConfig& config);

/// Divisors of @p whole next to @p wanted on both sides, ascending, at most @p count.
[[nodiscard]] std::vector<std::int64_t> nearestDivisors(std::int64_t whole, std::int64_t wanted,
                                                        int count);

/// The projections, as torch.nn.Linear keeps them: weight [out, in]. Biases may be empty.
/// wq [H·D, d_model], wk and wv [Hkv·D, d_model], wo [d_model, H·D].
struct LayerWeights {
    Tensor wq, wk, wv, wo;
    Tensor bq, bk, bv, bo;
};

/// Weights drawn from the seed as torch.nn.Linear initialises: uniform in ±1/√fan_in (bias too; He
/// et al. 2015 with a = √5). Generator: Philox4x32-10 (Salmon et al. 2011), one stream per matrix:
/// equal on every machine. @pre validate(config).
/// @return Code::OutOfMemory, Code::Cancelled.
[[nodiscard]] Expected<LayerWeights> makeWeights(const LayerConfig& config,
                                                 const Execution& execution = {});

/// Weights of a module state: `w_q.weight`, `w_k.weight`, `w_v.weight`, `w_o.weight` with optional
/// `.bias` (capital `W_q` too, and `q_proj.weight` … `o_proj|out_proj.weight`), or
/// `in_proj_weight`/`in_proj_bias`/`out_proj.weight`/`out_proj.bias`; any common prefix. d_model
/// and Hkv are read off the shapes and written into @p config; its heads decide D.
/// @return Code::NotFound listing what is there and what was expected, Code::InvalidShape naming
/// the tensor, Code::InvalidArgument when the file holds several layers, Code::OutOfMemory before
/// anything is read.
[[nodiscard]] Expected<LayerWeights> loadWeights(const ArrayFile& file, LayerConfig& config,
                                                 const Execution& execution = {});

/// X [B, L, d_model]: an N(0,1) vector per distinct token, from (seed, token id); plus the
/// sinusoidal table when config asks for it (Vaswani et al. 2017, section 3.5). Padding has a
/// vector of its own. @return Code::OutOfMemory, Code::Cancelled.
[[nodiscard]] Expected<Tensor> embed(const Batch& batch, const LayerConfig& config,
                                     const Execution& execution = {});

/// PE[L, d]: sin(pos/10000^(2i/d)) in even, cos in odd columns; computed in float64.
[[nodiscard]] Expected<Tensor> sinusoidalTable(std::int64_t length, std::int64_t width);

/// Rotates pairs (c, c + D/2) of every row of x [B, H, L, D] by pos·10000^(−2c/D) (Su et al. 2021
/// in the "half" layout of Llama and GPT-NeoX), position = row index.
void applyRotary(Tensor& x);

} // namespace heed
