// What attention costs in memory and arithmetic, from shapes alone.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/cost.h"

#include "heed/maps.h"

#include <initializer_list>
#include <limits>
#include <map>

namespace heed {

namespace {

constexpr std::int64_t MostBytes = std::numeric_limits<std::int64_t>::max();

std::int64_t product(std::initializer_list<std::int64_t> factors)
{
    std::int64_t result = 1;
    for (const std::int64_t factor : factors) {
        if (__builtin_mul_overflow(result, factor, &result)) {
            return MostBytes;
        }
    }
    return result;
}

std::int64_t sum(std::int64_t a, std::int64_t b)
{
    std::int64_t result = 0;
    return __builtin_add_overflow(a, b, &result) ? MostBytes : result;
}

constexpr std::int64_t TexelBytes = 2 * sizeof(float) + sizeof(MaskReasons); // Tile

} // namespace

Cost costOf(const CostShape& shape)
{
    constexpr std::int64_t number = sizeof(float);
    const std::int64_t maps = product({shape.layers, shape.items, shape.heads});
    const std::int64_t keyMaps =
        product({shape.layers, shape.items, shape.keyHeads > 0 ? shape.keyHeads : shape.heads});
    Cost cost;
    cost.storedWeights = product({maps, shape.queries, shape.keys, number});
    cost.projections =
        sum(product({maps, shape.queries, shape.width, number}),
            product({keyMaps, shape.keys, sum(shape.width, shape.valueWidth), number}));
    cost.rowStats = product({maps, shape.queries, RowStatsBytes});
    cost.cells = static_cast<double>(maps) * static_cast<double>(shape.queries) *
                 static_cast<double>(shape.keys);
    cost.scoreMultiplyAdds = cost.cells * static_cast<double>(shape.width);
    cost.valueMultiplyAdds = cost.cells * static_cast<double>(shape.valueWidth);
    return cost;
}

MaskCost costOf(const CompiledMask& mask)
{
    const MaskContext& context = mask.context();
    std::map<const void*, double> keptOf; // by where a plane's rows lie
    MaskCost cost;
    for (std::int64_t item = 0; item < context.items; ++item) {
        for (std::int64_t head = 0; head < context.heads; ++head) {
            const MaskPlane plane = mask.plane(item, head);
            const void* rows = plane.isBits ? static_cast<const void*>(plane.words.data())
                                            : static_cast<const void*>(plane.rowStart.data());
            const auto [known, isNew] = keptOf.try_emplace(rows, 0.0);
            if (isNew) {
                cost.bytes += static_cast<std::int64_t>(
                    plane.isBits ? plane.words.size_bytes()
                                 : plane.rowStart.size_bytes() + plane.ranges.size_bytes());
                for (std::int64_t query = 0; query < context.queries; ++query) {
                    known->second += static_cast<double>(mask.keptInRow(item, head, query));
                }
            }
            cost.keptCells += known->second;
        }
    }
    return cost;
}

std::int64_t tileBytes()
{
    return TileSide * TileSide * TexelBytes;
}

} // namespace heed
