// Numbers that describe a head: means of what one pass finds of its rows.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <unordered_map>

namespace heed {

namespace {

class Means {
public:
    void add(double HeadMetrics::*metric, double value)
    {
        m_sums.*metric += value;
        m_counts.*metric += 1;
    }
    void addRow() { ++m_sums.rows; }
    void addEmptyRow() { ++m_sums.emptyRows; }
    void addUnevenRow() { ++m_sums.unevenRows; }
    /// NaN where nothing was added.
    [[nodiscard]] HeadMetrics metrics() const
    {
        HeadMetrics means = m_sums;
        for (const Metric& metric : metricList()) {
            means.*metric.value = m_sums.*metric.value / m_counts.*metric.value;
        }
        return means;
    }

private:
    HeadMetrics m_sums;
    HeadMetrics m_counts;
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

/// False for stored weights that do not sum to 1, by more than float16 rounds away.
bool isDistribution(const AttentionMaps& maps, const RowStats& stats, std::size_t row)
{
    constexpr double tolerance = 0.01;
    return maps.offers(Quantity::Masked) || !(std::abs(double{stats.lse[row]}) > tolerance);
}

/// Tokens of arrays without labels are called by their positions, and so are their identities; a
/// token of a text has a hash.
bool areKnown(const std::vector<Token>& tokens)
{
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].id != i) {
            return true;
        }
    }
    return false;
}

Expected<HeadMetrics> measure(const AttentionMaps& maps, const MapIndex& map,
                              const MapTokens& tokens, const Execution& execution)
{
    const MapsShape shape = maps.shape();
    const auto facts = maps.rowFacts(map, tokens.roles(), execution);
    if (!facts) {
        return tl::unexpected(facts.error());
    }
    const RowStats& stats = *facts->stats;
    const RowMasses& masses = facts->masses;
    const bool hasCopies = !tokens.queries.empty() && !tokens.keys.empty();
    Means means;
    for (std::int64_t query = 0; query < shape.queries; ++query) {
        const auto row = static_cast<std::size_t>(query);
        if (!tokens.real.empty() && !tokens.real[row]) {
            continue;
        }
        if (isEmptyRow(stats, row)) {
            means.addEmptyRow();
            continue;
        }
        means.addRow();
        if (!isDistribution(maps, stats, row)) {
            means.addUnevenRow();
        }
        const double entropy = double{stats.entropy[row]};
        means.add(&HeadMetrics::entropy, entropy);
        if (stats.kept[row] > 1) {
            means.add(&HeadMetrics::relativeEntropy,
                      entropy / std::log(static_cast<double>(stats.kept[row])));
        }
        if (query >= 1) {
            means.add(&HeadMetrics::firstTokenSink, double{masses.first[row]});
        }
        if (tokens.isOneText) {
            means.add(&HeadMetrics::distance, double{stats.distance[row]});
        }
        if (tokens.isOneText && query >= 1 && query - 1 < shape.keys) {
            means.add(&HeadMetrics::previousToken, double{masses.previous[row]});
        }
        if (tokens.isOneText && query < shape.keys) {
            means.add(&HeadMetrics::self, double{masses.self[row]});
        }
        if (tokens.isOneText && query + 1 < shape.keys) {
            means.add(&HeadMetrics::nextToken, double{masses.next[row]});
        }
        if (hasCopies) {
            means.add(&HeadMetrics::duplicateToken, double{masses.duplicate[row]});
            means.add(&HeadMetrics::induction, double{masses.induction[row]});
        }
        if (!tokens.delimiters.empty()) {
            means.add(&HeadMetrics::delimiter, double{masses.delimiter[row]});
        }
        const double largest = largestWeight(maps, stats, row);
        if (tokens.special.empty() || !tokens.special[row]) {
            means.add(&HeadMetrics::confidence, largest);
        }
        means.add(&HeadMetrics::top1, largest);
        means.add(&HeadMetrics::top5, double{masses.top5[row]});
        means.add(&HeadMetrics::top10, double{masses.top10[row]});
    }
    return means.metrics();
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

MapTokens mapTokens(const Batch& queries, const Batch& keys, std::int64_t item)
{
    MapTokens result;
    const auto at = static_cast<std::size_t>(item);
    if (item < 0 || item >= queries.size() || item >= keys.size()) {
        return result;
    }
    const std::vector<Token>& rows = queries.items[at];
    const std::vector<Token>& columns = keys.items[at];
    for (const Token& token : rows) {
        result.real.push_back(!token.isPadding);
        result.special.push_back(isSpecialSymbol(token));
    }
    if (!areKnown(columns)) {
        return result;
    }
    std::unordered_map<std::uint64_t, std::int32_t> numbers;
    for (const Token& token : columns) {
        const auto next = static_cast<std::int32_t>(numbers.size());
        result.keys.push_back(numbers.try_emplace(token.id, next).first->second);
        result.delimiters.push_back(isDelimiter(token) ? 1 : 0);
    }
    const auto [row, column] = std::ranges::mismatch(rows, columns, {}, &Token::id, &Token::id);
    result.isOneText = row == rows.end() || column == columns.end();
    if (row == rows.end() && column == columns.end()) {
        result.queries = result.keys;
    }
    return result;
}

Expected<HeadMetrics> headMetrics(const AttentionMaps& maps, const MapIndex& map,
                                  const MapTokens& tokens, const Execution& execution)
{
    if (auto weights = requireWeights(maps, map); !weights) {
        return tl::unexpected(weights.error());
    }
    const std::int64_t queries = maps.shape().queries;
    for (const std::vector<bool>* flags : {&tokens.real, &tokens.special}) {
        if (!flags->empty() && static_cast<std::int64_t>(flags->size()) != queries) {
            return fail(Code::InvalidArgument, std::to_string(flags->size()) +
                                                   " flags were given for " +
                                                   std::to_string(queries) + " query rows.");
        }
    }
    try {
        return measure(maps, map, tokens, execution);
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory for the head metrics.", mapText(map));
    }
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
