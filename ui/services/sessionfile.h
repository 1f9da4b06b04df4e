// Between a session file and the models of the window.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/session.h"
#include "models/selection.h"
#include "models/viewsettings.h"

#include <QRectF>
#include <optional>

namespace heed::ui {

/// What a session says about the view.
struct RestoredView {
    ViewSettings settings;
    MapIndex map;
    CellRef pinned;
    std::optional<QRectF> cells; ///< visible cells: x = key, y = query
};

/// The session of what is shown now. @param cells visible cells, or nothing for fit.
[[nodiscard]] Session makeSession(const Source& source, const ViewSettings& settings,
                                  const SelectionModel& selection,
                                  const std::optional<QRectF>& cells);

/// Names that are unknown here (from a newer version) fall back to the default.
[[nodiscard]] RestoredView restoredView(const SessionView& view);

} // namespace heed::ui
