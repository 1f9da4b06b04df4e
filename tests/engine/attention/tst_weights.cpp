// Weights drawn from a seed: the same numbers everywhere, distributed as torch.nn.Linear's.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/layer.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

using namespace heed;

namespace {

LayerWeights drawn(const LayerConfig& config, int threads = 1)
{
    auto weights = makeWeights(config, {.threads = threads});
    EXPECT_TRUE(weights);
    return weights ? std::move(*weights) : LayerWeights{};
}

std::vector<float> first(const Tensor& tensor, std::size_t count)
{
    return {tensor.values().begin(), tensor.values().begin() + static_cast<std::ptrdiff_t>(count)};
}

} // namespace

TEST(Weights, equalThoseOfAnIndependentImplementation)
{
    // Printed by tests/oracle/philox_reference.py.
    const LayerWeights zero = drawn({.modelWidth = 64});
    EXPECT_EQ(first(zero.wq, 6), (std::vector{-0x1.9d8180p-6F, 0x1.85a714p-4F, 0x1.e2bd60p-5F,
                                              0x1.b00db0p-6F, 0x1.e39330p-4F, -0x1.1a7000p-5F}));
    EXPECT_EQ(zero.wo.values()[4094], -0x1.049a38p-4F);
    EXPECT_EQ(zero.wo.values()[4095], 0x1.7fddc0p-8F);
    EXPECT_EQ(first(zero.bv, 2), (std::vector{0x1.2fda50p-4F, 0x1.5167e0p-5F}));

    const LayerWeights other = drawn({.modelWidth = 64, .seed = 0x0123456789abcdef});
    EXPECT_EQ(first(other.wq, 6), (std::vector{0x1.c28110p-5F, 0x1.1632c0p-4F, -0x1.ad6180p-4F,
                                               -0x1.5ec040p-8F, 0x1.6e50a0p-5F, -0x1.6e0f98p-5F}));
    EXPECT_EQ(other.wo.values()[4095], -0x1.58fefcp-4F);
}

TEST(Weights, doNotDependOnTheNumberOfThreads)
{
    const LayerConfig config{.modelWidth = 512, .seed = 3};
    const LayerWeights one = drawn(config, 1);
    const LayerWeights five = drawn(config, 5);
    EXPECT_TRUE(std::ranges::equal(one.wk.values(), five.wk.values()));
    EXPECT_TRUE(std::ranges::equal(one.bo.values(), five.bo.values()));
}

TEST(Weights, areUniformWithinOneOverTheRootOfTheInputs)
{
    const LayerWeights weights = drawn({.modelWidth = 256, .seed = 9});
    const auto values = weights.wv.values();
    const double bound = 1.0 / 16;
    EXPECT_GE(*std::ranges::min_element(values), -bound);
    EXPECT_LE(*std::ranges::max_element(values), bound);
    const double count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    const double square =
        std::inner_product(values.begin(), values.end(), values.begin(), 0.0) / count;
    EXPECT_NEAR(mean, 0, 5 * bound / std::sqrt(3 * count));
    EXPECT_NEAR(square, bound * bound / 3, 0.01 * bound * bound);
}

TEST(Weights, haveTheShapesOfGroupedQueries)
{
    const LayerWeights weights = drawn({.modelWidth = 24, .heads = 6, .kvHeads = 2});
    EXPECT_EQ(weights.wq.shape(), (Shape{24, 24}));
    EXPECT_EQ(weights.wk.shape(), (Shape{8, 24}));
    EXPECT_EQ(weights.wv.shape(), (Shape{8, 24}));
    EXPECT_EQ(weights.wo.shape(), (Shape{24, 24}));
    EXPECT_EQ(weights.bk.shape(), (Shape{8}));
    EXPECT_FALSE(std::ranges::equal(weights.wk.values(), weights.wv.values()));
}

TEST(Weights, haveNoBiasWhenNoneIsWanted)
{
    const LayerWeights with = drawn({.biased = true});
    const LayerWeights without = drawn({.biased = false});
    EXPECT_TRUE(without.bq.empty() && without.bk.empty() && without.bv.empty() &&
                without.bo.empty());
    EXPECT_TRUE(std::ranges::equal(with.wo.values(), without.wo.values()));
}

TEST(Weights, stopWhenAsked)
{
    std::stop_source source;
    source.request_stop();
    EXPECT_EQ(makeWeights({}, {.threads = 1, .stop = source.get_token()}).error().code,
              Code::Cancelled);
}
