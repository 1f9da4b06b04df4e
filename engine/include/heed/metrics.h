// Numbers that describe a head.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/maps.h"
#include "heed/text.h"

#include <span>
#include <string_view>

namespace heed {

/// Means over the query rows of one map that are real (not padding) and have an allowed key. A mean
/// over no row is NaN, and so is what depends on tokens that are not known. One text's numbers are
/// not a property of the model.
struct HeadMetrics {
    double entropy = 0;         ///< −Σ w ln w, nats (Clark et al. 2019; Vig & Belinkov 2019)
    double relativeEntropy = 0; ///< entropy ÷ ln(visible keys), rows of 1 visible key left out; 0…1
    // The next four compare positions, and are NaN where keys are of another text.
    double distance = 0; ///< Σ w |i − j| (Vig & Belinkov 2019)
    /// Mass on j = i − 1, rows with such a key: with L > S not those past it (Clark et al. 2019;
    /// TransformerLens, head detector).
    double previousToken = 0;
    double nextToken = 0;      ///< mass on j = i + 1, rows with such a key (Clark et al. 2019)
    double self = 0;           ///< mass on j = i, rows with such a key
    double firstTokenSink = 0; ///< mass on key 0, rows i ≥ 1 (Gu et al. 2024; Xiao et al. 2023)
    /// Mass on keys j < i that are the token of query i (TransformerLens, head detector).
    double duplicateToken = 0;
    /// Mass on keys 1 ≤ j ≤ i after a token that is that of query i (Olsson et al. 2022;
    /// TransformerLens, head detector).
    double induction = 0;
    double delimiter = 0;       ///< mass on separators and punctuation (Clark et al. 2019)
    double confidence = 0;      ///< mean row maximum, special symbols left out (Voita et al. 2019)
    double top1 = 0;            ///< mass on the strongest key: the mean row maximum
    double top5 = 0;            ///< mass on the 5 strongest keys
    double top10 = 0;           ///< mass on the 10 strongest keys
    std::int64_t rows = 0;      ///< rows that entered
    std::int64_t emptyRows = 0; ///< real rows with nothing allowed
    /// Rows of stored weights that do not sum to 1. They enter as they are.
    std::int64_t unevenRows = 0;
};

/// One number of HeadMetrics.
struct Metric {
    std::string_view name;    ///< in JSON, CSV and sessions: "first_token_sink"
    std::string_view heading; ///< in a table: "sink"
    std::string_view meaning; ///< what it is a mean of, a phrase; high values mean much of it
    double HeadMetrics::*value = nullptr;
    bool isShare = true; ///< in 0…1
};
/// All of them, in the order of HeadMetrics.
[[nodiscard]] std::span<const Metric> metricList();
/// By name or heading; null when there is none.
[[nodiscard]] const Metric* findMetric(std::string_view name);

/// What the metrics need to know of the tokens of one batch item.
struct MapTokens {
    std::vector<bool> real = {};            ///< query rows that count, L flags; empty = all
    std::vector<bool> special = {};         ///< rows that `confidence` leaves out, L; empty = none
    std::vector<std::int32_t> queries = {}; ///< as in TokenRoles; empty = not known
    std::vector<std::int32_t> keys = {};
    std::vector<std::uint8_t> delimiters = {};
    bool isOneText = true; ///< position i of the queries is that of the keys

    [[nodiscard]] TokenRoles roles() const { return {queries, keys, delimiters}; }
};
/// Numbers that stand in for tokens nobody knows have no roles. Duplicates and induction need one
/// text: with other keys than queries, `queries` stays empty. Where one is the beginning of the
/// other, their positions are still those of one text.
[[nodiscard]] MapTokens mapTokens(const Batch& queries, const Batch& keys, std::int64_t item);

/// @return Code::Unsupported for maps without weights, Code::InvalidArgument for flags of another
/// number than rows, and what AttentionMaps::rowFacts() says.
/// @complexity one pass over the map, O(L·S·D), memory O(L).
[[nodiscard]] Expected<HeadMetrics> headMetrics(const AttentionMaps& maps, const MapIndex& map,
                                                const MapTokens& tokens,
                                                const Execution& execution);

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
