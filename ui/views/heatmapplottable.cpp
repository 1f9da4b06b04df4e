// Blits the map, then what only large cells have room for.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/heatmapplottable.h"

#include "views/numbertext.h"

#include <algorithm>
#include <cmath>

namespace heed::ui {

namespace {

// Pixels a cell, device-independent.
constexpr double GridLinesFrom = 6;
constexpr double MarksFrom = 7;
constexpr double ZeroDotFrom = 12;
constexpr double NumbersFrom = 28;
constexpr double NumberMargin = 6; // both sides together

constexpr double HatchSpacing = 4.2;
constexpr double HatchWidth = 0.9;

} // namespace

HeatmapPlottable::HeatmapPlottable(QCPAxis* keyAxis, QCPAxis* valueAxis, TileScene* scene,
                                   const MapViewport* viewport)
    : QCPAbstractPlottable(keyAxis, valueAxis)
    , m_scene(scene)
    , m_viewport(viewport)
{
    setSelectable(QCP::stNone);
    setAntialiasedFill(false);
}

void HeatmapPlottable::setStyle(const TileStyle& style, bool cellNumbers,
                                const ViewColours& colours, const QFont& numberFont)
{
    m_style = style;
    m_cellNumbers = cellNumbers;
    m_colours = colours;
    m_numberFont = numberFont;
}

double HeatmapPlottable::selectTest(const QPointF&, bool, QVariant*) const
{
    return -1;
}

QCPRange HeatmapPlottable::getKeyRange(bool& foundRange, QCP::SignDomain) const
{
    foundRange = !m_viewport->isEmpty();
    return {0, static_cast<double>(m_viewport->keys())};
}

QCPRange HeatmapPlottable::getValueRange(bool& foundRange, QCP::SignDomain, const QCPRange&) const
{
    foundRange = !m_viewport->isEmpty();
    return {0, static_cast<double>(m_viewport->queries())};
}

void HeatmapPlottable::drawLegendIcon(QCPPainter* painter, const QRectF& rect) const
{
    painter->fillRect(rect, QColor::fromRgb(colourTable(m_style.colourMap)[128]));
}

QRect HeatmapPlottable::clipRect() const
{
    return mParentPlot->viewport(); // draw() clips to the map; the plot's own clip is a pixel off
}

void HeatmapPlottable::draw(QCPPainter* painter)
{
    if (m_viewport->isEmpty() || !m_scene->hasTiles()) {
        return;
    }
    const double scale = painter->deviceTransform().m11();
    const std::vector<PlacedTile> tiles = m_scene->placedTiles(m_style);
    painter->save();
    painter->setAntialiasing(false); // also undoes the half pixel it shifts by
    painter->setClipRect(QRectF(m_viewport->mapRect()));
    if (m_dimmed) {
        painter->setOpacity(0.45);
    }
    // What has not arrived yet is a blank of the map, not a hole in the window.
    painter->fillRect(m_viewport->mapRect(), mixed(m_colours.surface, m_colours.text, 0.06));
    drawCells(painter, tiles, scale > 0 ? scale : 1);
    drawGrid(painter, scale > 0 ? scale : 1);
    drawMarks(painter, tiles);
    painter->restore();
}

void HeatmapPlottable::drawCells(QCPPainter* painter, const std::vector<PlacedTile>& tiles,
                                 double scale) const
{
    const QRect map = m_viewport->mapRect();
    // Whole device pixels from the first that the map touches, so that nothing is resampled.
    const QPoint corner(static_cast<int>(std::floor(map.left() * scale)),
                        static_cast<int>(std::floor(map.top() * scale)));
    const QSize size(static_cast<int>(std::ceil((map.left() + map.width()) * scale)) - corner.x(),
                     static_cast<int>(std::ceil((map.top() + map.height()) * scale)) - corner.y());
    const QRectF seen = m_viewport->visibleCells();
    const QPointF lead(map.left() - corner.x() / scale, map.top() - corner.y() / scale);
    const QRectF cells(seen.left() - lead.x() / m_viewport->cellWidth(),
                       seen.top() - lead.y() / m_viewport->cellHeight(),
                       size.width() / scale / m_viewport->cellWidth(),
                       size.height() / scale / m_viewport->cellHeight());
    RasterStyle raster;
    raster.hatchMasked = m_style.hatchMasked;
    raster.inkOverValues = valueSurvivesMask(m_style.quantity);
    raster.ink = m_colours.hatch.rgb();
    raster.hatchSpacing = HatchSpacing * scale;
    raster.hatchWidth = HatchWidth * scale;
    const QImage picture = composeMap(tiles, cells, size, raster);
    painter->save();
    painter->setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter->scale(1 / scale, 1 / scale);
    painter->drawImage(corner, picture);
    painter->restore();
}

void HeatmapPlottable::drawGrid(QCPPainter* painter, double scale) const
{
    const double width = m_viewport->cellWidth();
    const double height = m_viewport->cellHeight();
    if (std::min(width, height) < GridLinesFrom) {
        return;
    }
    const QRectF seen = m_viewport->visibleCells();
    const QRectF map = m_viewport->mapRect();
    const double right =
        std::min(map.right(), m_viewport->columnEdge(static_cast<double>(m_viewport->keys())));
    const double bottom =
        std::min(map.bottom(), m_viewport->rowEdge(static_cast<double>(m_viewport->queries())));
    // A thin shade of the surface reads on light and dark cells alike.
    QColor shade = m_colours.surface;
    shade.setAlpha(std::min(width, height) < 14 ? 40 : 70);
    const double line = 1 / scale;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing, false);
    const auto snapped = [scale](double v) { return std::round(v * scale) / scale; };
    for (double key = std::ceil(seen.left()); key < seen.right(); ++key) {
        const double x = snapped(m_viewport->columnEdge(key));
        if (key > 0 && x < right - 0.5) {
            painter->fillRect(QRectF(x, map.top(), line, bottom - map.top()), shade);
        }
    }
    for (double query = std::ceil(seen.top()); query < seen.bottom(); ++query) {
        const double y = snapped(m_viewport->rowEdge(query));
        if (query > 0 && y < bottom - 0.5) {
            painter->fillRect(QRectF(map.left(), y, right - map.left(), line), shade);
        }
    }
    painter->restore();
}

QString HeatmapPlottable::numberText(float value, int decimals) const
{
    if (m_style.quantity == Quantity::Weights) {
        return cellNumber(value, m_style.quantity);
    }
    QString text = QString::number(static_cast<double>(value), 'f', decimals);
    // Minus zero after rounding says something that is not so.
    return text.startsWith(u'-') && text.toDouble() == 0 ? text.mid(1) : withMinusSign(text);
}

std::optional<int> HeatmapPlottable::decimalsFor(const QFontMetricsF& metrics, double room) const
{
    if (m_style.quantity == Quantity::Weights) {
        return metrics.horizontalAdvance(QStringLiteral("1.00")) <= room ? std::optional(2)
                                                                         : std::nullopt;
    }
    // The same for all cells, or columns of numbers could not be compared.
    for (const int decimals : {2, 1}) {
        const double widest =
            std::max(metrics.horizontalAdvance(QString::number(m_style.range.low, 'f', decimals)),
                     metrics.horizontalAdvance(QString::number(m_style.range.high, 'f', decimals)));
        if (widest <= room) {
            return decimals;
        }
    }
    return std::nullopt;
}

void HeatmapPlottable::drawMarks(QCPPainter* painter, const std::vector<PlacedTile>& tiles) const
{
    const double room = std::min(m_viewport->cellWidth(), m_viewport->cellHeight());
    if (room < MarksFrom || m_scene->level() != 0) {
        return;
    }
    const QRectF seen = m_viewport->visibleCells();
    const ColourTable& table = colourTable(m_style.colourMap);
    QFont font = m_numberFont;
    font.setPixelSize(std::clamp(static_cast<int>(room * 0.30), 9, 14));
    const QFontMetricsF metrics(font);
    const std::optional<int> decimals =
        m_cellNumbers && room >= NumbersFrom
            ? decimalsFor(metrics, m_viewport->cellWidth() - NumberMargin)
            : std::nullopt;
    painter->save();
    painter->setFont(font);
    painter->setRenderHint(QPainter::Antialiasing, true);
    for (const PlacedTile& placed : tiles) {
        if (placed.level != 0) {
            continue;
        }
        const TileTexels& texels = placed.tile->texels;
        const std::int64_t top = placed.tileRow * TileSide;
        const std::int64_t left = placed.tileColumn * TileSide;
        const auto first = [](double begin, std::int64_t offset) {
            return std::max<std::int64_t>(0, static_cast<std::int64_t>(begin) - offset);
        };
        const auto last = [](double end, std::int64_t offset, std::int64_t count) {
            return std::min(count, static_cast<std::int64_t>(std::ceil(end)) - offset);
        };
        for (std::int64_t r = first(seen.top(), top); r < last(seen.bottom(), top, texels.rows);
             ++r) {
            for (std::int64_t c = first(seen.left(), left);
                 c < last(seen.right(), left, texels.columns); ++c) {
                const auto index = static_cast<std::size_t>(r * texels.columns + c);
                const TexelState state = texelState(*placed.tile, index, m_style.quantity);
                const QRectF cell = m_viewport->cellRect({top + r, left + c});
                if (state == TexelState::Masked) {
                    continue;
                }
                const float value = texels.values[index];
                const QColor ink = QColor::fromRgb(
                    textColourOn(colourOf(table, static_cast<double>(value), m_style.range)));
                if (state == TexelState::NotANumber) {
                    painter->setPen(QPen(ink, std::max(1.0, room / 14)));
                    const QRectF cross =
                        cell.adjusted(room * 0.28, room * 0.28, -room * 0.28, -room * 0.28);
                    painter->drawLine(cross.topLeft(), cross.bottomRight());
                    painter->drawLine(cross.bottomLeft(), cross.topRight());
                } else if (decimals) {
                    const QString text = state == TexelState::Zero ? QStringLiteral("0")
                                                                   : numberText(value, *decimals);
                    const double width = metrics.horizontalAdvance(text);
                    if (width <= cell.width() - NumberMargin) {
                        painter->setPen(ink);
                        painter->drawText(
                            QPointF(cell.center().x() - width / 2,
                                    cell.center().y() + (metrics.ascent() - metrics.descent()) / 2),
                            text);
                    }
                } else if (state == TexelState::Zero && room >= ZeroDotFrom) {
                    painter->setPen(Qt::NoPen);
                    painter->setBrush(ink);
                    painter->drawEllipse(cell.center(), 1.0, 1.0);
                }
            }
        }
    }
    painter->restore();
}

} // namespace heed::ui
