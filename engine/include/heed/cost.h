// What attention costs in memory and arithmetic, from shapes alone: nothing is computed.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/mask.h"

#include <cstdint>

namespace heed {

/// Bytes of the RowStats of one row.
inline constexpr std::int64_t RowStatsBytes = 5 * sizeof(float) + 2 * sizeof(std::int64_t);

/// The sizes of all maps of a run. Query heads share key heads; 0 key heads = as many as heads.
struct CostShape {
    std::int64_t layers = 1;     ///< N
    std::int64_t items = 1;      ///< B
    std::int64_t heads = 1;      ///< H
    std::int64_t keyHeads = 0;   ///< Hkv
    std::int64_t queries = 0;    ///< L
    std::int64_t keys = 0;       ///< S
    std::int64_t width = 0;      ///< D
    std::int64_t valueWidth = 0; ///< Dv; 0 = there is no V
};

/// Bytes of float32 numbers, 2^63 − 1 where they are more than that.
struct Cost {
    /// N·B·H·L·S numbers: what a program keeps that stores the weights. Heedmap does not.
    std::int64_t storedWeights = 0;
    std::int64_t projections = 0; ///< q, k and v
    std::int64_t rowStats = 0;    ///< of every map
    double cells = 0;             ///< N·B·H·L·S
    /// Of one pass over all cells, masked ones too: D for a score, Dv more for weights·V.
    double scoreMultiplyAdds = 0;
    double valueMultiplyAdds = 0;
};
[[nodiscard]] Cost costOf(const CostShape& shape);

/// What a compiled mask holds, and what it leaves to compute.
struct MaskCost {
    std::int64_t bytes = 0; ///< of its planes; equal ones are shared and count once
    double keptCells = 0;   ///< of all items and heads
};
/// @complexity O(L) for each distinct plane, O(B·H) beside.
[[nodiscard]] MaskCost costOf(const CompiledMask& mask);

/// Bytes of a full tile of the pyramid.
[[nodiscard]] std::int64_t tileBytes();

} // namespace heed
