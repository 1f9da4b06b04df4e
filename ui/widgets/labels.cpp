// Labels that keep their look through changes of font and palette.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/labels.h"

#include "widgets/theme.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QStyle>
#include <QToolTip>
#include <algorithm>

namespace heed::ui {

namespace {
constexpr int LeastLetters = 4; // of a text that is cut
}

MutedLabel::MutedLabel(const QString& text, QWidget* parent)
    : QLabel(text, parent)
{
    MutedLabel::restyle();
}

void MutedLabel::restyle()
{
    const QColor mute = coloursOf(QApplication::palette()).mute;
    // Only these two, or the label would not be told of a change of the others. Which of them is
    // used depends on the background the label stands on.
    QPalette palette;
    palette.setColor(QPalette::WindowText, mute);
    palette.setColor(QPalette::Text, mute);
    setPalette(palette);
}

void MutedLabel::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    if (!m_restyling && (event->type() == QEvent::PaletteChange ||
                         event->type() == QEvent::ApplicationPaletteChange ||
                         event->type() == QEvent::ApplicationFontChange)) {
        m_restyling = true;
        restyle();
        m_restyling = false;
    }
}

QSize MutedLabel::minimumSizeHint() const
{
    const QSize whole = QLabel::minimumSizeHint();
    if (wordWrap()) {
        return whole;
    }
    const QMargins margins = contentsMargins();
    return {std::min(whole.width(), fontMetrics().averageCharWidth() * LeastLetters +
                                        margins.left() + margins.right()),
            whole.height()};
}

bool MutedLabel::isCut() const
{
    return !wordWrap() && QLabel::minimumSizeHint().width() > width();
}

bool MutedLabel::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip && toolTip().isEmpty() && isCut()) {
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), text(), this);
        return true;
    }
    return QLabel::event(event);
}

void MutedLabel::paintEvent(QPaintEvent* event)
{
    if (!isCut()) {
        QLabel::paintEvent(event);
        return;
    }
    QPainter painter(this);
    const QRect place = contentsRect();
    style()->drawItemText(&painter, place, static_cast<int>(alignment()), palette(), isEnabled(),
                          fontMetrics().elidedText(text(), Qt::ElideRight, place.width()),
                          foregroundRole());
}

SectionHeading::SectionHeading(const QString& text, QWidget* parent)
    : MutedLabel(text, parent)
{
    setContentsMargins(0, 10, 0, 2);
    SectionHeading::restyle();
}

void SectionHeading::restyle()
{
    QFont font = smallFont(QApplication::font());
    font.setPointSizeF(font.pointSizeF() * 0.94);
    font.setWeight(QFont::DemiBold);
    font.setCapitalization(QFont::AllUppercase);
    font.setLetterSpacing(QFont::PercentageSpacing, 105);
    setFont(font);
    MutedLabel::restyle();
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

QString withoutMnemonic(QString text)
{
    static const QRegularExpression appended(QStringLiteral("\\s*\\(&[^&]\\)"));
    static const QRegularExpression mark(QStringLiteral("&(.|$)"));
    return text.remove(appended).replace(mark, QStringLiteral("\\1"));
}

QWidget* fieldRow(QLabel* caption, QWidget* field, QWidget* parent)
{
    auto* row = new QWidget(parent);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 1, 0, 1);
    layout->setSpacing(4);
    layout->addWidget(caption);
    layout->addStretch(1);
    layout->addWidget(field);
    caption->setBuddy(field);
    return row;
}

} // namespace heed::ui
