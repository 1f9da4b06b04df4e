// Recognising masks: check values of the families, random masks, single wrong cells, odd shapes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/maskrecognition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

using namespace heed;

namespace {

/// A mask given cell by cell, as one that was read from elsewhere.
class DrawnMask final : public CompiledMask {
public:
    explicit DrawnMask(MaskContext context)
        : m_context(std::move(context))
        , m_wordsPerRow((m_context.keys + 63) / 64)
        , m_words(at(m_context.items * m_context.heads),
                  std::vector<std::uint64_t>(at(m_context.queries * m_wordsPerRow)))
    {
    }
    explicit DrawnMask(const CompiledMask& mask)
        : DrawnMask(mask.context())
    {
        forEachCell([&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
            if (mask.keeps(b, h, i, j)) {
                flip(b, h, i, j);
            }
        });
    }

    void flip(std::int64_t item, std::int64_t head, std::int64_t query, std::int64_t key)
    {
        m_words[at(item * m_context.heads + head)][at(query * m_wordsPerRow + key / 64)] ^=
            std::uint64_t{1} << static_cast<unsigned>(key % 64);
    }

    template <typename Visit>
    void forEachCell(const Visit& visit) const
    {
        for (std::int64_t b = 0; b < m_context.items; ++b) {
            for (std::int64_t h = 0; h < m_context.heads; ++h) {
                for (std::int64_t i = 0; i < m_context.queries; ++i) {
                    for (std::int64_t j = 0; j < m_context.keys; ++j) {
                        visit(b, h, i, j);
                    }
                }
            }
        }
    }

    const MaskContext& context() const override { return m_context; }
    const std::string& expression() const override { return m_expression; }
    MaskPlane plane(std::int64_t item, std::int64_t head) const override
    {
        MaskPlane plane;
        plane.queries = m_context.queries;
        plane.keys = m_context.keys;
        plane.isBits = true;
        plane.words = m_words[at(item * m_context.heads + head)];
        plane.wordsPerRow = m_wordsPerRow;
        return plane;
    }
    bool keeps(std::int64_t item, std::int64_t head, std::int64_t query,
               std::int64_t key) const override
    {
        const auto word =
            m_words[at(item * m_context.heads + head)][at(query * m_wordsPerRow + key / 64)];
        return ((word >> static_cast<unsigned>(key % 64)) & 1U) != 0;
    }
    MaskReasons reasons(std::int64_t, std::int64_t, std::int64_t, std::int64_t) const override
    {
        return 0;
    }
    Expected<void> reasonsInRow(std::int64_t, std::int64_t, std::int64_t, KeyRange,
                                std::vector<ReasonRun>&) const override
    {
        return {};
    }
    std::int64_t keptInRow(std::int64_t, std::int64_t, std::int64_t) const override { return 0; }
    BlockClass classify(std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                        std::int64_t) const override
    {
        return BlockClass::Mixed;
    }
    std::int64_t bytes() const override { return 0; }
    bool sameForAllItems() const override { return m_context.items == 1; }
    bool sameForAllHeads() const override { return m_context.heads == 1; }

private:
    static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

    MaskContext m_context;
    std::int64_t m_wordsPerRow;
    std::vector<std::vector<std::uint64_t>> m_words;
    std::string m_expression;
};

MaskPtr compiled(const std::string& expression, const MaskContext& context)
{
    auto mask = compileMask(expression, context);
    EXPECT_TRUE(mask) << expression << ": " << describe(mask.error());
    return mask.value_or(nullptr);
}

std::vector<MaskExplanation> recognised(const CompiledMask& mask)
{
    auto explanations = recogniseMask(mask);
    EXPECT_TRUE(explanations) << describe(explanations.error());
    return explanations.value_or(std::vector<MaskExplanation>{});
}

std::vector<std::string> expressionsOf(const std::vector<MaskExplanation>& explanations)
{
    std::vector<std::string> list;
    for (const MaskExplanation& explanation : explanations) {
        list.push_back(explanation.expression);
    }
    return list;
}

std::string listed(const std::vector<MaskExplanation>& explanations)
{
    std::string text;
    for (const MaskExplanation& one : explanations) {
        text += one.expression + " +" + std::to_string(one.extra) + " -" +
                std::to_string(one.missing) + "\n";
    }
    return text;
}

std::vector<MaskCell> differences(const CompiledMask& a, const CompiledMask& b)
{
    std::vector<MaskCell> cells;
    DrawnMask(a).forEachCell([&](std::int64_t i, std::int64_t h, std::int64_t q, std::int64_t k) {
        if (a.keeps(i, h, q, k) != b.keeps(i, h, q, k)) {
            cells.push_back({i, h, q, k});
        }
    });
    return cells;
}

std::int64_t keptCells(const DrawnMask& mask)
{
    std::int64_t kept = 0;
    mask.forEachCell([&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
        kept += mask.keeps(b, h, i, j) ? 1 : 0;
    });
    return kept;
}

/// What each explanation says of itself is true.
void checkClaims(const CompiledMask& mask, const std::vector<MaskExplanation>& explanations)
{
    ASSERT_FALSE(explanations.empty());
    for (const MaskExplanation& one : explanations) {
        const auto other = compiled(one.expression, mask.context());
        ASSERT_TRUE(other);
        EXPECT_EQ(other->expression(), one.expression);
        auto cells = differences(mask, *other);
        ASSERT_EQ(one.extra + one.missing, static_cast<std::int64_t>(cells.size()))
            << one.expression;
        const auto extra = std::count_if(cells.begin(), cells.end(), [&](const MaskCell& cell) {
            return mask.keeps(cell.item, cell.head, cell.query, cell.key);
        });
        EXPECT_EQ(one.extra, extra);
        cells.resize(std::min<std::size_t>(cells.size(), 100));
        EXPECT_EQ(one.firstCells, cells);
    }
}

void checkExplained(const std::string& expression, const MaskContext& context)
{
    const auto mask = compiled(expression, context);
    ASSERT_TRUE(mask);
    const auto explanations = recognised(*mask);
    checkClaims(*mask, explanations);
    EXPECT_TRUE(explanations.front().isExact())
        << expression << " of " << context.queries << " × " << context.keys << "\n"
        << listed(explanations);
}

class Generator {
public:
    explicit Generator(unsigned seed)
        : m_random(seed)
    {
    }
    std::int64_t number(std::int64_t low, std::int64_t high)
    {
        return low + static_cast<std::int64_t>(m_random()) % (high - low + 1);
    }
    std::string text(std::int64_t low, std::int64_t high)
    {
        return std::to_string(number(low, high));
    }

    static constexpr std::int64_t families = 23;
    static constexpr std::int64_t ofNumbers = 17; ///< the first; the others are lists
    std::string family(std::int64_t which, const MaskContext& context)
    {
        const std::int64_t most = std::max(context.queries, context.keys);
        switch (which) {
        case 0:
            return "none";
        case 1:
            return "causal";
        case 2:
            return "causal(offset=" + text(-context.queries, context.keys) + ")";
        case 3:
            return "window(" + text(1, most + 1) + ")";
        case 4:
            return "window(left=" + text(0, most) + ", right=" + text(0, most) + ")";
        case 5:
            return "symmetric(" + text(0, most) + ")";
        case 6:
            return documents(context);
        case 7:
            return "causal & " + documents(context);
        case 8:
            return "prefix(" + text(0, most) + ")";
        case 9:
            return "sink(" + text(0, most) + ")";
        case 10:
            return "causal & (sink(" + text(0, 5) + ") | window(" + text(1, most) + "))";
        case 11:
            return "chunk(" + text(1, most) + ")";
        case 12:
            return "dilated(" + text(0, 5) + ", " + text(1, 5) + ")";
        case 13:
            return "strided(" + text(1, most) + ")";
        case 14: {
            const std::int64_t block = number(1, most);
            return "fixed(" + std::to_string(block) + ", " + text(0, block) + ")";
        }
        case 15:
            return padding(context);
        case 16:
            return "longformer(" + std::to_string(2 * number(0, most / 4)) + ", global=[" +
                   text(0, most / 2) + ", " + text(most / 2 + 1, most) + "])";
        case 17:
            return "causal | groups([" + numbers(most, -1, most / 3) + "])";
        case 18:
            return "groups([" + numbers(most, -1, most / 3) + "])";
        case 19:
            return "blocks([" + numbers(most, 0, 1) + "])";
        case 20: {
            std::string parents = "-1";
            const std::int64_t nodes = number(1, std::min(context.queries, context.keys));
            for (std::int64_t node = 1; node < nodes; ++node) {
                parents += ", " + text(-1, node - 1);
            }
            return "tree([" + parents + "])";
        }
        case 21:
            return bigBird(context);
        default:
            return "causal & " + window(context);
        }
    }

    std::string numbers(std::int64_t count, std::int64_t low, std::int64_t high)
    {
        std::string list = text(low, high);
        for (std::int64_t i = 1; i < count; ++i) {
            list += ", " + text(low, high);
        }
        return list;
    }

    /// Of blocks of several tokens, two random ones for each.
    std::string bigBird(const MaskContext& context)
    {
        const std::int64_t size = number(2, 4);
        const std::int64_t keyBlocks = (context.keys + size - 1) / size;
        std::string random;
        for (std::int64_t query = 0; query < context.queries; query += size) {
            random += (random.empty() ? "[" : ", [") + numbers(2, 0, keyBlocks - 1) + "]";
        }
        return "bigbird(block=" + std::to_string(size) + ", global=[" + text(0, keyBlocks) +
               "], random=[" + random + "])";
    }

    std::string window(const MaskContext& context) { return family(number(3, 5), context); }

    std::string documents(const MaskContext& context)
    {
        std::string list;
        std::int64_t rest = std::max(context.queries, context.keys);
        while (rest > 0) {
            const std::int64_t length = number(1, rest);
            list += (list.empty() ? "" : ", ") + std::to_string(length);
            rest -= length;
        }
        return "documents([" + list + "])";
    }

    std::string padding(const MaskContext& context)
    {
        std::string list;
        for (std::int64_t item = 0; item < context.items; ++item) {
            list += (list.empty() ? "" : ", ") + text(0, context.keys);
        }
        return std::string("padding(side=") + (number(0, 1) == 0 ? "left" : "right") +
               ", lengths=[" + list + "])";
    }

    /// Two or three of padding, causal, window and documents.
    std::string conjunction(const MaskContext& context)
    {
        std::vector<std::string> parts = {padding(context), family(number(1, 2), context),
                                          window(context), documents(context)};
        for (std::size_t left = parts.size(); left > 2; --left) {
            parts.erase(parts.begin() + number(0, static_cast<std::int64_t>(left) - 1));
            if (number(0, 1) == 0 && left == 4) {
                break;
            }
        }
        std::string text = parts.front();
        for (std::size_t p = 1; p < parts.size(); ++p) {
            text += " & " + parts[p];
        }
        return text;
    }

private:
    std::mt19937 m_random;
};

} // namespace

TEST(MaskRecognition, namesTheFamiliesOfTheReference)
{
    struct Row {
        std::string expression;
        std::int64_t queries;
        std::int64_t keys;
        std::string first;
    };
    const std::vector<Row> rows = {
        {"none", 8, 8, "none"},
        {"padding(lengths=[5])", 8, 8, "padding(side=right, lengths=[5])"},
        {"padding(side=left, lengths=[5])", 8, 8, "padding(side=left, lengths=[5])"},
        {"causal", 8, 8, "causal"},
        {"causal(offset=5)", 3, 8, "causal(offset=5)"},
        {"causal(offset=-3)", 5, 2, "causal(offset=-3)"},
        {"window(3)", 8, 8, "window(3)"},
        {"window(left=3, right=0)", 8, 8, "window(4)"},
        {"symmetric(3)", 8, 8, "symmetric(3)"},
        {"symmetric(2)", 8, 8, "symmetric(2)"},
        {"dilated(2, 2)", 8, 8, "dilated(2, 2)"},
        {"strided(3)", 8, 8, "strided(3)"},
        {"fixed(4, 1)", 8, 8, "fixed(4, 1)"},
        {"causal & documents([3, 2, 3])", 8, 8, "causal & documents([3, 2, 3])"},
        {"documents([3, 2, 3])", 8, 8, "documents([3, 2, 3])"},
        {"prefix(3)", 8, 8, "prefix(3)"},
        {"causal & (sink(2) | window(3))", 8, 8, "causal & (sink(2) | window(3))"},
        {"chunk(3)", 8, 8, "chunk(3)"},
        {"longformer(2, global=[0])", 8, 8, "longformer(2, global=[0])"},
        {"bigbird(block=1, global=[0, 7])", 8, 8, "longformer(2, global=[0, 7])"},
        {"bigbird(block=2, global=[0], random=[[], [4], [5], [1], [2], [3]])", 12, 12,
         "bigbird(block=2, global=[0], random=[[], [4], [5], [1], [2], [3]])"},
        {"bigbird(block=1, random=[[3], [4], [5], [0], [0], [0]])", 6, 6,
         "bigbird(block=1, random=[[3], [4], [5], [0], [0], [0]])"},
        {"causal | groups([-1, -1, 0, 0, -1, 1, 1, -1])", 8, 8,
         "blocks([0, 1, 1, 0, 1, 1, 0, 1])"}, // the same mask; that it is both is seen below

        {"(causal | groups([-1, -1, 0, 0, 0, 0, 0, -1])) & symmetric(2)", 8, 8,
         "(causal | groups([-1, -1, 0, 0, 0, 0, 0, -1])) & symmetric(2)"},
        {"groups([0, 1, 0, -1, 1, 0])", 6, 6, "groups([0, 1, 0, -1, 1, 0])"},
        {"blocks([0, 0, 0, 1, 0, 1, 1, 0])", 8, 8, "blocks([0, 0, 0, 1, 0, 1, 1, 0])"},
        {"tree([-1, 0, 0, 1, 1, 2])", 6, 6, "tree([-1, 0, 0, 1, 1, 2])"},
        {"tree([-1, 0, 0, 1, 1, 2])", 6, 9, "tree([-1, 0, 0, 1, 1, 2])"},
        {"tree([-1, 0, 0, 1])", 7, 9, "tree([-1, 0, 0, 1])"},
        {"padding(lengths=[4])", 3, 6, "padding(side=right, lengths=[4])"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.expression);
        const auto mask = compiled(row.expression, {.queries = row.queries, .keys = row.keys});
        const auto explanations = recognised(*mask);
        checkClaims(*mask, explanations);
        ASSERT_FALSE(explanations.empty());
        EXPECT_EQ(explanations.front().expression, row.first);
        EXPECT_TRUE(explanations.front().isExact());
    }
}

TEST(MaskRecognition, listsAllThatFit)
{
    const MaskContext square = {.queries = 8, .keys = 8};
    EXPECT_EQ(expressionsOf(recognised(*compiled("causal", square))),
              (std::vector<std::string>{"causal", "window(8)", "chunk(8)"}));
    EXPECT_EQ(expressionsOf(recognised(*compiled("chunk(3)", square))),
              (std::vector<std::string>{"chunk(3)", "causal & documents([3, 3, 2])"}));
    EXPECT_EQ(expressionsOf(
                  recognised(*compiled("causal | groups([-1, -1, 0, 0, -1, 1, 1, -1])", square))),
              (std::vector<std::string>{"blocks([0, 1, 1, 0, 1, 1, 0, 1])",
                                        "causal | groups([-1, -1, 0, 0, -1, 1, 1, -1])"}));
    EXPECT_EQ(expressionsOf(recognised(*compiled("none", square))),
              (std::vector<std::string>{"none", "symmetric(7)", "prefix(8)", "sink(8)",
                                        "documents([8])"}));
}

TEST(MaskRecognition, findsThePaddingOfEachItem)
{
    const MaskContext context = {.items = 3, .heads = 2, .queries = 6, .keys = 8};
    EXPECT_EQ(
        recognised(*compiled("padding(side=left, lengths=[5, 8, 0]) & causal(offset=2)", context))
            .front()
            .expression,
        "padding(side=left, lengths=[5, 8, 0]) & causal(offset=2)");
    // The second item is not padded: its keys end where causal ends them.
    EXPECT_EQ(
        recognised(*compiled("padding(lengths=[4, 8, 1]) & causal", context)).front().expression,
        "padding(side=right, lengths=[4, 8, 1]) & causal");
}

TEST(MaskRecognition, findsTheWindowsOfAnImage)
{
    const MaskContext context = {.items = 12, .heads = 2, .queries = 9, .keys = 9};
    const std::string expression = "swin(height=6, width=9, window=3, shift=1)";
    EXPECT_EQ(recognised(*compiled(expression, context)).front().expression, expression);
}

TEST(MaskRecognition, seesTheWrongPolarity)
{
    const MaskContext context = {.items = 2, .queries = 7, .keys = 7};
    EXPECT_EQ(recognised(*compiled("~(causal & documents([3, 4]))", context)).front().expression,
              "~(causal & documents([3, 4]))");
    EXPECT_EQ(recognised(*compiled("~causal", context)).front().expression, "~causal");
    const auto padding = expressionsOf(recognised(*compiled("~padding(lengths=[3, 5])", context)));
    EXPECT_NE(std::find(padding.begin(), padding.end(), "~padding(side=right, lengths=[3, 5])"),
              padding.end());
}

TEST(MaskRecognition, explainsEveryFamily)
{
    for (unsigned seed = 0; seed < 1700; ++seed) {
        Generator random(seed);
        const MaskContext context = {.items = random.number(1, 2),
                                     .heads = random.number(1, 2),
                                     .queries = random.number(1, 40),
                                     .keys = random.number(1, 40)};
        checkExplained(random.family(seed % Generator::families, context), context);
        ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
}

TEST(MaskRecognition, explainsPaddedFamiliesAndConjunctions)
{
    for (unsigned seed = 0; seed < 1500; ++seed) {
        Generator random(seed);
        const MaskContext context = {.items = random.number(1, 3),
                                     .queries = random.number(1, 40),
                                     .keys = random.number(1, 40)};
        checkExplained(random.conjunction(context), context);
        ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
}

TEST(MaskRecognition, explainsComplements)
{
    for (unsigned seed = 0; seed < 500; ++seed) {
        Generator random(seed);
        const MaskContext context = {.queries = random.number(1, 24), .keys = random.number(1, 24)};
        checkExplained("~(" + random.family(seed % Generator::families, context) + ")", context);
        ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
}

TEST(MaskRecognition, findsTheOneWrongCell)
{
    int near = 0;
    for (unsigned seed = 0; seed < 800; ++seed) {
        Generator random(seed);
        const MaskContext context = {.items = random.number(1, 2),
                                     .queries = random.number(4, 24),
                                     .keys = random.number(4, 24)};
        const std::string expression = seed % 2 == 0
                                           ? random.family(seed / 2 % Generator::ofNumbers, context)
                                           : random.conjunction(context);
        SCOPED_TRACE(expression + ", seed " + std::to_string(seed));
        DrawnMask mask(*compiled(expression, context));
        if (keptCells(mask) < context.items * (context.queries + context.keys)) {
            continue; // too little is left of it to tell which cell is wrong
        }
        const MaskCell cell = {random.number(0, context.items - 1), 0,
                               random.number(0, context.queries - 1),
                               random.number(0, context.keys - 1)};
        mask.flip(cell.item, cell.head, cell.query, cell.key);
        const auto explanations = recognised(mask);
        checkClaims(mask, explanations);
        if (explanations.front().isExact()) {
            continue; // one cell more makes another family of it
        }
        ++near;
        EXPECT_LE(explanations.size(), 3U);
        EXPECT_EQ(explanations.front().extra + explanations.front().missing, 1)
            << context.queries << " × " << context.keys << ", " << cell.query << ", " << cell.key
            << "\n"
            << listed(explanations);
    }
    EXPECT_GT(near, 400);
}

TEST(MaskRecognition, explainsOddShapes)
{
    for (const auto& [queries, keys] :
         {std::pair<std::int64_t, std::int64_t>{1, 1}, {1, 8}, {8, 1}, {2, 5}, {5, 2}, {70, 130}}) {
        const MaskContext context = {.items = 2, .queries = queries, .keys = keys};
        for (const char* expression : {"none", "~none", "causal", "padding(lengths=[1, 0])"}) {
            checkExplained(expression, context);
        }
    }
    // One token of a cached sequence: everything, and the last row of causal.
    const auto step = expressionsOf(recognised(*compiled("none", {.queries = 1, .keys = 8})));
    EXPECT_EQ(step.front(), "none");
    EXPECT_NE(std::find(step.begin(), step.end(), "causal(offset=7)"), step.end());

    DrawnMask single({.queries = 6, .keys = 6});
    single.flip(0, 0, 3, 4);
    checkClaims(single, recognised(single));
    DrawnMask row({.queries = 6, .keys = 6});
    DrawnMask column({.queries = 6, .keys = 6});
    for (std::int64_t k = 0; k < 6; ++k) {
        row.flip(0, 0, 2, k);
        column.flip(0, 0, k, 2);
    }
    checkClaims(row, recognised(row));
    const auto explanations = recognised(column);
    checkClaims(column, explanations);
    EXPECT_TRUE(explanations.front().isExact()); // padded at both ends
}

TEST(MaskRecognition, tellsHeadsThatDisagree)
{
    DrawnMask mask(*compiled("causal", {.items = 2, .heads = 3, .queries = 9, .keys = 9}));
    mask.flip(1, 2, 4, 0);
    const auto explanations = recognised(mask);
    checkClaims(mask, explanations);
    EXPECT_EQ(explanations.front().expression, "causal");
    EXPECT_EQ(explanations.front().missing, 1);
    EXPECT_EQ(explanations.front().firstCells, (std::vector<MaskCell>{{1, 2, 4, 0}}));
}

TEST(MaskRecognition, neverSaysNothing)
{
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        DrawnMask mask({.items = 2, .heads = 2, .queries = 13, .keys = 17});
        mask.forEachCell([&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
            if (random() % 2 == 0) {
                mask.flip(b, h, i, j);
            }
        });
        const auto explanations = recognised(mask);
        checkClaims(mask, explanations);
        EXPECT_LE(explanations.size(), 3U);
        EXPECT_TRUE(std::is_sorted(explanations.begin(), explanations.end(),
                                   [](const auto& a, const auto& b) {
                                       return a.extra + a.missing < b.extra + b.missing;
                                   }));
    }
}

TEST(MaskRecognition, readsLongMasksByTheirRanges)
{
    const MaskContext context = {.queries = 100'000, .keys = 100'000};
    const auto explanations = recognised(*compiled("causal & window(512)", context));
    ASSERT_FALSE(explanations.empty());
    EXPECT_EQ(explanations.front().expression, "window(512)");
    EXPECT_TRUE(explanations.front().isExact());
}

TEST(MaskRecognition, stopsWhenAsked)
{
    std::stop_source stop;
    stop.request_stop();
    const auto mask = compiled("causal", {.queries = 8, .keys = 8});
    const auto explanations = recogniseMask(*mask, {.stop = stop.get_token()});
    ASSERT_FALSE(explanations);
    EXPECT_EQ(explanations.error().code, Code::Cancelled);
}
