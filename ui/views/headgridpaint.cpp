// How thumbnails are painted, with their labels and bars.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/headgridview.h"

#include "views/mapraster.h"
#include "views/tilepool.h"
#include "views/viewcolours.h"
#include "views/viewtext.h"

#include <QPaintEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace heed::ui {

namespace {

constexpr double Padding = HeadGridLayout::Padding;
constexpr double LabelHeight = HeadGridLayout::LabelHeight;
constexpr double Gap = HeadGridLayout::Gap;
constexpr double BarOffset = 4; // clear of the mark of the selected one
constexpr double BarHeight = 3;
constexpr double LeastBar = 16;    // what a number must leave of a bar
constexpr double JoinedOffset = 4; // clear of the frame, too
constexpr double JoinedWidth = 1.5;
constexpr double JoinedRoom = 3; // what it takes from between thumbnail and label
constexpr double WindowSide = 7;

/// The picture of a mask that keeps a band along the diagonal, in the colour of the pen.
void paintWindow(QPainter& painter, const QRectF& rect)
{
    const QPen pen = painter.pen();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(pen.color(), 1));
    painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
    const double band = rect.width() * 0.45;
    painter.setPen(Qt::NoPen);
    painter.setBrush(pen.color());
    painter.drawPolygon(
        QPolygonF({rect.topLeft(), rect.topLeft() + QPointF(band, 0),
                   rect.bottomRight() - QPointF(0, band), rect.bottomRight(),
                   rect.bottomRight() - QPointF(band, 0), rect.topLeft() + QPointF(0, band)}));
    painter.restore();
}

} // namespace

void HeadGridView::compose(Thumbnail& thumbnail, const QRectF& rect) const
{
    const ViewSettings& settings = m_settings->settings();
    const ViewColours colours = viewColours(palette());
    const double ratio = devicePixelRatioF();
    const QSize size(std::max(1, static_cast<int>(std::lround(rect.width() * ratio))),
                     std::max(1, static_cast<int>(std::lround(rect.height() * ratio))));
    TileStyle& style = thumbnail.style;
    style.quantity = thumbnail.request.quantity;
    if (style.quantity == settings.quantity) {
        style.colourMap = settings.effectiveColourMap();
        style.range = m_range.range();
    }
    style.hatchMasked = settings.hatchMasked;
    style.paper = colours.paper.rgb();
    // At least one device pixel a texel, or isolated cells would be lost.
    const TileTexels& given = thumbnail.tile->texels;
    int levels = 0;
    while ((given.columns >> levels) > size.width() || (given.rows >> levels) > size.height()) {
        ++levels;
    }
    const Tile tile = coarserTile(*thumbnail.tile, thumbnail.request.pooling, levels);
    const QImage image = tileImage(tile, style);
    const PlacedTile placed{&tile, &image, 0, 0, 0};
    RasterStyle raster;
    raster.hatchMasked = settings.hatchMasked;
    raster.inkOverValues = valueSurvivesMask(style.quantity);
    raster.ink = mixed(colours.paper, colours.hatch, 0.8).rgb();
    raster.hatchSpacing = 3.2 * ratio;
    raster.hatchWidth = 0.7 * ratio;
    const TileTexels& texels = tile.texels;
    thumbnail.picture = composeMap(
        std::span(&placed, 1),
        QRectF(0, 0, static_cast<double>(texels.columns), static_cast<double>(texels.rows)), size,
        raster);
}

void HeadGridView::paintBar(QPainter& painter, const QRectF& rect, double value) const
{
    const ViewColours colours = viewColours(palette());
    QRectF track(rect.left(), rect.bottom() + BarOffset, rect.width(), BarHeight);
    const QFont before = painter.font();
    const QString number = metricNumber(value);
    painter.setFont(scaledFont(font(), 0.8));
    const double numberWidth = QFontMetricsF(painter.font()).horizontalAdvance(number);
    if (showsBarNumbers() && numberWidth + LeastBar <= rect.width()) {
        const double height = QFontMetricsF(painter.font()).ascent();
        painter.setPen(colours.mute);
        painter.drawText(QPointF(rect.right() - numberWidth, rect.bottom() + height + 3), number);
        track.setWidth(rect.width() - numberWidth - 4);
        track.moveTop(rect.bottom() + 3 + height / 2);
    }
    painter.setFont(before);
    painter.fillRect(track, colours.line);
    const double scale = m_metrics.scale(*m_bar);
    if (std::isnan(value) || !(scale > 0)) {
        return;
    }
    // Diverging colours have a middle; a metric has none.
    const ColourMapId chosen = m_settings->settings().effectiveColourMap();
    const ColourTable& table =
        colourTable(chosen == ColourMapId::Diverging ? ColourMapId::Viridis : chosen);
    track.setWidth(track.width() * std::clamp(value / scale, 0.0, 1.0));
    painter.fillRect(track, QColor::fromRgb(colourOf(table, value, {0, scale})));
}

void HeadGridView::paintFrame(QPainter& painter, const QRectF& rect, double value) const
{
    const auto range = frameRange();
    if (!range || std::isnan(value)) {
        return;
    }
    constexpr double half = FrameWidth / 2;
    painter.setPen(QPen(metricColour(viewColours(palette()), value, *range), FrameWidth,
                        Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect.adjusted(-half, -half, half, half));
}

/// Opaque, so that it is read over any colour of a map.
void HeadGridView::paintDraftMark(QPainter& painter, const QRectF& rect) const
{
    const ViewColours colours = viewColours(palette());
    const double height = std::clamp(rect.width() / 4, 8.0, 13.0);
    const double width = height * 1.25;
    const QRectF chip(rect.right() - width - 2, rect.bottom() - height - 2, width, height);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colours.surface);
    painter.drawRoundedRect(chip, 3, 3);
    // ≈, drawn: fonts place it differently.
    QPainterPath wave;
    wave.moveTo(chip.left() + width * 0.22, 0);
    wave.cubicTo(chip.left() + width * 0.42, -height * 0.26, chip.left() + width * 0.58,
                 height * 0.26, chip.left() + width * 0.78, 0);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colours.text, 1.2, Qt::SolidLine, Qt::RoundCap));
    for (const double share : {0.37, 0.65}) {
        painter.drawPath(wave.translated(0, chip.top() + height * share));
    }
    painter.restore();
}

void HeadGridView::paintLabels(QPainter& painter, const HeadGridLayout& layout) const
{
    const ViewColours colours = viewColours(palette());
    const QFontMetricsF metrics(painter.font());
    const MapIndex& selected = m_selection->map();
    const auto colourOf = [&](bool on) { return on ? colours.accent : colours.mute; };
    if (!isTable()) {
        const double above = m_marks.headsOfGroup() > 1 && m_sequence.empty() ? JoinedRoom : 0;
        for (std::int64_t layer = 0; layer < m_shape.layers; ++layer) {
            for (std::int64_t head = 0; head < m_shape.heads; ++head) {
                const QRectF rect = rectIn(layout, layer, head);
                painter.setPen(colourOf(layer == selected.layer && head == selected.head));
                painter.drawText(QPointF(rect.left(), rect.top() - 5 - above),
                                 labelOf(layer, head));
            }
        }
        return;
    }
    const auto paint = [&](const QRectF& rect, bool across, const QString& text, double away,
                           bool hasWindow) {
        const double width = metrics.horizontalAdvance(text);
        const QPointF at =
            across ? QPointF(rect.center().x() - width / 2, rect.top() - 5 - away)
                   : QPointF(rect.left() - 8 - away - width,
                             rect.center().y() + (metrics.ascent() - metrics.descent()) / 2);
        painter.drawText(at, text);
        if (hasWindow) {
            const QPointF corner =
                across ? QPointF(rect.center().x() - WindowSide / 2,
                                 at.y() - metrics.ascent() - WindowSide)
                       : QPointF(at.x() - 3 - WindowSide, rect.center().y() - WindowSide / 2);
            paintWindow(painter, QRectF(corner, QSizeF(WindowSide, WindowSide)));
        }
    };
    const bool layersAcross = m_shape.layers <= m_shape.heads;
    const double headsAway = m_marks.headsOfGroup() > 1 ? JoinedRoom : 0;
    for (std::int64_t head = 0; head < m_shape.heads; ++head) {
        painter.setPen(colourOf(head == selected.head));
        paint(rectIn(layout, 0, head), !layersAcross, tr("H%1").arg(head), headsAway, false);
    }
    const double layersAway = m_marks.hasLayerGroups() ? JoinedRoom : 0;
    for (std::int64_t layer = 0; layer < m_shape.layers; ++layer) {
        painter.setPen(colourOf(layer == selected.layer));
        paint(rectIn(layout, layer, 0), layersAcross, tr("L%1").arg(layer), layersAway,
              m_marks.windowOf(layer) > 0);
    }
}

/// A line along thumbnails that belong together, between them and their labels.
void HeadGridView::paintGroups(QPainter& painter, const HeadGridLayout& layout) const
{
    if (!m_sequence.empty()) {
        return; // relatives stand apart
    }
    const ViewColours colours = viewColours(palette());
    const auto paint = [&](const QRectF& rect, const QRectF& next, bool across, bool on) {
        // One that is broken into two rows has two lines.
        const bool goesOn = across ? next.top() == rect.top() && next.left() > rect.left()
                                   : next.left() == rect.left() && next.top() > rect.top();
        const QRectF line =
            across ? QRectF(rect.left(), rect.top() - JoinedOffset - JoinedWidth,
                            (goesOn ? next.left() : rect.right()) - rect.left(), JoinedWidth)
                   : QRectF(rect.left() - JoinedOffset - JoinedWidth, rect.top(), JoinedWidth,
                            (goesOn ? next.top() : rect.bottom()) - rect.top());
        painter.fillRect(line, on ? colours.accent : colours.graphic);
    };
    const MapIndex& selected = m_selection->map();
    const bool layersAcross = isTable() && m_shape.layers <= m_shape.heads;
    for (std::int64_t head = 0; head < m_shape.heads && m_marks.headsOfGroup() > 1; ++head) {
        const bool isJoined = m_marks.shareKeys(head, head + 1);
        paint(rectIn(layout, 0, head), isJoined ? rectIn(layout, 0, head + 1) : QRectF(),
              !layersAcross, m_marks.shareKeys(head, selected.head));
    }
    for (std::int64_t layer = 0; layer < m_shape.layers && m_marks.hasLayerGroups(); ++layer) {
        const bool isJoined = m_marks.shareWeights(layer, layer + 1);
        paint(rectIn(layout, layer, 0), isJoined ? rectIn(layout, layer + 1, 0) : QRectF(),
              layersAcross, m_marks.shareWeights(layer, selected.layer));
    }
}

void HeadGridView::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    const ViewColours colours = viewColours(palette());
    painter.fillRect(event->rect(), colours.surface);
    const QColor bone = mixed(colours.surface, colours.text, 0.06);
    if (m_shape.heads == 0) {
        if (m_loading) {
            const double side = std::min(72.0, (width() - 2 * Padding - 2 * Gap) / 3);
            for (const int row : {0, 1}) {
                for (const int column : {0, 1, 2}) {
                    painter.fillRect(QRectF(Padding + column * (side + Gap),
                                            Padding + LabelHeight + row * (side + LabelHeight + 6),
                                            side, side),
                                     bone);
                }
            }
        }
        return;
    }
    painter.setFont(scaledFont(font(), 0.9));
    const HeadGridLayout layout = layoutFor(width(), m_heightRoom);
    paintLabels(painter, layout);
    paintGroups(painter, layout);
    const MapIndex& selected = m_selection->map();
    const double ratio = devicePixelRatioF();
    for (std::int64_t layer = 0; layer < m_shape.layers; ++layer) {
        for (std::int64_t head = 0; head < m_shape.heads; ++head) {
            const QRectF rect = rectIn(layout, layer, head);
            if (!rect.adjusted(-8, -20, 8, 20).intersects(event->rect())) {
                continue; // most of a long block is scrolled away
            }
            const bool isSelected = layer == selected.layer && head == selected.head;
            const bool isHovered = layer == m_hovered.layer && head == m_hovered.head;
            Thumbnail& thumbnail = m_thumbnails[indexOf(layer, head)];
            if (!thumbnail.current && m_run == m_service->current()) {
                (void)m_service->tile(request(layer, head), Priority::Thumbnail);
            }
            if (thumbnail.tile) {
                if (thumbnail.picture.isNull()) {
                    compose(thumbnail, rect);
                }
                // On whole device pixels, or every texel would be smeared.
                const QPointF corner(std::round(rect.left() * ratio) / ratio,
                                     std::round(rect.top() * ratio) / ratio);
                painter.setOpacity(m_stale ? 0.45 : 1);
                painter.drawImage(QRectF(corner, QSizeF(thumbnail.picture.size()) / ratio),
                                  thumbnail.picture);
                painter.setOpacity(1);
                if (thumbnail.isDraft) {
                    paintDraftMark(painter, rect);
                }
            } else {
                painter.fillRect(rect, bone);
            }
            if (m_bar != nullptr) {
                paintBar(painter, rect, m_metrics.value(indexOf(layer, head), *m_bar));
            }
            painter.setRenderHint(QPainter::Antialiasing, true);
            painter.setBrush(Qt::NoBrush);
            double out = 1;
            if (m_colour != nullptr) {
                paintFrame(painter, rect, m_metrics.value(indexOf(layer, head), *m_colour));
                out = FrameWidth;
            }
            if (isSelected) {
                const double width = m_focusRing && hasFocus() ? 3 : 2;
                painter.setPen(
                    QPen(colours.accent, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
                out += width / 2;
                painter.drawRect(rect.adjusted(-out, -out, out, out));
            } else if (isHovered) {
                painter.setPen(
                    QPen(colours.graphic, 1, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
                out += 0.5;
                painter.drawRect(rect.adjusted(-out, -out, out, out));
            }
            painter.setRenderHint(QPainter::Antialiasing, false);
        }
    }
}

} // namespace heed::ui
