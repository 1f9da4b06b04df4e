// Colours and masked areas of a tile.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tileimage.h"

#include <algorithm>
#include <cmath>

namespace heed::ui {

bool valueSurvivesMask(Quantity quantity)
{
    return quantity == Quantity::Scores || quantity == Quantity::Scaled;
}

TexelState texelState(const Tile& tile, std::size_t index, Quantity quantity)
{
    const float share = tile.texels.maskedShare[index];
    const float value = tile.texels.values[index];
    if (share >= 1) {
        return TexelState::Masked;
    }
    if (!std::isfinite(value)) {
        return TexelState::NotANumber;
    }
    if (share > 0) {
        return TexelState::PartlyMasked;
    }
    return quantity == Quantity::Weights && value == 0 ? TexelState::Zero : TexelState::Value;
}

MaskReasons texelReasons(const Tile& tile, std::size_t index)
{
    if (!(tile.texels.maskedShare[index] > 0)) {
        return 0;
    }
    const MaskReasons reasons = index < tile.reasons.size() ? tile.reasons[index] : MaskReasons{0};
    return reasons != 0 ? reasons : static_cast<MaskReasons>(MaskReason::Other);
}

TileContents& TileContents::operator|=(const TileContents& other)
{
    reasons |= other.reasons;
    masked = masked || other.masked;
    zero = zero || other.zero;
    notANumber = notANumber || other.notANumber;
    return *this;
}

TileContents tileContents(const Tile& tile, Quantity quantity)
{
    TileContents contents;
    for (std::size_t i = 0; i < tile.texels.values.size(); ++i) {
        const TexelState state = texelState(tile, i, quantity);
        contents.zero = contents.zero || state == TexelState::Zero;
        contents.notANumber = contents.notANumber || state == TexelState::NotANumber;
        contents.masked = contents.masked || tile.texels.maskedShare[i] > 0;
        contents.reasons |= texelReasons(tile, i);
    }
    return contents;
}

QImage tileImage(const Tile& tile, const TileStyle& style)
{
    const TileTexels& texels = tile.texels;
    const ColourTable& table = colourTable(style.colourMap);
    QImage image(static_cast<int>(texels.columns), static_cast<int>(texels.rows),
                 QImage::Format_RGB32);
    const bool keepsValue = valueSurvivesMask(style.quantity);
    for (std::int64_t r = 0; r < texels.rows; ++r) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(r)));
        for (std::int64_t c = 0; c < texels.columns; ++c) {
            const auto i = static_cast<std::size_t>(r * texels.columns + c);
            const bool hidden = texels.maskedShare[i] >= 1 && !keepsValue;
            line[c] = hidden ? style.paper : colourOf(table, texels.values[i], style.range);
        }
    }
    return image;
}

std::vector<HatchArea> maskedAreas(const Tile& tile)
{
    const TileTexels& texels = tile.texels;
    std::vector<HatchArea> areas;
    std::vector<std::size_t> above; // areas that end at the row before, by their column
    for (std::int64_t r = 0; r < texels.rows; ++r) {
        std::vector<std::size_t> ending;
        std::size_t next = 0;
        const auto at = [&](std::int64_t c) {
            return static_cast<std::size_t>(r * texels.columns + c);
        };
        for (std::int64_t c = 0; c < texels.columns;) {
            const MaskReasons reasons = texelReasons(tile, at(c));
            if (reasons == 0) {
                ++c;
                continue;
            }
            const bool partly = texels.maskedShare[at(c)] < 1;
            std::int64_t end = c + 1;
            while (end < texels.columns && texelReasons(tile, at(end)) == reasons &&
                   (texels.maskedShare[at(end)] < 1) == partly) {
                ++end;
            }
            const QRectF run(static_cast<double>(c), static_cast<double>(r),
                             static_cast<double>(end - c), 1);
            while (next < above.size() && areas[above[next]].area.left() < run.left()) {
                ++next;
            }
            if (next < above.size() && areas[above[next]].area.left() == run.left() &&
                areas[above[next]].area.width() == run.width() &&
                areas[above[next]].reasons == reasons && areas[above[next]].partly == partly) {
                areas[above[next]].area.setBottom(run.bottom());
                ending.push_back(above[next]);
            } else {
                areas.push_back({run, reasons, partly});
                ending.push_back(areas.size() - 1);
            }
            c = end;
        }
        above = std::move(ending);
    }
    return areas;
}

} // namespace heed::ui
