// Title, selectable text and buttons in the middle.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/viewmessage.h"

#include "views/viewcolours.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace heed::ui {

namespace {
constexpr int ButtonsInARow = 3; // as many as the narrowest map has room for
} // namespace

ViewMessage::ViewMessage(QWidget* parent)
    : QWidget(parent)
    , m_title(new QLabel(this))
    , m_text(new QLabel(this))
    , m_buttons(new QGridLayout)
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    QFont font = scaledFont(m_title->font(), 1.15);
    font.setWeight(QFont::DemiBold);
    m_title->setFont(font);
    for (QLabel* label : {m_title, m_text}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText); // messages quote file names and tokens
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    auto* column = new QWidget(this);
    column->setMaximumWidth(520);
    auto* inner = new QVBoxLayout(column);
    inner->setContentsMargins(16, 16, 16, 16);
    inner->setSpacing(8);
    inner->addWidget(m_title);
    inner->addWidget(m_text);
    m_buttons->setSpacing(8);
    m_buttons->setContentsMargins(0, 8, 0, 0);
    m_buttons->setColumnStretch(ButtonsInARow, 1);
    inner->addLayout(m_buttons);
    auto* outer = new QHBoxLayout(this);
    outer->addStretch(1);
    outer->addWidget(column, 8, Qt::AlignVCenter);
    outer->addStretch(1);
}

void ViewMessage::setMessage(const QString& title, const QString& text, const QStringList& buttons)
{
    m_title->setText(title);
    m_text->setText(text);
    m_text->setVisible(!text.isEmpty());
    while (QLayoutItem* item = m_buttons->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->deleteLater(); // it may be the one whose click brought this message
            widget->hide();
        }
        delete item;
    }
    for (int i = 0; i < buttons.size(); ++i) {
        auto* button = new QPushButton(buttons[i], this);
        connect(button, &QPushButton::clicked, this, [this, i] { Q_EMIT buttonClicked(i); });
        m_buttons->addWidget(button, i / ButtonsInARow, i % ButtonsInARow);
    }
    setAccessibleName(title);
    setAccessibleDescription(text);
}

} // namespace heed::ui
