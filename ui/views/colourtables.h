// The colours of the maps, as published.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/colourmap.h"

/// Viridis, magma and inferno (Smith and van der Walt) and cividis (Nuñez, Anderton and Renslow) as
/// matplotlib publishes them, under CC0. Grey is the ramp from black to white. Diverging is the
/// red-blue scheme of ColorBrewer, reversed and interpolated to 256 colours as matplotlib does it:
/// colour specifications and designs developed by Cynthia Brewer (https://colorbrewer.org/).
namespace heed::ui::colourtables {

extern const ColourTable Viridis;
extern const ColourTable Cividis;
extern const ColourTable Magma;
extern const ColourTable Inferno;
extern const ColourTable Grey;
extern const ColourTable Diverging;

} // namespace heed::ui::colourtables
