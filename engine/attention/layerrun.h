// A run of one attention layer: from text, arrays or finished projections.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "attention/source.h"

namespace heed {

/// @param kind  of @p source: all but models and finished maps. @param backend  not null.
/// @param previous  an earlier run of any kind, or null: see compute().
[[nodiscard]] Expected<RunPtr> computeLayer(const Source& source, SourceKind kind,
                                            const BackendPtr& backend, const Execution& execution,
                                            const RunPtr& previous);

} // namespace heed
