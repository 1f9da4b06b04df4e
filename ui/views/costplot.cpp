// Time on the left axis, memory on the right one.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/costplot.h"

#include "views/viewcolours.h"

#include <QEvent>
#include <algorithm>
#include <cmath>

namespace heed::ui {

namespace {

/// A tick at each power of @p step that is in the range, with its words.
template <typename Text>
QSharedPointer<QCPAxisTicker> ticksOf(const QCPRange& range, double step, const Text& text)
{
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    const double first = std::ceil(std::log(range.lower) / std::log(step) - 1e-9);
    for (double tick = std::pow(step, first); tick <= range.upper * (1 + 1e-9); tick *= step) {
        ticker->addTick(tick, text(tick));
    }
    return ticker;
}

QString bytesText(double bytes)
{
    return QString::fromStdString(formatBytes(static_cast<std::int64_t>(std::llround(bytes))));
}

double heldBytes(const Cost& cost)
{
    return static_cast<double>(cost.projections) + static_cast<double>(cost.rowStats);
}

} // namespace

QString timeText(double seconds)
{
    const auto number = [](double value) {
        return QString::number(value, value < 9.95 ? 'g' : 'f', value < 9.95 ? 2 : 0);
    };
    if (seconds < 0.9995e-3) {
        return number(seconds * 1e6) + QStringLiteral(" µs");
    }
    return seconds < 0.9995 ? number(seconds * 1e3) + QStringLiteral(" ms")
                            : number(seconds) + QStringLiteral(" s");
}

CostPlot::CostPlot(QWidget* parent)
    : QCustomPlot(parent)
{
    setFocusPolicy(Qt::NoFocus); // the panel says the numbers in words
    yAxis2->setVisible(true);
    for (QCPAxis* axis : {xAxis, yAxis, yAxis2}) {
        axis->setScaleType(QCPAxis::stLogarithmic);
        axis->setSubTicks(false);
        axis->setTickLength(0, 0);
    }
    yAxis->grid()->setVisible(false);
    yAxis2->grid()->setVisible(true);
    m_stored = addGraph(xAxis, yAxis2);
    m_held = addGraph(xAxis, yAxis2);
    m_fit = addGraph(xAxis, yAxis);
    m_points = addGraph(xAxis, yAxis);
    m_points->setLineStyle(QCPGraph::lsNone);
    m_points->removeFromLegend();
    // Above the axes: in them the lines would run through it.
    axisRect()->insetLayout()->take(legend);
    plotLayout()->insertRow(0);
    plotLayout()->addElement(0, 0, legend);
    plotLayout()->setRowStretchFactor(0, 0.001);
    plotLayout()->setRowSpacing(0);
    legend->setFillOrder(QCPLegend::foColumnsFirst);
    legend->setMargins(QMargins(0, 0, 0, 0));
    legend->setVisible(true);
    restyle();
    showLines();
}

void CostPlot::setShape(const CostShape& shape)
{
    m_shape = shape;
    showLines();
}

void CostPlot::setSpeeds(const std::vector<Speed>& speeds)
{
    m_speeds = speeds;
    showLines();
}

double CostPlot::exponent() const
{
    std::vector<double> sizes;
    std::vector<double> seconds;
    for (const Speed& speed : m_speeds) {
        sizes.push_back(static_cast<double>(speed.side));
        seconds.push_back(speed.surveySeconds);
    }
    return growthExponent(sizes, seconds);
}

void CostPlot::showLines()
{
    QVector<double> sizes;
    QVector<double> stored;
    QVector<double> held;
    for (double n = Shortest; n <= Longest; n *= 2) {
        CostShape shape = m_shape;
        shape.queries = shape.keys = static_cast<std::int64_t>(n);
        const Cost cost = costOf(shape);
        sizes.append(n);
        stored.append(std::max(1.0, static_cast<double>(cost.storedWeights)));
        held.append(std::max(1.0, heldBytes(cost)));
    }
    m_stored->setData(sizes, stored, true);
    m_held->setData(sizes, held, true);
    QVector<double> sides;
    QVector<double> seconds;
    double meanLogTime = 0;
    double meanLogSide = 0;
    for (const Speed& speed : m_speeds) {
        sides.append(static_cast<double>(speed.side));
        seconds.append(speed.surveySeconds);
        meanLogSide += std::log(sides.last()) / static_cast<double>(m_speeds.size());
        meanLogTime += std::log(seconds.last()) / static_cast<double>(m_speeds.size());
    }
    m_points->setData(sides, seconds, true);
    m_fit->data()->clear();
    const double p = exponent();
    if (std::isfinite(p)) {
        for (const double n : {sides.first(), sides.last()}) {
            m_fit->addData(n, std::exp(meanLogTime + p * (std::log(n) - meanLogSide)));
        }
    }
    xAxis->setRange(Shortest / 1.3, Longest * 1.3);
    // The same decades on both sides, so that equal slopes are equal growth.
    const double lowest = std::min(stored.first(), held.first()) / 2;
    const double highest = std::max(stored.last(), held.last()) * 2;
    const double least = m_speeds.empty() ? 1e-4 : seconds.first() / 4;
    yAxis2->setRange(lowest, highest);
    yAxis->setRange(least, least * highest / lowest);
    showSizes();
    yAxis->setTicker(ticksOf(yAxis->range(), 10, timeText));
    yAxis->setTicks(!m_speeds.empty());
    yAxis->setTickLabels(!m_speeds.empty());
    yAxis2->setTicker(ticksOf(yAxis2->range(), 32, bytesText));
    showNames();
    replot(QCustomPlot::rpQueuedReplot);
}

void CostPlot::showSizes()
{
    constexpr int sizes = 6;
    const int room = fontMetrics().horizontalAdvance(QStringLiteral("32768  ")) * sizes;
    xAxis->setTicker(ticksOf(xAxis->range(), axisRect()->width() < room ? 4 : 2,
                             [](double n) { return QString::number(n, 'f', 0); }));
}

void CostPlot::showNames()
{
    const double p = exponent();
    m_stored->setName(tr("stored weights, n²"));
    m_held->setName(tr("Heedmap, n"));
    m_fit->setName(std::isfinite(p) ? tr("time, n^%1").arg(p, 0, 'f', 2) : tr("time"));
    xAxis->setLabel(tr("n tokens"));
    if (m_speeds.empty()) {
        m_fit->removeFromLegend();
    } else {
        m_fit->addToLegend();
    }
}

void CostPlot::restyle()
{
    ViewColours colours = viewColours(palette());
    colours.surface = palette().color(QPalette::Active, QPalette::Window); // as the panel
    const QFont small = scaledFont(font(), 0.88);
    setBackground(QBrush(colours.surface));
    for (QCPAxis* axis : {xAxis, yAxis, yAxis2}) {
        axis->setBasePen(QPen(colours.line));
        axis->setTickLabelColor(colours.mute);
        axis->setTickLabelFont(small);
        axis->setLabelColor(colours.mute);
        axis->setLabelFont(small);
        axis->grid()->setPen(QPen(colours.line));
    }
    m_stored->setPen(QPen(colours.warn, 2, Qt::DashLine));
    m_held->setPen(QPen(colours.graphic, 2));
    m_fit->setPen(QPen(colours.accent, 2));
    m_points->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssDisc, colours.accent, colours.accent, 7));
    legend->setFont(small);
    legend->setTextColor(colours.text);
    legend->setBrush(Qt::NoBrush);
    legend->setBorderPen(Qt::NoPen);
    legend->setIconSize(24, 12);
    legend->setRowSpacing(0);
    replot(QCustomPlot::rpQueuedReplot);
}

void CostPlot::resizeEvent(QResizeEvent* event)
{
    constexpr int roomForThree = 400;
    legend->setWrap(width() < roomForThree * fontMetrics().height() / 16 ? 2 : 3);
    QCustomPlot::resizeEvent(event);
    showSizes();
}

void CostPlot::changeEvent(QEvent* event)
{
    QCustomPlot::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange ||
        event->type() == QEvent::StyleChange) {
        restyle();
    } else if (event->type() == QEvent::LanguageChange) {
        showNames();
        replot(QCustomPlot::rpQueuedReplot);
    }
}

} // namespace heed::ui
