// The tiles of one view: which map is wanted, which is on screen, and the change from one to the
// other.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "services/engineservice.h"
#include "views/mapraster.h"

#include <QObject>
#include <QPointer>
#include <QRectF>
#include <QTimer>
#include <optional>
#include <unordered_map>
#include <vector>

namespace heed::ui {

/// A map of a run, as one quantity.
struct MapTarget {
    RunPtr run;
    MapIndex map;
    Quantity quantity = Quantity::Weights;
    Pooling pooling = Pooling::Max;
    [[nodiscard]] bool isValid() const { return run != nullptr; }
    [[nodiscard]] MapsShape shape() const;
    [[nodiscard]] int topLevel() const;
    /// Of its item; none where the run has none. They live as long as the pointer.
    [[nodiscard]] std::shared_ptr<const std::vector<Token>> queryTokens() const;
    [[nodiscard]] std::shared_ptr<const std::vector<Token>> keyTokens() const;
    bool operator==(const MapTarget&) const = default;
};

/// Asks the service for the tiles a view needs and keeps what it drew until something better is
/// there: another map replaces the one on screen once its visible tiles have arrived, or after a
/// moment with the coarse tile alone. Never computes.
class TileScene : public QObject {
    Q_OBJECT
public:
    /// @param view a number no other view has (EngineService::setVisible()).
    TileScene(EngineService* service, int view, QObject* parent = nullptr);
    ~TileScene() override;

    void setTarget(const MapTarget& target);
    [[nodiscard]] const MapTarget& target() const { return m_target; }
    /// What is on screen; differs from target() while the change is prepared.
    [[nodiscard]] const MapTarget& shown() const { return m_shown; }
    [[nodiscard]] bool hasTiles() const { return !m_tiles.empty(); }
    [[nodiscard]] bool isChanging() const { return m_target != m_shown; }
    /// Coarser tiles or drafts stand in for what is wanted.
    [[nodiscard]] bool isRefining() const;
    /// What of the tile of the whole map on screen is only a draft; nothing when none of it is.
    [[nodiscard]] std::optional<PictureDraft> draftOnScreen() const;

    /// @param cells seen (of the map on screen), @param devicePixels of a cell.
    void setVisibleCells(const QRectF& cells, double devicePixels);
    /// Texels of this level are wanted on screen.
    [[nodiscard]] int level() const { return m_level; }

    /// Tiles to draw, coarse before fine, coloured for @p style. Valid until the next change.
    [[nodiscard]] std::vector<PlacedTile> placedTiles(const TileStyle& style);
    /// What the tiles on screen contain.
    [[nodiscard]] TileContents contents() const;
    /// The exact tile of a cell of the map on screen when it is at hand.
    [[nodiscard]] TilePtr exactTile(qint64 query, qint64 key) const;

Q_SIGNALS:
    void shownChanged(); ///< another map is on screen
    void tilesChanged(); ///< more of it has arrived

private:
    struct Held {
        TilePtr tile;
        QImage colours;
        TileStyle style;
        std::optional<PictureDraft> draft;                 ///< set while the tile is not finished
        mutable std::optional<TileContents> contents = {}; ///< once somebody asked
    };
    using Tiles = std::unordered_map<TileRequest, Held, TileRequestHash>;

    [[nodiscard]] std::vector<TileRequest> wantedTiles(const MapTarget& target) const;
    [[nodiscard]] TileRequest request(const MapTarget& target, int level, std::int64_t row,
                                      std::int64_t column) const;
    void onTileReady(const TileRequest& request);
    void onDraftReady(const TileRequest& request);
    void put(const TileRequest& request, Held held);
    [[nodiscard]] static bool isFinished(const Tiles& tiles, const TileRequest& request);
    void fetch();
    bool fetchInto(Tiles& tiles, const MapTarget& target);
    void tryToShow();
    void show();
    void prune();

    QPointer<EngineService> m_service;
    int m_view;
    MapTarget m_target;
    MapTarget m_shown;
    Tiles m_tiles;
    Tiles m_next; ///< of m_target while it is not shown yet
    QRectF m_cells;
    double m_devicePixels = 0;
    int m_level = 0;
    QTimer m_patience;
};

} // namespace heed::ui
