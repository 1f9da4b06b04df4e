// What expressions explain a mask that was made elsewhere.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/mask.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heed {

struct MaskCell {
    std::int64_t item = 0;
    std::int64_t head = 0;
    std::int64_t query = 0;
    std::int64_t key = 0;
    bool operator==(const MaskCell&) const = default;
};

struct MaskExplanation {
    /// In normal form; compiles for the context of the mask.
    std::string expression;
    std::int64_t extra = 0;   ///< cells that the mask keeps and the expression does not
    std::int64_t missing = 0; ///< the reverse
    /// The first 100 of both, by item, head, query and key.
    std::vector<MaskCell> firstCells;

    [[nodiscard]] bool isExact() const { return extra == 0 && missing == 0; }
};

/// Names the families of docs/masks.md, with their numbers, that make @p mask.
///
/// All explanations that fit exactly and have no part too many: those of few parts before those of
/// many, then families with few numbers first, complements last. One mask has several where its
/// size hides the difference, as `causal` and `window(8)` of 8 queries. An explanation whose
/// numbers make its family another one, such as strided(1), is left out. Padding is found at either
/// end of the keys, for each item on its own. Families that are lists and can say much (groups,
/// blocks, tree, swin, bigbird) are named only where no other fits.
///
/// When none fits, the at most three expressions found that differ in the fewest cells, the nearest
/// first; without those families. Never empty.
///
/// @return Code::Cancelled; Code::OutOfMemory.
/// @threadsafe Re-entrant.
/// @complexity Some tens of times the ranges of the distinct planes when an explanation fits, some
///             hundreds otherwise; memory of O(B·H + L + S) beside the mask.
[[nodiscard]] Expected<std::vector<MaskExplanation>> recogniseMask(const CompiledMask& mask,
                                                                   const Execution& execution = {});

} // namespace heed
