// Pixels from texels.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapraster.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace heed::ui {

namespace {

QRgb blend(QRgb below, QRgb above, int share) // share of above, 0…255
{
    const auto mix = [share](int a, int b) { return a + (b - a) * share / 255; };
    return qRgb(mix(qRed(below), qRed(above)), mix(qGreen(below), qGreen(above)),
                mix(qBlue(below), qBlue(above)));
}

/// Dark on light and light on dark, cheap enough for every pixel.
QRgb inkOn(QRgb colour)
{
    const int luma = (2 * qRed(colour) + 5 * qGreen(colour) + qBlue(colour)) / 8;
    return luma > 140 ? 0xFF101418 : 0xFFFFFFFF;
}

/// For each of @p pixels positions the texel of the tile under its centre; -1 outside.
std::vector<std::int64_t> texelOf(double firstCell, double cellsShown, int pixels,
                                  std::int64_t tileIndex, int level, std::int64_t texels)
{
    std::vector<std::int64_t> map(static_cast<std::size_t>(pixels), -1);
    const double perPixel = cellsShown / pixels;
    const std::int64_t begin = tileIndex * TileSide;
    for (int p = 0; p < pixels; ++p) {
        const auto cell = static_cast<std::int64_t>(std::floor(firstCell + (p + 0.5) * perPixel));
        const std::int64_t texel = (cell >= 0 ? cell >> level : -1) - begin;
        if (texel >= 0 && texel < texels) {
            map[static_cast<std::size_t>(p)] = texel;
        }
    }
    return map;
}

/// Coverage of one row of pixels, once a kind of hatch.
class HatchRow {
public:
    HatchRow(const HatchRaster& raster, int width, QPoint origin)
        : m_raster(raster)
        , m_width(width)
        , m_origin(origin)
    {
    }
    void setRow(int y)
    {
        m_y = y;
        m_known.clear();
    }
    int at(int x, MaskReasons reasons)
    {
        for (const auto& [known, row] : m_known) {
            if (known == reasons) {
                return row[static_cast<std::size_t>(x)];
            }
        }
        std::vector<unsigned char> row(static_cast<std::size_t>(m_width));
        for (int i = 0; i < m_width; ++i) {
            row[static_cast<std::size_t>(i)] = static_cast<unsigned char>(
                m_raster.coverage(i + m_origin.x(), m_y + m_origin.y(), reasons));
        }
        m_known.emplace_back(reasons, std::move(row));
        return m_known.back().second[static_cast<std::size_t>(x)];
    }

private:
    const HatchRaster& m_raster;
    int m_width;
    QPoint m_origin;
    int m_y = 0;
    std::vector<std::pair<MaskReasons, std::vector<unsigned char>>> m_known;
};

} // namespace

QImage composeMap(std::span<const PlacedTile> tiles, const QRectF& cells, QSize size,
                  const RasterStyle& style)
{
    QImage picture(size, QImage::Format_ARGB32_Premultiplied);
    picture.fill(Qt::transparent);
    if (size.isEmpty() || cells.isEmpty()) {
        return picture;
    }
    const HatchRaster raster(style.hatchSpacing, style.hatchWidth);
    HatchRow hatch(raster, size.width(), style.hatchOrigin);
    for (const PlacedTile& placed : tiles) {
        const TileTexels& texels = placed.tile->texels;
        const auto columns = texelOf(cells.left(), cells.width(), size.width(), placed.tileColumn,
                                     placed.level, texels.columns);
        const auto rows = texelOf(cells.top(), cells.height(), size.height(), placed.tileRow,
                                  placed.level, texels.rows);
        for (int y = 0; y < size.height(); ++y) {
            const std::int64_t row = rows[static_cast<std::size_t>(y)];
            if (row < 0) {
                continue;
            }
            hatch.setRow(y);
            auto* out = reinterpret_cast<QRgb*>(picture.scanLine(y));
            const auto* in =
                reinterpret_cast<const QRgb*>(placed.colours->constScanLine(static_cast<int>(row)));
            for (int x = 0; x < size.width(); ++x) {
                const std::int64_t column = columns[static_cast<std::size_t>(x)];
                if (column < 0) {
                    continue;
                }
                out[x] = in[column];
                const auto index = static_cast<std::size_t>(row * texels.columns + column);
                const float share = texels.maskedShare[index];
                if (share > 0 && style.hatchMasked) {
                    // Half as strong where something is kept; a value must stay readable.
                    const int covered = hatch.at(x, texelReasons(*placed.tile, index));
                    const QRgb ink = style.inkOverValues ? inkOn(out[x]) : style.ink;
                    const int percent = share < 1 ? 50 : style.inkOverValues ? 65 : 100;
                    out[x] = blend(out[x], ink, covered * percent / 100);
                }
            }
        }
    }
    return picture;
}

int levelFor(double devicePixels, int topLevel)
{
    int level = 0;
    while (level < topLevel && std::ldexp(devicePixels, level) < 1) {
        ++level;
    }
    return level;
}

} // namespace heed::ui
