// Texels kept, and pooled again.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/mappicture.h"

#include <algorithm>
#include <cmath>
#include <mutex>

namespace heed {

bool showsLargestWeights(const TileSpec& spec)
{
    return spec.quantity == Quantity::Weights &&
           (spec.pooling == Pooling::Max || spec.pooling == Pooling::AbsMax);
}

MapPicture::MapPicture(std::int64_t queries, std::int64_t keys, std::int64_t cells)
    : m_queries(queries)
    , m_keys(keys)
    , m_cells(cells)
    , m_rows((queries + cells - 1) / cells)
    , m_columns((keys + cells - 1) / cells)
    , m_exact(queries)
    , m_sketched(1)
    , m_isExact(static_cast<std::size_t>(m_rows))
    , m_values(static_cast<std::size_t>(m_rows * m_columns))
    , m_maskedShare(m_values.size())
{
}

bool MapPicture::serves(const TileSpec& spec, std::int64_t queries, std::int64_t keys,
                        std::int64_t cells)
{
    const auto isWhole = [cells](std::int64_t begin, std::int64_t count, std::int64_t all) {
        return begin % cells == 0 && (count % cells == 0 || begin + count == all);
    };
    return showsLargestWeights(spec) && spec.texelCells % cells == 0 &&
           spec.texelCellsDown() % cells == 0 && isWhole(spec.row, spec.rows, queries) &&
           isWhole(spec.column, spec.columns, keys);
}

void MapPicture::putRow(std::int64_t row, const TileTexels& from, std::int64_t fromRow)
{
    const auto first = static_cast<std::ptrdiff_t>(fromRow * m_columns);
    const auto to = static_cast<std::ptrdiff_t>(row * m_columns);
    std::copy_n(from.values.begin() + first, m_columns, m_values.begin() + to);
    std::copy_n(from.maskedShare.begin() + first, m_columns, m_maskedShare.begin() + to);
}

Expected<void> MapPicture::require(std::int64_t begin, std::int64_t end, std::int64_t mostRows,
                                   const std::stop_token& stop, const Compute& compute)
{
    return m_exact.require(begin, end, mostRows, stop, [&](std::int64_t first, std::int64_t last) {
        return compute(first, last).map([&](const TileTexels& texels) {
            const std::scoped_lock lock(m_mutex);
            for (std::int64_t row = 0; row < texels.rows; ++row) {
                putRow(first / m_cells + row, texels, row);
                m_isExact[static_cast<std::size_t>(first / m_cells + row)] = 1;
            }
        });
    });
}

Expected<void> MapPicture::sketch(std::int64_t rowStep, const std::stop_token& stop,
                                  const std::function<Expected<TileTexels>()>& compute)
{
    return m_sketched.require(0, 1, 1, stop, [&](std::int64_t, std::int64_t) {
        return compute().map([&](const TileTexels& sketched) {
            const std::scoped_lock lock(m_mutex);
            m_sketchStep = rowStep;
            for (std::size_t row = 0; row < m_isExact.size(); ++row) {
                if (m_isExact[row] == 0) {
                    const auto texelRow = static_cast<std::int64_t>(row);
                    putRow(texelRow, sketched, texelRow * m_cells / rowStep);
                }
            }
        });
    });
}

std::int64_t MapPicture::sketchStep() const
{
    const std::scoped_lock lock(m_mutex);
    return m_sketchStep;
}

MapPicture::Texel MapPicture::pool(std::int64_t top, std::int64_t bottom, std::int64_t left,
                                   std::int64_t right) const
{
    float most = 0;
    // A share counts cells in parts of a power of two: exact, and so are sums of them, but for
    // texels at the edge of the map, which are smaller and weigh less.
    double share = 0;
    for (std::int64_t y = top; y < bottom; ++y) {
        for (std::int64_t x = left; x < right; ++x) {
            const auto at = static_cast<std::size_t>(y * m_columns + x);
            const float value = m_values[at];
            most = value > most || value != value ? value : most;
            share += double{m_maskedShare[at]};
        }
    }
    if (bottom * m_cells <= m_queries && right * m_cells <= m_keys) {
        const auto texels = static_cast<double>((bottom - top) * (right - left));
        return {most, static_cast<float>(share / texels)};
    }
    const auto sideOf = [this](std::int64_t texel, std::int64_t all) {
        return std::min(m_cells, all - texel * m_cells);
    };
    std::int64_t cells = 0;
    std::int64_t masked = 0;
    for (std::int64_t y = top; y < bottom; ++y) {
        for (std::int64_t x = left; x < right; ++x) {
            const std::int64_t count = sideOf(y, m_queries) * sideOf(x, m_keys);
            cells += count;
            masked +=
                std::llround(double{m_maskedShare[static_cast<std::size_t>(y * m_columns + x)]} *
                             static_cast<double>(count));
        }
    }
    return {most, static_cast<float>(static_cast<double>(masked) / static_cast<double>(cells))};
}

std::int64_t MapPicture::exactRows(const TileSpec& spec) const
{
    const std::shared_lock lock(m_mutex);
    const auto first = m_isExact.begin() + static_cast<std::ptrdiff_t>(spec.row / m_cells);
    const auto inside = static_cast<std::ptrdiff_t>((spec.rows + m_cells - 1) / m_cells);
    const std::int64_t exact = std::find(first, first + inside, 0) - first;
    return exact == inside ? spec.texelRows() : exact / (spec.texelCellsDown() / m_cells);
}

TileTexels MapPicture::pooled(const TileSpec& spec) const
{
    const std::int64_t down = spec.texelCellsDown() / m_cells;
    const std::int64_t across = spec.texelCells / m_cells;
    TileTexels result;
    result.rows = spec.texelRows();
    result.columns = spec.texelColumns();
    result.values.resize(static_cast<std::size_t>(result.rows * result.columns));
    result.maskedShare.resize(result.values.size());
    const std::shared_lock lock(m_mutex);
    const std::int64_t bottom = (spec.row + spec.rows + m_cells - 1) / m_cells;
    const std::int64_t right = (spec.column + spec.columns + m_cells - 1) / m_cells;
    std::size_t to = 0;
    for (std::int64_t row = 0; row < result.rows; ++row) {
        const std::int64_t top = spec.row / m_cells + row * down;
        for (std::int64_t column = 0; column < result.columns; ++column, ++to) {
            const std::int64_t left = spec.column / m_cells + column * across;
            const Texel texel =
                pool(top, std::min(top + down, bottom), left, std::min(left + across, right));
            result.values[to] = texel.value;
            result.maskedShare[to] = texel.maskedShare;
        }
    }
    return result;
}

} // namespace heed
