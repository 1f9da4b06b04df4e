// A compiled mask as text and as JSON.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "maskpicture.h"

#include "console.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace heed::cli {

namespace {

constexpr std::int64_t MostCellsAcross = 64; // one cell a column still fits beside the labels
constexpr std::int64_t MostRows = 64;
// Characters of a block picture; one is twice as high as wide.
constexpr std::int64_t MostBlocksAcross = 48;
constexpr std::int64_t MostBlocksDown = 24;
constexpr std::int64_t MostPlanes = 4; // pictures printed; the rest is counted
constexpr std::int64_t MostRanges = 8; // ranges of empty rows listed
constexpr std::int64_t MostJsonCells = 1 << 18;
constexpr int LabelColumns = 12;

struct Reason {
    MaskReason reason;
    char letter;
};
constexpr std::array<Reason, 7> Reasons = {{{MaskReason::Padding, 'p'},
                                            {MaskReason::Causal, 'c'},
                                            {MaskReason::Window, 'w'},
                                            {MaskReason::Documents, 'd'},
                                            {MaskReason::Prefix, 'x'},
                                            {MaskReason::File, 'f'},
                                            {MaskReason::Other, 'o'}}};
constexpr char Several = '*';

/// "1 query", "5 queries".
std::string counted(std::int64_t count, const char* one, const char* several)
{
    return std::to_string(count) + " " + (count == 1 ? one : several);
}

std::string sizeText(std::int64_t queries, std::int64_t keys)
{
    return counted(queries, "query", "queries") + " × " + counted(keys, "key", "keys");
}

/// @p planes reports beside the mask, each with @p bytesPerRow for every row.
Expected<void> checkReport(const CompiledMask& mask, std::int64_t planes, double bytesPerRow,
                           const Execution& execution)
{
    const double counts =
        static_cast<double>(planes) * static_cast<double>(mask.context().queries) * bytesPerRow;
    return checkMemory(mask.bytes() + static_cast<std::int64_t>(std::min(counts, 0x1p61)),
                       "The mask with the counts of its rows", execution,
                       "ask for fewer queries, items or heads");
}

struct PlaneFacts {
    std::vector<std::int64_t> keptPerRow;
    std::vector<std::int64_t> emptyRows;
    std::int64_t kept = 0;
};

Expected<PlaneFacts> factsOf(const CompiledMask& mask, std::int64_t item, std::int64_t head,
                             const Execution& execution)
{
    constexpr std::int64_t rowsBetweenPolls = 4096;
    PlaneFacts facts;
    for (std::int64_t row = 0; row < mask.context().queries; ++row) {
        if (row % rowsBetweenPolls == 0 && execution.cancelled()) {
            return fail(Code::Cancelled, "Stopped.");
        }
        const std::int64_t kept = mask.keptInRow(item, head, row);
        facts.keptPerRow.push_back(kept);
        facts.kept += kept;
        if (kept == 0) {
            facts.emptyRows.push_back(row);
        }
    }
    return facts;
}

/// "2, 5-9 and 12 more".
std::string rangesText(const std::vector<std::int64_t>& rows)
{
    std::string text;
    std::size_t begin = 0;
    for (std::int64_t ranges = 0; begin < rows.size(); ++ranges) {
        if (ranges == MostRanges) {
            return text + " and " + std::to_string(rows.size() - begin) + " more";
        }
        std::size_t end = begin + 1;
        while (end < rows.size() && rows[end] == rows[end - 1] + 1) {
            ++end;
        }
        text += (text.empty() ? "" : ", ") + std::to_string(rows[begin]);
        if (end - begin > 1) {
            text += "-" + std::to_string(rows[end - 1]);
        }
        begin = end;
    }
    return text;
}

/// Some is never "0.0 %", and not all is never "100.0 %".
std::string shareText(std::int64_t part, double whole)
{
    const double percent = whole > 0 ? 100 * static_cast<double>(part) / whole : 0.0;
    if (part > 0 && percent < 0.05) {
        return "under 0.1 %";
    }
    if (static_cast<double>(part) < whole && percent >= 99.95) {
        return "over 99.9 %";
    }
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f %%", percent);
    return text.data();
}

double cellCount(const MaskContext& context)
{
    return static_cast<double>(context.queries) * static_cast<double>(context.keys);
}

std::string rowLabel(const MaskPictureInput& input, std::int64_t item, std::int64_t row)
{
    std::string label = padLeft(std::to_string(row), 4) + " ";
    if (input.tokens) {
        const Token& token =
            input.tokens->items[static_cast<std::size_t>(item)][static_cast<std::size_t>(row)];
        label += padRight(shorten(printable(displayText(token)), LabelColumns), LabelColumns) + " ";
    }
    return label;
}

/// Positions over the columns, units below tens.
std::string columnHeading(std::int64_t keys, int indent)
{
    const auto blanks = std::string(static_cast<std::size_t>(indent), ' ');
    std::string tens = blanks;
    std::string units = blanks;
    for (std::int64_t key = 0; key < keys; ++key) {
        tens += key % 10 == 0 && key > 0 ? std::to_string(key / 10) : " ";
        units += std::to_string(key % 10);
    }
    return (keys > 10 ? tens + "\n" : "") + units + "  kept\n";
}

std::string cellsPicture(const MaskPictureInput& input, std::int64_t item, std::int64_t head,
                         const PlaneFacts& facts, MaskReasons& seen, bool& severalSeen)
{
    const MaskContext& context = input.context;
    const int indent = displayWidth(rowLabel(input, item, 0));
    std::string text = columnHeading(context.keys, indent);
    for (std::int64_t row = 0; row < context.queries; ++row) {
        text += rowLabel(input, item, row);
        for (std::int64_t key = 0; key < context.keys; ++key) {
            const MaskReasons reasons = input.mask->reasons(item, head, row, key);
            seen = static_cast<MaskReasons>(seen | reasons);
            if (input.mask->keeps(item, head, row, key)) {
                text += "█";
            } else if (std::popcount(reasons) > 1) {
                severalSeen = true;
                text += Several;
            } else {
                const auto reason =
                    std::find_if(Reasons.begin(), Reasons.end(), [reasons](const Reason& one) {
                        return static_cast<MaskReasons>(one.reason) == reasons;
                    });
                text += reason == Reasons.end() ? "·" : std::string(1, reason->letter);
            }
        }
        const std::int64_t kept = facts.keptPerRow[static_cast<std::size_t>(row)];
        text += padLeft(std::to_string(kept), 6) + (kept == 0 ? "  nothing allowed" : "") + "\n";
    }
    return text;
}

std::string blocksPicture(const MaskPictureInput& input, std::int64_t item, std::int64_t head)
{
    const MaskContext& context = input.context;
    const std::int64_t down = (context.queries + MostBlocksDown - 1) / MostBlocksDown;
    const std::int64_t across = (context.keys + MostBlocksAcross - 1) / MostBlocksAcross;
    std::string text =
        "a character covers " + sizeText(down, across) + ": █ all kept, ▒ mixed, · all masked\n";
    for (std::int64_t row = 0; row < context.queries; row += down) {
        text += padLeft(std::to_string(row), 9) + " ";
        for (std::int64_t key = 0; key < context.keys; key += across) {
            switch (input.mask->classify(item, head, row, key, down, across)) {
            case BlockClass::AllKept:
                text += "█";
                break;
            case BlockClass::AllMasked:
                text += "·";
                break;
            case BlockClass::Mixed:
                text += "▒";
                break;
            }
        }
        text += "\n";
    }
    return text;
}

std::string legendText(MaskReasons seen, bool severalSeen)
{
    std::string text = "█ kept";
    for (const Reason& reason : Reasons) {
        if ((seen & static_cast<MaskReasons>(reason.reason)) != 0) {
            text +=
                std::string("  ") + reason.letter + " " + std::string(reasonName(reason.reason));
        }
    }
    return text + (severalSeen ? std::string("  ") + Several + " several reasons\n" : "\n");
}

/// @param eachItem items are shown one by one even where their masks are equal.
std::string planeName(const CompiledMask& mask, std::int64_t item, std::int64_t head, bool eachItem)
{
    std::string name;
    if (mask.context().items > 1) {
        name = !eachItem && mask.sameForAllItems() ? "all items" : "item " + std::to_string(item);
    }
    if (mask.context().heads > 1) {
        name += (name.empty() ? "" : ", ");
        name += mask.sameForAllHeads() ? "all heads" : "head " + std::to_string(head);
    }
    return name.empty() ? "" : name + ": ";
}

} // namespace

Expected<std::string> maskText(const MaskPictureInput& input, const Execution& execution)
{
    const CompiledMask& mask = *input.mask;
    const MaskContext& context = input.context;
    const std::int64_t items = mask.sameForAllItems() && !input.tokens ? 1 : context.items;
    const std::int64_t heads = mask.sameForAllHeads() ? 1 : context.heads;
    const bool isSmall = context.queries <= MostRows && context.keys <= MostCellsAcross;

    if (auto fits = checkReport(mask, 1, 2 * sizeof(std::int64_t), execution); !fits) {
        return tl::unexpected(fits.error());
    }
    std::string text =
        printable(mask.expression()) + "   " + sizeText(context.queries, context.keys) + "\n";
    MaskReasons seen = 0;
    bool severalSeen = false;
    for (std::int64_t plane = 0; plane < std::min(items * heads, MostPlanes); ++plane) {
        const std::int64_t item = plane / heads;
        const std::int64_t head = plane % heads;
        const auto facts = factsOf(mask, item, head, execution);
        if (!facts) {
            return tl::unexpected(facts.error());
        }
        const auto [least, most] =
            std::minmax_element(facts->keptPerRow.begin(), facts->keptPerRow.end());
        text += "\n" + planeName(mask, item, head, items > 1) +
                counted(facts->kept, "cell", "cells") + " kept (" +
                shareText(facts->kept, cellCount(context)) + "), " +
                (*least == *most ? "" : std::to_string(*least) + " to ") + std::to_string(*most) +
                " a row\n";
        text += isSmall ? cellsPicture(input, item, head, *facts, seen, severalSeen)
                        : blocksPicture(input, item, head);
        if (!facts->emptyRows.empty()) {
            const bool one = facts->emptyRows.size() == 1;
            text += std::to_string(facts->emptyRows.size()) + (one ? " row has" : " rows have") +
                    " nothing allowed: " + rangesText(facts->emptyRows) +
                    (one ? ". Its" : ". Their") +
                    " weights are zeros here; other programs give NaN or an average.\n";
        }
    }
    if (items * heads > MostPlanes) {
        text += "\n" + counted(items * heads - MostPlanes, "more mask is", "more masks are") +
                " not drawn; --json has the counts of all.\n";
    }
    return isSmall ? text + "\n" + legendText(seen, severalSeen) : text;
}

Expected<std::string> maskJson(const MaskPictureInput& input, const Execution& execution)
{
    const CompiledMask& mask = *input.mask;
    const MaskContext& context = input.context;
    const std::int64_t heads = mask.sameForAllHeads() ? 1 : context.heads;
    const bool withCells = cellCount(context) * static_cast<double>(context.items * heads) <=
                           static_cast<double>(MostJsonCells);
    // A number as JSON and as text, beside the counts.
    constexpr double bytesPerRow = 2 * (sizeof(std::int64_t) + sizeof(nlohmann::json)) + 10;
    if (auto fits = checkReport(mask, context.items * heads, bytesPerRow, execution); !fits) {
        return tl::unexpected(fits.error());
    }
    nlohmann::json planes = nlohmann::json::array();
    for (std::int64_t plane = 0; plane < context.items * heads; ++plane) {
        const std::int64_t item = plane / heads;
        const std::int64_t head = plane % heads;
        const auto facts = factsOf(mask, item, head, execution);
        if (!facts) {
            return tl::unexpected(facts.error());
        }
        nlohmann::json one = {{"item", item},
                              {"kept", facts->kept},
                              {"density", static_cast<double>(facts->kept) / cellCount(context)},
                              {"kept_per_row", facts->keptPerRow},
                              {"empty_rows", facts->emptyRows}};
        one["head"] = mask.sameForAllHeads() ? nlohmann::json() : nlohmann::json(head);
        if (withCells) {
            nlohmann::json rows = nlohmann::json::array();
            nlohmann::json reasons = nlohmann::json::object();
            for (std::int64_t row = 0; row < context.queries; ++row) {
                nlohmann::json cells = nlohmann::json::array();
                for (std::int64_t key = 0; key < context.keys; ++key) {
                    cells.push_back(mask.keeps(item, head, row, key));
                    const MaskReasons why = mask.reasons(item, head, row, key);
                    for (const Reason& reason : Reasons) {
                        if ((why & static_cast<MaskReasons>(reason.reason)) != 0) {
                            nlohmann::json& count = reasons[std::string(reasonName(reason.reason))];
                            count = count.is_null() ? 1 : count.get<std::int64_t>() + 1;
                        }
                    }
                }
                rows.push_back(std::move(cells));
            }
            one["mask"] = std::move(rows);
            one["masked_by"] = std::move(reasons);
        }
        planes.push_back(std::move(one));
    }
    const nlohmann::json whole = {{"schema", "heedmap.mask/1"},
                                  {"expression", mask.expression()},
                                  {"queries", context.queries},
                                  {"keys", context.keys},
                                  {"items", context.items},
                                  {"heads", context.heads},
                                  {"planes", planes}};
    return whole.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace heed::cli
