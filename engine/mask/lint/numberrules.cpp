// Rules about the numbers of a mask: polarity by value, sentinels, NaN, biases.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/lint/lintrows.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

namespace heed::detail {

namespace {

constexpr double SureSentinel = -1000; ///< what is meant as minus infinity

std::string shortNumber(double x)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", x);
    return text;
}

bool allNumbers(const ReadMask& mask, const auto& fits)
{
    return std::ranges::all_of(mask.given->array.numbers, fits);
}

bool anyNumber(const ReadMask& mask, const auto& fits)
{
    return std::ranges::any_of(mask.given->array.numbers, fits);
}

std::string lacksMasks(const LintContext& context)
{
    return context.reading().masks.empty() ? "numbers of a mask" : "";
}

std::string lacksComputeType(const LintContext& context)
{
    if (std::string masks = lacksMasks(context); !masks.empty()) {
        return masks;
    }
    return context.given().computeType ? "" : "compute_dtype";
}

/// The finding of the first mask for which @p find has one.
std::optional<RuleResult> firstOf(const LintContext& context, const auto& find)
{
    for (const ReadMask& mask : context.reading().masks) {
        if (std::optional<RuleResult> found = find(mask)) {
            return found;
        }
    }
    return std::nullopt;
}

std::optional<RuleResult> additiveReadAsKeep(const LintContext& context)
{
    return firstOf(context, [](const ReadMask& mask) -> std::optional<RuleResult> {
        const auto isPenalty = [](double x) { return x <= SureSentinel; };
        if (isAdded(mask) || !anyNumber(mask, isPenalty) ||
            !allNumbers(mask, [&](double x) { return x == 0 || isPenalty(x); })) {
            return std::nullopt;
        }
        RuleResult result;
        result.cells = LintContext::countNumbers(mask, [](double) { return true; });
        result.text = "The numbers are 0 and large negative ones, as masks that are added have "
                      "them, but " +
                      std::string(mask.slot->name) +
                      " tests them for truth: 0 is false and -inf is true.";
        result.fix = "Pass `mask == 0`.";
        return result;
    });
}

std::optional<RuleResult> keepReadAsAdditive(const LintContext& context)
{
    return firstOf(context, [](const ReadMask& mask) -> std::optional<RuleResult> {
        const auto isZero = [](double x) { return x == 0; };
        if (!isAdded(mask) || !allNumbers(mask, [](double x) { return x == 0 || x == 1; }) ||
            !anyNumber(mask, isZero) || !anyNumber(mask, [](double x) { return x == 1; })) {
            return std::nullopt;
        }
        RuleResult result;
        result.cells = LintContext::countNumbers(mask, isZero);
        result.text = "Zeros and ones are added to the scores by " + std::string(mask.slot->name) +
                      ": nothing is blocked, the ones only gain a factor of e = 2.718.";
        result.fix = "Use where(keep, 0, -inf).";
        return result;
    });
}

std::optional<RuleResult> bitwiseNot(const LintContext& context)
{
    return firstOf(context, [](const ReadMask& mask) -> std::optional<RuleResult> {
        const bool isSigned = allNumbers(mask, [](double x) { return x == -1 || x == -2; });
        const bool isByte = allNumbers(mask, [](double x) { return x == 254 || x == 255; });
        if (!isSigned && !isByte) {
            return std::nullopt;
        }
        RuleResult result;
        result.cells = LintContext::countNumbers(mask, [](double) { return true; });
        result.text = std::string("Every number is ") + (isSigned ? "-1 or -2" : "254 or 255") +
                      ": ~ was applied to whole numbers, and every one of them is true.";
        result.fix = "Convert to bool before ~.";
        return result;
    });
}

/// The slots whose library itself blocks with a finite number.
bool blocksFinitely(const ReadMask& mask)
{
    return !isAdded(mask) && mask.slot->name == "ort.mask_index";
}

std::optional<RuleResult> finiteEmptyRow(const LintContext& context)
{
    const auto& masks = context.reading().masks;
    const bool isPenalty = std::ranges::any_of(masks, isAdded);
    const bool isKnownFinite = std::ranges::any_of(masks, blocksFinitely);
    if (!isPenalty && !isKnownFinite) {
        return std::nullopt;
    }
    RuleResult result;
    result.severity = LintSeverity::Warning; // as long as it is queries of padding alone
    result.cells = context.countRows([&](const RowPlace& row) {
        const bool isEmpty =
            isKnownFinite ? context.kept(row).empty() : isFinitelyEmpty(context, row);
        if (isEmpty && context.isRealQuery(row)) {
            result.severity = LintSeverity::Error;
        }
        return isEmpty ? RowRanges{context.allKeys()} : RowRanges{};
    });
    result.text = "A query may attend to nothing, and all its keys got a finite penalty, which "
                  "softmax ignores: it attends to every key, later ones too.";
    result.fix = "Block with -inf, or let the query see itself.";
    return result;
}

double largestOf(ElementType type)
{
    return -lowestOf(type);
}

std::optional<RuleResult> sentinelRange(const LintContext& context)
{
    const double most = largestOf(*context.given().computeType);
    return firstOf(context, [&](const ReadMask& mask) -> std::optional<RuleResult> {
        if (!isAdded(mask)) {
            return std::nullopt;
        }
        RuleResult result;
        result.cells = LintContext::countNumbers(
            mask, [&](double x) { return std::isfinite(x) && std::abs(x) > most; });
        result.text = counted(result.cells.count, "cell", "cells") + " hold a number beyond " +
                      shortNumber(most) + ", the largest of " +
                      std::string(elementTypeName(*context.given().computeType)) + ".";
        result.fix = "Use -inf or finfo(dtype).min.";
        return result;
    });
}

/// The best kept and the best blocked score of a row.
struct RowScores {
    double kept = -std::numeric_limits<double>::infinity();
    double blocked = -std::numeric_limits<double>::infinity(); ///< with its penalty
};

double scoreAt(const LintContext& context, const RowPlace& row, std::int64_t key)
{
    const MaskArray& scores = *context.given().scores;
    const CaseExtents& extents = context.extents();
    const std::size_t rank = scores.shape.size();
    const std::int64_t heads = rank >= 3 ? scores.shape[rank - 3] : 1;
    const std::int64_t items = rank >= 4 ? scores.shape[rank - 4] : 1;
    const std::int64_t plane = (items == 1 ? 0 : row.item) * heads + (heads == 1 ? 0 : row.head);
    const auto at =
        static_cast<std::size_t>((plane * extents.queries + row.query) * extents.keys + key);
    return at < scores.numbers.size() ? scores.numbers[at] : 0;
}

/// Penalties of a finite sentinel beside the scores that are there.
std::optional<RuleResult> weakBesideScores(const LintContext& context, const ReadMask& mask)
{
    constexpr double enough = -20; // e^-20 = 2e-9
    RuleResult result;
    double worst = -std::numeric_limits<double>::infinity();
    result.cells = context.countRows([&](const RowPlace& row) {
        RowScores best;
        RowRanges blocked;
        for (std::int64_t key = 0; key < context.extents().keys; ++key) {
            const double number = mask.number(row.item, row.head, row.query, key);
            const double score = scoreAt(context, row, key);
            if (number == 0) {
                best.kept = std::max(best.kept, score);
            } else if (number < 0 && std::isfinite(number)) {
                best.blocked = std::max(best.blocked, score + number);
                appendRange(blocked, key, key + 1, context.allKeys());
            }
        }
        const double gap = best.blocked - best.kept;
        if (!std::isfinite(gap) || gap <= enough) {
            return RowRanges{};
        }
        worst = std::max(worst, gap);
        return blocked;
    });
    result.text = "Blocked keys still receive up to " + shortNumber(std::exp(worst)) +
                  " times the weight of the best kept one.";
    result.fix = "Use a larger penalty, or -inf.";
    return result;
}

std::optional<RuleResult> weakSentinel(const LintContext& context)
{
    return firstOf(context, [&](const ReadMask& mask) -> std::optional<RuleResult> {
        double penalty = 0;
        for (const double x : mask.given->array.numbers) {
            if (x < 0 && (penalty == 0 || x == penalty) && std::isfinite(x)) {
                penalty = x;
            } else if (x != 0) {
                return std::nullopt; // a bias, or nothing finite
            }
        }
        if (!isAdded(mask) || penalty == 0) {
            return std::nullopt;
        }
        if (context.given().scores) {
            return weakBesideScores(context, mask);
        }
        constexpr double swin = -100;
        if (penalty <= SureSentinel || (penalty < BlockingPenalty && penalty != swin)) {
            return std::nullopt;
        }
        RuleResult result;
        result.severity = penalty == swin ? LintSeverity::Info : LintSeverity::Warning;
        result.cells = LintContext::countNumbers(mask, [&](double x) { return x == penalty; });
        result.text =
            "Blocked cells get " + shortNumber(penalty) + ", which large scores can make up for.";
        result.fix = "Use a larger penalty, or -inf.";
        return result;
    });
}

/// @p sum as the compute type holds it.
double roundedTo(ElementType type, double sum)
{
    return sum < lowestOf(type) ? -std::numeric_limits<double>::infinity() : sum;
}

std::optional<RuleResult> stackedSentinels(const LintContext& context)
{
    const auto& masks = context.reading().masks;
    const ElementType type = context.given().computeType.value_or(ElementType::Float32);
    const auto penalty = [&](const RowPlace& row, std::int64_t key) {
        double sum = 0;
        for (const ReadMask& mask : masks) {
            sum += isAdded(mask) ? mask.number(row.item, row.head, row.query, key) : 0;
        }
        return roundedTo(type, sum);
    };
    std::map<double, std::int64_t> counts;
    forEveryRow(context, [&](const RowPlace& row) {
        for (std::int64_t key = 0; key < context.extents().keys; ++key) {
            if (const double sum = penalty(row, key); sum <= BlockingPenalty) {
                ++counts[sum];
            }
        }
        return true;
    });
    if (counts.empty()) {
        return std::nullopt;
    }
    const auto usual =
        std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; })->first;
    RuleResult result;
    result.severity = LintSeverity::Warning;
    result.cells = context.countCells([&](const RowPlace& row, std::int64_t key) {
        const double sum = penalty(row, key);
        return sum <= BlockingPenalty && sum != usual;
    });
    result.text = "Blocked cells hold " + std::to_string(counts.size()) + " different penalties (" +
                  shortNumber(counts.begin()->first) + " to " +
                  shortNumber(counts.rbegin()->first) + "): masks were added to each other.";
    result.fix = "Combine the masks as booleans, then fill once.";
    return result;
}

std::optional<RuleResult> notANumber(const LintContext& context)
{
    const auto isBad = [](double x) {
        return x != x || x == std::numeric_limits<double>::infinity();
    };
    RuleResult result;
    std::string where;
    for (const ReadMask& mask : context.reading().masks) {
        result.cells = LintContext::countNumbers(mask, isBad);
        where = "the mask";
        if (result.cells.count > 0) {
            break;
        }
    }
    if (result.cells.count == 0 && context.given().scores) {
        result.cells.count = std::ranges::count_if(context.given().scores->numbers, isBad);
        where = "the scores";
    }
    result.text = counted(result.cells.count, "cell", "cells") + " of " + where +
                  " are NaN or +inf: 0 · inf or inf - inf somewhere before.";
    result.fix = "Use where() and not a multiplication.";
    return result;
}

/// Numbers of a bias by distance: finite, more than two different ones.
bool isBias(const ReadMask& mask)
{
    if (!isAdded(mask)) {
        return false;
    }
    std::vector<double> seen;
    for (const double x : mask.given->array.numbers) {
        if (x > BlockingPenalty && std::isfinite(x) && std::ranges::find(seen, x) == seen.end()) {
            seen.push_back(x);
            if (seen.size() > 2) {
                return true;
            }
        }
    }
    return false;
}

std::optional<RuleResult> biasSign(const LintContext& context)
{
    return firstOf(context, [&](const ReadMask& mask) -> std::optional<RuleResult> {
        if (!isBias(mask)) {
            return std::nullopt;
        }
        bool grows = true;
        RuleResult result;
        result.cells = context.countCells([&](const RowPlace& row, std::int64_t key) {
            const std::int64_t own = row.query + context.offset();
            const double here = mask.number(row.item, row.head, row.query, key);
            if (key >= own || key + 1 > own || own >= context.extents().keys ||
                !(here > BlockingPenalty)) {
                return false;
            }
            const double nearer = mask.number(row.item, row.head, row.query, key + 1);
            grows = grows && here >= nearer;
            return here > nearer;
        });
        if (!grows) {
            return std::nullopt; // no bias by distance
        }
        result.text = "The bias grows with the distance: far keys are favoured.";
        result.fix = "Distance has to lower the score: slope · (j - i), not (i - j).";
        return result;
    });
}

/// m of head @p head of @p heads, as Press et al. (ALiBi, section 3) choose them.
double alibiSlope(std::int64_t head, std::int64_t heads)
{
    std::int64_t power = 1;
    while (power * 2 <= heads) {
        power *= 2;
    }
    constexpr double reach = -8;
    if (head < power) {
        return std::exp2(reach * static_cast<double>(head + 1) / static_cast<double>(power));
    }
    return std::exp2(reach * static_cast<double>(2 * (head - power) + 1) /
                     static_cast<double>(2 * power));
}

std::optional<RuleResult> biasSlope(const LintContext& context)
{
    return firstOf(context, [&](const ReadMask& mask) -> std::optional<RuleResult> {
        const CaseExtents& extents = context.extents();
        const std::int64_t query = extents.queries - 1;
        const std::int64_t own = query + context.offset();
        if (!isBias(mask) || mask.places.strides[1] == 0 || own < 1 || own >= extents.keys) {
            return std::nullopt;
        }
        RuleResult result;
        result.severity = LintSeverity::Warning;
        std::string expected;
        for (std::int64_t head = 0; head < extents.heads; ++head) {
            const double step =
                mask.number(0, head, query, own) - mask.number(0, head, query, own - 1);
            const double slope = alibiSlope(head, extents.heads);
            expected += (expected.empty() ? "" : ", ") + shortNumber(slope);
            constexpr double tolerance = 1e-3;
            if (std::abs(step - slope) > tolerance * slope) {
                result.cells.count += extents.queries * extents.keys;
                result.cells.cells.push_back({0, head, query, own - 1});
            }
        }
        result.text = "The slopes of the bias are not those of ALiBi for " +
                      std::to_string(extents.heads) + " heads.";
        result.fix = "Expected: " + expected + ".";
        return result;
    });
}

constexpr std::array Rules = {
    LintRule{{"R03", "additive read as keep",
              "zeros and large negative numbers go where numbers "
              "are tested for truth"},
             lacksMasks,
             additiveReadAsKeep},
    LintRule{{"R04", "keep read as additive", "zeros and ones go where numbers are added"},
             lacksMasks,
             keepReadAsAdditive},
    LintRule{{"R05", "bitwise not", "all numbers are -1 and -2, or 254 and 255"},
             lacksMasks,
             bitwiseNot},
    LintRule{{"R08", "finite empty row",
              "a query may attend to nothing and all penalties are "
              "finite"},
             lacksMasks,
             finiteEmptyRow},
    LintRule{{"R09", "sentinel range", "a finite number is beyond the type of the scores"},
             lacksComputeType,
             sentinelRange},
    LintRule{{"R10", "sentinel weak", "a penalty is so small that blocked keys keep weight"},
             lacksMasks,
             weakSentinel},
    LintRule{{"R11", "stacked sentinels", "blocked cells hold different penalties"},
             lacksMasks,
             stackedSentinels},
    LintRule{
        {"R12", "NaN or +inf", "a mask or the scores hold NaN or +inf"}, lacksMasks, notANumber},
    LintRule{{"R31", "bias sign", "a bias grows with the distance"}, lacksMasks, biasSign},
    LintRule{{"R32", "bias slope", "the slopes of the heads are not those of ALiBi"},
             lacksMasks,
             biasSlope},
};

} // namespace

std::span<const LintRule> numberRules()
{
    return Rules;
}

} // namespace heed::detail
