// Columns chosen so that the whole stack is seen, when it can be.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/headgridlayout.h"

#include <algorithm>
#include <cmath>

namespace heed::ui {

namespace {

constexpr double LargestSide = 116;
constexpr double SmallestSide = 40;
constexpr double SmallestTableSide = 10;
constexpr double LeastThumbnail = 10; // the shorter side of an oblong map
constexpr double TableGap = 4;
constexpr double LabelGap = 6; // between a row and the labels of the next
constexpr int EmptyHeight = 120;

} // namespace

HeadGridLayout::HeadGridLayout(const MapsShape& shape, int width, int heightRoom,
                               const HeadGridNeeds& needs)
    : m_shape(shape)
    , m_needs(needs)
{
    const double room = width - 2 * Padding;
    const auto heads = static_cast<int>(std::max<std::int64_t>(1, shape.heads));
    const auto layers = static_cast<int>(std::max<std::int64_t>(1, shape.layers));
    m_left = Padding;
    m_top = Padding + LabelHeight;
    if (layers > 1) {
        // The shorter axis runs across, so that the whole stack is seen in a tall panel.
        m_columns = std::min(layers, heads);
        m_rows = std::max(layers, heads);
        m_gapX = TableGap + needs.around;
        m_gapY = TableGap + needs.around + needs.below;
        m_left += LabelWidth + needs.beside;
        m_top += needs.above;
        const double gaps = m_gapX * (m_columns - 1) + (layers > heads ? groupGaps(heads - 1) : 0);
        const double side = (room - LabelWidth - needs.beside - gaps) / m_columns;
        m_side = std::clamp(std::floor(side), SmallestTableSide, LargestSide);
    } else {
        m_gapX = Gap;
        m_gapY = LabelHeight + LabelGap + needs.below;
        // A label may run into the gap beside its thumbnail, but not into the next label.
        m_least = std::clamp(needs.leastWidth - Gap / 2, SmallestSide, LargestSide);
        m_columns = columnsFor(room, heads, heightRoom);
        m_rows = (heads + m_columns - 1) / m_columns;
        m_side = sideFor(room, m_columns);
    }
    const double queries = static_cast<double>(std::max<std::int64_t>(1, shape.queries));
    const double keys = static_cast<double>(std::max<std::int64_t>(1, shape.keys));
    m_width = std::max(LeastThumbnail, m_side * std::min(1.0, keys / queries));
    m_height = std::max(LeastThumbnail, m_side * std::min(1.0, queries / keys));
}

double HeadGridLayout::sideFor(double room, int columns) const
{
    return std::clamp(std::floor((room - Gap * (columns - 1)) / columns), m_least, LargestSide);
}

int HeadGridLayout::columnsFor(double room, int heads, int heightRoom) const
{
    // The largest thumbnails with which the whole block is seen; full rows before ragged ones, wide
    // blocks before tall ones. When it has to scroll, it shows as many heads as it can.
    const int most = std::clamp(static_cast<int>((room + Gap) / (m_least + Gap)), 1, heads);
    int best = 0;
    for (int columns = 1; columns <= most; ++columns) {
        const int rows = (heads + columns - 1) / columns;
        const double side = sideFor(room, columns);
        const bool fits = rows * (side + m_gapY) + 2 * Padding <= heightRoom;
        const bool tidier = heads % columns == 0 || (best != 0 && heads % best != 0);
        if (fits && (best == 0 || (side == sideFor(room, best) && tidier))) {
            best = columns;
        }
    }
    return best > 0 ? best : most;
}

double HeadGridLayout::groupGaps(std::int64_t head) const
{
    if (m_needs.headsOfGroup < 2) {
        return 0;
    }
    const std::int64_t groupsBefore = head / m_needs.headsOfGroup;
    return GroupGap * static_cast<double>(groupsBefore);
}

QRectF HeadGridLayout::rect(std::int64_t layer, std::int64_t head) const
{
    if (layer < 0 || head < 0 || layer >= m_shape.layers || head >= m_shape.heads) {
        return {};
    }
    std::int64_t row = head / m_columns;
    std::int64_t column = head % m_columns;
    QPointF apart;
    if (m_shape.layers > 1) {
        const bool layersAcross = m_shape.layers <= m_shape.heads;
        column = layersAcross ? layer : head;
        row = layersAcross ? head : layer;
        (layersAcross ? apart.ry() : apart.rx()) = groupGaps(head);
    }
    return {m_left + static_cast<double>(column) * (m_side + m_gapX) + apart.x(),
            m_top + static_cast<double>(row) * (m_height + m_gapY) + apart.y(), m_width, m_height};
}

int HeadGridLayout::totalHeight() const
{
    if (m_shape.heads == 0) {
        return EmptyHeight;
    }
    const bool headsDown = m_shape.layers > 1 && m_shape.layers <= m_shape.heads;
    return static_cast<int>(std::ceil(m_top + m_rows * m_height + (m_rows - 1) * m_gapY +
                                      (headsDown ? groupGaps(m_shape.heads - 1) : 0) +
                                      m_needs.below + Padding));
}

} // namespace heed::ui
