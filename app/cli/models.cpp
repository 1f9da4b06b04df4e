// heedmap models: the checkpoints on this machine.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "modelreport.h"
#include "recentmodels.h"
#include "table.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

namespace heed::cli {

namespace {

constexpr int NameColumns = 48;
constexpr int ProblemColumns = 100;

std::vector<std::string> rowOf(const FoundModel& model, const ModelFacts& facts)
{
    const auto number = [&](std::int64_t ModelConfig::*field) {
        return facts.config ? std::to_string(*facts.config.*field) : std::string();
    };
    return {shorten(printable(model.name), NameColumns),
            printable(familyText(facts)),
            number(&ModelConfig::layers),
            number(&ModelConfig::heads),
            countText(facts.parameters),
            number(&ModelConfig::longest),
            formatBytes(facts.bytes),
            facts.licence.empty() ? "–" : printable(facts.licence),
            facts.problem ? "no" : "yes"};
}

std::string listText(const std::vector<FoundModel>& models, const std::vector<ModelFacts>& facts,
                     const ModelPlaces& places, const Console& console)
{
    if (models.empty()) {
        return "No checkpoint was found. Heedmap looks in " + printable(places.hubCache.string()) +
               " and fetches nothing; name the folder of one with --model.\n";
    }
    std::vector<std::vector<std::string>> rows = {
        {"name", "family", "layers", "heads", "parameters", "context", "size", "licence", "runs"}};
    std::string problems;
    for (std::size_t i = 0; i < models.size(); ++i) {
        rows.push_back(rowOf(models[i], facts[i]));
        if (facts[i].problem) {
            problems += printable(models[i].name) + " cannot run: " +
                        shorten(printable(facts[i].problem->message), ProblemColumns) + "\n";
        }
    }
    return tableText(rows, {2, 3, 4, 5, 6}, console) + problems;
}

Expected<ExitCode> modelsAction(bool json, const Console& console)
{
    const ModelPlaces places = modelPlaces();
    const std::vector<FoundModel> models = findModels(places);
    std::vector<ModelFacts> facts;
    const auto progress = console.progress("looking");
    for (const FoundModel& model : models) {
        if (console.stop().stop_requested()) {
            return fail(Code::Cancelled, "Stopped.");
        }
        facts.push_back(modelFacts(model.path, TokenizerFacts::File));
        if (progress) {
            progress(static_cast<std::int64_t>(facts.size()),
                     static_cast<std::int64_t>(models.size()));
        }
    }
    console.endProgress();
    std::string text;
    if (json) {
        nlohmann::json list = nlohmann::json::array();
        for (std::size_t i = 0; i < models.size(); ++i) {
            nlohmann::json one = modelJson(facts[i]);
            one["name"] = models[i].name;
            one["path"] = models[i].path.string();
            one["place"] = modelPlaceName(models[i].place);
            list.push_back(std::move(one));
        }
        const nlohmann::json whole = {{"schema", "heedmap.models/1"}, {"models", list}};
        text = whole.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    } else {
        text = listText(models, facts, places, console);
    }
    if (auto printed = console.print(text); !printed) {
        return tl::unexpected(printed.error());
    }
    return finish(console);
}

} // namespace

void addModels(CLI::App& root, Action& chosen)
{
    const auto json = std::make_shared<bool>(false);
    CLI::App* app = root.add_subcommand("models", "the checkpoints on this machine");
    app->option_defaults()->group("Output");
    app->add_flag("--json", *json, "as JSON");
    app->callback([json, &chosen] {
        chosen = [json](const Console& console) { return modelsAction(*json, console); };
    });
}

} // namespace heed::cli
