// The same steps as the engine, one cell at a time.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/cellstory.h"

#include "heed/model.h"

#include <cmath>
#include <numeric>

namespace heed::ui {

namespace {

constexpr std::int64_t MaxRankWork = std::int64_t{1} << 20;

struct Vectors {
    ConstMatrixView<float> q; ///< [L, D]
    ConstMatrixView<float> k; ///< [S, D]
};

std::optional<Vectors> vectorsOf(const Run& run, const MapIndex& map)
{
    const Tensor* q = run.q(map.layer);
    const Tensor* k = run.k(map.layer);
    if (q == nullptr || k == nullptr || q->rank() != 4 || k->rank() != 4) {
        return {};
    }
    const std::int64_t heads = q->extent(1);
    const std::int64_t kvHeads = k->extent(1);
    if (map.item >= q->extent(0) || map.head >= heads || kvHeads == 0 || map.item < 0 ||
        map.head < 0) {
        return {};
    }
    const std::int64_t kvHead = map.head / std::max<std::int64_t>(1, heads / kvHeads);
    return Vectors{q->matrix({map.item, map.head}), k->matrix({map.item, kvHead})};
}

double dotOf(const Vectors& vectors, std::int64_t query, std::int64_t key)
{
    const auto q = vectors.q.row(query);
    const auto k = vectors.k.row(key);
    return std::inner_product(q.begin(), q.end(), k.begin(), 0.0, std::plus<>(),
                              [](float a, float b) { return double{a} * double{b}; });
}

bool addsByDistance(const Run& run)
{
    return run.model() != nullptr && run.model()->relativeBias.buckets > 0 &&
           !isCross(run.source());
}

/// What the model adds to the capped score of a kept cell: its masked score, of which the maps
/// know, has it. O(D).
double biasOf(const Run& run, const MapIndex& map, const CellRef& cell, double capped)
{
    TileSpec spec;
    spec.quantity = Quantity::Masked;
    spec.pooling = Pooling::AbsMax;
    spec.row = cell.query;
    spec.column = cell.key;
    spec.rows = spec.columns = 1;
    const auto texel = run.maps()->window(map, spec, {.threads = 1});
    return texel ? double{texel->values.front()} - capped : 0;
}

bool inside(const Vectors& vectors, const RowStats& row, const CellRef& cell)
{
    return cell.isValid() && cell.query < vectors.q.rows && cell.key < vectors.k.rows &&
           !row.max.empty();
}

} // namespace

std::optional<CellStory> cellStory(const Run& run, const RowStats& row, const MapIndex& map,
                                   const CellRef& cell)
{
    const auto vectors = vectorsOf(run, map);
    if (!vectors || !inside(*vectors, row, cell)) {
        return {};
    }
    CellStory story;
    const auto q = vectors->q.row(cell.query);
    const auto k = vectors->k.row(cell.key);
    story.products.resize(q.size());
    for (std::size_t c = 0; c < q.size(); ++c) {
        story.products[c] = double{q[c]} * double{k[c]};
    }
    story.dot = std::accumulate(story.products.begin(), story.products.end(), 0.0);
    story.scale = run.scale(map.layer);
    story.scaled = story.dot * story.scale;
    story.softCap = run.softCap(map.layer);
    story.capped =
        story.softCap > 0 ? story.softCap * std::tanh(story.scaled / story.softCap) : story.scaled;
    if (const MaskPtr mask = run.mask(map.layer)) {
        story.reasons = mask->reasons(map.item, map.head, cell.query, cell.key);
    }
    story.hasBias = addsByDistance(run);
    if (story.hasBias && story.reasons == 0) {
        story.bias = biasOf(run, map, cell, story.capped);
    }
    story.rowMax = row.max.front();
    story.kept = row.kept.front();
    story.sum = story.kept == 0 ? 0.0 : std::exp(double{row.lse.front()} - story.rowMax);
    if (story.reasons == 0 && story.kept > 0) {
        story.exponential = std::exp(story.capped + story.bias - story.rowMax);
        story.weight = story.exponential / story.sum;
    }
    return story;
}

std::optional<CellRank> cellRank(const Run& run, const RowStats& row, const MapIndex& map,
                                 const CellRef& cell)
{
    const auto vectors = vectorsOf(run, map);
    const MaskPtr mask = run.mask(map.layer);
    // Dot products order the keys only where nothing else is added.
    if (!vectors || mask == nullptr || addsByDistance(run) || !inside(*vectors, row, cell) ||
        vectors->k.rows > MaxRankWork / std::max<std::int64_t>(1, vectors->k.columns) ||
        !mask->keeps(map.item, map.head, cell.query, cell.key)) {
        return {};
    }
    CellRank result{1, 0};
    const double own = dotOf(*vectors, cell.query, cell.key);
    for (std::int64_t key = 0; key < vectors->k.rows; ++key) {
        if (key != cell.key && mask->keeps(map.item, map.head, cell.query, key) &&
            dotOf(*vectors, cell.query, key) > own) {
            ++result.rank;
        }
    }
    result.topShare = std::exp(double{row.max.front()} - double{row.lse.front()});
    return result;
}

} // namespace heed::ui
