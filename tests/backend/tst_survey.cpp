// One pass over all cells: pictures, masses, and bands of a larger map.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "accept.h"
#include "contract.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

using namespace heed;
using namespace heed::test;

namespace {

class SurveyOf : public OnEveryCase {};
INSTANTIATE_TEST_SUITE_P(Every, SurveyOf, everyPair(), pairName);
INSTANTIATE_TEST_SUITE_P(Every, EachBackend, everyOne(), backendName);

std::string texelsOf(std::int64_t down, std::int64_t across)
{
    return "texels of " + std::to_string(down) + " x " + std::to_string(across);
}

} // namespace

TEST_P(SurveyOf, pictureIsThePooledWeights)
{
    const Problem problem(row(), backend());
    const Oracles& oracles = oraclesOf(row(), problem.inputs());
    const auto& [truth, plain] = oracles;
    const double ofCell = 2 * cellError(oracles, Quantity::Weights);
    for (const auto& [down, across] : std::array<std::pair<std::int64_t, std::int64_t>, 6>{
             {{1, 1}, {2, 3}, {32, 32}, {64, 8}, {7, 700}, {5000, 5001}}}) {
        SCOPED_TRACE(texelsOf(down, across));
        const auto survey =
            backend().survey(problem.head(), {.cellsDown = down, .cellsAcross = across}, {});
        ASSERT_TRUE(survey) << describe(survey.error());
        const TileSpec spec{.quantity = Quantity::Weights,
                            .pooling = Pooling::Max,
                            .rows = row().queries,
                            .columns = row().keys,
                            .texelCells = across,
                            .cellsDown = down};
        const TileTexels& picture = survey->picture;
        EXPECT_EQ(picture.rows, spec.texelRows());
        EXPECT_EQ(picture.columns, spec.texelColumns());
        const auto wanted = truth.pooled(spec);
        EXPECT_TRUE(accept(picture.values, wanted.values, plain.pooled(spec).values, ofCell));
        EXPECT_TRUE(sameBits(picture.maskedShare, wanted.maskedShare));
        EXPECT_TRUE(survey->masses.self.empty());
    }
}

TEST_P(SurveyOf, massesAreThoseOfTheWeights)
{
    const Problem problem(row(), backend());
    const auto& [truth, plain] = oraclesOf(row(), problem.inputs());
    const auto survey =
        backend().survey(problem.head(), {.masses = true, .tokens = problem.tokens()}, {});
    ASSERT_TRUE(survey) << describe(survey.error());
    EXPECT_TRUE(survey->picture.values.empty());
    // All masses at once: a single one may have no error in the plain loop by luck.
    std::vector<float> got;
    std::vector<double> wanted;
    std::vector<float> loop;
    const auto truths = truth.masses();
    const auto loops = plain.masses();
    for (std::size_t mass = 0; mass < MassCount; ++mass) {
        const auto& numbers = survey->masses.*massMembers[mass];
        ASSERT_EQ(numbers.size(), static_cast<std::size_t>(row().queries)) << "mass " << mass;
        got.insert(got.end(), numbers.begin(), numbers.end());
        wanted.insert(wanted.end(), truths[mass].begin(), truths[mass].end());
        loop.insert(loop.end(), loops[mass].begin(), loops[mass].end());
    }
    EXPECT_TRUE(accept(got, wanted, loop))
        << "of " << row().queries << " numbers a mass, in the order of RowMasses";
}

TEST_P(SurveyOf, statisticsDoNotDependOnWhatElseIsAsked)
{
    const Problem problem(row(), backend());
    const auto alone = backend().rowStats(problem.head(), {});
    const SurveySpec spec{
        .cellsDown = 3, .cellsAcross = 20, .masses = true, .tokens = problem.tokens()};
    const auto survey = backend().survey(problem.head(), spec, {});
    ASSERT_TRUE(alone && survey);
    EXPECT_TRUE(sameStats(survey->stats, *alone));
}

TEST_P(SurveyOf, aBandHasTheBitsOfTheWholeMap)
{
    const Problem problem(row(), backend());
    const std::int64_t queries = row().queries;
    const std::int64_t keys = row().keys;
    const std::int64_t width = row().valueWidth;
    const auto attended = [&](const HeadProblem& head) {
        std::vector<float> out(static_cast<std::size_t>(head.q.rows * width));
        EXPECT_TRUE(
            backend().attend(head, problem.v(), {out.data(), head.q.rows, width, width}, {}));
        return out;
    };
    SurveySpec spec{.cellsDown = 1, .cellsAcross = 6, .masses = true, .tokens = problem.tokens()};
    const Survey whole = backend().survey(problem.head(), spec, {}).value();
    const std::vector<float> wholeOut = attended(problem.head());
    const auto texels = static_cast<std::size_t>(whole.picture.columns);
    const auto part = [](std::span<const float> numbers, std::int64_t begin, std::int64_t rows,
                         std::size_t columns) {
        return numbers.subspan(static_cast<std::size_t>(begin) * columns,
                               static_cast<std::size_t>(rows) * columns);
    };
    for (const std::int64_t begin : {queries / 3, queries / 2 + 1, queries - 1}) {
        const std::int64_t rows = std::min<std::int64_t>(queries - begin, 70);
        if (rows < 1) {
            continue;
        }
        SCOPED_TRACE("rows from " + std::to_string(begin) + ", " + std::to_string(rows));
        const HeadProblem head = bandOf(problem.head(), begin, rows);
        spec.tokens.queries = problem.tokens().queries.subspan(static_cast<std::size_t>(begin),
                                                               static_cast<std::size_t>(rows));
        const auto band = backend().survey(head, spec, {});
        ASSERT_TRUE(band) << describe(band.error());
        EXPECT_TRUE(sameStats(band->stats, whole.stats, begin));
        EXPECT_TRUE(sameMasses(band->masses, whole.masses, begin));
        EXPECT_TRUE(
            sameBits(band->picture.values, part(whole.picture.values, begin, rows, texels)));
        EXPECT_TRUE(sameBits(band->picture.maskedShare,
                             part(whole.picture.maskedShare, begin, rows, texels)));
        EXPECT_TRUE(
            sameBits(attended(head), part(wholeOut, begin, rows, static_cast<std::size_t>(width))));
        for (const Quantity quantity : {Quantity::Masked, Quantity::Weights}) {
            TileSpec tile{.quantity = quantity,
                          .rows = rows,
                          .columns = keys,
                          .texelCells = 5,
                          .cellsDown = 1};
            const auto ofBand = backend().tile(head, &band->stats, tile, {});
            tile.row = begin;
            const auto ofWhole = backend().tile(problem.head(), &whole.stats, tile, {});
            ASSERT_TRUE(ofBand && ofWhole);
            EXPECT_TRUE(sameBits(ofBand->values, ofWhole->values));
        }
    }
}

TEST_P(EachBackend, bandsOfTexelsMakeTheWholePicture)
{
    const Problem problem({.name = "bands",
                           .queries = 300,
                           .keys = 1300,
                           .width = 17,
                           .valueWidth = 1,
                           .mask = MaskKind::Holes,
                           .softCap = 3,
                           .distanceBias = true,
                           .bias = true,
                           .firstQuery = 11},
                          backend());
    const SurveySpec spec{.cellsDown = 7, .cellsAcross = 32};
    const TileTexels whole = backend().survey(problem.head(), spec, {}).value().picture;
    std::vector<float> values;
    std::vector<float> shares;
    for (std::int64_t begin = 0; begin < 300; begin += 70) {
        const HeadProblem band =
            bandOf(problem.head(), begin, std::min<std::int64_t>(70, 300 - begin));
        const TileTexels picture = backend().survey(band, spec, {}).value().picture;
        values.insert(values.end(), picture.values.begin(), picture.values.end());
        shares.insert(shares.end(), picture.maskedShare.begin(), picture.maskedShare.end());
    }
    EXPECT_TRUE(sameBits(values, whole.values));
    EXPECT_TRUE(sameBits(shares, whole.maskedShare));
}

TEST_P(EachBackend, placesThatNeedTokensAreEmptyWithoutThem)
{
    const Problem problem({"noTokens", 40, 40, 8, 8, MaskKind::Causal}, backend());
    const TokenRoles tokens = problem.tokens();
    for (const TokenRoles& some :
         {TokenRoles{}, TokenRoles{tokens.queries, {}, {}}, TokenRoles{{}, tokens.keys, {}}}) {
        const auto survey = backend().survey(problem.head(), {.masses = true, .tokens = some}, {});
        ASSERT_TRUE(survey) << describe(survey.error());
        const std::vector<float> zeros(40);
        EXPECT_EQ(survey->masses.duplicate, zeros);
        EXPECT_EQ(survey->masses.induction, zeros);
        EXPECT_EQ(survey->masses.delimiter, zeros);
        EXPECT_GT(survey->masses.previous[39], 0);
    }
}

/// Equal weights, so that every mass is a share that can be counted.
TEST_P(EachBackend, massesOfAnEvenRowCanBeCounted)
{
    const auto zeros = backend().upload(std::make_shared<Tensor>(Shape{12, 2})).value();
    const std::vector<std::int64_t> rowStart = {0, 1, 2, 2};
    const std::vector<KeyRange> ranges = {{0, 8}, {0, 12}};
    const std::vector<std::int32_t> keys = {1, 2, 1, 3, 1, 2, 3, 3, 1, 1, 1, 1};
    const std::vector<std::int32_t> queries = {1, 2, 3};
    const std::vector<std::uint8_t> delimiters = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    HeadProblem problem;
    problem.q = {zeros.get(), 0, 3, 2, 2};
    problem.k = {zeros.get(), 0, 12, 2, 2};
    problem.mask.queries = 3;
    problem.mask.keys = 12;
    problem.mask.rowStart = rowStart;
    problem.mask.ranges = ranges;
    problem.firstQuery = 4; // queries 4, 5 and 6 of the map; the last one may see nothing
    const RowMasses masses =
        backend()
            .survey(problem, {.masses = true, .tokens = {queries, keys, delimiters}}, {})
            .value()
            .masses;
    const auto shares = [](float first, float second) {
        return std::vector<float>{first / 8, second / 12, 0};
    };
    const auto expect = [](const std::vector<float>& got, const std::vector<float>& wanted) {
        ASSERT_EQ(got.size(), wanted.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            EXPECT_NEAR(got[i], wanted[i], 1e-6) << "row " << i;
        }
    };
    for (const auto& one : {masses.previous, masses.next, masses.self, masses.first}) {
        expect(one, shares(1, 1));
    }
    expect(masses.duplicate, shares(2, 1)); // keys 0 and 2 are the 1 of key 4; key 1 the 2 of key 5
    expect(masses.induction, shares(2, 1)); // keys 1 and 3; key 2
    expect(masses.delimiter, shares(1, 2));
    expect(masses.top5, shares(5, 5));
    expect(masses.top10, shares(8, 10));
}

TEST_P(EachBackend, aSurveyOfAnEmptyMapIsFine)
{
    const Problem problem({"small", 5, 6, 4, 4}, backend());
    HeadProblem noKeys = problem.head();
    const std::vector<std::int64_t> noRanges(6, 0);
    noKeys.k.rows = 0;
    noKeys.mask.keys = 0;
    noKeys.mask.rowStart = noRanges;
    noKeys.mask.ranges = {};
    const SurveySpec spec{.cellsDown = 2, .cellsAcross = 2, .masses = true};
    const auto none = backend().survey(noKeys, spec, {});
    ASSERT_TRUE(none) << describe(none.error());
    EXPECT_TRUE(none->picture.values.empty());
    EXPECT_EQ(none->picture.rows, 3);
    for (const auto member : massMembers) {
        EXPECT_EQ(none->masses.*member, std::vector<float>(5));
    }
    HeadProblem noQueries = problem.head();
    const std::vector<std::int64_t> rowStart = {0};
    noQueries.q.rows = 0;
    noQueries.mask.queries = 0;
    noQueries.mask.rowStart = rowStart;
    const auto empty = backend().survey(noQueries, spec, {});
    ASSERT_TRUE(empty) << describe(empty.error());
    EXPECT_TRUE(empty->picture.values.empty());
}
