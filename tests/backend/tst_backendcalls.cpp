// How backends are called: threads, stopping, awkward sizes, and what is refused.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "accept.h"
#include "contract.h"

#include <array>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <optional>

using namespace heed;
using namespace heed::test;

namespace {

constexpr float Infinity = std::numeric_limits<float>::infinity();

INSTANTIATE_TEST_SUITE_P(Every, EachBackend, everyOne(), backendName);

/// Large enough for several threads and several blocks.
const Case largeCase = {"large", 300, 1300, 40, 24, MaskKind::Causal};
const Case largeCaseAll = {"largeAll", 300, 1300, 40, 24, MaskKind::All};
const Case largeCaseEverything = {.name = "largeEverything",
                                  .queries = 300,
                                  .keys = 1300,
                                  .width = 40,
                                  .valueWidth = 24,
                                  .mask = MaskKind::Holes,
                                  .bits = true,
                                  .softCap = 2,
                                  .distanceBias = true,
                                  .bias = true,
                                  .firstQuery = 900};

SurveySpec pictureAndMasses(const Problem& problem)
{
    return {.cellsDown = 7, .cellsAcross = 11, .masses = true, .tokens = problem.tokens()};
}

} // namespace

TEST_P(EachBackend, threadsDoNotChangeABit)
{
    struct Answers {
        Survey survey;
        std::array<TileTexels, 2> tiles;
        std::vector<float> attended = std::vector<float>(300 * 24);
        std::vector<float> projected = std::vector<float>(300 * 1300);
    };
    for (const Case& testCase : {largeCaseAll, largeCaseEverything}) {
        const Problem problem(testCase, backend());
        const auto answersOn = [&](int threads) {
            const Execution execution{.threads = threads};
            Answers answers;
            answers.survey =
                backend().survey(problem.head(), pictureAndMasses(problem), execution).value();
            const RowStats& stats = answers.survey.stats;
            TileSpec spec{.pooling = Pooling::Mean, .rows = 300, .columns = 1300, .texelCells = 4};
            answers.tiles[0] = backend().tile(problem.head(), &stats, spec, execution).value();
            spec.quantity = Quantity::Masked;
            spec.cellsDown = 30;
            answers.tiles[1] = backend().tile(problem.head(), nullptr, spec, execution).value();
            EXPECT_TRUE(backend().attend(problem.head(), problem.v(),
                                         {answers.attended.data(), 300, 24, 24}, execution));
            const auto& q = problem.inputs().q.cells;
            const auto& k = problem.inputs().k.cells;
            EXPECT_TRUE(backend().linear({q.data(), 300, 40, 40}, {k.data(), 1300, 40, 40}, {},
                                         {answers.projected.data(), 300, 1300, 1300}, execution));
            return answers;
        };
        const Answers wanted = answersOn(1);
        for (const int threads : {2, 3, 8}) {
            SCOPED_TRACE(testCase.name + " on " + std::to_string(threads) + " threads");
            const Answers got = answersOn(threads);
            EXPECT_TRUE(sameStats(got.survey.stats, wanted.survey.stats));
            EXPECT_TRUE(sameMasses(got.survey.masses, wanted.survey.masses));
            EXPECT_TRUE(sameBits(got.survey.picture.values, wanted.survey.picture.values));
            EXPECT_TRUE(
                sameBits(got.survey.picture.maskedShare, wanted.survey.picture.maskedShare));
            for (std::size_t t = 0; t < got.tiles.size(); ++t) {
                EXPECT_TRUE(sameBits(got.tiles[t].values, wanted.tiles[t].values));
                EXPECT_TRUE(sameBits(got.tiles[t].maskedShare, wanted.tiles[t].maskedShare));
            }
            EXPECT_TRUE(sameBits(got.attended, wanted.attended));
            EXPECT_TRUE(sameBits(got.projected, wanted.projected));
        }
    }
}

TEST_P(EachBackend, aCellHasTheSameBitsInEveryWindow)
{
    const Problem problem(largeCase, backend());
    const RowStats stats = backend().rowStats(problem.head(), {}).value();
    const auto whole = backend().tile(problem.head(), &stats, {.rows = 300, .columns = 1300}, {});
    ASSERT_TRUE(whole);
    for (const TileSpec& spec : {TileSpec{.row = 3, .column = 7, .rows = 1, .columns = 1},
                                 TileSpec{.row = 131, .column = 77, .rows = 59, .columns = 91},
                                 TileSpec{.row = 299, .column = 100, .rows = 1, .columns = 1200}}) {
        const auto window = backend().tile(problem.head(), &stats, spec, {}).value();
        for (std::int64_t i = 0; i < spec.rows; ++i) {
            for (std::int64_t j = 0; j < spec.columns; ++j) {
                ASSERT_EQ(window.values[static_cast<std::size_t>(i * spec.columns + j)],
                          whole->values[static_cast<std::size_t>((spec.row + i) * 1300 +
                                                                 spec.column + j)]);
            }
        }
    }
}

TEST_P(EachBackend, weightsOfARowSumToOneEvenWhenScoresAreHuge)
{
    const Problem problem({"huge", 50, 700, 64, 4, MaskKind::All, Values::Huge}, backend());
    const RowStats stats = backend().rowStats(problem.head(), {}).value();
    const auto weights =
        backend().tile(problem.head(), &stats, {.rows = 50, .columns = 700}, {}).value();
    for (std::size_t i = 0; i < 50; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < 700; ++j) {
            sum += double{weights.values[i * 700 + j]};
        }
        EXPECT_NEAR(sum, 1, 1e-6) << "row " << i;
    }
}

TEST_P(EachBackend, subnormalScoresAreNotFlushedToZero)
{
    const Problem problem({"tiny", 12, 40, 4, 4, MaskKind::All, Values::Tiny}, backend());
    const auto tile = backend().tile(problem.head(), nullptr,
                                     {.quantity = Quantity::Scores, .rows = 12, .columns = 40}, {});
    const Oracle<double> truth(problem.inputs());
    for (std::size_t i = 0; i < 12 * 40; ++i) {
        const double wanted = truth.quantity(Quantity::Scores).cells[i];
        EXPECT_NEAR(double{tile->values[i]}, wanted, 1e-44);
    }
}

TEST_P(EachBackend, theLowestKeyWinsATie)
{
    auto q = std::make_shared<Tensor>(Shape{2, 1}, std::vector{1.0F, -1.0F});
    auto k = std::make_shared<Tensor>(Shape{1200, 1});
    std::fill_n(k->data(), 1200, -1.0F);
    for (const int top : {37, 38, 700}) {
        k->data()[top] = 2;
    }
    const auto qBuffer = backend().upload(q).value();
    const auto kBuffer = backend().upload(k).value();
    const std::vector<std::int64_t> rowStart = {0, 1, 2};
    const std::vector<KeyRange> ranges = {{0, 1200}, {5, 1200}};
    HeadProblem problem;
    problem.q = {qBuffer.get(), 0, 2, 1, 1};
    problem.k = {kBuffer.get(), 0, 1200, 1, 1};
    problem.mask.queries = 2;
    problem.mask.keys = 1200;
    problem.mask.rowStart = rowStart;
    problem.mask.ranges = ranges;
    const RowStats stats = backend().rowStats(problem, {}).value();
    EXPECT_EQ(stats.argmax, (std::vector<std::int64_t>{37, 5}));
}

TEST_P(EachBackend, emptyMapsAndWindowsAreFine)
{
    const Problem problem({"small", 5, 6, 4, 4}, backend());
    const auto tile = backend().tile(problem.head(), nullptr,
                                     {.quantity = Quantity::Scores, .texelCells = 8}, {});
    ASSERT_TRUE(tile) << describe(tile.error());
    EXPECT_TRUE(tile->values.empty());
    HeadProblem noQueries = problem.head();
    const std::vector<std::int64_t> rowStart = {0};
    noQueries.q.rows = 0;
    noQueries.mask.queries = 0;
    noQueries.mask.rowStart = rowStart;
    const auto none = backend().rowStats(noQueries, {});
    ASSERT_TRUE(none) << describe(none.error());
    EXPECT_TRUE(none->max.empty());
    HeadProblem noKeys = problem.head();
    const std::vector<std::int64_t> noRanges(6, 0);
    noKeys.k.rows = 0;
    noKeys.mask.keys = 0;
    noKeys.mask.rowStart = noRanges;
    noKeys.mask.ranges = {};
    const auto stats = backend().rowStats(noKeys, {});
    ASSERT_TRUE(stats) << describe(stats.error());
    EXPECT_EQ(stats->lse, std::vector<float>(5, -Infinity));
    HeadProblem noWidth = problem.head();
    noWidth.q.columns = noWidth.k.columns = 0;
    EXPECT_FLOAT_EQ(backend().rowStats(noWidth, {})->lse[0], std::log(6.0F));
}

TEST_P(EachBackend, stopsBeforeTheWork)
{
    const Problem problem(largeCase, backend());
    const RowStats stats = backend().rowStats(problem.head(), {}).value();
    std::stop_source source;
    source.request_stop();
    const Execution execution{.threads = 2, .stop = source.get_token()};
    std::vector<float> out(300 * 1300);
    const auto& q = problem.inputs().q.cells;
    const auto& k = problem.inputs().k.cells;
    const auto codeOf = [](const auto& result) { return result ? Code{} : result.error().code; };
    EXPECT_EQ(codeOf(backend().rowStats(problem.head(), execution)), Code::Cancelled);
    EXPECT_EQ(codeOf(backend().survey(problem.head(), pictureAndMasses(problem), execution)),
              Code::Cancelled);
    EXPECT_EQ(
        codeOf(backend().tile(problem.head(), &stats, {.rows = 300, .columns = 1300}, execution)),
        Code::Cancelled);
    EXPECT_EQ(
        codeOf(backend().attend(problem.head(), problem.v(), {out.data(), 300, 24, 24}, execution)),
        Code::Cancelled);
    EXPECT_EQ(codeOf(backend().linear({q.data(), 300, 40, 40}, {k.data(), 1300, 40, 40}, {},
                                      {out.data(), 300, 1300, 1300}, execution)),
              Code::Cancelled);
}

TEST_P(EachBackend, stopsInTheMiddleAndReportsProgress)
{
    const Problem problem(largeCaseAll, backend());
    std::vector<float> out(300 * 24);
    const auto failure = [](const auto& result) -> Expected<void> {
        return result ? Expected<void>{} : tl::unexpected(result.error());
    };
    using Work = std::function<Expected<void>(const Execution&)>;
    const std::array<std::pair<const char*, Work>, 3> works = {{
        {"rowStats", [&](const auto& e) { return failure(backend().rowStats(problem.head(), e)); }},
        {"survey",
         [&](const auto& e) {
             return failure(backend().survey(problem.head(), pictureAndMasses(problem), e));
         }},
        {"attend",
         [&](const auto& e) {
             return backend().attend(problem.head(), problem.v(), {out.data(), 300, 24, 24}, e);
         }},
    }};
    for (const auto& [name, work] : works) {
        for (const int threads : {1, 3}) {
            SCOPED_TRACE(name);
            std::stop_source source;
            std::int64_t last = 0;
            std::int64_t total = 0;
            Execution execution{.threads = threads, .stop = source.get_token()};
            execution.progress = [&](std::int64_t done, std::int64_t all) {
                EXPECT_GT(done, last);
                last = done;
                total = all;
                source.request_stop();
            };
            const auto done = work(execution);
            ASSERT_FALSE(done);
            EXPECT_EQ(done.error().code, Code::Cancelled);
            EXPECT_GT(last, 0);
            EXPECT_LT(last, total);
        }
    }
}

TEST_P(EachBackend, aBufferOfAnotherBackendIsRefused)
{
    const auto other = BackendRegistry({}).open("reference").value();
    const auto foreign = other->upload(std::make_shared<Tensor>(Shape{6, 4})).value();
    const Problem problem({"small", 5, 6, 4, 4}, backend());
    HeadProblem mixed = problem.head();
    mixed.k.buffer = foreign.get();
    EXPECT_EQ(backend().rowStats(mixed, {}).error().code, Code::InvalidArgument);
    mixed.k.buffer = nullptr;
    EXPECT_EQ(backend().rowStats(mixed, {}).error().code, Code::InvalidArgument);
}

TEST_P(EachBackend, aWindowOverTheBudgetIsRefused)
{
    const Problem problem(largeCase, backend());
    const auto refused = backend().tile(
        problem.head(), nullptr, {.quantity = Quantity::Scores, .rows = 300, .columns = 1300},
        {.memoryBudget = 1000});
    EXPECT_EQ(refused.error().code, Code::OutOfMemory);
}

TEST_P(EachBackend, aPictureOverTheBudgetIsRefused)
{
    const Problem problem(largeCase, backend());
    const Execution execution{.memoryBudget = 1000};
    const auto refused =
        backend().survey(problem.head(), {.cellsDown = 1, .cellsAcross = 1}, execution);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::OutOfMemory);
    EXPECT_TRUE(backend().survey(problem.head(), {.cellsDown = 300, .cellsAcross = 65}, execution));
}

TEST_P(EachBackend, surveysThatDoNotFitAreRefused)
{
    const Problem problem({"small", 5, 6, 4, 4}, backend());
    const auto codeOf = [&](const SurveySpec& spec) {
        const auto survey = backend().survey(problem.head(), spec, {});
        return survey ? std::optional<Code>{} : survey.error().code;
    };
    for (const auto& [down, across] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {1, 0}, {0, 1}, {-1, 1}, {1, -1}, {-1, -1}}) {
        EXPECT_EQ(codeOf({.cellsDown = down, .cellsAcross = across}), Code::InvalidArgument);
    }
    constexpr auto huge = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(codeOf({.cellsDown = huge, .cellsAcross = huge}), std::nullopt);
    const TokenRoles all = problem.tokens();
    EXPECT_EQ(codeOf({.masses = true, .tokens = all}), std::nullopt);
    EXPECT_EQ(codeOf({.masses = true, .tokens = {all.queries.first(4), all.keys, {}}}),
              Code::InvalidShape);
    EXPECT_EQ(codeOf({.masses = true, .tokens = {all.queries, all.keys.first(5), {}}}),
              Code::InvalidShape);
    EXPECT_EQ(codeOf({.masses = true, .tokens = {{}, {}, all.delimiters.first(5)}}),
              Code::InvalidShape);
}

TEST_P(EachBackend, biasesThatDoNotFitAreRefused)
{
    const Problem problem({.name = "small",
                           .queries = 5,
                           .keys = 6,
                           .width = 4,
                           .valueWidth = 4,
                           .softCap = 2,
                           .distanceBias = true,
                           .bias = true,
                           .firstQuery = 3},
                          backend());
    ASSERT_TRUE(backend().rowStats(problem.head(), {}));
    std::vector<float> out(20);
    const auto codeAfter = [&](const std::function<void(HeadProblem&)>& change) {
        HeadProblem head = problem.head();
        change(head);
        const auto refused = backend().rowStats(head, {});
        EXPECT_FALSE(backend().attend(head, problem.v(), {out.data(), 5, 4, 4}, {}));
        EXPECT_FALSE(backend().tile(head, nullptr, {.quantity = Quantity::Masked, .rows = 5}, {}));
        return refused ? std::optional<Code>{} : refused.error().code;
    };
    for (const float cap : {-1.0F, Infinity, std::numeric_limits<float>::quiet_NaN()}) {
        EXPECT_EQ(codeAfter([&](auto& head) { head.softCap = cap; }), Code::InvalidArgument);
    }
    EXPECT_EQ(codeAfter([](auto& head) { head.firstQuery = -1; }), Code::InvalidArgument);
    EXPECT_EQ(
        codeAfter([](auto& head) { head.firstQuery = std::numeric_limits<std::int64_t>::max(); }),
        Code::InvalidArgument);
    EXPECT_EQ(codeAfter([](auto& head) { head.firstQuery = 4; }), Code::InvalidShape);
    EXPECT_EQ(codeAfter([](auto& head) { head.distanceBias = head.distanceBias.subspan(1); }),
              Code::InvalidShape);
    EXPECT_EQ(codeAfter([](auto& head) { head.bias.rows = 4; }), Code::InvalidShape);
    EXPECT_EQ(codeAfter([](auto& head) { head.bias.columns = 5; }), Code::InvalidShape);
    EXPECT_EQ(codeAfter([](auto& head) { head.bias.offset = 1; }), Code::InvalidShape);
    const auto other = BackendRegistry({}).open("reference").value();
    const auto foreign = other->upload(std::make_shared<Tensor>(Shape{5, 6})).value();
    EXPECT_EQ(codeAfter([&](auto& head) { head.bias.buffer = foreign.get(); }),
              Code::InvalidArgument);
}

TEST_P(EachBackend, tilesWithCrookedTexelsAreRefused)
{
    const Problem problem({"small", 6, 6, 4, 4}, backend());
    for (const TileSpec& spec :
         {TileSpec{.row = 2, .rows = 2, .columns = 6, .texelCells = 2, .cellsDown = 3},
          TileSpec{.column = 3, .rows = 6, .columns = 2, .texelCells = 2, .cellsDown = 3},
          TileSpec{.rows = 6, .columns = 6, .cellsDown = -1}}) {
        TileSpec masked = spec;
        masked.quantity = Quantity::Masked;
        const auto refused = backend().tile(problem.head(), nullptr, masked, {});
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, Code::InvalidArgument);
    }
}

/// Backends may pack keys once and keep them: never those of another buffer.
TEST_P(EachBackend, keysAreSharedByHeadsAndNeverMistakenForOthers)
{
    const Case testCase = {"shared", 33, 300, 16, 16, MaskKind::Causal};
    const Problem one(testCase, backend());
    auto queries = std::make_shared<Tensor>(Shape{33, 16});
    for (std::int64_t n = 0; n < queries->size(); ++n) {
        queries->data()[n] = std::cos(static_cast<float>(n));
    }
    const auto other = backend().upload(queries).value();
    HeadProblem head = one.head();
    head.q = {other.get(), 0, 33, 16, 16};
    ASSERT_TRUE(backend().rowStats(one.head(), {}));
    Inputs inputs = one.inputs();
    std::ranges::copy(queries->values(), inputs.q.cells.begin());
    for (int turn = 0; turn < 2; ++turn) {
        // In the second turn the keys are new numbers, as likely as not where the old ones lay.
        if (turn == 1) {
            std::ranges::reverse(inputs.k.cells);
        }
        auto keys = std::make_shared<Tensor>(Shape{300, 16});
        std::ranges::copy(inputs.k.cells, keys->data());
        const auto buffer = backend().upload(keys).value();
        head.k = {buffer.get(), 0, 300, 16, 16};
        const auto lse = backend().rowStats(head, {}).value().lse;
        EXPECT_TRUE(
            accept(lse, Oracle<double>(inputs).stats().lse, Oracle<float>(inputs).stats().lse));
    }
}

TEST_P(EachBackend, damagedMasksAreRefused)
{
    const Problem problem({"small", 2, 6, 4, 4}, backend());
    HeadProblem head = problem.head();
    for (const std::vector<KeyRange>& ranges : std::vector<std::vector<KeyRange>>{
             {{0, 7}, {0, 2}}, {{-1, 3}, {0, 2}}, {{3, 3}, {0, 2}}, {{4, 2}, {0, 1}}}) {
        const std::vector<std::int64_t> rowStart = {0, 1, 2};
        head.mask.rowStart = rowStart;
        head.mask.ranges = ranges;
        EXPECT_EQ(backend().rowStats(head, {}).error().code, Code::InvalidArgument);
    }
    const std::vector<KeyRange> ranges = {{0, 2}, {1, 4}};
    for (const std::vector<std::int64_t>& rowStart : std::vector<std::vector<std::int64_t>>{
             {0, 2, 2}, {0, 1, 3}, {0, 2, 1}, {-1, 1, 2}, {0, 1}}) {
        head.mask.rowStart = rowStart;
        head.mask.ranges = ranges;
        EXPECT_EQ(backend().rowStats(head, {}).error().code, Code::InvalidArgument);
    }
    const std::vector<std::uint64_t> words = {1};
    head.mask.isBits = true;
    head.mask.words = words;
    head.mask.wordsPerRow = 1;
    EXPECT_EQ(backend().rowStats(head, {}).error().code, Code::InvalidArgument);
}
