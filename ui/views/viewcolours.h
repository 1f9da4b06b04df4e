// The few colours and font sizes views paint with, from the palette and the font of the widget.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/colourmap.h"

#include <QColor>
#include <QFont>
#include <QPalette>
#include <algorithm>

namespace heed::ui {

struct ViewColours {
    QColor surface; ///< behind a map
    QColor paper;   ///< masked cells
    QColor text;
    QColor mute;    ///< secondary text
    QColor line;    ///< separators
    QColor graphic; ///< bars that are not selected
    QColor hatch;
    QColor accent;
    QColor onAccent;
    QColor warn;
};

[[nodiscard]] inline QColor mixed(const QColor& a, const QColor& b, double shareOfB)
{
    const auto mix = [&](int x, int y) { return qRound(x + (y - x) * shareOfB); };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

[[nodiscard]] inline ViewColours viewColours(const QPalette& palette)
{
    ViewColours colours;
    colours.surface = palette.color(QPalette::Active, QPalette::Base);
    colours.paper = palette.color(QPalette::Active, QPalette::Window);
    colours.text = palette.color(QPalette::Active, QPalette::Text);
    colours.mute = palette.color(QPalette::Active, QPalette::PlaceholderText);
    if (colours.mute.alpha() < 255) { // some palettes only thin out the text colour
        colours.mute = mixed(colours.surface, colours.text, colours.mute.alphaF());
    }
    colours.line = mixed(colours.surface, colours.text, 0.14);
    colours.graphic = mixed(colours.surface, colours.text, 0.42);
    colours.hatch = mixed(colours.paper, colours.text, 0.30);
    colours.accent = palette.color(QPalette::Active, QPalette::Highlight);
    colours.onAccent = palette.color(QPalette::Active, QPalette::HighlightedText);
    colours.warn = palette.color(QPalette::Active, QPalette::BrightText);
    return colours;
}

/// A frame that stands for @p value: one hue, which no map has, from pale to full, so that it is
/// told by its lightness alone; equal heads are in the middle.
[[nodiscard]] inline QColor metricColour(const ViewColours& colours, double value,
                                         const ValueRange& range)
{
    constexpr double palest = 0.12; // a frame is seen at all
    const double share = range.high > range.low
                             ? std::clamp((value - range.low) / (range.high - range.low), 0.0, 1.0)
                             : 0.5;
    return mixed(colours.surface, colours.warn, palest + (1 - palest) * share);
}

/// @p base at @p factor times its size, however that was given.
[[nodiscard]] inline QFont scaledFont(const QFont& base, double factor)
{
    QFont font = base;
    if (base.pointSizeF() > 0) {
        font.setPointSizeF(base.pointSizeF() * factor);
    } else {
        font.setPixelSize(std::max(1, qRound(base.pixelSize() * factor)));
    }
    return font;
}

} // namespace heed::ui
