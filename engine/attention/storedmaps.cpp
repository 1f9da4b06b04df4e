// Attention maps that came finished from a file.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/maps.h"

#include "attention/mapwindow.h"
#include "attention/storedmasses.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <new>

namespace heed {

namespace {

constexpr float NegativeInfinity = -std::numeric_limits<float>::infinity();

/// Takes the cells of one texel one after another. A NaN makes the texel NaN. In masked scores a
/// cell at −inf is a masked cell, which takes no part.
class CellPool {
public:
    CellPool(Quantity quantity, Pooling pooling)
        : m_skipsInfinity(quantity == Quantity::Masked)
        , m_skipsMasked(quantity == Quantity::Masked || quantity == Quantity::Weights)
        , m_pooling(pooling)
    {
    }

    /// A cell that is known to be masked takes no part but in scores, which come before the mask.
    void add(float value, bool isMasked)
    {
        m_cells += 1;
        m_masked += isMasked ? 1 : 0;
        if (isMasked && m_skipsMasked) {
            return;
        }
        if (m_skipsInfinity && value == NegativeInfinity) {
            return;
        }
        ++m_count;
        m_sum += static_cast<double>(value);
        const bool replaces =
            m_pooling == Pooling::AbsMax
                ? std::abs(value) > std::abs(m_extreme) || (value > 0 && value == -m_extreme)
                : value > m_extreme;
        if (m_count == 1 || replaces || std::isnan(value)) {
            m_extreme = std::isnan(m_extreme) && m_count > 1 ? m_extreme : value;
        }
    }

    [[nodiscard]] float value() const
    {
        if (m_count == 0) {
            return m_skipsInfinity ? NegativeInfinity : 0.0F;
        }
        switch (m_pooling) {
        case Pooling::Mass:
            return static_cast<float>(m_sum);
        case Pooling::Mean:
            return static_cast<float>(m_sum / static_cast<double>(m_count));
        default:
            return m_extreme;
        }
    }

    [[nodiscard]] float maskedShare() const
    {
        return static_cast<float>(static_cast<double>(m_masked) / static_cast<double>(m_cells));
    }

private:
    bool m_skipsInfinity;
    bool m_skipsMasked;
    std::int64_t m_cells = 0;
    std::int64_t m_masked = 0;
    Pooling m_pooling;
    std::int64_t m_count = 0;
    double m_sum = 0;
    float m_extreme = 0;
};

RowStats statsOfRows(std::size_t count)
{
    RowStats stats;
    for (auto* facts : {&stats.max, &stats.sum, &stats.lse, &stats.entropy, &stats.distance}) {
        facts->resize(count);
    }
    stats.argmax.resize(count);
    stats.kept.resize(count);
    return stats;
}

/// The facts of query @p query, when its cells are softmax weights or masked scores, as those of
/// row @p row. For weights the masked score is taken as ln w, which softmax turns back into w.
void fillStats(std::span<const float> cells, bool areWeights, std::int64_t query, std::size_t row,
               RowStats& stats)
{
    const auto logOf = [areWeights](float cell) {
        return areWeights ? std::log(static_cast<double>(cell)) : static_cast<double>(cell);
    };
    double largest = NegativeInfinity;
    std::int64_t kept = 0;
    std::int64_t argmax = -1;
    bool hasNaN = false;
    for (std::size_t key = 0; key < cells.size(); ++key) {
        const double score = logOf(cells[key]);
        kept += score == NegativeInfinity ? 0 : 1;
        if (hasNaN) {
            continue; // the first NaN is what argmax points at
        }
        hasNaN = std::isnan(score);
        if (score > largest || hasNaN) {
            largest = score;
            argmax = static_cast<std::int64_t>(key);
        }
    }
    stats.kept[row] = kept;
    stats.argmax[row] = argmax;
    if (hasNaN || largest == -static_cast<double>(NegativeInfinity)) {
        constexpr float nan = std::numeric_limits<float>::quiet_NaN();
        stats.max[row] = stats.sum[row] = stats.lse[row] = stats.entropy[row] =
            stats.distance[row] = nan;
        return;
    }
    if (kept == 0) {
        stats.max[row] = stats.lse[row] = NegativeInfinity;
        return;
    }
    double sum = 0;
    double meanScore = 0; // Σ e^(s−max) (s − max)
    double distance = 0;
    for (std::size_t key = 0; key < cells.size(); ++key) {
        const double score = logOf(cells[key]);
        if (score != NegativeInfinity) {
            const double weight = std::exp(score - largest);
            sum += weight;
            meanScore += weight * (score - largest);
            distance += weight * std::abs(static_cast<double>(query) - static_cast<double>(key));
        }
    }
    stats.max[row] = static_cast<float>(largest);
    stats.sum[row] = static_cast<float>(sum);
    stats.lse[row] = static_cast<float>(largest + std::log(sum));
    if (areWeights) { // of the weights as they are: stored rows need not sum to 1
        const double scale = std::exp(largest);
        stats.entropy[row] = static_cast<float>(-scale * (meanScore + sum * largest));
        stats.distance[row] = static_cast<float>(scale * distance);
    } else {
        stats.entropy[row] = static_cast<float>(std::log(sum) - meanScore / sum);
        stats.distance[row] = static_cast<float>(distance / sum);
    }
}

class StoredMaps final : public AttentionMaps {
public:
    StoredMaps(std::shared_ptr<const ArrayFile> file, Tensor owned, std::span<const float> cells,
               const MapsShape& shape, Quantity quantity, MaskPtr mask)
        : m_file(std::move(file))
        , m_owned(std::move(owned))
        , m_cells(m_owned.empty() ? cells : m_owned.values())
        , m_shape(shape)
        , m_quantity(quantity)
        , m_mask(std::move(mask))
        , m_stats(static_cast<std::size_t>(shape.layers * shape.items * shape.heads))
    {
    }

    [[nodiscard]] MapsShape shape() const override { return m_shape; }
    [[nodiscard]] bool offers(Quantity quantity) const override { return quantity == m_quantity; }
    [[nodiscard]] MaskPtr mask(std::int64_t /*layer*/) const override { return m_mask; }

    [[nodiscard]] Expected<std::shared_ptr<const RowStats>>
    rowStats(const MapIndex& map, const Execution& execution) const override
    {
        if (auto index = checkMapIndex(m_shape, map); !index) {
            return tl::unexpected(index.error());
        }
        if (!hasRowStats()) {
            return fail(Code::Unsupported,
                        "Row statistics need weights or masked scores; this file holds " +
                            std::string(quantityName(m_quantity)) +
                            ", and which of its cells are masked is not known.");
        }
        {
            const std::scoped_lock lock(m_mutex);
            if (const auto& cached = m_stats[mapNumber(map)]; cached != nullptr) {
                return cached;
            }
        }
        auto computed = computeRowFacts(map, nullptr, execution);
        if (!computed) {
            return tl::unexpected(computed.error());
        }
        return std::move(computed->stats);
    }

    [[nodiscard]] Expected<RowFacts> rowFacts(const MapIndex& map, const TokenRoles& tokens,
                                              const Execution& execution) const override
    {
        if (auto index = checkMapIndex(m_shape, map); !index) {
            return tl::unexpected(index.error());
        }
        if (m_quantity != Quantity::Weights) {
            return fail(Code::Unsupported, "The masses of rows need weights; this file holds " +
                                               std::string(quantityName(m_quantity)) + ".");
        }
        if (auto fit = checkTokens(tokens, m_shape.queries, m_shape.keys); !fit) {
            return tl::unexpected(fit.error());
        }
        return computeRowFacts(map, &tokens, execution);
    }

    [[nodiscard]] Expected<MapRow> row(const MapIndex& map, Quantity quantity, std::int64_t query,
                                       const Execution& execution) const override
    {
        const TileSpec spec = rowSpec(m_shape, quantity, query);
        auto texels = window(map, spec, execution);
        if (!texels) {
            return tl::unexpected(texels.error());
        }
        try {
            return withReasons(*this, map, spec, std::move(*texels), execution)
                .map([&](Tile&& cells) {
                    MapRow row{{}, std::move(cells)};
                    if (hasRowStats()) {
                        row.stats = statsOfRows(1);
                        fillRow(map, query, 0, row.stats);
                    }
                    return row;
                });
        } catch (const std::bad_alloc&) {
            return fail(Code::OutOfMemory, "There is no memory for a row.");
        }
    }

    [[nodiscard]] Expected<TileTexels> window(const MapIndex& map, const TileSpec& spec,
                                              const Execution& execution) const override
    {
        if (auto valid = checkWindow(*this, map, spec, execution); !valid) {
            return tl::unexpected(valid.error());
        }
        try {
            TileTexels texels;
            texels.rows = spec.texelRows();
            texels.columns = spec.texelColumns();
            texels.values.resize(static_cast<std::size_t>(texels.rows * texels.columns));
            texels.maskedShare.resize(texels.values.size());
            const std::int64_t cellsPerRow = spec.columns * spec.texelCellsDown();
            auto done =
                parallelFor(texels.rows, std::max<std::int64_t>(1, CellsPerBlock / cellsPerRow),
                            execution, [&](std::int64_t begin, std::int64_t end) -> Expected<void> {
                                for (std::int64_t r = begin; r < end; ++r) {
                                    poolTexelRow(map, spec, r, texels);
                                }
                                return {};
                            });
            if (!done) {
                return tl::unexpected(done.error());
            }
            return texels;
        } catch (const std::bad_alloc&) {
            return fail(Code::OutOfMemory, "There is no memory for the window.");
        }
    }

private:
    /// Work between two looks at the stop token: about a millisecond.
    static constexpr std::int64_t CellsPerBlock = std::int64_t{1} << 18;

    [[nodiscard]] std::size_t mapNumber(const MapIndex& map) const
    {
        return static_cast<std::size_t>((map.layer * m_shape.items + map.item) * m_shape.heads +
                                        map.head);
    }

    [[nodiscard]] std::span<const float> cellsOf(const MapIndex& map, std::int64_t query) const
    {
        const auto keys = static_cast<std::size_t>(m_shape.keys);
        const auto number = mapNumber(map) * static_cast<std::size_t>(m_shape.queries) +
                            static_cast<std::size_t>(query);
        return m_cells.subspan(number * keys, keys);
    }

    [[nodiscard]] bool hasRowStats() const
    {
        return m_quantity == Quantity::Weights || m_quantity == Quantity::Masked;
    }

    void fillRow(const MapIndex& map, std::int64_t query, std::size_t at, RowStats& stats) const
    {
        fillStats(cellsOf(map, query), m_quantity == Quantity::Weights, query, at, stats);
        if (m_mask != nullptr) { // a kept weight can be 0
            stats.kept[at] = m_mask->keptInRow(map.item, map.head, query);
        }
    }

    /// The masses stay empty without @p tokens. Two threads may compute the same rows; the first
    /// statistics stay.
    [[nodiscard]] Expected<RowFacts> computeRowFacts(const MapIndex& map, const TokenRoles* tokens,
                                                     const Execution& execution) const
    {
        try {
            const auto size = static_cast<std::size_t>(m_shape.queries);
            auto stats = std::make_shared<RowStats>(statsOfRows(size));
            RowMasses masses;
            if (tokens != nullptr) {
                resizeMasses(masses, size);
            }
            auto done = parallelFor(
                m_shape.queries, std::max<std::int64_t>(1, CellsPerBlock / m_shape.keys), execution,
                [&](std::int64_t begin, std::int64_t end) -> Expected<void> {
                    for (std::int64_t query = begin; query < end; ++query) {
                        const auto cells = cellsOf(map, query);
                        fillRow(map, query, static_cast<std::size_t>(query), *stats);
                        if (tokens != nullptr) {
                            fillMasses(cells, *tokens, query, masses);
                        }
                    }
                    return {};
                });
            if (!done) {
                return tl::unexpected(done.error());
            }
            const std::scoped_lock lock(m_mutex);
            auto& cached = m_stats[mapNumber(map)];
            if (cached == nullptr) {
                cached = std::move(stats);
            }
            return RowFacts{cached, std::move(masses)};
        } catch (const std::bad_alloc&) {
            return fail(Code::OutOfMemory, "There is no memory for the row statistics.");
        }
    }

    /// Row by row over the cells, so that memory is read in order.
    void poolTexelRow(const MapIndex& map, const TileSpec& spec, std::int64_t texelRow,
                      TileTexels& out) const
    {
        std::vector<CellPool> pools(static_cast<std::size_t>(out.columns),
                                    CellPool(spec.quantity, spec.pooling));
        const std::int64_t first = texelRow * spec.texelCellsDown();
        for (std::int64_t r = first; r < std::min(spec.rows, first + spec.texelCellsDown()); ++r) {
            const auto cells = cellsOf(map, spec.row + r)
                                   .subspan(static_cast<std::size_t>(spec.column),
                                            static_cast<std::size_t>(spec.columns));
            for (std::size_t c = 0; c < cells.size(); ++c) {
                const bool isMasked =
                    m_mask != nullptr && !m_mask->keeps(map.item, map.head, spec.row + r,
                                                        spec.column + static_cast<std::int64_t>(c));
                pools[c / static_cast<std::size_t>(spec.texelCells)].add(cells[c], isMasked);
            }
        }
        const auto begin = texelRow * out.columns;
        std::ranges::transform(pools, out.values.begin() + begin,
                               [](const CellPool& pool) { return pool.value(); });
        std::ranges::transform(pools, out.maskedShare.begin() + begin,
                               [](const CellPool& pool) { return pool.maskedShare(); });
    }

    std::shared_ptr<const ArrayFile> m_file; ///< keeps the mapped cells alive
    Tensor m_owned;                          ///< the cells, when the file could not be mapped
    std::span<const float> m_cells;          ///< [N, B, H, L, S]
    MapsShape m_shape;
    Quantity m_quantity;
    MaskPtr m_mask; ///< of every layer; may be null
    mutable std::mutex m_mutex;
    mutable std::vector<std::shared_ptr<const RowStats>> m_stats; ///< one per map, under m_mutex
};

} // namespace

Expected<MapsPtr> makeStoredMaps(std::shared_ptr<const ArrayFile> file, const std::string& name,
                                 Quantity quantity, MaskPtr mask)
{
    if (file == nullptr) {
        return fail(Code::InvalidArgument, "There is no file to take maps from.");
    }
    const ArrayInfo* info = file->find(name);
    if (info == nullptr) {
        auto read = file->read(name); // says which names there are
        return read ? fail(Code::NotFound, "The file has no array of this name.", name)
                    : tl::unexpected(read.error());
    }
    Shape shape = info->shape;
    const auto count = elementCount(shape);
    if (shape.size() < 2 || shape.size() > 5 || !count || *count < 1) {
        return fail(Code::InvalidShape,
                    "An array of attention maps has 2 to 5 axes, [N, B, H, L, S] or fewer leading "
                    "ones, none empty; this one has shape " +
                        toString(shape) + ".",
                    name);
    }
    shape.insert(shape.begin(), 5 - shape.size(), 1);
    const MapsShape maps{shape[0], shape[1], shape[2], shape[3], shape[4]};
    if (mask != nullptr) {
        const MaskContext& made = mask->context();
        if (made.items != maps.items || made.heads != maps.heads || made.queries != maps.queries ||
            made.keys != maps.keys) {
            return fail(Code::InvalidShape, "The mask was compiled for other maps.", name);
        }
    }
    std::span<const float> cells = file->mapped(name);
    Tensor owned;
    if (static_cast<std::int64_t>(cells.size()) != *count) {
        auto read = file->read(name);
        if (!read) {
            return tl::unexpected(read.error());
        }
        owned = std::move(*read);
        HEED_CHECK(owned.size() == *count,
                   return fail(Code::Internal, "The file gave another number of cells.", name));
    }
    try {
        return std::make_shared<const StoredMaps>(std::move(file), std::move(owned), cells, maps,
                                                  quantity, std::move(mask));
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory for the maps.", name);
    }
}

} // namespace heed
