// The one place where the command line draws: a figure without a window.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "renderfigure.h"

#include "figure/figurecommand.h"
#include "output.h"

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
    spec.isRaster = request.format == "png";
    spec.title = request.title;
    spec.titleText = QString::fromStdString(request.titleText);
    spec.tokenLabels = request.labels;
    spec.colourBar = request.colourBar;
    spec.commandLine = ui::figureCommand(
        spec, computed.run->source(), computed.run->maps()->shape(),
        QString::fromStdString(request.toPipe() ? "figure." + request.format : request.path));
    return spec;
}

Expected<QByteArray> encodedFigure(const RenderRequest& request, const ComputedSource& computed,
                                   const Console& console)
{
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
    return (*figure)->encode(QString::fromStdString(request.format));
}

QtMessageHandler s_earlierHandler = nullptr;

/// Nothing here uses the folder of the session, so that it is missing is no news to anybody.
void forwardButSession(QtMsgType type, const QMessageLogContext& context, const QString& message)
{
    if (!message.startsWith(QLatin1String("QStandardPaths: XDG_RUNTIME_DIR not set"))) {
        s_earlierHandler(type, context, message);
    }
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
    s_earlierHandler = qInstallMessageHandler(forwardButSession);
    const QGuiApplication application(argc, argv.data());

    // Qt's encoders cannot be stopped; nothing is on the disk before they are done.
    Expected<QByteArray> encoded;
    {
        const auto leaving = console.leaveWhenStopped();
        encoded = encodedFigure(request, computed, console);
    }
    if (!encoded) {
        return tl::unexpected(encoded.error());
    }
    const auto bytes =
        std::as_bytes(std::span(encoded->constData(), static_cast<std::size_t>(encoded->size())));
    return request.toPipe() ? console.print(bytes) : writeFile(request.path, bytes);
}

} // namespace heed::cli
