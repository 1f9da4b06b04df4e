// Maps put together from their tiles.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure/figuredata.h"

#include <QRgb>
#include <algorithm>
#include <cmath>

namespace heed::ui {

namespace {

std::int64_t texelsFor(std::int64_t cells, int level)
{
    return (cells + (std::int64_t{1} << level) - 1) >> level;
}

} // namespace

int finestLevel(std::int64_t cells, std::int64_t mostTexels, int level)
{
    while (texelsFor(cells, level) > std::max<std::int64_t>(mostTexels, 1)) {
        ++level;
    }
    return level;
}

std::int64_t figureMapBytes(const MapsShape& shape, int level)
{
    // Value, share and reasons, and twice a pixel for its picture and the one on the page.
    constexpr std::int64_t bytesPerTexel =
        2 * sizeof(float) + sizeof(MaskReasons) + 2 * sizeof(QRgb);
    return texelsFor(shape.queries, level) * texelsFor(shape.keys, level) * bytesPerTexel;
}

Expected<FigureMap> readFigureMap(const AttentionMaps& maps, const MapIndex& index,
                                  const ViewSettings& settings, int level,
                                  const Execution& execution)
{
    const MapsShape shape = maps.shape();
    FigureMap map;
    map.index = index;
    map.queries = shape.queries;
    map.keys = shape.keys;
    map.level = level;
    TileTexels& whole = map.tile.texels;
    whole.rows = texelsFor(shape.queries, map.level);
    whole.columns = texelsFor(shape.keys, map.level);
    const auto count = static_cast<std::size_t>(whole.rows * whole.columns);
    if (auto fits = checkMemory(figureMapBytes(shape, level), "The figure", execution,
                                "lower the width or the resolution");
        !fits) {
        return tl::unexpected(fits.error());
    }
    whole.values.resize(count);
    whole.maskedShare.resize(count);
    map.tile.reasons.resize(count);

    for (std::int64_t tileRow = 0; tileRow * TileSide < whole.rows; ++tileRow) {
        for (std::int64_t tileColumn = 0; tileColumn * TileSide < whole.columns; ++tileColumn) {
            const auto tile = maps.tile({index, settings.quantity, settings.effectivePooling(),
                                         map.level, tileRow, tileColumn},
                                        execution);
            if (!tile) {
                return tl::unexpected(tile.error());
            }
            const TileTexels& part = tile->texels;
            for (std::int64_t row = 0; row < part.rows; ++row) {
                const auto from = row * part.columns;
                const auto to = (tileRow * TileSide + row) * whole.columns + tileColumn * TileSide;
                std::copy_n(part.values.begin() + from, part.columns, whole.values.begin() + to);
                std::copy_n(part.maskedShare.begin() + from, part.columns,
                            whole.maskedShare.begin() + to);
                if (!tile->reasons.empty()) {
                    std::copy_n(tile->reasons.begin() + from, part.columns,
                                map.tile.reasons.begin() + to);
                }
            }
        }
    }
    return map;
}

ValueRange extremesOf(const FigureMap& map)
{
    ValueRange range = NoRange;
    const TileTexels& texels = map.tile.texels;
    for (std::size_t i = 0; i < texels.values.size(); ++i) {
        const double value = texels.values[i];
        if (std::isfinite(value) && texels.maskedShare[i] < 1) {
            range = joined(range, {value, value});
        }
    }
    return range;
}

ValueRange joined(const ValueRange& one, const ValueRange& other)
{
    return {std::min(one.low, other.low), std::max(one.high, other.high)};
}

} // namespace heed::ui
