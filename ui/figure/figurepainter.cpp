// Cells as exact rectangles or lossless pixels, text as text.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure/figurepainter.h"

#include "views/maskhatch.h"
#include "views/numbertext.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace heed::ui {

namespace {

constexpr QRgb TextColour = 0xFF1B2126;
constexpr QRgb SecondaryColour = 0xFF67727C;
constexpr QRgb FrameColour = 0xFF8A949C;
constexpr QRgb HatchColour = 0xFF7C8790;
constexpr QRgb OverValueHatchColour = TextColour;
constexpr double Mm = UnitsPerMm;
constexpr double HatchSpacing = 0.9 * Mm;
constexpr double HatchLine = 0.12 * Mm;
constexpr double FrameLine = 0.1 * Mm;
// Beyond, maps are images: so many a side of a map, and so many on a page, which programs that show
// it keep as objects.
constexpr std::int64_t MostRectangles = 128;
constexpr std::int64_t MostOnPage = 4 * MostRectangles * MostRectangles;
constexpr double ImageDotsPerMm = 600 / 25.4;
constexpr int BarSteps = 128;

void drawTextAt(QPainter& painter, const QRectF& area, int flags, const QString& text)
{
    painter.drawText(area, flags | Qt::TextDontClip | Qt::TextSingleLine, text);
}

void drawTurned(QPainter& painter, const QRectF& area, const QString& text, int align)
{
    painter.save();
    painter.translate(area.left(), area.bottom());
    painter.rotate(-90);
    drawTextAt(painter, QRectF(0, 0, area.height(), area.width()), align | Qt::AlignVCenter, text);
    painter.restore();
}

/// Masked cells are paper, unless they have a value that is shown under the hatch.
bool showsColour(const FigureMap& map, std::size_t texel, const TileStyle& style)
{
    return texelState(map.tile, texel, style.quantity) != TexelState::Masked ||
           valueSurvivesMask(style.quantity);
}

/// Row-major index of the texel behind a pixel of tileImage().
std::size_t texelIndex(const QImage& colours, int row, int column)
{
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(colours.width()) +
           static_cast<std::size_t>(column);
}

/// Of a side of @p cells cells, what a whole texel takes. The last one may have fewer cells.
double texelShare(const FigureMap& map, std::int64_t cells)
{
    return static_cast<double>(std::int64_t{1} << map.level) / static_cast<double>(cells);
}

/// One texel of a panel on the page.
class TexelGrid {
public:
    explicit TexelGrid(const FigurePanel& panel)
        : m_area(panel.area)
        , m_width(panel.area.width() * texelShare(*panel.map, panel.map->keys))
        , m_height(panel.area.height() * texelShare(*panel.map, panel.map->queries))
    {
    }
    [[nodiscard]] QRectF rect(double column, double row, double columns, double rows) const
    {
        const QRectF whole(m_area.left() + column * m_width, m_area.top() + row * m_height,
                           columns * m_width, rows * m_height);
        return whole & m_area;
    }
    [[nodiscard]] QRectF texel(int column, int row) const { return rect(column, row, 1, 1); }

private:
    QRectF m_area;
    double m_width;
    double m_height;
};

void paintRectangles(QPainter& painter, const FigurePanel& panel, const QImage& colours,
                     const TileStyle& style)
{
    const TexelGrid grid(panel);
    painter.setPen(Qt::NoPen);
    for (int row = 0; row < colours.height(); ++row) {
        for (int column = 0; column < colours.width(); ++column) {
            const std::size_t texel = texelIndex(colours, row, column);
            if (showsColour(*panel.map, texel, style)) {
                painter.setBrush(colours.pixelColor(column, row));
                painter.drawRect(grid.texel(column, row));
            }
        }
    }
}

/// Enlarged by a whole factor: viewers that smooth small images then have nothing to smooth.
void paintImage(QPainter& painter, const FigurePanel& panel, const QImage& colours)
{
    const auto enlarged = [](double side, int texels) {
        return texels *
               std::max(1, static_cast<int>(std::ceil(side / Mm * ImageDotsPerMm / texels)));
    };
    const QSize size(enlarged(panel.area.width(), colours.width()),
                     enlarged(panel.area.height(), colours.height()));
    // The part that has cells.
    const auto inside = [&](int pixels, int texels, std::int64_t cells) {
        return std::clamp(qRound(pixels / (texels * texelShare(*panel.map, cells))), 1, pixels);
    };
    painter.drawImage(panel.area,
                      colours.scaled(size, Qt::IgnoreAspectRatio, Qt::FastTransformation)
                          .copy(0, 0, inside(size.width(), colours.width(), panel.map->keys),
                                inside(size.height(), colours.height(), panel.map->queries)));
}

void paintNumbers(QPainter& painter, const FigurePanel& panel, const FigureLayout& layout,
                  const QImage& colours, const TileStyle& style)
{
    const TexelGrid grid(panel);
    painter.setFont(figureFont(layout.fontPt * CellNumberShare));
    for (int row = 0; row < colours.height(); ++row) {
        for (int column = 0; column < colours.width(); ++column) {
            const std::size_t texel = texelIndex(colours, row, column);
            if (texelState(panel.map->tile, texel, style.quantity) == TexelState::Masked) {
                continue;
            }
            painter.setPen(QColor::fromRgb(textColourOn(colours.pixel(column, row))));
            drawTextAt(painter, grid.texel(column, row), Qt::AlignCenter,
                       cellNumber(panel.map->tile.texels.values[texel], style.quantity));
        }
    }
}

HatchStyle hatchStyle()
{
    HatchStyle style;
    style.ink = QColor::fromRgb(HatchColour);
    style.spacing = HatchSpacing;
    style.lineWidth = HatchLine;
    return style;
}

/// The hatch of the cells. Over values it needs an edge of paper: it must stand out in print, on
/// dark and on light colours, in grey too.
HatchStyle cellHatchStyle(Quantity quantity)
{
    HatchStyle style = hatchStyle();
    style.paper = Qt::transparent;
    if (valueSurvivesMask(quantity)) {
        style.ink = QColor::fromRgb(OverValueHatchColour);
        style.casing = Qt::white;
    }
    return style;
}

void paintCells(QPainter& painter, const FigurePanel& panel, const FigureLayout& layout,
                const TileStyle& style)
{
    const QImage colours = tileImage(panel.map->tile, style);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    const auto onPage =
        static_cast<std::int64_t>(layout.panels.size()) * colours.width() * colours.height();
    if (colours.width() <= MostRectangles && colours.height() <= MostRectangles &&
        onPage <= MostOnPage) {
        paintRectangles(painter, panel, colours, style);
    } else {
        paintImage(painter, panel, colours);
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (style.hatchMasked) {
        const TexelGrid grid(panel);
        std::vector<HatchArea> areas = maskedAreas(panel.map->tile);
        for (HatchArea& area : areas) {
            area.area =
                grid.rect(area.area.x(), area.area.y(), area.area.width(), area.area.height());
        }
        paintHatch(painter, areas, cellHatchStyle(style.quantity), panel.area.topLeft());
    }
    if (layout.cellNumbers) {
        paintNumbers(painter, panel, layout, colours, style);
    }
    painter.setPen(QPen(QColor::fromRgb(FrameColour), FrameLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(panel.area);
    painter.restore();
}

void paintLabels(QPainter& painter, const FigurePanel& panel, const FigureLayout& layout)
{
    const QFont font = figureFont(layout.fontPt);
    const QFontMetricsF metrics(font);
    painter.setFont(font);
    painter.setPen(QColor::fromRgb(TextColour));
    const double pad = 0.6 * Mm;
    if (!panel.rowTokens.isEmpty()) {
        const double height = panel.area.height() / static_cast<double>(panel.rowTokens.size());
        for (int i = 0; i < panel.rowTokens.size(); i += layout.rowLabelStep) {
            const QString text =
                metrics.elidedText(panel.rowTokens[i], Qt::ElideMiddle, layout.rowLabelWidth + 1);
            drawTextAt(painter,
                       QRectF(panel.area.left() - pad - layout.rowLabelWidth,
                              panel.area.top() + i * height, layout.rowLabelWidth, height),
                       Qt::AlignRight | Qt::AlignVCenter, text);
        }
    }
    if (!panel.columnTokens.isEmpty()) {
        const double width = panel.area.width() / static_cast<double>(panel.columnTokens.size());
        const double bottom =
            panel.area.top() - pad - (panel.caption.isEmpty() ? 0 : metrics.height());
        for (int i = 0; i < panel.columnTokens.size(); i += layout.columnLabelStep) {
            const QRectF area(panel.area.left() + i * width, bottom - layout.columnLabelHeight,
                              width, layout.columnLabelHeight);
            const QString& token = panel.columnTokens[i];
            if (isUprightLabel(token)) {
                const double line = metrics.height() * 0.9;
                for (qsizetype c = 0; c < token.size(); ++c) {
                    const double y = area.bottom() - static_cast<double>(token.size() - c) * line;
                    if (y >= area.top() - line) {
                        drawTextAt(painter, QRectF(area.left(), y, width, line), Qt::AlignCenter,
                                   token.mid(c, 1));
                    }
                }
            } else {
                drawTurned(painter, area,
                           metrics.elidedText(token, Qt::ElideMiddle, layout.columnLabelHeight + 1),
                           Qt::AlignLeft);
            }
        }
    }
}

void paintColourBar(QPainter& painter, const FigureLayout& layout, const TileStyle& style)
{
    const ColourTable& table = colourTable(style.colourMap);
    const QRectF& bar = layout.colourBar;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(Qt::NoPen);
    for (int i = 0; i < BarSteps; ++i) {
        const double share = (i + 0.5) / BarSteps;
        painter.setBrush(QColor::fromRgb(colourOf(
            table, style.range.low + share * (style.range.high - style.range.low), style.range)));
        const double height = bar.height() / BarSteps;
        painter.drawRect(QRectF(bar.left(), bar.bottom() - (i + 1) * height, bar.width(), height));
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(QColor::fromRgb(FrameColour), FrameLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(bar);

    const QFont font = figureFont(layout.fontPt * SmallTextShare);
    const QFontMetricsF metrics(font);
    painter.setFont(font);
    painter.setPen(QColor::fromRgb(TextColour));
    const double steps =
        std::max<double>(1, static_cast<double>(layout.colourBarNumbers.size()) - 1);
    for (qsizetype i = 0; i < layout.colourBarNumbers.size(); ++i) {
        const double y =
            std::clamp(bar.bottom() - static_cast<double>(i) / steps * bar.height(),
                       bar.top() + metrics.height() / 2.4, bar.bottom() - metrics.height() / 2.4);
        drawTextAt(
            painter,
            QRectF(bar.right() + 0.5 * Mm, y - metrics.height() / 2, 10 * Mm, metrics.height()),
            Qt::AlignLeft | Qt::AlignVCenter, layout.colourBarNumbers[i]);
    }
    painter.setPen(QColor::fromRgb(SecondaryColour));
    drawTurned(painter, layout.colourBarNameArea, layout.colourBarName, Qt::AlignHCenter);
    painter.restore();
}

void paintLegend(QPainter& painter, const FigureLayout& layout)
{
    painter.save();
    painter.setFont(figureFont(layout.fontPt * SmallTextShare));
    for (const LegendEntry& entry : layout.legend) {
        if (entry.reason == MaskReason::None) {
            painter.fillRect(entry.swatch, QColor::fromRgb(NotANumberColour));
        } else {
            const HatchArea area{entry.swatch, static_cast<MaskReasons>(entry.reason), false};
            paintHatch(painter, std::span(&area, 1), hatchStyle(), entry.swatch.topLeft());
        }
        painter.setPen(QPen(QColor::fromRgb(FrameColour), FrameLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(entry.swatch);
        painter.setPen(QColor::fromRgb(SecondaryColour));
        drawTextAt(painter, entry.textArea, Qt::AlignLeft | Qt::AlignVCenter, entry.words);
    }
    painter.restore();
}

} // namespace

void paintFigure(QPainter& painter, const FigureLayout& layout, const TileStyle& style)
{
    painter.save();
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing |
                           QPainter::LosslessImageRendering);
    painter.fillRect(QRectF(QPointF(0, 0), layout.size), Qt::white);
    if (!layout.title.isEmpty()) {
        const QFont font = figureFont(layout.fontPt, true);
        painter.setFont(font);
        painter.setPen(QColor::fromRgb(TextColour));
        drawTextAt(
            painter, layout.titleArea, Qt::AlignLeft | Qt::AlignVCenter,
            QFontMetricsF(font).elidedText(layout.title, Qt::ElideRight, layout.titleArea.width()));
    }
    for (const FigurePanel& panel : layout.panels) {
        const QFont font = figureFont(layout.fontPt * SmallTextShare);
        const QFontMetricsF metrics(font);
        painter.setFont(font);
        painter.setPen(QColor::fromRgb(SecondaryColour));
        if (!panel.rowName.isEmpty()) {
            drawTextAt(painter,
                       QRectF(panel.area.left() - 0.6 * Mm - layout.rowNameWidth, panel.area.top(),
                              layout.rowNameWidth, panel.area.height()),
                       Qt::AlignRight | Qt::AlignVCenter, panel.rowName);
        }
        if (!panel.caption.isEmpty()) {
            drawTextAt(painter,
                       QRectF(panel.area.left(), panel.area.top() - metrics.height() - 0.2 * Mm,
                              panel.area.width(), metrics.height()),
                       Qt::AlignLeft | Qt::AlignVCenter,
                       metrics.elidedText(panel.caption, Qt::ElideLeft, panel.area.width() + 1));
        }
        paintCells(painter, panel, layout, style);
        paintLabels(painter, panel, layout);
    }
    if (!layout.colourBar.isEmpty()) {
        paintColourBar(painter, layout, style);
    }
    paintLegend(painter, layout);
    painter.restore();
}

} // namespace heed::ui
