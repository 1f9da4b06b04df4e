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
constexpr double LeastBar = 16; // what a number must leave of a bar

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
    const QFont small = scaledFont(font(), 0.9);
    const QFontMetricsF metrics(small);
    painter.setFont(small);
    const HeadGridLayout layout = layoutFor(width(), m_heightRoom);
    const bool table = isTable();
    const bool layersAcross = m_shape.layers <= m_shape.heads;
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
            const QString headLabel = tr("H%1").arg(head);
            const QString layerLabel = tr("L%1").arg(layer);
            if (!table) {
                painter.setPen(isSelected ? colours.accent : colours.mute);
                painter.drawText(QPointF(rect.left(), rect.top() - 5), labelOf(layer, head));
            } else {
                const bool top = layersAcross ? head == 0 : layer == 0;
                const bool side = layersAcross ? layer == 0 : head == 0;
                if (top) {
                    const QString text = layersAcross ? layerLabel : headLabel;
                    const bool on = layersAcross ? layer == selected.layer : head == selected.head;
                    painter.setPen(on ? colours.accent : colours.mute);
                    painter.drawText(
                        QPointF(rect.center().x() - metrics.horizontalAdvance(text) / 2,
                                rect.top() - 5),
                        text);
                }
                if (side) {
                    const QString text = layersAcross ? headLabel : layerLabel;
                    const bool on = layersAcross ? head == selected.head : layer == selected.layer;
                    painter.setPen(on ? colours.accent : colours.mute);
                    painter.drawText(
                        QPointF(rect.left() - 8 - metrics.horizontalAdvance(text),
                                rect.center().y() + (metrics.ascent() - metrics.descent()) / 2),
                        text);
                }
            }
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
