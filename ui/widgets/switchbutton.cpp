// Painting; the state is the action's.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/switchbutton.h"

#include "widgets/labels.h"
#include "widgets/theme.h"

#include <QAction>
#include <QPainter>

namespace heed::ui {

namespace {
constexpr int Width = 34;
constexpr int Height = 20;
constexpr int Margin = 3; // around the track, for the focus ring
} // namespace

SwitchButton::SwitchButton(QAction* action, QWidget* parent)
    : QAbstractButton(parent)
    , m_action(action)
{
    setCheckable(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(this, &QAbstractButton::clicked, m_action, &QAction::trigger);
    connect(m_action, &QAction::changed, this, &SwitchButton::follow);
    follow();
}

void SwitchButton::follow()
{
    setAccessibleName(withoutMnemonic(m_action->text()));
    setToolTip(m_action->toolTip());
    setEnabled(m_action->isEnabled());
    setChecked(m_action->isChecked());
}

QSize SwitchButton::sizeHint() const
{
    return {Width + 2 * Margin, Height + 2 * Margin};
}

void SwitchButton::paintEvent(QPaintEvent*)
{
    const Colours& c = coloursOf(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF track((width() - Width) / 2.0, (height() - Height) / 2.0, Width, Height);
    const QColor fill = !isEnabled() ? c.line : isChecked() ? c.accent : c.graphic;
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(track, Height / 2.0, Height / 2.0);
    const double x = isChecked() ? track.right() - Height + 2 : track.left() + 2;
    painter.setBrush(Qt::white);
    painter.drawEllipse(QRectF(x, track.top() + 2, Height - 4, Height - 4));
    if (hasFocus()) {
        painter.setPen(QPen(c.accent, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(track.adjusted(-2.25, -2.25, 2.25, 2.25), Height / 2.0 + 2,
                                Height / 2.0 + 2);
    }
}

} // namespace heed::ui
