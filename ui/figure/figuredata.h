// The numbers of a figure: whole maps, pooled to what paper can show.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "figure/figure.h"
#include "views/colourmap.h"

#include <limits>
#include <vector>

namespace heed::ui {

/// One whole map at one level, as a single large tile.
struct FigureMap {
    MapIndex index;
    int level = 0;            ///< a texel covers 2^level cells squared, at the edges what is left
    std::int64_t queries = 0; ///< cells down
    std::int64_t keys = 0;    ///< cells across
    Tile tile;

    [[nodiscard]] std::int64_t rows() const { return tile.texels.rows; }
    [[nodiscard]] std::int64_t columns() const { return tile.texels.columns; }
};

/// The finest level, from @p level on, at which @p cells cells have at most @p mostTexels texels.
[[nodiscard]] int finestLevel(std::int64_t cells, std::int64_t mostTexels, int level = 0);

/// Reads @p index whole at @p level.
/// @return Code::OutOfMemory when its texels are over the memory budget of @p execution.
/// @complexity O(L·S·D) time, O(L·S / 4^level) memory.
[[nodiscard]] Expected<FigureMap> readFigureMap(const AttentionMaps& maps, const MapIndex& index,
                                                const ViewSettings& settings, int level,
                                                const Execution& execution);

/// What readFigureMap() and painting take.
[[nodiscard]] std::int64_t figureMapBytes(const MapsShape& shape, int level);

/// Lower than no number and higher than none.
inline constexpr ValueRange NoRange{std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity()};

/// Lowest and highest finite value of the texels that are not wholly masked; NoRange when there is
/// none.
[[nodiscard]] ValueRange extremesOf(const FigureMap& map);
/// The least range that holds both.
[[nodiscard]] ValueRange joined(const ValueRange& one, const ValueRange& other);

} // namespace heed::ui
