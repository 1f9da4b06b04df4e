// Collects tiles of level 0 into one block.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cellreader.h"

#include <algorithm>
#include <utility>

namespace heed::ui {

CellReader::CellReader(EngineService* service, QObject* parent)
    : QObject(parent)
    , m_service(service)
{
    connect(service, &EngineService::tileReady, this, &CellReader::onTileReady);
    connect(service, &EngineService::runReady, this, [this] {
        // Others hear of the new run first and may already read from it.
        if (isReading() && m_block.target.run != m_service->current()) {
            cancel();
            Q_EMIT abandoned();
        }
    });
}

void CellReader::cancel()
{
    m_missing.clear();
    m_block = {};
}

void CellReader::read(const MapTarget& target, const QRect& cells, Priority priority)
{
    cancel();
    if (!target.isValid() || !m_service || target.run != m_service->current()) {
        return;
    }
    const MapsShape shape = target.shape();
    const QRect map(0, 0, static_cast<int>(shape.keys), static_cast<int>(shape.queries));
    m_block.target = target;
    m_block.cells = cells.intersected(map);
    if (m_block.cells.isEmpty()) {
        m_block = {};
        return;
    }
    const auto count = static_cast<std::size_t>(m_block.cells.width()) *
                       static_cast<std::size_t>(m_block.cells.height());
    m_block.values.assign(count, 0);
    m_block.maskedShare.assign(count, 0);
    m_block.reasons.assign(count, 0);
    const QRect& wanted = m_block.cells;
    std::vector<std::pair<TileRequest, TilePtr>> atHand;
    for (std::int64_t r = wanted.top() / TileSide; r <= wanted.bottom() / TileSide; ++r) {
        for (std::int64_t c = wanted.left() / TileSide; c <= wanted.right() / TileSide; ++c) {
            const TileRequest request{.map = target.map,
                                      .quantity = target.quantity,
                                      .pooling = target.pooling,
                                      .level = 0,
                                      .tileRow = r,
                                      .tileColumn = c};
            if (TilePtr tile = m_service->tile(request, priority)) {
                take(request, *tile);
            } else {
                m_missing.insert(request);
            }
        }
    }
    if (m_missing.empty()) {
        finish();
    }
}

void CellReader::take(const TileRequest& request, const Tile& tile)
{
    const QRect place(static_cast<int>(request.tileColumn * TileSide),
                      static_cast<int>(request.tileRow * TileSide),
                      static_cast<int>(tile.texels.columns), static_cast<int>(tile.texels.rows));
    const QRect common = place.intersected(m_block.cells);
    for (int q = common.top(); q <= common.bottom(); ++q) {
        for (int k = common.left(); k <= common.right(); ++k) {
            const auto from = static_cast<std::size_t>((q - place.top()) * tile.texels.columns +
                                                       (k - place.left()));
            const std::size_t to = m_block.index(q, k);
            m_block.values[to] = tile.texels.values[from];
            m_block.maskedShare[to] = tile.texels.maskedShare[from];
            m_block.reasons[to] = texelReasons(tile, from);
        }
    }
}

void CellReader::onTileReady(const TileRequest& request)
{
    if (!m_missing.contains(request)) {
        return;
    }
    if (const TilePtr tile = m_service->cachedTile(request)) {
        take(request, *tile);
        m_missing.erase(request);
        if (m_missing.empty()) {
            finish();
        }
    }
}

void CellReader::finish()
{
    const CellBlock block = std::exchange(m_block, {});
    Q_EMIT ready(block);
}

} // namespace heed::ui
