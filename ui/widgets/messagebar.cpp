// Layout and colours of the bar.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/messagebar.h"

#include "widgets/theme.h"

#include <QAccessible>
#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

namespace heed::ui {

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent)
    , m_label(new QLabel(this))
    , m_buttonRow(new QWidget(this))
    , m_buttonLayout(new QHBoxLayout(m_buttonRow))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 8, 10, 8);
    layout->setSpacing(6);
    layout->addWidget(m_label);
    layout->addWidget(m_buttonRow);
    m_buttonLayout->setContentsMargins(0, 0, 0, 0);
    m_buttonLayout->setSpacing(8);
    m_label->setWordWrap(true);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_label->setFocusPolicy(Qt::ClickFocus);
    restyle();
    hide();
}

void MessageBar::show(const QString& text, std::vector<MessageButton> buttons)
{
    const bool isNew = text != m_label->text();
    m_label->setText(text);
    setAccessibleName(text);
    while (QLayoutItem* item = m_buttonLayout->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater(); // it may be the one that was just clicked
        }
        delete item;
    }
    for (MessageButton& button : buttons) {
        auto* widget = new QPushButton(button.text, m_buttonRow);
        widget->setAutoDefault(false);
        connect(widget, &QPushButton::clicked, this,
                [action = std::move(button.action)] { action(); });
        m_buttonLayout->addWidget(widget);
    }
    m_buttonLayout->addStretch(1);
    m_buttonRow->setVisible(!buttons.empty());
    setVisible(!text.isEmpty());
    if (isNew && !text.isEmpty()) {
        QAccessibleEvent alert(this, QAccessible::Alert);
        QAccessible::updateAccessibility(&alert);
    }
}

void MessageBar::clear()
{
    show({});
}

QString MessageBar::text() const
{
    return m_label->text();
}

void MessageBar::restyle()
{
    m_restyling = true;
    const QColor warn = coloursOf(QApplication::palette()).warn;
    QPalette palette;
    palette.setColor(QPalette::WindowText, warn);
    palette.setColor(QPalette::Text, warn); // on the background of the map
    m_label->setPalette(palette);
    m_restyling = false;
}

void MessageBar::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (!m_restyling && (event->type() == QEvent::PaletteChange ||
                         event->type() == QEvent::ApplicationPaletteChange)) {
        restyle();
    }
}

void MessageBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(coloursOf(palette()).warnSoft);
    painter.drawRoundedRect(rect(), 8, 8);
}

} // namespace heed::ui
