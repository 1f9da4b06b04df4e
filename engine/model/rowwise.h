// What a block does to each row or number on its own: norms, activations, sums.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/model.h"
#include "model/weights.h"

namespace heed::detail {

/// Each row of @p x [rows, width of the norm] normalised in place; means in float64.
[[nodiscard]] Expected<void> normalise(MatrixView<float> x, NormKind kind, const Norm& norm,
                                       double epsilon, const Execution& execution);

/// x = act(x), in place.
[[nodiscard]] Expected<void> activate(MatrixView<float> x, Activation activation,
                                      const Execution& execution);

/// The first half of each row becomes act(first half) · second half.
[[nodiscard]] Expected<void> activateGate(MatrixView<float> x, Activation activation,
                                          const Execution& execution);

/// x += y. Both of one size.
void addTo(std::span<float> x, std::span<const float> y);

} // namespace heed::detail
