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

} // namespace heed
