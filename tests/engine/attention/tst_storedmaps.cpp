// Maps that came finished: shapes, pooling, tiles, row statistics.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/maps.h"
#include "memoryfile.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace heed;
using heed::test::counting;
using heed::test::MemoryFile;

namespace {

constexpr float Infinity = std::numeric_limits<float>::infinity();
constexpr float NaN = std::numeric_limits<float>::quiet_NaN();

MapsPtr mapsOf(Tensor tensor, Quantity quantity = Quantity::Weights, bool isMapped = true)
{
    std::map<std::string, Tensor> arrays;
    arrays["a"] = std::move(tensor);
    auto maps =
        makeStoredMaps(std::make_shared<MemoryFile>(std::move(arrays), isMapped), "a", quantity);
    EXPECT_TRUE(maps) << describe(maps.error());
    return maps.value_or(nullptr);
}

TexelValues pooled(const AttentionMaps& maps, Quantity quantity, Pooling pooling,
                   std::int64_t texelCells)
{
    TileSpec spec;
    spec.quantity = quantity;
    spec.pooling = pooling;
    spec.rows = maps.shape().queries;
    spec.columns = maps.shape().keys;
    spec.texelCells = texelCells;
    auto texels = maps.window({}, spec, {.threads = 2});
    EXPECT_TRUE(texels) << describe(texels.error());
    return texels ? texels->values : TexelValues{};
}

} // namespace

TEST(StoredMaps, readFewerAxesAsLeadingOnes)
{
    EXPECT_EQ(mapsOf(counting({2, 3, 4, 5, 6}))->shape(), (MapsShape{2, 3, 4, 5, 6}));
    EXPECT_EQ(mapsOf(counting({3, 4, 5, 6}))->shape(), (MapsShape{1, 3, 4, 5, 6}));
    EXPECT_EQ(mapsOf(counting({4, 5, 6}))->shape(), (MapsShape{1, 1, 4, 5, 6}));
    EXPECT_EQ(mapsOf(counting({5, 6}))->shape(), (MapsShape{1, 1, 1, 5, 6}));
}

TEST(StoredMaps, findEveryMap)
{
    for (const bool isMapped : {false, true}) {
        const MapsPtr maps = mapsOf(counting({2, 2, 3, 4, 5}), Quantity::Weights, isMapped);
        TileSpec spec;
        spec.row = 3;
        spec.column = 2;
        spec.rows = 1;
        spec.columns = 2;
        const auto texels = maps->window({1, 0, 2}, spec, {});
        ASSERT_TRUE(texels);
        EXPECT_EQ(texels->values, (TexelValues{177, 178})); // ((1·2+0)·3+2)·20 + 3·5 + 2
    }
}

TEST(StoredMaps, useMappedMemoryInPlace)
{
    const auto file =
        std::make_shared<MemoryFile>(std::map<std::string, Tensor>{{"a", counting({4, 4})}}, true);
    ASSERT_TRUE(makeStoredMaps(file, "a", Quantity::Weights));
    EXPECT_EQ(file->reads(), 0);
}

TEST(StoredMaps, poolInEveryWay)
{
    const MapsPtr maps = mapsOf(Tensor({3, 3}, {1, -5, 2, 3, 4, -2, 0, 0, 7}), Quantity::Scaled);
    using Values = TexelValues;
    EXPECT_EQ(pooled(*maps, Quantity::Scaled, Pooling::Max, 2), (Values{4, 2, 0, 7}));
    EXPECT_EQ(pooled(*maps, Quantity::Scaled, Pooling::AbsMax, 2), (Values{-5, 2, 0, 7}));
    EXPECT_EQ(pooled(*maps, Quantity::Scaled, Pooling::Mass, 2), (Values{3, 0, 0, 7}));
    EXPECT_EQ(pooled(*maps, Quantity::Scaled, Pooling::Mean, 2), (Values{0.75F, 0, 0, 7}));
    EXPECT_EQ(pooled(*maps, Quantity::Scaled, Pooling::AbsMax, 4), (Values{7}));
}

TEST(StoredMaps, keepASingleHitAtEveryLevel)
{
    Tensor cells({1000, 700});
    cells.matrix()(777, 333) = 0.9F;
    const MapsPtr maps = mapsOf(std::move(cells));
    EXPECT_EQ(maps->topLevel(), 2);
    for (int level = 0; level <= maps->topLevel(); ++level) {
        const std::int64_t side = TileSide << level;
        TileRequest request;
        request.level = level;
        request.tileRow = 777 / side;
        request.tileColumn = 333 / side;
        const auto tile = maps->tile(request, {});
        ASSERT_TRUE(tile) << describe(tile.error());
        const std::int64_t row = (777 % side) >> level;
        const std::int64_t column = (333 % side) >> level;
        EXPECT_EQ(
            tile->texels.values[static_cast<std::size_t>(row * tile->texels.columns + column)],
            0.9F);
        EXPECT_EQ(std::ranges::count(tile->texels.values, 0.9F), 1);
        EXPECT_EQ(tile->reasons.size(), tile->texels.values.size());
    }
}

TEST(StoredMaps, letNaNThroughWhereverItIs)
{
    for (const std::size_t place : {0U, 1U, 2U, 3U}) {
        Tensor cells({2, 4}, {1, 2, 5, 6, 3, 4, 7, 8});
        cells.values()[place / 2 * 4 + place % 2] = NaN;
        const MapsPtr maps = mapsOf(std::move(cells), Quantity::Scores);
        for (const Pooling pooling :
             {Pooling::Max, Pooling::AbsMax, Pooling::Mass, Pooling::Mean}) {
            const auto values = pooled(*maps, Quantity::Scores, pooling, 2);
            EXPECT_TRUE(std::isnan(values.at(0))) << place << poolingName(pooling);
            EXPECT_FALSE(std::isnan(values.at(1)));
        }
    }
}

TEST(StoredMaps, leaveMaskedScoresOutOfAPool)
{
    const MapsPtr maps =
        mapsOf(Tensor({2, 4}, {-3, -Infinity, -Infinity, -Infinity, -1, -2, -Infinity, -Infinity}),
               Quantity::Masked);
    using Values = TexelValues;
    EXPECT_EQ(pooled(*maps, Quantity::Masked, Pooling::AbsMax, 2), (Values{-3, -Infinity}));
    EXPECT_EQ(pooled(*maps, Quantity::Masked, Pooling::Mean, 2), (Values{-2, -Infinity}));
}

TEST(StoredMaps, poolIntoTexelsThatAreNoSquares)
{
    const MapsPtr maps = mapsOf(Tensor({3, 4}, {1, 2, 3, 4, 8, 7, 6, 5, 9, 10, 11, 12}));
    const auto tile =
        maps->window({}, {.rows = 3, .columns = 4, .texelCells = 1, .cellsDown = 2}, {});
    ASSERT_TRUE(tile) << describe(tile.error());
    EXPECT_EQ(tile->values, (TexelValues{8, 7, 6, 5, 9, 10, 11, 12}));
    const auto wide =
        maps->window({}, {.rows = 3, .columns = 4, .texelCells = 3, .cellsDown = 1}, {});
    ASSERT_TRUE(wide) << describe(wide.error());
    EXPECT_EQ(wide->values, (TexelValues{3, 4, 8, 5, 11, 12}));
}

TEST(StoredMaps, giveRowStatisticsOfWeights)
{
    const MapsPtr maps = mapsOf(Tensor({4, 3}, {0.25F, 0.25F, 0.5F, 0, 0, 0, 0, 1, 0, NaN, 0, 1}));
    const auto stats = maps->rowStats({}, {});
    ASSERT_TRUE(stats);
    const RowStats& rows = **stats;
    EXPECT_FLOAT_EQ(rows.max[0], std::log(0.5F));
    EXPECT_FLOAT_EQ(rows.sum[0], 2);
    EXPECT_NEAR(rows.lse[0], 0, 1e-7);
    EXPECT_FLOAT_EQ(rows.entropy[0], 1.5F * std::log(2.0F));
    EXPECT_FLOAT_EQ(rows.distance[0], 0.25F + 1);
    EXPECT_EQ(rows.argmax[0], 2);
    EXPECT_EQ(rows.kept[0], 3);
    EXPECT_EQ(rows.max[1], -Infinity);
    EXPECT_EQ(rows.lse[1], -Infinity);
    EXPECT_EQ(rows.entropy[1], 0);
    EXPECT_EQ(rows.argmax[1], -1);
    EXPECT_EQ(rows.kept[1], 0);
    EXPECT_EQ(rows.entropy[2], 0);
    EXPECT_EQ(rows.distance[2], 1);
    EXPECT_TRUE(std::isnan(rows.max[3]) && std::isnan(rows.entropy[3]));
    EXPECT_EQ(rows.argmax[3], 0);
    EXPECT_EQ(*maps->rowStats({}, {}), *stats) << "computed twice";
}

TEST(StoredMaps, giveRowStatisticsOfMaskedScores)
{
    const MapsPtr maps =
        mapsOf(Tensor({2, 2}, {1000, 1000, -Infinity, -Infinity}), Quantity::Masked);
    const RowStats& rows = *maps->rowStats({}, {}).value();
    EXPECT_FLOAT_EQ(rows.lse[0], 1000 + std::log(2.0F));
    EXPECT_FLOAT_EQ(rows.entropy[0], std::log(2.0F));
    EXPECT_FLOAT_EQ(rows.distance[0], 0.5F);
    EXPECT_EQ(rows.kept[1], 0);
}

TEST(StoredMaps, readARow)
{
    const MapsPtr maps = mapsOf(Tensor({2, 3}, {0, 0, 1, 0.25F, 0.25F, 0.5F}));
    const auto row = maps->row({}, Quantity::Weights, 1, {});
    ASSERT_TRUE(row) << describe(row.error());
    EXPECT_EQ(row->cells.texels.values, (TexelValues{0.25F, 0.25F, 0.5F}));
    EXPECT_EQ(row->cells.reasons, (std::vector<MaskReasons>{0, 0, 0}));
    EXPECT_EQ(row->stats.argmax, std::vector{std::int64_t{2}});
    EXPECT_FLOAT_EQ(row->stats.distance[0], 0.25F + 0.5F);
    EXPECT_EQ(maps->row({}, Quantity::Weights, 2, {}).error().code, Code::InvalidArgument);
    const auto scores =
        mapsOf(counting({2, 2}), Quantity::Scores)->row({}, Quantity::Scores, 1, {});
    ASSERT_TRUE(scores);
    EXPECT_EQ(scores->cells.texels.values, (TexelValues{2.0F, 3.0F}));
    EXPECT_TRUE(scores->stats.max.empty());
}

TEST(StoredMaps, offerOnlyWhatTheyHold)
{
    const MapsPtr maps = mapsOf(counting({2, 2}), Quantity::Scaled);
    EXPECT_TRUE(maps->offers(Quantity::Scaled));
    EXPECT_FALSE(maps->offers(Quantity::Weights));
    EXPECT_EQ(maps->mask(0), nullptr);
    EXPECT_EQ(maps->rowStats({}, {}).error().code, Code::Unsupported);
    TileSpec spec;
    spec.rows = spec.columns = 1;
    EXPECT_EQ(maps->window({}, spec, {}).error().code, Code::Unsupported);
}

TEST(StoredMaps, refuseArraysThatAreNoMaps)
{
    const auto refusal = [](Tensor tensor) {
        auto maps = makeStoredMaps(
            std::make_shared<MemoryFile>(std::map<std::string, Tensor>{{"a", std::move(tensor)}}),
            "a", Quantity::Weights);
        EXPECT_FALSE(maps);
        return maps ? Code::Internal : maps.error().code;
    };
    EXPECT_EQ(refusal(counting({4})), Code::InvalidShape);
    EXPECT_EQ(refusal(counting({1, 1, 1, 1, 2, 2})), Code::InvalidShape);
    EXPECT_EQ(refusal(Tensor(Shape{0, 4})), Code::InvalidShape);
    EXPECT_EQ(makeStoredMaps(std::make_shared<MemoryFile>(std::map<std::string, Tensor>{}), "a",
                             Quantity::Weights)
                  .error()
                  .code,
              Code::NotFound);
    EXPECT_EQ(makeStoredMaps(nullptr, "a", Quantity::Weights).error().code, Code::InvalidArgument);
}

TEST(StoredMaps, refuseWindowsThatAreNotInside)
{
    constexpr auto huge = std::numeric_limits<std::int64_t>::max();
    const MapsPtr maps = mapsOf(counting({2, 8, 6}));
    const auto refusal = [&](MapIndex map, TileSpec spec) {
        const auto texels = maps->window(map, spec, {});
        return texels ? Code::Internal : texels.error().code;
    };
    TileSpec whole;
    whole.rows = 8;
    whole.columns = 6;
    EXPECT_EQ(refusal({1, 0, 0}, whole), Code::InvalidArgument);
    EXPECT_EQ(refusal({0, 1, 0}, whole), Code::InvalidArgument);
    EXPECT_EQ(refusal({0, 0, 2}, whole), Code::InvalidArgument);
    EXPECT_EQ(refusal({0, 0, -1}, whole), Code::InvalidArgument);
    for (auto member : {&TileSpec::row, &TileSpec::column, &TileSpec::rows, &TileSpec::columns,
                        &TileSpec::texelCells, &TileSpec::cellsDown}) {
        for (const std::int64_t value : {huge, -huge, std::int64_t{-1}, std::int64_t{9}}) {
            TileSpec spec = whole;
            spec.*member = value;
            if ((member == &TileSpec::texelCells || member == &TileSpec::cellsDown) && value == 9) {
                continue; // one texel for the whole map
            }
            EXPECT_EQ(refusal({}, spec), Code::InvalidArgument) << value;
        }
    }
    TileSpec crooked;
    crooked.row = 1;
    crooked.rows = crooked.columns = 2;
    crooked.texelCells = 2;
    EXPECT_EQ(refusal({}, crooked), Code::InvalidArgument);
    crooked.texelCells = 1;
    crooked.cellsDown = 2;
    EXPECT_EQ(refusal({}, crooked), Code::InvalidArgument);
    EXPECT_EQ(maps->rowStats({0, 0, 7}, {}).error().code, Code::InvalidArgument);
}

TEST(StoredMaps, refuseTilesOutsideThePyramid)
{
    const MapsPtr maps = mapsOf(counting({300, 300}));
    EXPECT_EQ(maps->topLevel(), 1);
    EXPECT_EQ(maps->coarsestLevel(), 9); // 512 cells a texel
    const auto refusal = [&](int level, std::int64_t row, std::int64_t column) {
        TileRequest request;
        request.level = level;
        request.tileRow = row;
        request.tileColumn = column;
        const auto tile = maps->tile(request, {});
        return tile ? Code::Internal : tile.error().code;
    };
    EXPECT_EQ(refusal(-1, 0, 0), Code::InvalidArgument);
    EXPECT_EQ(refusal(10, 0, 0), Code::InvalidArgument);
    EXPECT_EQ(refusal(70, 0, 0), Code::InvalidArgument);
    EXPECT_EQ(refusal(0, 2, 0), Code::InvalidArgument);
    EXPECT_EQ(refusal(0, 0, -1), Code::InvalidArgument);
    EXPECT_EQ(refusal(1, 0, 1), Code::InvalidArgument);
}

TEST(StoredMaps, stopWhenAskedAndStayInTheBudget)
{
    const MapsPtr maps = mapsOf(counting({64, 64}));
    std::stop_source source;
    source.request_stop();
    TileSpec spec;
    spec.rows = spec.columns = 64;
    EXPECT_EQ(maps->window({}, spec, {.stop = source.get_token()}).error().code, Code::Cancelled);
    EXPECT_EQ(maps->rowStats({}, {.stop = source.get_token()}).error().code, Code::Cancelled);
    EXPECT_EQ(maps->window({}, spec, {.memoryBudget = 1000}).error().code, Code::OutOfMemory);
}

TEST(Names, areReadBack)
{
    for (const Quantity quantity :
         {Quantity::Scores, Quantity::Scaled, Quantity::Masked, Quantity::Weights}) {
        EXPECT_EQ(parseQuantity(quantityName(quantity)).value(), quantity);
    }
    for (const Pooling pooling : {Pooling::Max, Pooling::AbsMax, Pooling::Mass, Pooling::Mean}) {
        EXPECT_EQ(parsePooling(poolingName(pooling)).value(), pooling);
    }
    EXPECT_NE(parseQuantity("probs").error().message.find("scores, scaled, masked, weights"),
              std::string::npos);
    EXPECT_EQ(parsePooling("nearest").error().code, Code::InvalidArgument);
    EXPECT_EQ(defaultPooling(Quantity::Weights), Pooling::Max);
    EXPECT_EQ(defaultPooling(Quantity::Masked), Pooling::AbsMax);
}
