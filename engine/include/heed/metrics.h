// Numbers that describe a head.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/maps.h"
#include "heed/text.h"

namespace heed {

/// Means over the query rows of one map that are real (not padding) and have an allowed key. A mean
/// over no row is NaN.
struct HeadMetrics {
    double entropy = 0; ///< nats, −Σ w ln w
    double relativeEntropy =
        0;               ///< entropy ÷ ln(visible keys), rows with 1 visible key left out; 0…1
    double distance = 0; ///< Σ w |i − j| (Vig & Belinkov 2019)
    double previousToken = 0;   ///< mass on j = i − 1, rows i ≥ 1
    double self = 0;            ///< mass on j = i
    double firstTokenSink = 0;  ///< mass on key 0, rows i ≥ 1 (Gu et al. 2024; Xiao et al. 2023)
    double confidence = 0;      ///< mean of the row maximum (Voita et al. 2019)
    std::int64_t rows = 0;      ///< rows that entered
    std::int64_t emptyRows = 0; ///< real rows with nothing allowed
};

/// @param realQueries rows that count, as a mask of L flags; empty = all.
/// @complexity one pass over the map, O(L·S·D), memory O(TileSide · S).
[[nodiscard]] Expected<HeadMetrics> headMetrics(const AttentionMaps& maps, const MapIndex& map,
                                                const std::vector<bool>& realQueries,
                                                const Execution& execution);

/// Flags of the real (not padding) tokens of item @p item.
[[nodiscard]] std::vector<bool> realTokens(const Batch& batch, std::int64_t item);

struct Link {
    std::int64_t query = 0;
    std::int64_t key = 0;
    float weight = 0;
};
/// The @p count strongest cells of a map, strongest first, ties by (query, key).
[[nodiscard]] Expected<std::vector<Link>> strongestLinks(const AttentionMaps& maps,
                                                         const MapIndex& map, std::int64_t count,
                                                         const Execution& execution);

} // namespace heed
