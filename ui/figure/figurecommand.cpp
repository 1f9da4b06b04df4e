// Options spelled as `heedmap render` reads them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure/figurecommand.h"

#include "views/colourmap.h"

#include "heed/session.h"

#include <QLocale>
#include <algorithm>
#include <initializer_list>
#include <utility>

namespace heed::ui {

namespace {

/// The shortest text that reads back as the same number.
std::string numberText(double value)
{
    return QString::number(value, 'g', QLocale::FloatingPointShortest).toStdString();
}

/// "0,2,5" of the values that occur, in their order.
std::string positions(const std::vector<MapIndex>& maps, std::int64_t MapIndex::*member,
                      std::int64_t count)
{
    std::vector<std::int64_t> found;
    for (const MapIndex& map : maps) {
        if (std::find(found.begin(), found.end(), map.*member) == found.end()) {
            found.push_back(map.*member);
        }
    }
    std::string text;
    if (static_cast<std::int64_t>(found.size()) < count) {
        for (const std::int64_t value : found) {
            text += (text.empty() ? "" : ",") + std::to_string(value);
        }
    }
    return text;
}

std::string rangeText(const ViewSettings& settings)
{
    if (!settings.rangeMode) {
        return {};
    }
    switch (*settings.rangeMode) {
    case RangeMode::Unit:
        return "unit";
    case RangeMode::Map:
        return "map";
    case RangeMode::Heads:
        return "heads";
    case RangeMode::Manual:
        break;
    }
    return numberText(settings.low) + ":" + numberText(settings.high);
}

} // namespace

QString figureCommand(const FigureSpec& spec, const Source& source, const MapsShape& shape,
                      const QString& output)
{
    const FigureSpec standard;
    const ViewSettings& settings = spec.settings;
    std::vector<std::string> arguments = {"heedmap", "render"};
    for (std::string& argument : sourceArguments(source)) {
        arguments.push_back(std::move(argument));
    }
    // A value after "=" may begin with a minus, as a range or a title can.
    const auto add = [&arguments](const std::string& option, const std::string& value) {
        if (value.empty()) {
            return;
        }
        if (value.front() == '-') {
            arguments.push_back(option + "=" + value);
        } else {
            arguments.insert(arguments.end(), {option, value});
        }
    };
    add("--layer", positions(spec.maps, &MapIndex::layer, shape.layers));
    add("--item", positions(spec.maps, &MapIndex::item, shape.items));
    add("--head", positions(spec.maps, &MapIndex::head, shape.heads));
    add("--view", spec.view == FigureView::Grid ? "grid" : "heatmap");
    add("--what", std::string(quantityName(settings.quantity)));
    if (settings.pooling) {
        add("--pooling", std::string(poolingName(*settings.pooling)));
    }
    if (settings.colourMap) {
        add("--colours", std::string(colourMapName(*settings.colourMap)));
    }
    add("--range", rangeText(settings));
    add("--width", numberText(spec.widthMm) + "mm");
    add("--font", numberText(spec.fontPt) + "pt");
    if (spec.dpi != standard.dpi) {
        add("--dpi", std::to_string(spec.dpi));
    }
    if (spec.title) {
        add("--title", spec.titleText.toStdString());
    }
    for (const auto& [option, shown] : std::initializer_list<std::pair<const char*, bool>>{
             {"--no-title", spec.title},
             {"--no-labels", spec.tokenLabels},
             {"--no-bar", spec.colourBar},
             {"--no-hatch", settings.hatchMasked},
             {"--no-numbers", settings.cellNumbers}}) {
        if (!shown) {
            arguments.emplace_back(option);
        }
    }
    add("-o", output.toStdString());
    return QString::fromStdString(shellCommand(arguments));
}

} // namespace heed::ui
