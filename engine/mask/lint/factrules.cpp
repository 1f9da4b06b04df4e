// Rules about what is declared beside a mask: padding, positions, documents, groups.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/lint/lintrows.h"

#include <algorithm>
#include <set>

namespace heed::detail {

namespace {

std::string lacks(const LintContext& context, bool isKnown, const std::string& what)
{
    if (std::string mask = lacksKept(context); !mask.empty()) {
        return mask;
    }
    return isKnown ? "" : what;
}

std::string lacksPadding(const LintContext& context)
{
    return lacks(context, context.knowsPadding(), "lengths or pad");
}

std::string lacksPositions(const LintContext& context)
{
    return context.given().positionIds.empty() ? "position_ids" : "";
}

std::string lacksDocuments(const LintContext& context)
{
    return lacks(context, !context.given().documents.empty(), "documents");
}

std::string lacksDocumentsOrPositions(const LintContext& context)
{
    return lacks(context,
                 !context.given().documents.empty() || !context.given().positionIds.empty(),
                 "documents or position_ids");
}

/// Whether the intent itself says which cells belong together.
bool intendsGroups(const LintContext& context)
{
    return context.intends(MaskFamily::Groups) || context.intends(MaskFamily::Swin);
}

std::string lacksGroups(const LintContext& context)
{
    return lacks(context, !context.given().groups.empty() || intendsGroups(context), "groups");
}

std::string lacksTree(const LintContext& context)
{
    if (std::string intent = lacksIntent(context); !intent.empty()) {
        return intent;
    }
    return context.given().intent.find("tree(") == std::string::npos ? "an intent with tree()" : "";
}

// -------------------------------------------------------------------------------------- padding

/// Kept keys of padding. Of a query of padding those count that the intent wants blocked, where it
/// sees real keys, too: some let padding see itself, so that no row is empty.
RowRanges seenPads(const LintContext& context, const RowPlace& row, bool ofReal)
{
    RowRanges seen;
    const RowRanges kept = context.kept(row);
    intersect(kept, context.padKeys(row.item), seen);
    if (context.isRealQuery(row) != ofReal) {
        return {};
    }
    if (ofReal) {
        return seen;
    }
    const bool isForgotten = context.intends(MaskFamily::Padding) &&
                             !without(context, kept, context.padKeys(row.item)).empty();
    return isForgotten ? without(context, seen, context.intended(row)) : RowRanges{};
}

std::optional<RuleResult> padKeySeen(const LintContext& context)
{
    for (const bool ofReal : {true, false}) {
        std::int64_t queries = 0;
        std::set<std::int64_t> pads;
        RuleResult result;
        result.cells = context.countRows([&](const RowPlace& row) {
            RowRanges seen = seenPads(context, row, ofReal);
            queries += seen.empty() ? 0 : 1;
            for (const KeyRange& range : seen) {
                for (std::int64_t key = range.begin; key < range.end; ++key) {
                    pads.insert(key);
                }
            }
            return seen;
        });
        if (result.cells.count > 0) {
            const std::string who = ofReal ? "real " : "padded ";
            result.text = counted(queries, who + "query sees ", who + "queries see ") +
                          counted(static_cast<std::int64_t>(pads.size()), "pad key.", "pad keys.");
            result.fix = "Block the columns of padding, after everything else.";
            return result;
        }
    }
    return std::nullopt;
}

std::optional<RuleResult> padQueryActive(const LintContext& context)
{
    bool seesOnlyPads = false;
    std::int64_t rows = 0;
    RuleResult result;
    result.cells = context.countRows([&](const RowPlace& row) {
        if (context.isRealQuery(row)) {
            return RowRanges{};
        }
        RowRanges kept = context.kept(row);
        rows += kept.empty() ? 0 : 1;
        seesOnlyPads = seesOnlyPads ||
                       (!kept.empty() && without(context, kept, context.padKeys(row.item)).empty());
        return kept;
    });
    result.severity = seesOnlyPads ? LintSeverity::Warning : LintSeverity::Info;
    result.text = counted(rows, "query of padding has", "queries of padding have") +
                  " keys to attend to" + (seesOnlyPads ? ", some of them padding alone." : ".");
    result.fix = "Harmless for other tokens; leave these rows out of loss, pooling and pictures.";
    return result;
}

std::optional<RuleResult> positionIds(const LintContext& context)
{
    const auto& positions = context.given().positionIds;
    const auto keys = static_cast<std::int64_t>(positions.front().size());
    RuleResult result;
    std::int64_t first = -1;
    for (std::size_t item = 0; item < positions.size(); ++item) {
        const auto itemNumber = static_cast<std::int64_t>(item);
        std::int64_t wanted = 0; // of the next real token
        std::int64_t before = -1;
        for (std::int64_t at = 0; at < keys; ++at) {
            const bool isReal =
                !context.knowsPadding() || keys != context.extents().keys ||
                context.isReal(std::min(itemNumber, context.extents().items - 1), at);
            const std::int64_t has = positions[item][static_cast<std::size_t>(at)];
            if (!isReal) {
                continue;
            }
            // A new document starts again at 0; anything else goes on by one.
            const bool restarts = has == 0 && !context.given().documents.empty();
            const bool jumps = has != wanted && has != before + 1;
            const bool startsLate =
                before < 0 && has != 0 && context.knowsPadding() && !context.given().past;
            if (!restarts && (jumps || startsLate)) {
                ++result.cells.count;
                result.cells.cells.push_back({itemNumber, 0, at, 0});
            }
            if (result.cells.count == 1 && first < 0) {
                first = has;
            }
            before = has;
            wanted = restarts ? 1 : wanted + 1;
        }
    }
    result.text = "Positions are not those of the real tokens: one of them has " +
                  std::to_string(first) + ".";
    result.fix = "Use cumsum(attention_mask) - 1; the first real token has position 0.";
    return result;
}

// ------------------------------------------------------------------------------------ documents

std::int64_t documentOf(const LintContext& context, std::int64_t item, std::int64_t position)
{
    return LintContext::at(context.given().documents, item, position, -1);
}

RowRanges acrossDocuments(const LintContext& context, const RowPlace& row)
{
    const std::int64_t own = documentOf(context, row.item, row.query + context.offset());
    RowRanges across;
    for (const KeyRange& range : context.kept(row)) {
        for (std::int64_t key = range.begin; key < range.end; ++key) {
            if (documentOf(context, row.item, key) != own) {
                appendRange(across, key, key + 1, context.allKeys());
            }
        }
    }
    return across;
}

std::optional<RuleResult> documentLeak(const LintContext& context)
{
    RuleResult result;
    result.cells = context.countRows([&](const RowPlace& row) {
        return context.isRealQuery(row)
                   ? without(context, acrossDocuments(context, row), context.padKeys(row.item))
                   : RowRanges{};
    });
    result.text = counted(result.cells.count, "cell crosses", "cells cross") +
                  " from one document into another, the first at " + firstPlace(result.cells) + ".";
    result.fix = "Keep only document[i] == document[j].";
    return result;
}

/// Where positions start again, with the documents that follow from that.
std::vector<std::int64_t> documentsOfPositions(const std::vector<std::int64_t>& positions)
{
    std::vector<std::int64_t> documents;
    std::int64_t document = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        document += i > 0 && positions[i] != positions[i - 1] + 1 ? 1 : 0;
        documents.push_back(document);
    }
    return documents;
}

std::optional<RuleResult> documentsHalfDone(const LintContext& context)
{
    const auto& positions = context.given().positionIds;
    if (positions.empty() || context.knowsPadding() ||
        static_cast<std::int64_t>(positions.front().size()) != context.extents().keys) {
        return std::nullopt;
    }
    const auto byPosition = documentsOfPositions(positions.front());
    RuleResult result;
    if (byPosition.back() == 0) { // positions never start again: they ought to
        const auto& documents = context.given().documents;
        const bool isIsolated =
            !documents.empty() && documents.front().front() != documents.front().back() &&
            context.countRows([&](const RowPlace& row) { return acrossDocuments(context, row); })
                    .count == 0;
        if (!isIsolated) {
            return std::nullopt;
        }
        result.cells.count = static_cast<std::int64_t>(positions.front().size());
        result.text = "The mask isolates documents, and positions run through all of them.";
        result.fix = "Start positions again with every document.";
        return result;
    }
    result.cells = context.countRows([&](const RowPlace& row) {
        const std::int64_t own = row.query + context.offset();
        RowRanges across;
        for (const KeyRange& range : context.kept(row)) {
            for (std::int64_t key = range.begin; key < range.end; ++key) {
                if (own >= 0 && own < context.extents().keys &&
                    byPosition[static_cast<std::size_t>(key)] !=
                        byPosition[static_cast<std::size_t>(own)]) {
                    appendRange(across, key, key + 1, context.allKeys());
                }
            }
        }
        return across;
    });
    result.text = "Positions start again within the text, and the mask does not: " +
                  counted(result.cells.count, "cell crosses", "cells cross") + " a restart.";
    result.fix = "Starting positions again does not isolate documents: mask them, too.";
    return result;
}

// --------------------------------------------------------------------------------------- groups

std::optional<RuleResult> groupBroken(const LintContext& context)
{
    const auto& groups = context.given().groups;
    std::int64_t first = -1;
    RuleResult result;
    if (groups.empty()) {
        result.cells = context.countRows([&](const RowPlace& row) {
            return difference(context, context.kept(row), context.intended(row));
        });
        result.text = counted(result.cells.count, "cell is", "cells are") +
                      " not what the groups of the intent want, the first at " +
                      firstPlace(result.cells) + ".";
        result.fix = "Compare the groups cell by cell: a wrong axis or shift moves whole regions.";
        return result;
    }
    const bool hasWindow = context.window() != nullptr || context.intends(MaskFamily::Window) ||
                           context.intends(MaskFamily::Symmetric);
    result.cells = context.countRows([&](const RowPlace& row) {
        const std::int64_t own =
            LintContext::at(groups, row.item, row.query + context.offset(), -1);
        RowRanges members;
        for (std::int64_t key = 0; own >= 0 && key < context.extents().keys; ++key) {
            if (LintContext::at(groups, row.item, key, -1) == own) {
                appendRange(members, key, key + 1, context.allKeys());
            }
        }
        RowRanges within = members;
        if (context.window() != nullptr || context.intent() != nullptr) {
            intersect(members, context.windowed(row), within);
        }
        RowRanges wrong = without(context, within, context.kept(row));
        if (hasWindow) {
            RowRanges beyond;
            intersect(without(context, members, within), context.kept(row), beyond);
            RowRanges joined;
            unite(wrong, beyond, joined);
            wrong.swap(joined);
        }
        first = first < 0 && !wrong.empty() ? own : first;
        return wrong;
    });
    result.text = "Group " + std::to_string(first) + " is not connected as it ought to be: " +
                  counted(result.cells.count, "cell is", "cells are") +
                  " missing within groups, or open beyond the window.";
    result.fix = "Open all cells whose query and key lie in one group, within the window.";
    return result;
}

std::optional<RuleResult> treeLeak(const LintContext& context)
{
    RuleResult result;
    result.cells = context.countRows([&](const RowPlace& row) {
        return difference(context, context.kept(row), context.intended(row));
    });
    if (result.cells.count == 0) {
        return std::nullopt;
    }
    const auto& cell = result.cells.cells.front();
    const bool isSeen = !without(context, context.kept({cell[0], cell[1], cell[2]}),
                                 context.intended({cell[0], cell[1], cell[2]}))
                             .empty();
    result.text = "Node " + std::to_string(cell[2]) + (isSeen ? " sees " : " misses ") +
                  std::to_string(cell[3]) +
                  (isSeen ? ", which is no ancestor." : ", which is in its path.");
    result.fix = "A node sees the prefix, its ancestors and itself.";
    return result;
}

constexpr std::array Rules = {
    LintRule{
        {"R20", "pad key seen", "a real query may attend to padding"}, lacksPadding, padKeySeen},
    LintRule{
        {"R21", "pad query active", "queries of padding have keys"}, lacksPadding, padQueryActive},
    LintRule{{"R22", "position ids", "positions are not those of the real tokens"},
             lacksPositions,
             positionIds},
    LintRule{
        {"R25", "document leak", "a kept cell joins two documents"}, lacksDocuments, documentLeak},
    LintRule{{"R26", "documents half done",
              "positions start again and the mask does not, or the "
              "reverse"},
             lacksDocumentsOrPositions,
             documentsHalfDone},
    LintRule{{"R27", "group broken", "cells within a group are blocked"}, lacksGroups, groupBroken},
    LintRule{{"R38", "tree leak", "a node sees what is not its path"}, lacksTree, treeLeak},
};

} // namespace

std::span<const LintRule> factRules()
{
    return Rules;
}

} // namespace heed::detail
