// The map itself as a QCustomPlot plottable: draws ready tiles, never computes.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/mapviewport.h"
#include "views/qcp.h"
#include "views/tilescene.h"
#include "views/viewcolours.h"

#include <QFontMetricsF>
#include <optional>

namespace heed::ui {

/// Row 0 is at the top: query i lies between the values L − i − 1 and L − i of an ordinary value
/// axis, because a reversed axis would cost a copy of the picture at every replot.
class HeatmapPlottable : public QCPAbstractPlottable {
    Q_OBJECT
public:
    HeatmapPlottable(QCPAxis* keyAxis, QCPAxis* valueAxis, TileScene* scene,
                     const MapViewport* viewport);

    void setStyle(const TileStyle& style, bool cellNumbers, const ViewColours& colours,
                  const QFont& numberFont);
    void setDimmed(bool dimmed) { m_dimmed = dimmed; }

    double selectTest(const QPointF& pos, bool onlySelectable,
                      QVariant* details = nullptr) const override;
    QCPRange getKeyRange(bool& foundRange, QCP::SignDomain inSignDomain) const override;
    QCPRange getValueRange(bool& foundRange, QCP::SignDomain inSignDomain,
                           const QCPRange& inKeyRange) const override;

protected:
    void draw(QCPPainter* painter) override;
    [[nodiscard]] QRect clipRect() const override;
    void drawLegendIcon(QCPPainter* painter, const QRectF& rect) const override;

private:
    void drawCells(QCPPainter* painter, const std::vector<PlacedTile>& tiles, double scale) const;
    void drawGrid(QCPPainter* painter, double scale) const;
    void drawMarks(QCPPainter* painter, const std::vector<PlacedTile>& tiles) const;
    /// Decimals with which every number of the map fits @p room; nothing when none does.
    [[nodiscard]] std::optional<int> decimalsFor(const QFontMetricsF& metrics, double room) const;
    [[nodiscard]] QString numberText(float value, int decimals) const;

    TileScene* m_scene;
    const MapViewport* m_viewport;
    TileStyle m_style;
    ViewColours m_colours;
    QFont m_numberFont;
    bool m_cellNumbers = true;
    bool m_dimmed = false;
};

} // namespace heed::ui
