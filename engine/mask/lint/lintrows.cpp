// Rows and words that several rules share.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/lint/lintrows.h"

#include <algorithm>
#include <cmath>

namespace heed::detail {

std::string cellPlace(std::int64_t query, std::int64_t key)
{
    return "(" + std::to_string(query) + ", " + std::to_string(key) + ")";
}

std::string firstPlace(const CellCount& cells)
{
    return cells.cells.empty() ? "" : cellPlace(cells.cells.front()[2], cells.cells.front()[3]);
}

std::string counted(std::int64_t count, const std::string& one, const std::string& more)
{
    return std::to_string(count) + " " + (count == 1 ? one : more);
}

std::int64_t sizeOf(const RowRanges& row)
{
    std::int64_t size = 0;
    for (const KeyRange& range : row) {
        size += range.end - range.begin;
    }
    return size;
}

RowRanges without(const LintContext& context, const RowRanges& row, const RowRanges& taken)
{
    RowRanges rest;
    RowRanges result;
    complement(taken, context.allKeys(), rest);
    intersect(row, rest, result);
    return result;
}

RowRanges difference(const LintContext& context, const RowRanges& a, const RowRanges& b)
{
    RowRanges result;
    unite(without(context, a, b), without(context, b, a), result);
    return result;
}

RowRanges triangleRow(const LintContext& context, std::int64_t query, std::int64_t offset)
{
    RowRanges row;
    appendRange(row, 0, query + offset + 1, context.allKeys());
    return row;
}

std::optional<std::int64_t> edgeOffset(const LintContext& context)
{
    std::optional<std::int64_t> offset;
    const std::int64_t keys = context.extents().keys;
    std::int64_t open = 0; // rows whose end is not cut
    const bool isEdge = forEveryRow(context, [&](const RowPlace& row) {
        const RowRanges kept = context.kept(row);
        if (kept.empty()) {
            return true; // checked below, by what an offset says of it
        }
        const std::int64_t last = kept.back().end - 1;
        if (last == keys - 1) {
            return true;
        }
        ++open;
        if (!offset) {
            offset = last - row.query;
        }
        return last - row.query == *offset;
    });
    if (!isEdge || !offset) {
        return std::nullopt;
    }
    const bool fitsAll = forEveryRow(context, [&](const RowPlace& row) {
        const std::int64_t end = row.query + *offset;
        const RowRanges kept = context.kept(row);
        return kept.empty() ? end < 0 : kept.back().end - 1 == std::min(end, keys - 1);
    });
    return fitsAll && (open > 1 || context.extents().queries == 1) ? offset : std::nullopt;
}

bool isFinitelyEmpty(const LintContext& context, const RowPlace& row)
{
    if (context.reading().masks.empty() || !context.kept(row).empty()) {
        return false;
    }
    for (std::int64_t key = 0; key < context.extents().keys; ++key) {
        double sum = 0;
        for (const ReadMask& mask : context.reading().masks) {
            const double number = mask.number(row.item, row.head, row.query, key);
            if (!isAdded(mask) && !keepsCell(mask.meaning, number)) {
                return false; // blocked by a mask that is no penalty
            }
            sum += isAdded(mask) ? number : 0;
        }
        if (!std::isfinite(sum)) {
            return false;
        }
    }
    return true;
}

std::string lacksKept(const LintContext& context)
{
    return context.reading().kept == nullptr ? "a mask that fits" : "";
}

std::string lacksIntent(const LintContext& context)
{
    if (std::string mask = lacksKept(context); !mask.empty()) {
        return mask;
    }
    return context.intent() == nullptr ? "intent" : "";
}

} // namespace heed::detail
