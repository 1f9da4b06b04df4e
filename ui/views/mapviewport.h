// Which cells of a map are seen, and where on the widget they lie.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/selection.h"

#include <QPointF>
#include <QRect>
#include <QRectF>

namespace heed::ui {

/// A map shown at one scale in an area. While it is smaller than the area it is seen whole and lies
/// in the middle at the top; magnified it fills the area and can be moved. Cells are square unless
/// the map is so long that one side would vanish. Pixels are device-independent; x counts keys, y
/// queries.
class MapViewport {
public:
    void setShape(qint64 queries, qint64 keys);
    [[nodiscard]] qint64 queries() const { return m_queries; }
    [[nodiscard]] qint64 keys() const { return m_keys; }
    [[nodiscard]] bool isEmpty() const { return m_queries <= 0 || m_keys <= 0 || m_area.isEmpty(); }

    /// @param pixelRatio device pixels a pixel: large cells are made whole device pixels.
    void setArea(const QRect& area, double pixelRatio);
    [[nodiscard]] const QRect& area() const { return m_area; }

    void fit();
    [[nodiscard]] bool isFitted() const { return m_fitted; }
    /// Keeps the cell under @p at where it is.
    void zoomBy(double factor, QPointF at);
    void panBy(QPointF pixels);
    /// Moves as little as needed.
    void reveal(const CellRef& cell);

    [[nodiscard]] QRectF visibleCells() const;
    /// Shows at least @p cells, as large as fits.
    void setVisibleCells(const QRectF& cells);

    [[nodiscard]] QRect mapRect() const;
    [[nodiscard]] double cellWidth() const { return m_cell; }
    [[nodiscard]] double cellHeight() const { return m_cell * m_ratio; }
    /// Invalid outside the map.
    [[nodiscard]] CellRef cellAt(QPointF position) const;
    [[nodiscard]] QRectF cellRect(const CellRef& cell) const;
    [[nodiscard]] double columnEdge(double key) const;
    [[nodiscard]] double rowEdge(double query) const;

private:
    [[nodiscard]] double fittingCell() const;
    [[nodiscard]] double largestCell() const;
    void setCell(double cell);
    void clampOrigin();

    qint64 m_queries = 0;
    qint64 m_keys = 0;
    QRect m_area;
    double m_pixelRatio = 1;
    double m_cell = 1;  ///< width of a cell
    double m_ratio = 1; ///< height ÷ width of a cell
    QPointF m_origin;   ///< cell coordinates of the upper left corner
    bool m_fitted = true;
};

} // namespace heed::ui
