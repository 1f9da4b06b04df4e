// What attention costs, against numbers worked out by hand, and that speed is measured at all.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/cost.h"
#include "heed/speed.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace heed;

namespace {

constexpr std::int64_t MiB = 1 << 20;

MaskCost costOfMask(const std::string& expression, const MaskContext& context)
{
    return costOf(**compileMask(expression, context));
}

} // namespace

TEST(Cost, ofFourItemsAndEightHeadsAt2048)
{
    const Cost cost = costOf(
        {.items = 4, .heads = 8, .queries = 2048, .keys = 2048, .width = 64, .valueWidth = 64});
    EXPECT_EQ(cost.storedWeights, 512 * MiB);           // 4·8·2048²·4
    EXPECT_EQ(cost.projections, 3 * 16 * MiB);          // 4·8·2048·64·4 each
    EXPECT_EQ(cost.rowStats, 4 * 8 * 2048 * (20 + 16)); // five floats, two integers
    EXPECT_EQ(cost.cells, 134217728);
    EXPECT_EQ(cost.scoreMultiplyAdds, 134217728.0 * 64);
    EXPECT_EQ(cost.valueMultiplyAdds, 134217728.0 * 64);
}

TEST(Cost, ofLayersSharedKeysAndCrossAttention)
{
    const Cost cost = costOf({.layers = 3,
                              .items = 2,
                              .heads = 4,
                              .keyHeads = 2,
                              .queries = 5,
                              .keys = 7,
                              .width = 8,
                              .valueWidth = 6});
    EXPECT_EQ(cost.storedWeights, 3 * 2 * 4 * 5 * 7 * 4);
    EXPECT_EQ(cost.projections, (3 * 2 * 4 * 5 * 8 + 3 * 2 * 2 * 7 * (8 + 6)) * 4);
    EXPECT_EQ(cost.valueMultiplyAdds, 3.0 * 2 * 4 * 5 * 7 * 6);
    EXPECT_EQ(costOf({.queries = 5, .keys = 7, .width = 8}).valueMultiplyAdds, 0);
}

TEST(Cost, thatIsPastEveryNumberIsTheLargest)
{
    const std::int64_t huge = std::int64_t{1} << 40;
    EXPECT_EQ(costOf({.queries = huge, .keys = huge, .width = 64}).storedWeights,
              std::numeric_limits<std::int64_t>::max());
}

TEST(Cost, ofMasksCountsSharedPlanesOnce)
{
    const MaskContext context{.items = 3, .heads = 2, .queries = 4, .keys = 4};
    EXPECT_EQ(costOfMask("none", context).keptCells, 3 * 2 * 16);
    EXPECT_EQ(costOfMask("causal", context).keptCells, 3 * 2 * 10);
    EXPECT_EQ(costOfMask("window(2)", context).keptCells, 3 * 2 * 7);
    EXPECT_EQ(costOfMask("causal", context).bytes,
              costOfMask("causal", {.queries = 4, .keys = 4}).bytes);
    const MaskContext padded{.items = 2, .heads = 2, .queries = 4, .keys = 4, .keyLengths = {4, 1}};
    EXPECT_EQ(costOfMask("padding", padded).keptCells, 2 * (16 + 4));
}

TEST(Cost, ofATileIsThatOfItsTexels)
{
    EXPECT_EQ(tileBytes(), 256 * 256 * 9);
}

TEST(Speed, isMeasuredOnTheKeptCells)
{
    const BackendPtr backend = BackendRegistry({}).open("reference").value();
    const auto speed = measureSpeed(*backend,
                                    {.side = 48,
                                     .width = 8,
                                     .mask = "causal",
                                     .picture = 16,
                                     .leastSeconds = 0,
                                     .leastRepeats = 1},
                                    {.threads = 1});
    ASSERT_TRUE(speed) << describe(speed.error());
    EXPECT_EQ(speed->keptCells, 48 * 49 / 2);
    for (const double positive : {speed->surveySeconds, speed->tileSeconds, speed->attendSeconds,
                                  speed->peak, speed->surveyShare, speed->attendShare}) {
        EXPECT_GT(positive, 0);
    }
    EXPECT_LT(speed->surveyShare, 1);
}

TEST(Speed, refusesWhatCannotBeMeasured)
{
    const BackendPtr backend = BackendRegistry({}).open("reference").value();
    const auto code = [&](const SpeedSpec& spec, const Execution& execution) {
        return measureSpeed(*backend, spec, execution).error().code;
    };
    EXPECT_EQ(code({.side = 0}, {}), Code::InvalidArgument);
    EXPECT_EQ(code({.mask = "nonsense("}, {}), Code::InvalidArgument);
    EXPECT_EQ(code({.side = 1024}, {.memoryBudget = 1000}), Code::OutOfMemory);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(code({.side = 32}, {.stop = stop.get_token()}), Code::Cancelled);
}

TEST(Speed, growthIsTheExponent)
{
    const std::array sizes = {100.0, 200.0, 400.0};
    EXPECT_NEAR(growthExponent(sizes, std::array{3.0, 12.0, 48.0}), 2, 1e-12);
    EXPECT_NEAR(growthExponent(sizes, std::array{5.0, 5.0, 5.0}), 0, 1e-12);
    EXPECT_TRUE(std::isnan(growthExponent(std::array{100.0}, std::array{3.0})));
}
