// Mouse, keys and tool tips of the grid of heads.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/headgridview.h"

#include "views/metrictext.h"
#include "views/viewtext.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

namespace heed::ui {

void HeadGridView::select(std::int64_t layer, std::int64_t head)
{
    if (layer >= 0 && head >= 0 && layer < m_shape.layers && head < m_shape.heads) {
        m_selection->setMap({layer, m_item, head});
    }
}

void HeadGridView::mousePressEvent(QMouseEvent* event)
{
    MapIndex map;
    if (event->button() == Qt::LeftButton && at(event->position(), map)) {
        m_focusRing = false;
        select(map.layer, map.head);
    }
}

void HeadGridView::mouseDoubleClickEvent(QMouseEvent* event)
{
    MapIndex map;
    if (event->button() == Qt::LeftButton && at(event->position(), map)) {
        select(map.layer, map.head);
        Q_EMIT opened(m_selection->map());
    }
}

void HeadGridView::mouseMoveEvent(QMouseEvent* event)
{
    MapIndex map{-1, -1, -1};
    const bool over = at(event->position(), map);
    if (map != m_hovered) {
        m_hovered = map;
        setCursor(over ? Qt::PointingHandCursor : Qt::ArrowCursor);
        update();
    }
}

void HeadGridView::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    m_hovered = {-1, -1, -1};
    if (m_sortsOnLeave) {
        sort();
    }
    update();
}

QString HeadGridView::toolTipOf(const MapIndex& map)
{
    QString title = m_run ? mapTitle(map, *m_run) : mapTitle(map, m_shape);
    if (!m_run || m_run != m_service->current()) {
        return title;
    }
    for (const QString& phrase : m_marks.phrases(map)) {
        title += QLatin1Char('\n') + phrase;
    }
    if (m_thumbnails[indexOf(map.layer, map.head)].isDraft) {
        title += QLatin1Char('\n') + tr("≈ draft: few of its query rows so far");
    }
    const MetricsPtr metrics = m_service->metrics(map, Priority::Margin);
    if (!metrics) {
        return tr("%1\nmetrics are being computed").arg(title);
    }
    for (const Metric* metric : shownMetrics()) {
        title += QStringLiteral("\n%1  %2")
                     .arg(metricNumber(metrics.get()->*metric->value), metricText(*metric).name);
    }
    return title;
}

bool HeadGridView::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        MapIndex map;
        if (at(help->pos(), map)) {
            m_hovered = map;
            QToolTip::showText(help->globalPos(), toolTipOf(map), this);
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    return QWidget::event(event);
}

bool HeadGridView::moveInSequence(int key)
{
    const MapIndex& map = m_selection->map();
    const auto last = static_cast<std::int64_t>(m_sequence.size()) - 1;
    const std::int64_t columns = layoutFor(width(), m_heightRoom).columns();
    const auto from = static_cast<std::int64_t>(m_places[indexOf(map.layer, map.head)]);
    std::int64_t place = 0;
    switch (key) {
    case Qt::Key_Left:
        place = from - 1;
        break;
    case Qt::Key_Right:
        place = from + 1;
        break;
    case Qt::Key_Up:
        place = from - columns;
        break;
    case Qt::Key_Down:
        place = from + columns;
        break;
    case Qt::Key_Home:
        place = 0;
        break;
    case Qt::Key_End:
        place = last;
        break;
    default:
        return false;
    }
    m_focusRing = true;
    if (place >= 0 && place <= last) {
        const auto number = static_cast<std::int64_t>(m_sequence[static_cast<std::size_t>(place)]);
        select(number / m_shape.heads, number % m_shape.heads);
    }
    update();
    return true;
}

void HeadGridView::keyPressEvent(QKeyEvent* event)
{
    const MapIndex& map = m_selection->map();
    if (!m_sequence.empty() && moveInSequence(event->key())) {
        return;
    }
    const HeadGridLayout layout = layoutFor(width(), m_heightRoom);
    const bool table = isTable();
    const bool layersAcross = m_shape.layers <= m_shape.heads;
    std::int64_t layer = map.layer;
    std::int64_t head = map.head;
    const auto across = [&](int step) { (table && layersAcross ? layer : head) += step; };
    const auto down = [&](int step) {
        if (!table) {
            const std::int64_t next = head + std::int64_t{step} * layout.columns();
            head = next >= 0 && next < m_shape.heads ? next : head;
        } else {
            (layersAcross ? head : layer) += step;
        }
    };
    switch (event->key()) {
    case Qt::Key_Left:
        across(-1);
        break;
    case Qt::Key_Right:
        across(1);
        break;
    case Qt::Key_Up:
        down(-1);
        break;
    case Qt::Key_Down:
        down(1);
        break;
    case Qt::Key_Home:
        head = 0;
        break;
    case Qt::Key_End:
        head = m_shape.heads - 1;
        break;
    case Qt::Key_PageUp:
        --layer;
        break;
    case Qt::Key_PageDown:
        ++layer;
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        Q_EMIT opened(map);
        return;
    default:
        QWidget::keyPressEvent(event);
        return;
    }
    m_focusRing = true;
    select(layer, head);
    update();
}

void HeadGridView::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    m_focusRing = event->reason() != Qt::MouseFocusReason;
    update();
}

void HeadGridView::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

} // namespace heed::ui
