// The one selection that all views share: which map, which cell is pinned, which is hovered.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/maps.h"

#include <QObject>

namespace heed::ui {

/// A cell of the selected map; invalid when nothing is meant.
struct CellRef {
    qint64 query = -1;
    qint64 key = -1;
    [[nodiscard]] bool isValid() const { return query >= 0 && key >= 0; }
    bool operator==(const CellRef&) const = default;
};

/// Hover previews, pin stays (ux rule 3). Values are clamped to the shape of the maps in force.
class SelectionModel : public QObject {
    Q_OBJECT
public:
    explicit SelectionModel(QObject* parent = nullptr);

    /// Limits of layer, item, head and cell; a selection outside moves to the nearest valid one, a
    /// pin outside is dropped.
    void setShape(const MapsShape& shape);
    [[nodiscard]] const MapsShape& shape() const { return m_shape; }

    [[nodiscard]] const MapIndex& map() const { return m_map; }
    void setMap(const MapIndex& map);
    [[nodiscard]] const CellRef& pinned() const { return m_pinned; }
    void pin(const CellRef& cell);
    void unpin();
    [[nodiscard]] const CellRef& hovered() const { return m_hovered; }
    void hover(const CellRef& cell); ///< an invalid cell ends the hover

    /// The hovered cell, or the pinned one when nothing is hovered.
    [[nodiscard]] CellRef current() const { return m_hovered.isValid() ? m_hovered : m_pinned; }
    /// The cell whose story is told: the pinned one stays while others are hovered.
    [[nodiscard]] CellRef studied() const { return m_pinned.isValid() ? m_pinned : m_hovered; }

Q_SIGNALS:
    void shapeChanged();
    void mapChanged();
    void pinChanged();
    void hoverChanged();

private:
    [[nodiscard]] bool contains(const CellRef& cell) const;

    MapsShape m_shape;
    MapIndex m_map;
    CellRef m_pinned;
    CellRef m_hovered;
};

} // namespace heed::ui
