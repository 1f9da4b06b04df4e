// Where the thumbnails of a grid of heads stand.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/maps.h"

#include <QRectF>

namespace heed::ui {

/// What thumbnails need beside their picture.
struct HeadGridNeeds {
    double leastWidth = 0; ///< of what is written above a thumbnail of a block
    double below = 0;      ///< height of what is drawn under a thumbnail
    // Of a table:
    double beside = 0;    ///< width of what is drawn beside the labels of rows
    double above = 0;     ///< height of what is drawn above those of columns
    int headsOfGroup = 1; ///< heads that stand together, apart from the next
    double around = 0;    ///< width of a frame
};

/// Several layers: a table of layers and heads, the shorter axis across. One layer: heads in rows,
/// as large as lets all of them be seen. A value; cheap to make again for every size.
class HeadGridLayout {
public:
    static constexpr double Padding = 4;
    static constexpr double LabelHeight = 18; ///< above a thumbnail, or above a column of a table
    static constexpr double LabelWidth = 34;  ///< left of a row of a table
    static constexpr double Gap = 8;
    static constexpr double GroupGap = 5; ///< between groups of a table, beside the usual

    /// @param heightRoom pixels all thumbnails should fit into; 0 = small ones, whatever the
    /// height.
    HeadGridLayout(const MapsShape& shape, int width, int heightRoom,
                   const HeadGridNeeds& needs = {});

    [[nodiscard]] int columns() const { return m_columns; }
    /// Empty when there is no such head.
    [[nodiscard]] QRectF rect(std::int64_t layer, std::int64_t head) const;
    [[nodiscard]] int totalHeight() const;

private:
    [[nodiscard]] int columnsFor(double room, int heads, int heightRoom) const;
    [[nodiscard]] double sideFor(double room, int columns) const;
    /// What groups before @p head take.
    [[nodiscard]] double groupGaps(std::int64_t head) const;

    MapsShape m_shape;
    HeadGridNeeds m_needs;
    int m_columns = 1;
    int m_rows = 1;
    double m_least = 40; ///< side of a thumbnail of a block
    double m_side = 40;
    double m_width = 40; ///< of a thumbnail: less than the side where a map is not square
    double m_height = 40;
    double m_left = 0;
    double m_top = 0;
    double m_gapX = 6;
    double m_gapY = 6;
};

} // namespace heed::ui
