// What the colours of the frames of heads stand for.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/metriclegend.h"

#include "views/viewcolours.h"
#include "views/viewtext.h"

#include <QEvent>
#include <QFontMetricsF>
#include <QPainter>

namespace heed::ui {

namespace {

constexpr double StripHeight = 6;
constexpr double Gap = 5;
constexpr double LongestStrip = 90;
constexpr double LeastStrip = 16;

} // namespace

MetricLegend::MetricLegend(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    describe();
}

void MetricLegend::setRange(const std::optional<ValueRange>& range)
{
    if (range != m_range) {
        m_range = range;
        describe();
        updateGeometry();
        update();
    }
}

void MetricLegend::describe()
{
    setAccessibleName(m_range ? tr("Palest %1, fullest %2")
                                    .arg(metricNumber(m_range->low), metricNumber(m_range->high))
                              : QString());
    setToolTip(accessibleName());
}

QSize MetricLegend::sizeHint() const
{
    const QFontMetrics metrics(scaledFont(font(), 0.9));
    const int numbers = m_range ? metrics.horizontalAdvance(metricNumber(m_range->low)) +
                                      metrics.horizontalAdvance(metricNumber(m_range->high))
                                : 0;
    return {numbers + static_cast<int>(2 * Gap + LongestStrip), metrics.height()};
}

QSize MetricLegend::minimumSizeHint() const
{
    return {sizeHint().width() - static_cast<int>(LongestStrip - LeastStrip), sizeHint().height()};
}

void MetricLegend::paintEvent(QPaintEvent*)
{
    if (!m_range) {
        return;
    }
    QPainter painter(this);
    painter.setFont(scaledFont(font(), 0.9));
    const ViewColours colours = viewColours(palette());
    const QFontMetricsF metrics(painter.font());
    const QString low = metricNumber(m_range->low);
    const QString high = metricNumber(m_range->high);
    const double before = metrics.horizontalAdvance(low);
    const double after = metrics.horizontalAdvance(high);
    const QRectF strip(before + Gap, (height() - StripHeight) / 2,
                       std::min(LongestStrip, width() - before - after - 2 * Gap), StripHeight);
    painter.setPen(colours.mute);
    painter.drawText(QRectF(0, 0, before, height()), Qt::AlignVCenter | Qt::TextSingleLine, low);
    painter.drawText(QRectF(strip.right() + Gap, 0, after + 1, height()),
                     Qt::AlignVCenter | Qt::TextSingleLine, high);
    QLinearGradient ramp(strip.topLeft(), strip.topRight());
    ramp.setColorAt(0, metricColour(colours, 0, {0, 1}));
    ramp.setColorAt(1, metricColour(colours, 1, {0, 1}));
    painter.fillRect(strip, ramp);
}

void MetricLegend::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        describe();
    }
}

} // namespace heed::ui
