// Mouse, wheel, touch, keyboard and tool tips of the map view.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/heatmapview.h"

#include <QContextMenuEvent>
#include <QGestureEvent>
#include <QGuiApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QPinchGesture>
#include <QToolTip>
#include <QWheelEvent>
#include <QWindow>
#include <algorithm>
#include <cmath>

namespace heed::ui {

namespace {

constexpr double WheelStep = 120; // eighths of a degree, one notch
constexpr double ZoomPerNotch = 1.25;
constexpr double ZoomPerKey = 1.4;
constexpr double PixelsPerNotch = 60;

} // namespace

bool HeatmapView::event(QEvent* event)
{
    switch (event->type()) {
    case QEvent::ToolTip: {
        const auto* help = static_cast<QHelpEvent*>(event);
        showToolTip(help->pos(), help->globalPos());
        return true;
    }
    case QEvent::NativeGesture:
        nativeGesture(static_cast<QNativeGestureEvent*>(event));
        return event->isAccepted();
    case QEvent::Gesture: {
        auto* gestures = static_cast<QGestureEvent*>(event);
        if (auto* pinch = static_cast<QPinchGesture*>(gestures->gesture(Qt::PinchGesture))) {
            m_picture.viewport.zoomBy(pinch->scaleFactor(),
                                      mapFromGlobal(pinch->hotSpot().toPoint()));
            applyViewport();
            gestures->accept(pinch);
            return true;
        }
        break;
    }
    case QEvent::ShortcutOverride: {
        // Plain keys of the map must not be taken by shortcuts of the window while it has focus.
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Space || key == Qt::Key_Home || key == Qt::Key_End ||
            key == Qt::Key_PageUp || key == Qt::Key_PageDown || key == Qt::Key_Escape) {
            event->accept();
            return true;
        }
        break;
    }
    case QEvent::ScreenChangeInternal:
        followPixelRatio();
        break;
    default:
        break;
    }
    return QCustomPlot::event(event);
}

void HeatmapView::nativeGesture(QNativeGestureEvent* event)
{
    if (event->gestureType() == Qt::ZoomNativeGesture) {
        m_picture.viewport.zoomBy(1 + event->value(), event->position());
        applyViewport();
        event->accept();
    } else {
        event->ignore();
    }
}

void HeatmapView::changeEvent(QEvent* event)
{
    QCustomPlot::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange ||
        event->type() == QEvent::LanguageChange || event->type() == QEvent::StyleChange) {
        updateStyle();
        layOut();
        updateTexts();
    }
}

void HeatmapView::showEvent(QShowEvent* event)
{
    QCustomPlot::showEvent(event);
    followPixelRatio();
    if (QWindow* handle = window()->windowHandle()) {
        connect(handle, &QWindow::screenChanged, this, &HeatmapView::followPixelRatio,
                Qt::UniqueConnection);
    }
}

void HeatmapView::resizeEvent(QResizeEvent* event)
{
    layOut();
    QCustomPlot::resizeEvent(event);
}

void HeatmapView::paintEvent(QPaintEvent* event)
{
    followPixelRatio();
    QCustomPlot::paintEvent(event);
}

void HeatmapView::mousePressEvent(QMouseEvent* event)
{
    m_pressed = event->position();
    m_dragged = event->position();
    m_panning =
        event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && m_spaceHeld);
    m_mayPin = event->button() == Qt::LeftButton && !m_panning;
    m_picture.focusRing = false;
    if (m_panning) {
        setCursor(Qt::ClosedHandCursor);
    }
    event->accept();
}

void HeatmapView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_panning) {
        m_picture.viewport.panBy(event->position() - m_dragged);
        m_dragged = event->position();
        applyViewport();
        return;
    }
    hoverAt(event->position());
    event->accept();
}

void HeatmapView::hoverAt(QPointF position)
{
    m_mouse = position;
    m_mouseHovers = true;
    m_selection->hover(m_picture.viewport.cellAt(position));
}

void HeatmapView::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_panning) {
        m_panning = false;
        setCursor(m_spaceHeld ? Qt::OpenHandCursor : Qt::ArrowCursor);
        return;
    }
    const CellRef cell = m_picture.viewport.cellAt(event->position());
    if (m_mayPin && event->button() == Qt::LeftButton && cell.isValid() &&
        cell == m_picture.viewport.cellAt(m_pressed)) {
        m_pinBefore = m_selection->pinned();
        m_selection->pin(cell);
    }
    m_mayPin = false;
    event->accept();
}

void HeatmapView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton) {
        m_mayPin = false;
        // Its first click was no wish to pin.
        if (m_pinBefore.isValid()) {
            m_selection->pin(m_pinBefore);
        } else {
            m_selection->unpin();
        }
        fit();
    }
    event->accept();
}

void HeatmapView::leaveEvent(QEvent* event)
{
    QCustomPlot::leaveEvent(event);
    m_mouseHovers = false;
    m_selection->hover({});
}

void HeatmapView::wheelEvent(QWheelEvent* event)
{
    const QPoint delta = event->angleDelta();
    event->accept();
    if (delta.isNull()) {
        return; // begin and end of a gesture
    }
    if ((event->modifiers() & Qt::ShiftModifier) != 0) {
        // Sideways, whichever of the two the platform turned it into.
        const double notches = (delta.x() != 0 ? delta.x() : delta.y()) / WheelStep;
        m_picture.viewport.panBy(QPointF(notches * PixelsPerNotch, 0));
    } else if ((event->modifiers() & Qt::AltModifier) != 0 && delta.y() == 0) {
        m_picture.viewport.panBy(QPointF(0, delta.x() / WheelStep * PixelsPerNotch));
    } else {
        m_picture.viewport.zoomBy(std::pow(ZoomPerNotch, delta.y() / WheelStep), event->position());
    }
    applyViewport();
    hoverAt(event->position());
}

void HeatmapView::zoomBy(double factor)
{
    const QPointF mouse = mapFromGlobal(QCursor::pos());
    const QRectF map = m_picture.viewport.mapRect();
    m_picture.viewport.zoomBy(factor, underMouse() && map.contains(mouse) ? mouse : map.center());
    applyViewport();
}

void HeatmapView::moveCell(qint64 queries, qint64 keys)
{
    const MapViewport& view = m_picture.viewport;
    if (view.isEmpty()) {
        return;
    }
    CellRef cell = m_selection->current();
    if (cell.isValid()) {
        cell.query = std::clamp<qint64>(cell.query + queries, 0, view.queries() - 1);
        cell.key = std::clamp<qint64>(cell.key + keys, 0, view.keys() - 1);
    } else {
        const QRectF seen = view.visibleCells(); // begin where the eye is
        cell = {static_cast<qint64>(seen.top()), static_cast<qint64>(seen.left())};
    }
    m_picture.focusRing = true;
    m_mouseHovers = false;
    m_selection->hover(cell);
    const QRectF before = view.visibleCells();
    m_picture.viewport.reveal(cell);
    if (view.visibleCells() != before) {
        applyViewport();
    }
}

bool HeatmapView::moveByKey(const QKeyEvent* event)
{
    const bool control = (event->modifiers() & Qt::ControlModifier) != 0;
    const MapViewport& view = m_picture.viewport;
    const qint64 all = std::max(view.queries(), view.keys());
    MapIndex map = m_selection->map();
    switch (event->key()) {
    case Qt::Key_Left:
        moveCell(0, -1);
        return true;
    case Qt::Key_Right:
        moveCell(0, 1);
        return true;
    case Qt::Key_Up:
        moveCell(-1, 0);
        return true;
    case Qt::Key_Down:
        moveCell(1, 0);
        return true;
    case Qt::Key_Home:
        moveCell(control ? -all : 0, -all);
        return true;
    case Qt::Key_End:
        moveCell(control ? all : 0, all);
        return true;
    case Qt::Key_PageUp:
        --(control ? map.layer : map.head);
        m_selection->setMap(map);
        return true;
    case Qt::Key_PageDown:
        ++(control ? map.layer : map.head);
        m_selection->setMap(map);
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        m_selection->pin(m_selection->current());
        return true;
    case Qt::Key_Escape:
        m_selection->hover({});
        m_selection->unpin();
        return true;
    default:
        return false;
    }
}

bool HeatmapView::zoomByKey(const QKeyEvent* event)
{
    if ((event->modifiers() & Qt::ControlModifier) == 0) {
        return false;
    }
    switch (event->key()) {
    case Qt::Key_0:
        fit();
        return true;
    case Qt::Key_Plus:
    case Qt::Key_Equal: // plus without Shift
        zoomBy(ZoomPerKey);
        return true;
    case Qt::Key_Minus:
        zoomBy(1 / ZoomPerKey);
        return true;
    case Qt::Key_C:
        copyCell();
        return true;
    default:
        return false;
    }
}

void HeatmapView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) {
        m_spaceHeld = true;
        setCursor(Qt::OpenHandCursor);
        event->accept();
    } else if (event->key() == Qt::Key_Space || moveByKey(event) || zoomByKey(event)) {
        event->accept();
    } else {
        QCustomPlot::keyPressEvent(event);
    }
}

void HeatmapView::keyReleaseEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) {
        m_spaceHeld = false;
        if (!m_panning) {
            setCursor(Qt::ArrowCursor);
        }
        event->accept();
    } else {
        QCustomPlot::keyReleaseEvent(event);
    }
}

void HeatmapView::contextMenuEvent(QContextMenuEvent* event)
{
    CellRef cell = m_picture.viewport.cellAt(event->pos());
    QPoint position = event->globalPos();
    if (event->reason() == QContextMenuEvent::Keyboard) {
        cell = m_selection->current();
        const QRectF map = m_picture.viewport.mapRect();
        const QPointF at =
            cell.isValid() ? m_picture.viewport.cellRect(cell).center() : map.center();
        position = mapToGlobal(QPointF(std::clamp(at.x(), map.left(), map.right()),
                                       std::clamp(at.y(), map.top(), map.bottom()))
                                   .toPoint());
    }
    event->accept();
    Q_EMIT cellMenuRequested(position, cell);
}

void HeatmapView::focusInEvent(QFocusEvent* event)
{
    QCustomPlot::focusInEvent(event);
    m_picture.focusRing = event->reason() == Qt::TabFocusReason ||
                          event->reason() == Qt::BacktabFocusReason ||
                          event->reason() == Qt::ShortcutFocusReason;
    redrawCursor();
}

void HeatmapView::focusOutEvent(QFocusEvent* event)
{
    QCustomPlot::focusOutEvent(event);
    m_picture.focusRing = false;
    m_spaceHeld = false;
    redrawCursor();
}

void HeatmapView::showToolTip(const QPoint& position, const QPoint& globalPosition)
{
    const CellRef cell = m_picture.viewport.cellAt(position);
    if (!cell.isValid() || !m_scene.hasTiles()) {
        QToolTip::hideText();
        return;
    }
    // Plain text: tokens may look like markup.
    QToolTip::showText(globalPosition, cellSentence(cell).toHtmlEscaped(), this,
                       m_picture.viewport.cellRect(cell).toAlignedRect());
}

} // namespace heed::ui
