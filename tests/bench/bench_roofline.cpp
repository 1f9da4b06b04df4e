// How near survey and attend come to the multiply-add peak of this machine, and how time grows.
//
// Peak and operation take turns and the shortest times count. `share` is multiply-adds of the kept
// cells over the peak, exponentials not counted: once by the wall with all threads, once by the
// processor time of one thread, which other programs on the machine disturb less.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/speed.h"

#include <cstdio>
#include <string>
#include <vector>

using namespace heed;

namespace {

bool fails(const Error& error)
{
    std::fprintf(stderr, "%s %s\n", error.context.c_str(), error.message.c_str());
    return false;
}

/// The largest maps: what matters there is how near to the peak they are.
bool shares(const Backend& backend)
{
    std::puts("   mask       n  survey ms  share  attend ms  share | one thread: survey  attend");
    for (const char* mask : {"none", "causal"}) {
        for (const std::int64_t side : {8192, 16384, 32768}) {
            SpeedSpec spec{.side = side, .mask = mask};
            const auto wall = measureSpeed(backend, spec, {});
            spec.processorTime = true;
            spec.leastRepeats = 2;
            const auto processor = measureSpeed(backend, spec, {.threads = 1});
            if (!wall || !processor) {
                return fails(wall ? processor.error() : wall.error());
            }
            std::printf("%7s %7lld %10.1f %5.1f%% %10.1f %5.1f%% | %17.1f%% %6.1f%%\n", mask,
                        static_cast<long long>(side), wall->surveySeconds * 1e3,
                        wall->surveyShare * 100, wall->attendSeconds * 1e3, wall->attendShare * 100,
                        processor->surveyShare * 100, processor->attendShare * 100);
        }
    }
    return true;
}

/// n² work for a full mask, n for a window; a tile costs the same whatever is around it.
bool growth(const Backend& backend)
{
    for (const char* mask : {"none", "window(128)"}) {
        std::vector<double> sizes;
        std::vector<double> survey;
        std::vector<double> tile;
        for (std::int64_t side = 2048; side <= 32768; side *= 2) {
            const auto speed = measureSpeed(
                backend, {.side = side, .mask = mask, .values = false, .processorTime = true},
                {.threads = 1});
            if (!speed) {
                return fails(speed.error());
            }
            sizes.push_back(static_cast<double>(side));
            survey.push_back(speed->surveySeconds);
            tile.push_back(speed->tileSeconds);
        }
        std::printf("%12s: survey grows as n^%.3f from %.2f ms to %.2f ms, a tile of 256 x 256 "
                    "cells as n^%.3f to %.3f ms\n",
                    mask, growthExponent(sizes, survey), survey.front() * 1e3, survey.back() * 1e3,
                    growthExponent(sizes, tile), tile.back() * 1e3);
    }
    return true;
}

} // namespace

int main()
{
    const auto backend = BackendRegistry::instance().open("auto");
    if (!backend) {
        fails(backend.error());
        return 1;
    }
    std::printf("%s, D = 64, survey with a picture of at most 1024 x 1024 texels\n",
                (*backend)->description().c_str());
    return shares(**backend) && growth(**backend) ? 0 : 1;
}
