// Ranges from coarse tiles.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/valuerange.h"

#include <algorithm>
#include <cmath>

namespace heed::ui {

std::optional<double> largestKept(const Tile& tile)
{
    std::optional<double> largest;
    for (std::size_t i = 0; i < tile.texels.values.size(); ++i) {
        const double size = std::abs(static_cast<double>(tile.texels.values[i]));
        if (tile.texels.maskedShare[i] < 1 && std::isfinite(size)) {
            largest = std::max(largest.value_or(0), size);
        }
    }
    return largest;
}

ValueRange rangeAround(Quantity quantity, double largest)
{
    if (!(largest > 0)) {
        largest = 1; // all zero, or nothing kept: any range tells the same
    }
    return quantity == Quantity::Weights ? ValueRange{0, largest} : ValueRange{-largest, largest};
}

ValueRangeSource::ValueRangeSource(EngineService* service, QObject* parent)
    : QObject(parent)
    , m_service(service)
{
    connect(m_service, &EngineService::tileReady, this, &ValueRangeSource::onTileReady);
    connect(m_service, &EngineService::draftReady, this, &ValueRangeSource::onTileReady);
}

void ValueRangeSource::setTarget(const MapTarget& target, const ViewSettings& settings)
{
    m_target = target;
    m_settings = settings;
    update();
}

void ValueRangeSource::onTileReady(const TileRequest& request)
{
    if (std::find(m_missing.begin(), m_missing.end(), request) != m_missing.end()) {
        update();
    }
}

void ValueRangeSource::setRange(const ValueRange& range)
{
    if (range != m_range) {
        m_range = range;
        Q_EMIT rangeChanged();
    }
}

void ValueRangeSource::update()
{
    m_missing.clear();
    const RangeMode mode = m_settings.effectiveRangeMode();
    if (mode == RangeMode::Unit) {
        setRange({0, 1});
        return;
    }
    if (mode == RangeMode::Manual) {
        setRange({m_settings.low, m_settings.high});
        return;
    }
    if (!m_target.isValid() || m_target.run != m_service->current() || !m_target.run->maps()) {
        return;
    }
    // A masked score keeps its own value in Scores and Scaled and would stretch the range; Masked
    // leaves it out when texels are pooled. Scores are scaled scores without the factor.
    const bool canMask = m_target.run->maps()->offers(Quantity::Masked);
    const bool fromMasked = canMask && m_target.quantity != Quantity::Weights;
    const double factor = fromMasked && m_target.quantity == Quantity::Scores
                              ? 1 / static_cast<double>(m_target.run->scale(m_target.map.layer))
                              : 1;
    const std::int64_t heads = m_target.shape().heads;
    std::optional<double> largest;
    bool isSeen = true; // of every map there is a tile, or a draft at least
    for (std::int64_t h = 0; h < heads; ++h) {
        if (mode == RangeMode::Map && h != m_target.map.head) {
            continue;
        }
        const TileRequest request{
            .map = {m_target.map.layer, m_target.map.item, h},
            .quantity = fromMasked ? Quantity::Masked : m_target.quantity,
            .pooling = m_target.quantity == Quantity::Weights ? Pooling::Max : Pooling::AbsMax,
            .level = m_target.topLevel(),
            .tileRow = 0,
            .tileColumn = 0};
        TilePtr tile = m_service->tile(request, Priority::Visible);
        if (!tile) {
            m_missing.push_back(request);
            tile = m_service->draft(request).tile;
            isSeen = isSeen && tile;
        }
        if (!tile) {
            continue;
        }
        if (const auto found = largestKept(*tile)) {
            largest = std::max(largest.value_or(0), *found * factor);
        }
    }
    if (isSeen) {
        setRange(rangeAround(m_target.quantity, largest.value_or(0)));
    }
}

} // namespace heed::ui
