// Attention maps as something to look at: any window, any pooling, any quantity, never stored.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/arrayfile.h"
#include "heed/backend.h"
#include "heed/execution.h"
#include "heed/mask.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace heed {

/// Which matrix.
struct MapIndex {
    std::int64_t layer = 0;
    std::int64_t item = 0;
    std::int64_t head = 0;
    bool operator==(const MapIndex&) const = default;
};

struct MapsShape {
    std::int64_t layers = 0;
    std::int64_t items = 0;
    std::int64_t heads = 0;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    bool operator==(const MapsShape&) const = default;
};

/// Texels along a side of a full tile.
inline constexpr std::int64_t TileSide = 256;

/// Tile (tileRow, tileColumn) of pyramid level `level`: a texel covers 2^level cells squared.
struct TileRequest {
    MapIndex map;
    Quantity quantity = Quantity::Weights;
    Pooling pooling = Pooling::Max;
    int level = 0;
    std::int64_t tileRow = 0;
    std::int64_t tileColumn = 0;
    bool operator==(const TileRequest&) const = default;
};

struct Tile {
    TileTexels texels; ///< at most TileSide × TileSide
    /// Union of the reasons of the masked cells of each texel: at every key, in every query row of
    /// a texel of at most 8, and otherwise in 8 rows spread over it, or more where those do not
    /// show why some texel is masked. Never 0 where a cell is masked; all 0 when no mask is known.
    std::vector<MaskReasons> reasons;
};

/// A picture on its way: the first exactRows rows of texels are what they will be, the others stand
/// for few of their query rows (every cell of these is exact; what the others would add is not
/// there).
struct PictureDraft {
    std::int64_t exactRows = 0;
    std::int64_t rowStep = 1; ///< the other texels saw one query row of so many
};
/// Called now and then from the thread that computes, with ever better texels.
using WindowDraft = std::function<void(const TileTexels& texels, const PictureDraft& draft)>;
using TileDraft = std::function<void(const Tile& tile, const PictureDraft& draft)>;

/// What one pass over a map finds about its rows.
struct RowFacts {
    std::shared_ptr<const RowStats> stats;
    RowMasses masses;
};

/// One query row, cell by cell.
struct MapRow {
    RowStats stats; ///< of this row alone; empty where they cannot be known (stored scores)
    Tile cells;     ///< 1 × S
};

/// N layers × B items × H heads of L×S matrices. Immutable and re-entrant.
class AttentionMaps {
public:
    virtual ~AttentionMaps() = default;
    [[nodiscard]] virtual MapsShape shape() const = 0;
    /// Whether the quantity can be shown (stored weights have no scores).
    [[nodiscard]] virtual bool offers(Quantity quantity) const = 0;
    /// The mask in force, or null when none is known (maps from a file).
    [[nodiscard]] virtual MaskPtr mask(std::int64_t layer) const = 0;
    /// Row statistics; those of each row are computed on first use and kept.
    /// @complexity O(L·S·D) once per map.
    [[nodiscard]] virtual Expected<std::shared_ptr<const RowStats>>
    rowStats(const MapIndex& map, const Execution& execution) const = 0;
    /// Row statistics and masses in one pass; the statistics are kept, the masses are not.
    /// @return also Code::InvalidShape for tokens of another number than rows and columns;
    /// Code::Unsupported for maps without weights. @complexity O(L·S·D).
    [[nodiscard]] virtual Expected<RowFacts> rowFacts(const MapIndex& map, const TokenRoles& tokens,
                                                      const Execution& execution) const = 0;
    /// One query row, without waiting for what others are finding out about the map. Checked like
    /// a window. @complexity O(S·D).
    [[nodiscard]] virtual Expected<MapRow> row(const MapIndex& map, Quantity quantity,
                                               std::int64_t query,
                                               const Execution& execution) const = 0;
    /// Any window of cells, pooled. Window and index are checked: Code::InvalidArgument.
    [[nodiscard]] virtual Expected<TileTexels> window(const MapIndex& map, const TileSpec& spec,
                                                      const Execution& execution) const = 0;

    /// The same, telling @p draft meanwhile where that takes long. The default never does.
    [[nodiscard]] virtual Expected<TileTexels> windowInSteps(const MapIndex& map,
                                                             const TileSpec& spec,
                                                             const Execution& execution,
                                                             const WindowDraft& draft) const;

    /// A tile of the pyramid with its mask reasons. @param draft may be empty.
    /// @complexity O(cells of the tile · D), and once for each of its rows O(S · D).
    [[nodiscard]] Expected<Tile> tile(const TileRequest& request, const Execution& execution,
                                      const TileDraft& draft = {}) const;
    /// Lowest level at which one tile shows the whole map.
    [[nodiscard]] int topLevel() const;
    /// Highest level: one texel shows the whole map. Those above the top make small pictures.
    [[nodiscard]] int coarsestLevel() const;
};
using MapsPtr = std::shared_ptr<const AttentionMaps>;

/// max for weights, absmax for the others.
[[nodiscard]] Pooling defaultPooling(Quantity quantity);
[[nodiscard]] std::string_view
quantityName(Quantity quantity); ///< "scores", "scaled", "masked", "weights"
[[nodiscard]] std::string_view poolingName(Pooling pooling); ///< "max", "absmax", "mass", "mean"
[[nodiscard]] Expected<Quantity> parseQuantity(std::string_view name);
[[nodiscard]] Expected<Pooling> parsePooling(std::string_view name);

/// What the maps of a layer are recomputed from. Query head h uses key head h / (H/Hkv).
struct MapLayer {
    std::shared_ptr<const Tensor> q; ///< [B, H, L, D]
    std::shared_ptr<const Tensor> k; ///< [B, Hkv, S, D]
    MaskPtr mask;
    float scale = 1.0F;   ///< finite, > 0
    float softCap = 0.0F; ///< of scaled scores; 0 = none
};
/// Maps recomputed from Q, K and masks; all layers have the same shapes. @return
/// Code::InvalidArgument and Code::InvalidShape for what does not belong together.
[[nodiscard]] Expected<MapsPtr> makeComputedMaps(BackendPtr backend,
                                                 const std::vector<MapLayer>& layers);

/// Maps that came finished from a file: [N,B,H,L,S], or fewer leading axes (read as 1). The file's
/// memory is used in place when it is mapped float32. Offers the one @p quantity. Row statistics:
/// of weights, with ln w as the masked score; of masked scores; otherwise Code::Unsupported.
/// @param mask what is masked in every layer, for shares, reasons and counts of kept keys; null
/// when
///        that is not known, and then the shares are 0.
/// @return also Code::InvalidShape when the mask is for other maps.
[[nodiscard]] Expected<MapsPtr> makeStoredMaps(std::shared_ptr<const ArrayFile> file,
                                               const std::string& name, Quantity quantity,
                                               MaskPtr mask = nullptr);

} // namespace heed
