// Painting and keeping up with the actions.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/segmentedcontrol.h"

#include "widgets/labels.h"
#include "widgets/theme.h"

#include <QAction>
#include <QActionGroup>
#include <QHBoxLayout>
#include <QPainter>
#include <QPainterPath>

namespace heed::ui {

namespace {
constexpr double Radius = 6;
constexpr int Height = 28;
constexpr int Padding = 11;

QFont boldOf(QFont font)
{
    font.setWeight(QFont::DemiBold);
    return font;
}
} // namespace

Segment::Segment(QAction* action, QWidget* parent)
    : QAbstractButton(parent)
    , m_action(action)
{
    setCheckable(true);
    setAutoExclusive(true); // gives the arrow keys, and the role of a radio button
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
    connect(this, &QAbstractButton::clicked, this, [this] {
        if (!m_action->isChecked()) {
            m_action->trigger();
        }
    });
    connect(m_action, &QAction::changed, this, &Segment::follow);
    follow();
}

void Segment::follow()
{
    setText(m_action->iconText());
    setToolTip(m_action->toolTip());
    setAccessibleName(withoutMnemonic(m_action->text()));
    setEnabled(m_action->isEnabled());
    setVisible(m_action->isVisible());
    setChecked(m_action->isChecked());
    updateGeometry();
    update();
}

void Segment::setEnds(bool first, bool last)
{
    m_first = first;
    m_last = last;
}

QSize Segment::sizeHint() const
{
    // As wide as the bold text, so that choosing moves nothing.
    const QFontMetrics metrics(boldOf(font()));
    return {metrics.horizontalAdvance(text()) + 2 * Padding,
            std::max(Height, metrics.height() + 8)};
}

void Segment::enterEvent(QEnterEvent* event)
{
    QAbstractButton::enterEvent(event);
    update();
}

void Segment::leaveEvent(QEvent* event)
{
    QAbstractButton::leaveEvent(event);
    update();
}

void Segment::paintEvent(QPaintEvent*)
{
    const Colours& c = coloursOf(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath shape;
    // A rounded end reaches past the inner edge and is clipped there.
    const QRectF whole =
        QRectF(rect()).adjusted(m_first ? 0 : -2 * Radius, 0, m_last ? 0 : 2 * Radius, 0);
    shape.addRoundedRect(whole, Radius, Radius);
    if (isChecked()) {
        painter.fillPath(shape, isEnabled() ? c.accent : c.line);
    } else if (underMouse() && isEnabled()) {
        painter.fillPath(shape, c.hover);
    }
    if (!m_last) {
        painter.fillRect(QRectF(width() - 1, 0, 1, height()), c.line);
    }
    if (hasFocus()) {
        painter.setPen(QPen(isChecked() ? c.onAccent : c.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(3.5, 3.5, -3.5, -3.5), 3, 3);
    }
    painter.setFont(isChecked() ? boldOf(font()) : font());
    painter.setPen(!isEnabled() ? c.graphic : isChecked() ? c.onAccent : c.text);
    painter.drawText(rect(), Qt::AlignCenter, text());
}

SegmentedControl::SegmentedControl(QActionGroup* group, QWidget* parent)
    : QWidget(parent)
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(1, 0, 1, 0);
    layout->setSpacing(0);
    setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
    const QList<QAction*> actions = group->actions();
    for (QAction* action : actions) {
        auto* segment = new Segment(action, this);
        segment->setEnds(action == actions.first(), action == actions.last());
        layout->addWidget(segment);
        m_segments.push_back(segment);
    }
}

void SegmentedControl::paintEvent(QPaintEvent*)
{
    const Colours& c = coloursOf(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(c.line, 1));
    painter.setBrush(c.panel);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), Radius + 0.5,
                            Radius + 0.5);
}

} // namespace heed::ui
