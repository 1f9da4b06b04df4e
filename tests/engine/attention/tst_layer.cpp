// Settings of a layer: what is refused, and what is offered instead.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/layer.h"

#include <gtest/gtest.h>
#include <limits>

using namespace heed;

namespace {

std::string refusal(const LayerConfig& config)
{
    const auto result = validate(config);
    if (result) {
        return "accepted";
    }
    EXPECT_EQ(result.error().code, Code::InvalidArgument);
    return result.error().message;
}

} // namespace

TEST(Layer, theDefaultIsValid)
{
    EXPECT_TRUE(validate({}));
    EXPECT_EQ(LayerConfig{}.headWidth() * LayerConfig{}.heads, LayerConfig{}.modelWidth);
}

TEST(Layer, headsThatDoNotDivideAreRefusedWithTheNearestThatDo)
{
    EXPECT_EQ(refusal({.modelWidth = 1600, .heads = 48}),
              "d_model 1600 cannot be split into 48 heads (1600 ÷ 48 = 33 remainder 16). Every "
              "head needs the same width. Heads that fit near 48: 40, 50. d_model that fits "
              "near 1600: 1584, 1632.");
}

TEST(Layer, swappedNumbersAreRecognised)
{
    EXPECT_NE(
        refusal({.modelWidth = 8, .heads = 64}).find("Did you swap d_model (8) and heads (64)?"),
        std::string::npos);
    EXPECT_NE(refusal({.modelWidth = 64, .heads = 2, .kvHeads = 8})
                  .find("Did you swap heads (2) and key/value heads (8)?"),
              std::string::npos);
}

TEST(Layer, groupsThatDoNotDivideAreRefusedWithTheNearestThatDo)
{
    EXPECT_EQ(refusal({.modelWidth = 96, .heads = 12, .kvHeads = 5}),
              "12 query heads cannot share 5 key/value heads (12 ÷ 5 = 2 remainder 2). Every "
              "key/value head needs the same number of query heads. Key/value heads that fit near "
              "5: 4, 6.");
}

TEST(Layer, rotaryPositionsNeedAnEvenHeadWidth)
{
    EXPECT_EQ(refusal({.modelWidth = 20, .heads = 4, .positions = Positions::Rotary}),
              "Rotary positions turn pairs of numbers, so the head width must be even; d_model 20 "
              "with 4 heads gives 5. Heads that fit near 4: 2, 5.");
    EXPECT_NE(refusal({.modelWidth = 15, .heads = 5, .positions = Positions::Rotary})
                  .find("Choose an even width"),
              std::string::npos);
    EXPECT_EQ(refusal({.modelWidth = 20, .heads = 5, .positions = Positions::Rotary}), "accepted");
}

TEST(Layer, sizesOutOfRangeAreRefused)
{
    constexpr auto huge = std::numeric_limits<std::int64_t>::max();
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    for (const std::int64_t width :
         {std::int64_t{0}, std::int64_t{-64}, std::int64_t{65537}, huge, least}) {
        EXPECT_NE(refusal({.modelWidth = width}).find("1 to 65536"), std::string::npos) << width;
    }
    for (const std::int64_t heads : {std::int64_t{0}, std::int64_t{-1}, huge, least}) {
        EXPECT_NE(refusal({.heads = heads}), "accepted") << heads;
    }
    for (const std::int64_t groups : {std::int64_t{-1}, huge, least}) {
        EXPECT_NE(refusal({.kvHeads = groups}), "accepted") << groups;
    }
}

TEST(Layer, aWidthThatFitsTheHeadsIsOfferedToo)
{
    EXPECT_NE(refusal({.modelWidth = 97, .heads = 8})
                  .find("near 8: 1, 97. d_model that fits near "
                        "97: 96, 104."),
              std::string::npos);
    EXPECT_NE(refusal({.modelWidth = 65535, .heads = 8}).find("near 65535: 65528, 65536."),
              std::string::npos);
    EXPECT_NE(refusal({.modelWidth = 65536, .heads = 7}).find("near 65536: 65534."),
              std::string::npos);
}

TEST(NearestDivisors, areAscendingAndAtMostSoMany)
{
    using Numbers = std::vector<std::int64_t>;
    EXPECT_EQ(nearestDivisors(12, 5, 2), (Numbers{4, 6}));
    EXPECT_EQ(nearestDivisors(64, 5, 2), (Numbers{4, 8})); // 2 is as near as 8, but below as 4 is
    EXPECT_EQ(nearestDivisors(64, 0, 2), (Numbers{1, 2}));
    EXPECT_EQ(nearestDivisors(12, 100, 2), (Numbers{6, 12}));
    EXPECT_EQ(nearestDivisors(13, 5, 4), (Numbers{1, 13}));
    EXPECT_EQ(nearestDivisors(1, 5, 2), (Numbers{1}));
    EXPECT_EQ(nearestDivisors(0, 5, 2), (Numbers{}));
    EXPECT_EQ(nearestDivisors(12, 5, 0), (Numbers{}));
}

TEST(Scale, isOneOverTheRootOfTheHeadWidth)
{
    EXPECT_EQ((LayerConfig{.modelWidth = 64, .heads = 4}).scale(), 0.25F);
    EXPECT_EQ((LayerConfig{.modelWidth = 64, .heads = 4, .scaled = false}).scale(), 1.0F);
}
