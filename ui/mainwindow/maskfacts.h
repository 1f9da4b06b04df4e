// Sentences about a mask that a person should hear.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/run.h"

#include <QString>

namespace heed::ui {

/// Rows of the item that may attend to nothing, at most @p limit of them, ascending.
[[nodiscard]] std::vector<std::int64_t> emptyRows(const CompiledMask& mask, const MapIndex& map,
                                                  std::size_t limit);

/// A hint beside the masks: rows with nothing allowed, padding that nothing hides; "" for none.
[[nodiscard]] QString maskHint(const Run& run, const MapIndex& map);

} // namespace heed::ui
