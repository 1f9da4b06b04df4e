// heedmap render: the figure of the export dialog, from the command line.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "optionvalue.h"
#include "renderfigure.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

namespace heed::cli {

namespace {

constexpr double MillimetresPerInch = 25.4;
constexpr double MillimetresPerPoint = MillimetresPerInch / 72;

struct RenderOptions {
    SourceOptions source;
    RenderRequest request;
    std::string output;
    std::string format;
    std::string view;
    std::string what = "weights";
    std::string pooling;
    std::string range;
    std::string width;
    std::string font;
    bool noTitle = false;
    bool noLabels = false;
    bool noBar = false;
    bool noHatch = false;
    bool noNumbers = false;
};

struct Unit {
    const char* name;
    double size;
};

/// "89mm" in the unit of size 1; a bare number is in that unit too.
Expected<double> parseLength(const std::string& text, std::initializer_list<Unit> units,
                             const std::string& option)
{
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, status] = std::from_chars(text.data(), end, value);
    const std::string unit(rest, end);
    std::string names;
    for (const Unit& known : units) {
        if (status == std::errc{} && (unit == known.name || (unit.empty() && known.size == 1))) {
            return value * known.size;
        }
        names += (names.empty() ? "" : ", ") + std::string(known.name);
    }
    return fail(Code::InvalidArgument,
                "\"" + text + "\" is no length. Write a number and a unit (" + names + ").",
                option);
}

/// "0:0.5" as the ends of the colour bar.
Expected<std::pair<double, double>> parseRange(const std::string& text)
{
    const std::size_t colon = text.find(':');
    double low = 0;
    double high = 0;
    if (colon != std::string::npos) {
        const char* begin = text.data();
        const char* end = begin + text.size();
        const auto first = std::from_chars(begin, begin + colon, low);
        const auto second = std::from_chars(begin + colon + 1, end, high);
        if (first.ec == std::errc{} && first.ptr == begin + colon && second.ec == std::errc{} &&
            second.ptr == end && std::isfinite(low) && std::isfinite(high) && low < high) {
            return std::pair{low, high};
        }
    }
    return fail(Code::InvalidArgument,
                "\"" + text +
                    "\" is no range. Write unit, map, heads, or two numbers such as 0:0.5.",
                "--range");
}

Expected<void> readAppearance(const RenderOptions& options, RenderRequest& request)
{
    const auto quantity = parseQuantity(options.what);
    if (!quantity) {
        return tl::unexpected(quantity.error());
    }
    request.quantity = *quantity;
    if (!options.pooling.empty()) {
        const auto pooling = parsePooling(options.pooling);
        if (!pooling) {
            return tl::unexpected(pooling.error());
        }
        request.pooling = *pooling;
    }
    if (options.range == "unit" || options.range == "map" || options.range == "heads") {
        request.range = options.range;
    } else if (!options.range.empty()) {
        const auto ends = parseRange(options.range);
        if (!ends) {
            return tl::unexpected(ends.error());
        }
        request.range = "manual";
        std::tie(request.low, request.high) = *ends;
    }
    if (!options.width.empty()) {
        const auto width = parseLength(
            options.width, {{"mm", 1}, {"cm", 10}, {"in", MillimetresPerInch}}, "--width");
        if (!width) {
            return tl::unexpected(width.error());
        }
        request.widthMm = *width;
    }
    if (!options.font.empty()) {
        const auto font =
            parseLength(options.font, {{"pt", 1}, {"mm", 1 / MillimetresPerPoint}}, "--font");
        if (!font) {
            return tl::unexpected(font.error());
        }
        request.fontPt = *font;
    }
    request.title = !options.noTitle;
    request.labels = !options.noLabels;
    request.colourBar = !options.noBar;
    request.hatch = !options.noHatch;
    request.numbers = !options.noNumbers;
    return {};
}

Expected<void> readDestination(const RenderOptions& options, const Console& console,
                               RenderRequest& request)
{
    if (options.output.empty()) {
        return fail(Code::InvalidArgument,
                    "-o is missing: say where the figure goes, for instance -o attention.pdf.");
    }
    request.path = options.output;
    std::string extension = std::filesystem::path(options.output).extension().string();
    request.format = !options.format.empty() ? options.format
                     : options.output == "-" ? "png"
                     : extension.size() > 1  ? extension.substr(1)
                                             : "";
    if (request.format != "png" && request.format != "svg" && request.format != "pdf") {
        return fail(Code::InvalidArgument,
                    "the name does not end in .png, .svg or .pdf. Change it, or give --format.",
                    "-o " + options.output);
    }
    if (request.toPipe() && request.format != "svg" && console.outIsTerminal()) {
        return fail(Code::InvalidArgument,
                    "A picture would garble the terminal. Send it to a file with -o FILE or "
                    "through a pipe.",
                    "-o -");
    }
    return {};
}

/// Which maps are drawn, and how they are arranged.
Expected<void> chooseMaps(const RenderOptions& options, const Selection& selection,
                          RenderRequest& request)
{
    for (const std::int64_t layer : selection.layers) {
        for (const std::int64_t item : selection.items) {
            for (const std::int64_t head : selection.heads) {
                request.maps.push_back({layer, item, head});
            }
        }
    }
    request.grid = options.view.empty() ? request.maps.size() > 1 : options.view == "grid";
    if (!request.grid && request.maps.size() > 1) {
        return fail(Code::InvalidArgument,
                    "a heatmap shows one map, and there are " +
                        std::to_string(request.maps.size()) +
                        ". Choose one, for instance with --layer 0 --item 0 --head 0, or draw "
                        "them all with --view grid.",
                    "--view heatmap");
    }
    return {};
}

Expected<ExitCode> renderAction(const RenderOptions& options, const Console& console)
{
    RenderRequest request = options.request;
    if (auto read = readDestination(options, console, request); !read) {
        return tl::unexpected(read.error());
    }
    if (auto read = readAppearance(options, request); !read) {
        return tl::unexpected(read.error());
    }
    const auto computed = computeSource(options.source, console);
    if (!computed) {
        return tl::unexpected(computed.error());
    }
    if (!computed->run->maps()->offers(request.quantity)) {
        return fail(Code::InvalidArgument,
                    "this source has no " + std::string(quantityName(request.quantity)) +
                        "; finished maps hold one quantity.",
                    "--what " + options.what);
    }
    if (auto chosen = chooseMaps(options, computed->selection, request); !chosen) {
        return tl::unexpected(chosen.error());
    }
    auto drawn = renderFigure(request, *computed, console);
    if (!drawn) {
        return tl::unexpected(drawn.error());
    }
    return finish(console);
}

} // namespace

void addRender(CLI::App& root, Action& chosen)
{
    const auto options = std::make_shared<RenderOptions>();
    RenderRequest& request = options->request;
    CLI::App* app = root.add_subcommand("render", "draw a figure: PNG, SVG or PDF");
    addSourceOptions(*app, options->source);
    app->option_defaults()->group("Figure");
    addText(*app, "-o,--output", options->output, "FILE", ".png, .svg or .pdf; - is a pipe");
    addChoice(*app, "--format", options->format, {"png", "svg", "pdf"}, "for -o - (png)");
    addChoice(*app, "--view", options->view, {"heatmap", "grid"},
              "one map, or all that are chosen");
    addChoice(*app, "--what", options->what, {"scores", "scaled", "masked", "weights"},
              "(weights)");
    addChoice(*app, "--pooling", options->pooling, {"max", "absmax", "mass", "mean"},
              "where cells outnumber pixels");
    addChoice(*app, "--colours", request.colours,
              {"viridis", "cividis", "magma", "inferno", "grey", "diverging"}, "(by quantity)");
    addText(*app, "--range", options->range, "RANGE", "unit, map, heads, or LOW:HIGH");
    addText(*app, "--width", options->width, "LENGTH", "width on paper, such as 183mm (89mm)");
    addText(*app, "--font", options->font, "SIZE", "size of the text, such as 8pt (7pt)");
    addInteger(*app, "--dpi", request.dpi, 50, 2400, "N", "pixels an inch of PNG (300)");
    addText(*app, "--title", request.titleText, "TEXT", "instead of layer, head and quantity");
    app->add_flag("--no-title", options->noTitle, "leave it out");
    app->add_flag("--no-labels", options->noLabels, "leave it out");
    app->add_flag("--no-bar", options->noBar, "leave it out");
    app->add_flag("--no-hatch", options->noHatch, "leave it out");
    app->add_flag("--no-numbers", options->noNumbers, "leave it out");
    app->callback([options, &chosen] {
        chosen = [options](const Console& console) { return renderAction(*options, console); };
    });
}

} // namespace heed::cli
