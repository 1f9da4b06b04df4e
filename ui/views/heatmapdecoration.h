// What surrounds a map and what moves over it, as layerables of the plot.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/colourbar.h"
#include "views/qcp.h"
#include "views/tokenlabels.h"
#include "views/viewcolours.h"

#include <QString>

namespace heed::ui {

/// Everything the decorations paint; filled by the view.
struct HeatmapPicture {
    MapViewport viewport;
    TokenLabels queryLabels;
    TokenLabels keyLabels;
    int rowRoom = 0;    ///< pixels for labels left of the map
    int columnRoom = 0; ///< pixels for labels above the map
    QString title;
    QString subtitle;
    QString shortSubtitle; ///< where the other does not fit
    QString badge;
    QString shortBadge; ///< where there is no room for the badge; may be empty
    QString emptyText;  ///< shown when there is nothing else
    bool skeleton = false;
    bool dimmed = false;
    ColourBar bar;
    ViewColours colours;
    QFont font;
    CellRef hovered;
    CellRef pinned;
    bool focusRing = false;
};

inline constexpr int HeatmapPadding = 16; ///< around everything
inline constexpr int HeatmapHeader = 46;  ///< title line and the room under it

/// Title, badge, colour bar; the skeleton while nothing has arrived.
class HeatmapFrame : public QCPLayerable {
    Q_OBJECT
public:
    HeatmapFrame(QCustomPlot* plot, const HeatmapPicture* picture);

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;
    [[nodiscard]] QRect clipRect() const override;

private:
    void drawHeader(QCPPainter* painter) const;
    void drawSkeleton(QCPPainter* painter) const;

    const HeatmapPicture* m_picture;
};

/// Labels (those of the hovered and pinned cell stand out and push others aside), crosshair, pinned
/// cell: redrawn alone when the mouse moves.
class HeatmapCursor : public QCPLayerable {
    Q_OBJECT
public:
    HeatmapCursor(QCustomPlot* plot, const HeatmapPicture* picture);

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;
    [[nodiscard]] QRect clipRect() const override;

private:
    void drawLabels(QCPPainter* painter, const CellRef& hovered, const CellRef& pinned) const;
    void drawCrosshair(QCPPainter* painter, const CellRef& cell) const;
    void drawCell(QCPPainter* painter, const CellRef& cell, bool pinned) const;

    const HeatmapPicture* m_picture;
};

} // namespace heed::ui
