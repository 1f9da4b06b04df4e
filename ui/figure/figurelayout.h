// Where everything of a figure goes, in hundredths of a millimetre.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "figure/figuredata.h"
#include "views/tileimage.h"

#include <QFont>
#include <QRectF>
#include <QString>
#include <QStringList>
#include <vector>

namespace heed::ui {

/// Layout units in a millimetre. Fonts take whole pixel sizes, so the unit has to be fine; SVG and
/// PDF are written with it as their own unit, which keeps their text free of scaling.
inline constexpr double UnitsPerMm = 100;

/// Sizes of text beside the labels, as shares of theirs.
inline constexpr double SmallTextShare = 0.9;
inline constexpr double CellNumberShare = 0.8;

/// A font of @p points at the layout's scale; CJK by fall-back families.
[[nodiscard]] QFont figureFont(double points, bool bold = false);

/// One map on the page.
struct FigurePanel {
    const FigureMap* map = nullptr;
    QString caption;          ///< above the panel; empty for a single heatmap
    QString rowName;          ///< at the left of a row of panels: its layer; empty = none here
    QRectF area;              ///< the cells
    QStringList rowTokens;    ///< labels of the queries at the left; empty = none here
    QStringList columnTokens; ///< labels of the keys above; empty = none here
};

/// One swatch of the legend; MaskReason::None stands for "not a number".
struct LegendEntry {
    MaskReason reason = MaskReason::None;
    QString words;
    QRectF swatch;
    QRectF textArea;
};

struct FigureLayout {
    QSizeF size; ///< of the page, layout units
    QString title;
    QRectF titleArea;
    std::vector<FigurePanel> panels;
    QRectF colourBar; ///< as long as the maps; empty = none
    QStringList colourBarNumbers;
    QString colourBarName; ///< upright, beside the numbers
    QRectF colourBarNameArea;
    std::vector<LegendEntry> legend;

    double rowLabelWidth = 0;
    double rowNameWidth = 0;
    double columnLabelHeight = 0;
    int rowLabelStep = 1; ///< every n-th label is drawn
    int columnLabelStep = 1;

    double fontPt = 7;
    bool cellNumbers = false;
    QStringList warnings;
};

/// What the layout depends on beside the spec.
struct FigureContent {
    const std::vector<FigureMap>* maps = nullptr;
    const Batch* queries = nullptr;
    const Batch* keys = nullptr;
    MapsShape shape;
    QString attention;        ///< whose it is, where the model has several kinds
    QString rangeName;        ///< "weights, linear 0–1"
    QStringList rangeNumbers; ///< along the colour bar at equal steps, the lowest first
    TileContents found;       ///< what the legend has to explain
};

/// A grid of the same heads of several layers is a table, a row a layer; other grids are filled in
/// reading order. Panels too small for token labels go without.
/// @return Code::InvalidArgument, with the width that would do, when there is no room for the
/// cells.
[[nodiscard]] Expected<FigureLayout> layOutFigure(const FigureSpec& spec,
                                                  const FigureContent& content);

/// True when the label is best set upright, one character below the other (CJK).
[[nodiscard]] bool isUprightLabel(const QString& text);

} // namespace heed::ui
