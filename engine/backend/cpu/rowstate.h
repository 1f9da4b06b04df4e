// What the rows of a panel have seen so far.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "scores.h"

#include <array>

namespace heed::cpu {

template <typename T>
using PerLane = std::array<T, static_cast<std::size_t>(PanelWidth)>;

/// Online softmax of every lane (Milakov & Gimelshein 2018): sums around the running maximum,
/// Σ e, Σ e · (max − s), Σ e · |i − j| with e = exp(s − max). Masked scores are −inf and add
/// nothing. NaN makes the sum NaN, +inf the maximum.
struct RowStates {
    alignas(64) PerLane<float> max;
    alignas(64) PerLane<double> sum;
    alignas(64) PerLane<double> drop;
    alignas(64) PerLane<double> distance;
    alignas(64) PerLane<std::int32_t> argmax;

    void clear();
    /// Takes the maximum of the block's keys from @p begin on and, where it rises, shrinks the
    /// sums.
    /// @param blockMax of each lane. @param factors the shrinking of each lane, 1 where nothing
    /// rose. @return whether anything did.
    bool raise(const Block& block, std::int64_t first, std::int64_t begin,
               const PerLane<float>& blockMax, PerLane<double>& factors);
    /// What exponents are taken around: the maximum, or 0 for a lane without one.
    [[nodiscard]] FloatV center(int half) const
    {
        const FloatV v = load(max.data() + half * Lanes);
        return v == -Infinity ? FloatV{} : v;
    }
    [[nodiscard]] bool isBroken(std::int64_t lane) const
    {
        const auto at = static_cast<std::size_t>(lane);
        return sum[at] != sum[at] || max[at] == Infinity;
    }
};

/// The largest of the rows [begin, end) of a block, lane by lane, NaN passed over.
void maxOfBlock(const Block& block, std::int64_t begin, std::int64_t end, PerLane<float>& max);

} // namespace heed::cpu
