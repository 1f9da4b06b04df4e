// The kept keys of one row as ascending, disjoint ranges, and their algebra.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/mask.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heed::detail {

/// Ascending, disjoint, not touching, none empty, all within the keys in question.
using RowRanges = std::vector<KeyRange>;

/// Adds [begin, end), clipped to @p keys, to the end of @p row. Ranges come in ascending order of
/// begin; those that touch or overlap the last one are joined to it.
inline void appendRange(RowRanges& row, std::int64_t begin, std::int64_t end, KeyRange keys)
{
    begin = std::max<std::int64_t>(begin, keys.begin);
    end = std::min<std::int64_t>(end, keys.end);
    if (begin >= end) {
        return;
    }
    if (!row.empty() && begin <= row.back().end) {
        row.back().end = std::max(row.back().end, static_cast<std::int32_t>(end));
        return;
    }
    row.push_back({static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)});
}

/// Adds those of @p keys whose bits are set, bit j%64 of word j/64 for key j.
void appendBits(RowRanges& row, const std::uint64_t* words, KeyRange keys);

/// Each replaces @p out; it must be none of the inputs. O(number of ranges).
void complement(const RowRanges& row, KeyRange keys, RowRanges& out);
void intersect(const RowRanges& a, const RowRanges& b, RowRanges& out);
void unite(const RowRanges& a, const RowRanges& b, RowRanges& out);

} // namespace heed::detail
