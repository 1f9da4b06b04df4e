// heedmap stats: numbers that describe every head, and its strongest links.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "optionvalue.h"
#include "output.h"

#include "heed/metrics.h"

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

namespace heed::cli {

namespace {

constexpr std::int64_t MostLinks = 100000;
constexpr int TokenColumns = 16;
constexpr int TextColumns = 40;
constexpr int MetricColumns = 11; // "confidence" and a blank

struct StatsOptions {
    SourceOptions source;
    bool json = false;
    bool csv = false;
    std::int64_t links = 0;
};

struct HeadResult {
    MapIndex map;
    HeadMetrics metrics;
    std::vector<Link> links;
};

struct Column {
    const char* heading; ///< in the table
    const char* name;    ///< in JSON and CSV
    double HeadMetrics::*value;
};

constexpr std::array<Column, 7> Columns = {{
    {"entropy", "entropy", &HeadMetrics::entropy},
    {"relative", "relative_entropy", &HeadMetrics::relativeEntropy},
    {"distance", "distance", &HeadMetrics::distance},
    {"previous", "previous_token", &HeadMetrics::previousToken},
    {"self", "self", &HeadMetrics::self},
    {"sink", "first_token_sink", &HeadMetrics::firstTokenSink},
    {"confidence", "confidence", &HeadMetrics::confidence},
}};

Expected<std::vector<HeadResult>> measure(const ComputedSource& computed, std::int64_t links,
                                          const Console& console)
{
    const Run& run = *computed.run;
    const Selection& selection = computed.selection;
    Execution silent = computed.execution;
    silent.progress = {};
    const auto progress = console.progress("measuring");
    const auto total = static_cast<std::int64_t>(selection.layers.size() * selection.items.size() *
                                                 selection.heads.size());
    std::vector<HeadResult> results;
    for (const std::int64_t layer : selection.layers) {
        for (const std::int64_t item : selection.items) {
            const std::vector<bool> real = item < run.queryTokens().size()
                                               ? realTokens(run.queryTokens(), item)
                                               : std::vector<bool>{};
            for (const std::int64_t head : selection.heads) {
                const MapIndex map{layer, item, head};
                const auto metrics = headMetrics(*run.maps(), map, real, silent);
                if (!metrics) {
                    return tl::unexpected(metrics.error());
                }
                HeadResult& result = results.emplace_back(HeadResult{map, *metrics, {}});
                if (links > 0) {
                    auto strongest = strongestLinks(*run.maps(), map, links, silent);
                    if (!strongest) {
                        return tl::unexpected(strongest.error());
                    }
                    result.links = std::move(*strongest);
                }
                if (progress) {
                    progress(static_cast<std::int64_t>(results.size()), total);
                }
            }
        }
    }
    console.endProgress();
    return results;
}

const Token* tokenAt(const Batch& batch, std::int64_t item, std::int64_t position)
{
    if (item >= batch.size() || position >= batch.length) {
        return nullptr;
    }
    return &batch.items[static_cast<std::size_t>(item)][static_cast<std::size_t>(position)];
}

std::string tokenName(const Batch& batch, std::int64_t item, std::int64_t position)
{
    const Token* token = tokenAt(batch, item, position);
    return token == nullptr ? std::to_string(position) : token->text;
}

std::string tokenLabel(const Batch& batch, std::int64_t item, std::int64_t position)
{
    const Token* token = tokenAt(batch, item, position);
    return token == nullptr ? std::to_string(position)
                            : shorten(printable(displayText(*token)), TokenColumns);
}

std::string itemHeading(const Run& run, std::int64_t item, bool withLayer, std::int64_t layer)
{
    std::string text = withLayer ? "layer " + std::to_string(layer) + "  " : "";
    text += "item " + std::to_string(item);
    const auto& lines = run.source().lines;
    if (item < static_cast<std::int64_t>(lines.size()) && run.source().input.empty()) {
        text += "  " + shorten(printable(lines[static_cast<std::size_t>(item)]), TextColumns);
    }
    const Batch& batch = run.queryTokens();
    if (item < batch.size()) {
        text += "  " + std::to_string(batch.lengths[static_cast<std::size_t>(item)]) + " tokens";
    }
    if (const MaskPtr mask = run.maps()->mask(layer)) {
        text += "  mask: " + printable(mask->expression());
    }
    return text;
}

/// A mean over no row, or over a NaN in the weights.
bool isUndefined(double value)
{
    return std::isnan(value);
}

std::string metricText(double value)
{
    if (isUndefined(value)) {
        return "–";
    }
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3f", value);
    return text.data();
}

std::string linksText(const Run& run, const HeadResult& result)
{
    std::string text;
    for (const Link& link : result.links) {
        const std::string query = tokenLabel(run.queryTokens(), result.map.item, link.query);
        const std::string key = tokenLabel(run.keyTokens(), result.map.item, link.key);
        text += "        " + padRight(query, TokenColumns) + " → " + padRight(key, TokenColumns) +
                "  " + metricText(static_cast<double>(link.weight)) + "\n";
    }
    return text;
}

std::string tableText(const Run& run, const std::vector<HeadResult>& results,
                      const Console& console)
{
    std::string text;
    std::string heading = "head";
    for (const Column& column : Columns) {
        heading += padLeft(column.heading, MetricColumns);
    }
    heading += "  rows";
    const bool withLayer = run.maps()->shape().layers > 1;
    const MapIndex* previous = nullptr;
    for (const HeadResult& result : results) {
        if (previous == nullptr || previous->item != result.map.item ||
            previous->layer != result.map.layer) {
            text += previous == nullptr ? "" : "\n";
            text += itemHeading(run, result.map.item, withLayer, result.map.layer) + "\n";
            text += console.heading(heading) + "\n";
        }
        previous = &result.map;
        text += padLeft(std::to_string(result.map.head), 4);
        for (const Column& column : Columns) {
            text += padLeft(metricText(result.metrics.*column.value), MetricColumns);
        }
        text += padLeft(std::to_string(result.metrics.rows), 6);
        if (result.metrics.emptyRows > 0) {
            text += "  " + std::to_string(result.metrics.emptyRows) + " with nothing allowed";
        }
        text += "\n" + linksText(run, result);
    }
    text += "\nMeans over the rows of real tokens; – where no row takes part. entropy in nats;\n"
            "relative: share of the largest possible, rows of one visible key left out;\n"
            "distance in tokens; previous, self, sink: weight on the token before, on itself,\n"
            "on the first (previous and sink leave out row 0); confidence: mean of the\n"
            "strongest weight.\n";
    return text;
}

nlohmann::json metricValue(double value)
{
    return isUndefined(value)     ? nlohmann::json()
           : std::isfinite(value) ? nlohmann::json(value)
                                  : nlohmann::json(numberText(value));
}

std::string jsonText(const Run& run, const std::vector<HeadResult>& results)
{
    nlohmann::json heads = nlohmann::json::array();
    for (const HeadResult& result : results) {
        nlohmann::json head = {{"layer", result.map.layer},
                               {"item", result.map.item},
                               {"head", result.map.head},
                               {"rows", result.metrics.rows},
                               {"empty_rows", result.metrics.emptyRows}};
        for (const Column& column : Columns) {
            head[column.name] = metricValue(result.metrics.*column.value);
        }
        for (const Link& link : result.links) {
            head["links"].push_back(
                {{"query", link.query},
                 {"key", link.key},
                 {"query_token", tokenName(run.queryTokens(), result.map.item, link.query)},
                 {"key_token", tokenName(run.keyTokens(), result.map.item, link.key)},
                 {"weight", metricValue(static_cast<double>(link.weight))}});
        }
        heads.push_back(std::move(head));
    }
    nlohmann::json tokens = nlohmann::json::array();
    for (const auto& item : run.queryTokens().items) {
        nlohmann::json list = nlohmann::json::array();
        for (const Token& token : item) {
            list.push_back(token.text);
        }
        tokens.push_back(std::move(list));
    }
    const nlohmann::json whole = {
        {"schema", "heedmap.stats/1"}, {"tokens", tokens}, {"heads", heads}};
    return whole.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string csvText(const Run& run, const std::vector<HeadResult>& results, bool withLinks)
{
    std::string text;
    if (withLinks) {
        text = "layer,item,head,rank,query,key,query_token,key_token,weight\n";
        for (const HeadResult& result : results) {
            const std::string map = std::to_string(result.map.layer) + "," +
                                    std::to_string(result.map.item) + "," +
                                    std::to_string(result.map.head) + ",";
            std::int64_t rank = 0;
            for (const Link& link : result.links) {
                text += map + std::to_string(++rank) + "," + std::to_string(link.query) + "," +
                        std::to_string(link.key) + "," +
                        csvField(tokenName(run.queryTokens(), result.map.item, link.query)) + "," +
                        csvField(tokenName(run.keyTokens(), result.map.item, link.key)) + "," +
                        numberText(link.weight) + "\n";
            }
        }
        return text;
    }
    text = "layer,item,head";
    for (const Column& column : Columns) {
        text += std::string(",") + column.name;
    }
    text += ",rows,empty_rows\n";
    for (const HeadResult& result : results) {
        text += std::to_string(result.map.layer) + "," + std::to_string(result.map.item) + "," +
                std::to_string(result.map.head);
        for (const Column& column : Columns) {
            const double value = result.metrics.*column.value;
            text += "," + (isUndefined(value) ? std::string() : numberText(value));
        }
        text += "," + std::to_string(result.metrics.rows) + "," +
                std::to_string(result.metrics.emptyRows) + "\n";
    }
    return text;
}

Expected<ExitCode> statsAction(const StatsOptions& options, const Console& console)
{
    if (options.json && options.csv) {
        return fail(Code::InvalidArgument, "--json and --csv exclude each other. Keep one.");
    }
    const auto computed = computeSource(options.source, console);
    if (!computed) {
        return tl::unexpected(computed.error());
    }
    const auto results = measure(*computed, options.links, console);
    if (!results) {
        return tl::unexpected(results.error());
    }
    const Run& run = *computed->run;
    const std::string text = options.json  ? jsonText(run, *results)
                             : options.csv ? csvText(run, *results, options.links > 0)
                                           : tableText(run, *results, console);
    if (auto printed = console.print(text); !printed) {
        return tl::unexpected(printed.error());
    }
    return finish(console);
}

} // namespace

void addStats(CLI::App& root, Action& chosen)
{
    const auto options = std::make_shared<StatsOptions>();
    CLI::App* app = root.add_subcommand("stats", "numbers that describe every head");
    addSourceOptions(*app, options->source);
    app->option_defaults()->group("Output");
    addInteger(*app, "--links", options->links, 0, MostLinks, "N",
               "the N strongest links of every head");
    app->add_flag("--json", options->json, "as JSON");
    app->add_flag("--csv", options->csv, "as CSV; with --links a line a link");
    app->footer("Example: heedmap stats --text \"I like eating apple\" --causal --links 3");
    app->callback([options, &chosen] {
        chosen = [options](const Console& console) { return statsAction(*options, console); };
    });
}

} // namespace heed::cli
