// heedmap predict: which tokens a model expects.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "optionvalue.h"
#include "output.h"
#include "table.h"

#include "heed/model.h"
#include "heed/predictions.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

namespace heed::cli {

namespace {

constexpr std::int64_t MostPredictions = 10000;
constexpr int TokenColumns = 32;

struct PredictOptions {
    SourceOptions source;
    std::int64_t top = 5;
    std::string at;
    bool json = false;
};

Expected<std::vector<TokenPredictions>>
predictItem(const ComputedSource& computed, std::int64_t item, const PredictOptions& options)
{
    const Run& run = *computed.run;
    std::vector<std::int64_t> positions = predictedPositions(run, item);
    if (!options.at.empty()) {
        auto chosen = parsePositions(options.at, run.predictingTokens().length, "--at", "token");
        if (!chosen) {
            return tl::unexpected(chosen.error());
        }
        positions = std::move(*chosen);
    }
    if (positions.empty()) {
        return fail(Code::InvalidArgument,
                    "Item " + std::to_string(item) +
                        " has no mask, and this model predicts what stands behind one. Write "
                        "[MASK] (or <mask>, as the model has it) for a word, or name tokens with "
                        "--at.");
    }
    Execution quiet = computed.execution;
    quiet.progress = {};
    return predictTokens(run, item, positions, options.top, quiet);
}

std::string labelOf(const Token& token)
{
    return shorten(printable(displayText(token)), TokenColumns);
}

std::string percentText(double probability)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f %%", 100 * probability);
    return text.data();
}

std::vector<std::string> rowOf(const Prediction& prediction)
{
    return {std::to_string(prediction.rank), labelOf(prediction.token),
            std::to_string(prediction.token.id), percentText(prediction.probability),
            numberText(prediction.logit)};
}

std::string reportText(const Run& run, const std::vector<TokenPredictions>& predictions,
                       const Console& console)
{
    const std::string where = predictsNext(run) ? " after " : " at ";
    std::string text;
    for (const TokenPredictions& one : predictions) {
        const Token& token =
            run.predictingTokens()
                .items[static_cast<std::size_t>(one.item)][static_cast<std::size_t>(one.position)];
        text += (text.empty() ? "item " : "\nitem ") + std::to_string(one.item) + where + "token " +
                std::to_string(one.position) + "  " + labelOf(token) + "\n";
        std::vector<std::vector<std::string>> rows = {
            {"rank", "token", "id", "probability", "logit"}};
        for (const Prediction& prediction : one.best) {
            rows.push_back(rowOf(prediction));
        }
        if (one.actual && one.actual->rank > std::ssize(one.best)) {
            rows.push_back(rowOf(*one.actual)); // what the text has
        }
        text += tableText(rows, {0, 2, 3, 4}, console);
        if (one.actual) {
            text += "  the text has " + labelOf(one.actual->token) + ", rank " +
                    std::to_string(one.actual->rank) + "\n";
        }
    }
    return text;
}

nlohmann::json jsonOf(const Prediction& prediction)
{
    return {{"token", prediction.token.text},
            {"id", prediction.token.id},
            {"rank", prediction.rank},
            {"probability", prediction.probability},
            {"logit", prediction.logit}};
}

std::string jsonText(const Run& run, const std::vector<TokenPredictions>& predictions)
{
    nlohmann::json list = nlohmann::json::array();
    for (const TokenPredictions& one : predictions) {
        nlohmann::json best = nlohmann::json::array();
        for (const Prediction& prediction : one.best) {
            best.push_back(jsonOf(prediction));
        }
        nlohmann::json record = {{"item", one.item}, {"position", one.position}, {"best", best}};
        if (one.actual) {
            record["actual"] = jsonOf(*one.actual);
        }
        list.push_back(std::move(record));
    }
    nlohmann::json tokens = nlohmann::json::array();
    for (const auto& item : run.predictingTokens().items) {
        nlohmann::json texts = nlohmann::json::array();
        for (const Token& token : item) {
            texts.push_back(token.text);
        }
        tokens.push_back(std::move(texts));
    }
    const nlohmann::json whole = {{"schema", "heedmap.predict/1"},
                                  {"predicts", predictsNext(run) ? "next" : "masked"},
                                  {"tokens", tokens},
                                  {"predictions", list}};
    return whole.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// Predictions come out of all layers and heads.
Expected<void> checkTakesPart(const CLI::App& app)
{
    for (const char* option : {"--layer", "--head"}) {
        if (app.count(option) > 0) {
            return fail(Code::InvalidArgument,
                        "takes no part: predictions come out of all layers and heads. Leave it "
                        "away.",
                        option);
        }
    }
    if (app.count("--mask-layer") > 0) {
        return fail(Code::InvalidArgument,
                    "looks at one layer while everything else stays as without the mask, so no "
                    "prediction changes. Leave it away for what the model would do.",
                    "--mask-layer");
    }
    return {};
}

/// The first layer in which the mask leaves @p position nothing to attend to; −1 = none.
std::int64_t blindLayer(const Run& run, std::int64_t item, std::int64_t position)
{
    const MapsShape shape = run.maps()->shape();
    for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
        const MaskPtr mask = run.mask(layer);
        if (mask != nullptr && mask->keptInRow(item, 0, position) == 0) {
            return layer;
        }
    }
    return -1;
}

void noteBlindness(const Run& run, const std::vector<TokenPredictions>& predictions,
                   const Console& console)
{
    for (const TokenPredictions& one : predictions) {
        if (const std::int64_t layer = blindLayer(run, one.item, one.position); layer >= 0) {
            console.note("token " + std::to_string(one.position) + " of item " +
                         std::to_string(one.item) + " may attend to nothing in layer " +
                         std::to_string(layer) + ": its weights there are 0");
        }
    }
}

Expected<ExitCode> predictAction(const PredictOptions& options, const Console& console)
{
    if (auto fine = checkTakesPart(*options.source.app); !fine) {
        return tl::unexpected(fine.error());
    }
    const auto computed = computeSource(options.source, console);
    if (!computed) {
        return tl::unexpected(computed.error());
    }
    const Run& run = *computed->run;
    if (run.model() == nullptr) {
        return fail(Code::InvalidArgument,
                    "Only a checkpoint predicts tokens. Name one with --model.");
    }
    std::vector<TokenPredictions> predictions;
    for (const std::int64_t item : computed->selection.items) {
        auto made = predictItem(*computed, item, options);
        if (!made) {
            return tl::unexpected(made.error());
        }
        std::ranges::move(*made, std::back_inserter(predictions));
    }
    noteBlindness(run, predictions, console);
    const std::string text =
        options.json ? jsonText(run, predictions) : reportText(run, predictions, console);
    if (auto printed = console.print(text); !printed) {
        return tl::unexpected(printed.error());
    }
    return finish(console);
}

} // namespace

void addPredict(CLI::App& root, Action& chosen)
{
    const auto options = std::make_shared<PredictOptions>();
    CLI::App* app = root.add_subcommand("predict", "which tokens a model expects");
    addSourceOptions(*app, options->source);
    app->option_defaults()->group("Output");
    addInteger(*app, "--top", options->top, 1, MostPredictions, "N", "how many tokens (5)");
    addText(*app, "--at", options->at, "LIST", "tokens to predict at (the last, or the masks)");
    app->add_flag("--json", options->json, "as JSON");
    app->callback([options, &chosen] {
        chosen = [options](const Console& console) { return predictAction(*options, console); };
    });
}

} // namespace heed::cli
