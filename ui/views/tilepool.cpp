// Pooling of texels that are already there.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tilepool.h"

#include <algorithm>
#include <cmath>

namespace heed::ui {

namespace {

struct Pool {
    double value = 0;
    double weight = 0; ///< kept cells, in texels
    double masked = 0;
    int count = 0;
    MaskReasons reasons = 0;

    void add(double v, double share, MaskReasons why, Pooling pooling)
    {
        ++count;
        masked += share;
        reasons |= why;
        if (share >= 1) {
            return;
        }
        const double kept = 1 - share;
        if (weight > 0 && !std::isfinite(value)) {
            return;
        }
        const bool isExtreme = pooling == Pooling::Max || pooling == Pooling::AbsMax;
        const bool leads =
            weight == 0 || (pooling == Pooling::Max ? v > value : std::abs(v) > std::abs(value));
        if (!std::isfinite(v) || (isExtreme && leads)) {
            value = v;
        } else if (pooling == Pooling::Mean) {
            value = (value * weight + v * kept) / (weight + kept);
        } else if (pooling == Pooling::Mass) {
            value += v;
        }
        weight += kept;
    }
};

} // namespace

Tile coarserTile(const Tile& tile, Pooling pooling, int levels)
{
    if (levels <= 0) {
        return tile;
    }
    const std::int64_t side = std::int64_t{1} << std::min(levels, 20);
    const TileTexels& fine = tile.texels;
    Tile result;
    result.texels.rows = (fine.rows + side - 1) / side;
    result.texels.columns = (fine.columns + side - 1) / side;
    for (std::int64_t r = 0; r < result.texels.rows; ++r) {
        for (std::int64_t c = 0; c < result.texels.columns; ++c) {
            Pool pool;
            for (std::int64_t y = r * side; y < std::min(fine.rows, (r + 1) * side); ++y) {
                for (std::int64_t x = c * side; x < std::min(fine.columns, (c + 1) * side); ++x) {
                    const auto i = static_cast<std::size_t>(y * fine.columns + x);
                    pool.add(static_cast<double>(fine.values[i]),
                             static_cast<double>(fine.maskedShare[i]),
                             i < tile.reasons.size() ? tile.reasons[i] : MaskReasons{0}, pooling);
                }
            }
            result.texels.values.push_back(static_cast<float>(pool.value));
            result.texels.maskedShare.push_back(static_cast<float>(pool.masked / pool.count));
            result.reasons.push_back(pool.reasons);
        }
    }
    return result;
}

} // namespace heed::ui
