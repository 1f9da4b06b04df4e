// Icons drawn in the colours of the theme in force.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>

namespace heed::ui {

enum class Glyph { Undo, Redo };

/// Follows a change of theme by itself, sharp at every scale.
[[nodiscard]] QIcon glyphIcon(Glyph glyph);

} // namespace heed::ui
