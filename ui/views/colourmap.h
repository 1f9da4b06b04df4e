// Colour maps: tables of 256 colours, and how a value finds its colour.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"
#include "models/viewsettings.h"

#include <QRgb>
#include <array>
#include <span>
#include <string_view>

namespace heed::ui {

using ColourTable = std::array<QRgb, 256>;

/// What the two ends of a colour map stand for. Equal ends give the lowest colour everywhere.
struct ValueRange {
    double low = 0;
    double high = 1;
    bool operator==(const ValueRange&) const = default;
};

/// Marks what is not a number, in every map; no map contains it.
inline constexpr QRgb NotANumberColour = 0xFFE000E0;

/// All maps, in the order of a menu.
[[nodiscard]] std::span<const ColourMapId> colourMaps();
/// "viridis", "cividis", "magma", "inferno", "grey", "diverging".
[[nodiscard]] std::string_view colourMapName(ColourMapId id);
/// @return Code::InvalidArgument listing the names ("gray" is accepted too).
[[nodiscard]] Expected<ColourMapId> parseColourMap(std::string_view name);
[[nodiscard]] const ColourTable& colourTable(ColourMapId id);

/// Values outside @p range take the colour of the nearer end; what is not finite takes
/// NotANumberColour.
[[nodiscard]] QRgb colourOf(const ColourTable& table, double value, const ValueRange& range);

/// Black or white, whichever is read better on @p background.
[[nodiscard]] QRgb textColourOn(QRgb background);
/// Contrast of two colours as WCAG 2 defines it, 1…21.
[[nodiscard]] double contrast(QRgb first, QRgb second);

} // namespace heed::ui
