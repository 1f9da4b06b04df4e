// Random expressions against an evaluator that knows nothing of ranges, rows or planes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/mask.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <random>

using namespace heed;

namespace {

/// Does item b keep cell (i, j)?
using Rule = std::function<bool(std::int64_t b, std::int64_t i, std::int64_t j)>;

struct Sample {
    std::string text;
    Rule keeps;
};

bool has(const std::vector<std::int64_t>& numbers, std::int64_t number)
{
    return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

std::string list(const std::vector<std::int64_t>& numbers)
{
    std::string text;
    for (const std::int64_t number : numbers) {
        text += (text.empty() ? "" : ",") + std::to_string(number);
    }
    return "[" + text + "]";
}

/// Builds expressions and, beside each, the rule written straight from the documentation.
class Generator {
public:
    Generator(unsigned seed, const MaskContext& context)
        : m_random(seed)
        , m_context(context)
    {
    }

    Sample expression(int depth)
    {
        const int kind = depth == 0 ? 0 : number(0, 4);
        if (kind == 0) {
            return leaf();
        }
        const Sample a = expression(depth - 1);
        if (kind == 1) {
            return {"~(" + a.text + ")", [a](auto b, auto i, auto j) { return !a.keeps(b, i, j); }};
        }
        const Sample c = expression(depth - 1);
        if (kind == 2) {
            return {"(" + a.text + ")|(" + c.text + ")", [a, c](auto b, auto i, auto j) {
                        return a.keeps(b, i, j) || c.keeps(b, i, j);
                    }};
        }
        return {"(" + a.text + ")&(" + c.text + ")",
                [a, c](auto b, auto i, auto j) { return a.keeps(b, i, j) && c.keeps(b, i, j); }};
    }

private:
    int number(int low, int high)
    {
        return std::uniform_int_distribution<int>(low, high)(m_random);
    }

    Sample leaf()
    {
        const int most = static_cast<int>(m_context.keys) + 3;
        const std::int64_t n = number(1, most);
        const std::int64_t m = number(0, most);
        const std::string N = std::to_string(n);
        const std::string M = std::to_string(m);
        switch (number(0, 20)) {
        case 0:
            return {"none", [](auto, auto, auto) { return true; }};
        case 1:
            return {"causal(offset=" + std::to_string(m - n) + ")",
                    [=](auto, auto i, auto j) { return j <= i + m - n; }};
        case 2:
            return {"window(" + N + ")",
                    [=](auto, auto i, auto j) { return 0 <= i - j && i - j < n; }};
        case 3:
            return {"window(left=" + N + ",right=" + M + ")",
                    [=](auto, auto i, auto j) { return -m <= i - j && i - j <= n; }};
        case 4:
            return {"symmetric(" + M + ")",
                    [=](auto, auto i, auto j) { return std::abs(i - j) <= m; }};
        case 5:
            return {"prefix(" + M + ")", [=](auto, auto i, auto j) { return j < m || j <= i; }};
        case 6:
            return {"sink(" + M + ")", [=](auto, auto, auto j) { return j < m; }};
        case 7:
            return {"chunk(" + N + ")",
                    [=](auto, auto i, auto j) { return j <= i && i / n == j / n; }};
        case 8:
            return {"dilated(" + M + "," + N + ")", [=](auto, auto i, auto j) {
                        return i - j >= 0 && (i - j) % n == 0 && (i - j) / n <= m;
                    }};
        case 9:
            return {"strided(" + N + ")", [=](auto, auto i, auto j) {
                        return j <= i && (i - j < n || (i - j) % n == 0);
                    }};
        case 10: {
            const std::int64_t summary = m % (n + 1);
            return {"fixed(" + N + "," + std::to_string(summary) + ")", [=](auto, auto i, auto j) {
                        return j <= i && (i / n == j / n || j % n >= n - summary);
                    }};
        }
        case 11:
            return documents();
        case 12:
            return longformer(m / 2);
        case 13:
            return bigbird(n);
        case 14:
            return groups();
        case 15:
            return blocks();
        case 16:
            return tree();
        case 17:
            return {"rule(i*" + M + "%" + N + "<=j || b && j%2)", [=](auto b, auto i, auto j) {
                        return i * m % n <= j || (b != 0 && j % 2 != 0);
                    }};
        default:
            return padding();
        }
    }

    Sample documents()
    {
        std::vector<std::int64_t> documentOf;
        std::vector<std::int64_t> lengths;
        const std::int64_t positions = std::max(m_context.queries, m_context.keys);
        for (std::int64_t document = 0; static_cast<std::int64_t>(documentOf.size()) < positions;
             ++document) {
            const std::int64_t left = positions - static_cast<std::int64_t>(documentOf.size());
            const std::int64_t length = number(1, static_cast<int>(left));
            documentOf.insert(documentOf.end(), static_cast<std::size_t>(length), document);
            lengths.push_back(length);
        }
        return {"documents(" + list(lengths) + ")", [documentOf](auto, auto i, auto j) {
                    return documentOf[static_cast<std::size_t>(i)] ==
                           documentOf[static_cast<std::size_t>(j)];
                }};
    }

    std::vector<std::int64_t> someNumbers(int most)
    {
        std::vector<std::int64_t> numbers(static_cast<std::size_t>(number(1, 3)));
        for (std::int64_t& one : numbers) {
            one = number(0, most);
        }
        return numbers;
    }

    Sample longformer(std::int64_t half)
    {
        const auto global = someNumbers(static_cast<int>(m_context.keys));
        return {"longformer(" + std::to_string(2 * half) + ",global=" + list(global) + ")",
                [=](auto, auto i, auto j) {
                    return std::abs(i - j) <= half || has(global, i) || has(global, j);
                }};
    }

    Sample bigbird(std::int64_t block)
    {
        const std::int64_t blocks = (m_context.queries + block - 1) / block;
        const auto global = someNumbers(static_cast<int>(m_context.keys));
        std::vector<std::vector<std::int64_t>> random;
        std::string lists;
        for (std::int64_t row = 0; row < blocks; ++row) {
            random.push_back(number(0, 2) == 0 ? std::vector<std::int64_t>{}
                                               : someNumbers(static_cast<int>(blocks)));
            lists += (lists.empty() ? "" : ",") + list(random.back());
        }
        return {"bigbird(block=" + std::to_string(block) + ",global=" + list(global) + ",random=[" +
                    lists + "])",
                [=](auto, auto i, auto j) {
                    return std::abs(i / block - j / block) <= 1 || has(global, i / block) ||
                           has(global, j / block) ||
                           has(random[static_cast<std::size_t>(i / block)], j / block);
                }};
    }

    std::vector<std::int64_t> aNumberEach(int low, int high)
    {
        std::vector<std::int64_t> numbers(
            static_cast<std::size_t>(std::max(m_context.queries, m_context.keys)));
        for (std::int64_t& one : numbers) {
            one = number(low, high);
        }
        return numbers;
    }

    Sample groups()
    {
        const auto ids = aNumberEach(-1, 2);
        return {"groups(" + list(ids) + ")", [=](auto, auto i, auto j) {
                    const std::int64_t id = ids[static_cast<std::size_t>(i)];
                    return id >= 0 && id == ids[static_cast<std::size_t>(j)];
                }};
    }

    Sample blocks()
    {
        const auto starts = aNumberEach(0, 1);
        return {"blocks(" + list(starts) + ")", [=](auto, auto i, auto j) {
                    const auto begin = starts.begin() + 1; // the first entry shifts all alike
                    return j == 0 || std::accumulate(begin, begin + j, 0) <=
                                         (i == 0 ? 0 : std::accumulate(begin, begin + i, 0));
                }};
    }

    Sample tree()
    {
        const std::int64_t nodes =
            number(1, static_cast<int>(std::min(m_context.queries, m_context.keys)));
        std::vector<std::int64_t> parents;
        for (int node = 0; node < nodes; ++node) { // a chain now and then
            parents.push_back(number(0, 1) == 0 ? node - 1 : number(-1, node - 1));
        }
        const std::int64_t prefix = m_context.keys - nodes;
        const std::int64_t first = m_context.queries - nodes;
        return {"tree(" + list(parents) + ",prefix=" + std::to_string(prefix) + ")",
                [=](auto, auto i, auto j) {
                    if (i < first) {
                        return j - prefix <= i - first;
                    }
                    std::int64_t node = i - first;
                    while (node >= 0 && node != j - prefix) {
                        node = parents[static_cast<std::size_t>(node)];
                    }
                    return j < prefix || node >= 0;
                }};
    }

    Sample padding()
    {
        std::vector<std::int64_t> lengths = m_context.keyLengths;
        bool isLeft = m_context.padSide == PadSide::Left;
        std::string text = "padding";
        if (number(0, 1) == 1) {
            isLeft = number(0, 1) == 1;
            for (std::int64_t& length : lengths) {
                length = number(0, static_cast<int>(m_context.keys));
            }
            text += std::string("(side=") + (isLeft ? "left" : "right") +
                    ",lengths=" + list(lengths) + ")";
        }
        return {text, [lengths, isLeft, keys = m_context.keys](auto b, auto, auto j) {
                    const std::int64_t length = lengths[static_cast<std::size_t>(b)];
                    return isLeft ? j >= keys - length : j < length;
                }};
    }

    std::mt19937 m_random;
    const MaskContext& m_context;
};

void checkStorage(const MaskPlane& plane, std::int64_t item, const Rule& keeps)
{
    for (std::int64_t i = 0; i < plane.queries; ++i) {
        if (plane.isBits) {
            for (std::int64_t j = 0; j < plane.wordsPerRow * 64; ++j) {
                const std::uint64_t word =
                    plane.words[static_cast<std::size_t>(i * plane.wordsPerRow + j / 64)];
                ASSERT_EQ((word >> static_cast<unsigned>(j % 64)) & 1U,
                          j < plane.keys && keeps(item, i, j) ? 1U : 0U);
            }
            continue;
        }
        std::vector<KeyRange> expected;
        for (std::int64_t j = 0; j < plane.keys; ++j) {
            if (!keeps(item, i, j)) {
                continue;
            }
            if (!expected.empty() && expected.back().end == j) {
                ++expected.back().end;
            } else {
                expected.push_back(
                    {static_cast<std::int32_t>(j), static_cast<std::int32_t>(j + 1)});
            }
        }
        const std::int64_t begin = plane.rowStart[static_cast<std::size_t>(i)];
        const std::int64_t end = plane.rowStart[static_cast<std::size_t>(i) + 1];
        ASSERT_EQ(std::vector<KeyRange>(plane.ranges.begin() + begin, plane.ranges.begin() + end),
                  expected);
    }
}

BlockClass bruteClass(const Rule& keeps, std::int64_t item, std::int64_t row, std::int64_t column,
                      std::int64_t rowEnd, std::int64_t columnEnd)
{
    bool kept = false;
    bool masked = false;
    for (std::int64_t i = row; i < rowEnd; ++i) {
        for (std::int64_t j = column; j < columnEnd; ++j) {
            (keeps(item, i, j) ? kept : masked) = true;
        }
    }
    return kept && masked ? BlockClass::Mixed
                          : (kept ? BlockClass::AllKept : BlockClass::AllMasked);
}

/// reasonsInRow() of @p keys of every row against reasons() of the cells.
void checkReasons(const CompiledMask& mask, std::int64_t item, std::int64_t head, KeyRange keys)
{
    std::vector<ReasonRun> runs = {{0, 1, 255}}; // must be replaced
    for (std::int64_t i = 0; i < mask.context().queries; ++i) {
        std::vector<ReasonRun> expected;
        for (std::int32_t j = keys.begin; j < keys.end; ++j) {
            const MaskReasons reasons = mask.reasons(item, head, i, j);
            if (reasons == 0) {
                continue;
            }
            if (!expected.empty() && expected.back().end == j &&
                expected.back().reasons == reasons) {
                ++expected.back().end;
            } else {
                expected.push_back({j, j + 1, reasons});
            }
        }
        ASSERT_TRUE(mask.reasonsInRow(item, head, i, keys, runs));
        ASSERT_EQ(runs, expected) << "row " << i;
    }
}

void checkMask(const Sample& sample, const MaskContext& context, std::mt19937& random)
{
    SCOPED_TRACE(sample.text);
    const auto result = compileMask(sample.text, context);
    ASSERT_TRUE(result) << describe(result.error());
    const CompiledMask& mask = **result;
    const auto again = compileMask(mask.expression(), context);
    ASSERT_TRUE(again) << mask.expression() << ": " << describe(again.error());
    EXPECT_EQ((*again)->expression(), mask.expression());
    const auto below = [&random](std::int64_t end) {
        return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random);
    };
    for (std::int64_t item = 0; item < context.items; ++item) {
        checkStorage(mask.plane(item, 0), item, sample.keeps);
        checkStorage((*again)->plane(item, context.heads - 1), item, sample.keeps);
        for (std::int64_t i = 0; i < context.queries; ++i) {
            std::int64_t kept = 0;
            for (std::int64_t j = 0; j < context.keys; ++j) {
                const bool keeps = sample.keeps(item, i, j);
                kept += keeps ? 1 : 0;
                ASSERT_EQ(mask.keeps(item, 0, i, j), keeps) << i << ", " << j;
                ASSERT_EQ(mask.reasons(item, 0, i, j) == 0, keeps) << i << ", " << j;
            }
            ASSERT_EQ(mask.keptInRow(item, 0, i), kept);
        }
        const auto keys = static_cast<std::int32_t>(context.keys);
        const auto begin = static_cast<std::int32_t>(below(keys));
        const auto end = begin + 1 + static_cast<std::int32_t>(below(keys - begin));
        checkReasons(mask, item, context.heads - 1, {0, keys});
        checkReasons(mask, item, context.heads - 1, {begin, end});
        for (int block = 0; block < 60; ++block) {
            const std::int64_t row = below(context.queries);
            const std::int64_t column = below(context.keys);
            const std::int64_t rows = below(context.queries - row) + 1;
            const std::int64_t columns = below(context.keys - column) + 1;
            ASSERT_EQ(mask.classify(item, 0, row, column, rows, columns),
                      bruteClass(sample.keeps, item, row, column, row + rows, column + columns))
                << row << "+" << rows << ", " << column << "+" << columns;
        }
    }
}

void checkMany(MaskContext context, unsigned firstSeed, int count)
{
    for (int round = 0; round < count; ++round) {
        const unsigned seed = firstSeed + static_cast<unsigned>(round);
        context.padSide = round % 2 == 0 ? PadSide::Right : PadSide::Left;
        std::mt19937 random(seed);
        checkMask(Generator(seed, context).expression(round % 5), context, random);
        if (testing::Test::HasFatalFailure()) {
            FAIL() << "seed " << seed;
        }
    }
}

} // namespace

TEST(MaskProperties, squareMasks)
{
    checkMany({.items = 2, .heads = 2, .queries = 9, .keys = 9, .keyLengths = {9, 4}}, 1, 400);
}

TEST(MaskProperties, moreKeysThanQueries)
{
    checkMany({.items = 2, .heads = 1, .queries = 5, .keys = 12, .keyLengths = {7, 12}}, 1001, 300);
}

TEST(MaskProperties, moreQueriesThanKeys)
{
    checkMany({.items = 1, .heads = 3, .queries = 21, .keys = 6, .keyLengths = {5}}, 2001, 300);
}

TEST(MaskProperties, masksOfSeveralWordsAndTiles)
{
    checkMany({.items = 1, .heads = 1, .queries = 140, .keys = 131, .keyLengths = {100}}, 3001,
              100);
}

TEST(MaskProperties, shiftedWindows)
{
    // Straight from the library: regions of the rolled image, cut at -window and -shift.
    for (const auto& [height, width, window, shift] :
         {std::array{3, 3, 3, 1}, std::array{6, 9, 3, 2}, std::array{16, 8, 8, 4},
          std::array{4, 4, 4, 0}, std::array{9, 6, 3, 0}}) {
        const auto regionOf = [window = window, shift = shift](int line, int lines) {
            return line < lines - window ? 0 : line < lines - shift ? 1 : 2;
        };
        std::vector<int> regions; // of the tokens, window by window
        for (int top = 0; top < height; top += window) {
            for (int left = 0; left < width; left += window) {
                for (int token = 0; token < window * window; ++token) {
                    regions.push_back(regionOf(top + token / window, height) * 3 +
                                      regionOf(left + token % window, width));
                }
            }
        }
        const std::int64_t tokens = window * window;
        const MaskContext context{.items = height / window * (width / window) * 2,
                                  .heads = 2,
                                  .queries = tokens,
                                  .keys = tokens};
        std::mt19937 random(1);
        checkMask({"swin(" + std::to_string(height) + "," + std::to_string(width) + "," +
                       std::to_string(window) + "," + std::to_string(shift) + ")",
                   [&](auto item, auto i, auto j) {
                       const std::size_t image = regions.size();
                       const auto at = [&](std::int64_t token) {
                           return regions[static_cast<std::size_t>(item * tokens + token) % image];
                       };
                       return at(i) == at(j);
                   }},
                  context, random);
    }
}

TEST(MaskProperties, oneToken)
{
    checkMany({.items = 1, .heads = 1, .queries = 1, .keys = 1, .keyLengths = {1}}, 4001, 200);
}
