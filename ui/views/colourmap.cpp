// Names of the colour maps and the way from a value to a colour.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/colourmap.h"

#include "views/colourtables.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace heed::ui {

namespace {

constexpr std::array AllMaps = {ColourMapId::Viridis, ColourMapId::Cividis, ColourMapId::Magma,
                                ColourMapId::Inferno, ColourMapId::Grey,    ColourMapId::Diverging};

double linear(int channel)
{
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double luminance(QRgb colour)
{
    return 0.2126 * linear(qRed(colour)) + 0.7152 * linear(qGreen(colour)) +
           0.0722 * linear(qBlue(colour));
}

} // namespace

std::span<const ColourMapId> colourMaps()
{
    return AllMaps;
}

std::string_view colourMapName(ColourMapId id)
{
    switch (id) {
    case ColourMapId::Viridis:
        return "viridis";
    case ColourMapId::Cividis:
        return "cividis";
    case ColourMapId::Magma:
        return "magma";
    case ColourMapId::Inferno:
        return "inferno";
    case ColourMapId::Grey:
        return "grey";
    case ColourMapId::Diverging:
        return "diverging";
    }
    return "viridis";
}

Expected<ColourMapId> parseColourMap(std::string_view name)
{
    for (const ColourMapId id : AllMaps) {
        if (colourMapName(id) == name) {
            return id;
        }
    }
    if (name == "gray") {
        return ColourMapId::Grey;
    }
    return fail(Code::InvalidArgument,
                "There is no colour map \"" + std::string(name) +
                    "\". Use viridis, cividis, magma, inferno, grey or diverging.");
}

const ColourTable& colourTable(ColourMapId id)
{
    switch (id) {
    case ColourMapId::Viridis:
        return colourtables::Viridis;
    case ColourMapId::Cividis:
        return colourtables::Cividis;
    case ColourMapId::Magma:
        return colourtables::Magma;
    case ColourMapId::Inferno:
        return colourtables::Inferno;
    case ColourMapId::Grey:
        return colourtables::Grey;
    case ColourMapId::Diverging:
        return colourtables::Diverging;
    }
    return colourtables::Viridis;
}

QRgb colourOf(const ColourTable& table, double value, const ValueRange& range)
{
    if (!std::isfinite(value)) {
        return NotANumberColour;
    }
    if (!(range.high > range.low)) {
        return table.front();
    }
    // Halves, because the difference of two huge ends would overflow.
    const double share = (value / 2 - range.low / 2) / (range.high / 2 - range.low / 2);
    const auto size = static_cast<double>(table.size());
    return table[static_cast<std::size_t>(std::clamp(share * size, 0.0, size - 1))];
}

double contrast(QRgb first, QRgb second)
{
    const double a = luminance(first);
    const double b = luminance(second);
    return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

QRgb textColourOn(QRgb background)
{
    constexpr QRgb Dark = 0xFF101418;
    constexpr QRgb Light = 0xFFFFFFFF;
    return contrast(background, Light) >= contrast(background, Dark) ? Light : Dark;
}

} // namespace heed::ui
