// Painting of the sheet, and its size in words.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "dialogs/paperview.h"

#include "widgets/spinner.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QLocale>
#include <QPainter>

namespace heed::ui {

namespace {
constexpr int Margin = 16;
constexpr double InchMm = 25.4;
} // namespace

PaperView::PaperView(QWidget* parent)
    : QWidget(parent)
    , m_spinner(new Spinner(this))
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    m_spinner->hide();
    describe();
}

void PaperView::setPicture(const QImage& picture, const QSizeF& sizeMm)
{
    m_picture = picture;
    m_sizeMm = sizeMm;
    describe();
    update();
}

void PaperView::setBusy(bool busy)
{
    m_spinner->setVisible(busy);
}

QSize PaperView::room() const
{
    const QSize inside = size() - QSize(2 * Margin, 2 * Margin + captionHeight());
    return inside.isEmpty() ? QSize() : inside * devicePixelRatioF();
}

int PaperView::captionHeight() const
{
    return fontMetrics().height() + 8;
}

QString PaperView::caption(double shownWidth) const
{
    const QLocale locale;
    const double trueWidth = m_sizeMm.width() / InchMm * logicalDpiX();
    return tr("%1 × %2 mm, shown at %3 %")
        .arg(locale.toString(m_sizeMm.width(), 'f', 1), locale.toString(m_sizeMm.height(), 'f', 1),
             locale.toString(qRound(100 * shownWidth / trueWidth)));
}

void PaperView::describe()
{
    setAccessibleName(tr("Preview of the figure"));
    setAccessibleDescription(m_picture.isNull()
                                 ? QString()
                                 : tr("%1 × %2 mm")
                                       .arg(QLocale().toString(m_sizeMm.width(), 'f', 1),
                                            QLocale().toString(m_sizeMm.height(), 'f', 1)));
}

void PaperView::paintEvent(QPaintEvent*)
{
    const Colours& c = coloursOf(palette());
    QPainter painter(this);
    painter.fillRect(rect(), c.panel);
    if (m_picture.isNull()) {
        return;
    }
    const QRect inside = rect().adjusted(Margin, Margin, -Margin, -Margin - captionHeight());
    // While the window changes its size the last picture is stretched until the sharp one is there.
    const QSizeF own = QSizeF(m_picture.size()) / devicePixelRatioF();
    const QSizeF fitted = own.scaled(inside.size(), Qt::KeepAspectRatio);
    const bool isSharp = own.width() <= inside.width() + 1 && own.height() <= inside.height() + 1 &&
                         own.width() > 0.95 * fitted.width();
    const QSizeF shown = isSharp ? own : fitted;
    const double scale = devicePixelRatioF();
    const auto aligned = [scale](double at) { return qRound(at * scale) / scale; };
    const QRectF paper(QPointF(aligned(inside.x() + (inside.width() - shown.width()) / 2),
                               aligned(inside.y() + (inside.height() - shown.height()) / 2)),
                       shown);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, !isSharp);
    painter.drawImage(paper, m_picture);
    painter.setPen(QPen(c.line, 1));
    painter.drawRect(paper.adjusted(-0.5, -0.5, 0.5, 0.5));
    painter.setPen(c.mute);
    painter.drawText(QRectF(0, paper.bottom() + 8, width(), captionHeight()),
                     Qt::AlignHCenter | Qt::AlignTop, caption(shown.width()));
}

void PaperView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_spinner->resize(m_spinner->sizeHint());
    m_spinner->move(width() - m_spinner->width() - 8, 8);
    Q_EMIT roomChanged();
}

void PaperView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    Q_EMIT roomChanged(); // the pixel ratio is known only now
}

void PaperView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        describe();
        update();
    }
}

} // namespace heed::ui
