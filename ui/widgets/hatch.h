// Hatches: one direction a reason, the same wherever masked cells are drawn in panels.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/mask.h"

#include <QColor>
#include <QRectF>
#include <QString>

class QPainter;

namespace heed::ui {

enum class Hatch { Falling, Rising, Crossed, Level, Upright, Dots, Grid };

/// Padding falls, causal rises, both cross; the others have patterns of their own.
[[nodiscard]] Hatch hatchOf(MaskReasons reasons);

/// Draws lines @p spacing apart, in step across neighbouring rectangles, clipped to @p rect.
void paintHatch(QPainter& painter, const QRectF& rect, Hatch hatch, const QColor& colour,
                double spacing = 5);

/// "padding", "causal", … in the user's language, joined by "+".
[[nodiscard]] QString reasonText(MaskReasons reasons);

} // namespace heed::ui
