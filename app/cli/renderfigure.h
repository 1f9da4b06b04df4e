// The one place where the command line draws: a figure without a window.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sourceoptions.h"

#include <optional>
#include <string>
#include <vector>

namespace heed::cli {

/// A figure in words of the command line; no type of the toolkit.
struct RenderRequest {
    std::string path;
    std::string format; ///< "png", "svg", "pdf"
    std::vector<MapIndex> maps;
    bool grid = false;
    Quantity quantity = Quantity::Weights;
    std::optional<Pooling> pooling;
    std::string colours; ///< "" = the default of the quantity
    std::string range;   ///< "unit", "map", "heads", "manual", "" = the default
    double low = 0;
    double high = 1;
    double widthMm = 89;
    double fontPt = 7;
    std::int64_t dpi = 300;
    std::string titleText;
    bool title = true;
    bool labels = true;
    bool colourBar = true;
    bool hatch = true;
    bool numbers = true;

    [[nodiscard]] bool toPipe() const { return path == "-"; }
};

/// Draws and writes. Starts the toolkit on its offscreen platform, so it needs no display.
[[nodiscard]] Expected<void> renderFigure(const RenderRequest& request,
                                          const ComputedSource& computed, const Console& console);

} // namespace heed::cli
