// heedmap backends: what can compute here, and why the rest cannot.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"

#include "heed/backend.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

namespace heed::cli {

namespace {

Expected<ExitCode> backendsAction(bool json, const Console& console)
{
    BackendRegistry& registry = BackendRegistry::instance();
    const auto best = registry.open("auto");
    const std::string chosen = best ? (*best)->name() : "";
    std::string text;
    if (json) {
        nlohmann::json list = nlohmann::json::array();
        for (const BackendReport& report : registry.reports()) {
            list.push_back({{"name", report.name},
                            {"path", report.path},
                            {"usable", report.usable},
                            {"score", report.score},
                            {"detail", report.detail}});
        }
        const nlohmann::json whole = {
            {"schema", "heedmap.backends/1"}, {"auto", chosen}, {"backends", list}};
        text = whole.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    } else {
        int width = 0;
        for (const BackendReport& report : registry.reports()) {
            width = std::max(width, displayWidth(printable(report.name)));
        }
        bool isFirst = true; // the best of several modules of that name
        for (const BackendReport& report : registry.reports()) {
            const bool isChosen = isFirst && report.usable && report.name == chosen;
            isFirst = isFirst && !isChosen;
            text += std::string(isChosen ? "* " : "  ") +
                    console.heading(padRight(printable(report.name), width)) +
                    (report.usable ? "  usable   " : "  refused  ") + printable(report.detail);
            text += report.path.empty()
                        ? "\n"
                        : "\n" + std::string(static_cast<std::size_t>(width) + 13, ' ') +
                              printable(report.path) + "\n";
        }
        text += "* is what --backend auto takes.\n";
    }
    if (auto printed = console.print(text); !printed) {
        return tl::unexpected(printed.error());
    }
    return finish(console);
}

} // namespace

void addBackends(CLI::App& root, Action& chosen)
{
    const auto json = std::make_shared<bool>(false);
    CLI::App* app = root.add_subcommand("backends", "what can compute here, and why not");
    app->option_defaults()->group("Output");
    app->add_flag("--json", *json, "as JSON");
    app->callback([json, &chosen] {
        chosen = [json](const Console& console) { return backendsAction(*json, console); };
    });
}

} // namespace heed::cli
