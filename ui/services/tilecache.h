// Finished tiles, kept within a budget of bytes.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/maps.h"

#include <cstddef>
#include <list>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace heed::ui {

using TilePtr = std::shared_ptr<const Tile>;

struct TileRequestHash {
    std::size_t operator()(const TileRequest& request) const;
};
using TileRequestSet = std::unordered_set<TileRequest, TileRequestHash>;

/// Least recently used tiles go first; protected ones (on screen) never do, even over the budget.
/// Not thread-safe: lives in the GUI thread. All operations O(1) but for evictions.
class TileCache {
public:
    explicit TileCache(std::int64_t budgetBytes)
        : m_budget(budgetBytes)
    {
    }

    void insert(const TileRequest& request, TilePtr tile);
    /// Null when absent. Marks the tile as used.
    [[nodiscard]] TilePtr find(const TileRequest& request);
    void setBudget(std::int64_t bytes);
    void setProtected(TileRequestSet requests);
    void clear();
    [[nodiscard]] std::int64_t bytes() const { return m_bytes; }
    [[nodiscard]] static std::int64_t bytesOf(const Tile& tile);

private:
    struct Entry {
        TileRequest request;
        TilePtr tile;
    };
    void evict();

    std::int64_t m_budget;
    std::int64_t m_bytes = 0;
    std::list<Entry> m_entries; // most recently used first
    std::unordered_map<TileRequest, std::list<Entry>::iterator, TileRequestHash> m_index;
    TileRequestSet m_protected;
};

} // namespace heed::ui
