// Draws a laid-out figure; knows nothing of files.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "figure/figurelayout.h"
#include "views/tileimage.h"

class QPainter;

namespace heed::ui {

/// Paints in layout units. Light theme, whatever the screen shows.
void paintFigure(QPainter& painter, const FigureLayout& layout, const TileStyle& style);

} // namespace heed::ui
