// The map as a table for screen readers.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace heed::ui {

/// Teaches Qt the table of HeatmapView; once is enough, more often does no harm.
void registerHeatmapAccessibility();

} // namespace heed::ui
