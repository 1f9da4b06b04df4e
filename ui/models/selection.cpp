// The shared selection, kept inside the shape of the maps.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/selection.h"

#include <algorithm>

namespace heed::ui {

namespace {

qint64 clampIndex(qint64 index, qint64 count)
{
    return std::clamp<qint64>(index, 0, std::max<qint64>(0, count - 1));
}

} // namespace

SelectionModel::SelectionModel(QObject* parent)
    : QObject(parent)
{
}

bool SelectionModel::contains(const CellRef& cell) const
{
    return cell.isValid() && cell.query < m_shape.queries && cell.key < m_shape.keys;
}

void SelectionModel::setShape(const MapsShape& shape)
{
    if (shape == m_shape) {
        return;
    }
    m_shape = shape;
    Q_EMIT shapeChanged();
    setMap(m_map);
    if (m_pinned.isValid() && !contains(m_pinned)) {
        unpin();
    }
    if (m_hovered.isValid() && !contains(m_hovered)) {
        hover({});
    }
}

void SelectionModel::setMap(const MapIndex& map)
{
    const MapIndex clamped{clampIndex(map.layer, m_shape.layers),
                           clampIndex(map.item, m_shape.items),
                           clampIndex(map.head, m_shape.heads)};
    if (clamped != m_map) {
        m_map = clamped;
        Q_EMIT mapChanged();
    }
}

void SelectionModel::pin(const CellRef& cell)
{
    if (!contains(cell)) {
        return;
    }
    if (m_hovered != cell) {
        hover({}); // pinned from elsewhere: what the mouse left behind would cover it
    }
    if (cell != m_pinned) {
        m_pinned = cell;
        Q_EMIT pinChanged();
    }
}

void SelectionModel::unpin()
{
    if (m_pinned.isValid()) {
        m_pinned = {};
        Q_EMIT pinChanged();
    }
}

void SelectionModel::hover(const CellRef& cell)
{
    const CellRef next = contains(cell) ? cell : CellRef{};
    if (next != m_hovered) {
        m_hovered = next;
        Q_EMIT hoverChanged();
    }
}

} // namespace heed::ui
