// A wrapping list with a delegate that paints chips.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tokenstrip.h"

#include "views/maskhatch.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTimer>

namespace heed::ui {

namespace {

constexpr int ChipPadding = 7;
constexpr int Gap = 5;
constexpr int MaxHeight = 168; // seven lines of chips
constexpr int MaxChipWidth = 220;

class ChipDelegate : public QStyledItemDelegate {
public:
    explicit ChipDelegate(TokenStrip* strip)
        : QStyledItemDelegate(strip)
        , m_strip(strip)
    {
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const int text = option.fontMetrics.horizontalAdvance(index.data().toString());
        return {std::min(text + 2 * ChipPadding, MaxChipWidth) + Gap,
                option.fontMetrics.height() + 5 + Gap};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        const Colours& c = coloursOf(option.palette);
        const bool padding = index.data(TokenModel::PaddingRole).toBool();
        const bool special = index.data(TokenModel::SpecialRole).toBool();
        const bool chosen = index.row() == m_strip->chosen();
        const bool focused = (option.state & QStyle::State_HasFocus) != 0 && m_strip->hasFocus();
        const QRectF chip = QRectF(option.rect).adjusted(1, 1, -Gap + 1, -Gap + 1);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        QPainterPath shape;
        shape.addRoundedRect(chip, 5, 5);
        if (padding) {
            painter->save();
            painter->setClipPath(shape);
            const HatchArea area{chip, static_cast<MaskReasons>(MaskReason::Padding)};
            paintHatch(*painter, std::span(&area, 1),
                       {.paper = c.panel, .ink = c.line, .spacing = 4, .lineWidth = 1});
            painter->restore();
            painter->setPen(QPen(c.line, 1, Qt::DashLine));
            painter->drawPath(shape);
        } else {
            painter->fillPath(shape,
                              (option.state & QStyle::State_MouseOver) != 0 ? c.line : c.chip);
        }
        if (chosen || focused) {
            painter->setPen(QPen(c.accent, chosen ? 2 : 1));
            painter->setBrush(Qt::NoBrush);
            painter->drawRoundedRect(chip, 5, 5);
        }
        painter->setPen(padding || special ? c.mute : c.text);
        painter->setFont(option.font);
        const QRect text = chip.toRect().adjusted(ChipPadding, 0, -ChipPadding, 0);
        painter->drawText(text.adjusted(-2, 0, 2, 0), Qt::AlignCenter | Qt::TextSingleLine,
                          option.fontMetrics.elidedText(index.data().toString(), Qt::ElideMiddle,
                                                        text.width() + 2));
        painter->restore();
    }

private:
    TokenStrip* m_strip;
};

} // namespace

TokenStrip::TokenStrip(TokenModel* model, QWidget* parent)
    : QListView(parent)
{
    setModel(model);
    setModelColumn(TokenModel::Piece);
    setItemDelegate(new ChipDelegate(this));
    setFlow(QListView::LeftToRight);
    setWrapping(true);
    setResizeMode(QListView::Adjust);
    setMovement(QListView::Static);
    // The chips of a long text are measured a few lines at a time, between other events.
    setLayoutMode(QListView::Batched);
    setBatchSize(256);
    setSelectionMode(QAbstractItemView::NoSelection);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setBackgroundRole(QPalette::Window);
    viewport()->setBackgroundRole(QPalette::Window);
    connect(this, &QAbstractItemView::clicked, this,
            [this](const QModelIndex& index) { Q_EMIT tokenActivated(index.row()); });
    connect(this, &QAbstractItemView::activated, this,
            [this](const QModelIndex& index) { Q_EMIT tokenActivated(index.row()); });
}

void TokenStrip::setChosen(int token)
{
    if (token == m_chosen) {
        return;
    }
    m_chosen = token;
    const QModelIndex index = model()->index(token, TokenModel::Piece);
    if (index.isValid()) {
        scrollTo(index);
    }
    viewport()->update();
}

QSize TokenStrip::sizeHint() const
{
    return {100, std::clamp(contentsSize().height() + 2, fontMetrics().height() + 12, MaxHeight)};
}

QSize TokenStrip::minimumSizeHint() const
{
    return {40, sizeHint().height()};
}

void TokenStrip::resizeEvent(QResizeEvent* event)
{
    QListView::resizeEvent(event);
    updateGeometry();
}

void TokenStrip::doItemsLayout()
{
    QListView::doItemsLayout();
    updateGeometry();
}

void TokenStrip::changeEvent(QEvent* event)
{
    QListView::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        scheduleDelayedItemsLayout();
    }
}

} // namespace heed::ui
