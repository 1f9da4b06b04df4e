// Rules about types, extents and the order of axes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/lint/lintrows.h"

#include <algorithm>

namespace heed::detail {

namespace {

std::string lacksAnyMask(const LintContext& context)
{
    return context.given().masks.empty() ? lacksKept(context) : "";
}

std::string lacksGiven(const LintContext& context)
{
    return context.given().masks.empty() ? "numbers of a mask" : "";
}

/// What reading the masks has found under a rule.
template <char Tens, char Ones>
std::optional<RuleResult> problemOf(const LintContext& context)
{
    for (const ReadingProblem& problem : context.reading().problems) {
        if (problem.rule == std::string{'R', Tens, Ones}) {
            RuleResult result;
            result.cells.count = problem.count;
            result.text = problem.text;
            result.fix = problem.fix;
            return result;
        }
    }
    return std::nullopt;
}

/// Letters whose extents a rank-3 or shorter array could mean as well as the one it is read as.
std::string alternatives(const ReadMask& mask, const CaseExtents& extents)
{
    const Shape& shape = mask.given->array.shape;
    const std::int64_t first = shape.front();
    std::string other;
    const auto add = [&](char letter, std::int64_t extent) {
        if (letter != mask.axes.front() && extent == first) {
            other += letter;
        }
    };
    if (shape.size() == 2 && mask.axes == "LS" && shape[1] == extents.keys) {
        add('B', extents.items); // a row of padding for each item
    } else if (shape.size() == 3 && mask.axes != "NLS") {
        add('B', extents.items);
        add('H', extents.heads);
    }
    return other;
}

std::string axisName(char letter)
{
    return letter == 'B' ? "items" : (letter == 'H' ? "heads" : "queries");
}

std::optional<RuleResult> ambiguousBroadcast(const LintContext& context)
{
    for (const ReadMask& mask : context.reading().masks) {
        const Shape& shape = mask.given->array.shape;
        if (shape.size() > 3 || shape.size() < 2 || shape.front() < 2 || !mask.isSlotNamed) {
            continue;
        }
        const std::string other = alternatives(mask, context.extents());
        if (other.empty()) {
            continue;
        }
        RuleResult result;
        result.severity = LintSeverity::Warning;
        result.cells.count = static_cast<std::int64_t>(mask.given->array.numbers.size());
        result.text = "The first axis of " + toString(shape) + " is read as " +
                      axisName(mask.axes.front()) + ", and there are as many " +
                      axisName(other.front()) + ".";
        result.fix = "Write all four axes: (B, 1, 1, S) for padding, (B, 1, L, S) for items.";
        return result;
    }
    return std::nullopt;
}

/// Whether planes p and q of an array of planes are equal.
bool equalPlanes(const ReadMask& mask, std::int64_t p, std::int64_t q)
{
    const auto& shape = mask.given->array.shape;
    const std::int64_t size = shape[1] * shape[2];
    const auto begin = mask.given->array.numbers.begin();
    return std::equal(begin + p * size, begin + (p + 1) * size, begin + q * size);
}

/// A mask for each head that lies along the queries: every plane repeats one row, another in each.
bool isAlongQueries(const ReadMask& mask, const CaseExtents& extents)
{
    const Shape& shape = mask.given->array.shape;
    if (mask.axes != "HLS" || shape[0] < 2 || shape[0] != shape[1] || shape[0] != extents.heads ||
        shape[1] != extents.queries) {
        return false;
    }
    bool differs = false;
    for (std::int64_t head = 0; head < shape[0]; ++head) {
        for (std::int64_t query = 0; query < shape[1]; ++query) {
            for (std::int64_t key = 0; key < shape[2]; ++key) {
                const double number = mask.number(0, head, query, key);
                if (number != mask.number(0, head, 0, key)) {
                    return false;
                }
                differs = differs || number != mask.number(0, 0, 0, key);
            }
        }
    }
    return differs;
}

std::optional<RuleResult> headOrder(const LintContext& context)
{
    const CaseExtents& all = context.extents();
    for (const ReadMask& mask : context.reading().masks) {
        if (isAlongQueries(mask, all)) {
            RuleResult result;
            result.cells.count = static_cast<std::int64_t>(mask.given->array.numbers.size());
            result.text = "Every head repeats one row for all its queries, and heads differ: what "
                          "belongs to the queries lies along the heads.";
            result.fix = "Move the axis of the heads before that of the queries.";
            return result;
        }
        if (mask.axes != "NLS" || all.items < 2 || all.heads < 2) {
            continue;
        }
        const std::int64_t planes = all.items * all.heads;
        bool byItem = true;   // planes of an item are equal, as repeat_interleave makes them
        bool byPeriod = true; // those a batch apart are, as repeat does
        for (std::int64_t p = 0; p < planes; ++p) {
            byItem = byItem && equalPlanes(mask, p, p / all.heads * all.heads);
            byPeriod = byPeriod && equalPlanes(mask, p, p % all.items);
        }
        if (byItem || !byPeriod) {
            continue;
        }
        RuleResult result;
        result.cells.count = static_cast<std::int64_t>(mask.given->array.numbers.size());
        result.text = "The planes repeat after " + std::to_string(all.items) +
                      ", the items; they have to repeat within an item, " +
                      std::to_string(all.heads) + " heads each.";
        result.fix = "The order is item by item: use repeat_interleave(heads, dim=0), not repeat.";
        return result;
    }
    return std::nullopt;
}

/// Whether rows and columns change only at multiples of @p block.
bool isConstantOnBlocks(const LintContext& context, std::int64_t block)
{
    RowRanges before;
    return forEveryRow(context, [&](const RowPlace& row) {
        const RowRanges kept = context.kept(row);
        const bool isFirst = row.query % block == 0;
        const bool fits =
            (isFirst || kept == before) && std::ranges::all_of(kept, [&](const KeyRange& range) {
                return range.begin % block == 0 &&
                       (range.end % block == 0 || range.end == context.extents().keys);
            });
        before = kept;
        return fits;
    });
}

std::optional<RuleResult> coarseBlocks(const LintContext& context)
{
    if (auto problem = problemOf<'3', '4'>(context)) {
        problem->severity = LintSeverity::Info;
        return problem;
    }
    if (context.reading().kept == nullptr) {
        return std::nullopt;
    }
    constexpr std::int64_t flexBlock = 128;
    const CaseExtents& all = context.extents();
    if (all.queries <= flexBlock || !isConstantOnBlocks(context, flexBlock)) {
        return std::nullopt;
    }
    const std::int64_t keys = all.keys;
    const bool isTrivial = forEveryRow(context, [&](const RowPlace& row) {
        const std::int64_t size = sizeOf(context.kept(row));
        return size == 0 || size == keys;
    });
    if (isTrivial) {
        return std::nullopt;
    }
    RuleResult result;
    result.severity = LintSeverity::Info;
    result.cells = context.countRows([&](const RowPlace& row) { return context.kept(row); });
    result.text = "The mask is constant on blocks of 128 × 128: a block map, not a mask of cells.";
    result.fix = "Ask for the mask of cells, such as create_mask.";
    return result;
}

constexpr std::array Rules = {
    LintRule{{"R16", "shape mismatch", "the mask does not fit the scores"},
             lacksGiven,
             problemOf<'1', '6'>},
    LintRule{{"R17", "ambiguous broadcast", "an axis can be read as two things"},
             lacksGiven,
             ambiguousBroadcast},
    LintRule{{"R19", "head and batch order", "planes repeat with the wrong period"},
             lacksGiven,
             headOrder},
    LintRule{{"R34", "coarse blocks", "the mask is constant on blocks of 128"},
             lacksAnyMask,
             coarseBlocks},
    LintRule{{"R35", "stale size", "the mask was built for another length"},
             lacksGiven,
             problemOf<'3', '5'>},
    LintRule{{"R36", "dtype refused", "the slot refuses the type of the mask"},
             lacksGiven,
             problemOf<'3', '6'>},
};

} // namespace

std::span<const LintRule> shapeRules()
{
    return Rules;
}

} // namespace heed::detail
