// The reference backend against numbers worked out by hand.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/backend.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

using namespace heed;

namespace {

constexpr float Infinity = std::numeric_limits<float>::infinity();

/// Two queries, three keys, D = 1: scores [[1,2,3],[2,4,6]]; query 1 keeps nothing.
class Reference : public ::testing::Test {
protected:
    void SetUp() override
    {
        BackendRegistry registry({});
        auto opened = registry.open("reference");
        ASSERT_TRUE(opened);
        m_backend = *opened;
        m_q = m_backend->upload(std::make_shared<Tensor>(Shape{2, 1}, std::vector{1.0F, 2.0F}))
                  .value();
        m_k =
            m_backend->upload(std::make_shared<Tensor>(Shape{3, 1}, std::vector{1.0F, 2.0F, 3.0F}))
                .value();
        m_problem.q = {m_q.get(), 0, 2, 1, 1};
        m_problem.k = {m_k.get(), 0, 3, 1, 1};
        m_problem.mask.queries = 2;
        m_problem.mask.keys = 3;
        m_problem.mask.rowStart = m_rowStart;
        m_problem.mask.ranges = m_ranges;
    }

    std::array<std::int64_t, 3> m_rowStart = {0, 1, 1};
    std::array<KeyRange, 1> m_ranges = {{{0, 2}}};
    BackendPtr m_backend;
    BufferPtr m_q;
    BufferPtr m_k;
    HeadProblem m_problem;
};

} // namespace

TEST_F(Reference, rowStatsOfTwoKeptKeys)
{
    const RowStats stats = m_backend->rowStats(m_problem, {}).value();
    const float small = std::exp(-1.0F);
    EXPECT_EQ(stats.max[0], 2.0F);
    EXPECT_FLOAT_EQ(stats.sum[0], 1 + small);
    EXPECT_FLOAT_EQ(stats.lse[0], 2 + std::log(1 + small));
    EXPECT_EQ(stats.argmax[0], 1);
    EXPECT_EQ(stats.kept[0], 2);
    EXPECT_FLOAT_EQ(stats.distance[0], 1 / (1 + small)); // key 0 is 0 away, key 1 is 1 away
    const float w = small / (1 + small);
    EXPECT_NEAR(stats.entropy[0], -w * std::log(w) - (1 - w) * std::log(1 - w), 1e-6);
}

TEST_F(Reference, aRowWithNothingAllowedIsZerosNeverNaN)
{
    const RowStats stats = m_backend->rowStats(m_problem, {}).value();
    EXPECT_EQ(stats.max[1], -Infinity);
    EXPECT_EQ(stats.sum[1], 0);
    EXPECT_EQ(stats.lse[1], -Infinity);
    EXPECT_EQ(stats.entropy[1], 0);
    EXPECT_EQ(stats.argmax[1], -1);
    EXPECT_EQ(stats.kept[1], 0);
    const TileTexels weights =
        m_backend->tile(m_problem, &stats, {.rows = 2, .columns = 3}, {}).value();
    EXPECT_EQ(weights.values[2], 0);
    EXPECT_EQ(weights.values[3], 0);
    EXPECT_EQ(weights.maskedShare, (TexelValues{0, 0, 1, 1, 1, 1}));
}

TEST_F(Reference, quantitiesOfAWindow)
{
    m_problem.scale = 0.5F;
    const auto cells = [&](Quantity quantity) {
        return m_backend
            ->tile(m_problem, nullptr, {.quantity = quantity, .rows = 2, .columns = 3}, {})
            .value()
            .values;
    };
    EXPECT_EQ(cells(Quantity::Scores), (TexelValues{1, 2, 3, 2, 4, 6}));
    EXPECT_EQ(cells(Quantity::Scaled), (TexelValues{0.5F, 1, 1.5F, 1, 2, 3}));
    EXPECT_EQ(cells(Quantity::Masked),
              (TexelValues{0.5F, 1, -Infinity, -Infinity, -Infinity, -Infinity}));
}

TEST_F(Reference, scoresPastWhatFloat32TellsApart)
{
    // Scores are q + 1 and q for a q of which float32 knows no neighbour: softmax of 1 and 0.
    const std::array<float, 2> q = {1e12F, 1};
    m_q = m_backend->upload(std::make_shared<Tensor>(Shape{1, 2}, std::vector{q[0], q[1]})).value();
    m_k = m_backend
              ->upload(std::make_shared<Tensor>(Shape{2, 2}, std::vector{1.5F, 1.0F, 1.5F, 0.0F}))
              .value();
    m_problem.q = {m_q.get(), 0, 1, 2, 2};
    m_problem.k = {m_k.get(), 0, 2, 2, 2};
    m_problem.mask.queries = 1;
    m_problem.mask.rowStart = std::span(m_rowStart).first(2);
    m_problem.mask.keys = 2;
    const auto weight = 1 / (1 + std::exp(-1.0F));

    const RowStats stats = m_backend->rowStats(m_problem, {}).value();
    EXPECT_FLOAT_EQ(stats.sum[0], 1 / weight);
    EXPECT_FLOAT_EQ(stats.lse[0], 1.5F * q[0]);
    EXPECT_NEAR(stats.entropy[0], -weight * std::log(weight) - (1 - weight) * std::log(1 - weight),
                1e-6);
    const TileTexels tile =
        m_backend->tile(m_problem, &stats, {.rows = 1, .columns = 2}, {}).value();
    EXPECT_FLOAT_EQ(tile.values[0], weight);
    EXPECT_FLOAT_EQ(tile.values[1], 1 - weight);
    const auto v =
        m_backend->upload(std::make_shared<Tensor>(Shape{2, 1}, std::vector{1.0F, 0.0F}));
    Tensor out(Shape{1, 1}, std::vector{0.0F});
    ASSERT_TRUE(m_backend->attend(m_problem, {v->get(), 0, 2, 1, 1}, out.matrix(), {}));
    EXPECT_FLOAT_EQ(out.values()[0], weight);
}

TEST_F(Reference, aRowOfOneKeyHasNoEntropyWhateverItsScore)
{
    // 0.1 · 0.3 is no float32.
    m_q = m_backend->upload(std::make_shared<Tensor>(Shape{1, 1}, std::vector{0.1F})).value();
    m_k = m_backend->upload(std::make_shared<Tensor>(Shape{1, 1}, std::vector{0.3F})).value();
    m_problem.q = {m_q.get(), 0, 1, 1, 1};
    m_problem.k = {m_k.get(), 0, 1, 1, 1};
    m_ranges[0] = {0, 1};
    m_problem.mask.queries = 1;
    m_problem.mask.rowStart = std::span(m_rowStart).first(2);
    m_problem.mask.keys = 1;
    EXPECT_EQ(m_backend->rowStats(m_problem, {}).value().entropy[0], 0);
}

TEST_F(Reference, whatDoesNotFitIsRefused)
{
    const auto tile = [&](TileSpec spec) { return m_backend->tile(m_problem, nullptr, spec, {}); };
    EXPECT_EQ(tile({.quantity = Quantity::Scores, .rows = 3, .columns = 3}).error().code,
              Code::InvalidArgument);
    EXPECT_EQ(
        tile({.quantity = Quantity::Scores, .row = 1, .rows = 1, .columns = 3, .texelCells = 2})
            .error()
            .code,
        Code::InvalidArgument);
    EXPECT_EQ(tile({.rows = 2, .columns = 3}).error().code, Code::InvalidArgument); // no stats
    m_ranges[0].end = 4;
    EXPECT_EQ(m_backend->rowStats(m_problem, {}).error().code, Code::InvalidArgument);
    m_ranges[0].end = 2;
    m_problem.scale = 0;
    EXPECT_EQ(m_backend->rowStats(m_problem, {}).error().code, Code::InvalidArgument);
    m_problem.scale = 1;
    m_problem.k.rows = 4;
    EXPECT_EQ(m_backend->rowStats(m_problem, {}).error().code, Code::InvalidShape);
}
