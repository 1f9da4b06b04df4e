// A compiled mask as text and as JSON.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/execution.h"
#include "heed/mask.h"

#include <optional>
#include <string>

namespace heed::cli {

struct MaskPictureInput {
    MaskContext context;
    MaskPtr mask;
    std::optional<Batch> tokens; ///< labels of rows, when there is text
};

/// Small planes cell by cell, with a letter for the reason; large ones as blocks. Planes that are
/// equal for all items or heads are drawn once. At most a screen or two, whatever the size.
[[nodiscard]] Expected<std::string> maskText(const MaskPictureInput& input,
                                             const Execution& execution);

/// Schema "heedmap.mask/1": counts, counts a row, empty rows, and the cells of small planes.
[[nodiscard]] Expected<std::string> maskJson(const MaskPictureInput& input,
                                             const Execution& execution);

} // namespace heed::cli
