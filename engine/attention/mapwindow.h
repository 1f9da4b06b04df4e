// Checks of what is asked of attention maps, shared by their implementations.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/maps.h"

namespace heed {

/// @return Code::InvalidArgument naming the axis and its range.
[[nodiscard]] Expected<void> checkMapIndex(const MapsShape& shape, const MapIndex& map);

/// Checks index, quantity, window and the memory of the texels.
[[nodiscard]] Expected<void> checkWindow(const AttentionMaps& maps, const MapIndex& map,
                                         const TileSpec& spec, const Execution& execution);

/// The cells of one query row.
[[nodiscard]] TileSpec rowSpec(const MapsShape& shape, Quantity quantity, std::int64_t query);

/// The texels of @p spec with the reasons of the masked ones; none where no mask is known.
[[nodiscard]] Expected<Tile> withReasons(const AttentionMaps& maps, const MapIndex& map,
                                         const TileSpec& spec, TileTexels texels,
                                         const Execution& execution);

} // namespace heed
