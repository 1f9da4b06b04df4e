// Puts tiles together into one picture at the resolution of the screen.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/tileimage.h"

#include <QImage>
#include <QPoint>
#include <QRectF>
#include <QSize>
#include <span>

namespace heed::ui {

/// A tile with its colours (tileImage()) and its place in the pyramid.
struct PlacedTile {
    const Tile* tile = nullptr;
    const QImage* colours = nullptr;
    int level = 0;
    std::int64_t tileRow = 0;
    std::int64_t tileColumn = 0;
};

struct RasterStyle {
    bool hatchMasked = true;
    bool inkOverValues = false; ///< valueSurvivesMask(): the hatch lies over the colours
    QRgb ink = 0xFF808080;
    double hatchSpacing = 4; ///< device pixels
    double hatchWidth = 1;   ///< device pixels
    QPoint hatchOrigin;      ///< device position of the picture, so that the hatch stays put
};

/// @param cells what the picture shows (x keys, y queries), @param size of it in device pixels.
/// @param tiles later ones cover earlier ones: coarse before fine.
/// A pixel takes the texel that holds its centre: nothing is interpolated. What no tile covers is
/// transparent. @complexity O(pixels).
[[nodiscard]] QImage composeMap(std::span<const PlacedTile> tiles, const QRectF& cells, QSize size,
                                const RasterStyle& style);

/// The finest level whose texels cover at least one device pixel.
/// @param devicePixels of a cell; @param topLevel of the pyramid.
[[nodiscard]] int levelFor(double devicePixels, int topLevel);

} // namespace heed::ui
