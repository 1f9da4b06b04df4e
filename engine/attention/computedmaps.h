// Attention maps recomputed from Q, K and a mask whenever they are looked at.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/maps.h"

#include <condition_variable>
#include <mutex>

namespace heed {

/// Where the numbers of the maps live.
struct ComputedMapsInput {
    BackendPtr backend;
    BufferPtr q; ///< [N, B, H, L, D] on the backend
    BufferPtr k; ///< [N, B, Hkv, S, D] on the backend
    float scale = 1.0F;
    std::vector<MaskPtr> masks; ///< one per layer, or one for all
};

class ComputedMaps final : public AttentionMaps {
public:
    [[nodiscard]] static Expected<std::shared_ptr<const ComputedMaps>>
    make(ComputedMapsInput input);

    /// Everything the backend needs for one map. @pre the index is inside.
    [[nodiscard]] HeadProblem problem(const MapIndex& map) const;

    [[nodiscard]] MapsShape shape() const override { return m_shape; }
    [[nodiscard]] bool offers(Quantity /*quantity*/) const override { return true; }
    [[nodiscard]] MaskPtr mask(std::int64_t layer) const override;
    [[nodiscard]] Expected<std::shared_ptr<const RowStats>>
    rowStats(const MapIndex& map, const Execution& execution) const override;
    [[nodiscard]] Expected<TileTexels> window(const MapIndex& map, const TileSpec& spec,
                                              const Execution& execution) const override;

private:
    /// Row statistics of one map; whoever comes first computes them, the others wait.
    struct Cached {
        std::shared_ptr<const RowStats> stats;
        bool isComputing = false;
    };

    ComputedMaps(ComputedMapsInput input, const MapsShape& shape);
    [[nodiscard]] std::size_t mapNumber(const MapIndex& map) const;
    [[nodiscard]] Expected<std::shared_ptr<const RowStats>>
    computeRowStats(const MapIndex& map, const Execution& execution) const;

    ComputedMapsInput m_input;
    MapsShape m_shape;
    mutable std::mutex m_mutex;
    mutable std::condition_variable_any m_computed; ///< some isComputing became false
    mutable std::vector<Cached> m_cache;            ///< one per map, under m_mutex
};
using ComputedMapsPtr = std::shared_ptr<const ComputedMaps>;

} // namespace heed
