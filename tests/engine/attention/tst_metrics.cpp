// Head metrics and strongest links against what their definitions say, cell by cell.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/metrics.h"
#include "memoryfile.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace heed;
using heed::test::MemoryFile;

namespace {

MapsPtr mapsOf(Tensor tensor, Quantity quantity = Quantity::Weights)
{
    std::map<std::string, Tensor> arrays;
    arrays["a"] = std::move(tensor);
    return makeStoredMaps(std::make_shared<MemoryFile>(std::move(arrays), true), "a", quantity)
        .value_or(nullptr);
}

/// Rows of random weights that sum to 1, every third key left out.
Tensor randomWeights(std::int64_t queries, std::int64_t keys)
{
    Tensor weights({queries, keys});
    std::mt19937 random(7);
    std::uniform_real_distribution<float> uniform(0.01F, 1.0F);
    for (std::int64_t i = 0; i < queries; ++i) {
        float sum = 0;
        for (std::int64_t j = 0; j < keys; ++j) {
            weights.matrix()(i, j) = (i + j) % 3 == 0 ? 0.0F : uniform(random);
            sum += weights.matrix()(i, j);
        }
        for (float& weight : weights.matrix().row(i)) {
            weight /= sum > 0 ? sum : 1.0F;
        }
    }
    return weights;
}

double meanOf(const std::vector<double>& values)
{
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    return sum / static_cast<double>(values.size());
}

/// The definitions, with a full pass over the matrix.
HeadMetrics plainMetrics(const Tensor& weights, const std::vector<bool>& real)
{
    const auto w = weights.matrix();
    std::vector<double> entropy, relative, distance, previous, self, sink, confidence;
    HeadMetrics metrics;
    for (std::int64_t i = 0; i < w.rows; ++i) {
        if (!real.empty() && !real[static_cast<std::size_t>(i)]) {
            continue;
        }
        double h = 0;
        double d = 0;
        double largest = 0;
        int visible = 0;
        for (std::int64_t j = 0; j < w.columns; ++j) {
            const double weight = w(i, j);
            if (weight > 0) {
                h -= weight * std::log(weight);
                d += weight * std::abs(static_cast<double>(i - j));
                largest = std::max(largest, weight);
                ++visible;
            }
        }
        if (visible == 0) {
            ++metrics.emptyRows;
            continue;
        }
        ++metrics.rows;
        entropy.push_back(h);
        if (visible > 1) {
            relative.push_back(h / std::log(visible));
        }
        distance.push_back(d);
        confidence.push_back(largest);
        if (i < w.columns) {
            self.push_back(w(i, i));
        }
        if (i >= 1) {
            sink.push_back(w(i, 0));
            if (i - 1 < w.columns) {
                previous.push_back(w(i, i - 1));
            }
        }
    }
    metrics.entropy = meanOf(entropy);
    metrics.relativeEntropy = meanOf(relative);
    metrics.distance = meanOf(distance);
    metrics.previousToken = meanOf(previous);
    metrics.self = meanOf(self);
    metrics.firstTokenSink = meanOf(sink);
    metrics.confidence = meanOf(confidence);
    return metrics;
}

/// Two means over no row are equal.
void expectNear(double a, double b, double distance)
{
    EXPECT_EQ(std::isnan(a), std::isnan(b));
    if (!std::isnan(a)) {
        EXPECT_NEAR(a, b, distance);
    }
}

void expectEqual(const HeadMetrics& a, const HeadMetrics& b)
{
    expectNear(a.entropy, b.entropy, 1e-5);
    expectNear(a.relativeEntropy, b.relativeEntropy, 1e-6);
    expectNear(a.distance, b.distance, 1e-4);
    expectNear(a.previousToken, b.previousToken, 1e-7);
    expectNear(a.self, b.self, 1e-7);
    expectNear(a.firstTokenSink, b.firstTokenSink, 1e-7);
    expectNear(a.confidence, b.confidence, 1e-6);
    EXPECT_EQ(a.rows, b.rows);
    EXPECT_EQ(a.emptyRows, b.emptyRows);
}

} // namespace

TEST(HeadMetrics, followTheirDefinitionsAcrossBandsAndShapes)
{
    // Sizes around TileSide, where the bands of rows meet; both shapes of cross attention.
    for (const auto& [queries, keys] : std::vector<std::pair<int, int>>{
             {1, 1}, {1, 5}, {5, 1}, {7, 7}, {256, 256}, {257, 257}, {600, 300}, {300, 600}}) {
        Tensor weights = randomWeights(queries, keys);
        std::vector<bool> real(static_cast<std::size_t>(queries), true);
        real[0] = queries == 1;
        std::ranges::fill(weights.matrix().row(queries - 1), 0.0F);
        for (const auto& flags : {std::vector<bool>{}, real}) {
            const auto metrics = headMetrics(*mapsOf(weights), {}, flags, {.threads = 1});
            ASSERT_TRUE(metrics) << describe(metrics.error());
            expectEqual(*metrics, plainMetrics(weights, flags));
        }
    }
}

TEST(HeadMetrics, ofKnownPatterns)
{
    Tensor diagonal({4, 4});
    Tensor previous({4, 4});
    Tensor uniform({4, 4}, std::vector<float>(16, 0.25F));
    for (std::int64_t i = 0; i < 4; ++i) {
        diagonal.matrix()(i, i) = 1;
        previous.matrix()(i, std::max<std::int64_t>(0, i - 1)) = 1;
    }
    const HeadMetrics own = headMetrics(*mapsOf(diagonal), {}, {}, {}).value();
    EXPECT_EQ(own.self, 1);
    EXPECT_EQ(own.entropy, 0);
    EXPECT_EQ(own.distance, 0);
    EXPECT_EQ(own.confidence, 1);
    EXPECT_TRUE(std::isnan(own.relativeEntropy)) << "no row has two visible keys";
    EXPECT_EQ(headMetrics(*mapsOf(previous), {}, {}, {}).value().previousToken, 1);
    const HeadMetrics even = headMetrics(*mapsOf(uniform), {}, {}, {}).value();
    EXPECT_NEAR(even.relativeEntropy, 1, 1e-6);
    EXPECT_EQ(even.firstTokenSink, 0.25);
}

TEST(HeadMetrics, overNoRowAreUndefined)
{
    const HeadMetrics one = headMetrics(*mapsOf(Tensor({1, 1}, {1})), {}, {}, {}).value();
    EXPECT_EQ(one.rows, 1);
    EXPECT_EQ(one.self, 1);
    EXPECT_TRUE(std::isnan(one.previousToken)) << "the only token has none before it";
    EXPECT_TRUE(std::isnan(one.firstTokenSink)) << "row 0 takes no part";
    const HeadMetrics masked = headMetrics(*mapsOf(Tensor({3, 3})), {}, {}, {}).value();
    EXPECT_EQ(masked.rows, 0);
    EXPECT_EQ(masked.emptyRows, 3);
    for (const double mean :
         {masked.entropy, masked.relativeEntropy, masked.distance, masked.previousToken,
          masked.self, masked.firstTokenSink, masked.confidence}) {
        EXPECT_TRUE(std::isnan(mean));
    }
}

TEST(HeadMetrics, ofARowWithNaNAreNaN)
{
    Tensor weights = randomWeights(4, 4);
    weights.matrix()(2, 1) = std::numeric_limits<float>::quiet_NaN();
    const auto metrics = headMetrics(*mapsOf(weights), {}, {}, {});
    ASSERT_TRUE(metrics);
    EXPECT_TRUE(std::isnan(metrics->entropy));
    EXPECT_TRUE(headMetrics(*mapsOf(weights), {}, {true, true, false, true}, {}).value().entropy >
                0)
        << "a row that does not count must not spoil the mean";
}

TEST(HeadMetrics, refuseWhatTheyCannotMeasure)
{
    const MapsPtr maps = mapsOf(randomWeights(4, 4));
    EXPECT_EQ(headMetrics(*maps, {}, {true}, {}).error().code, Code::InvalidArgument);
    EXPECT_EQ(headMetrics(*maps, {0, 0, 1}, {}, {}).error().code, Code::InvalidArgument);
    EXPECT_EQ(headMetrics(*mapsOf(randomWeights(4, 4), Quantity::Scores), {}, {}, {}).error().code,
              Code::Unsupported);
}

TEST(StrongestLinks, areThoseOfASortedMatrix)
{
    const Tensor weights = randomWeights(600, 90);
    std::vector<Link> all;
    for (std::int64_t i = 0; i < 600; ++i) {
        for (std::int64_t j = 0; j < 90; ++j) {
            if (weights.matrix()(i, j) > 0) {
                all.push_back({i, j, weights.matrix()(i, j)});
            }
        }
    }
    std::ranges::stable_sort(all, std::greater{}, &Link::weight);
    const MapsPtr maps = mapsOf(weights);
    for (const std::size_t count :
         {std::size_t{1}, std::size_t{10}, std::size_t{1000}, all.size(), std::size_t{1} << 40}) {
        const auto links =
            strongestLinks(*maps, {}, static_cast<std::int64_t>(count), {.threads = 1});
        ASSERT_TRUE(links) << describe(links.error());
        ASSERT_EQ(links->size(), std::min(count, all.size()));
        for (std::size_t n = 0; n < links->size(); ++n) {
            EXPECT_EQ((*links)[n].query, all[n].query);
            EXPECT_EQ((*links)[n].key, all[n].key);
            EXPECT_EQ((*links)[n].weight, all[n].weight);
        }
    }
}

TEST(StrongestLinks, breakTiesByQueryThenKeyAcrossBands)
{
    Tensor weights({600, 3});
    weights.matrix()(599, 0) = weights.matrix()(3, 2) = weights.matrix()(3, 1) = 0.5F;
    weights.matrix()(300, 0) = 2.0F; // stored weights need not sum to 1
    const auto links = strongestLinks(*mapsOf(weights), {}, 3, {}).value();
    ASSERT_EQ(links.size(), 3U);
    EXPECT_EQ(links[0].query, 300);
    EXPECT_EQ(std::pair(links[1].query, links[1].key),
              (std::pair<std::int64_t, std::int64_t>(3, 1)));
    EXPECT_EQ(std::pair(links[2].query, links[2].key),
              (std::pair<std::int64_t, std::int64_t>(3, 2)));
}

TEST(StrongestLinks, refuseImpossibleCounts)
{
    const MapsPtr maps = mapsOf(randomWeights(4, 4));
    EXPECT_EQ(strongestLinks(*maps, {}, 0, {}).error().code, Code::InvalidArgument);
    EXPECT_EQ(strongestLinks(*maps, {}, -5, {}).error().code, Code::InvalidArgument);
    EXPECT_EQ(strongestLinks(*maps, {}, 5, {.memoryBudget = 10}).error().code, Code::OutOfMemory);
}

TEST(RealTokens, flagPadding)
{
    Batch batch;
    batch.items.resize(2, std::vector<Token>(3));
    batch.items[1][0].isPadding = true;
    batch.lengths = {3, 2};
    batch.length = 3;
    EXPECT_EQ(realTokens(batch, 0), (std::vector<bool>{true, true, true}));
    EXPECT_EQ(realTokens(batch, 1), (std::vector<bool>{false, true, true}));
}
