// Runs of attention maps that came finished from a file.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/run.h"

namespace heed {

/// Opens Source::maps. Of a file that Heedmap wrote, the arrays "tokens" and "mask" beside the maps
/// become labels and hatched cells.
/// @return what openArrays() and makeStoredMaps() say; Code::OutOfMemory when over the budget.
[[nodiscard]] Expected<RunPtr> openMaps(const Source& source, const BackendPtr& backend,
                                        const Execution& execution);

} // namespace heed
