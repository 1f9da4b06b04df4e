// Overrides of Fusion, control by control; everything else is left to it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/flatstyle.h"

#include "widgets/theme.h"

#include <QComboBox>
#include <QPainter>
#include <QStyleOption>
#include <QTabBar>
#include <QToolButton>
#include <QWidget>
#include <algorithm>

namespace heed::ui {

namespace {

constexpr double Radius = 6;
constexpr int FieldHeight = 28;
constexpr int ScrollBarExtent = 10;
constexpr int StepWidth = 18; // the arrows of a spin box
constexpr int MenuArrowWidth = 18;
constexpr int TextMargin = 7; // between the edge of a field and its text

bool has(const QWidget* widget, const char* property)
{
    return widget != nullptr && widget->property(property).toBool();
}

void roundedRect(QPainter* painter, const QRect& rect, const QColor& fill, const QColor& line,
                 double width = 1)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(fill.isValid() ? QBrush(fill) : QBrush(Qt::NoBrush));
    painter->setPen(line.isValid() ? QPen(line, width) : QPen(Qt::NoPen));
    const double inset = width / 2;
    painter->drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), Radius, Radius);
    painter->restore();
}

/// A small triangle-less arrow, pointing down (or up).
void chevron(QPainter* painter, const QRect& rect, const QColor& colour, bool up = false)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(colour, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF centre = QRectF(rect).center();
    const double dy = up ? -1.6 : 1.6;
    const QPointF points[] = {centre + QPointF(-3.2, -dy), centre + QPointF(0, dy),
                              centre + QPointF(3.2, -dy)};
    painter->drawPolyline(points, 3);
    painter->restore();
}

QColor fieldLine(const QStyleOption* option, const QWidget* widget, const Colours& c)
{
    if (has(widget, "heedInvalid")) {
        return c.warn;
    }
    if ((option->state & QStyle::State_HasFocus) != 0) {
        return c.accent;
    }
    return (option->state & QStyle::State_MouseOver) != 0 ? c.graphic : c.line;
}

void drawButton(const QStyleOption* option, QPainter* painter, const QWidget* widget)
{
    const Colours& c = coloursOf(option->palette);
    const bool enabled = (option->state & QStyle::State_Enabled) != 0;
    const bool over = (option->state & QStyle::State_MouseOver) != 0 && enabled;
    const bool down = (option->state & (QStyle::State_Sunken | QStyle::State_On)) != 0;
    if (has(widget, "heedPrimary") && enabled) {
        const QColor fill = down ? c.accent.darker(115) : over ? c.accent.darker(107) : c.accent;
        roundedRect(painter, option->rect, fill, fill);
        return;
    }
    roundedRect(painter, option->rect, down ? c.accentSoft : over ? c.hover : c.panel, c.line);
}

void drawToolButton(const QStyleOption* option, QPainter* painter, const QWidget* widget)
{
    const Colours& c = coloursOf(option->palette);
    const bool enabled = (option->state & QStyle::State_Enabled) != 0;
    const bool on = (option->state & (QStyle::State_On | QStyle::State_Sunken)) != 0;
    const bool over = (option->state & QStyle::State_MouseOver) != 0 && enabled;
    const QColor fill = on ? c.accentSoft : over ? c.hover : QColor();
    if (has(widget, "heedPrimary")) {
        drawButton(option, painter, widget);
    } else if (has(widget, "heedBoxed")) {
        roundedRect(painter, option->rect, fill.isValid() ? fill : c.panel, c.line);
    } else if (fill.isValid()) {
        roundedRect(painter, option->rect, fill, {});
    }
}

void drawTab(const QStyleOptionTab* tab, QPainter* painter)
{
    const Colours& c = coloursOf(tab->palette);
    const bool selected = (tab->state & QStyle::State_Selected) != 0;
    const bool over = (tab->state & QStyle::State_MouseOver) != 0;
    QFont font = painter->font();
    font.setWeight(selected ? QFont::DemiBold : QFont::Normal);
    painter->save();
    painter->setFont(font);
    painter->setPen(selected || over ? c.text : c.mute);
    painter->drawText(tab->rect, Qt::AlignCenter | Qt::TextShowMnemonic, tab->text);
    if (selected) {
        const QRect text =
            painter->fontMetrics().boundingRect(tab->rect, Qt::AlignCenter, tab->text);
        painter->fillRect(text.left(), tab->rect.bottom() - 1, text.width(), 2, c.accent);
    }
    if ((tab->state & QStyle::State_HasFocus) != 0) {
        roundedRect(painter, tab->rect.adjusted(2, 4, -2, -4), {}, c.accent);
    }
    painter->restore();
}

void drawScrollBar(const QStyle* style, const QStyleOptionSlider* bar, QPainter* painter,
                   const QWidget* widget)
{
    const Colours& c = coloursOf(bar->palette);
    if (bar->maximum <= bar->minimum) {
        return;
    }
    QRect thumb =
        style->subControlRect(QStyle::CC_ScrollBar, bar, QStyle::SC_ScrollBarSlider, widget);
    thumb.adjust(3, 3, -3, -3);
    const bool active = (bar->state & (QStyle::State_MouseOver | QStyle::State_Sunken)) != 0;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    QColor fill = c.graphic;
    if (!active) {
        fill.setAlphaF(0.55F); // quiet until it is wanted
    }
    painter->setBrush(fill);
    painter->drawRoundedRect(thumb, 2, 2);
    painter->restore();
}

/// A box to tick, or a round one to choose by. Its line is all that tells an empty one from the
/// panel.
void drawIndicator(const QStyleOption* option, QPainter* painter, bool isRound)
{
    const Colours& c = coloursOf(option->palette);
    const bool isOn = (option->state & QStyle::State_On) != 0;
    const double side = std::min(option->rect.width(), option->rect.height()) - 1;
    QRectF box(0, 0, side, side);
    box.moveCenter(QRectF(option->rect).center());
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setOpacity((option->state & QStyle::State_Enabled) != 0 ? 1 : 0.5);
    painter->setPen(QPen(isOn ? c.accent : c.graphic, 1.2));
    painter->setBrush(isOn ? QBrush(c.accent) : option->palette.base());
    if (isRound) {
        painter->drawEllipse(box);
    } else {
        painter->drawRoundedRect(box, 3, 3);
    }
    if (isOn && isRound) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(c.onAccent);
        painter->drawEllipse(box.center(), side * 0.2, side * 0.2);
    } else if (isOn) {
        const auto at = [&](double x, double y) {
            return QPointF(box.left() + side * x, box.top() + side * y);
        };
        const QPointF tick[] = {at(0.25, 0.52), at(0.43, 0.7), at(0.76, 0.32)};
        painter->setPen(QPen(c.onAccent, 1.7, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter->drawPolyline(tick, 3);
    }
    painter->restore();
}

} // namespace

FlatStyle::FlatStyle()
    : QProxyStyle(QStringLiteral("Fusion"))
{
}

void FlatStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                              QPainter* painter, const QWidget* widget) const
{
    const Colours& c = coloursOf(option->palette);
    switch (element) {
    case PE_PanelScrollAreaCorner:
        return;
    case PE_PanelButtonCommand:
        drawButton(option, painter, widget);
        return;
    case PE_PanelButtonTool:
        drawToolButton(option, painter, widget);
        return;
    case PE_PanelLineEdit: {
        const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
        if (frame != nullptr && frame->lineWidth > 0) {
            roundedRect(painter, option->rect, option->palette.color(QPalette::Base),
                        fieldLine(option, widget, c));
        }
        return;
    }
    case PE_FrameLineEdit:
        return; // drawn with the panel
    case PE_Frame:
        // Text edits and lists: a field like any other, the groove of its scroll bar included.
        roundedRect(painter, option->rect, option->palette.color(QPalette::Base),
                    fieldLine(option, widget, c));
        return;
    case PE_FrameFocusRect:
        roundedRect(painter, option->rect, {}, c.accent);
        return;
    case PE_FrameStatusBarItem:
    case PE_FrameDockWidget:
    case PE_FrameGroupBox:
        return;
    case PE_PanelStatusBar:
        painter->fillRect(option->rect, option->palette.window());
        painter->fillRect(option->rect.left(), option->rect.top(), option->rect.width(), 1, c.line);
        return;
    case PE_FrameTabBarBase:
        painter->fillRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1,
                          c.line);
        return;
    case PE_IndicatorDockWidgetResizeHandle: {
        const QRect r = option->rect;
        const bool upright = r.height() > r.width();
        painter->fillRect(upright ? QRect(r.center().x(), r.top(), 1, r.height())
                                  : QRect(r.left(), r.center().y(), r.width(), 1),
                          c.line);
        return;
    }
    case PE_IndicatorCheckBox:
    case PE_IndicatorRadioButton:
        drawIndicator(option, painter, element == PE_IndicatorRadioButton);
        return;
    case PE_IndicatorToolBarSeparator:
        painter->fillRect(option->rect.center().x(), option->rect.center().y() - 10, 1, 20, c.line);
        return;
    case PE_IndicatorArrowDown:
    case PE_IndicatorArrowUp:
        chevron(painter, option->rect, option->palette.color(QPalette::ButtonText),
                element == PE_IndicatorArrowUp);
        return;
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void FlatStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                            const QWidget* widget) const
{
    const Colours& c = coloursOf(option->palette);
    switch (element) {
    case CE_PushButtonLabel:
        if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
            button != nullptr && has(widget, "heedPrimary") &&
            (option->state & State_Enabled) != 0) {
            QStyleOptionButton copy = *button;
            copy.palette.setColor(QPalette::ButtonText, c.onAccent);
            QProxyStyle::drawControl(element, &copy, painter, widget);
            return;
        }
        break;
    case CE_ToolButtonLabel:
        if (const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
            button != nullptr && has(widget, "heedPrimary") &&
            (option->state & State_Enabled) != 0) {
            QStyleOptionToolButton copy = *button;
            copy.palette.setColor(QPalette::ButtonText, c.onAccent);
            QProxyStyle::drawControl(element, &copy, painter, widget);
            return;
        }
        break;
    case CE_ToolBar:
    case CE_MenuBarEmptyArea:
        painter->fillRect(option->rect, option->palette.window());
        painter->fillRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1,
                          c.line);
        return;
    case CE_MenuBarItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
            painter->fillRect(option->rect, option->palette.window());
            if (widget != nullptr) { // the line under the bar goes on below its titles
                painter->fillRect(option->rect.left(), widget->height() - 1, option->rect.width(),
                                  1, c.line);
            }
            if ((item->state & State_Selected) != 0) {
                roundedRect(painter, item->rect.adjusted(0, 2, 0, -2), c.hover, {});
            }
            const int flags = Qt::AlignCenter | Qt::TextSingleLine |
                              (proxy()->styleHint(SH_UnderlineShortcut, item, widget) != 0
                                   ? Qt::TextShowMnemonic
                                   : Qt::TextHideMnemonic);
            proxy()->drawItemText(painter, item->rect, flags, item->palette,
                                  (item->state & State_Enabled) != 0, item->text,
                                  QPalette::WindowText);
            return;
        }
        break;
    case CE_TabBarTab:
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) {
            drawTab(tab, painter);
            return;
        }
        break;
    case CE_Splitter: {
        const QRect r = option->rect;
        const bool upright = (option->state & State_Horizontal) != 0;
        painter->fillRect(upright ? QRect(r.center().x(), r.top(), 1, r.height())
                                  : QRect(r.left(), r.center().y(), r.width(), 1),
                          c.line);
        return;
    }
    case CE_HeaderSection:
        painter->fillRect(option->rect, option->palette.base());
        if ((option->state & State_Horizontal) == 0) {
            return;
        }
        painter->fillRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1,
                          c.line);
        return;
    case CE_HeaderEmptyArea:
        painter->fillRect(option->rect, option->palette.base());
        return;
    case CE_HeaderLabel:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
            QStyleOptionHeaderV2 copy;
            static_cast<QStyleOptionHeader&>(copy) = *header;
            copy.palette.setColor(QPalette::ButtonText, c.mute);
            QProxyStyle::drawControl(element, &copy, painter, widget);
            return;
        }
        break;
    case CE_ComboBoxLabel:
        if (const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option)) {
            const QRect text =
                proxy()->subControlRect(CC_ComboBox, combo, SC_ComboBoxEditField, widget);
            proxy()->drawItemText(
                painter, text, Qt::AlignVCenter | Qt::AlignLeft, combo->palette,
                (combo->state & State_Enabled) != 0,
                combo->fontMetrics.elidedText(combo->currentText, Qt::ElideRight, text.width()),
                QPalette::Text);
            return;
        }
        break;
    default:
        break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void FlatStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                   QPainter* painter, const QWidget* widget) const
{
    const Colours& c = coloursOf(option->palette);
    switch (control) {
    case CC_ComboBox: {
        roundedRect(painter, option->rect, option->palette.color(QPalette::Base),
                    fieldLine(option, widget, c));
        chevron(painter, subControlRect(control, option, SC_ComboBoxArrow, widget), c.mute);
        return;
    }
    case CC_SpinBox: {
        roundedRect(painter, option->rect, option->palette.color(QPalette::Base),
                    fieldLine(option, widget, c));
        const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
        if (spin != nullptr && spin->buttonSymbols != QAbstractSpinBox::NoButtons) {
            const auto arrow = [&](SubControl which, QAbstractSpinBox::StepEnabledFlag flag) {
                const bool on =
                    (spin->stepEnabled & flag) != 0 && (option->state & State_Enabled) != 0;
                const bool over = (option->activeSubControls & which) != 0 &&
                                  (option->state & State_MouseOver) != 0;
                chevron(painter, subControlRect(control, option, which, widget),
                        !on    ? c.line
                        : over ? c.text
                               : c.mute,
                        which == SC_SpinBoxUp);
            };
            arrow(SC_SpinBoxUp, QAbstractSpinBox::StepUpEnabled);
            arrow(SC_SpinBoxDown, QAbstractSpinBox::StepDownEnabled);
        }
        return;
    }
    case CC_ToolButton:
        if (const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
            button != nullptr && (has(widget, "heedBoxed") || has(widget, "heedPrimary"))) {
            drawToolButton(button, painter, widget); // also where a tool bar draws none
            QStyleOptionToolButton label = *button;
            if ((button->features & QStyleOptionToolButton::HasMenu) != 0) {
                label.features &= ~QStyleOptionToolButton::HasMenu;
                label.rect.adjust(2, 0, -MenuArrowWidth + 2, 0);
                chevron(painter,
                        QRect(button->rect.right() - MenuArrowWidth - 1, button->rect.top() + 1,
                              MenuArrowWidth, button->rect.height()),
                        c.mute);
            }
            drawControl(CE_ToolButtonLabel, &label, painter, widget);
            if ((button->state & State_HasFocus) != 0) {
                roundedRect(painter, button->rect, {}, c.accent);
            }
            return;
        }
        break;
    case CC_ScrollBar:
        if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option)) {
            drawScrollBar(proxy(), bar, painter, widget);
            return;
        }
        break;
    default:
        break;
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

int FlatStyle::pixelMetric(PixelMetric metric, const QStyleOption* option,
                           const QWidget* widget) const
{
    switch (metric) {
    case PM_ScrollBarExtent:
        return ScrollBarExtent;
    case PM_ScrollBarSliderMin:
        return 28;
    case PM_SplitterWidth:
    case PM_DockWidgetSeparatorExtent:
        return 5; // a line one pixel wide, with room for the pointer
    case PM_DockWidgetFrameWidth:
    case PM_ToolBarFrameWidth:
    case PM_MenuBarPanelWidth:
        return 0;
    case PM_ToolBarItemSpacing:
        return 8;
    case PM_ToolBarItemMargin:
        return 7;
    case PM_MenuBarItemSpacing:
        return 2;
    case PM_MenuBarHMargin:
        return 6;
    case PM_TabBarTabHSpace:
        return 20;
    case PM_TabBarTabVSpace:
        return 18;
    case PM_TabBarBaseOverlap:
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
        return 0;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int FlatStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                         QStyleHintReturn* data) const
{
    switch (hint) {
    case SH_TabBar_Alignment:
        return Qt::AlignLeft;
    case SH_ScrollBar_Transient:
    case SH_ComboBox_Popup:
    case SH_DialogButtonBox_ButtonsHaveIcons:
        return 0;
    case SH_ToolTip_WakeUpDelay:
        return 500;
    default:
        return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

QSize FlatStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                                  const QWidget* widget) const
{
    QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
    switch (type) {
    case CT_PushButton:
        result.rwidth() += 8;
        result.setHeight(std::max(result.height(), FieldHeight));
        break;
    case CT_SpinBox: // its inner line edit has the room above and below already
        result.setHeight(std::max(size.height(), FieldHeight));
        break;
    case CT_LineEdit:
    case CT_ComboBox:
        result.setHeight(std::max(size.height() + 8, FieldHeight));
        break;
    case CT_ToolButton:
        result.setHeight(std::max(result.height(), FieldHeight));
        if (has(widget, "heedBoxed") || has(widget, "heedPrimary")) {
            const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
            const bool menu =
                button != nullptr && (button->features & QStyleOptionToolButton::HasMenu) != 0;
            result.rwidth() += menu ? MenuArrowWidth : 12;
        } else {
            result.setWidth(std::max(result.width(), FieldHeight));
        }
        break;
    case CT_MenuBarItem:
        result.setHeight(std::max(result.height(), FieldHeight));
        break;
    default:
        break;
    }
    return result;
}

QRect FlatStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option,
                                SubControl subControl, const QWidget* widget) const
{
    const QRect r = option->rect;
    if (control == CC_ComboBox) {
        switch (subControl) {
        case SC_ComboBoxArrow:
            return visualRect(option->direction, r, QRect(r.right() - 22, r.top(), 18, r.height()));
        case SC_ComboBoxEditField:
            return visualRect(option->direction, r, r.adjusted(9, 1, -24, -1));
        default:
            break;
        }
    } else if (control == CC_SpinBox) {
        const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
        const bool arrows = spin == nullptr || spin->buttonSymbols != QAbstractSpinBox::NoButtons;
        const int half = r.height() / 2;
        switch (subControl) {
        case SC_SpinBoxUp:
            return arrows ? QRect(r.right() - StepWidth - 2, r.top() + 2, StepWidth, half - 2)
                          : QRect();
        case SC_SpinBoxDown:
            return arrows ? QRect(r.right() - StepWidth - 2, r.top() + half, StepWidth, half - 2)
                          : QRect();
        case SC_SpinBoxEditField:
            return r.adjusted(6, 1, arrows ? -StepWidth - 4 : -6, -1);
        default:
            break;
        }
    } else if (control == CC_ScrollBar) {
        // No arrows at the ends: wheel, keys and the thumb do their work.
        const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
        if (bar != nullptr) {
            const bool level = bar->orientation == Qt::Horizontal;
            const int length = level ? r.width() : r.height();
            const qint64 range = qint64(bar->maximum) - bar->minimum;
            const int thumb = range <= 0
                                  ? length
                                  : std::clamp(static_cast<int>(qint64(bar->pageStep) * length /
                                                                (range + bar->pageStep)),
                                               std::min(28, length), length);
            const int start = sliderPositionFromValue(
                bar->minimum, bar->maximum, bar->sliderPosition, length - thumb, bar->upsideDown);
            const auto part = [&](int from, int size) {
                return level ? QRect(r.left() + from, r.top(), size, r.height())
                             : QRect(r.left(), r.top() + from, r.width(), size);
            };
            switch (subControl) {
            case SC_ScrollBarGroove:
                return r;
            case SC_ScrollBarSlider:
                return part(start, thumb);
            case SC_ScrollBarSubPage:
                return part(0, start);
            case SC_ScrollBarAddPage:
                return part(start + thumb, length - start - thumb);
            default:
                return {};
            }
        }
    }
    return QProxyStyle::subControlRect(control, option, subControl, widget);
}

QRect FlatStyle::subElementRect(SubElement element, const QStyleOption* option,
                                const QWidget* widget) const
{
    if (element == SE_LineEditContents) {
        const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
        if (frame != nullptr && frame->lineWidth > 0) {
            return option->rect.adjusted(TextMargin, 1, -TextMargin, -1);
        }
    }
    return QProxyStyle::subElementRect(element, option, widget);
}

void FlatStyle::polish(QWidget* widget)
{
    QProxyStyle::polish(widget);
    if (qobject_cast<QTabBar*>(widget) != nullptr || qobject_cast<QComboBox*>(widget) != nullptr) {
        widget->setAttribute(Qt::WA_Hover);
    }
}

} // namespace heed::ui
