// Maps recomputed from Q, K and a mask: windows, tiles, reasons, cached statistics.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/computedmaps.h"
#include "heed/metrics.h"
#include "memoryfile.h"

#include <atomic>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <thread>

using namespace heed;

namespace {

constexpr float Infinity = std::numeric_limits<float>::infinity();

BackendPtr reference()
{
    static BackendRegistry registry({});
    return registry.open("reference").value_or(nullptr);
}

/// Another backend, with surveys of more than a row that can be held up; all are counted.
class GatedBackend final : public Backend {
public:
    explicit GatedBackend(BackendPtr other = reference())
        : m_other(std::move(other))
    {
    }
    [[nodiscard]] std::string name() const override { return "gated"; }
    [[nodiscard]] std::string description() const override { return "gated"; }
    [[nodiscard]] Expected<BufferPtr> upload(std::shared_ptr<const Tensor> tensor) const override
    {
        return m_other->upload(std::move(tensor));
    }
    [[nodiscard]] Expected<void> linear(ConstMatrixView<float> x, ConstMatrixView<float> w,
                                        std::span<const float> bias, MatrixView<float> out,
                                        const Execution& execution) const override
    {
        return m_other->linear(x, w, bias, out, execution);
    }
    [[nodiscard]] Expected<Survey> survey(const HeadProblem& problem, const SurveySpec& spec,
                                          const Execution& execution) const override
    {
        ++calls;
        rows += problem.q.rows;
        while (isClosed && problem.q.rows > 1) {
            if (execution.cancelled()) {
                return fail(Code::Cancelled, "Stopped.");
            }
            std::this_thread::yield();
        }
        return m_other->survey(problem, spec, execution);
    }
    [[nodiscard]] Expected<TileTexels> tile(const HeadProblem& problem, const RowStats* stats,
                                            const TileSpec& spec,
                                            const Execution& execution) const override
    {
        ++tiles;
        return m_other->tile(problem, stats, spec, execution);
    }
    [[nodiscard]] Expected<void> attend(const HeadProblem& problem, const BufferMatrix& v,
                                        MatrixView<float> out,
                                        const Execution& execution) const override
    {
        return m_other->attend(problem, v, out, execution);
    }

    mutable std::atomic<int> calls = 0;
    mutable std::atomic<std::int64_t> rows = 0;
    mutable std::atomic<int> tiles = 0;
    std::atomic<bool> isClosed = false;

private:
    BackendPtr m_other;
};

std::shared_ptr<const Tensor> randomTensor(const Shape& shape, unsigned seed)
{
    auto tensor = std::make_shared<Tensor>(shape);
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    for (float& value : tensor->values()) {
        value = normal(random);
    }
    return tensor;
}

MaskPtr maskOf(const std::string& expression, const MapsShape& shape)
{
    auto mask = compileMask(
        expression,
        {.items = shape.items, .heads = shape.heads, .queries = shape.queries, .keys = shape.keys});
    EXPECT_TRUE(mask) << describe(mask.error());
    return mask.value_or(nullptr);
}

struct Maps {
    MapsShape shape;
    std::vector<MapLayer> layers;
    MapsPtr maps;
};

Maps mapsOf(const MapsShape& shape, std::int64_t groups, std::int64_t width,
            const std::string& mask, const BackendPtr& backend = reference(), float scale = 0.5F)
{
    Maps made;
    made.shape = shape;
    const MaskPtr compiled = maskOf(mask, shape);
    for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
        const auto seed = static_cast<unsigned>(2 * layer);
        made.layers.push_back(
            {randomTensor({shape.items, shape.heads, shape.queries, width}, seed + 1),
             randomTensor({shape.items, groups, shape.keys, width}, seed + 2), compiled, scale});
    }
    auto maps = makeComputedMaps(backend, made.layers);
    EXPECT_TRUE(maps) << describe(maps.error());
    made.maps = maps.value_or(nullptr);
    return made;
}

/// The tile that shows the whole of the first map.
TileRequest wholeMap(const Maps& maps, Quantity quantity = Quantity::Weights)
{
    TileRequest request;
    request.quantity = quantity;
    request.level = maps.maps->topLevel();
    return request;
}

double score(const Maps& maps, const MapIndex& map, std::int64_t i, std::int64_t j)
{
    const MapLayer& layer = maps.layers[static_cast<std::size_t>(map.layer)];
    const std::int64_t groups = layer.k->extent(1);
    const auto q = layer.q->matrix({map.item, map.head}).row(i);
    const auto k = layer.k->matrix({map.item, map.head / (maps.shape.heads / groups)}).row(j);
    double sum = 0;
    for (std::size_t c = 0; c < q.size(); ++c) {
        sum += static_cast<double>(q[c]) * static_cast<double>(k[c]);
    }
    return sum;
}

} // namespace

TEST(ComputedMaps, givesEveryWindowOfEveryMap)
{
    const MapsShape shape{2, 2, 4, 7, 9};
    const Maps made = mapsOf(shape, 2, 5, "causal");
    EXPECT_EQ(made.maps->shape(), shape);
    TileSpec spec;
    spec.row = 2;
    spec.column = 1;
    spec.rows = 4;
    spec.columns = 6;
    for (const MapIndex map : {MapIndex{0, 0, 0}, MapIndex{1, 0, 3}, MapIndex{1, 1, 2}}) {
        for (const Quantity quantity :
             {Quantity::Scores, Quantity::Scaled, Quantity::Masked, Quantity::Weights}) {
            ASSERT_TRUE(made.maps->offers(quantity));
            spec.quantity = quantity;
            const auto texels = made.maps->window(map, spec, {});
            ASSERT_TRUE(texels) << describe(texels.error());
            for (std::int64_t r = 0; r < 4; ++r) {
                double sum = 0;
                for (std::int64_t j = 0; j <= spec.row + r; ++j) {
                    sum += std::exp(0.5 * score(made, map, spec.row + r, j));
                }
                for (std::int64_t c = 0; c < 6; ++c) {
                    const std::int64_t i = spec.row + r;
                    const std::int64_t j = spec.column + c;
                    const bool kept = j <= i;
                    const double plain = score(made, map, i, j);
                    const double wanted = quantity == Quantity::Scores   ? plain
                                          : quantity == Quantity::Scaled ? 0.5 * plain
                                          : quantity == Quantity::Masked
                                              ? (kept ? 0.5 * plain : -Infinity)
                                          : kept ? std::exp(0.5 * plain) / sum
                                                 : 0.0;
                    const float got = texels->values[static_cast<std::size_t>(r * 6 + c)];
                    if (std::isinf(wanted)) {
                        EXPECT_EQ(got, -Infinity);
                    } else {
                        EXPECT_NEAR(got, wanted, 1e-5) << quantityName(quantity);
                    }
                    EXPECT_EQ(texels->maskedShare[static_cast<std::size_t>(r * 6 + c)],
                              kept ? 0 : 1);
                }
            }
        }
    }
}

TEST(ComputedMaps, giveTilesWithTheReasonsOfTheirMaskedCells)
{
    const Maps made = mapsOf({1, 1, 1, 600, 600}, 1, 2, "causal & window(40)");
    EXPECT_EQ(made.maps->topLevel(), 2);
    TileRequest request;
    request.quantity = Quantity::Masked;
    request.level = 2;
    const auto tile = made.maps->tile(request, {});
    ASSERT_TRUE(tile) << describe(tile.error());
    EXPECT_EQ(tile->texels.rows, 150);
    const auto reasonsAt = [&](std::int64_t row, std::int64_t column) {
        return tile->reasons[static_cast<std::size_t>(row * 150 + column)];
    };
    constexpr auto causal = static_cast<MaskReasons>(MaskReason::Causal);
    constexpr auto window = static_cast<MaskReasons>(MaskReason::Window);
    EXPECT_EQ(reasonsAt(100, 95), 0);
    EXPECT_EQ(reasonsAt(100, 10), window);
    EXPECT_EQ(reasonsAt(10, 100) & causal, causal);
    for (std::size_t texel = 0; texel < tile->reasons.size(); ++texel) {
        ASSERT_EQ(tile->reasons[texel] != 0, tile->texels.maskedShare[texel] > 0);
    }
}

TEST(ComputedMaps, findTheReasonOfASingleMaskedCellInALargeTexel)
{
    // Only key 1000 of each row is masked: a sample of 8 × 8 cells of 16 × 16 could miss it.
    const Maps made = mapsOf({1, 1, 1, 16, 4096}, 1, 1,
                             "~(causal(offset=1000) & ~causal(offset=999)) | documents([4096])"
                             " & ~(causal(offset=1000) & ~causal(offset=999))");
    TileRequest request;
    request.quantity = Quantity::Scores;
    request.level = made.maps->topLevel();
    const auto tile = made.maps->tile(request, {});
    ASSERT_TRUE(tile) << describe(tile.error());
    std::int64_t hatched = 0;
    for (std::size_t texel = 0; texel < tile->reasons.size(); ++texel) {
        ASSERT_EQ(tile->reasons[texel] != 0, tile->texels.maskedShare[texel] > 0) << texel;
        hatched += tile->reasons[texel] != 0 ? 1 : 0;
    }
    EXPECT_EQ(hatched, 2) << "cells (i, i + 1000) lie in two texels of 16 keys";
}

TEST(ComputedMaps, computeRowStatisticsOnceWhoeverAsks)
{
    const auto backend = std::make_shared<GatedBackend>();
    const Maps made = mapsOf({1, 1, 2, 8, 8}, 1, 3, "none", backend);
    backend->isClosed = true;
    std::vector<std::shared_ptr<const RowStats>> got(6);
    {
        std::vector<std::jthread> threads;
        threads.reserve(got.size());
        for (auto& stats : got) {
            threads.emplace_back([&] {
                stats = made.maps->rowStats({0, 0, 1}, {}).value_or(nullptr);
            });
        }
        while (backend->calls == 0) {
            std::this_thread::yield();
        }
        backend->isClosed = false;
    }
    EXPECT_EQ(backend->calls, 1);
    for (const auto& stats : got) {
        ASSERT_NE(stats, nullptr);
        EXPECT_EQ(stats, got.front());
    }
    ASSERT_TRUE(made.maps->rowStats({0, 0, 0}, {}));
    EXPECT_EQ(backend->calls, 2);
}

TEST(ComputedMaps, canBeGivenUpWhileSomebodyElseComputes)
{
    const auto backend = std::make_shared<GatedBackend>();
    const Maps made = mapsOf({1, 1, 1, 8, 8}, 1, 3, "none", backend);
    backend->isClosed = true;
    std::stop_source first;
    Code firstCode = Code::Internal;
    {
        const std::jthread other([&] {
            const auto stats = made.maps->rowStats({}, {.stop = first.get_token()});
            firstCode = stats ? Code::Internal : stats.error().code;
        });
        while (backend->calls == 0) {
            std::this_thread::yield();
        }
        std::stop_source second;
        second.request_stop();
        EXPECT_EQ(made.maps->rowStats({}, {.stop = second.get_token()}).error().code,
                  Code::Cancelled);
        first.request_stop();
    }
    EXPECT_EQ(firstCode, Code::Cancelled);
    backend->isClosed = false;
    EXPECT_TRUE(made.maps->rowStats({}, {})) << "a cancelled computation must not stick";
}

TEST(ComputedMaps, readARowWhileTheMapIsOnItsWay)
{
    const auto backend = std::make_shared<GatedBackend>();
    const Maps made = mapsOf({1, 1, 2, 300, 200}, 1, 3, "causal", backend);
    backend->isClosed = true;
    {
        const std::jthread other([&] { (void)made.maps->rowStats({0, 0, 1}, {}); });
        while (backend->calls == 0) {
            std::this_thread::yield();
        }
        const auto row = made.maps->row({0, 0, 1}, Quantity::Weights, 150, {});
        EXPECT_TRUE(row) << describe(row.error());
        EXPECT_EQ(backend->rows, 301) << "one row more than the survey that is held up";
        backend->isClosed = false;
    }
    const auto stats = made.maps->rowStats({0, 0, 1}, {});
    ASSERT_TRUE(stats);
    for (const Quantity quantity : {Quantity::Scores, Quantity::Masked, Quantity::Weights}) {
        const auto row = made.maps->row({0, 0, 1}, quantity, 150, {});
        ASSERT_TRUE(row) << describe(row.error());
        TileSpec spec;
        spec.quantity = quantity;
        spec.row = 150;
        spec.rows = 1;
        spec.columns = 200;
        const auto cells = made.maps->window({0, 0, 1}, spec, {});
        ASSERT_TRUE(cells);
        EXPECT_EQ(row->cells.texels.values, cells->values);
        EXPECT_EQ(row->cells.texels.maskedShare, cells->maskedShare);
        EXPECT_EQ(row->cells.reasons[150], 0);
        EXPECT_EQ(row->cells.reasons[151], static_cast<MaskReasons>(MaskReason::Causal));
        EXPECT_EQ(row->stats.argmax, std::vector{(*stats)->argmax[150]});
        EXPECT_EQ(row->stats.lse, std::vector{(*stats)->lse[150]});
        EXPECT_EQ(row->stats.kept, std::vector{std::int64_t{151}});
    }
    EXPECT_EQ(made.maps->row({}, Quantity::Weights, 300, {}).error().code, Code::InvalidArgument);
    EXPECT_EQ(made.maps->row({0, 0, 2}, Quantity::Weights, 0, {}).error().code,
              Code::InvalidArgument);
}

TEST(ComputedMaps, surveyOnlyTheRowsThatAreLookedAt)
{
    const auto backend = std::make_shared<GatedBackend>();
    const Maps made = mapsOf({1, 1, 1, 1000, 50}, 1, 3, "none", backend);
    TileSpec spec{.row = 300, .rows = 10, .columns = 50};
    const auto few = made.maps->window({}, spec, {});
    ASSERT_TRUE(few) << describe(few.error());
    EXPECT_LE(backend->rows, 256);
    const auto stats = made.maps->rowStats({}, {});
    ASSERT_TRUE(stats);
    EXPECT_EQ(backend->rows, 1000) << "rows that are known are not computed again";
    // The rest is joined to it as if it had been one pass.
    const Maps other = mapsOf({1, 1, 1, 1000, 50}, 1, 3, "none");
    const auto whole = other.maps->rowStats({}, {});
    EXPECT_EQ((*stats)->lse, (*whole)->lse);
    EXPECT_EQ((*stats)->distance, (*whole)->distance);
    EXPECT_EQ((*stats)->argmax, (*whole)->argmax);
    EXPECT_EQ(other.maps->window({}, spec, {})->values, few->values);
}

TEST(ComputedMaps, findMetricsInOnePassWhichOthersNeedNotWaitFor)
{
    const auto backend = std::make_shared<GatedBackend>();
    const Maps made = mapsOf({1, 1, 1, 700, 600}, 1, 3, "causal", backend);
    const auto metrics = headMetrics(*made.maps, {}, {}, {});
    ASSERT_TRUE(metrics) << describe(metrics.error());
    EXPECT_EQ(backend->calls, 1);
    EXPECT_EQ(backend->tiles, 0);
    ASSERT_TRUE(made.maps->rowStats({}, {}));
    EXPECT_EQ(backend->calls, 1) << "the statistics of the pass are kept";
    const auto facts = made.maps->rowFacts({}, {}, {});
    ASSERT_TRUE(facts);
    EXPECT_EQ(facts->stats, made.maps->rowStats({}, {}).value());
    const std::vector<std::int32_t> three = {1, 2, 3};
    TokenRoles wrong;
    wrong.queries = three;
    EXPECT_EQ(made.maps->rowFacts({}, wrong, {}).error().code, Code::InvalidShape);
}

TEST(ComputedMaps, findPictureAndStatisticsInOnePass)
{
    const auto backend = std::make_shared<GatedBackend>();
    const Maps made = mapsOf({1, 1, 1, 700, 600}, 1, 3, "causal", backend);
    const TileRequest request = wholeMap(made);
    const auto tile = made.maps->tile(request, {});
    ASSERT_TRUE(tile) << describe(tile.error());
    EXPECT_EQ(backend->rows, 700);
    EXPECT_EQ(backend->tiles, 0);
    ASSERT_TRUE(made.maps->rowStats({}, {}));
    EXPECT_EQ(backend->rows, 700);
    // Now that the rows are known, the same picture comes from a tile.
    const auto again = made.maps->tile(request, {});
    EXPECT_EQ(backend->tiles, 1);
    EXPECT_EQ(again->texels.maskedShare, tile->texels.maskedShare);
    for (std::size_t t = 0; t < tile->texels.values.size(); ++t) {
        EXPECT_NEAR(again->texels.values[t], tile->texels.values[t], 1e-6);
    }
}

TEST(ComputedMaps, showADraftOfAPictureThatTakesLong)
{
    const BackendPtr backend = BackendRegistry::instance().open("auto").value_or(nullptr);
    ASSERT_NE(backend, nullptr);
    const Maps made = mapsOf({1, 1, 1, 9000, 9000}, 1, 64, "causal", backend, 0.125F);
    const Maps other = mapsOf({1, 1, 1, 9000, 9000}, 1, 64, "causal", backend, 0.125F);
    for (const Quantity quantity : {Quantity::Weights, Quantity::Masked}) {
        const TileRequest request = wholeMap(made, quantity);
        const auto wanted = other.maps->tile(request, {});
        ASSERT_TRUE(wanted) << describe(wanted.error());
        std::vector<std::pair<Tile, PictureDraft>> drafts;
        const auto tile =
            made.maps->tile(request, {}, [&](const Tile& texels, const PictureDraft& state) {
                drafts.emplace_back(texels, state);
            });
        ASSERT_TRUE(tile) << describe(tile.error());
        EXPECT_EQ(tile->texels.values, wanted->texels.values);
        ASSERT_FALSE(drafts.empty());
        EXPECT_EQ(drafts.front().second.exactRows, 0);
        EXPECT_GT(drafts.front().second.rowStep, 1);
        std::int64_t exactRows = 0;
        for (const auto& [draft, state] : drafts) {
            EXPECT_GE(state.exactRows, exactRows);
            exactRows = state.exactRows;
            ASSERT_EQ(draft.texels.values.size(), wanted->texels.values.size());
            for (std::size_t t = 0; t < draft.reasons.size(); ++t) {
                ASSERT_EQ(draft.reasons[t] != 0, draft.texels.maskedShare[t] > 0) << t;
            }
            for (std::size_t t = 0; t < draft.texels.values.size(); ++t) {
                const float value = draft.texels.values[t];
                if (static_cast<std::int64_t>(t) < exactRows * draft.texels.columns) {
                    ASSERT_EQ(value, wanted->texels.values[t]);
                } else {
                    // Some of the rows have no larger maximum than all of them.
                    ASSERT_LE(value, wanted->texels.values[t] + 1e-5F);
                }
            }
        }
    }
}

TEST(ComputedMaps, shareOnePassBetweenTheTilesOfALongMap)
{
    const BackendPtr fast = BackendRegistry::instance().open("auto").value_or(nullptr);
    ASSERT_NE(fast, nullptr);
    const auto backend = std::make_shared<GatedBackend>(fast);
    const Maps made = mapsOf({1, 1, 1, 9000, 9000}, 1, 64, "window(900)", backend, 0.125F);
    std::vector<TileRequest> requests = {wholeMap(made)};
    for (const std::int64_t row : {0, 1}) {
        for (const std::int64_t column : {0, 1}) {
            requests.push_back(requests.front());
            requests.back().level -= 1;
            requests.back().tileRow = row;
            requests.back().tileColumn = column;
        }
    }
    std::vector<Expected<Tile>> tiles(requests.size(), fail(Code::Internal, "not there"));
    {
        std::vector<std::jthread> threads;
        threads.reserve(requests.size());
        for (std::size_t i = 0; i < requests.size(); ++i) {
            threads.emplace_back([&, i] { tiles[i] = made.maps->tile(requests[i], {}); });
        }
    }
    EXPECT_EQ(backend->rows, 9000);
    EXPECT_EQ(backend->tiles, 0);
    const HeadProblem problem = dynamic_cast<const ComputedMaps&>(*made.maps).problem({});
    const auto stats = made.maps->rowStats({}, {});
    ASSERT_TRUE(stats) << describe(stats.error());
    EXPECT_EQ(backend->rows, 9000);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        ASSERT_TRUE(tiles[i]) << describe(tiles[i].error());
        TileSpec spec;
        const std::int64_t side = TileSide << requests[i].level;
        spec.texelCells = std::int64_t{1} << requests[i].level;
        spec.row = requests[i].tileRow * side;
        spec.column = requests[i].tileColumn * side;
        spec.rows = std::min(side, 9000 - spec.row);
        spec.columns = std::min(side, 9000 - spec.column);
        const auto wanted = fast->tile(problem, stats->get(), spec, {});
        ASSERT_TRUE(wanted) << describe(wanted.error());
        EXPECT_EQ(tiles[i]->texels.maskedShare, wanted->maskedShare);
        for (std::size_t t = 0; t < wanted->values.size(); ++t) {
            ASSERT_NEAR(tiles[i]->texels.values[t], wanted->values[t], 1e-6);
        }
    }
}

TEST(ComputedMaps, stopInTheMiddleOfALongPicture)
{
    const BackendPtr backend = BackendRegistry::instance().open("auto").value_or(nullptr);
    ASSERT_NE(backend, nullptr);
    const Maps made = mapsOf({1, 1, 1, 9000, 9000}, 1, 64, "none", backend, 0.125F);
    std::stop_source stop;
    const auto tile = made.maps->tile(
        wholeMap(made), {.stop = stop.get_token()},
        [&](const Tile& /*draft*/, const PictureDraft& /*state*/) { stop.request_stop(); });
    ASSERT_FALSE(tile);
    EXPECT_EQ(tile.error().code, Code::Cancelled);
    EXPECT_TRUE(made.maps->tile(wholeMap(made), {})) << "nothing may stick";
}

TEST(ComputedMaps, takeMaskScaleAndCapOfEveryLayer)
{
    const MapsShape shape{2, 1, 1, 3, 3};
    const auto q = randomTensor({1, 1, 3, 2}, 1);
    const auto maps = makeComputedMaps(reference(), {{q, q, maskOf("none", shape), 1.0F},
                                                     {q, q, maskOf("causal", shape), 0.5F, 0.7F}});
    ASSERT_TRUE(maps) << describe(maps.error());
    EXPECT_EQ((*(*maps)->rowStats({0, 0, 0}, {}))->kept[0], 3);
    EXPECT_EQ((*(*maps)->rowStats({1, 0, 0}, {}))->kept[0], 1);
    EXPECT_EQ((*maps)->mask(2), nullptr);
    EXPECT_EQ((*maps)->mask(-1), nullptr);
    TileSpec spec;
    spec.quantity = Quantity::Masked;
    spec.row = 1;
    spec.rows = spec.columns = 1;
    const auto row = q->matrix({0, 0}).row(1);
    const auto first = q->matrix({0, 0}).row(0);
    const double score = double{row[0]} * double{first[0]} + double{row[1]} * double{first[1]};
    EXPECT_NEAR((*maps)->window({0, 0, 0}, spec, {})->values[0], score, 1e-6);
    EXPECT_NEAR((*maps)->window({1, 0, 0}, spec, {})->values[0], 0.7 * std::tanh(0.5 * score / 0.7),
                1e-6);
}

TEST(ComputedMaps, refuseWhatDoesNotBelongTogether)
{
    const MapsShape shape{1, 1, 4, 3, 5};
    const auto q = randomTensor({1, 4, 3, 2}, 1);
    const auto k = randomTensor({1, 2, 5, 2}, 1);
    const MaskPtr mask = maskOf("none", shape);
    const BackendPtr backend = reference();
    const auto refusal = [&](const std::vector<MapLayer>& layers) {
        const auto maps = makeComputedMaps(backend, layers);
        return maps ? Code::Internal : maps.error().code;
    };
    EXPECT_TRUE(makeComputedMaps(backend, {{q, k, mask}}));
    EXPECT_EQ(makeComputedMaps(nullptr, {{q, k, mask}}).error().code, Code::InvalidArgument);
    EXPECT_EQ(refusal({}), Code::InvalidArgument);
    EXPECT_EQ(refusal({{nullptr, k, mask}}), Code::InvalidArgument);
    EXPECT_EQ(refusal({{q, k, nullptr}}), Code::InvalidArgument);
    EXPECT_EQ(refusal({{q, k, mask}, {q, k, nullptr}}), Code::InvalidArgument);
    for (const float scale : {0.0F, -1.0F, Infinity, std::nanf("")}) {
        EXPECT_EQ(refusal({{q, k, mask, scale}}), Code::InvalidArgument);
    }
    EXPECT_EQ(refusal({{q, k, maskOf("none", {1, 1, 4, 5, 3})}}), Code::InvalidShape);
    for (const Shape& shapeOfK : {Shape{1, 2, 5, 3}, Shape{1, 3, 5, 2}, Shape{2, 2, 5, 2},
                                  Shape{2, 5, 2}, Shape{1, 2, 0, 2}, Shape{1, 0, 5, 2}}) {
        EXPECT_EQ(refusal({{q, randomTensor(shapeOfK, 1), mask}}), Code::InvalidShape)
            << toString(shapeOfK);
    }
    const auto shorter = randomTensor({1, 4, 2, 2}, 1);
    EXPECT_EQ(refusal({{q, k, mask}, {shorter, k, maskOf("none", {1, 1, 4, 2, 5})}}),
              Code::InvalidShape)
        << "layers of different shapes";
}
