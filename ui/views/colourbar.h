// The colour bar under a map: colours, range and its name, swatches for what is not a value.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/tileimage.h"
#include "views/viewcolours.h"

#include <QFont>
#include <QRectF>
#include <QString>

class QPainter;

namespace heed::ui {

struct ColourBar {
    ColourMapId colourMap = ColourMapId::Viridis;
    ValueRange range = {};
    QString name;          ///< "weight (linear, 0–1 locked)"
    TileContents contents; ///< swatches only for what occurs
    bool hatchMasked = true;
};

/// @param area its width is used; @return the height used (also without painting: null painter).
double paintColourBar(QPainter* painter, const QRectF& area, const ColourBar& bar,
                      const ViewColours& colours, const QFont& font);

} // namespace heed::ui
