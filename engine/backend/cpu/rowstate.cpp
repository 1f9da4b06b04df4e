// The running maximum of a panel of rows.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rowstate.h"

#include <cmath>

namespace heed::cpu {
namespace {

/// The first key from @p begin on at which each lane of @p wanted in vector @p half has what @p
/// tops says. @pre every one of them has it somewhere.
IntV firstKeys(const Block& block, std::int64_t first, std::int64_t begin, FloatV tops, IntV wanted,
               int half)
{
    IntV keys{};
    for (auto j = static_cast<std::int32_t>(begin); any(wanted); ++j) {
        const IntV isHere = (load(block.key(j - first) + half * Lanes) == tops) & wanted;
        keys = isHere ? IntV{} + j : keys;
        wanted &= ~isHere;
    }
    return keys;
}

} // namespace

void RowStates::clear()
{
    max.fill(-Infinity);
    sum.fill(0);
    drop.fill(0);
    distance.fill(0);
    argmax.fill(-1);
}

bool RowStates::raise(const Block& block, std::int64_t first, std::int64_t begin,
                      const PerLane<float>& blockMax, PerLane<double>& factors)
{
    FloatV tops[2];
    IntV rises[2];
    for (int half = 0; half < 2; ++half) {
        const FloatV old = load(max.data() + half * Lanes);
        tops[half] = load(blockMax.data() + half * Lanes);
        rises[half] = tops[half] > old;
    }
    if (!any(rises[0] | rises[1])) {
        return false;
    }
    for (int half = 0; half < 2; ++half) {
        const IntV keys = firstKeys(block, first, begin, tops[half], rises[half], half);
        for (int lane = 0; lane < Lanes; ++lane) {
            const auto at = laneAt(half, lane);
            factors[at] = 1;
            if (rises[half][lane] == 0) {
                continue;
            }
            if (sum[at] > 0) {
                const double rise = double{tops[half][lane]} - double{max[at]};
                factors[at] = std::exp(-rise);
                drop[at] = (drop[at] + rise * sum[at]) * factors[at];
                sum[at] *= factors[at];
                distance[at] *= factors[at];
            }
            max[at] = tops[half][lane];
            argmax[at] = keys[lane];
        }
    }
    return true;
}

void maxOfBlock(const Block& block, std::int64_t begin, std::int64_t end, PerLane<float>& max)
{
    FloatV left = splat(-Infinity);
    FloatV right = left;
    for (std::int64_t j = begin; j < end; ++j) {
        left = maxV(load(block.key(j)), left);
        right = maxV(load(block.key(j) + Lanes), right);
    }
    store(max.data(), left);
    store(max.data() + Lanes, right);
}

} // namespace heed::cpu
