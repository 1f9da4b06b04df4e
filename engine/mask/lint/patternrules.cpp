// Rules about which cells are kept: polarity, empty rows, padding, heads.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/lint/lintrows.h"

#include <algorithm>
#include <limits>

namespace heed::detail {

namespace {

std::string lacksExpectation(const LintContext& context)
{
    if (std::string mask = lacksKept(context); !mask.empty()) {
        return mask;
    }
    return context.intent() == nullptr && !context.knowsPadding() ? "intent, lengths or pad" : "";
}

// ------------------------------------------------------------------------------------- polarity

bool isTruthTested(const LintContext& context)
{
    return std::ranges::none_of(context.reading().masks, [](const ReadMask& mask) {
        return mask.meaning == MaskMeaning::Added;
    });
}

/// What a row ought to keep: the intent, or without one all real keys.
RowRanges expected(const LintContext& context, const RowPlace& row)
{
    if (context.intent() != nullptr) {
        return context.intended(row);
    }
    RowRanges real;
    complement(context.padKeys(row.item), context.allKeys(), real);
    return real;
}

std::optional<RuleResult> polarity(const LintContext& context)
{
    if (context.reading().masks.empty() || !isTruthTested(context)) {
        return std::nullopt;
    }
    bool differs = false; // from what ought to be, somewhere
    const bool isComplement = forEveryRow(context, [&](const RowPlace& row) {
        RowRanges opposite;
        const RowRanges wanted = expected(context, row);
        complement(wanted, context.allKeys(), opposite);
        const RowRanges kept = context.kept(row);
        differs = differs || kept != wanted;
        return kept == opposite;
    });
    if (!isComplement || !differs) {
        return std::nullopt;
    }
    const ReadMask& mask = context.reading().masks.front();
    RuleResult result;
    result.cells = context.countRows([&](const RowPlace&) { return RowRanges{context.allKeys()}; });
    const bool keeps = mask.meaning != MaskMeaning::Blocked;
    result.text =
        "Exactly the cells are kept that ought to be blocked: " + std::string(mask.slot->name) +
        " reads true as " + (keeps ? "keep" : "blocked") + ", and this mask means the opposite.";
    result.fix = "Invert it once, as a bool tensor.";
    return result;
}

std::optional<RuleResult> polarityUndeclared(const LintContext& context)
{
    for (const ReadMask& mask : context.reading().masks) {
        if (mask.isSlotNamed || mask.slot->name != "keep") {
            continue;
        }
        RuleResult result;
        result.severity = LintSeverity::Info;
        result.cells = LintContext::countNumbers(mask, [](double x) { return x != 0; });
        result.text = "Nobody said which argument this mask goes into, and zeros and ones mean "
                      "opposite things in different libraries. Here 1 keeps.";
        result.fix = "Name the slot, such as torch.sdpa or torch.mha.attn_mask.";
        return result;
    }
    return std::nullopt;
}

// ----------------------------------------------------------------------------------- empty rows

/// Whether every key of an empty row got a penalty that softmax ignores (that is R08).
bool isOnlyPenalised(const LintContext& context, const RowPlace& row)
{
    for (const ReadMask& mask : context.reading().masks) {
        if (mask.slot->name == "ort.mask_index") {
            return true;
        }
        for (std::int64_t key = 0; key < context.extents().keys; ++key) {
            const double number = mask.number(row.item, row.head, row.query, key);
            if (mask.meaning == MaskMeaning::Added
                    ? number == -std::numeric_limits<double>::infinity()
                    : !keepsCell(mask.meaning, number)) {
                return false;
            }
        }
    }
    return !context.reading().masks.empty();
}

std::string_view outcome(EmptyRowOutcome outcome)
{
    switch (outcome) {
    case EmptyRowOutcome::NotANumber:
        return "its output is NaN";
    case EmptyRowOutcome::Zero:
        return "its output is 0";
    case EmptyRowOutcome::Uniform:
        return "it attends to every key alike";
    case EmptyRowOutcome::Unknown:
        break;
    }
    return "what comes of it depends on the library";
}

std::optional<RuleResult> emptyRow(const LintContext& context)
{
    RuleResult result;
    result.severity = LintSeverity::Warning;
    std::int64_t rows = 0;
    std::int64_t first = -1;
    result.cells = context.countRows([&](const RowPlace& row) {
        if (!context.kept(row).empty() || isOnlyPenalised(context, row)) {
            return RowRanges{};
        }
        ++rows;
        first = first < 0 ? row.query : first;
        if (context.isRealQuery(row)) {
            result.severity = LintSeverity::Error;
        }
        return RowRanges{context.allKeys()};
    });
    if (rows == 0) {
        return std::nullopt;
    }
    const auto& masks = context.reading().masks;
    result.text = counted(rows, "query has", "queries have") +
                  " nothing to attend to, the first is " + std::to_string(first) + "; " +
                  std::string(outcome(masks.empty() ? EmptyRowOutcome::Unknown
                                                    : masks.front().slot->emptyRow)) +
                  ".";
    result.fix = "Let the query see itself, or drop it.";
    return result;
}

/// Keys that are padding in every item: they only cost.
std::optional<RuleResult> emptyColumns(const LintContext& context)
{
    const CaseExtents& all = context.extents();
    RowRanges common{context.allKeys()};
    RowRanges both;
    for (std::int64_t item = 0; item < all.items; ++item) {
        intersect(common, context.padKeys(item), both);
        common.swap(both);
    }
    if (all.items < 2 || common.empty()) {
        return std::nullopt;
    }
    RuleResult result;
    result.severity = LintSeverity::Info;
    result.cells.count = sizeOf(common) * (context.reading().varies[0] ? all.items : 1) *
                         (context.reading().varies[2] ? all.queries : 1);
    result.cells.cells.push_back({0, 0, 0, common.front().begin});
    result.text = counted(sizeOf(common), "key is", "keys are") +
                  " padding in every item; some libraries cut such columns off.";
    result.fix = "Pad to the longest item, and look at the shape of what comes back.";
    return result;
}

std::optional<RuleResult> emptySlice(const LintContext& context)
{
    const CaseExtents& all = context.extents();
    const auto& varies = context.reading().varies;
    if (all.items * all.heads == 1) {
        return std::nullopt; // that is every row empty
    }
    RuleResult result;
    for (std::int64_t item = 0; item < (varies[0] ? all.items : 1); ++item) {
        for (std::int64_t head = 0; head < (varies[1] ? all.heads : 1); ++head) {
            bool isEmpty = true;
            for (std::int64_t query = 0; query < all.queries && isEmpty; ++query) {
                isEmpty = context.kept({item, head, query}).empty();
            }
            if (!isEmpty) {
                continue;
            }
            result.cells.count += (varies[2] ? all.queries : 1) * (varies[3] ? all.keys : 1);
            result.cells.cells.push_back({item, head, 0, 0});
        }
    }
    if (result.cells.count == 0) {
        return emptyColumns(context);
    }
    const auto& first = result.cells.cells.front();
    result.text = "Item " + std::to_string(first[0]) +
                  (varies[1] ? ", head " + std::to_string(first[1]) : "") + " is blocked entirely.";
    result.fix = "Check its length; keep items without tokens out of the batch.";
    return result;
}

// -------------------------------------------------------------------------------------- padding

std::optional<RuleResult> paddingOnQueries(const LintContext& context)
{
    const CaseExtents& all = context.extents();
    if (all.keys < 2 || all.queries < 2) {
        return std::nullopt;
    }
    std::int64_t empty = 0;
    bool isMixed = false;   // a plane has rows of both kinds
    bool isAtBorder = true; // rows change once, as padding does
    std::int64_t changes = 0;
    bool wasEmpty = false;
    const bool isBands = forEveryRow(context, [&](const RowPlace& row) {
        const std::int64_t kept = sizeOf(context.kept(row));
        const bool isEmpty = kept == 0;
        empty += isEmpty ? 1 : 0;
        if (row.query == 0) {
            changes = 0;
        } else if (isEmpty != wasEmpty) {
            isMixed = true;
            isAtBorder = isAtBorder && ++changes == 1;
        }
        wasEmpty = isEmpty;
        return isEmpty || kept == all.keys;
    });
    if (!isBands || !isMixed || (!context.knowsPadding() && !isAtBorder)) {
        return std::nullopt;
    }
    if (context.knowsPadding()) { // the bands have to be where the padding is
        const bool isPadding = forEveryRow(context, [&](const RowPlace& row) {
            return context.kept(row).empty() != context.isRealQuery(row);
        });
        if (!isPadding) {
            return std::nullopt;
        }
    }
    RuleResult result;
    result.cells = context.countRows([&](const RowPlace& row) {
        return context.kept(row).empty() ? RowRanges{context.allKeys()} : RowRanges{};
    });
    result.text = "The padding runs along queries: " + counted(empty, "row is", "rows are") +
                  " blocked whole, and padded keys stay open.";
    result.fix = "Move the axis: mask.unsqueeze(1).unsqueeze(2).";
    return result;
}

// ---------------------------------------------------------------------------------------- others

std::optional<RuleResult> headsDisagree(const LintContext& context)
{
    const CaseExtents& all = context.extents();
    if (!context.reading().varies[1] || all.heads < 2 ||
        (context.intent() != nullptr && !context.intent()->sameForAllHeads())) {
        return std::nullopt;
    }
    RuleResult result;
    result.severity = LintSeverity::Warning;
    std::string heads;
    for (std::int64_t head = 1; head < all.heads; ++head) {
        const std::int64_t before = result.cells.count;
        for (std::int64_t item = 0; item < (context.reading().varies[0] ? all.items : 1); ++item) {
            for (std::int64_t query = 0; query < all.queries; ++query) {
                const RowRanges wrong = difference(context, context.kept({item, head, query}),
                                                   context.kept({item, 0, query}));
                result.cells.count += sizeOf(wrong);
                if (!wrong.empty() && result.cells.cells.size() < MostCells) {
                    result.cells.cells.push_back({item, head, query, wrong.front().begin});
                }
            }
        }
        if (result.cells.count > before) {
            heads += (heads.empty() ? "" : ", ") + std::to_string(head);
        }
    }
    result.text = "Heads " + heads + " use another mask than head 0.";
    result.fix = "If that is meant, declare it; otherwise look at the order of the axes.";
    return result;
}

/// A mask of the keys whose global tokens (2) became ordinary ones.
std::optional<RuleResult> globalsLost(const LintContext& context)
{
    for (const ReadMask& mask : context.reading().masks) {
        const auto& numbers = mask.given->array.numbers;
        if (mask.axes != "BS" || !context.intends(MaskFamily::Longformer) ||
            std::ranges::find(numbers, 2.0) != numbers.end()) {
            continue;
        }
        RuleResult result;
        result.severity = LintSeverity::Warning;
        result.cells = LintContext::countNumbers(mask, [](double x) { return x == 1; });
        result.text = "No number is 2, so no token is global.";
        result.fix = "Keep the third value (2) in conversions; as a boolean it is lost.";
        return result;
    }
    return std::nullopt;
}

std::optional<RuleResult> globalOneSided(const LintContext& context)
{
    if (auto lost = globalsLost(context)) {
        return lost;
    }
    const CaseExtents& all = context.extents();
    const bool isDeclared =
        context.intends(MaskFamily::Longformer) || context.intends(MaskFamily::BigBird);
    if (all.queries != all.keys || all.keys < 4 || context.isCausal() ||
        (context.intent() != nullptr && !isDeclared)) {
        return std::nullopt;
    }
    RuleResult result;
    result.severity = LintSeverity::Warning;
    const RowPlace first{0, 0, 0};
    RowRanges common{context.allKeys()}; // columns that every row keeps
    RowRanges both;
    bool isCausal = true;
    for (RowPlace row = first; row.query < all.queries; ++row.query) {
        const RowRanges kept = context.kept(row);
        intersect(common, kept, both);
        common.swap(both);
        isCausal = isCausal && (kept.empty() || kept.back().end <= row.query + 1);
    }
    if (isCausal || sizeOf(common) == all.keys || sizeOf(common) * 2 > all.keys) {
        return std::nullopt;
    }
    for (const KeyRange& range : common) {
        for (std::int64_t key = range.begin; key < range.end; ++key) {
            const RowRanges kept = context.kept({0, 0, key});
            // Its row is like those around it, not whole.
            if (sizeOf(kept) < all.keys) {
                result.cells.count += all.keys - sizeOf(kept);
                result.cells.cells.push_back({0, 0, key, key});
            }
        }
    }
    if (result.cells.count == 0) {
        return std::nullopt;
    }
    result.text = "Token " + std::to_string(result.cells.cells.front()[2]) +
                  " is seen by all but does not see all: a global column without its row.";
    result.fix = "Global tokens need both; keep the third value (2) in conversions.";
    return result;
}

std::optional<RuleResult> noOperation(const LintContext& context)
{
    const std::int64_t keys = context.extents().keys;
    const bool isOpen = forEveryRow(
        context, [&](const RowPlace& row) { return sizeOf(context.kept(row)) == keys; });
    const bool isBias = std::ranges::any_of(context.reading().masks, [](const ReadMask& mask) {
        return mask.meaning == MaskMeaning::Added &&
               std::ranges::any_of(mask.given->array.numbers, [](double x) { return x != 0; });
    });
    if (!isOpen || isBias) {
        return std::nullopt;
    }
    RuleResult result;
    result.severity = LintSeverity::Info;
    result.cells = context.countRows([&](const RowPlace&) { return RowRanges{context.allKeys()}; });
    result.text = "The mask keeps every cell.";
    result.fix = "Pass none: a mask can keep the fastest kernel from being used.";
    return result;
}

/// The parts of an intent that is a conjunction, compiled on their own, and joined with or.
std::optional<std::string> unionOfParts(const MaskNode& tree)
{
    if (tree.kind != MaskNode::Kind::And) {
        return std::nullopt;
    }
    MaskNode joined = tree;
    joined.kind = MaskNode::Kind::Or;
    return printMask(joined);
}

std::optional<RuleResult> wrongCombination(const LintContext& context)
{
    const auto expression = unionOfParts(*context.intentTree());
    if (!expression) {
        return std::nullopt;
    }
    const auto joined = compileMask(*expression, context.intent()->context(), context.execution());
    if (!joined) {
        return std::nullopt;
    }
    for (const MaskNode& part : context.intentTree()->children) {
        const auto alone =
            compileMask(printMask(part), context.intent()->context(), context.execution());
        const bool isPart = alone && forEveryRow(context, [&](const RowPlace& row) {
                                return context.kept(row) == LintContext::rowOf(**alone, row);
                            });
        if (isPart) {
            return std::nullopt; // the other parts are missing
        }
    }
    bool differs = false;
    const bool isUnion = forEveryRow(context, [&](const RowPlace& row) {
        differs = differs || context.kept(row) != context.intended(row);
        return context.kept(row) == LintContext::rowOf(**joined, row);
    });
    if (!isUnion || !differs) {
        return std::nullopt;
    }
    RuleResult result;
    result.cells = context.countRows([&](const RowPlace& row) {
        return without(context, context.kept(row), context.intended(row));
    });
    result.text = "A cell is kept where any part of the intent keeps it, not where all do: " +
                  counted(result.cells.count, "cell", "cells") + " too many.";
    result.fix = "Combine keep masks with and, blocked masks with or; padding last.";
    return result;
}

constexpr std::array Rules = {
    LintRule{{"R01", "polarity", "exactly what ought to be blocked is kept"},
             lacksExpectation,
             polarity},
    LintRule{{"R02", "polarity undeclared", "zeros and ones come without a slot"},
             lacksKept,
             polarityUndeclared},
    LintRule{{"R06", "empty row", "a query has no key it may attend to"}, lacksKept, emptyRow},
    LintRule{{"R07", "empty slice", "a whole item or head is blocked"}, lacksKept, emptySlice},
    LintRule{{"R18", "padding on queries", "rows are kept or blocked whole"},
             lacksKept,
             paddingOnQueries},
    LintRule{{"R30", "heads disagree", "heads use different masks, undeclared"},
             lacksKept,
             headsDisagree},
    LintRule{{"R33", "global one-sided", "a token is seen by all and does not see all"},
             lacksKept,
             globalOneSided},
    LintRule{{"R39", "no-op mask", "every cell is kept"}, lacksKept, noOperation},
    LintRule{{"R41", "wrong combination", "parts of the intent were joined with or"},
             lacksIntent,
             wrongCombination},
};

} // namespace

std::span<const LintRule> patternRules()
{
    return Rules;
}

} // namespace heed::detail
