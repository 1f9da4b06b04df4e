// The hatch that marks masked cells: one family of parallel lines for each reason.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/mask.h"

#include <QColor>
#include <QLineF>
#include <QPointF>
#include <QRectF>
#include <span>
#include <vector>

class QPainter;

namespace heed::ui {

/// Lines where across·x + down·y is a multiple of the spacing times the length of (across, down).
struct HatchFamily {
    MaskReason reason = MaskReason::None;
    int across = 0;
    int down = 0;
};

/// Padding falls (\), causal rises (/), so both together cross; the others take directions of their
/// own (upright, level, and steep or flat diagonals). In the order of MaskReason.
[[nodiscard]] std::span<const HatchFamily> hatchFamilies();

struct HatchStyle {
    QColor paper = Qt::white; ///< fill beneath the lines; transparent leaves what is there
    QColor ink = Qt::gray;
    double spacing = 6;   ///< between lines, in units of the painter; > 0
    double lineWidth = 1; ///< the same units
    /// Edge of the lines, a line's width on both sides, for hatch over colours of any lightness.
    QColor casing = Qt::transparent;
};

/// Cells that are masked for the same reasons.
struct HatchArea {
    QRectF area;
    MaskReasons reasons = 0;
    bool partly = false; ///< some of its cells are kept: lines only, no paper, half as strong
};

/// The lines of @p reasons inside @p area, in a lattice anchored at @p origin, so that neighbouring
/// areas join. At most a few thousand lines: the spacing is widened for absurd extents.
[[nodiscard]] std::vector<QLineF> hatchLines(const QRectF& area, MaskReasons reasons,
                                             double spacing, QPointF origin = {});

/// The lines of all @p areas, pieces of one line that touch made one (for files made of vectors).
[[nodiscard]] std::vector<QLineF> hatchLines(std::span<const HatchArea> areas, double spacing,
                                             QPointF origin = {});

/// Fills @p areas with paper and draws the lines over it.
void paintHatch(QPainter& painter, std::span<const HatchArea> areas, const HatchStyle& style,
                QPointF origin = {});

/// The same lattice one device pixel at a time, for pictures that are put together pixel by pixel.
class HatchRaster {
public:
    /// @param spacing and @p lineWidth in device pixels.
    HatchRaster(double spacing, double lineWidth);
    /// How much of the pixel (x, y) the lines of @p reasons cover, 0…255.
    [[nodiscard]] int coverage(int x, int y, MaskReasons reasons) const;

private:
    static constexpr std::size_t Families = 7;
    struct Period {
        int across = 0;
        int down = 0;
        std::vector<unsigned char> coverage; ///< by (across·x + down·y) modulo the period
    };
    Period m_periods[Families];
};

} // namespace heed::ui
