// Figures for paper: the same picture from the export dialog and from the command line.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/run.h"
#include "models/viewsettings.h"

#include <QImage>
#include <QSizeF>
#include <QString>
#include <memory>
#include <vector>

class QPainter;

namespace heed::ui {

enum class FigureView { Heatmap, Grid };

struct FigureSpec {
    FigureView view = FigureView::Heatmap;
    std::vector<MapIndex> maps = {MapIndex{}}; ///< one for Heatmap; in reading order for Grid
    ViewSettings settings;
    double widthMm = 89; ///< 20…1000
    double fontPt = 7;   ///< 4…72
    int dpi = 300;       ///< PNG only, 50…2400
    /// A PNG is wanted: maps have no more texels than it has pixels for them, so that none is lost.
    bool isRaster = true;
    bool title = true;
    QString titleText; ///< empty = "Layer 0 · Head 3 · weights"
    bool tokenLabels = true;
    bool colourBar = true;
    QString commandLine; ///< reproduces the figure; goes into the metadata
};

/// A figure laid out and ready to paint; light theme always. All numbers are already computed.
class Figure {
public:
    virtual ~Figure() = default;
    [[nodiscard]] virtual QSizeF sizeMm() const = 0;
    /// Paints at millimetre coordinates: the painter is scaled so that 1 unit = 1 mm.
    virtual void paint(QPainter& painter) const = 0;
    [[nodiscard]] virtual QImage image(int dpi) const = 0;
    /// PNG, SVG or PDF by the extension; whole or not at all.
    /// @return Code::InvalidArgument for another extension, Code::Io.
    [[nodiscard]] virtual Expected<void> write(const QString& path) const = 0;
    /// The same to memory. @param format "png", "svg" or "pdf".
    [[nodiscard]] virtual Expected<QByteArray> encode(const QString& format) const = 0;
    /// What an author should know ("text under 6 pt", "every 4th label drawn", "copied CJK text in
    /// PDF").
    [[nodiscard]] virtual QStringList warnings() const = 0;
};

/// Computes tiles and lays the figure out. Blocking; call it on a worker thread or from the command
/// line.
/// @pre a QGuiApplication exists (fonts).
[[nodiscard]] Expected<std::shared_ptr<const Figure>>
makeFigure(const FigureSpec& spec, const RunPtr& run, const Execution& execution);

} // namespace heed::ui
