// Attention maps recomputed from Q, K and a mask whenever they are looked at.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/computedmaps.h"

#include "attention/mapwindow.h"
#include "attention/rowsample.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <optional>
#include <span>

namespace heed {

namespace {

/// Multiply-adds between two looks at what was found: some 30 ms on two cores, so that others get
/// their turn and a stopped call has lost little. More threads need more to share.
constexpr double StepWork = 1.5e9;
/// A picture of less work is there before anybody would see a draft of it.
constexpr double DraftWork = 3e9;
/// What the first draft may cost.
constexpr double SampleWork = 2.8e9;
constexpr std::int64_t MostSamples = 8; ///< query rows of a texel
/// Texels of a side of a picture that is kept, more than a window shows of a whole map.
constexpr std::int64_t PictureSide = 1024;
constexpr std::size_t MostPictures = 8; ///< kept at a time, some 8 MB each
constexpr std::chrono::milliseconds DraftPause{80};

/// Since the last draft.
class Pause {
public:
    void begin() { m_begun = Clock::now(); }
    [[nodiscard]] bool isOver() const { return Clock::now() - m_begun >= DraftPause; }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point m_begun = Clock::now();
};

BufferMatrix matrixOf(const Buffer& buffer, std::int64_t number)
{
    const Shape& shape = buffer.shape();
    const std::int64_t rows = shape[shape.size() - 2];
    const std::int64_t columns = shape[shape.size() - 1];
    return {&buffer, number * rows * columns, rows, columns, columns};
}

Expected<void> checkShapes(const Shape& q, const Shape& k)
{
    const bool ranks = q.size() == 4 && k.size() == 4;
    if (!ranks || q[0] != k[0] || q[3] != k[3] || elementCount(q).value_or(0) < 1 ||
        elementCount(k).value_or(0) < 1) {
        return fail(Code::InvalidShape, "q " + toString(q) + " and k " + toString(k) +
                                            " do not belong together: expected q [B, H, L, D] and "
                                            "k [B, Hkv, S, D], none of them empty.");
    }
    if (q[1] % k[1] != 0) {
        return fail(Code::InvalidShape, std::to_string(q[1]) + " query heads cannot share " +
                                            std::to_string(k[1]) +
                                            " key/value heads; the first must be a multiple of "
                                            "the second.");
    }
    return {};
}

/// Whether a survey finds the window's texels beside the statistics of its rows.
bool isFoundBySurvey(const TileSpec& spec, std::int64_t keys)
{
    return showsLargestWeights(spec) && spec.columns == keys && spec.texelCells > 1;
}

Expected<void> checkMask(const MaskPtr& mask, const MapsShape& shape)
{
    if (mask == nullptr) {
        return fail(Code::InvalidArgument, "A mask is missing.");
    }
    const MaskContext& context = mask->context();
    const Shape has = {context.items, context.heads, context.queries, context.keys};
    const Shape wanted = {shape.items, shape.heads, shape.queries, shape.keys};
    if (has != wanted) {
        return fail(Code::InvalidShape,
                    "The mask was compiled for [B, H, L, S] = " + toString(has) +
                        ", the maps are " + toString(wanted) + ".");
    }
    return {};
}

/// @param first  a layer of the same maps.
Expected<void> checkLayer(const ComputedLayer& layer, const ComputedLayer& first)
{
    if (layer.q == nullptr || layer.k == nullptr) {
        return fail(Code::InvalidArgument, "Every layer of maps needs q and k.");
    }
    if (!std::isfinite(layer.scale) || layer.scale <= 0) {
        return fail(Code::InvalidArgument,
                    "The scale " + std::to_string(layer.scale) + " is not a positive number.");
    }
    const Shape& q = layer.q->shape();
    const Shape& k = layer.k->shape();
    if (auto shapes = checkShapes(q, k); !shapes) {
        return shapes;
    }
    if (q != first.q->shape() || k != first.k->shape()) {
        return fail(Code::InvalidShape,
                    "q " + toString(q) + " and k " + toString(k) + " are of another layer than q " +
                        toString(first.q->shape()) + " and k " + toString(first.k->shape()) +
                        "; layers of one run have equal shapes.");
    }
    return {};
}

} // namespace

ComputedMaps::ComputedMaps(ComputedMapsInput input, const MapsShape& shape)
    : m_input(std::move(input))
    , m_shape(shape)
    , m_stats(static_cast<std::size_t>(shape.layers * shape.items * shape.heads))
{
}

Expected<ComputedMapsPtr> ComputedMaps::make(ComputedMapsInput input)
{
    if (input.backend == nullptr || input.layers.empty()) {
        return fail(Code::InvalidArgument, "Maps need a backend and a layer.");
    }
    for (const ComputedLayer& layer : input.layers) {
        if (auto fine = checkLayer(layer, input.layers.front()); !fine) {
            return tl::unexpected(fine.error());
        }
    }
    const Shape& q = input.layers.front().q->shape();
    const auto layers = static_cast<std::int64_t>(input.layers.size());
    const MapsShape shape{layers, q[0], q[1], q[2], input.layers.front().k->shape()[2]};
    for (const ComputedLayer& layer : input.layers) {
        if (auto mask = checkMask(layer.mask, shape); !mask) {
            return tl::unexpected(mask.error());
        }
    }
    for (ComputedLayer& layer : input.layers) {
        const std::int64_t numbers = shape.heads * (shape.queries + shape.keys - 1);
        if (layer.distanceBias != nullptr) {
            if (std::ssize(*layer.distanceBias) != numbers) {
                return fail(Code::InvalidShape,
                            std::to_string(layer.distanceBias->size()) +
                                " numbers by distance were given where there are " +
                                std::to_string(numbers) + " distances of all heads.");
            }
            layer.queries = nullptr; // rows picked out have other distances
        }
    }
    try {
        return ComputedMapsPtr(new ComputedMaps(std::move(input), shape));
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory for the maps.");
    }
}

std::size_t ComputedMaps::numberOf(const MapIndex& map) const
{
    return static_cast<std::size_t>((map.layer * m_shape.items + map.item) * m_shape.heads +
                                    map.head);
}

BandedStats& ComputedMaps::statsOf(const MapIndex& map) const
{
    const std::scoped_lock lock(m_mutex);
    auto& stats = m_stats[numberOf(map)];
    if (stats == nullptr) {
        stats = std::make_unique<BandedStats>(m_shape.queries);
    }
    return *stats;
}

std::int64_t ComputedMaps::pictureCells() const
{
    std::int64_t cells = 1;
    while (cells < Bands::BandRows &&
           cells * PictureSide < std::max(m_shape.queries, m_shape.keys)) {
        cells *= 2;
    }
    return cells;
}

std::shared_ptr<MapPicture> ComputedMaps::pictureOf(const MapIndex& map) const
{
    const std::scoped_lock lock(m_mutex);
    const std::size_t number = numberOf(map);
    const auto known = std::ranges::find(m_pictures, number, &KeptPicture::map);
    if (known != m_pictures.end()) {
        m_pictures.splice(m_pictures.begin(), m_pictures, known);
    } else {
        m_pictures.push_front(
            {number, std::make_shared<MapPicture>(m_shape.queries, m_shape.keys, pictureCells())});
        m_pictures.resize(std::min(m_pictures.size(), MostPictures));
    }
    return m_pictures.front().picture;
}

MaskPtr ComputedMaps::mask(std::int64_t layer) const
{
    return layer < 0 || layer >= m_shape.layers ? nullptr : layerOf({.layer = layer}).mask;
}

HeadProblem ComputedMaps::problem(const MapIndex& map) const
{
    const ComputedLayer& layer = layerOf(map);
    const std::int64_t groups = layer.k->shape()[1];
    const std::int64_t keyHead = map.head / (m_shape.heads / groups);
    HeadProblem problem;
    problem.q = matrixOf(*layer.q, map.item * m_shape.heads + map.head);
    problem.k = matrixOf(*layer.k, map.item * groups + keyHead);
    problem.scale = layer.scale;
    problem.softCap = layer.softCap;
    problem.mask = layer.mask->plane(map.item, map.head);
    if (layer.distanceBias != nullptr) {
        const auto count = static_cast<std::size_t>(m_shape.queries + m_shape.keys - 1);
        problem.distanceBias = std::span(*layer.distanceBias)
                                   .subspan(static_cast<std::size_t>(map.head) * count, count);
    }
    return problem;
}

std::int64_t ComputedMaps::rowsOfWork(double multiplyAdds) const
{
    const double width = static_cast<double>(m_input.layers.front().k->shape()[3]);
    const double ofRow = static_cast<double>(m_shape.keys) * (width + 16); // 16: exponentials
    return static_cast<std::int64_t>(std::clamp(multiplyAdds / ofRow, 1.0, 0x1p40));
}

Expected<void> ComputedMaps::requireRows(const MapIndex& map, std::int64_t begin, std::int64_t end,
                                         const Execution& execution) const
{
    const HeadProblem whole = problem(map);
    BandedStats& stats = statsOf(map);
    Execution quiet = execution;
    quiet.progress = {};
    const auto compute = [&](std::int64_t first, std::int64_t last) {
        return m_input.backend->rowStats(rowsOf(whole, first, last), quiet)
            .map([&](const RowStats& rows) {
                stats.put(first, rows);
                if (execution.progress) {
                    execution.progress(last - begin, end - begin);
                }
            });
    };
    return stats.bands().require(begin, end, rowsOfWork(StepWork * threadCount(execution)),
                                 execution.stop, compute);
}

Expected<std::shared_ptr<const RowStats>> ComputedMaps::rowStats(const MapIndex& map,
                                                                 const Execution& execution) const
{
    if (auto index = checkMapIndex(m_shape, map); !index) {
        return tl::unexpected(index.error());
    }
    try {
        if (auto known = requireRows(map, 0, m_shape.queries, execution); !known) {
            return tl::unexpected(known.error());
        }
        return statsOf(map).complete();
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory for the row statistics.");
    }
}

/// A picture of all keys of rows that the caller has claimed: statistics and texels in one pass.
Expected<TileTexels> ComputedMaps::surveyRows(const MapIndex& map, const TileSpec& spec,
                                              const Execution& execution) const
{
    BandedStats& stats = statsOf(map);
    const std::int64_t end = spec.row + spec.rows;
    Bands::Reservation reserved(stats.bands(), spec.row, end);
    auto found = m_input.backend->survey(
        rowsOf(problem(map), spec.row, end),
        {.cellsDown = spec.texelCellsDown(), .cellsAcross = spec.texelCells}, execution);
    if (found) {
        stats.put(spec.row, found->stats);
        reserved.setKnown();
    }
    return std::move(found).map([](Survey&& survey) { return std::move(survey.picture); });
}

Expected<TileTexels> ComputedMaps::someRows(const MapIndex& map, const TileSpec& spec,
                                            const Execution& execution) const
{
    if (spec.quantity != Quantity::Weights) {
        return m_input.backend->tile(problem(map), nullptr, spec, execution);
    }
    const std::int64_t end = spec.row + spec.rows;
    const bool isWholeBands =
        spec.row % Bands::BandRows == 0 && (end % Bands::BandRows == 0 || end == m_shape.queries);
    if (isWholeBands && isFoundBySurvey(spec, m_shape.keys) &&
        statsOf(map).bands().claim(spec.row, end)) {
        return surveyRows(map, spec, execution);
    }
    if (auto known = requireRows(map, spec.row, end, execution); !known) {
        return tl::unexpected(known.error());
    }
    return m_input.backend->tile(problem(map), &statsOf(map).rows(), spec, execution);
}

/// The window from @p rowsPerTexel query rows of each texel.
Expected<TileTexels> ComputedMaps::sampleRows(const MapIndex& map, const TileSpec& spec,
                                              std::int64_t rowsPerTexel,
                                              const Execution& execution) const
{
    const auto sample = RowSample::take(*m_input.backend, *layerOf(map).queries,
                                        rowsOf(problem(map), spec.row, spec.row + spec.rows),
                                        spec.texelCellsDown(), rowsPerTexel);
    if (!sample) {
        return tl::unexpected(sample.error());
    }
    if (isFoundBySurvey(spec, m_shape.keys)) {
        return m_input.backend
            ->survey(sample->problem(), {.cellsDown = rowsPerTexel, .cellsAcross = spec.texelCells},
                     execution)
            .map([](Survey&& found) { return std::move(found.picture); });
    }
    TileSpec ofSample = spec;
    ofSample.row = 0;
    ofSample.rows = sample->problem().q.rows;
    ofSample.cellsDown = rowsPerTexel;
    std::optional<RowStats> stats;
    if (spec.quantity == Quantity::Weights) {
        auto known = m_input.backend->rowStats(sample->problem(), execution);
        if (!known) {
            return tl::unexpected(known.error());
        }
        stats = std::move(*known);
    }
    auto texels =
        m_input.backend->tile(sample->problem(), stats ? &*stats : nullptr, ofSample, execution);
    if (texels && spec.pooling == Pooling::Mass) {
        const auto factor =
            static_cast<float>(spec.texelCellsDown()) / static_cast<float>(rowsPerTexel);
        std::ranges::for_each(texels->values, [factor](float& value) { value *= factor; });
    }
    return texels;
}

Expected<MapRow> ComputedMaps::row(const MapIndex& map, Quantity quantity, std::int64_t query,
                                   const Execution& execution) const
{
    const TileSpec spec = rowSpec(m_shape, quantity, query);
    if (auto valid = checkWindow(*this, map, spec, execution); !valid) {
        return tl::unexpected(valid.error());
    }
    try {
        // On its own even where its band is known or on its way: that takes no time to speak of.
        const HeadProblem alone = rowsOf(problem(map), query, query + 1);
        auto stats = m_input.backend->rowStats(alone, execution);
        if (!stats) {
            return tl::unexpected(stats.error());
        }
        TileSpec first = spec;
        first.row = 0;
        return m_input.backend->tile(alone, &*stats, first, execution)
            .and_then([&](TileTexels&& texels) {
                return withReasons(*this, map, spec, std::move(texels), execution);
            })
            .map([&](Tile&& cells) {
                return MapRow{std::move(*stats), std::move(cells)};
            });
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory for a row.");
    }
}

Expected<TileTexels> ComputedMaps::window(const MapIndex& map, const TileSpec& spec,
                                          const Execution& execution) const
{
    return windowInSteps(map, spec, execution, {});
}

Expected<TileTexels> ComputedMaps::windowInSteps(const MapIndex& map, const TileSpec& spec,
                                                 const Execution& execution,
                                                 const WindowDraft& draft) const
{
    if (auto valid = checkWindow(*this, map, spec, execution); !valid) {
        return tl::unexpected(valid.error());
    }
    try {
        // Steps of whole bands and whole texel rows.
        const std::int64_t cells = spec.texelCellsDown();
        const std::int64_t unit = std::max(cells, Bands::BandRows / cells * cells);
        const std::int64_t wanted = rowsOfWork(StepWork * threadCount(execution));
        const std::int64_t step = std::max<std::int64_t>(1, wanted / unit) * unit;
        if (m_shape.queries > rowsOfWork(DraftWork) &&
            MapPicture::serves(spec, m_shape.queries, m_shape.keys, pictureCells())) {
            return fromPicture(map, spec, execution, draft);
        }
        if (spec.rows <= step) {
            return someRows(map, spec, execution);
        }
        return steps(map, spec, step, execution, draft);
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory for the window.");
    }
}

Expected<TileTexels> ComputedMaps::steps(const MapIndex& map, const TileSpec& spec,
                                         std::int64_t step, const Execution& execution,
                                         const WindowDraft& draft) const
{
    Execution quiet = execution;
    quiet.progress = {};
    const std::int64_t cells = spec.texelCellsDown();
    TileTexels whole;
    whole.rows = spec.texelRows();
    whole.columns = spec.texelColumns();
    whole.values.resize(static_cast<std::size_t>(whole.rows * whole.columns));
    whole.maskedShare.resize(whole.values.size());
    PictureDraft state;
    const std::int64_t samples =
        std::min(rowsOfWork(SampleWork) / std::max<std::int64_t>(1, whole.rows), MostSamples);
    const bool hasDrafts =
        draft && layerOf(map).queries != nullptr && spec.rows > rowsOfWork(DraftWork);
    Pause pause;
    if (hasDrafts && cells > 1) {
        const std::int64_t taken = std::clamp<std::int64_t>(samples, 1, cells);
        auto sampled = sampleRows(map, spec, taken, quiet);
        if (!sampled) {
            return tl::unexpected(sampled.error());
        }
        whole = std::move(*sampled);
        state.rowStep = cells / taken;
        draft(whole, state);
        pause.begin();
    }
    for (std::int64_t begin = 0; begin < spec.rows; begin += step) {
        TileSpec part = spec;
        part.row = spec.row + begin;
        part.rows = std::min(step, spec.rows - begin);
        const auto texels = someRows(map, part, quiet);
        if (!texels) {
            return tl::unexpected(texels.error());
        }
        const auto to = static_cast<std::ptrdiff_t>(begin / cells * whole.columns);
        std::ranges::copy(texels->values, whole.values.begin() + to);
        std::ranges::copy(texels->maskedShare, whole.maskedShare.begin() + to);
        state.exactRows = begin / cells + texels->rows;
        if (execution.progress) {
            execution.progress(begin + part.rows, spec.rows);
        }
        if (hasDrafts && state.rowStep > 1 && pause.isOver()) {
            draft(whole, state);
            pause.begin();
        }
    }
    return whole;
}

/// Few query rows of a whole map, all keys of them, as many as SampleWork allows.
Expected<void> ComputedMaps::sketch(const MapIndex& map, MapPicture& picture,
                                    const Execution& execution) const
{
    TileSpec whole;
    whole.rows = m_shape.queries;
    whole.columns = m_shape.keys;
    whole.texelCells = pictureCells();
    whole.cellsDown = whole.texelCells;
    while (whole.texelRows() > rowsOfWork(SampleWork) && whole.texelRows() > 1) {
        whole.cellsDown *= 2;
    }
    return picture.sketch(whole.cellsDown, execution.stop,
                          [&] { return sampleRows(map, whole, 1, execution); });
}

/// A tile of a long map, and all others of it that are wanted meanwhile, from one pass.
Expected<TileTexels> ComputedMaps::fromPicture(const MapIndex& map, const TileSpec& spec,
                                               const Execution& execution,
                                               const WindowDraft& draft) const
{
    Execution quiet = execution;
    quiet.progress = {};
    const std::shared_ptr<MapPicture> picture = pictureOf(map);
    const auto compute = [&](std::int64_t begin, std::int64_t end) {
        TileSpec rows;
        rows.row = begin;
        rows.rows = end - begin;
        rows.columns = m_shape.keys;
        rows.texelCells = pictureCells();
        return someRows(map, rows, quiet);
    };
    if (picture->exactRows(spec) == spec.texelRows()) {
        return picture->pooled(spec);
    }
    const bool hasDrafts = draft && layerOf(map).queries != nullptr;
    Pause pause;
    const auto tell = [&] {
        const PictureDraft state{picture->exactRows(spec), picture->sketchStep()};
        draft(picture->pooled(spec), state);
        pause.begin();
    };
    if (hasDrafts) {
        if (auto sketched = sketch(map, *picture, quiet); !sketched) {
            return tl::unexpected(sketched.error());
        }
        tell();
    }
    const std::int64_t most = rowsOfWork(StepWork * threadCount(execution));
    const std::int64_t step = std::max<std::int64_t>(1, most / Bands::BandRows) * Bands::BandRows;
    const std::int64_t end = spec.row + spec.rows;
    for (std::int64_t row = spec.row / Bands::BandRows * Bands::BandRows; row < end; row += step) {
        const std::int64_t last = std::min(end, row + step);
        if (auto exact = picture->require(row, last, step, execution.stop, compute); !exact) {
            return tl::unexpected(exact.error());
        }
        if (execution.progress) {
            execution.progress(last - spec.row, spec.rows);
        }
        if (hasDrafts && last < end && pause.isOver()) {
            tell();
        }
    }
    return picture->pooled(spec);
}

Expected<RowFacts> ComputedMaps::rowFacts(const MapIndex& map, const TokenRoles& tokens,
                                          const Execution& execution) const
{
    if (auto index = checkMapIndex(m_shape, map); !index) {
        return tl::unexpected(index.error());
    }
    try {
        SurveySpec spec;
        spec.masses = true;
        spec.tokens = tokens;
        auto found = m_input.backend->survey(problem(map), spec, execution);
        if (!found) {
            return tl::unexpected(found.error());
        }
        // Reserved only now: a picture that is waited for must not wait for the masses.
        BandedStats& stats = statsOf(map);
        if (stats.bands().claim(0, m_shape.queries)) {
            Bands::Reservation reserved(stats.bands(), 0, m_shape.queries);
            stats.put(0, found->stats);
            reserved.setKnown();
        }
        auto kept = stats.complete();
        if (kept == nullptr) {
            kept = std::make_shared<const RowStats>(std::move(found->stats));
        }
        return RowFacts{std::move(kept), std::move(found->masses)};
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory for the masses of the rows.");
    }
}

Expected<MapsPtr> makeComputedMaps(BackendPtr backend, const std::vector<MapLayer>& layers)
{
    ComputedMapsInput input;
    for (const MapLayer& layer : layers) {
        if (backend == nullptr || layer.q == nullptr || layer.k == nullptr) {
            return fail(Code::InvalidArgument, "Maps need a backend, q and k.");
        }
        if (auto shapes = checkShapes(layer.q->shape(), layer.k->shape()); !shapes) {
            return tl::unexpected(shapes.error());
        }
        auto queries = backend->upload(layer.q);
        auto keys = queries ? backend->upload(layer.k) : queries;
        if (!keys) {
            return tl::unexpected(keys.error());
        }
        input.layers.push_back({std::move(*queries), std::move(*keys), layer.mask, layer.scale,
                                layer.softCap, layer.q});
    }
    input.backend = std::move(backend);
    return ComputedMaps::make(std::move(input));
}

} // namespace heed
