// The kept keys of one row as ascending, disjoint ranges, and their algebra.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/rowranges.h"

#include <bit>

namespace heed::detail {

void appendBits(RowRanges& row, const std::uint64_t* words, KeyRange keys)
{
    for (std::int64_t w = keys.begin / 64; w * 64 < keys.end; ++w) {
        // Runs of ones, lowest first; runs that go on in the next word are joined there.
        for (std::uint64_t rest = words[w]; rest != 0;) {
            const int begin = std::countr_zero(rest);
            const int length = std::countr_one(rest >> static_cast<unsigned>(begin));
            appendRange(row, w * 64 + begin, w * 64 + begin + length, keys);
            if (begin + length == 64) {
                break;
            }
            rest &= ~std::uint64_t{0} << static_cast<unsigned>(begin + length);
        }
    }
}

void complement(const RowRanges& row, KeyRange keys, RowRanges& out)
{
    out.clear();
    std::int32_t begin = keys.begin;
    for (const KeyRange& range : row) {
        appendRange(out, begin, range.begin, keys);
        begin = range.end;
    }
    appendRange(out, begin, keys.end, keys);
}

void intersect(const RowRanges& a, const RowRanges& b, RowRanges& out)
{
    out.clear();
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        const KeyRange common = {std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
        if (common.begin < common.end) {
            out.push_back(common);
        }
        (a[i].end < b[j].end ? i : j) += 1;
    }
}

void unite(const RowRanges& a, const RowRanges& b, RowRanges& out)
{
    out.clear();
    for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
        const bool takeA = j == b.size() || (i < a.size() && a[i].begin < b[j].begin);
        const KeyRange& next = takeA ? a[i++] : b[j++];
        if (!out.empty() && next.begin <= out.back().end) {
            out.back().end = std::max(out.back().end, next.end);
        } else {
            out.push_back(next);
        }
    }
}

} // namespace heed::detail
