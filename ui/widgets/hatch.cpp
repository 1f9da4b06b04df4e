// Lines instead of pattern brushes: their density does not depend on the screen.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/hatch.h"

#include <QCoreApplication>
#include <QPainter>
#include <QStringList>
#include <QVector>
#include <cmath>

namespace heed::ui {

namespace {

bool has(MaskReasons reasons, MaskReason reason)
{
    return (reasons & static_cast<MaskReasons>(reason)) != 0;
}

/// Diagonals x + sign·y = k·spacing through @p rect.
void diagonals(QVector<QLineF>& lines, const QRectF& r, double spacing, double sign)
{
    const double a = r.left() + sign * (sign > 0 ? r.top() : r.bottom());
    const double b = r.right() + sign * (sign > 0 ? r.bottom() : r.top());
    for (double k = std::ceil(a / spacing) * spacing; k <= b; k += spacing) {
        lines.append({k - sign * r.top(), r.top(), k - sign * r.bottom(), r.bottom()});
    }
}

} // namespace

Hatch hatchOf(MaskReasons reasons)
{
    const bool padding = has(reasons, MaskReason::Padding);
    const bool causal = has(reasons, MaskReason::Causal);
    if (padding && causal) {
        return Hatch::Crossed;
    }
    if (padding) {
        return Hatch::Falling;
    }
    if (causal) {
        return Hatch::Rising;
    }
    if (has(reasons, MaskReason::Window)) {
        return Hatch::Level;
    }
    if (has(reasons, MaskReason::Documents)) {
        return Hatch::Upright;
    }
    return has(reasons, MaskReason::Prefix) ? Hatch::Dots : Hatch::Grid;
}

void paintHatch(QPainter& painter, const QRectF& rect, Hatch hatch, const QColor& colour,
                double spacing)
{
    QVector<QLineF> lines;
    switch (hatch) {
    case Hatch::Rising:
        diagonals(lines, rect, spacing * 1.4, 1);
        break;
    case Hatch::Falling:
        diagonals(lines, rect, spacing * 1.4, -1);
        break;
    case Hatch::Crossed:
        diagonals(lines, rect, spacing * 1.4, 1);
        diagonals(lines, rect, spacing * 1.4, -1);
        break;
    case Hatch::Grid:
    case Hatch::Level:
    case Hatch::Dots:
        for (double y = std::ceil(rect.top() / spacing) * spacing; y <= rect.bottom();
             y += spacing) {
            lines.append({rect.left(), y, rect.right(), y});
        }
        if (hatch != Hatch::Grid) {
            break;
        }
        [[fallthrough]];
    case Hatch::Upright:
        for (double x = std::ceil(rect.left() / spacing) * spacing; x <= rect.right();
             x += spacing) {
            lines.append({x, rect.top(), x, rect.bottom()});
        }
        break;
    }
    painter.save();
    painter.setClipRect(rect, Qt::IntersectClip);
    QPen pen(colour, 1);
    if (hatch == Hatch::Dots) {
        pen.setDashPattern({1, spacing - 1});
    }
    painter.setPen(pen);
    painter.drawLines(lines);
    painter.restore();
}

QString reasonText(MaskReasons reasons)
{
    struct Word {
        MaskReason reason;
        const char* text;
    };
    static constexpr Word words[] = {
        {MaskReason::Padding, QT_TRANSLATE_NOOP("MaskReason", "padding")},
        {MaskReason::Causal, QT_TRANSLATE_NOOP("MaskReason", "causal")},
        {MaskReason::Window, QT_TRANSLATE_NOOP("MaskReason", "window")},
        {MaskReason::Documents, QT_TRANSLATE_NOOP("MaskReason", "documents")},
        {MaskReason::Prefix, QT_TRANSLATE_NOOP("MaskReason", "prefix")},
        {MaskReason::File, QT_TRANSLATE_NOOP("MaskReason", "file")},
        {MaskReason::Other, QT_TRANSLATE_NOOP("MaskReason", "other")},
    };
    QStringList parts;
    for (const Word& word : words) {
        if (has(reasons, word.reason)) {
            parts += QCoreApplication::translate("MaskReason", word.text);
        }
    }
    return parts.join(QStringLiteral(" + "));
}

} // namespace heed::ui
