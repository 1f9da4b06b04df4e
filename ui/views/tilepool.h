// A tile made coarser, for pictures smaller than the coarsest tile of the pyramid.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/maps.h"

namespace heed::ui {

/// @p tile with 2^levels × 2^levels texels made one, as @p pooling says; masked texels take no part
/// and a mean weighs texels by what they keep. What is not finite wins, so that it stays visible.
[[nodiscard]] Tile coarserTile(const Tile& tile, Pooling pooling, int levels);

} // namespace heed::ui
