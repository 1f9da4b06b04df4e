// heedmap bench: what attention costs, and how fast the engine is on this machine.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "optionvalue.h"
#include "sourceoptions.h"

#include "heed/cost.h"
#include "heed/maps.h"
#include "heed/speed.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

namespace heed::cli {

namespace {

constexpr std::int64_t LargestSide = std::int64_t{1} << 24; // of a mask
constexpr std::int64_t ProbeSide = 2048;                    // tells how long a large side takes
constexpr std::int64_t MostRepeated = 1 << 15; // a larger side takes minutes and is timed once
constexpr double LongSeconds = 30;             // worth a word before it begins
constexpr double MostSeconds = 3600;           // nobody waits longer for a table by mistake
constexpr std::int64_t MostHeads = 65536;
constexpr double LeastSeconds = 0.05; // a size is repeated for at least this long

struct BenchOptions {
    EngineOptions engine;
    std::string sizes = "512,1024,2048,4096";
    std::int64_t items = 4;
    std::int64_t heads = 8;
    std::int64_t width = 64; // D of most published models
    std::vector<std::string> masks;
    bool json = false;
};

/// What all maps of one size take.
struct Memory {
    Cost cost;
    std::int64_t tiles = 0; ///< a picture of every map

    [[nodiscard]] std::int64_t all() const { return cost.projections + cost.rowStats + tiles; }
};

struct MaskSpeed {
    std::string mask;
    std::vector<Speed> speeds;

    [[nodiscard]] double exponent(double Speed::*seconds) const
    {
        std::vector<double> sizes;
        std::vector<double> times;
        for (const Speed& speed : speeds) {
            sizes.push_back(static_cast<double>(speed.side));
            times.push_back(speed.*seconds);
        }
        return growthExponent(sizes, times);
    }
};

struct Report {
    const BenchOptions& options;
    const Backend& backend;
    int threads = 1;
    double peak = 0;
    std::vector<std::int64_t> sizes;
    std::vector<Memory> memory; ///< a size
    std::vector<MaskSpeed> masks;
};

Memory memoryAt(std::int64_t side, const BenchOptions& options)
{
    return {costOf({.items = options.items,
                    .heads = options.heads,
                    .queries = side,
                    .keys = side,
                    .width = options.width,
                    .valueWidth = options.width}),
            options.items * options.heads * tileBytes()};
}

std::string cell(double value, const char* format, int width)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return padLeft(text.data(), width);
}

std::string memoryTable(const Report& report, const Console& console)
{
    const BenchOptions& options = report.options;
    std::string text = "Memory for B = " + std::to_string(options.items) +
                       ", H = " + std::to_string(options.heads) +
                       ", D = " + std::to_string(options.width) + "\n" +
                       console.heading("       n  stored weights   Heedmap =  q, k, v  + row "
                                       "statistics   + tiles") +
                       "\n";
    for (std::size_t i = 0; i < report.sizes.size(); ++i) {
        const Memory& memory = report.memory[i];
        text += padLeft(std::to_string(report.sizes[i]), 8) +
                padLeft(formatBytes(memory.cost.storedWeights), 16) +
                padLeft(formatBytes(memory.all()), 10) +
                padLeft(formatBytes(memory.cost.projections), 11) +
                padLeft(formatBytes(memory.cost.rowStats), 18) +
                padLeft(formatBytes(memory.tiles), 10) + "\n";
    }
    return text;
}

std::string speedTable(const MaskSpeed& one, const BenchOptions& options, const Console& console)
{
    std::string text = "Time of one map, mask " + printable(one.mask) + "\n" +
                       console.heading("       n  multiply-adds  survey ms  of peak   tile ms  "
                                       "attend ms  of peak") +
                       "\n";
    for (const Speed& speed : one.speeds) {
        text += padLeft(std::to_string(speed.side), 8) +
                cell(speed.keptCells * static_cast<double>(options.width), "%.3g", 15) +
                cell(speed.surveySeconds * 1e3, "%.3f", 11) +
                cell(speed.surveyShare * 100, "%.0f %%", 9) +
                cell(speed.tileSeconds * 1e3, "%.3f", 10) +
                cell(speed.attendSeconds * 1e3, "%.3f", 11) +
                cell(speed.attendShare * 100, "%.0f %%", 9) + "\n";
    }
    if (one.speeds.size() > 1) {
        text += "  grows as  " + cell(one.exponent(&Speed::surveySeconds), "n^%.2f", 22) +
                cell(one.exponent(&Speed::tileSeconds), "n^%.2f", 19) +
                cell(one.exponent(&Speed::attendSeconds), "n^%.2f", 11) + "\n";
    }
    return text;
}

std::string tableText(const Report& report, const Console& console)
{
    std::string text =
        printable(report.backend.name() + ": " + report.backend.description()) + "; " +
        std::to_string(report.threads) + (report.threads == 1 ? " thread" : " threads") +
        ", peak " + cell(report.peak / 1e9, "%.1f", 0) +
        " billion multiply-adds a second, measured in this run\n\n" + memoryTable(report, console);
    for (const MaskSpeed& one : report.masks) {
        text += "\n" + speedTable(one, report.options, console);
    }
    return text + "\nsurvey: row statistics and a picture of at most 256 x 256 texels; tile: "
                  "256 x 256 cells;\nattend: weights times V, twice the multiply-adds\n";
}

std::string jsonText(const Report& report)
{
    using nlohmann::json;
    json memory = json::array();
    for (std::size_t i = 0; i < report.sizes.size(); ++i) {
        const Memory& at = report.memory[i];
        memory.push_back({{"n", report.sizes[i]},
                          {"stored_weights_bytes", at.cost.storedWeights},
                          {"heedmap_bytes", at.all()},
                          {"projections_bytes", at.cost.projections},
                          {"row_stats_bytes", at.cost.rowStats},
                          {"tiles_bytes", at.tiles}});
    }
    json masks = json::array();
    for (const MaskSpeed& one : report.masks) {
        json results = json::array();
        for (const Speed& speed : one.speeds) {
            const double multiplyAdds = speed.keptCells * static_cast<double>(report.options.width);
            results.push_back({{"n", speed.side},
                               {"kept_cells", speed.keptCells},
                               {"survey_seconds", speed.surveySeconds},
                               {"survey_multiply_adds", multiplyAdds},
                               {"survey_peak_share", speed.surveyShare},
                               {"tile_seconds", speed.tileSeconds},
                               {"attend_seconds", speed.attendSeconds},
                               {"attend_multiply_adds", 2 * multiplyAdds},
                               {"attend_peak_share", speed.attendShare}});
        }
        json mask = {{"mask", one.mask}, {"results", results}};
        if (one.speeds.size() > 1) {
            mask["survey_exponent"] = one.exponent(&Speed::surveySeconds);
            mask["tile_exponent"] = one.exponent(&Speed::tileSeconds);
            mask["attend_exponent"] = one.exponent(&Speed::attendSeconds);
        }
        masks.push_back(std::move(mask));
    }
    const json whole = {{"schema", "heedmap.bench/2"},
                        {"version", HEED_VERSION},
                        {"backend", report.backend.name()},
                        {"description", report.backend.description()},
                        {"threads", report.threads},
                        {"multiply_adds_per_second", report.peak},
                        {"batch", report.options.items},
                        {"heads", report.options.heads},
                        {"head_width", report.options.width},
                        {"memory", memory},
                        {"masks", masks}};
    return whole.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Expected<std::vector<std::int64_t>> sidesOf(const std::string& text)
{
    auto sizes = parseIntegers(text, "--sizes");
    if (!sizes) {
        return sizes;
    }
    for (const std::int64_t side : *sizes) {
        if (side < 1 || side > LargestSide) {
            return fail(Code::InvalidArgument,
                        std::to_string(side) + " is not in 1 to " + std::to_string(LargestSide) +
                            ".",
                        "--sizes");
        }
    }
    std::sort(sizes->begin(), sizes->end());
    sizes->erase(std::unique(sizes->begin(), sizes->end()), sizes->end());
    return sizes;
}

SpeedSpec specOf(const Report& report, const std::string& mask, std::int64_t side)
{
    return {.side = side,
            .width = report.options.width,
            .mask = mask,
            .picture = TileSide,
            .leastSeconds = LeastSeconds,
            .leastRepeats = side > MostRepeated ? 1 : 3,
            .processorTime = report.threads == 1};
}

/// How long @p spec will take; 0 where it is not worth the question.
Expected<double> secondsFor(const Report& report, SpeedSpec spec, const Execution& execution)
{
    const std::int64_t side = spec.side;
    if (side <= 4 * ProbeSide) {
        return 0;
    }
    const auto mask = compileMask(spec.mask, {.queries = side, .keys = side}, execution);
    if (!mask) {
        return tl::unexpected(mask.error());
    }
    spec.side = ProbeSide;
    const auto probe = measureSpeed(report.backend, spec, execution);
    if (!probe) {
        return tl::unexpected(probe.error());
    }
    // As long again for the peak, which is timed in turns.
    return 2 * spec.leastRepeats * (probe->surveySeconds + probe->attendSeconds) *
           costOf(**mask).keptCells / std::max(probe->keptCells, 1.0);
}

/// Says what will take long, and refuses what would take hours, before anything is measured.
Expected<void> announce(const Report& report, const std::vector<std::string>& masks,
                        const Execution& execution, const Console& console)
{
    for (const std::string& mask : masks) {
        for (const std::int64_t side : report.sizes) {
            const auto seconds = secondsFor(report, specOf(report, mask, side), execution);
            if (!seconds) {
                return tl::unexpected(seconds.error());
            }
            const std::string what =
                "n = " + std::to_string(side) + " with mask " + printable(mask) + " takes about ";
            if (*seconds > MostSeconds) {
                return fail(Code::InvalidArgument,
                            what + cell(*seconds / 3600, "%.0f", 0) +
                                " hours; more than one hour is not begun. Leave the size away, or "
                                "time a mask that keeps less, such as --mask \"window(128)\".",
                            "--sizes");
            }
            if (*seconds > LongSeconds) {
                console.note(what + (*seconds < 90 ? cell(*seconds, "%.0f seconds", 0)
                                                   : cell(*seconds / 60, "%.0f minutes", 0)));
            }
        }
    }
    return {};
}

Expected<void> measureAll(Report& report, const std::vector<std::string>& masks,
                          const Execution& execution, const Console& console)
{
    if (auto told = announce(report, masks, execution, console); !told) {
        return told;
    }
    const auto progress = console.progress("measuring");
    const auto count = static_cast<std::int64_t>(masks.size() * report.sizes.size());
    std::int64_t done = 0;
    for (const std::string& mask : masks) {
        MaskSpeed one{mask, {}};
        for (const std::int64_t side : report.sizes) {
            const auto speed = measureSpeed(report.backend, specOf(report, mask, side), execution);
            if (!speed) {
                return tl::unexpected(speed.error());
            }
            report.peak = std::max(report.peak, speed->peak);
            one.speeds.push_back(*speed);
            if (progress) {
                progress(++done, count);
            }
        }
        report.masks.push_back(std::move(one));
    }
    console.endProgress();
    return {};
}

Expected<ExitCode> benchAction(const BenchOptions& options, const Console& console)
{
    auto sizes = sidesOf(options.sizes);
    if (!sizes) {
        return tl::unexpected(sizes.error());
    }
    const auto execution = makeExecution(options.engine, console);
    if (!execution) {
        return tl::unexpected(execution.error());
    }
    const auto backend = openBackend(options.engine.backend);
    if (!backend) {
        return tl::unexpected(backend.error());
    }
    Report report{options, **backend, threadCount(*execution), 0, std::move(*sizes), {}, {}};
    for (const std::int64_t side : report.sizes) {
        report.memory.push_back(memoryAt(side, options));
    }
    const std::vector<std::string> usual = {"none", "causal", "window(128)"};
    if (auto done =
            measureAll(report, options.masks.empty() ? usual : options.masks, *execution, console);
        !done) {
        return tl::unexpected(done.error());
    }
    const std::string text = options.json ? jsonText(report) : tableText(report, console);
    if (auto printed = console.print(text); !printed) {
        return tl::unexpected(printed.error());
    }
    return finish(console);
}

} // namespace

void addBench(CLI::App& root, Action& chosen)
{
    const auto options = std::make_shared<BenchOptions>();
    CLI::App* app = root.add_subcommand("bench", "what attention costs on this machine");
    app->option_defaults()->group("Bench");
    addText(*app, "--sizes", options->sizes, "LIST", "map sides (" + options->sizes + ")");
    addInteger(*app, "--batch", options->items, 1, MostHeads, "N", "batch items, for memory (4)");
    addInteger(*app, "--heads", options->heads, 1, MostHeads, "N", "heads, for memory (8)");
    addInteger(*app, "--head-width", options->width, 1, MostHeads, "N", "width of a head (64)");
    addTexts(*app, "--mask", options->masks, "EXPR",
             "mask to time; repeat it (none, causal, window(128))");
    addEngineOptions(*app, options->engine);
    app->option_defaults()->group("Output");
    app->add_flag("--json", options->json, "as JSON");
    app->callback([options, &chosen] {
        chosen = [options](const Console& console) { return benchAction(*options, console); };
    });
}

} // namespace heed::cli
