// Rules about the edges of causal masks and windows, and causal flags beside them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/lint/lintrows.h"

#include <algorithm>
#include <cstdlib>

namespace heed::detail {

namespace {

std::string lacksCausal(const LintContext& context)
{
    if (std::string mask = lacksKept(context); !mask.empty()) {
        return mask;
    }
    if (!context.hasQueries()) {
        return "a mask with an axis of queries";
    }
    return context.isCausal() ? "" : "an intent with causal";
}

std::string lacksWindow(const LintContext& context)
{
    if (std::string mask = lacksKept(context); !mask.empty()) {
        return mask;
    }
    return context.window() == nullptr && !context.intends(MaskFamily::Window) &&
                   !context.intends(MaskFamily::Symmetric) && !context.intends(MaskFamily::Chunk)
               ? "window, or an intent with one"
               : "";
}

std::string lacksFlag(const LintContext& context)
{
    if (std::string mask = lacksKept(context); !mask.empty()) {
        return mask;
    }
    const auto& masks = context.reading().masks;
    if (!masks.empty() && masks.front().slot->joinsFlag) {
        return "a slot that does not join flag and mask";
    }
    return context.given().causalFlag ? "" : "causal_flag";
}

bool isInGroup(const LintContext& context, const RowPlace& row, std::int64_t key)
{
    const auto& groups = context.given().groups;
    const std::int64_t own = LintContext::at(groups, row.item, row.query + context.offset(), -1);
    return own >= 0 && own == LintContext::at(groups, row.item, key, -1);
}

/// Whether all of @p cells, some, lie in the group of the query.
bool isWithinGroup(const LintContext& context, const RowPlace& row, const RowRanges& cells)
{
    return !cells.empty() && std::ranges::all_of(cells, [&](const KeyRange& range) {
        for (std::int64_t key = range.begin; key < range.end; ++key) {
            if (!isInGroup(context, row, key)) {
                return false;
            }
        }
        return true;
    });
}

/// Kept keys after the query's own that neither the intent nor a group wants.
RowRanges futureOf(const LintContext& context, const RowPlace& row)
{
    RowRanges later;
    const KeyRange all = context.allKeys();
    appendRange(later, row.query + std::max(context.edge(), context.offset()) + 1, all.end, all);
    if (isFinitelyEmpty(context, row)) {
        return later; // its penalties do nothing
    }
    RowRanges leaked;
    intersect(context.kept(row), later, leaked);
    if (context.intent() != nullptr) {
        leaked = without(context, leaked, context.intendedOfReal(row));
    }
    if (context.given().groups.empty()) {
        return leaked;
    }
    RowRanges outside;
    for (const KeyRange& range : leaked) {
        for (std::int64_t key = range.begin; key < range.end; ++key) {
            if (!isInGroup(context, row, key)) {
                appendRange(outside, key, key + 1, all);
            }
        }
    }
    return outside;
}

/// Edge of the diagonal against the query's own key: −1 blocks it, +1 shows the next one.
std::optional<std::int64_t> diagonalShift(const LintContext& context)
{
    const auto offset = edgeOffset(context);
    if (!offset) {
        return std::nullopt;
    }
    const std::int64_t shift = *offset - context.edge();
    const bool isUpperLeft = *offset == 0 && context.edge() != 0;
    return std::abs(shift) == 1 && !isUpperLeft ? std::optional(shift) : std::nullopt;
}

std::optional<RuleResult> futureLeak(const LintContext& context)
{
    if (diagonalShift(context) == 1) {
        return std::nullopt; // told as such
    }
    RuleResult result;
    result.cells = context.countRows([&](const RowPlace& row) { return futureOf(context, row); });
    result.text = counted(result.cells.count, "cell", "cells") + " of the future " +
                  (result.cells.count == 1 ? "is" : "are") + " open, the first at " +
                  firstPlace(result.cells) + ".";
    result.fix = "Keep key j for query i only where j <= i" +
                 (context.offset() > 0 ? " + " + std::to_string(context.offset()) : "") + ".";
    return result;
}

std::optional<RuleResult> shiftedDiagonal(const LintContext& context)
{
    const auto shift = diagonalShift(context);
    const bool isOneRow = context.extents().queries == 1; // which could be anything
    if (!shift || (isOneRow && !context.isCausal())) {
        return std::nullopt;
    }
    RuleResult result;
    result.severity = context.intent() == nullptr || context.isCausal() ? LintSeverity::Error
                                                                        : LintSeverity::Warning;
    if (context.intent() != nullptr && forEveryRow(context, [&](const RowPlace& row) {
            return context.kept(row) == context.intended(row);
        })) {
        return std::nullopt; // wanted so
    }
    result.cells = context.countRows([&](const RowPlace& row) {
        RowRanges cell;
        const std::int64_t own = row.query + context.offset() + (*shift > 0 ? 1 : 0);
        appendRange(cell, own, own + 1, context.allKeys());
        return cell;
    });
    result.text = *shift < 0 ? "The edge is at j <= i - 1: no token may attend to itself."
                             : "The edge is at j <= i + 1: every token sees the next one.";
    result.fix = "Use tril with diagonal 0, or triu with diagonal 1 for what is blocked.";
    return result;
}

std::optional<RuleResult> causalAnchor(const LintContext& context)
{
    const CaseExtents& all = context.extents();
    const auto offset = edgeOffset(context);
    if (all.queries == all.keys && !context.given().past) {
        return std::nullopt;
    }
    if (!offset || *offset == context.edge() || !context.hasQueries() ||
        (std::abs(*offset - context.edge()) == 1 && *offset != 0)) {
        return std::nullopt;
    }
    if (!context.isCausal() && all.queries < 2) {
        return std::nullopt;
    }
    RuleResult result;
    result.cells = context.countRows([&](const RowPlace& row) {
        const RowRanges wanted = context.intent() != nullptr
                                     ? context.intended(row)
                                     : triangleRow(context, row.query, context.edge());
        return difference(context, context.kept(row), wanted);
    });
    result.text = "The triangle is anchored at the " +
                  std::string(*offset == 0 ? "upper left" : "offset " + std::to_string(*offset)) +
                  ", and row 0 has to end at key " + std::to_string(context.edge()) + ".";
    result.fix = "Keep j <= i + " + std::to_string(context.edge()) +
                 (context.edge() > 0 ? ", for instance with causal_lower_right." : ".");
    return result;
}

/// Rows that reach back to the first key although their window does not.
bool hasNoWindow(const LintContext& context)
{
    std::int64_t cut = 0; // rows in which the window would hide early keys
    const bool reachesBack = forEveryRow(context, [&](const RowPlace& row) {
        const RowRanges wanted = context.windowed(row);
        const RowRanges kept = context.kept(row);
        if (wanted.empty() || kept.empty() || wanted.front().begin == 0) {
            return true;
        }
        ++cut;
        const auto& pads = context.padKeys(row.item);
        const std::int64_t first = !pads.empty() && pads.front().begin == 0 ? pads.front().end : 0;
        return kept.front().begin <= first &&
               !isWithinGroup(context, row, without(context, kept, wanted));
    });
    return reachesBack && cut > 0;
}

std::optional<RuleResult> windowAbsent(const LintContext& context)
{
    if (!hasNoWindow(context)) {
        return std::nullopt;
    }
    RuleResult result;
    result.cells = context.countRows([&](const RowPlace& row) {
        return without(context, context.kept(row), context.windowed(row));
    });
    result.text = "No window is in effect: rows keep growing, and " +
                  counted(result.cells.count, "cell", "cells") + " outside the window " +
                  (result.cells.count == 1 ? "is" : "are") + " open.";
    result.fix = "Look for a negative bound, which means no limit, a merged mask or a flag that "
                 "was ignored.";
    return result;
}

/// Most keys that a row keeps.
std::int64_t widest(const LintContext& context, const auto& rowOf)
{
    std::int64_t most = 0;
    forEveryRow(context, [&](const RowPlace& row) {
        most = std::max(most, sizeOf(rowOf(row)));
        return true;
    });
    return most;
}

std::optional<RuleResult> windowEdge(const LintContext& context)
{
    if (hasNoWindow(context)) {
        return std::nullopt;
    }
    RuleResult result;
    result.cells = context.countRows([&](const RowPlace& row) {
        const RowRanges kept = context.kept(row);
        const RowRanges wanted = context.windowed(row);
        if (kept.empty() || wanted.empty()) {
            return RowRanges{};
        }
        // Only the side of the past: the other one is a matter of the causal rules.
        RowRanges cells;
        const std::int64_t a = kept.front().begin;
        const std::int64_t b = wanted.front().begin;
        appendRange(cells, std::min(a, b), std::max(a, b), context.allKeys());
        const auto& pads = context.padKeys(row.item);
        return without(context, cells, pads);
    });
    if (result.cells.count == 0) {
        return std::nullopt;
    }
    const std::int64_t has =
        widest(context, [&](const RowPlace& row) { return context.kept(row); });
    const std::int64_t wants =
        widest(context, [&](const RowPlace& row) { return context.windowed(row); });
    result.text = "The window shows " + counted(has, "key", "keys") + " and was declared with " +
                  std::to_string(wants) + ".";
    result.fix = has == wants + 1
                     ? "The bound is inclusive there: pass one less."
                     : "Say whether the query itself counts, and pass the bound that means it.";
    return result;
}

/// Whether a row keeps exactly the keys up to its own, with the offset @p offset.
bool isTriangle(const LintContext& context, std::int64_t offset)
{
    return forEveryRow(context, [&](const RowPlace& row) {
        return context.kept(row) == triangleRow(context, row.query, offset);
    });
}

std::optional<RuleResult> causalHintConflict(const LintContext& context)
{
    const std::int64_t offset = flagOffset(context.given(), context.reading());
    if (!*context.given().causalFlag || isTriangle(context, offset)) {
        return std::nullopt;
    }
    RuleResult result;
    result.cells = context.countRows([&](const RowPlace& row) {
        return difference(context, context.kept(row), triangleRow(context, row.query, offset));
    });
    result.text = "The causal flag is set and the mask is another one: some paths use the flag and "
                  "drop the mask, others the reverse.";
    result.fix = "Put the causal part into the mask and leave the flag off.";
    return result;
}

std::optional<RuleResult> causalTwice(const LintContext& context)
{
    if (!*context.given().causalFlag ||
        !isTriangle(context, flagOffset(context.given(), context.reading()))) {
        return std::nullopt;
    }
    RuleResult result;
    result.severity = LintSeverity::Warning;
    result.cells = context.countRows([&](const RowPlace& row) {
        RowRanges blocked;
        complement(context.kept(row), context.allKeys(), blocked);
        return blocked;
    });
    result.text = "The causal flag is set and the mask is the same triangle. Some libraries raise "
                  "an error, some intersect, one gave NaN.";
    result.fix = "Give one of the two.";
    return result;
}

constexpr std::array Rules = {
    LintRule{{"R13", "future leak", "causal is declared and a later key is kept"},
             lacksCausal,
             futureLeak},
    LintRule{{"R14", "diagonal shift", "the edge of the triangle is one key off the diagonal"},
             lacksKept,
             shiftedDiagonal},
    LintRule{{"R15", "causal anchor", "with cached keys the triangle starts elsewhere"},
             lacksKept,
             causalAnchor},
    LintRule{{"R23", "window edge", "the window has another width than declared"},
             lacksWindow,
             windowEdge},
    LintRule{{"R24", "window absent", "a window is declared and rows keep growing"},
             lacksWindow,
             windowAbsent},
    LintRule{{"R37", "causal hint conflict", "a causal flag stands beside another mask"},
             lacksFlag,
             causalHintConflict},
    LintRule{{"R40", "causal twice", "a causal flag stands beside a causal mask"},
             lacksFlag,
             causalTwice},
};

} // namespace

std::span<const LintRule> causalRules()
{
    return Rules;
}

} // namespace heed::detail
