// Choice and painting of token labels.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tokenlabels.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace heed::ui {

namespace {

constexpr int Gap = 8;                // between a label and the map
constexpr qint64 MostMeasured = 2000; // labels measured for the margin; a map of more is all steps

bool isStackedScript(QChar::Script script)
{
    switch (script) {
    case QChar::Script_Han:
    case QChar::Script_Hiragana:
    case QChar::Script_Katakana:
    case QChar::Script_Hangul:
    case QChar::Script_Bopomofo:
        return true;
    default:
        return false;
    }
}

/// Characters as they are stacked, ending in "…" when there are more than @p most.
QStringList stack(const QString& text, int most)
{
    QStringList characters;
    for (const char32_t c : text.toUcs4()) {
        characters << QString::fromUcs4(&c, 1);
    }
    if (characters.size() > most) {
        characters = characters.mid(0, std::max(1, most));
        if (most > 1) {
            characters.last() = QStringLiteral("⋮");
        }
    }
    return characters;
}

/// The font of the pinned label; room is kept for it.
QFont emphasised(const QFont& base)
{
    QFont font = base;
    font.setWeight(QFont::DemiBold);
    return font;
}

double lineStep(const QFontMetricsF& metrics)
{
    return metrics.ascent() + 1;
}

/// The @p n-th label that is measured: all of few, of many some from the first to the last.
qint64 measured(qint64 n, qint64 count)
{
    return count <= MostMeasured ? n : n * (count - 1) / (MostMeasured - 1);
}

} // namespace

LabelChoice chooseLabels(qint64 first, qint64 last, double cell, double needed,
                         const std::vector<qint64>& important, std::vector<qint64> taken)
{
    LabelChoice choice;
    if (first >= last || !(cell > 0)) {
        return choice;
    }
    while (static_cast<double>(choice.step) * cell < needed && choice.step < (qint64{1} << 40)) {
        choice.step *= 2;
    }
    const double apart = needed / cell; // tokens
    std::sort(taken.begin(), taken.end());
    std::vector<qint64>& fixed = taken;
    const auto crowded = [&](qint64 index) {
        const auto after = std::lower_bound(fixed.begin(), fixed.end(), index);
        return (after != fixed.end() && static_cast<double>(*after - index) < apart) ||
               (after != fixed.begin() && static_cast<double>(index - *(after - 1)) < apart);
    };
    const auto begin = std::lower_bound(important.begin(), important.end(), first);
    const auto end = std::lower_bound(begin, important.end(), last);
    for (auto it = begin; choice.step > 1 && it != end; ++it) {
        if (!crowded(*it)) {
            fixed.insert(std::upper_bound(fixed.begin(), fixed.end(), *it), *it);
            choice.indices.push_back(*it);
        }
    }
    const qint64 start = (first + choice.step - 1) / choice.step * choice.step;
    for (qint64 i = start; i < last; i += choice.step) {
        if (!crowded(i)) {
            choice.indices.push_back(i);
        }
    }
    std::sort(choice.indices.begin(), choice.indices.end());
    return choice;
}

bool isStacked(const QString& text)
{
    bool any = false;
    for (const char32_t c : text.toUcs4()) {
        const QChar::Script script = QChar::script(c);
        // Their punctuation and full-width forms stand upright with them.
        const bool punctuation = (c >= 0x3000 && c <= 0x303F) || (c >= 0xFF00 && c <= 0xFFEF);
        if (punctuation || isStackedScript(script)) {
            any = true;
        } else if (script != QChar::Script_Common && script != QChar::Script_Inherited) {
            return false;
        }
    }
    return any;
}

void TokenLabels::setTokens(TokensPtr tokens)
{
    const bool isSame = m_tokens && tokens && *m_tokens == *tokens;
    m_tokens = std::move(tokens);
    if (isSame) {
        return;
    }
    m_special.clear();
    for (qint64 index = 0; index < count(); ++index) {
        const Token& token = (*m_tokens)[static_cast<std::size_t>(index)];
        if (token.isSpecial || token.isPadding) {
            m_special.push_back(index);
        }
    }
    m_rowExtent = {};
    m_columnExtent = {};
}

QString TokenLabels::text(qint64 index) const
{
    return index >= 0 && index < count()
               ? QString::fromStdString(displayText((*m_tokens)[static_cast<std::size_t>(index)]))
               : QString();
}

template <typename Measure>
int TokenLabels::extent(Extent& known, const QFont& font, int most, const Measure& measure) const
{
    if (known.most != most || known.font != font) {
        double longest = 0;
        for (qint64 n = 0; n < std::min(count(), MostMeasured) && longest < most; ++n) {
            longest = std::max(longest, measure(text(measured(n, count()))));
        }
        known = {font, most, std::min(most, static_cast<int>(std::ceil(longest)) + 1 + Gap)};
    }
    return known.pixels;
}

int TokenLabels::rowExtent(const QFont& font, int most) const
{
    const QFontMetricsF metrics(emphasised(font));
    return extent(m_rowExtent, font, most,
                  [&](const QString& label) { return metrics.horizontalAdvance(label); });
}

int TokenLabels::columnExtent(const QFont& font, int most) const
{
    const QFontMetricsF metrics(emphasised(font));
    return extent(m_columnExtent, font, most, [&](const QString& label) {
        return isStacked(label) ? static_cast<double>(label.size()) * lineStep(metrics)
                                : metrics.horizontalAdvance(label);
    });
}

void TokenLabelPainter::drawRow(QPainter& painter, const QString& text, qint64 index,
                                int room) const
{
    const QFontMetricsF metrics(painter.font());
    const double right = m_viewport.mapRect().left() - Gap;
    const QString shown = metrics.elidedText(text, Qt::ElideMiddle, room - Gap);
    const double width = metrics.horizontalAdvance(shown);
    const double middle =
        m_viewport.rowEdge(static_cast<double>(index)) + m_viewport.cellHeight() / 2;
    painter.drawText(QPointF(right - width, middle + (metrics.ascent() - metrics.descent()) / 2),
                     shown);
}

void TokenLabelPainter::drawColumn(QPainter& painter, const QString& text, qint64 index,
                                   int room) const
{
    const QFontMetricsF metrics(painter.font());
    const double bottom = m_viewport.mapRect().top() - Gap;
    const double middle =
        m_viewport.columnEdge(static_cast<double>(index)) + m_viewport.cellWidth() / 2;
    if (isStacked(text)) {
        const double step = lineStep(metrics);
        const QStringList characters = stack(text, static_cast<int>((room - Gap) / step));
        double baseline =
            bottom - metrics.descent() - step * static_cast<double>(characters.size() - 1) + 2;
        for (const QString& character : characters) {
            painter.drawText(QPointF(middle - metrics.horizontalAdvance(character) / 2, baseline),
                             character);
            baseline += step;
        }
        return;
    }
    painter.save();
    painter.translate(middle + (metrics.ascent() - metrics.descent()) / 2, bottom);
    painter.rotate(-90);
    painter.drawText(QPointF(0, 0), metrics.elidedText(text, Qt::ElideMiddle, room - Gap));
    painter.restore();
}

qint64 TokenLabelPainter::paintRows(QPainter& painter, const TokenLabels& labels, int room,
                                    const std::vector<qint64>& taken) const
{
    const QRectF seen = m_viewport.visibleCells();
    const QFontMetricsF metrics(m_font);
    const LabelChoice choice =
        chooseLabels(static_cast<qint64>(std::ceil(seen.top() - 0.5)),
                     std::min(labels.count(), static_cast<qint64>(std::floor(seen.bottom() + 0.5))),
                     m_viewport.cellHeight(), metrics.height() * 0.86, labels.special(), taken);
    painter.setFont(m_font);
    painter.setPen(m_colours.text);
    for (const qint64 index : choice.indices) {
        drawRow(painter, labels.text(index), index, room);
    }
    return choice.step;
}

qint64 TokenLabelPainter::paintColumns(QPainter& painter, const TokenLabels& labels, int room,
                                       const std::vector<qint64>& taken) const
{
    const QRectF seen = m_viewport.visibleCells();
    const QFontMetricsF metrics(m_font);
    const LabelChoice choice =
        chooseLabels(static_cast<qint64>(std::ceil(seen.left() - 0.5)),
                     std::min(labels.count(), static_cast<qint64>(std::floor(seen.right() + 0.5))),
                     m_viewport.cellWidth(), metrics.height() * 0.86, labels.special(), taken);
    painter.setFont(m_font);
    painter.setPen(m_colours.text);
    for (const qint64 index : choice.indices) {
        drawColumn(painter, labels.text(index), index, room);
    }
    return choice.step;
}

void TokenLabelPainter::paintRow(QPainter& painter, const TokenLabels& labels, qint64 index,
                                 int room, bool bold) const
{
    const double middle =
        m_viewport.rowEdge(static_cast<double>(index)) + m_viewport.cellHeight() / 2;
    const QRect map = m_viewport.mapRect();
    if (index < 0 || index >= labels.count() || middle < map.top() || middle > map.bottom() + 1) {
        return;
    }
    painter.setFont(bold ? emphasised(m_font) : m_font);
    painter.setPen(m_colours.accent);
    drawRow(painter, labels.text(index), index, room);
}

void TokenLabelPainter::paintColumn(QPainter& painter, const TokenLabels& labels, qint64 index,
                                    int room, bool bold) const
{
    const double middle =
        m_viewport.columnEdge(static_cast<double>(index)) + m_viewport.cellWidth() / 2;
    const QRect map = m_viewport.mapRect();
    if (index < 0 || index >= labels.count() || middle < map.left() || middle > map.right() + 1) {
        return;
    }
    painter.setFont(bold ? emphasised(m_font) : m_font);
    painter.setPen(m_colours.accent);
    drawColumn(painter, labels.text(index), index, room);
}

} // namespace heed::ui
