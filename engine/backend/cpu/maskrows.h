// The kept keys of one row of a mask, cut to some keys.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend_abi.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace heed::cpu {

/// Calls run(begin, end) for every run of kept keys of row @p i inside [first, last), ascending.
template <typename Run>
void forEachRun(const heed_mask& mask, std::int64_t i, std::int64_t first, std::int64_t last,
                const Run& run)
{
    if (mask.is_bits == 0) {
        const heed_key_range* range = mask.ranges + mask.row_start[i];
        const heed_key_range* end = mask.ranges + mask.row_start[i + 1];
        if (end - range > 2) {
            range = std::partition_point(
                range, end, [first](const heed_key_range& r) { return r.end <= first; });
        }
        for (; range != end && range->begin < last; ++range) {
            const std::int64_t a = std::max<std::int64_t>(range->begin, first);
            const std::int64_t b = std::min<std::int64_t>(range->end, last);
            if (a < b) {
                run(a, b);
            }
        }
        return;
    }
    const std::uint64_t* words = mask.words + i * mask.words_per_row;
    std::int64_t j = first;
    while (j < last) {
        // Skip what is masked, then measure what is kept, a word at a time.
        std::uint64_t word = words[j / 64] >> (j % 64);
        if (word == 0) {
            j += 64 - j % 64;
            continue;
        }
        j += std::countr_zero(word);
        const std::int64_t begin = j;
        while (j < last) {
            word = ~(words[j / 64] >> (j % 64));
            const std::int64_t ones = std::min<std::int64_t>(std::countr_zero(word), 64 - j % 64);
            j += ones;
            if (j % 64 != 0 || ones == 0) {
                break;
            }
        }
        if (begin < last) {
            run(begin, std::min(j, last));
        }
    }
}

/// Kept keys of row @p i inside [first, last).
inline std::int64_t keptInRow(const heed_mask& mask, std::int64_t i, std::int64_t first,
                              std::int64_t last)
{
    std::int64_t kept = 0;
    forEachRun(mask, i, first, last,
               [&kept](std::int64_t begin, std::int64_t end) { kept += end - begin; });
    return kept;
}

} // namespace heed::cpu
