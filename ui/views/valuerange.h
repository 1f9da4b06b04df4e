// The ends of the colour bar, found without waiting for them.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/viewsettings.h"
#include "services/engineservice.h"
#include "views/colourmap.h"
#include "views/tilescene.h"

#include <QObject>
#include <optional>
#include <vector>

namespace heed::ui {

/// Largest magnitude among the kept cells of @p tile (of weights, scores, …); nothing when there is
/// none. What is not finite does not count.
[[nodiscard]] std::optional<double> largestKept(const Tile& tile);

/// The range for @p largest: from 0 for weights, symmetric about 0 for all else.
[[nodiscard]] ValueRange rangeAround(Quantity quantity, double largest);

/// Follows a map and the settings. Extremes come from coarse tiles, asked for as needed; until they
/// arrive the range before stays in force.
class ValueRangeSource : public QObject {
    Q_OBJECT
public:
    explicit ValueRangeSource(EngineService* service, QObject* parent = nullptr);

    void setTarget(const MapTarget& target, const ViewSettings& settings);
    [[nodiscard]] const ValueRange& range() const { return m_range; }
    [[nodiscard]] RangeMode mode() const { return m_settings.effectiveRangeMode(); }
    /// Not all that the range depends on has arrived.
    [[nodiscard]] bool isPending() const { return !m_missing.empty(); }

Q_SIGNALS:
    void rangeChanged();

private:
    void update();
    void onTileReady(const TileRequest& request);
    void setRange(const ValueRange& range);

    EngineService* m_service;
    MapTarget m_target;
    ViewSettings m_settings;
    ValueRange m_range;
    std::vector<TileRequest> m_missing;
};

} // namespace heed::ui
