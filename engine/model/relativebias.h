// Positions by distance, as T5 has them.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/model.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace heed::detail {

/// The bucket of key j for query i. Where @p bothSides, keys behind the query have buckets of their
/// own; otherwise all of them have that of the query itself.
[[nodiscard]] std::int64_t relativeBucket(const RelativeBias& settings, bool bothSides,
                                          std::int64_t i, std::int64_t j);

/// LayerCapture::distanceBias of L queries and as many keys.
/// @param table  [buckets, H].
[[nodiscard]] std::shared_ptr<const std::vector<float>> distanceBias(const RelativeBias& settings,
                                                                     bool bothSides,
                                                                     ConstMatrixView<float> table,
                                                                     std::int64_t length);

} // namespace heed::detail
