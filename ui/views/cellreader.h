// Reads exact cells of a map, however many tiles they lie in, without waiting for them.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/tilescene.h"

#include <QObject>
#include <QPointer>
#include <QRect>
#include <vector>

namespace heed::ui {

/// A rectangle of exact cells, row-major.
struct CellBlock {
    MapTarget target;
    QRect cells; ///< x keys, y queries
    std::vector<float> values;
    std::vector<float> maskedShare;
    std::vector<MaskReasons> reasons;
    [[nodiscard]] std::size_t index(int query, int key) const
    {
        return static_cast<std::size_t>(query - cells.top()) *
                   static_cast<std::size_t>(cells.width()) +
               static_cast<std::size_t>(key - cells.left());
    }
};

/// One request at a time; a new one replaces the old.
class CellReader : public QObject {
    Q_OBJECT
public:
    explicit CellReader(EngineService* service, QObject* parent = nullptr);

    /// Clips @p cells to the map. ready() follows, at once when all tiles are at hand.
    void read(const MapTarget& target, const QRect& cells, Priority priority);
    void cancel();
    [[nodiscard]] bool isReading() const { return !m_missing.empty(); }

Q_SIGNALS:
    void ready(const heed::ui::CellBlock& block);
    void abandoned(); ///< another run took over before all cells were there

private:
    void onTileReady(const TileRequest& request);
    void take(const TileRequest& request, const Tile& tile);
    void finish();

    QPointer<EngineService> m_service;
    CellBlock m_block;
    TileRequestSet m_missing;
};

} // namespace heed::ui
