// Painting of the arc.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/spinner.h"

#include "widgets/theme.h"

#include <QPainter>
#include <QTimerEvent>

namespace heed::ui {

Spinner::Spinner(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void Spinner::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_timer.start(60, this);
}

void Spinner::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_timer.stop();
}

void Spinner::timerEvent(QTimerEvent* event)
{
    if (event->timerId() == m_timer.timerId()) {
        m_angle = (m_angle + 30) % 360;
        update();
    }
}

void Spinner::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(coloursOf(palette()).accent, 2, Qt::SolidLine, Qt::RoundCap));
    // Angles are sixteenths of a degree.
    painter.drawArc(QRectF(rect()).adjusted(2, 2, -2, -2), -m_angle * 16, 270 * 16);
}

} // namespace heed::ui
