// Painting of the box.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/card.h"

#include "widgets/theme.h"

#include <QPainter>

namespace heed::ui {

Card::Card(QWidget* parent)
    : QWidget(parent)
{
}

void Card::paintEvent(QPaintEvent*)
{
    const Colours& c = coloursOf(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(c.line);
    painter.setBrush(c.background);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
}

} // namespace heed::ui
