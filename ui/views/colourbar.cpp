// Layout and painting of the colour bar.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/colourbar.h"

#include "views/numbertext.h"
#include "views/viewtext.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <vector>

namespace heed::ui {

namespace {

struct Views {
    Q_DECLARE_TR_FUNCTIONS(heed::ui::Views)
};

constexpr double BarHeight = 13;
constexpr double LongestBar = 280;
constexpr double ShortestBar = 150;
constexpr double Swatch = 15;
constexpr double SwatchGap = 7;
constexpr double ItemGap = 18;

enum class SwatchKind { Masked, Zero, NotANumber };

struct Item {
    SwatchKind kind;
    MaskReasons reasons;
    QString text;
};

std::vector<Item> items(const ColourBar& bar)
{
    std::vector<Item> list;
    for (const HatchFamily& family : hatchFamilies()) {
        const auto bit = static_cast<MaskReasons>(family.reason);
        if ((bar.contents.reasons & bit) != 0) {
            list.push_back({SwatchKind::Masked, bit, maskedText(bit)});
        }
    }
    if (bar.contents.zero) {
        list.push_back({SwatchKind::Zero, 0, Views::tr("exactly 0")});
    }
    if (bar.contents.notANumber) {
        list.push_back({SwatchKind::NotANumber, 0, Views::tr("not a number")});
    }
    return list;
}

void paintSwatch(QPainter& painter, const QRectF& box, const Item& item, const ColourBar& bar,
                 const ViewColours& colours)
{
    const QColor lowest = QColor::fromRgb(colourTable(bar.colourMap).front());
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (item.kind == SwatchKind::Masked) {
        const HatchArea area{box, bar.hatchMasked ? item.reasons : MaskReasons{0}, false};
        paintHatch(painter, std::span(&area, 1),
                   {.paper = colours.paper, .ink = colours.hatch, .spacing = 4.2, .lineWidth = 0.9},
                   box.topLeft());
    } else {
        const QColor fill =
            item.kind == SwatchKind::Zero ? lowest : QColor::fromRgb(NotANumberColour);
        painter.fillRect(box, fill);
        const QColor ink = QColor::fromRgb(textColourOn(fill.rgb()));
        if (item.kind == SwatchKind::Zero) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(ink);
            painter.drawEllipse(box.center(), 1.2, 1.2);
        } else {
            painter.setPen(QPen(ink, 1.2));
            const QRectF cross = box.adjusted(4, 4, -4, -4);
            painter.drawLine(cross.topLeft(), cross.bottomRight());
            painter.drawLine(cross.bottomLeft(), cross.topRight());
        }
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colours.line, 1));
    painter.drawRect(box.adjusted(-0.5, -0.5, 0.5, 0.5));
}

void paintGradient(QPainter& painter, const QRectF& box, const ColourBar& bar)
{
    const ColourTable& table = colourTable(bar.colourMap);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    const double step = box.width() / static_cast<double>(table.size());
    for (std::size_t i = 0; i < table.size(); ++i) {
        // To the end of the bar, so that rounding leaves no gap; the next covers the rest.
        const double x = box.left() + step * static_cast<double>(i);
        painter.fillRect(QRectF(x, box.top(), box.right() - x, box.height()),
                         QColor::fromRgb(table[i]));
    }
    painter.restore();
}

} // namespace

double paintColourBar(QPainter* painter, const QRectF& area, const ColourBar& bar,
                      const ViewColours& colours, const QFont& font)
{
    const QFontMetricsF metrics(font);
    const double barWidth =
        std::min(area.width(), std::clamp(area.width() * 0.5, ShortestBar, LongestBar));
    const QRectF box(area.left(), area.top(), barWidth, BarHeight);
    const double baseline = box.bottom() + 5 + metrics.ascent();
    const auto number = [&](double value) {
        return rangeNumber(value, bar.range.low, bar.range.high);
    };
    const QString high = number(bar.range.high);
    if (painter) {
        painter->save();
        painter->setFont(font);
        paintGradient(*painter, box, bar);
        painter->setPen(colours.mute);
        const QString middle = number((bar.range.low + bar.range.high) / 2);
        painter->drawText(QPointF(box.left(), baseline), number(bar.range.low));
        painter->drawText(
            QPointF(box.center().x() - metrics.horizontalAdvance(middle) / 2, baseline), middle);
        painter->drawText(QPointF(box.right() - metrics.horizontalAdvance(high), baseline), high);
    }
    double bottom = baseline + metrics.descent();
    // The name follows the upper end, or takes the next line.
    const double nameWidth = metrics.horizontalAdvance(bar.name);
    QPointF name(box.right() + 9, baseline);
    if (name.x() + nameWidth > area.right()) {
        name = {box.left(), baseline + metrics.height() + 1};
        bottom += metrics.height() + 1;
    }
    if (painter) {
        painter->drawText(
            name, metrics.elidedText(bar.name, Qt::ElideRight, area.right() - name.x() + 1));
    }
    // Swatches to the right of the bar when all have room there, otherwise in lines below.
    const std::vector<Item> swatches = items(bar);
    const auto widthOf = [&](const Item& item) {
        return Swatch + SwatchGap + metrics.horizontalAdvance(item.text);
    };
    double all = 0;
    for (const Item& item : swatches) {
        all += ItemGap + widthOf(item);
    }
    const bool beside = box.right() + all <= area.right();
    double x = beside ? box.right() + ItemGap : area.left();
    double y = beside ? box.center().y() - Swatch / 2 : bottom + 8;
    for (const Item& item : swatches) {
        const double width = widthOf(item);
        if (x > area.left() && x + width > area.right()) {
            y += Swatch + 7;
            x = area.left();
        }
        if (painter) {
            paintSwatch(*painter, QRectF(x, y, Swatch, Swatch), item, bar, colours);
            painter->setPen(colours.mute);
            painter->drawText(QPointF(x + Swatch + SwatchGap,
                                      y + Swatch / 2 + (metrics.ascent() - metrics.descent()) / 2),
                              item.text);
        }
        x += width + ItemGap;
        bottom = std::max(bottom, y + Swatch);
    }
    if (painter) {
        painter->restore();
    }
    return bottom - area.top();
}

} // namespace heed::ui
