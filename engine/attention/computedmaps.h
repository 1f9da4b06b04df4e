// Attention maps recomputed from Q, K and a mask whenever they are looked at.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "attention/bandedstats.h"
#include "attention/mappicture.h"
#include "heed/maps.h"

#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace heed {

/// Where the numbers of the maps of a layer live.
struct ComputedLayer {
    BufferPtr q; ///< [B, H, L, D] on the backend
    BufferPtr k; ///< [B, Hkv, S, D] on the backend
    MaskPtr mask;
    float scale = 1.0F;
    float softCap = 0.0F; ///< 0 = none
    /// q where the engine can read it, for drafts; without it there are none.
    std::shared_ptr<const Tensor> queries = {};
    /// Of each head the L + S − 1 numbers of HeadProblem::distanceBias; null = none. There are no
    /// drafts then.
    std::shared_ptr<const std::vector<float>> distanceBias = {};
};

struct ComputedMapsInput {
    BackendPtr backend;
    std::vector<ComputedLayer> layers; ///< of equal shapes
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
    [[nodiscard]] Expected<RowFacts> rowFacts(const MapIndex& map, const TokenRoles& tokens,
                                              const Execution& execution) const override;
    [[nodiscard]] Expected<MapRow> row(const MapIndex& map, Quantity quantity, std::int64_t query,
                                       const Execution& execution) const override;
    [[nodiscard]] Expected<TileTexels> window(const MapIndex& map, const TileSpec& spec,
                                              const Execution& execution) const override;

    [[nodiscard]] Expected<TileTexels> windowInSteps(const MapIndex& map, const TileSpec& spec,
                                                     const Execution& execution,
                                                     const WindowDraft& draft) const override;

private:
    ComputedMaps(ComputedMapsInput input, const MapsShape& shape);
    [[nodiscard]] const ComputedLayer& layerOf(const MapIndex& map) const
    {
        return m_input.layers[static_cast<std::size_t>(map.layer)];
    }
    [[nodiscard]] std::size_t numberOf(const MapIndex& map) const;
    [[nodiscard]] BandedStats& statsOf(const MapIndex& map) const;
    [[nodiscard]] std::shared_ptr<MapPicture> pictureOf(const MapIndex& map) const;
    [[nodiscard]] Expected<void> requireRows(const MapIndex& map, std::int64_t begin,
                                             std::int64_t end, const Execution& execution) const;
    [[nodiscard]] Expected<TileTexels> someRows(const MapIndex& map, const TileSpec& spec,
                                                const Execution& execution) const;
    [[nodiscard]] Expected<TileTexels> surveyRows(const MapIndex& map, const TileSpec& spec,
                                                  const Execution& execution) const;
    [[nodiscard]] Expected<TileTexels> sampleRows(const MapIndex& map, const TileSpec& spec,
                                                  std::int64_t rowsPerTexel,
                                                  const Execution& execution) const;
    [[nodiscard]] Expected<TileTexels> steps(const MapIndex& map, const TileSpec& spec,
                                             std::int64_t step, const Execution& execution,
                                             const WindowDraft& draft) const;
    [[nodiscard]] Expected<TileTexels> fromPicture(const MapIndex& map, const TileSpec& spec,
                                                   const Execution& execution,
                                                   const WindowDraft& draft) const;
    [[nodiscard]] Expected<void> sketch(const MapIndex& map, MapPicture& picture,
                                        const Execution& execution) const;
    /// Cells of a texel side of the pictures that are kept.
    [[nodiscard]] std::int64_t pictureCells() const;
    /// Rows whose scores with all keys are worth a step of their own.
    [[nodiscard]] std::int64_t rowsOfWork(double multiplyAdds) const;

    ComputedMapsInput m_input;
    MapsShape m_shape;
    mutable std::mutex m_mutex;
    mutable std::vector<std::unique_ptr<BandedStats>> m_stats; ///< one per map, under m_mutex
    struct KeptPicture {
        std::size_t map;
        std::shared_ptr<MapPicture> picture;
    };
    mutable std::list<KeptPicture> m_pictures; ///< the last used first, under m_mutex
};
using ComputedMapsPtr = std::shared_ptr<const ComputedMaps>;

/// weights·V of every head of a layer, [B, H, L, Dv], heads side by side on the threads.
/// @param v  [B, Hkv, S, Dv] on @p backend.
[[nodiscard]] Expected<Tensor> attendHeads(const ComputedMaps& maps, std::int64_t layer,
                                           const Buffer& v, const Backend& backend,
                                           const Execution& execution);

} // namespace heed
