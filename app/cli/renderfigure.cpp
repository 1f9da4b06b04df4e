// The one place where the command line draws: a figure without a window.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "renderfigure.h"

#include "figure/figure.h"
#include "output.h"

#include "heed/session.h"

#include <QGuiApplication>
#include <array>
#include <cmath>

namespace heed::cli {

namespace {

ui::ColourMapId colourMapOf(const std::string& name)
{
    constexpr std::array<std::pair<const char*, ui::ColourMapId>, 6> maps = {
        {{"viridis", ui::ColourMapId::Viridis},
         {"cividis", ui::ColourMapId::Cividis},
         {"magma", ui::ColourMapId::Magma},
         {"inferno", ui::ColourMapId::Inferno},
         {"grey", ui::ColourMapId::Grey},
         {"diverging", ui::ColourMapId::Diverging}}};
    for (const auto& [known, id] : maps) {
        if (name == known) {
            return id;
        }
    }
    return ui::ColourMapId::Viridis;
}

std::string positions(const std::vector<std::int64_t>& values)
{
    std::string text;
    for (const std::int64_t value : values) {
        text += (text.empty() ? "" : ",") + std::to_string(value);
    }
    return text;
}

/// The options that draw this figure again.
std::string reproduce(const RenderRequest& request, const ComputedSource& computed)
{
    const RenderRequest standard;
    std::vector<std::string> arguments = {"heedmap", "render"};
    for (std::string& argument : sourceArguments(computed.run->source())) {
        arguments.push_back(std::move(argument));
    }
    const auto add = [&arguments](const std::string& option, const std::string& value) {
        arguments.push_back(option);
        if (!value.empty()) {
            arguments.push_back(value);
        }
    };
    const MapsShape shape = computed.run->maps()->shape();
    const Selection& selection = computed.selection;
    const auto select = [&](const char* option, const std::vector<std::int64_t>& values,
                            std::int64_t count) {
        if (static_cast<std::int64_t>(values.size()) < count) {
            add(option, positions(values));
        }
    };
    if (request.grid) {
        select("--layer", selection.layers, shape.layers);
        select("--item", selection.items, shape.items);
        select("--head", selection.heads, shape.heads);
    } else {
        const MapIndex& map = request.maps.front();
        select("--layer", {map.layer}, shape.layers);
        select("--item", {map.item}, shape.items);
        select("--head", {map.head}, shape.heads);
    }
    add("--view", request.grid ? "grid" : "heatmap");
    add("--what", std::string(quantityName(request.quantity)));
    if (request.pooling) {
        add("--pooling", std::string(poolingName(*request.pooling)));
    }
    if (!request.colours.empty()) {
        add("--colours", request.colours);
    }
    if (!request.range.empty()) {
        add("--range", request.range == "manual"
                           ? numberText(request.low) + ":" + numberText(request.high)
                           : request.range);
    }
    add("--width", numberText(request.widthMm) + "mm");
    add("--font", numberText(request.fontPt) + "pt");
    if (request.dpi != standard.dpi) {
        add("--dpi", std::to_string(request.dpi));
    }
    if (!request.titleText.empty()) {
        add("--title", request.titleText);
    }
    for (const auto& [option, shown] :
         std::initializer_list<std::pair<const char*, bool>>{{"--no-title", request.title},
                                                             {"--no-labels", request.labels},
                                                             {"--no-bar", request.colourBar},
                                                             {"--no-hatch", request.hatch},
                                                             {"--no-numbers", request.numbers}}) {
        if (!shown) {
            add(option, "");
        }
    }
    add("-o", request.toPipe() ? "figure." + request.format : request.path);
    return shellCommand(arguments);
}

ui::FigureSpec specOf(const RenderRequest& request, const ComputedSource& computed)
{
    ui::FigureSpec spec;
    spec.view = request.grid ? ui::FigureView::Grid : ui::FigureView::Heatmap;
    spec.maps = request.maps;
    spec.settings.quantity = request.quantity;
    spec.settings.pooling = request.pooling;
    if (!request.colours.empty()) {
        spec.settings.colourMap = colourMapOf(request.colours);
    }
    if (!request.range.empty()) {
        spec.settings.rangeMode = request.range == "unit"    ? ui::RangeMode::Unit
                                  : request.range == "map"   ? ui::RangeMode::Map
                                  : request.range == "heads" ? ui::RangeMode::Heads
                                                             : ui::RangeMode::Manual;
        spec.settings.low = request.low;
        spec.settings.high = request.high;
    }
    spec.settings.hatchMasked = request.hatch;
    spec.settings.cellNumbers = request.numbers;
    spec.widthMm = request.widthMm;
    spec.fontPt = request.fontPt;
    spec.dpi = static_cast<int>(request.dpi);
    spec.title = request.title;
    spec.titleText = QString::fromStdString(request.titleText);
    spec.tokenLabels = request.labels;
    spec.colourBar = request.colourBar;
    spec.commandLine = QString::fromStdString(reproduce(request, computed));
    return spec;
}

} // namespace

Expected<void> renderFigure(const RenderRequest& request, const ComputedSource& computed,
                            const Console& console)
{
    // Fonts need an application object; the offscreen platform needs no display for it.
    qputenv("QT_QPA_PLATFORM", "offscreen");
    std::string name = "heedmap";
    std::array<char*, 2> argv = {name.data(), nullptr};
    int argc = 1;
    const QGuiApplication application(argc, argv.data());

    Execution execution = computed.execution;
    execution.progress = console.progress("drawing");
    const auto figure = ui::makeFigure(specOf(request, computed), computed.run, execution);
    console.endProgress();
    if (!figure) {
        return tl::unexpected(figure.error());
    }
    for (const QString& warning : (*figure)->warnings()) {
        console.note(warning.toStdString());
    }
    const auto encoded = (*figure)->encode(QString::fromStdString(request.format));
    if (!encoded) {
        return tl::unexpected(encoded.error());
    }
    const auto bytes =
        std::as_bytes(std::span(encoded->constData(), static_cast<std::size_t>(encoded->size())));
    return request.toPipe() ? console.print(bytes) : writeFile(request.path, bytes);
}

} // namespace heed::cli
