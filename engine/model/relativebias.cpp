// Positions by distance, as T5 has them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/relativebias.h"

#include <algorithm>
#include <cmath>

namespace heed::detail {

std::int64_t relativeBucket(const RelativeBias& settings, bool bothSides, std::int64_t i,
                            std::int64_t j)
{
    const std::int64_t buckets = bothSides ? settings.buckets / 2 : settings.buckets;
    const std::int64_t first = bothSides && j > i ? buckets : 0;
    const std::int64_t distance = bothSides ? std::abs(i - j) : std::max<std::int64_t>(0, i - j);
    const std::int64_t exact = buckets / 2; // distances with a bucket of their own
    if (distance < exact) {
        return first + distance;
    }
    // Rounded as the models were trained with: logarithms in float32.
    const float share = std::log(static_cast<float>(distance) / static_cast<float>(exact)) /
                        static_cast<float>(std::log(static_cast<double>(settings.distance) /
                                                    static_cast<double>(exact)));
    const auto more = static_cast<std::int64_t>(share * static_cast<float>(buckets - exact));
    return first + std::min(exact + more, buckets - 1);
}

std::shared_ptr<const std::vector<float>> distanceBias(const RelativeBias& settings, bool bothSides,
                                                       ConstMatrixView<float> table,
                                                       std::int64_t length)
{
    auto numbers = std::make_shared<std::vector<float>>();
    const std::int64_t span = 2 * length - 1;
    numbers->reserve(static_cast<std::size_t>(table.columns * span));
    for (std::int64_t head = 0; head < table.columns; ++head) {
        for (std::int64_t at = 0; at < span; ++at) {
            // Place i − j + S − 1.
            const std::int64_t behind = at - (length - 1);
            numbers->push_back(
                table(relativeBucket(settings, bothSides, std::max<std::int64_t>(0, behind),
                                     std::max<std::int64_t>(0, -behind)),
                      head));
        }
    }
    return numbers;
}

} // namespace heed::detail
