// Compiled masks: check values of every family, sharing, memory, reasons and errors.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/mask.h"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>

using namespace heed;

namespace {

MaskPtr compiled(const std::string& expression, const MaskContext& context)
{
    auto mask = compileMask(expression, context);
    EXPECT_TRUE(mask) << expression << ": " << describe(mask.error());
    return mask.value_or(nullptr);
}

MaskContext square(std::int64_t length)
{
    return {.queries = length, .keys = length};
}

std::vector<std::int64_t> rowCounts(const CompiledMask& mask, std::int64_t item = 0,
                                    std::int64_t head = 0)
{
    std::vector<std::int64_t> counts;
    for (std::int64_t query = 0; query < mask.context().queries; ++query) {
        counts.push_back(mask.keptInRow(item, head, query));
    }
    return counts;
}

std::int64_t keptCells(const CompiledMask& mask)
{
    std::int64_t kept = 0;
    for (const std::int64_t row : rowCounts(mask)) {
        kept += row;
    }
    return kept;
}

constexpr MaskReasons bits(MaskReason a, MaskReason b = MaskReason::None)
{
    return static_cast<MaskReasons>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

} // namespace

TEST(CompiledMask, keepsTheKnownNumberOfCells)
{
    struct Row {
        std::string expression;
        std::int64_t queries;
        std::int64_t keys;
        std::int64_t kept;
    };
    const std::vector<Row> rows = {
        {"", 8, 8, 64},
        {"~none", 8, 8, 0},
        {"padding(lengths=[5])", 8, 8, 40},
        {"padding(side=left, lengths=[5])", 8, 8, 40},
        {"padding(lengths=[0])", 8, 8, 0},
        {"padding", 8, 8, 64}, // nothing known about the lengths
        {"causal", 8, 8, 36},
        {"causal(offset=-1)", 8, 8, 28}, // strictly the past
        {"causal", 3, 8, 6},             // from the upper left corner
        {"causal(offset=5)", 3, 8, 21},  // with five cached keys
        {"causal(offset=-3)", 5, 2, 3},  // lower right
        {"causal(offset=-2147483647)", 8, 8, 0},
        {"causal(offset=2147483647)", 8, 8, 64},
        {"causal", 2, 5, 3},
        {"causal", 5, 2, 9},
        {"causal", 1, 8, 1},
        {"window(3)", 8, 8, 21},
        {"window(2147483647)", 8, 8, 36},
        {"window(left=3, right=0)", 8, 8, 26},
        {"window(left=3, right=3)", 8, 8, 44},
        {"symmetric(3)", 8, 8, 44},
        {"symmetric(2)", 8, 8, 34}, // what other libraries call 3, exclusive
        {"symmetric(0)", 8, 8, 8},
        {"dilated(2, 2)", 8, 8, 18},
        {"strided(3)", 8, 8, 28},
        {"strided(1)", 8, 8, 36},
        {"fixed(4, 1)", 8, 8, 24},
        {"fixed(4, 4)", 8, 8, 36},
        {"causal & documents([3, 2, 3])", 8, 8, 15},
        {"documents([3, 2, 3])", 8, 8, 22},
        {"documents([8])", 3, 8, 24},
        {"prefix(3)", 8, 8, 39},
        {"causal | sink(3)", 8, 8, 39},
        {"causal & (sink(2) | window(3))", 8, 8, 30},
        {"chunk(3)", 8, 8, 15},
        {"padding(lengths=[4])", 3, 6, 12},
        {"symmetric(2) | sink(1) | causal(offset=-7)", 8, 8, 39},
        {"longformer(4)", 8, 8, 34},
        {"longformer(2, global=[0])", 8, 8, 34},
        {"longformer(0, global=[7, 0, 0, 100])", 8, 8, 34},
        {"longformer(2, global=[3])", 2, 5, 7}, // a query that does not exist
        {"bigbird(block=1, global=[0, 7])", 8, 8, 44},
        {"bigbird(block=1, global=[0, 7], random=[[], [4, 4], [], [], [], [], [1], []])", 8, 8, 46},
        {"bigbird(block=3)", 8, 8, 52}, // blocks of 3, 3 and 2 tokens
        {"bigbird(block=2147483647, global=[2147483647])", 8, 8, 64},
        // Image blocks: text, text, image, image, text, another image, text.
        {"causal | groups([-1, -1, 0, 0, -1, 1, 1, -1])", 8, 8, 38},
        {"groups([-1, -1, 0, 0, -1, 1, 1, -1])", 8, 8, 8},
        {"groups([5, 0, 5, -1])", 4, 4, 5},
        // The same in a layer with a window: past and future bounded, past alone, neither.
        {"(causal | groups([0, 0, 0, 0, 0])) & window(left=2, right=2)", 5, 5, 19},
        {"(causal | groups([0, 0, 0, 0, 0])) & window(left=2, right=4)", 5, 5, 22},
        {"causal | groups([0, 0, 0, 0, 0])", 5, 5, 25},
        {"blocks([0, 0, 0, 1, 1, 1])", 6, 6, 24},
        {"blocks([1, 1, 1, 1])", 4, 4, 10},
        {"blocks([0, 0, 0, 1, 1, 1]) & padding(lengths=[4])", 6, 6, 21},
        {"tree([-1, 0, 0, 1, 1, 2])", 6, 6, 14},
        {"tree([-1, 0, 0, 1, 1, 2], prefix=2)", 6, 8, 26},
        {"tree([-1, 0, 0, 1, 1, 2], prefix=2)", 8, 8, 29}, // the prefix is causal
        {"tree([-1, -1], prefix=6)", 5, 8, 29}, // three queries are the end of the prefix
        {"rule(j <= i)", 8, 8, 36},
        {"rule(0 <= i - j < 3)", 8, 8, 21},
        {"rule(abs(i - j) < 3)", 8, 8, 34},
        {"rule(i / 3 == j / 3 && j <= i)", 8, 8, 15},
        {"rule([0,0,0,1,1,2,2,2][i] == [0,0,0,1,1,2,2,2][j])", 8, 8, 22},
        {"rule(j < 2 || (j <= i and i - j < 3))", 8, 8, 31},
        {"rule(j <= i + S - L)", 3, 8, 21},
        {"rule((i - 5) / 2 == -1)", 8, 1, 2}, // rounded down: i = 3, 4
        {"rule((i - 5) % 3 == 2)", 8, 1, 3},  // never negative: i = 1, 4, 7
        {"rule(0)", 8, 8, 0},
        {"rule(-3)", 8, 8, 64},
        {"rule(j > 0 && i % j == 0)", 8, 8, 23}, // the left side saves the right one
        {"rule(j == 0 || i % j == 0)", 8, 8, 31},
        {"rule(not (j == 0 or i % j != 0))", 8, 8, 23},
        {"none", 1, 1, 1},
        {"causal & ~causal", 8, 8, 0},
        {"causal | ~causal", 8, 8, 64},
    };
    for (const Row& row : rows) {
        const auto mask = compiled(row.expression, {.queries = row.queries, .keys = row.keys});
        ASSERT_TRUE(mask);
        EXPECT_EQ(keptCells(*mask), row.kept) << row.expression;
    }
    EXPECT_EQ(rowCounts(*compiled("causal(offset=5)", {.queries = 3, .keys = 8})),
              (std::vector<std::int64_t>{6, 7, 8}));
}

TEST(CompiledMask, padsFromTheBatch)
{
    MaskContext context{.items = 2, .heads = 3, .queries = 4, .keys = 4, .keyLengths = {4, 2}};
    const auto right = compiled("padding & causal", context);
    EXPECT_EQ(right->expression(), "padding & causal");
    EXPECT_EQ(rowCounts(*right, 0), (std::vector<std::int64_t>{1, 2, 3, 4}));
    EXPECT_EQ(rowCounts(*right, 1), (std::vector<std::int64_t>{1, 2, 2, 2}));
    EXPECT_FALSE(right->sameForAllItems());
    EXPECT_TRUE(right->sameForAllHeads());
    EXPECT_EQ(right->reasons(1, 2, 0, 3), bits(MaskReason::Padding, MaskReason::Causal));
    EXPECT_EQ(right->reasons(1, 0, 3, 3), bits(MaskReason::Padding));
    EXPECT_EQ(right->reasons(0, 0, 0, 3), bits(MaskReason::Causal));
    EXPECT_EQ(right->reasons(0, 0, 3, 3), 0);

    context.padSide = PadSide::Left;
    const auto left = compiled("padding & causal", context);
    EXPECT_EQ(rowCounts(*left, 1), (std::vector<std::int64_t>{0, 0, 1, 2}));
    EXPECT_EQ(left->classify(1, 0, 0, 0, 2, 4), BlockClass::AllMasked);
    EXPECT_TRUE(left->plane(1, 0).ranges.size() == 2);
    EXPECT_EQ(rowCounts(*compiled("padding(side=right)", context), 1),
              (std::vector<std::int64_t>{2, 2, 2, 2}));
    EXPECT_EQ(rowCounts(*compiled("padding(lengths=[1, 3])", context), 0),
              (std::vector<std::int64_t>{1, 1, 1, 1}));
}

TEST(CompiledMask, givesEveryWindowOfAShiftedImageItsPlane)
{
    // Two images of four windows.
    const auto mask = compiled("swin(height=4, width=4, window=2, shift=1)",
                               {.items = 8, .heads = 2, .queries = 4, .keys = 4});
    std::vector<std::int64_t> kept;
    for (std::int64_t item = 0; item < 8; ++item) {
        const auto rows = rowCounts(*mask, item, 1);
        kept.push_back(std::accumulate(rows.begin(), rows.end(), std::int64_t{0}));
    }
    EXPECT_EQ(kept, (std::vector<std::int64_t>{16, 8, 8, 4, 16, 8, 8, 4}));
    EXPECT_TRUE(mask->keeps(1, 0, 0, 2)) << "the last column of windows is cut from top to bottom";
    EXPECT_FALSE(mask->keeps(1, 0, 0, 1));
    EXPECT_TRUE(mask->keeps(2, 0, 0, 1)) << "the last row is cut from left to right";
    EXPECT_FALSE(mask->keeps(2, 0, 0, 2));
    EXPECT_TRUE(compiled("swin(height=4, width=4, window=2, shift=0)",
                         {.items = 4, .queries = 4, .keys = 4})
                    ->sameForAllItems());
}

TEST(CompiledMask, computesARuleForTheItemsAndHeadsItNames)
{
    const MaskContext context{.items = 3, .heads = 4, .queries = 6, .keys = 300};
    const auto heads = compiled("rule(i - j < 2 * (h % 2 + 1) and j <= i)", context);
    EXPECT_EQ(rowCounts(*heads, 2, 0), (std::vector<std::int64_t>{1, 2, 2, 2, 2, 2}));
    EXPECT_EQ(rowCounts(*heads, 1, 3), (std::vector<std::int64_t>{1, 2, 3, 4, 4, 4}));
    EXPECT_TRUE(heads->sameForAllItems());
    EXPECT_FALSE(heads->sameForAllHeads());
    EXPECT_EQ(heads->plane(0, 0).ranges.data(), heads->plane(2, 2).ranges.data());
    EXPECT_FALSE(heads->plane(0, 0).isBits);
    const auto items = compiled("rule(j < 290 - b)", context);
    EXPECT_EQ(items->keptInRow(2, 3, 5), 288);
    EXPECT_FALSE(items->sameForAllItems());
    EXPECT_TRUE(items->sameForAllHeads());
    EXPECT_EQ(items->reasons(0, 0, 0, 290), bits(MaskReason::Other));
    EXPECT_TRUE(compiled("rule(b >= 0)", context)->sameForAllItems());
    EXPECT_TRUE(compiled("rule((i + j) % 2)", context)->plane(0, 0).isBits);
}

TEST(CompiledMask, sharesEqualPlanes)
{
    const MaskContext context{
        .items = 4, .heads = 8, .queries = 6, .keys = 6, .keyLengths = {6, 3, 3, 6}};
    const auto padding = compiled("padding", context);
    EXPECT_EQ(padding->plane(1, 0).ranges.data(), padding->plane(2, 7).ranges.data());
    EXPECT_EQ(padding->plane(0, 0).ranges.data(), padding->plane(3, 0).ranges.data());
    EXPECT_NE(padding->plane(0, 0).ranges.data(), padding->plane(1, 0).ranges.data());
    EXPECT_FALSE(padding->sameForAllItems());
    const auto swallowed = compiled("padding | none", context);
    EXPECT_TRUE(swallowed->sameForAllItems());
    const auto causal = compiled("causal", context);
    EXPECT_TRUE(causal->sameForAllItems());
    EXPECT_TRUE(causal->sameForAllHeads());
}

TEST(CompiledMask, namesEveryReason)
{
    const MaskContext context = square(8);
    const auto at = [&](const std::string& expression, std::int64_t query, std::int64_t key) {
        return compiled(expression, context)->reasons(0, 0, query, key);
    };
    EXPECT_EQ(at("causal & window(2)", 4, 6), bits(MaskReason::Causal, MaskReason::Window));
    EXPECT_EQ(at("causal & window(2)", 4, 1), bits(MaskReason::Window));
    EXPECT_EQ(at("causal | window(2)", 4, 6), bits(MaskReason::Causal, MaskReason::Window));
    EXPECT_EQ(at("causal | window(2)", 4, 1), 0);
    EXPECT_EQ(at("~causal", 4, 1), bits(MaskReason::Other));
    EXPECT_EQ(at("~causal", 1, 4), 0);
    EXPECT_EQ(at("~~causal", 1, 4), bits(MaskReason::Causal));
    EXPECT_EQ(at("documents([4, 4]) & prefix(2)", 0, 5),
              bits(MaskReason::Documents, MaskReason::Prefix));
    EXPECT_EQ(at("symmetric(1)", 0, 5), bits(MaskReason::Window));
    EXPECT_EQ(at("sink(1)", 0, 5), bits(MaskReason::Other));
    std::vector<ReasonRun> runs;
    ASSERT_TRUE(compiled("causal & window(2)", context)->reasonsInRow(0, 0, 4, {0, 8}, runs));
    EXPECT_EQ(runs, (std::vector<ReasonRun>{{0, 3, bits(MaskReason::Window)},
                                            {5, 8, bits(MaskReason::Causal, MaskReason::Window)}}));
    EXPECT_EQ(reasonName(MaskReason::Documents), "documents");
    EXPECT_EQ(reasonName(MaskReason::None), "");
}

TEST(CompiledMask, staysLinearForLongTexts)
{
    constexpr std::int64_t length = 100'000;
    const MaskContext context{
        .queries = length, .keys = length, .keyLengths = {70'000}, .padSide = PadSide::Left};
    const auto mask = compiled("causal & window(512) & padding", context);
    const MaskPlane plane = mask->plane(0, 0);
    EXPECT_FALSE(plane.isBits);
    EXPECT_EQ(plane.ranges.size(), 70'000U); // one for each row that keeps anything
    EXPECT_EQ(plane.rowStart.size(), static_cast<std::size_t>(length) + 1);
    EXPECT_TRUE(plane.words.empty());
    EXPECT_EQ(compiled("causal & (sink(4) | window(512))", context)->plane(0, 0).ranges.size(),
              static_cast<std::size_t>(2 * length - 516));

    // Global tokens break a row into one more range each.
    const auto global = compiled("longformer(512, global=[0, 5])", context)->plane(0, 0);
    EXPECT_FALSE(global.isBits);
    EXPECT_LT(global.ranges.size(), static_cast<std::size_t>(3 * length + 1));

    // Nor does a plane for each head, or the reasons of all rows.
    const auto causal = compiled("causal", {.heads = 144, .queries = length, .keys = length});
    EXPECT_EQ(causal->plane(0, 0).ranges.data(), causal->plane(0, 143).ranges.data());
    std::vector<ReasonRun> runs;
    std::size_t all = 0;
    for (std::int64_t query = 0; query < length; ++query) {
        ASSERT_TRUE(mask->reasonsInRow(0, 0, query, {0, length}, runs));
        all += runs.size();
    }
    EXPECT_LT(all, static_cast<std::size_t>(5 * length));

    // Classes do not cost a pass over the rows.
    const auto start = std::chrono::steady_clock::now();
    std::int64_t mixed = 0;
    for (int round = 0; round < 100'000; ++round) {
        mixed += mask->classify(0, 0, 0, round, length - round, 1000) == BlockClass::Mixed ? 1 : 0;
    }
    const auto elapsed = std::chrono::steady_clock::now() - start;
    // Real keys start at 30,000 and the rows of a round reach its first key until 49,999.
    EXPECT_EQ(mixed, 49'999 - 29'000);
    EXPECT_LT(elapsed, std::chrono::seconds(10)); // 10^10 row visits would take longer
}

TEST(CompiledMask, turnsToBitsWhenRangesAreMany)
{
    const auto mask = compiled("strided(2) | ~causal", square(300));
    const MaskPlane plane = mask->plane(0, 0);
    ASSERT_TRUE(plane.isBits);
    EXPECT_EQ(plane.wordsPerRow, 5);
    EXPECT_EQ(plane.words.size(), 1500U);
    EXPECT_TRUE(plane.ranges.empty());
    EXPECT_TRUE(mask->keeps(0, 0, 10, 299));
    EXPECT_FALSE(mask->keeps(0, 0, 10, 7));
    EXPECT_EQ(plane.words[4] >> 44U, 0U) << "bits past the last key are zero";
}

TEST(CompiledMask, refusesWhatDoesNotFit)
{
    struct Row {
        std::string expression;
        MaskContext context;
        Code code;
        std::string part;
    };
    const MaskContext two{.items = 2, .queries = 8, .keys = 8, .keyLengths = {8, 3}};
    const std::vector<Row> rows = {
        {"padding(lengths=[3])", two, Code::InvalidShape,
         "'lengths' has 1 value but the batch has 2"},
        {"padding(lengths=[3, 9])", two, Code::InvalidShape,
         "length is 9 but there are only 8 keys"},
        {"documents([3, 2])", two, Code::InvalidShape, "5 tokens together but there are 8"},
        {"documents([3, 9])", two, Code::InvalidShape, "Take 4 away"},
        {"documents([2147483647, 2147483647])", two, Code::InvalidShape, "4294967294"},
        {"bigbird(block=3, random=[[2], [0]])", two, Code::InvalidShape,
         "'random' has 2 lists but there are 3 blocks of queries"},
        {"groups([0, 0])", two, Code::InvalidShape, "groups(…) has 2 numbers but there are 8"},
        {"blocks([0])", two, Code::InvalidShape, "blocks(…) has 1 number but there are 8 tokens"},
        {"tree([-1, 0], prefix=5)", two, Code::InvalidShape, "the prefix is 6"},
        {"tree([-1, 0])",
         {.queries = 1, .keys = 8},
         Code::InvalidShape,
         "more than there are queries (1)"},
        {"swin(height=4, width=4, window=2, shift=1)", two, Code::InvalidShape, "has 4 tokens"},
        {"swin(height=4, width=4, window=2, shift=1)",
         {.items = 2, .queries = 4, .keys = 4},
         Code::InvalidShape,
         "4 windows"},
        {"causal & rule(i % j == 0)", two, Code::InvalidArgument,
         "divides by zero at b = 0, h = 0, i = 0, j = 0"},
        {"rule(b == 0 || 5 / (j - 300) < 0)",
         {.items = 2, .queries = 2, .keys = 400},
         Code::InvalidArgument,
         "divides by zero at b = 1, h = 0, i = 0, j = 300"},
        {"rule([1, 0][j])", two, Code::InvalidArgument,
         "a number it does not have at b = 0, h = 0, "
         "i = 0, j = 2"},
        {"rule([1, 0][-1])", two, Code::InvalidArgument, "a number it does not have"},
        {"rule(i * i * i < j)", square(1 << 21), Code::InvalidShape, "can grow past 4.6e+18"},
        {"rule(i > j)", square(1 << 20), Code::InvalidShape, "steps for all cells"},
        {"caussal", two, Code::InvalidArgument, "Did you mean"},
        {"none", {.queries = 0, .keys = 5}, Code::InvalidShape, "0 queries"},
        {"none", {.queries = 5, .keys = -1}, Code::InvalidShape, "-1 keys"},
        {"none", {.items = INT64_MAX, .queries = 5, .keys = 1}, Code::InvalidShape, "batch items"},
        {"none", {.items = 1 << 20, .heads = 1 << 20}, Code::InvalidShape, "heads is too large"},
        {"none", {.queries = 1, .keys = 1LL << 40}, Code::InvalidShape, "keys"},
        {"none", {.items = 2, .keys = 4, .keyLengths = {1}}, Code::InvalidShape, "1 lengths for 2"},
        {"none", {.keys = 4, .keyLengths = {0}}, Code::InvalidShape, "length 0"},
        {"none", {.keys = 4, .keyLengths = {5}}, Code::InvalidShape, "length 5"},
        {"strided(2)", square(1 << 18), Code::OutOfMemory, "8.0 GiB"},
    };
    for (const Row& row : rows) {
        const auto mask = compileMask(row.expression, row.context);
        ASSERT_FALSE(mask) << row.expression;
        EXPECT_EQ(mask.error().code, row.code) << describe(mask.error());
        EXPECT_NE(mask.error().message.find(row.part), std::string::npos) << describe(mask.error());
    }
}

TEST(CompiledMask, keepsTheMemoryBudget)
{
    const auto errorOf = [](const std::string& expression, const MaskContext& context,
                            std::int64_t budget, std::int64_t beside = 0) {
        Execution execution;
        execution.memoryBudget = budget;
        const auto mask = compileMask(expression, context, execution, beside);
        return mask ? Error{Code::Internal, "compiled", ""} : mask.error();
    };
    const Error dense = errorOf("strided(16)", square(100000), 50'000'000);
    EXPECT_EQ(dense.code, Code::OutOfMemory);
    EXPECT_NE(dense.message.find("1.2 GiB"), std::string::npos) << dense.message;
    EXPECT_NE(dense.message.find("--memory"), std::string::npos) << dense.message;
    const Error rule = errorOf("rule((i + j) % 2)", square(1 << 17), 50'000'000);
    EXPECT_EQ(rule.code, Code::OutOfMemory);
    EXPECT_NE(rule.message.find("2.0 GiB"), std::string::npos) << rule.message;
    EXPECT_EQ(errorOf("causal", square(1000000), 1000).code, Code::OutOfMemory);
    EXPECT_EQ(errorOf("causal", square(1000), 1 << 20).message, "compiled");
    EXPECT_EQ(errorOf("causal", square(1000), 1 << 20, 1 << 20).code, Code::OutOfMemory);
    // One row: its operands are what is large.
    const MaskContext row{.queries = 1, .keys = 1 << 20};
    EXPECT_EQ(errorOf("strided(2)", row, 1 << 20).code, Code::OutOfMemory);
    EXPECT_EQ(errorOf("causal", row, 1 << 20).message, "compiled");
}

TEST(CompiledMask, countsEveryPlane)
{
    const MaskContext batch{.items = 3, .queries = 1000, .keys = 1000, .keyLengths = {1, 2, 2}};
    const auto two = compiled("padding & strided(2)", batch);
    const auto one = compiled("strided(2)", batch);
    EXPECT_GE(one->bytes(), 1000 * 1000 / 8);
    EXPECT_GT(two->bytes(), 1000 * sizeof(KeyRange) * 2);
    Execution execution;
    execution.memoryBudget = two->bytes() - 1;
    const auto refused = compileMask("padding & strided(2)", batch, execution);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("first 2 planes"), std::string::npos)
        << refused.error().message;
}

TEST(CompiledMask, stops)
{
    std::stop_source stop;
    stop.request_stop();
    const auto mask = compileMask("causal", square(8), {.stop = stop.get_token()});
    ASSERT_FALSE(mask);
    EXPECT_EQ(mask.error().code, Code::Cancelled);
    const auto rule = compileMask("rule(j <= i)", square(8), {.stop = stop.get_token()});
    ASSERT_FALSE(rule);
    EXPECT_EQ(rule.error().code, Code::Cancelled);
}

TEST(CompiledMask, clipsBlocksToThePlane)
{
    const auto mask = compiled("causal", square(8));
    EXPECT_EQ(mask->classify(0, 0, 4, 0, 100, 4), BlockClass::AllKept);
    EXPECT_EQ(mask->classify(0, 0, 0, 4, 4, INT64_MAX), BlockClass::AllMasked);
    EXPECT_EQ(mask->classify(0, 0, 0, 0, INT64_MAX, INT64_MAX), BlockClass::Mixed);
    EXPECT_EQ(mask->classify(0, 0, -3, -3, 4, 4), BlockClass::AllKept); // the first cell is left
    EXPECT_EQ(mask->classify(0, 0, 8, 0, 4, 4), BlockClass::AllMasked);
    EXPECT_EQ(mask->classify(0, 0, 0, 0, 0, 4), BlockClass::AllMasked);
    EXPECT_EQ(mask->classify(0, 0, -4, 0, 4, 4), BlockClass::AllMasked);
}
