// Labels that keep their look through changes of font and palette.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/labels.h"

#include "widgets/theme.h"

#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>

namespace heed::ui {

namespace {

void mutePalette(QWidget* widget)
{
    const QColor mute = coloursOf(QApplication::palette()).mute;
    // Only these two, or the label would not be told of a change of the others. Which of them is
    // used depends on the background the label stands on.
    QPalette palette;
    palette.setColor(QPalette::WindowText, mute);
    palette.setColor(QPalette::Text, mute);
    widget->setPalette(palette);
}

bool isRestyling(QEvent* event)
{
    return event->type() == QEvent::ApplicationPaletteChange ||
           event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationFontChange;
}

} // namespace

SectionHeading::SectionHeading(const QString& text, QWidget* parent)
    : QLabel(text, parent)
{
    setContentsMargins(0, 10, 0, 2);
    restyle();
}

void SectionHeading::restyle()
{
    m_restyling = true;
    QFont font = smallFont(QApplication::font());
    font.setPointSizeF(font.pointSizeF() * 0.94);
    font.setWeight(QFont::DemiBold);
    font.setCapitalization(QFont::AllUppercase);
    font.setLetterSpacing(QFont::PercentageSpacing, 105);
    setFont(font);
    mutePalette(this);
    m_restyling = false;
}

void SectionHeading::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    if (!m_restyling && isRestyling(event)) {
        restyle();
    }
}

MutedLabel::MutedLabel(const QString& text, QWidget* parent)
    : QLabel(text, parent)
{
    restyle();
}

void MutedLabel::restyle()
{
    m_restyling = true;
    mutePalette(this);
    m_restyling = false;
}

void MutedLabel::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    if (!m_restyling && isRestyling(event)) {
        restyle();
    }
}

ElidedLabel::ElidedLabel(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void ElidedLabel::setText(const QString& text)
{
    if (text != m_text) {
        m_text = text;
        setAccessibleName(text);
        updateGeometry();
        update();
    }
}

void ElidedLabel::setMuted(bool muted)
{
    m_muted = muted;
    update();
}

QSize ElidedLabel::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(m_text) + 2, fontMetrics().height() + 2};
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {fontMetrics().averageCharWidth() * 4, fontMetrics().height() + 2};
}

void ElidedLabel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    setToolTip(fontMetrics().horizontalAdvance(m_text) > width() ? m_text : QString());
}

void ElidedLabel::paintEvent(QPaintEvent*)
{
    const Colours& c = coloursOf(palette());
    QPainter painter(this);
    painter.setPen(m_muted ? c.mute : c.text);
    painter.drawText(rect(), Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                     fontMetrics().elidedText(m_text, Qt::ElideMiddle, width()));
}

QWidget* fieldRow(QLabel* caption, QWidget* field, QWidget* parent)
{
    auto* row = new QWidget(parent);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 1, 0, 1);
    layout->setSpacing(8);
    layout->addWidget(caption);
    layout->addStretch(1);
    layout->addWidget(field);
    caption->setBuddy(field);
    return row;
}

} // namespace heed::ui
