// Every operation of every backend found, on every case, against a float64 oracle.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "accept.h"
#include "backend_abi.h"
#include "cases.h"
#include "everybackend.h"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>

using namespace heed;
using namespace heed::test;

namespace {

constexpr float Infinity = std::numeric_limits<float>::infinity();

/// Operations that some test ran; compared with the interface at the end.
std::set<std::uint32_t>& operationsWithRows()
{
    static std::set<std::uint32_t> kinds;
    return kinds;
}

class Contract : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {
protected:
    const Backend& backend() const { return *everyBackend()[std::get<0>(GetParam())].backend; }
    const Case& row() const { return allCases()[std::get<1>(GetParam())]; }
};

std::string
rowName(const ::testing::TestParamInfo<std::tuple<std::size_t, std::size_t>>& parameters)
{
    return everyBackend()[std::get<0>(parameters.param)].id + "_" +
           allCases()[std::get<1>(parameters.param)].name;
}

INSTANTIATE_TEST_SUITE_P(Every, Contract,
                         ::testing::Combine(::testing::Range(std::size_t{0}, everyBackend().size()),
                                            ::testing::Range(std::size_t{0}, allCases().size())),
                         rowName);

std::string describeSpec(const TileSpec& spec)
{
    return "quantity " + std::to_string(static_cast<int>(spec.quantity)) + ", pooling " +
           std::to_string(static_cast<int>(spec.pooling)) + ", texels of " +
           std::to_string(spec.texelCells) + ", from (" + std::to_string(spec.row) + ", " +
           std::to_string(spec.column) + ")";
}

/// The sums of @p stats taken around the maxima @p max instead of their own: float32 rounds a
/// maximum near 1e4 by as much as 5e-4, and a sum belongs to the maximum it comes with.
template <typename Real>
std::vector<double> around(const OracleStats<Real>& stats, const std::vector<float>& max)
{
    std::vector<double> sums;
    for (std::size_t i = 0; i < max.size(); ++i) {
        const double shift = double{stats.max[i]} - double{max[i]};
        sums.push_back(stats.sum[i] == 0 ? 0.0 : double{stats.sum[i]} * std::exp(shift));
    }
    return sums;
}

std::vector<float> toFloat(const std::vector<double>& values)
{
    return {values.begin(), values.end()};
}

/// What a sum of cells may be off beside the rule: every cell was rounded once, and where signs
/// cancel, the sum is no measure of that. Zero for the poolings that only choose a cell.
double roundingOfCells(const Oracle<double>& truth, const TileSpec& spec)
{
    if (spec.pooling == Pooling::Max || spec.pooling == Pooling::AbsMax) {
        return 0;
    }
    double squares = 0;
    for (std::int64_t i = 0; i < spec.rows; ++i) {
        for (std::int64_t j = 0; j < spec.columns; ++j) {
            const double value = truth.quantity(spec.quantity).at(spec.row + i, spec.column + j);
            squares += std::isfinite(value) ? value * value : 0;
        }
    }
    // Of one texel; the mean divides it again, which only makes the bound wider than needed.
    squares /= static_cast<double>(spec.texelRows() * spec.texelColumns());
    return 2 * std::numeric_limits<float>::epsilon() * std::sqrt(squares);
}

/// Both oracles of a case. The same for every backend, so made once.
struct Oracles {
    Oracle<double> truth;
    Oracle<float> plain;
};

const Oracles& oraclesOf(const Case& testCase, const Inputs& inputs)
{
    static std::map<std::string, std::pair<Inputs, std::unique_ptr<Oracles>>> made;
    auto& [kept, oracles] = made[testCase.name];
    if (oracles == nullptr) {
        kept = inputs;
        oracles = std::make_unique<Oracles>(Oracles{Oracle<double>(kept), Oracle<float>(kept)});
    }
    return *oracles;
}

/// The row of the strongest key must be one whose score is the maximum, but for rounding.
void checkArgmax(const RowStats& stats, const Oracle<double>& truth, const Inputs& inputs)
{
    const Grid<double>& masked = truth.quantity(Quantity::Masked);
    for (std::int64_t i = 0; i < masked.rows; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const std::int64_t strongest = stats.argmax[at];
        const double max = truth.stats().max[at];
        if (std::isnan(max)) {
            std::int64_t firstBad = 0;
            while (inputs.keep.at(i, firstBad) == 0 || masked.at(i, firstBad) < Infinity) {
                ++firstBad;
            }
            EXPECT_EQ(strongest, firstBad) << "row " << i;
        } else if (max == -Infinity) {
            EXPECT_EQ(strongest, -1) << "row " << i;
        } else {
            ASSERT_GE(strongest, 0) << "row " << i;
            EXPECT_NEAR(masked.at(i, strongest), max, 1e-6 * std::max(1.0, std::abs(max)))
                << "row " << i;
        }
    }
}

} // namespace

TEST_P(Contract, rowStats)
{
    operationsWithRows().insert({HEED_OP_ROW_STATS, HEED_OP_UPLOAD, HEED_OP_RELEASE});
    const Problem problem(row(), backend());
    const auto& [truth, plain] = oraclesOf(row(), problem.inputs());
    const auto stats = backend().rowStats(problem.head(), {});
    ASSERT_TRUE(stats) << describe(stats.error());
    EXPECT_TRUE(accept(stats->max, truth.stats().max, plain.stats().max));
    EXPECT_TRUE(accept(stats->sum, around(truth.stats(), stats->max),
                       toFloat(around(plain.stats(), stats->max))));
    EXPECT_TRUE(accept(stats->lse, truth.stats().lse, plain.stats().lse));
    EXPECT_TRUE(accept(stats->entropy, truth.stats().entropy, plain.stats().entropy));
    EXPECT_TRUE(accept(stats->distance, truth.stats().distance, plain.stats().distance));
    EXPECT_EQ(stats->kept, truth.stats().kept);
    checkArgmax(*stats, truth, problem.inputs());
}

TEST_P(Contract, tileEqualsPoolingOfTheFullMatrix)
{
    operationsWithRows().insert(HEED_OP_TILE);
    const Problem problem(row(), backend());
    const auto& [truth, plain] = oraclesOf(row(), problem.inputs());
    const auto stats = backend().rowStats(problem.head(), {});
    ASSERT_TRUE(stats) << describe(stats.error());
    const std::int64_t queries = row().queries;
    const std::int64_t keys = row().keys;
    for (const std::int64_t texelCells : {1, 2, 3, 8, 64, 256}) {
        for (const Quantity quantity :
             {Quantity::Scores, Quantity::Scaled, Quantity::Masked, Quantity::Weights}) {
            for (const Pooling pooling :
                 {Pooling::Max, Pooling::AbsMax, Pooling::Mass, Pooling::Mean}) {
                TileSpec spec{.quantity = quantity,
                              .pooling = pooling,
                              .rows = queries,
                              .columns = keys,
                              .texelCells = texelCells};
                // The whole map, then, where one fits, a window that touches no edge.
                for (const bool inner : {false, true}) {
                    if (inner && texelCells > 8) {
                        continue;
                    }
                    if (inner) {
                        spec.row = queries / 3 / texelCells * texelCells;
                        spec.column = keys / 3 / texelCells * texelCells;
                        spec.rows = (queries - spec.row + 1) / 2;
                        spec.columns = (keys - spec.column + 1) / 2;
                    }
                    const auto tile =
                        backend().tile(problem.head(),
                                       quantity == Quantity::Weights ? &*stats : nullptr, spec, {});
                    ASSERT_TRUE(tile) << describe(tile.error());
                    ASSERT_EQ(tile->rows, spec.texelRows());
                    ASSERT_EQ(tile->columns, spec.texelColumns());
                    const auto wanted = truth.pooled(spec);
                    EXPECT_TRUE(accept(tile->values, wanted.values, plain.pooled(spec).values,
                                       roundingOfCells(truth, spec)))
                        << describeSpec(spec);
                    ASSERT_EQ(tile->maskedShare.size(), wanted.maskedShare.size());
                    for (std::size_t t = 0; t < wanted.maskedShare.size(); ++t) {
                        ASSERT_FLOAT_EQ(tile->maskedShare[t], wanted.maskedShare[t])
                            << describeSpec(spec) << ", texel " << t;
                    }
                }
            }
        }
    }
}

TEST_P(Contract, attend)
{
    operationsWithRows().insert(HEED_OP_ATTEND);
    const Problem problem(row(), backend());
    const Oracles& oracles = oraclesOf(row(), problem.inputs());
    const Grid<double> truth = oracles.truth.attended();
    const Grid<float> plain = oracles.plain.attended();
    const auto stats = backend().rowStats(problem.head(), {});
    ASSERT_TRUE(stats) << describe(stats.error());
    // Rows of the result are not adjacent, and what lies between them must stay.
    const std::int64_t stride = row().valueWidth + 3;
    std::vector<float> memory(static_cast<std::size_t>(row().queries * stride), -7.0F);
    const MatrixView<float> out{memory.data(), row().queries, row().valueWidth, stride};
    const auto done = backend().attend(problem.head(), *stats, problem.v(), out, {});
    ASSERT_TRUE(done) << describe(done.error());
    std::vector<float> got;
    for (std::int64_t i = 0; i < out.rows; ++i) {
        got.insert(got.end(), out.row(i).begin(), out.row(i).end());
        for (std::int64_t d = row().valueWidth; d < stride; ++d) {
            EXPECT_EQ(memory[static_cast<std::size_t>(i * stride + d)], -7.0F);
        }
    }
    EXPECT_TRUE(accept(got, truth.cells, plain.cells));
}

namespace {

struct LinearRow {
    const char* name;
    std::int64_t m, n, k;
    bool bias, strided;
};

constexpr std::array linearRows = {
    LinearRow{"one", 1, 1, 1, false, false},
    LinearRow{"oneRow", 1, 300, 64, true, false},
    LinearRow{"sentence", 20, 192, 64, true, false},
    LinearRow{"strided", 33, 17, 70, true, true},
    LinearRow{"overBlocks", 130, 260, 300, false, false},
    LinearRow{"deep", 3, 5, 5000, true, false},
    LinearRow{"noDepth", 3, 4, 0, true, false},
};

class Linear : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {};

INSTANTIATE_TEST_SUITE_P(Every, Linear,
                         ::testing::Combine(::testing::Range(std::size_t{0}, everyBackend().size()),
                                            ::testing::Range(std::size_t{0}, linearRows.size())),
                         [](const auto& parameters) {
                             return everyBackend()[std::get<0>(parameters.param)].id + "_" +
                                    linearRows[std::get<1>(parameters.param)].name;
                         });

} // namespace

TEST_P(Linear, equalsTheLoop)
{
    operationsWithRows().insert(HEED_OP_LINEAR);
    const Backend& backend = *everyBackend()[std::get<0>(GetParam())].backend;
    const LinearRow& row = linearRows[std::get<1>(GetParam())];
    const std::int64_t gap = row.strided ? 4 : 0;
    const auto numbers = [](std::int64_t count, double phase) {
        std::vector<float> values(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<float>(std::sin(phase + 1.3 * static_cast<double>(i)));
        }
        return values;
    };
    const auto xs = numbers(row.m * (row.k + gap) + 1, 0.1);
    const auto ws = numbers(row.n * (row.k + gap) + 1, 0.9);
    const auto bias = numbers(row.n, 0.4);
    std::vector<float> memory(static_cast<std::size_t>(row.m * (row.n + gap)));
    const ConstMatrixView<float> x{xs.data(), row.m, row.k, row.k + gap};
    const ConstMatrixView<float> w{ws.data(), row.n, row.k, row.k + gap};
    const MatrixView<float> out{memory.data(), row.m, row.n, row.n + gap};
    const auto done = backend.linear(
        x, w, row.bias ? std::span<const float>(bias) : std::span<const float>{}, out, {});
    ASSERT_TRUE(done) << describe(done.error());
    std::vector<float> got;
    std::vector<float> plain;
    std::vector<double> truth;
    for (std::int64_t m = 0; m < row.m; ++m) {
        for (std::int64_t n = 0; n < row.n; ++n) {
            double exact = 0;
            float loop = 0;
            for (std::int64_t k = 0; k < row.k; ++k) {
                exact += double{x(m, k)} * double{w(n, k)};
                loop += x(m, k) * w(n, k);
            }
            const float b = row.bias ? bias[static_cast<std::size_t>(n)] : 0.0F;
            truth.push_back(exact + double{b});
            plain.push_back(loop + b);
            got.push_back(out(m, n));
        }
    }
    EXPECT_TRUE(accept(got, truth, plain));
}

/// Runs once per backend, for what does not depend on the case.
class EachBackend : public ::testing::TestWithParam<std::size_t> {
protected:
    const Backend& backend() const { return *everyBackend()[GetParam()].backend; }
};

INSTANTIATE_TEST_SUITE_P(Every, EachBackend,
                         ::testing::Range(std::size_t{0}, everyBackend().size()),
                         [](const auto& parameters) {
                             return everyBackend()[parameters.param].id;
                         });

namespace {

/// Large enough for several threads and several blocks.
const Case largeCase = {"large", 300, 1300, 40, 24, MaskKind::Causal};
const Case largeCaseAll = {"largeAll", 300, 1300, 40, 24, MaskKind::All};

bool sameBits(std::span<const float> a, std::span<const float> b)
{
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

} // namespace

TEST_P(EachBackend, threadsDoNotChangeABit)
{
    const Problem problem(largeCaseAll, backend());
    std::vector<RowStats> stats;
    std::vector<TileTexels> tiles;
    std::vector<std::vector<float>> attended;
    std::vector<std::vector<float>> projected;
    for (const int threads : {1, 2, 5}) {
        const Execution execution{.threads = threads};
        stats.push_back(backend().rowStats(problem.head(), execution).value());
        tiles.push_back(
            backend()
                .tile(problem.head(), &stats.back(),
                      {.pooling = Pooling::Mean, .rows = 300, .columns = 1300, .texelCells = 4},
                      execution)
                .value());
        attended.emplace_back(300 * 24);
        ASSERT_TRUE(backend().attend(problem.head(), stats.back(), problem.v(),
                                     {attended.back().data(), 300, 24, 24}, execution));
        projected.emplace_back(300 * 1300);
        const auto& q = problem.inputs().q.cells;
        const auto& k = problem.inputs().k.cells;
        ASSERT_TRUE(backend().linear({q.data(), 300, 40, 40}, {k.data(), 1300, 40, 40}, {},
                                     {projected.back().data(), 300, 1300, 1300}, execution));
    }
    for (std::size_t i = 1; i < stats.size(); ++i) {
        EXPECT_TRUE(sameBits(stats[i].max, stats[0].max));
        EXPECT_TRUE(sameBits(stats[i].sum, stats[0].sum));
        EXPECT_TRUE(sameBits(stats[i].lse, stats[0].lse));
        EXPECT_TRUE(sameBits(stats[i].entropy, stats[0].entropy));
        EXPECT_TRUE(sameBits(stats[i].distance, stats[0].distance));
        EXPECT_EQ(stats[i].argmax, stats[0].argmax);
        EXPECT_TRUE(sameBits(tiles[i].values, tiles[0].values));
        EXPECT_TRUE(sameBits(tiles[i].maskedShare, tiles[0].maskedShare));
        EXPECT_TRUE(sameBits(attended[i], attended[0]));
        EXPECT_TRUE(sameBits(projected[i], projected[0]));
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
    EXPECT_EQ(backend().rowStats(problem.head(), execution).error().code, Code::Cancelled);
    EXPECT_EQ(backend()
                  .tile(problem.head(), &stats, {.rows = 300, .columns = 1300}, execution)
                  .error()
                  .code,
              Code::Cancelled);
    EXPECT_EQ(backend()
                  .attend(problem.head(), stats, problem.v(), {out.data(), 300, 24, 24}, execution)
                  .error()
                  .code,
              Code::Cancelled);
    EXPECT_EQ(backend()
                  .linear({q.data(), 300, 40, 40}, {k.data(), 1300, 40, 40}, {},
                          {out.data(), 300, 1300, 1300}, execution)
                  .error()
                  .code,
              Code::Cancelled);
}

TEST_P(EachBackend, stopsInTheMiddleAndReportsProgress)
{
    const Problem problem(largeCaseAll, backend());
    for (const int threads : {1, 3}) {
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
        EXPECT_EQ(backend().rowStats(problem.head(), execution).error().code, Code::Cancelled);
        EXPECT_GT(last, 0);
        EXPECT_LT(last, total);
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

namespace {

/// Looks back when everything has run.
class Coverage : public ::testing::Environment {
public:
    void TearDown() override
    {
        if (::testing::GTEST_FLAG(filter) != "*") {
            return; // only some rows were asked for
        }
        for (std::uint32_t kind = HEED_OP_UPLOAD; kind <= HEED_OP_ATTEND; ++kind) {
            EXPECT_TRUE(operationsWithRows().contains(kind))
                << "operation " << kind << " has no row";
        }
    }
};
const auto* const coverage = ::testing::AddGlobalTestEnvironment(new Coverage);

} // namespace

TEST(Backends, thoseOfThisBuildWereTried)
{
    std::string found;
    for (const FoundBackend& backend : everyBackend()) {
        found += backend.id + " ";
    }
    for (const BackendReport& report : BackendRegistry::instance().reports()) {
        std::cout << report.name << (report.usable ? ": " : " refused: ") << report.detail << '\n';
    }
    EXPECT_GE(everyBackend().size(), 2U) << found; // the reference and at least one CPU module
}
