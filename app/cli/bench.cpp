// heedmap bench: how fast the engine is on this machine.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "optionvalue.h"
#include "sourceoptions.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

namespace heed::cli {

namespace {

constexpr std::int64_t HeadWidth = 64;        // D of most published models
constexpr std::int64_t LargestSide = 1 << 16; // minutes on one core; more is no quick look
constexpr double LeastSeconds = 0.2;          // a size is repeated for at least this long
constexpr int LeastRepeats = 3;
constexpr std::int64_t PictureTexels = 256; // one tile

struct BenchOptions {
    EngineOptions engine;
    std::string sizes = "256,512,1024,2048,4096";
    bool json = false;
};

struct Measurement {
    std::int64_t side = 0;
    double rowStatsSeconds = 0;
    double tileSeconds = 0;

    [[nodiscard]] double flops() const
    {
        return 2 * static_cast<double>(side) * static_cast<double>(side) *
               static_cast<double>(HeadWidth);
    }
    [[nodiscard]] double rowStatsGflops() const { return flops() / rowStatsSeconds / 1e9; }
    [[nodiscard]] double tileGflops() const { return flops() / tileSeconds / 1e9; }
};

/// Numbers like those of a trained head in size; a fixed recurrence, so that runs are comparable.
std::shared_ptr<const Tensor> makeOperand(std::int64_t side, std::uint32_t state)
{
    auto tensor = std::make_shared<Tensor>(Shape{side, HeadWidth});
    for (float& value : tensor->values()) {
        state = state * 1664525U + 1013904223U; // Numerical Recipes' generator
        value = static_cast<float>(state >> 8U) * 0x1p-23F - 1.0F;
    }
    return tensor;
}

/// The shortest of several runs, which is the one least disturbed by other programs.
template <typename Work>
Expected<double> shortestSeconds(Work work)
{
    using Clock = std::chrono::steady_clock;
    double best = 0;
    double total = 0;
    for (int repeat = 0; repeat < LeastRepeats || total < LeastSeconds; ++repeat) {
        const auto begin = Clock::now();
        if (auto done = work(); !done) {
            return tl::unexpected(done.error());
        }
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        best = repeat == 0 ? seconds : std::min(best, seconds);
        total += seconds;
    }
    return std::max(best, 1e-9); // a clock may be coarse; nobody wants an infinite speed
}

Expected<Measurement> measure(const Backend& backend, std::int64_t side, const Execution& execution)
{
    const auto q = backend.upload(makeOperand(side, 1));
    const auto k = backend.upload(makeOperand(side, 2));
    if (!q || !k) {
        return tl::unexpected(q ? k.error() : q.error());
    }
    MaskContext context;
    context.queries = context.keys = side;
    const auto mask = compileMask("none", context);
    if (!mask) {
        return tl::unexpected(mask.error());
    }
    HeadProblem problem;
    problem.q = {q->get(), 0, side, HeadWidth, HeadWidth};
    problem.k = {k->get(), 0, side, HeadWidth, HeadWidth};
    problem.scale = 1.0F / std::sqrt(static_cast<float>(HeadWidth));
    problem.mask = (*mask)->plane(0, 0);

    Measurement result;
    result.side = side;
    RowStats stats;
    const auto rowStats = shortestSeconds([&]() -> Expected<void> {
        auto computed = backend.rowStats(problem, execution);
        if (!computed) {
            return tl::unexpected(computed.error());
        }
        stats = std::move(*computed);
        return {};
    });
    if (!rowStats) {
        return tl::unexpected(rowStats.error());
    }
    TileSpec spec;
    spec.rows = spec.columns = side;
    while (spec.texelRows() > PictureTexels) {
        spec.texelCells *= 2;
    }
    const auto tile = shortestSeconds([&]() -> Expected<void> {
        const auto texels = backend.tile(problem, &stats, spec, execution);
        return texels ? Expected<void>{} : tl::unexpected(texels.error());
    });
    if (!tile) {
        return tl::unexpected(tile.error());
    }
    result.rowStatsSeconds = *rowStats;
    result.tileSeconds = *tile;
    return result;
}

/// Slope of log time over log size, by least squares; 2 is what n² work should give.
double exponent(const std::vector<Measurement>& results, double Measurement::*seconds)
{
    double sumX = 0;
    double sumY = 0;
    double sumXX = 0;
    double sumXY = 0;
    for (const Measurement& result : results) {
        const double x = std::log(static_cast<double>(result.side));
        const double y = std::log(result.*seconds);
        sumX += x;
        sumY += y;
        sumXX += x * x;
        sumXY += x * y;
    }
    const auto n = static_cast<double>(results.size());
    const double spread = n * sumXX - sumX * sumX;
    return spread > 0 ? (n * sumXY - sumX * sumY) / spread : std::nan("");
}

std::string cell(double value, const char* format)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return padLeft(text.data(), 12);
}

std::string tableText(const std::vector<Measurement>& results, const Backend& backend,
                      const Console& console)
{
    std::string text = printable(backend.name() + ": " + backend.description()) +
                       "; one head, D = " + std::to_string(HeadWidth) + ", no mask\n";
    text +=
        console.heading("       n  row stats ms   GFLOP/s  max-pooled picture ms   GFLOP/s") + "\n";
    for (const Measurement& result : results) {
        text += padLeft(std::to_string(result.side), 8) +
                cell(result.rowStatsSeconds * 1e3, "%.3f") + "  " +
                cell(result.rowStatsGflops(), "%.1f").substr(4) + "            " +
                cell(result.tileSeconds * 1e3, "%.3f") + "  " +
                cell(result.tileGflops(), "%.1f").substr(4) + "\n";
    }
    if (results.size() > 1) {
        text += "time grows as n to the power of " +
                cell(exponent(results, &Measurement::rowStatsSeconds), "%.2f").substr(8) +
                " (row stats) and " +
                cell(exponent(results, &Measurement::tileSeconds), "%.2f").substr(8) +
                " (picture); the work is n squared\n";
    }
    return text;
}

std::string jsonText(const std::vector<Measurement>& results, const Backend& backend, int threads)
{
    nlohmann::json list = nlohmann::json::array();
    for (const Measurement& result : results) {
        list.push_back({{"n", result.side},
                        {"row_stats_seconds", result.rowStatsSeconds},
                        {"row_stats_gflops", result.rowStatsGflops()},
                        {"tile_seconds", result.tileSeconds},
                        {"tile_gflops", result.tileGflops()}});
    }
    nlohmann::json whole = {{"schema", "heedmap.bench/1"},
                            {"version", HEED_VERSION},
                            {"backend", backend.name()},
                            {"description", backend.description()},
                            {"threads", threads},
                            {"head_width", HeadWidth},
                            {"results", list}};
    if (results.size() > 1) {
        whole["row_stats_exponent"] = exponent(results, &Measurement::rowStatsSeconds);
        whole["tile_exponent"] = exponent(results, &Measurement::tileSeconds);
    }
    return whole.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Expected<ExitCode> benchAction(const BenchOptions& options, const Console& console)
{
    auto sizes = parseIntegers(options.sizes, "--sizes");
    if (!sizes) {
        return tl::unexpected(sizes.error());
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
    const auto execution = makeExecution(options.engine, console);
    if (!execution) {
        return tl::unexpected(execution.error());
    }
    const auto backend = openBackend(options.engine.backend);
    if (!backend) {
        return tl::unexpected(backend.error());
    }
    const auto progress = console.progress("measuring");
    std::vector<Measurement> results;
    for (const std::int64_t side : *sizes) {
        auto result = measure(**backend, side, *execution);
        if (!result) {
            return tl::unexpected(result.error());
        }
        results.push_back(*result);
        if (progress) {
            progress(static_cast<std::int64_t>(results.size()),
                     static_cast<std::int64_t>(sizes->size()));
        }
    }
    console.endProgress();
    const std::string text = options.json ? jsonText(results, **backend, threadCount(*execution))
                                          : tableText(results, **backend, console);
    if (auto printed = console.print(text); !printed) {
        return tl::unexpected(printed.error());
    }
    return finish(console);
}

} // namespace

void addBench(CLI::App& root, Action& chosen)
{
    const auto options = std::make_shared<BenchOptions>();
    CLI::App* app = root.add_subcommand("bench", "measure the engine on this machine");
    app->option_defaults()->group("Bench");
    addText(*app, "--sizes", options->sizes, "LIST", "map sides (256,512,1024,2048,4096)");
    addEngineOptions(*app, options->engine);
    app->option_defaults()->group("Output");
    app->add_flag("--json", options->json, "as JSON");
    app->callback([options, &chosen] {
        chosen = [options](const Console& console) { return benchAction(*options, console); };
    });
}

} // namespace heed::cli
