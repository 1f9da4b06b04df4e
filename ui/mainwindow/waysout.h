// What to offer when a source cannot be computed.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"
#include "widgets/messagebar.h"

#include <vector>

namespace heed::ui {

/// Whether the sizes of the layer are what is wrong.
[[nodiscard]] bool concernsLayer(const Source& source);

/// Buttons that repair the source of the document: heads that divide, a padded length that is long
/// enough, no expression; and undo.
[[nodiscard]] std::vector<MessageButton> waysOut(const Workspace& workspace);

} // namespace heed::ui
