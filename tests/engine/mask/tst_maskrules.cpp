// Random rules against an evaluator of trees that stops at the first side that decides.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/mask.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <random>

using namespace heed;

namespace {

struct Cell {
    std::int64_t b, h, i, j, L, S;
};

/// Nothing where the rule has no number.
using Number = std::optional<std::int64_t>;
using Rule = std::function<Number(const Cell&)>;

struct Sample {
    std::string text;
    Rule value;
};

std::int64_t roundedDown(std::int64_t a, std::int64_t b)
{
    const std::int64_t rest = (a % b + b) % b; // with the sign of b
    return (a - rest) / b;
}

class Generator {
public:
    explicit Generator(unsigned seed)
        : m_random(seed)
    {
    }

    Sample expression(int depth)
    {
        if (depth == 0) {
            return leaf();
        }
        const Sample a = expression(depth - 1);
        switch (number(0, 5)) {
        case 0:
            return unary(a);
        case 1:
            return logical(a, expression(depth - 1));
        case 2:
            return comparison(a, expression(depth - 1), expression(depth - 1));
        case 3:
            return element(a);
        default:
            return arithmetic(a, expression(depth - 1));
        }
    }

private:
    int number(int low, int high)
    {
        return std::uniform_int_distribution<int>(low, high)(m_random);
    }

    Sample leaf()
    {
        switch (number(0, 8)) {
        case 0:
            return {"b", [](const Cell& c) { return c.b; }};
        case 1:
            return {"h", [](const Cell& c) { return c.h; }};
        case 2:
            return {"L", [](const Cell& c) { return c.L; }};
        case 3:
            return {"S", [](const Cell& c) { return c.S; }};
        case 4:
        case 5:
            return {"i", [](const Cell& c) { return c.i; }};
        case 6:
        case 7:
            return {"j", [](const Cell& c) { return c.j; }};
        default: {
            const int n = number(0, 5);
            return {std::to_string(n), [n](const Cell&) { return n; }};
        }
        }
    }

    Sample unary(const Sample& a)
    {
        const int kind = number(0, 2);
        return {
            (kind == 0   ? "-("
             : kind == 1 ? "!("
                         : "abs(") +
                a.text + ")",
            [=](const Cell& c) -> Number {
                const Number x = a.value(c);
                return !x ? x : kind == 0 ? -*x : kind == 1 ? std::int64_t{*x == 0} : std::abs(*x);
            }};
    }

    Sample logical(const Sample& a, const Sample& b)
    {
        const bool isAnd = number(0, 1) == 0;
        const bool isWord = number(0, 1) == 0;
        const std::string sign = isAnd ? (isWord ? " and " : "&&") : (isWord ? " or " : "||");
        return {"((" + a.text + ")" + sign + "(" + b.text + "))", [=](const Cell& c) -> Number {
                    const Number x = a.value(c);
                    if (!x || (*x != 0) != isAnd) {
                        return x ? std::int64_t{!isAnd} : x;
                    }
                    const Number y = b.value(c);
                    return y ? std::int64_t{*y != 0} : y;
                }};
    }

    Sample comparison(const Sample& a, const Sample& b, const Sample& c)
    {
        static const char* const signs[] = {"<", "<=", ">", ">=", "==", "!="};
        const int first = number(0, 5);
        const int second = number(0, 5);
        const auto holds = [](int sign, std::int64_t x, std::int64_t y) {
            const bool all[] = {x<y, x <= y, x> y, x >= y, x == y, x != y};
            return all[sign];
        };
        return {"((" + a.text + ")" + signs[first] + "(" + b.text + ")" + signs[second] + "(" +
                    c.text + "))",
                [=](const Cell& cell) -> Number {
                    const Number x = a.value(cell);
                    const Number y = b.value(cell);
                    if (!x || !y) {
                        return {};
                    }
                    if (!holds(first, *x, *y)) {
                        return 0;
                    }
                    const Number z = c.value(cell);
                    return z ? std::int64_t{holds(second, *y, *z)} : z;
                }};
    }

    Sample element(const Sample& a)
    {
        return {"[3,-1,0,2,7][" + a.text + "]", [=](const Cell& c) -> Number {
                    const std::vector<std::int64_t> list = {3, -1, 0, 2, 7};
                    const Number x = a.value(c);
                    return x && *x >= 0 && *x < 5 ? list[static_cast<std::size_t>(*x)] : Number{};
                }};
    }

    Sample arithmetic(const Sample& a, const Sample& b)
    {
        static const char* const signs[] = {"+", "-", "*", "/", "//", "%"};
        const int kind = number(0, 7);
        const auto of = [](int which, std::int64_t x, std::int64_t y) -> Number {
            switch (which) {
            case 0:
                return x + y;
            case 1:
                return x - y;
            case 2:
                return x * y;
            case 3:
            case 4:
                return y == 0 ? Number{} : roundedDown(x, y);
            case 5:
                return y == 0 ? Number{} : x - y * roundedDown(x, y);
            case 6:
                return std::min(x, y);
            default:
                return std::max(x, y);
            }
        };
        const std::string text = kind < 6
                                     ? "(" + a.text + ")" + signs[kind] + "(" + b.text + ")"
                                     : (kind == 6 ? "min(" : "max(") + a.text + "," + b.text + ")";
        return {kind < 6 ? "(" + text + ")" : text, [=](const Cell& c) -> Number {
                    const Number x = a.value(c);
                    const Number y = b.value(c);
                    return x && y ? of(kind, *x, *y) : Number{};
                }};
    }

    std::mt19937 m_random;
};

void check(const Sample& sample, const MaskContext& context)
{
    const std::string text = "rule(" + sample.text + ")";
    SCOPED_TRACE(text);
    const auto mask = compileMask(text, context);
    const auto again = compileMask(normaliseMask(text).value(), context);
    ASSERT_EQ(mask.has_value(), again.has_value()) << normaliseMask(text).value();
    std::optional<Cell> fault;
    for (std::int64_t b = 0; b < context.items; ++b) {
        for (std::int64_t h = 0; h < context.heads; ++h) {
            for (std::int64_t i = 0; i < context.queries; ++i) {
                for (std::int64_t j = 0; j < context.keys && !fault; ++j) {
                    const Cell cell = {b, h, i, j, context.queries, context.keys};
                    const Number value = sample.value(cell);
                    if (!value) {
                        fault = cell;
                    } else if (mask) {
                        ASSERT_EQ((*mask)->keeps(b, h, i, j), *value != 0) << i << ", " << j;
                        ASSERT_EQ((*again)->keeps(b, h, i, j), *value != 0);
                        ASSERT_EQ((*mask)->reasons(b, h, i, j) == 0, *value != 0);
                    }
                }
            }
        }
    }
    ASSERT_EQ(mask.has_value(), !fault);
    if (fault) {
        EXPECT_EQ(mask.error().code, Code::InvalidArgument);
        const std::string cell =
            "b = " + std::to_string(fault->b) + ", h = " + std::to_string(fault->h) +
            ", i = " + std::to_string(fault->i) + ", j = " + std::to_string(fault->j) + ".";
        EXPECT_NE(mask.error().message.find(cell), std::string::npos)
            << cell << " " << mask.error().message;
    }
}

} // namespace

TEST(MaskRules, areWhatTheySay)
{
    for (unsigned seed = 0; seed < 3000; ++seed) {
        Generator generator(seed);
        check(generator.expression(static_cast<int>(seed % 5)),
              {.items = 2, .heads = 2, .queries = 5, .keys = 7});
        ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    }
}

TEST(MaskRules, goOnPastTheCellsThatAreComputedTogether)
{
    for (unsigned seed = 0; seed < 100; ++seed) {
        Generator generator(seed);
        check(generator.expression(3), {.queries = 3, .keys = 600});
        ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    }
}
