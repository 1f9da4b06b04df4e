// A run of a checkpoint: its files, its tokens, every layer's maps.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "attention/source.h"

namespace heed {

/// @param source  with a model. @param backend  not null.
/// @param previous  an earlier run of any kind, or null: a model whose files did not change is not
/// opened again, and runs again only for other tokens or another mask of all layers.
[[nodiscard]] Expected<RunPtr> computeModel(const Source& source, const BackendPtr& backend,
                                            const Execution& execution, const RunPtr& previous);

} // namespace heed
