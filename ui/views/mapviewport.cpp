// Scale and place of a map.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapviewport.h"

#include <algorithm>
#include <cmath>

namespace heed::ui {

namespace {

constexpr double LargestFittedCell = 88; // two words do not need a whole screen
constexpr double LargestCell = 160;
constexpr double LeastExtent = 16;    // pixels of the shorter side of a very long map
constexpr double WholePixelsFrom = 6; // device pixels a cell

} // namespace

void MapViewport::setShape(qint64 queries, qint64 keys)
{
    if (queries == m_queries && keys == m_keys) {
        return;
    }
    m_queries = queries;
    m_keys = keys;
    fit();
}

void MapViewport::setArea(const QRect& area, double pixelRatio)
{
    if (area == m_area && pixelRatio == m_pixelRatio) {
        return;
    }
    const QPointF before = m_origin;
    m_area = area;
    m_pixelRatio = pixelRatio;
    if (m_fitted) {
        fit();
    } else {
        setCell(m_cell);
        m_origin = before;
        clampOrigin();
    }
}

double MapViewport::fittingCell() const
{
    const double cell = std::min({LargestFittedCell, m_area.width() / static_cast<double>(m_keys),
                                  m_area.height() / (static_cast<double>(m_queries) * m_ratio)});
    const double devicePixels = std::min(cell, cell * m_ratio) * m_pixelRatio;
    return devicePixels >= WholePixelsFrom ? std::floor(cell * m_pixelRatio) / m_pixelRatio : cell;
}

double MapViewport::largestCell() const
{
    return std::max(LargestCell, fittingCell());
}

void MapViewport::fit()
{
    m_fitted = true;
    m_origin = {};
    m_ratio = 1;
    if (isEmpty()) {
        m_cell = 1;
        return;
    }
    const double square = fittingCell();
    const double shorter = square * static_cast<double>(std::min(m_queries, m_keys));
    if (shorter < LeastExtent) {
        const double stretch = LeastExtent / shorter;
        m_ratio = m_queries < m_keys ? stretch : 1 / stretch;
    }
    m_cell = fittingCell();
}

void MapViewport::setCell(double cell)
{
    const double least = fittingCell();
    m_cell = std::clamp(cell, least, largestCell());
    m_fitted = m_cell <= least * (1 + 1e-9);
    if (m_fitted) {
        m_cell = least;
    }
}

void MapViewport::clampOrigin()
{
    const QRect rect = mapRect();
    const double mostX = static_cast<double>(m_keys) - rect.width() / cellWidth();
    const double mostY = static_cast<double>(m_queries) - rect.height() / cellHeight();
    m_origin.setX(std::clamp(m_origin.x(), 0.0, std::max(0.0, mostX)));
    m_origin.setY(std::clamp(m_origin.y(), 0.0, std::max(0.0, mostY)));
}

void MapViewport::zoomBy(double factor, QPointF at)
{
    if (isEmpty() || !(factor > 0)) {
        return;
    }
    const QRect before = mapRect();
    const QPointF inside(std::clamp<double>(at.x(), before.left(), before.right() + 1.0),
                         std::clamp<double>(at.y(), before.top(), before.bottom() + 1.0));
    const QPointF cell(m_origin.x() + (inside.x() - before.left()) / cellWidth(),
                       m_origin.y() + (inside.y() - before.top()) / cellHeight());
    setCell(m_cell * factor);
    const QRect after = mapRect();
    m_origin = {cell.x() - (inside.x() - after.left()) / cellWidth(),
                cell.y() - (inside.y() - after.top()) / cellHeight()};
    clampOrigin();
}

void MapViewport::panBy(QPointF pixels)
{
    if (isEmpty()) {
        return;
    }
    m_origin -= QPointF(pixels.x() / cellWidth(), pixels.y() / cellHeight());
    clampOrigin();
}

void MapViewport::reveal(const CellRef& cell)
{
    if (isEmpty() || !cell.isValid()) {
        return;
    }
    const QRectF seen = visibleCells();
    const auto moved = [](double origin, double extent, double at) {
        if (at < origin) {
            return at;
        }
        return at + 1 > origin + extent ? at + 1 - extent : origin;
    };
    m_origin = {moved(seen.left(), seen.width(), static_cast<double>(cell.key)),
                moved(seen.top(), seen.height(), static_cast<double>(cell.query))};
    clampOrigin();
}

QRectF MapViewport::visibleCells() const
{
    if (isEmpty()) {
        return {};
    }
    const QRect rect = mapRect();
    return {m_origin, QSizeF(rect.width() / cellWidth(), rect.height() / cellHeight())};
}

void MapViewport::setVisibleCells(const QRectF& cells)
{
    if (isEmpty() || !(cells.width() > 0) || !(cells.height() > 0)) {
        return;
    }
    setCell(std::min(m_area.width() / cells.width(), m_area.height() / (cells.height() * m_ratio)));
    const QRect rect = mapRect();
    m_origin = {cells.center().x() - rect.width() / cellWidth() / 2,
                cells.center().y() - rect.height() / cellHeight() / 2};
    clampOrigin();
}

QRect MapViewport::mapRect() const
{
    const auto extent = [](double cells, double cell, int room) {
        return std::clamp(static_cast<int>(std::ceil(cells * cell - 1e-6)), 1, std::max(1, room));
    };
    const int width = extent(static_cast<double>(m_keys), cellWidth(), m_area.width());
    const int height = extent(static_cast<double>(m_queries), cellHeight(), m_area.height());
    return {m_area.left() + (m_area.width() - width) / 2, m_area.top(), width, height};
}

CellRef MapViewport::cellAt(QPointF position) const
{
    if (isEmpty() || !QRectF(mapRect()).contains(position)) {
        return {};
    }
    const QRect rect = mapRect();
    const CellRef cell{
        static_cast<qint64>(std::floor(m_origin.y() + (position.y() - rect.top()) / cellHeight())),
        static_cast<qint64>(std::floor(m_origin.x() + (position.x() - rect.left()) / cellWidth()))};
    return cell.query < m_queries && cell.key < m_keys ? cell : CellRef{};
}

double MapViewport::columnEdge(double key) const
{
    return mapRect().left() + (key - m_origin.x()) * cellWidth();
}

double MapViewport::rowEdge(double query) const
{
    return mapRect().top() + (query - m_origin.y()) * cellHeight();
}

QRectF MapViewport::cellRect(const CellRef& cell) const
{
    return {columnEdge(static_cast<double>(cell.key)), rowEdge(static_cast<double>(cell.query)),
            cellWidth(), cellHeight()};
}

} // namespace heed::ui
