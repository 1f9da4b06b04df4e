// Why the masked cells of a tile are masked, texel by texel.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/maps.h"

#include <span>

namespace heed {

/// The reasons of a tile, as Tile::reasons has them; 0 where nothing is masked.
/// @param maskedShare of the texels of @p spec, row-major.
/// @return Code::Cancelled, Code::OutOfMemory.
/// @complexity At most 8 rows of the mask for each row of texels; all their rows, once, where these
///             do not show why a texel is masked.
[[nodiscard]] Expected<std::vector<MaskReasons>>
reasonsOfTile(const CompiledMask& mask, const MapIndex& map, const TileSpec& spec,
              std::span<const float> maskedShare, const Execution& execution);

} // namespace heed
