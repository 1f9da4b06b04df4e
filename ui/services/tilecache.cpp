// Eviction by use, sparing what is on screen.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/tilecache.h"

#include <QHashFunctions>
#include <utility>

namespace heed::ui {

std::size_t TileRequestHash::operator()(const TileRequest& request) const
{
    return qHashMulti(0, request.map.layer, request.map.item, request.map.head,
                      static_cast<int>(request.quantity), static_cast<int>(request.pooling),
                      request.level, request.tileRow, request.tileColumn);
}

std::int64_t TileCache::bytesOf(const Tile& tile)
{
    return static_cast<std::int64_t>(sizeof(Tile) + tile.texels.values.size() * sizeof(float) +
                                     tile.texels.maskedShare.size() * sizeof(float) +
                                     tile.reasons.size());
}

void TileCache::insert(const TileRequest& request, TilePtr tile)
{
    if (const auto known = m_index.find(request); known != m_index.end()) {
        m_bytes -= bytesOf(*known->second->tile);
        m_entries.erase(known->second);
        m_index.erase(known);
    }
    m_bytes += bytesOf(*tile);
    m_entries.push_front({request, std::move(tile)});
    m_index[request] = m_entries.begin();
    evict();
}

TilePtr TileCache::find(const TileRequest& request)
{
    const auto known = m_index.find(request);
    if (known == m_index.end()) {
        return nullptr;
    }
    m_entries.splice(m_entries.begin(), m_entries, known->second);
    return known->second->tile;
}

void TileCache::setBudget(std::int64_t bytes)
{
    m_budget = bytes;
    evict();
}

void TileCache::setProtected(TileRequestSet requests)
{
    m_protected = std::move(requests);
    evict();
}

void TileCache::clear()
{
    m_entries.clear();
    m_index.clear();
    m_bytes = 0;
}

void TileCache::evict()
{
    auto entry = m_entries.end();
    while (m_bytes > m_budget && entry != m_entries.begin()) {
        --entry;
        if (!m_protected.contains(entry->request)) {
            m_bytes -= bytesOf(*entry->tile);
            m_index.erase(entry->request);
            entry = m_entries.erase(entry);
        }
    }
}

} // namespace heed::ui
