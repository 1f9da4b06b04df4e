// The command line that draws a figure again.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "figure/figure.h"

namespace heed::ui {

/// "heedmap render …" for @p spec, as one line a POSIX shell reads back unchanged. Whatever is left
/// to its default is left out, except what a default may change one day: view, quantity, size.
/// @param shape of the maps of @p source; a selection of all there is needs no option.
/// @param output what -o names; the dialog gives a name without its folder, since the line travels
///        in the metadata of the figure.
[[nodiscard]] QString figureCommand(const FigureSpec& spec, const Source& source,
                                    const MapsShape& shape, const QString& output);

} // namespace heed::ui
