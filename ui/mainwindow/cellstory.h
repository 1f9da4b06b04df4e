// How one number of a map came about, step by step.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/backend.h"
#include "heed/run.h"
#include "models/selection.h"

#include <optional>
#include <vector>

namespace heed::ui {

/// The arithmetic of one cell in float64, from Q and K of the run.
struct CellStory {
    double dot = 0; ///< q·k
    double scale = 1;
    double scaled = 0;       ///< dot · scale
    double softCap = 0;      ///< 0 = scores are not capped
    double capped = 0;       ///< softCap · tanh(scaled / softCap), or scaled
    bool hasBias = false;    ///< the model adds a number by distance (T5)
    double bias = 0;         ///< that number, of a kept cell
    MaskReasons reasons = 0; ///< 0 = kept
    double rowMax = 0;       ///< of the kept scores of the row
    double sum = 0;          ///< Σ exp(capped + bias − rowMax) over the kept keys
    double exponential = 0;  ///< exp(capped + bias − rowMax); 0 when masked
    double weight = 0;
    std::int64_t kept = 0;        ///< keys the row may attend to
    std::vector<double> products; ///< q_c · k_c per dimension
};

/// @param row statistics of the one row of the cell.
/// @return nothing when the run has no Q and K (finished maps), or the cell is outside.
/// @complexity O(D).
[[nodiscard]] std::optional<CellStory> cellStory(const Run& run, const RowStats& row,
                                                 const MapIndex& map, const CellRef& cell);

/// Rank of the cell among the kept keys of its row (1 = largest) and the share of the row's largest
/// weight.
struct CellRank {
    std::int64_t rank = 0;
    double topShare = 0;
};

/// @return nothing also when the row is masked or longer than is worth the time between two moves
/// of the pointer (2^20 multiplications).
[[nodiscard]] std::optional<CellRank> cellRank(const Run& run, const RowStats& row,
                                               const MapIndex& map, const CellRef& cell);

} // namespace heed::ui
