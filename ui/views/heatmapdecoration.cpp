// Painting around and over a map.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/heatmapdecoration.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

namespace heed::ui {

namespace {

struct Views {
    Q_DECLARE_TR_FUNCTIONS(heed::ui::Views)
};

constexpr int BarGap = 22; // between the map and the colour bar

QFont titleFont(const QFont& base)
{
    QFont font = scaledFont(base, 1.15);
    font.setWeight(QFont::DemiBold);
    return font;
}

QFont noteFont(const QFont& base)
{
    return scaledFont(base, 0.92);
}

} // namespace

HeatmapFrame::HeatmapFrame(QCustomPlot* plot, const HeatmapPicture* picture)
    : QCPLayerable(plot, QStringLiteral("axes"))
    , m_picture(picture)
{
}

void HeatmapFrame::applyDefaultAntialiasingHint(QCPPainter* painter) const
{
    painter->setAntialiasing(true);
}

QRect HeatmapFrame::clipRect() const
{
    return mParentPlot->viewport();
}

void HeatmapFrame::drawHeader(QCPPainter* painter) const
{
    const HeatmapPicture& p = *m_picture;
    const double right = mParentPlot->width() - HeatmapPadding;
    const QFont bold = titleFont(p.font);
    const double baseline = HeatmapPadding - 4 + QFontMetricsF(bold).ascent();
    const QFontMetricsF plain(p.font);
    double x = HeatmapPadding;
    // Which side is the query comes before the resolution, which the status bar says, too.
    const double others = QFontMetricsF(bold).horizontalAdvance(p.title) + 10 +
                          plain.horizontalAdvance(p.shortSubtitle) + 12;
    const auto fitting = [&](const QString& text) {
        return others + plain.horizontalAdvance(text) <= right - x;
    };
    const QString badge = fitting(p.badge)        ? p.badge
                          : fitting(p.shortBadge) ? p.shortBadge
                                                  : QString();
    const double badgeWidth = plain.horizontalAdvance(badge);
    painter->setFont(p.font);
    painter->setPen(p.colours.mute);
    painter->drawText(QPointF(right - badgeWidth, baseline), badge);
    const double room = right - badgeWidth - 12;
    const QString title =
        QFontMetricsF(bold).elidedText(p.title, Qt::ElideRight, std::max(0.0, room - x));
    painter->setFont(bold);
    painter->setPen(p.colours.text);
    painter->drawText(QPointF(x, baseline), title);
    x += QFontMetricsF(bold).horizontalAdvance(title) + 10;
    const bool fits = plain.horizontalAdvance(p.subtitle) <= room - x;
    const QString& subtitle = fits ? p.subtitle : p.shortSubtitle;
    if (plain.horizontalAdvance(subtitle) <= room - x) {
        painter->setFont(p.font);
        painter->setPen(p.colours.mute);
        painter->drawText(QPointF(x, baseline), subtitle);
    }
}

void HeatmapFrame::drawSkeleton(QCPPainter* painter) const
{
    // The place of the map and of its labels, without a promise of what will be there.
    const HeatmapPicture& p = *m_picture;
    QRectF map = p.viewport.isEmpty() ? QRectF(HeatmapPadding + 80, HeatmapHeader + 60,
                                               mParentPlot->width() - 2 * HeatmapPadding - 80,
                                               mParentPlot->height() - HeatmapHeader - 160)
                                      : QRectF(p.viewport.mapRect());
    if (p.viewport.isEmpty()) {
        const double side = std::max(40.0, std::min(map.width(), map.height()));
        map = QRectF(map.left() + (map.width() - side) / 2, map.top(), side, side);
    }
    const QColor bone = mixed(p.colours.surface, p.colours.text, 0.06);
    painter->setPen(Qt::NoPen);
    painter->setBrush(bone);
    painter->drawRect(map);
    const int bones = std::clamp(static_cast<int>(map.height() / 30), 1, 12);
    for (int i = 0; i < bones; ++i) {
        const double middle = map.top() + map.height() * (i + 0.5) / bones;
        const double width = 28 + 18 * ((i * 7) % 3);
        painter->drawRoundedRect(QRectF(map.left() - 8 - width, middle - 4, width, 8), 4, 4);
        const double column = map.left() + map.width() * (i + 0.5) / bones;
        painter->drawRoundedRect(QRectF(column - 4, map.top() - 8 - width * 0.7, 8, width * 0.7), 4,
                                 4);
    }
    painter->setBrush(Qt::NoBrush);
}

void HeatmapFrame::draw(QCPPainter* painter)
{
    const HeatmapPicture& p = *m_picture;
    if (p.viewport.isEmpty() && !p.skeleton) {
        painter->setFont(p.font);
        painter->setPen(p.colours.mute);
        painter->drawText(mParentPlot->rect().adjusted(40, 40, -40, -40),
                          Qt::AlignCenter | Qt::TextWordWrap, p.emptyText);
        return;
    }
    drawHeader(painter);
    if (p.skeleton) {
        drawSkeleton(painter);
    }
    if (p.viewport.isEmpty()) {
        return;
    }
    painter->save();
    if (p.dimmed) {
        painter->setOpacity(0.6);
    }
    const QRect map = p.viewport.mapRect();
    const QFont small = noteFont(p.font);
    // Colours as light as the window end somewhere, too.
    painter->setAntialiasing(false);
    for (const QRect& edge : {QRect(map.left() - 1, map.top() - 1, map.width() + 2, 1),
                              QRect(map.left() - 1, map.bottom() + 1, map.width() + 2, 1),
                              QRect(map.left() - 1, map.top(), 1, map.height()),
                              QRect(map.right() + 1, map.top(), 1, map.height())}) {
        painter->fillRect(edge, p.colours.line);
    }
    painter->setAntialiasing(true);
    // From the left edge of the map to the border of the view; a small map moves its bar left.
    const double border = mParentPlot->width() - HeatmapPadding;
    const double left =
        std::max<double>(HeatmapPadding, std::min<double>(map.left(), border - 320));
    paintColourBar(painter, QRectF(left, map.bottom() + BarGap, border - left, 0), p.bar, p.colours,
                   small);
    painter->restore();
}

HeatmapCursor::HeatmapCursor(QCustomPlot* plot, const HeatmapPicture* picture)
    : QCPLayerable(plot, QStringLiteral("overlay"))
    , m_picture(picture)
{
}

void HeatmapCursor::applyDefaultAntialiasingHint(QCPPainter* painter) const
{
    painter->setAntialiasing(true);
}

QRect HeatmapCursor::clipRect() const
{
    return mParentPlot->viewport();
}

void HeatmapCursor::drawCrosshair(QCPPainter* painter, const CellRef& cell) const
{
    // Drawn twice, dark and light, because the map beneath can be anything.
    const MapViewport& view = m_picture->viewport;
    const QRectF map = view.mapRect();
    const QRectF box = view.cellRect(cell);
    painter->save();
    painter->setClipRect(map);
    painter->setRenderHint(QPainter::Antialiasing, false);
    const double thin = 1;
    const auto bar = [&](const QRectF& rect) {
        painter->fillRect(rect.adjusted(-thin, -thin, thin, thin), QColor(0, 0, 0, 110));
        painter->fillRect(rect, QColor(255, 255, 255, 190));
    };
    const bool wide = std::min(box.width(), box.height()) >= 9;
    const double left = std::max(map.left(), box.left());
    const double right = std::min(map.right(), box.right());
    const double top = std::max(map.top(), box.top());
    const double bottom = std::min(map.bottom(), box.bottom());
    const auto horizontal = [&](double y) {
        bar(QRectF(map.left(), std::round(y), left - map.left(), thin));
        bar(QRectF(right, std::round(y), map.right() - right, thin));
    };
    const auto vertical = [&](double x) {
        bar(QRectF(std::round(x), map.top(), thin, top - map.top()));
        bar(QRectF(std::round(x), bottom, thin, map.bottom() - bottom));
    };
    if (wide) {
        // Lines along the borders leave the numbers of row and column readable.
        horizontal(box.top());
        horizontal(box.bottom() - thin);
        vertical(box.left());
        vertical(box.right() - thin);
    } else {
        horizontal(box.center().y());
        vertical(box.center().x());
    }
    painter->restore();
}

void HeatmapCursor::drawLabels(QCPPainter* painter, const CellRef& hovered,
                               const CellRef& pinned) const
{
    const HeatmapPicture& p = *m_picture;
    const TokenLabelPainter labels(p.viewport, p.font, p.colours);
    std::vector<qint64> rows;
    std::vector<qint64> columns;
    for (const CellRef& cell : {pinned, hovered}) {
        if (cell.isValid()) {
            rows.push_back(cell.query);
            columns.push_back(cell.key);
        }
    }
    painter->save();
    painter->setOpacity(p.dimmed ? 0.6 : 1);
    const qint64 step = std::max(labels.paintRows(*painter, p.queryLabels, p.rowRoom, rows),
                                 labels.paintColumns(*painter, p.keyLabels, p.columnRoom, columns));
    // Pinned before hovered: where both would overlap, the lasting one is read.
    const double needed = QFontMetricsF(p.font).height() * 0.86;
    const auto room = [&](qint64 index, qint64 other, double cell) {
        return index != other && std::abs(static_cast<double>(index - other)) * cell >= needed;
    };
    if (pinned.isValid()) {
        labels.paintRow(*painter, p.queryLabels, pinned.query, p.rowRoom, true);
        labels.paintColumn(*painter, p.keyLabels, pinned.key, p.columnRoom, true);
    }
    if (hovered.isValid()) {
        if (!pinned.isValid() || room(hovered.query, pinned.query, p.viewport.cellHeight())) {
            labels.paintRow(*painter, p.queryLabels, hovered.query, p.rowRoom, false);
        }
        if (!pinned.isValid() || room(hovered.key, pinned.key, p.viewport.cellWidth())) {
            labels.paintColumn(*painter, p.keyLabels, hovered.key, p.columnRoom, false);
        }
    }
    if (step > 1) {
        const QFont small = noteFont(p.font);
        const QFontMetricsF metrics(small);
        const QString note = Views::tr("one label every %1 tokens").arg(step);
        const QRect map = p.viewport.mapRect();
        painter->setFont(small);
        painter->setPen(p.colours.mute);
        painter->drawText(
            QPointF(
                std::max<double>(HeatmapPadding, map.right() + 1 - metrics.horizontalAdvance(note)),
                map.bottom() + 4 + metrics.ascent()),
            note);
    }
    painter->restore();
}

void HeatmapCursor::drawCell(QCPPainter* painter, const CellRef& cell, bool pinned) const
{
    const MapViewport& view = m_picture->viewport;
    QRectF box = view.cellRect(cell);
    const double least = pinned ? 9 : 7; // a cell of one pixel must still be found
    if (box.width() < least || box.height() < least) {
        const QPointF middle = box.center();
        box = QRectF(middle.x() - least / 2, middle.y() - least / 2, least, least);
    }
    painter->save();
    painter->setClipRect(QRectF(view.mapRect()).adjusted(-3, -3, 3, 3));
    painter->setBrush(Qt::NoBrush);
    painter->setRenderHint(QPainter::Antialiasing, true);
    const auto frame = [&](double inset, double width, const QColor& colour) {
        QPen pen(colour, width);
        pen.setJoinStyle(Qt::MiterJoin);
        painter->setPen(pen);
        painter->drawRect(box.adjusted(inset, inset, -inset, -inset));
    };
    if (pinned) {
        frame(-1, 1.5, QColor(0, 0, 0));
        frame(1, 2.5, QColor(255, 255, 255));
    } else {
        frame(0, 2, QColor(0, 0, 0, 150));
        frame(1, 1, QColor(255, 255, 255));
    }
    painter->restore();
}

void HeatmapCursor::draw(QCPPainter* painter)
{
    const HeatmapPicture& p = *m_picture;
    if (p.viewport.isEmpty() || p.skeleton) {
        return;
    }
    const auto inside = [&](const CellRef& cell) {
        return cell.isValid() && cell.query < p.viewport.queries() && cell.key < p.viewport.keys();
    };
    const CellRef hovered = inside(p.hovered) ? p.hovered : CellRef{};
    const CellRef pinned = inside(p.pinned) ? p.pinned : CellRef{};
    drawLabels(painter, hovered, pinned);
    const CellRef crosshair = hovered.isValid() ? hovered : pinned;
    if (crosshair.isValid()) {
        drawCrosshair(painter, crosshair);
    }
    if (hovered.isValid() && hovered != pinned) {
        drawCell(painter, hovered, false);
    }
    if (pinned.isValid()) {
        drawCell(painter, pinned, true);
    }
    if (p.focusRing) {
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(p.colours.accent, 1.5));
        painter->drawRect(QRectF(p.viewport.mapRect()).adjusted(-2.5, -2.5, 2.5, 2.5));
    }
}

} // namespace heed::ui
