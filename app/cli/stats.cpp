// heedmap stats: numbers that describe every head, and its strongest links.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "optionvalue.h"
#include "output.h"

#include "heed/metrics.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace heed::cli {

namespace {

constexpr std::int64_t MostLinks = 100000;
constexpr int TokenColumns = 16;
constexpr int TextColumns = 40;
constexpr int HeadColumns = 4;
constexpr int ColumnGap = 2;
constexpr int LeastMetricColumns = 8; // "0.123" and blanks
constexpr int LeastRowsColumns = 6;   // "rows" and blanks

struct HeadResult {
    MapIndex map;
    HeadMetrics metrics;
    std::vector<Link> links;
};

using MetricChoice = std::vector<const Metric*>;

/// What the table shows: with the head and the rows it fits into 100 columns.
constexpr std::string_view UsualMetrics =
    "entropy,relative,distance,previous,self,sink,induction,delimiter,confidence";

struct StatsOptions {
    SourceOptions source;
    bool json = false;
    bool csv = false;
    std::int64_t links = 0;
    std::string metrics{UsualMetrics};
    std::string sort;
};

std::string metricNames()
{
    std::string text;
    for (const Metric& metric : metricList()) {
        text += (text.empty() ? "" : ", ") + std::string(metric.name);
    }
    return text;
}

Expected<const Metric*> metricOf(const std::string& name, const std::string& option)
{
    if (const Metric* metric = findMetric(name)) {
        return metric;
    }
    std::vector<std::string> names;
    for (const Metric& metric : metricList()) {
        names.insert(names.end(), {std::string(metric.name), std::string(metric.heading)});
    }
    const std::string near = nearestName(name, names);
    return fail(Code::InvalidArgument,
                option + ": there is no metric \"" + name + "\"." +
                    (near.empty() ? std::string() : " Did you mean " + near + "?") +
                    " Known: " + metricNames() + ".");
}

Expected<MetricChoice> parseMetrics(const std::string& text)
{
    MetricChoice chosen;
    if (text == "all") {
        for (const Metric& metric : metricList()) {
            chosen.push_back(&metric);
        }
        return chosen;
    }
    for (const std::string& name : splitList(text)) {
        const auto metric = metricOf(name, "--metrics");
        if (!metric) {
            return tl::unexpected(metric.error());
        }
        if (std::ranges::find(chosen, *metric) == chosen.end()) {
            chosen.push_back(*metric);
        }
    }
    return chosen;
}

/// Largest first within an item, undefined ones last; ties stay by layer and head.
void sortBy(const Metric& metric, std::vector<HeadResult>& results)
{
    std::ranges::sort(results, [&](const HeadResult& a, const HeadResult& b) {
        const double x = a.metrics.*metric.value;
        const double y = b.metrics.*metric.value;
        if (a.map.item != b.map.item) {
            return a.map.item < b.map.item;
        }
        if (std::isnan(x) || std::isnan(y) || x == y) {
            return std::isnan(x) == std::isnan(y)
                       ? std::pair(a.map.layer, a.map.head) < std::pair(b.map.layer, b.map.head)
                       : std::isnan(y);
        }
        return x > y;
    });
}

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
            const MapTokens tokens = mapTokens(run.queryTokens(), run.keyTokens(), item);
            for (const std::int64_t head : selection.heads) {
                const MapIndex map{layer, item, head};
                const auto metrics = headMetrics(*run.maps(), map, tokens, silent);
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
    std::int64_t uneven = 0;
    for (const HeadResult& result : results) {
        uneven += result.metrics.unevenRows;
    }
    if (uneven > 0) {
        console.note(std::to_string(uneven) +
                     (uneven == 1 ? " row of these maps does" : " rows of these maps do") +
                     " not sum to 1; entropy and the other metrics take the weights as they are");
    }
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

/// Two blanks more than the widest text @p textOf gives for the results, at least @p least.
template <typename TextOf>
int columnsFor(const std::vector<HeadResult>& results, int least, const TextOf& textOf)
{
    for (const HeadResult& result : results) {
        least = std::max(least, displayWidth(textOf(result)) + ColumnGap);
    }
    return least;
}

std::string legendText(const Run& run, const std::vector<HeadResult>& results,
                       const MetricChoice& chosen)
{
    const bool hasNan = std::ranges::any_of(results, [](const HeadResult& result) {
        return result.metrics.rows > 0 && std::isnan(result.metrics.entropy);
    });
    std::string text = "\nMeans over the rows of real tokens; – where no row takes part";
    text += hasNan ? ", where a row holds NaN" : "";
    text += isCross(run.source()) ? ", where the tokens are not known, or where positions of two "
                                    "texts would be compared.\n"
                                  : ", or where the tokens are not known.\n";
    for (const Metric* metric : chosen) {
        text += padRight(std::string(metric->heading), 11) + std::string(metric->meaning) + "\n";
    }
    return text;
}

/// A block an item and layer; sorted, where all layers of an item mix, a block an item.
std::string tableText(const Run& run, const std::vector<HeadResult>& results,
                      const MetricChoice& chosen, bool isSorted, const Console& console)
{
    const bool hasLayers = run.model() != nullptr || run.maps()->shape().layers > 1;
    const bool mixesLayers = hasLayers && isSorted;
    const auto headText = [&](const HeadResult& result) {
        const std::string head = std::to_string(result.map.head);
        return mixesLayers ? "L" + std::to_string(result.map.layer) + " H" + head : head;
    };
    const auto rowsText = [](const HeadResult& result) {
        return std::to_string(result.metrics.rows);
    };
    const int headColumns =
        columnsFor(results, mixesLayers ? 2 * HeadColumns : HeadColumns, headText);
    const int rowsColumns = columnsFor(results, LeastRowsColumns, rowsText);
    std::vector<int> columns;
    std::string text;
    std::string heading = padLeft("head", headColumns);
    for (const Metric* metric : chosen) {
        const int least =
            std::max(LeastMetricColumns, static_cast<int>(metric->heading.size()) + ColumnGap);
        columns.push_back(columnsFor(results, least, [&](const HeadResult& result) {
            return metricText(result.metrics.*metric->value);
        }));
        heading += padLeft(std::string(metric->heading), columns.back());
    }
    heading += padLeft("rows", rowsColumns);
    const MapIndex* previous = nullptr;
    for (const HeadResult& result : results) {
        if (previous == nullptr || previous->item != result.map.item ||
            (previous->layer != result.map.layer && !mixesLayers)) {
            text += previous == nullptr ? "" : "\n";
            text += itemHeading(run, result.map.item, hasLayers && !mixesLayers, result.map.layer) +
                    "\n" + console.heading(heading) + "\n";
        }
        previous = &result.map;
        text += padLeft(headText(result), headColumns);
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            text += padLeft(metricText(result.metrics.*chosen[i]->value), columns[i]);
        }
        text += padLeft(rowsText(result), rowsColumns);
        if (result.metrics.emptyRows > 0) {
            text += "  " + std::to_string(result.metrics.emptyRows) + " with nothing allowed";
        }
        text += "\n" + linksText(run, result);
    }
    return text + legendText(run, results, chosen);
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
        for (const Metric& metric : metricList()) {
            head[std::string(metric.name)] = metricValue(result.metrics.*metric.value);
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
    for (const Metric& metric : metricList()) {
        text += "," + std::string(metric.name);
    }
    text += ",rows,empty_rows\n";
    for (const HeadResult& result : results) {
        text += std::to_string(result.map.layer) + "," + std::to_string(result.map.item) + "," +
                std::to_string(result.map.head);
        for (const Metric& metric : metricList()) {
            const double value = result.metrics.*metric.value;
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
    const auto chosen = parseMetrics(options.metrics);
    if (!chosen) {
        return tl::unexpected(chosen.error());
    }
    Expected<const Metric*> sortMetric = nullptr;
    if (!options.sort.empty()) {
        sortMetric = metricOf(options.sort, "--sort");
        if (!sortMetric) {
            return tl::unexpected(sortMetric.error());
        }
    }
    const auto computed = computeSource(options.source, console);
    if (!computed) {
        return tl::unexpected(computed.error());
    }
    auto results = measure(*computed, options.links, console);
    if (!results) {
        return tl::unexpected(results.error());
    }
    if (*sortMetric != nullptr) {
        sortBy(**sortMetric, *results);
    }
    const auto leaving = console.leaveWhenStopped();
    const Run& run = *computed->run;
    const std::string text =
        options.json  ? jsonText(run, *results)
        : options.csv ? csvText(run, *results, options.links > 0)
                      : tableText(run, *results, *chosen, *sortMetric != nullptr, console);
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
    addText(*app, "--metrics", options->metrics, "LIST",
            "columns of the table, such as entropy,top5, or all");
    addText(*app, "--sort", options->sort, "METRIC", "heads by a metric, the largest first");
    app->add_flag("--json", options->json, "as JSON");
    app->add_flag("--csv", options->csv, "as CSV; with --links a line a link");
    app->footer("Example: heedmap stats --text \"I like eating apple\" --causal --links 3");
    app->callback([options, &chosen] {
        chosen = [options](const Console& console) { return statsAction(*options, console); };
    });
}

} // namespace heed::cli
