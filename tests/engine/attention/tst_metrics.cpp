// Head metrics against tests/oracle, strongest links against a sorted matrix.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/metrics.h"
#include "memoryfile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
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

/// Two means over no row are equal.
void expectNear(double a, double b, double distance)
{
    EXPECT_EQ(std::isnan(a), std::isnan(b));
    if (!std::isnan(a)) {
        EXPECT_NEAR(a, b, distance);
    }
}

Token tokenOf(const std::string& text)
{
    Token token;
    token.text = text;
    token.id = std::hash<std::string>{}(text);
    token.isPadding = token.isSpecial = text == "<pad>";
    return token;
}

/// What stands in for tokens that are not known.
Batch numbered(std::int64_t length)
{
    Batch batch;
    batch.length = length;
    batch.lengths = {length};
    auto& tokens = batch.items.emplace_back();
    for (std::int64_t i = 0; i < length; ++i) {
        Token& token = tokens.emplace_back();
        token.text = std::to_string(i);
        token.id = static_cast<std::uint64_t>(i);
    }
    return batch;
}

Batch batchOf(const std::vector<std::string>& texts)
{
    Batch batch;
    std::ranges::transform(texts, std::back_inserter(batch.items.emplace_back()), tokenOf);
    batch.length = static_cast<std::int64_t>(texts.size());
    batch.lengths = {batch.length};
    return batch;
}

std::string goldens()
{
    const char* root = std::getenv("HEED_SOURCE_DIR");
    return std::string(root == nullptr ? "." : root) + "/tests/golden/metrics/";
}

/// One case of the oracle: weights, tokens, and what its definitions make of them.
struct Golden {
    Tensor weights;
    MapTokens tokens;
    nlohmann::json metrics;
};

Golden golden(const std::string& name)
{
    std::ifstream file(goldens() + "metrics.json");
    const auto json = nlohmann::json::parse(file).at(name);
    const auto arrays = openArrays(goldens() + "metrics.npz");
    Golden result{(*arrays)->read(name).value(), {}, json.at("metrics")};
    const auto batch = [&](const char* which, std::size_t axis) {
        return json.at(which).is_null() ? numbered(result.weights.extent(static_cast<int>(axis)))
                                        : batchOf(json.at(which).get<std::vector<std::string>>());
    };
    result.tokens = mapTokens(batch("query_tokens", 0), batch("key_tokens", 1), 0);
    return result;
}

void expectMetrics(const HeadMetrics& found, const nlohmann::json& expected)
{
    for (const Metric& metric : metricList()) {
        const auto& value = expected.at(std::string(metric.name));
        SCOPED_TRACE(metric.name);
        expectNear(found.*metric.value,
                   value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>(),
                   metric.isShare ? 1e-6 : 1e-4);
    }
    EXPECT_EQ(found.rows, expected.at("rows").get<std::int64_t>());
    EXPECT_EQ(found.emptyRows, expected.at("empty_rows").get<std::int64_t>());
}

} // namespace

class Goldens : public testing::TestWithParam<const char*> {};

TEST_P(Goldens, storedMapsGiveWhatTheOracleSays)
{
    const Golden g = golden(GetParam());
    const auto metrics = headMetrics(*mapsOf(g.weights), {}, g.tokens, {.threads = 1});
    ASSERT_TRUE(metrics) << describe(metrics.error());
    expectMetrics(*metrics, g.metrics);
}

/// The same weights as scores ln w: with an identity as keys, q·k is q itself.
TEST_P(Goldens, computedMapsGiveTheSame)
{
    const Golden g = golden(GetParam());
    if (std::string(GetParam()) == "unnormalised") {
        GTEST_SKIP() << "softmax makes rows that sum to 1";
    }
    const std::int64_t rows = g.weights.extent(0);
    const std::int64_t columns = g.weights.extent(1);
    auto q = std::make_shared<Tensor>(Shape{1, 1, rows, columns});
    auto k = std::make_shared<Tensor>(Shape{1, 1, columns, columns});
    const MaskContext context{.items = 1, .heads = 1, .queries = rows, .keys = columns};
    for (std::int64_t j = 0; j < columns; ++j) {
        k->matrix()(j, j) = 1;
    }
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
            const float weight = g.weights.matrix()(i, j);
            q->matrix()(i, j) = weight > 0 ? std::log(weight) : 0.0F;
        }
    }
    const auto compiled = compileMask("file(\"" + goldens() + "metrics.npz\", reads=\"keep\", " +
                                          "array=\"" + GetParam() + ".kept\")",
                                      context);
    ASSERT_TRUE(compiled) << describe(compiled.error());
    const auto maps = makeComputedMaps(BackendRegistry::instance().open("reference").value(),
                                       {{q, k, *compiled}});
    ASSERT_TRUE(maps) << describe(maps.error());
    const auto metrics = headMetrics(**maps, {}, g.tokens, {.threads = 1});
    ASSERT_TRUE(metrics) << describe(metrics.error());
    expectMetrics(*metrics, g.metrics);
}

INSTANTIATE_TEST_SUITE_P(Metrics, Goldens,
                         testing::Values("words", "causal", "padded", "wide", "tall", "single",
                                         "unknown", "unnormalised", "long"));

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
    for (const Metric& metric : metricList()) {
        EXPECT_TRUE(std::isnan(masked.*metric.value)) << metric.name;
    }
}

TEST(HeadMetrics, ofARowWithNaNAreNaN)
{
    Tensor weights = randomWeights(4, 4);
    weights.matrix()(2, 1) = std::numeric_limits<float>::quiet_NaN();
    const auto metrics = headMetrics(*mapsOf(weights), {}, {}, {});
    ASSERT_TRUE(metrics);
    EXPECT_TRUE(std::isnan(metrics->entropy));
    EXPECT_TRUE(
        headMetrics(*mapsOf(weights), {}, {.real = {true, true, false, true}}, {}).value().entropy >
        0)
        << "a row that does not count must not spoil the mean";
}

TEST(HeadMetrics, refuseWhatTheyCannotMeasure)
{
    const MapsPtr maps = mapsOf(randomWeights(4, 4));
    EXPECT_EQ(headMetrics(*maps, {}, {.real = {true}}, {}).error().code, Code::InvalidArgument);
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

TEST(HeadMetrics, fillTheRowStatisticsOnTheWay)
{
    const MapsPtr maps = mapsOf(randomWeights(6, 6));
    const auto facts = maps->rowFacts({}, {}, {});
    ASSERT_TRUE(facts) << describe(facts.error());
    EXPECT_EQ(maps->rowStats({}, {}).value(), facts->stats);
}

TEST(HeadMetrics, refuseTokensOfAnotherNumber)
{
    const MapsPtr maps = mapsOf(randomWeights(4, 4));
    const MapTokens three = mapTokens(batchOf({"a", "b", "c"}), batchOf({"a", "b", "c"}), 0);
    EXPECT_EQ(maps->rowFacts({}, three.roles(), {}).error().code, Code::InvalidShape);
    EXPECT_EQ(headMetrics(*maps, {}, three, {}).error().code, Code::InvalidArgument);
}

TEST(HeadMetrics, ofTwoTextsComparesNoPositions)
{
    const MapTokens two =
        mapTokens(batchOf({"<s>", "Das", "ist"}), batchOf({"That", "is", "."}), 0);
    const auto metrics = headMetrics(*mapsOf(randomWeights(3, 3)), {}, two, {.threads = 1});
    ASSERT_TRUE(metrics) << describe(metrics.error());
    constexpr std::array<std::string_view, 6> positional = {
        "distance", "previous_token", "next_token", "self", "duplicate_token", "induction"};
    for (const Metric& metric : metricList()) {
        const bool needsOneText = std::ranges::count(positional, metric.name) == 1;
        EXPECT_EQ(std::isnan((*metrics).*metric.value), needsOneText) << metric.name;
    }
}

TEST(MapTokens, saySamenessPaddingAndRoles)
{
    const Batch batch = batchOf({"[CLS]", "a", ",", "a", "</s>", "<pad>"});
    const MapTokens tokens = mapTokens(batch, batch, 0);
    EXPECT_EQ(tokens.real, (std::vector<bool>{true, true, true, true, true, false}));
    EXPECT_EQ(tokens.special, (std::vector<bool>{true, false, false, false, true, true}));
    EXPECT_EQ(tokens.queries[1], tokens.keys[3]);
    EXPECT_NE(tokens.keys[1], tokens.keys[2]);
    EXPECT_EQ(tokens.delimiters, (std::vector<std::uint8_t>{0, 0, 1, 0, 1, 0}));
    EXPECT_TRUE(tokens.isOneText);
    EXPECT_TRUE(mapTokens(batch, batchOf({"a", "b"}), 0).queries.empty()) << "two texts";
    EXPECT_FALSE(mapTokens(batch, batchOf({"a", "b"}), 0).isOneText);
    EXPECT_TRUE(mapTokens(batch, batchOf({"[CLS]", "a"}), 0).isOneText) << "its beginning";
    EXPECT_TRUE(mapTokens(batch, batch, 1).real.empty()) << "no such item";
    EXPECT_TRUE(mapTokens(numbered(3), numbered(3), 0).keys.empty());
}

TEST(MetricList, hasEveryNameOnce)
{
    for (const Metric& metric : metricList()) {
        EXPECT_EQ(findMetric(metric.name), &metric);
        EXPECT_EQ(findMetric(metric.heading), &metric);
        EXPECT_FALSE(metric.meaning.empty());
    }
    EXPECT_EQ(findMetric("nothing"), nullptr);
}
