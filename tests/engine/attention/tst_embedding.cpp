// Token vectors and positions.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/layer.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

using namespace heed;

namespace {

Token token(std::uint64_t id, bool isPadding = false)
{
    Token result;
    result.id = id;
    result.isPadding = isPadding;
    return result;
}

Batch batchOf(std::vector<std::vector<Token>> items)
{
    Batch batch;
    batch.length = static_cast<std::int64_t>(items.front().size());
    batch.lengths.assign(items.size(), batch.length);
    batch.items = std::move(items);
    return batch;
}

Tensor embedded(const Batch& batch, const LayerConfig& config)
{
    auto x = embed(batch, config);
    EXPECT_TRUE(x);
    return x ? std::move(*x) : Tensor{};
}

constexpr LayerConfig Plain{.modelWidth = 6, .heads = 1, .positions = Positions::None};

} // namespace

TEST(Embedding, equalsThatOfAnIndependentImplementation)
{
    // Printed by tests/oracle/philox_reference.py.
    const Batch batch = batchOf({{token(7), token((1ULL << 40) + 1), token(7, true)}});
    const Tensor zero = embedded(batch, Plain);
    const std::vector seven = {-0x1.408834p-4F, -0x1.90b6c8p-3F, -0x1.642cdcp-1F,
                               -0x1.d38248p-1F, 0x1.55e9a0p-4F,  -0x1.0d48b2p-1F};
    EXPECT_TRUE(std::ranges::equal(zero.matrix().row(0), seven));
    EXPECT_EQ(zero.matrix()(1, 0), -0x1.76344cp-2F);
    EXPECT_EQ(zero.matrix()(1, 1), -0x1.3d0f4cp-1F);
    EXPECT_EQ(zero.matrix()(2, 0), 0x1.6f6b7ep+0F);
    EXPECT_EQ(zero.matrix()(2, 1), 0x1.d8ec8ap-3F);

    LayerConfig other = Plain;
    other.seed = 0x0123456789abcdef;
    EXPECT_EQ(embedded(batch, other).matrix()(0, 5), 0x1.fbd814p-3F);
}

TEST(Embedding, givesTheSameTokenTheSameVectorInEveryPlace)
{
    const Tensor x =
        embedded(batchOf({{token(1), token(2), token(1)}, {token(3), token(1), token(3)}}), Plain);
    const auto row = [&](std::int64_t item, std::int64_t position) {
        return x.matrix({item}).row(position);
    };
    EXPECT_TRUE(std::ranges::equal(row(0, 0), row(0, 2)));
    EXPECT_TRUE(std::ranges::equal(row(0, 0), row(1, 1)));
    EXPECT_FALSE(std::ranges::equal(row(0, 0), row(0, 1)));
    EXPECT_FALSE(std::ranges::equal(row(0, 0), row(1, 0)));
}

TEST(Embedding, givesPaddingAVectorOfItsOwnEvenWhenTheTextSaysPad)
{
    const Tensor x = embedded(batchOf({{token(5), token(5, true)}}), Plain);
    EXPECT_FALSE(std::ranges::equal(x.matrix().row(0), x.matrix().row(1)));
}

TEST(Embedding, isStandardNormal)
{
    std::vector<Token> tokens;
    for (std::uint64_t id = 0; id < 500; ++id) {
        tokens.push_back(token(id));
    }
    const Tensor x = embedded(batchOf({tokens}), {.modelWidth = 200, .positions = Positions::None});
    const double count = static_cast<double>(x.size());
    const double mean = std::accumulate(x.values().begin(), x.values().end(), 0.0) / count;
    const double variance =
        std::inner_product(x.values().begin(), x.values().end(), x.values().begin(), 0.0) / count;
    EXPECT_NEAR(mean, 0, 5 / std::sqrt(count));
    EXPECT_NEAR(variance, 1, 5 * std::sqrt(2 / count));
}

TEST(Embedding, addsTheSinusoidalTable)
{
    const Batch batch = batchOf({{token(1), token(1), token(2)}, {token(2), token(1), token(1)}});
    LayerConfig config = Plain;
    const Tensor bare = embedded(batch, config);
    config.positions = Positions::Sinusoidal;
    const Tensor placed = embedded(batch, config);
    const Tensor table = sinusoidalTable(3, 6).value();
    for (std::int64_t item = 0; item < 2; ++item) {
        for (std::int64_t position = 0; position < 3; ++position) {
            for (std::int64_t c = 0; c < 6; ++c) {
                EXPECT_EQ(placed.matrix({item})(position, c),
                          bare.matrix({item})(position, c) + table.matrix()(position, c));
            }
        }
    }
}

TEST(SinusoidalTable, followsTheFormulaOfThePaper)
{
    const Tensor table = sinusoidalTable(101, 5).value(); // an odd width ends with a sine
    for (const std::int64_t position : {0, 1, 100}) {
        for (std::int64_t c = 0; c < 5; ++c) {
            const double angle = static_cast<double>(position) /
                                 std::pow(10000.0, static_cast<double>(c / 2 * 2) / 5.0);
            EXPECT_NEAR(table.matrix()(position, c), c % 2 == 0 ? std::sin(angle) : std::cos(angle),
                        1e-7);
        }
    }
    EXPECT_TRUE(sinusoidalTable(0, 4)->empty());
    EXPECT_EQ(sinusoidalTable(-1, 4).error().code, Code::InvalidShape);
    EXPECT_EQ(sinusoidalTable(1LL << 40, 1LL << 20).error().code, Code::OutOfMemory);
}

TEST(Rotary, turnsPairsHalfAWidthApart)
{
    Tensor x({1, 2, 3, 4}, std::vector<float>(24, 0.0F));
    x.matrix({0, 1})(2, 0) = 1.0F; // head 1, position 2, pair (0, 2)
    x.matrix({0, 1})(2, 3) = 1.0F; // pair (1, 3)
    x.matrix({0, 0})(0, 1) = 5.0F; // position 0 is not turned
    applyRotary(x);
    EXPECT_NEAR(x.matrix({0, 1})(2, 0), std::cos(2.0), 1e-7);
    EXPECT_NEAR(x.matrix({0, 1})(2, 2), std::sin(2.0), 1e-7);
    EXPECT_NEAR(x.matrix({0, 1})(2, 1), -std::sin(0.02), 1e-7);
    EXPECT_NEAR(x.matrix({0, 1})(2, 3), std::cos(0.02), 1e-7);
    EXPECT_EQ(x.matrix({0, 0})(0, 1), 5.0F);
}

TEST(Rotary, keepsProductsAtEqualDistances)
{
    // q·k after rotation depends on the distance of the two positions only.
    Tensor q({1, 1, 8, 6}, std::vector<float>(48, 0.7F));
    Tensor k({1, 1, 8, 6}, std::vector<float>(48, -0.3F));
    applyRotary(q);
    applyRotary(k);
    const auto product = [&](std::int64_t i, std::int64_t j) {
        const auto a = q.matrix().row(i);
        const auto b = k.matrix().row(j);
        return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    };
    EXPECT_NEAR(product(5, 3), product(7, 5), 1e-6);
    EXPECT_NEAR(product(2, 2), product(0, 0), 1e-6);
    EXPECT_GT(std::abs(product(5, 3) - product(5, 0)), 1e-3);
}
