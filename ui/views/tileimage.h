// From a tile of numbers to colours and hatch, one entry a texel.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/maps.h"
#include "views/colourmap.h"
#include "views/maskhatch.h"

#include <QColor>
#include <QImage>
#include <vector>

namespace heed::ui {

/// What a texel says (six states of a cell, and a mixture of masked and kept).
enum class TexelState {
    Value,
    Zero,       ///< a kept weight of exactly 0
    NotANumber, ///< NaN or infinite, and kept
    Masked,     ///< all its cells
    PartlyMasked,
};

/// How tiles become colours; equal styles give equal images.
struct TileStyle {
    Quantity quantity = Quantity::Weights;
    ColourMapId colourMap = ColourMapId::Viridis;
    ValueRange range = {};
    bool hatchMasked = true;
    QRgb paper = 0xFFFFFFFF; ///< fill of masked texels
    bool operator==(const TileStyle&) const = default;
};

/// Scores and scaled scores have a value where the mask will later be; it is shown under the hatch.
[[nodiscard]] bool valueSurvivesMask(Quantity quantity);

/// @param index row-major texel of @p tile.
[[nodiscard]] TexelState texelState(const Tile& tile, std::size_t index, Quantity quantity);
/// The reasons to hatch with; MaskReason::Other when the mask is known to hide it, but not why.
[[nodiscard]] MaskReasons texelReasons(const Tile& tile, std::size_t index);

/// What occurs in a tile: decides which swatches a legend needs.
struct TileContents {
    MaskReasons reasons = 0;
    bool masked = false;
    bool zero = false;
    bool notANumber = false;
    TileContents& operator|=(const TileContents& other);
};
[[nodiscard]] TileContents tileContents(const Tile& tile, Quantity quantity);

/// One pixel a texel, RGB32. Masked texels are paper, or their value where it survives the mask.
[[nodiscard]] QImage tileImage(const Tile& tile, const TileStyle& style);

/// The masked texels as rectangles in texel units (column, row), equal neighbours joined, for
/// paintHatch() after a change of scale. `partly` marks those that also hold kept cells.
[[nodiscard]] std::vector<HatchArea> maskedAreas(const Tile& tile);

} // namespace heed::ui
