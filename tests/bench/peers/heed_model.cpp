// A model from token ids to every map of every layer, for a comparison with other programs.
//
// heed_model DIR|FILE.gguf TOKENS THREADS REPEATS: prints one JSON object. The model is opened
// once; every repeat has other ids. SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/run.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>

using namespace heed;

namespace {

double secondsNow(int threads)
{
    timespec now{};
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

[[noreturn]] void stop(const Error& error)
{
    std::fprintf(stderr, "%s\n", error.message.c_str());
    std::exit(1);
}

/// Every weight of every map, as a viewer that wants all would read them. Returns their sum, so
/// that none can be left out.
double readEveryMap(const AttentionMaps& maps, const Execution& execution)
{
    const MapsShape shape = maps.shape();
    const std::int64_t count = shape.layers * shape.items * shape.heads;
    std::vector<double> sums(static_cast<std::size_t>(count));
    const TileSpec everyCell{.rows = shape.queries, .columns = shape.keys};
    const auto done = parallelFor(
        count, 1, execution, [&](std::int64_t begin, std::int64_t end) -> Expected<void> {
            for (std::int64_t map = begin; map < end; ++map) {
                const MapIndex index{map / shape.heads / shape.items,
                                     map / shape.heads % shape.items, map % shape.heads};
                const auto cells = maps.window(index, everyCell, {.threads = 1});
                if (!cells) {
                    return tl::unexpected(cells.error());
                }
                sums[static_cast<std::size_t>(map)] =
                    std::accumulate(cells->values.begin(), cells->values.end(), 0.0);
            }
            return {};
        });
    if (!done) {
        stop(done.error());
    }
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 5) {
        std::fputs("usage: heed_model DIR TOKENS THREADS REPEATS\n", stderr);
        return 2;
    }
    const std::int64_t tokens = std::atoll(argv[2]);
    const Execution execution{.threads = std::atoi(argv[3])};
    const int repeats = std::atoi(argv[4]);
    const auto backend = BackendRegistry::instance().open("auto");
    if (!backend) {
        stop(backend.error());
    }
    Source source;
    source.model = argv[1];
    RunPtr run;
    double runSeconds = 1e300;
    double mapSeconds = 1e300;
    double openSeconds = 0;
    double sum = 0;
    for (int i = 0; i <= repeats; ++i) {
        source.ids = {std::vector<std::int64_t>(static_cast<std::size_t>(tokens))};
        std::iota(source.ids[0].begin(), source.ids[0].end(), 1000 + i);
        const double begin = secondsNow(execution.threads);
        auto computed = compute(source, *backend, execution, run);
        const double computedAt = secondsNow(execution.threads);
        if (!computed) {
            stop(computed.error());
        }
        run = std::move(*computed);
        sum += readEveryMap(*run->maps(), execution);
        const double readAt = secondsNow(execution.threads);
        if (i == 0) { // the first opens the model
            openSeconds = readAt - begin;
            continue;
        }
        runSeconds = std::min(runSeconds, computedAt - begin);
        mapSeconds = std::min(mapSeconds, readAt - begin);
    }
    std::printf("{\"first_seconds\": %.9f, \"run_seconds\": %.9f, \"maps_seconds\": %.9f, "
                "\"weights_sum\": %.3f, \"backend\": \"%s\"}\n",
                openSeconds, runSeconds, mapSeconds, sum, (*backend)->name().c_str());
    return 0;
}
