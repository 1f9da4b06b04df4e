// Numbers that describe a head, from row statistics and a few windows of weights.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>
#include <optional>

namespace heed {

namespace {

class Mean {
public:
    void add(double value)
    {
        m_sum += value;
        ++m_count;
    }
    /// NaN without values.
    [[nodiscard]] double value() const { return m_sum / static_cast<double>(m_count); }

private:
    double m_sum = 0;
    std::int64_t m_count = 0;
};

std::string mapText(const MapIndex& map)
{
    return "layer " + std::to_string(map.layer) + ", item " + std::to_string(map.item) + ", head " +
           std::to_string(map.head);
}

/// Single cells of weights at (row, column), no pooling.
Expected<TileTexels> weightsAt(const AttentionMaps& maps, const MapIndex& map, std::int64_t row,
                               std::int64_t rows, std::int64_t column, std::int64_t columns,
                               const Execution& execution)
{
    TileSpec spec;
    spec.row = row;
    spec.rows = rows;
    spec.column = column;
    spec.columns = columns;
    return maps.window(map, spec, execution);
}

Expected<void> requireWeights(const AttentionMaps& maps, const MapIndex& map)
{
    if (!maps.offers(Quantity::Weights)) {
        return fail(Code::Unsupported,
                    "Head metrics are made of attention weights, which these maps do not hold.",
                    mapText(map));
    }
    return {};
}

/// A row with no key allowed, or none with a score above −inf: all its weights are 0.
bool isEmptyRow(const RowStats& stats, std::size_t row)
{
    return stats.max[row] == -std::numeric_limits<float>::infinity();
}

/// The largest weight of a row; NaN when the row holds one.
double largestWeight(const AttentionMaps& maps, const RowStats& stats, std::size_t row)
{
    if (isEmptyRow(stats, row)) {
        return 0;
    }
    // Stored weights need not sum to 1, and have the logarithm of the largest as their max.
    return maps.offers(Quantity::Masked) ? 1.0 / static_cast<double>(stats.sum[row])
                                         : std::exp(static_cast<double>(stats.max[row]));
}

Expected<HeadMetrics> measure(const AttentionMaps& maps, const MapIndex& map,
                              const std::vector<bool>& realQueries, const Execution& execution)
{
    const MapsShape shape = maps.shape();
    Execution quiet = execution;
    quiet.progress = {};
    const auto stats = maps.rowStats(map, execution);
    if (!stats) {
        return tl::unexpected(stats.error());
    }
    const RowStats& rows = **stats;
    HeadMetrics metrics;
    Mean entropy;
    Mean relativeEntropy;
    Mean distance;
    Mean previousToken;
    Mean self;
    Mean sink;
    Mean confidence;
    for (std::int64_t begin = 0; begin < shape.queries; begin += TileSide) {
        const std::int64_t count = std::min(TileSide, shape.queries - begin);
        // Only key 0 and the cells along the diagonal are needed: O(L · TileSide), not O(L · S).
        const auto first = weightsAt(maps, map, begin, count, 0, 1, quiet);
        if (!first) {
            return tl::unexpected(first.error());
        }
        const std::int64_t left = std::max<std::int64_t>(0, begin - 1);
        const std::int64_t right = std::min(shape.keys, begin + count);
        std::optional<TileTexels> diagonal;
        if (left < right) {
            auto read = weightsAt(maps, map, begin, count, left, right - left, quiet);
            if (!read) {
                return tl::unexpected(read.error());
            }
            diagonal = std::move(*read);
        }
        const auto near = [&](std::int64_t r, std::int64_t key) {
            return static_cast<double>(
                diagonal->values[static_cast<std::size_t>(r * (right - left) + key - left)]);
        };
        for (std::int64_t r = 0; r < count; ++r) {
            const std::int64_t query = begin + r;
            const auto row = static_cast<std::size_t>(query);
            if (!realQueries.empty() && !realQueries[row]) {
                continue;
            }
            if (isEmptyRow(rows, row)) {
                ++metrics.emptyRows;
                continue;
            }
            ++metrics.rows;
            entropy.add(static_cast<double>(rows.entropy[row]));
            if (rows.kept[row] > 1) {
                relativeEntropy.add(static_cast<double>(rows.entropy[row]) /
                                    std::log(static_cast<double>(rows.kept[row])));
            }
            distance.add(static_cast<double>(rows.distance[row]));
            confidence.add(largestWeight(maps, rows, row));
            if (query < shape.keys) {
                self.add(near(r, query));
            }
            if (query >= 1) {
                sink.add(static_cast<double>(first->values[static_cast<std::size_t>(r)]));
                if (query - 1 < shape.keys) {
                    previousToken.add(near(r, query - 1));
                }
            }
        }
    }
    metrics.entropy = entropy.value();
    metrics.relativeEntropy = relativeEntropy.value();
    metrics.distance = distance.value();
    metrics.previousToken = previousToken.value();
    metrics.self = self.value();
    metrics.firstTokenSink = sink.value();
    metrics.confidence = confidence.value();
    return metrics;
}

/// Stronger first; of equal weights, the earlier query, then the earlier key.
bool comesBefore(const Link& a, const Link& b)
{
    if (a.weight != b.weight) {
        return a.weight > b.weight;
    }
    return a.query != b.query ? a.query < b.query : a.key < b.key;
}

/// Keeps the best `most` links: a heap whose top is the weakest of them.
class BestLinks {
public:
    explicit BestLinks(std::size_t most)
        : m_most(most)
    {
    }

    void offer(const Link& link)
    {
        if (m_links.size() == m_most) {
            if (!comesBefore(link, m_links.front())) {
                return;
            }
            std::ranges::pop_heap(m_links, comesBefore);
            m_links.pop_back();
        }
        m_links.push_back(link);
        std::ranges::push_heap(m_links, comesBefore);
    }

    /// Whether a link of this weight could still enter.
    [[nodiscard]] bool admits(double weight) const
    {
        // The row maximum comes from two rounded numbers; a little slack loses no link.
        constexpr double slack = 1.0 + 1e-5;
        return m_links.size() < m_most ||
               weight * slack >= static_cast<double>(m_links.front().weight);
    }

    [[nodiscard]] std::vector<Link> sorted() &&
    {
        std::ranges::sort(m_links, comesBefore);
        return std::move(m_links);
    }

private:
    std::size_t m_most;
    std::vector<Link> m_links;
};

Expected<std::vector<Link>> findStrongest(const AttentionMaps& maps, const MapIndex& map,
                                          std::int64_t count, const Execution& execution)
{
    const MapsShape shape = maps.shape();
    const auto stats = maps.rowStats(map, execution);
    if (!stats) {
        return tl::unexpected(stats.error());
    }
    Execution quiet = execution;
    quiet.progress = {};

    // Bands of rows, the one with the largest weight first: most are then never computed.
    struct Band {
        std::int64_t begin = 0;
        double largest = 0;
    };
    std::vector<Band> bands;
    for (std::int64_t begin = 0; begin < shape.queries; begin += TileSide) {
        Band band{begin, 0};
        const std::int64_t end = std::min(shape.queries, begin + TileSide);
        for (std::int64_t query = begin; query < end; ++query) {
            const double weight = largestWeight(maps, **stats, static_cast<std::size_t>(query));
            band.largest = std::max(band.largest, std::isnan(weight) ? 1.0 : weight);
        }
        bands.push_back(band);
    }
    std::ranges::stable_sort(bands, std::greater{}, &Band::largest);

    BestLinks best(static_cast<std::size_t>(count));
    for (const Band& band : bands) {
        if (!best.admits(band.largest)) {
            break;
        }
        const std::int64_t rows = std::min(TileSide, shape.queries - band.begin);
        const auto weights = weightsAt(maps, map, band.begin, rows, 0, shape.keys, quiet);
        if (!weights) {
            return tl::unexpected(weights.error());
        }
        for (std::int64_t r = 0; r < rows; ++r) {
            for (std::int64_t key = 0; key < shape.keys; ++key) {
                const float weight =
                    weights->values[static_cast<std::size_t>(r * shape.keys + key)];
                if (weight > 0) { // not masked, not underflown, not NaN
                    best.offer({band.begin + r, key, weight});
                }
            }
        }
    }
    return std::move(best).sorted();
}

} // namespace

Expected<HeadMetrics> headMetrics(const AttentionMaps& maps, const MapIndex& map,
                                  const std::vector<bool>& realQueries, const Execution& execution)
{
    if (auto weights = requireWeights(maps, map); !weights) {
        return tl::unexpected(weights.error());
    }
    const std::int64_t queries = maps.shape().queries;
    if (!realQueries.empty() && static_cast<std::int64_t>(realQueries.size()) != queries) {
        return fail(Code::InvalidArgument, std::to_string(realQueries.size()) +
                                               " flags were given for " + std::to_string(queries) +
                                               " query rows.");
    }
    try {
        return measure(maps, map, realQueries, execution);
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory for the head metrics.", mapText(map));
    }
}

std::vector<bool> realTokens(const Batch& batch, std::int64_t item)
{
    std::vector<bool> real;
    HEED_CHECK(item >= 0 && item < batch.size(), return real);
    for (const Token& token : batch.items[static_cast<std::size_t>(item)]) {
        real.push_back(!token.isPadding);
    }
    return real;
}

Expected<std::vector<Link>> strongestLinks(const AttentionMaps& maps, const MapIndex& map,
                                           std::int64_t count, const Execution& execution)
{
    if (auto weights = requireWeights(maps, map); !weights) {
        return tl::unexpected(weights.error());
    }
    if (count < 1) {
        return fail(Code::InvalidArgument,
                    "The number of links must be at least 1, not " + std::to_string(count) + ".");
    }
    const MapsShape shape = maps.shape();
    const std::int64_t most = std::min(count, shape.queries * shape.keys);
    const auto bytes = elementCount({most, static_cast<std::int64_t>(sizeof(Link))});
    if (!bytes) {
        return tl::unexpected(bytes.error());
    }
    if (auto fits = checkMemory(*bytes, "The list of links", execution); !fits) {
        return tl::unexpected(fits.error());
    }
    try {
        return findStrongest(maps, map, most, execution);
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory for the list of links.", mapText(map));
    }
}

} // namespace heed
