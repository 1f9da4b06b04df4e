// Every operation of every backend found, on every case, against a float64 oracle.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "accept.h"
#include "backend_abi.h"
#include "contract.h"

#include <array>
#include <gtest/gtest.h>
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

class Contract : public OnEveryCase {};

INSTANTIATE_TEST_SUITE_P(Every, Contract, everyPair(), pairName);

std::string describeSpec(const TileSpec& spec)
{
    return "quantity " + std::to_string(static_cast<int>(spec.quantity)) + ", pooling " +
           std::to_string(static_cast<int>(spec.pooling)) + ", texels of " +
           std::to_string(spec.texelCellsDown()) + " x " + std::to_string(spec.texelCells) +
           ", from (" + std::to_string(spec.row) + ", " + std::to_string(spec.column) + ")";
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
            ASSERT_NE(inputs.keep.at(i, strongest), 0) << "row " << i;
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
    const Oracles& oracles = oraclesOf(row(), problem.inputs());
    const auto& [truth, plain] = oracles;
    const auto stats = backend().rowStats(problem.head(), {});
    ASSERT_TRUE(stats) << describe(stats.error());
    const std::int64_t queries = row().queries;
    const std::int64_t keys = row().keys;
    // The oracle pools every cell anew: large maps get few sizes, which still end inside blocks.
    using Sizes = std::vector<std::pair<std::int64_t, std::int64_t>>;
    const Sizes sizes = queries * keys > 15'000
                            ? Sizes{{1, 1}, {5, 70}, {64, 64}}
                            : Sizes{{1, 1}, {2, 2}, {3, 3}, {64, 64}, {2, 3}, {64, 8}, {900, 2000}};
    for (const auto& [down, across] : sizes) {
        for (const Quantity quantity :
             {Quantity::Scores, Quantity::Scaled, Quantity::Masked, Quantity::Weights}) {
            const double ofCell = 2 * cellError(oracles, quantity);
            for (const Pooling pooling :
                 {Pooling::Max, Pooling::AbsMax, Pooling::Mass, Pooling::Mean}) {
                if (down * across == 1 && pooling != Pooling::Max && pooling != Pooling::Mean) {
                    continue; // of one cell, they are all the same
                }
                TileSpec spec{.quantity = quantity,
                              .pooling = pooling,
                              .rows = queries,
                              .columns = keys,
                              .texelCells = across,
                              .cellsDown = down == across ? 0 : down};
                // The whole map, then, where one fits, a window that touches no edge.
                for (const bool inner : {false, true}) {
                    if (inner && down > 8) {
                        continue;
                    }
                    if (inner) {
                        spec.row = queries / 3 / down * down;
                        spec.column = keys / 3 / across * across;
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
                                       ofCell + roundingOfCells(truth, spec)))
                        << describeSpec(spec);
                    EXPECT_TRUE(sameBits(tile->maskedShare, wanted.maskedShare))
                        << describeSpec(spec);
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
    // Rows of the result are not adjacent, and what lies between them must stay.
    const std::int64_t stride = row().valueWidth + 3;
    std::vector<float> memory(static_cast<std::size_t>(row().queries * stride), -7.0F);
    const MatrixView<float> out{memory.data(), row().queries, row().valueWidth, stride};
    const auto done = backend().attend(problem.head(), problem.v(), out, {});
    ASSERT_TRUE(done) << describe(done.error());
    std::vector<float> got;
    for (std::int64_t i = 0; i < out.rows; ++i) {
        got.insert(got.end(), out.row(i).begin(), out.row(i).end());
        for (std::int64_t d = row().valueWidth; d < stride; ++d) {
            EXPECT_EQ(memory[static_cast<std::size_t>(i * stride + d)], -7.0F);
        }
    }
    // A sum of weights times numbers near 1 is no more certain than one of the weights.
    EXPECT_TRUE(accept(got, truth.cells, plain.cells, 2 * cellError(oracles, Quantity::Weights)));
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
    LinearRow{"manyLanes", 47, 50, 33, true, true},
    LinearRow{"deepPanels", 70, 61, 7000, false, false},
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
