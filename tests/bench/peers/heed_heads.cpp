// Row statistics, pictures and weights·V of several heads, for a comparison with other programs.
//
// heed_heads HEADS N causal|full THREADS REPEATS: prints one JSON object. Memory is the peak of
// this process, and how far that is above what it had with q, k and v in place.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/backend.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

using namespace heed;

namespace {

constexpr std::int64_t Width = 64;
constexpr std::int64_t PictureSide = 1024;

std::shared_ptr<const Tensor> numbers(std::int64_t heads, std::int64_t n, double phase)
{
    Tensor tensor(Shape{heads, n, Width});
    double angle = phase;
    for (float& value : tensor.values()) {
        value = static_cast<float>(std::sin(angle));
        angle += 1.7;
    }
    return std::make_shared<const Tensor>(std::move(tensor));
}

long residentBytes()
{
    long total = 0;
    long resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident * sysconf(_SC_PAGESIZE);
}

long peakBytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * 1024;
}

double secondsNow(int threads)
{
    timespec now{};
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <typename Work>
double shortest(int repeats, int threads, const Work& work)
{
    double best = 1e300;
    for (int i = 0; i < repeats; ++i) {
        const double begin = secondsNow(threads);
        if (const auto done = work(); !done) {
            std::fprintf(stderr, "%s\n", done.error().message.c_str());
            std::exit(1);
        }
        best = std::min(best, secondsNow(threads) - begin);
    }
    return best;
}

/// What a viewer shows of one head.
struct Shown {
    RowStats stats;
    std::unique_ptr<std::uint8_t[]> picture; ///< grey values
};

Shown shownOf(Survey survey)
{
    const TexelValues& weights = survey.picture.values;
    Shown shown{std::move(survey.stats),
                std::make_unique_for_overwrite<std::uint8_t[]>(weights.size())};
    std::transform(weights.begin(), weights.end(), shown.picture.get(),
                   [](float weight) { return static_cast<std::uint8_t>(weight * 255.0F); });
    return shown;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 6) {
        std::fputs("usage: heed_heads HEADS N causal|full THREADS REPEATS\n", stderr);
        return 2;
    }
    const std::int64_t heads = std::atoll(argv[1]);
    const std::int64_t n = std::atoll(argv[2]);
    const Execution execution{.threads = std::atoi(argv[4])};
    const int repeats = std::atoi(argv[5]);
    const auto opened = BackendRegistry::instance().open("auto");
    const auto mask = compileMask(std::string(argv[3]) == "causal" ? "causal" : "none",
                                  {.heads = heads, .queries = n, .keys = n});
    if (!opened || !mask) {
        std::fprintf(stderr, "%s\n", (opened ? mask.error() : opened.error()).message.c_str());
        return 1;
    }
    const Backend& backend = **opened;
    const BufferPtr q = backend.upload(numbers(heads, n, 0.3)).value();
    const BufferPtr k = backend.upload(numbers(heads, n, 0.7)).value();
    const BufferPtr v = backend.upload(numbers(heads, n, 1.1)).value();
    const auto matrix = [&](const BufferPtr& buffer, std::int64_t head) {
        return BufferMatrix{buffer.get(), head * n * Width, n, Width, Width};
    };
    const auto problem = [&](std::int64_t head) {
        HeadProblem one;
        one.q = matrix(q, head);
        one.k = matrix(k, head);
        one.scale = 0.125F;
        one.mask = (*mask)->plane(0, head);
        return one;
    };
    // Heads side by side, as the program does it.
    Execution share = execution;
    share.threads = static_cast<int>(std::max<std::int64_t>(1, threadCount(execution) / heads));
    const auto everyHead = [&](const auto& work) {
        return parallelFor(heads, 1, execution,
                           [&](std::int64_t head, std::int64_t) { return work(head); });
    };
    const long before = residentBytes();
    const std::int64_t cells = (n + PictureSide - 1) / PictureSide;
    std::vector<Shown> shown(static_cast<std::size_t>(heads));
    const double surveySeconds = shortest(repeats, execution.threads, [&] {
        return everyHead([&](std::int64_t head) -> Expected<void> {
            auto found =
                backend.survey(problem(head), {.cellsDown = cells, .cellsAcross = cells}, share);
            if (!found) {
                return tl::unexpected(found.error());
            }
            shown[static_cast<std::size_t>(head)] = shownOf(std::move(*found));
            return {};
        });
    });
    const long surveyPeak = peakBytes();
    shown.clear();
    Tensor out(Shape{heads, n, Width});
    const double attendSeconds = shortest(repeats, execution.threads, [&] {
        return everyHead([&](std::int64_t head) {
            const MatrixView<float> rows{out.data() + head * n * Width, n, Width, Width};
            return backend.attend(problem(head), matrix(v, head), rows, share);
        });
    });
    std::printf("{\"survey_seconds\": %.9f, \"attend_seconds\": %.9f, \"before_bytes\": %ld, "
                "\"survey_peak_bytes\": %ld, \"backend\": \"%s\"}\n",
                surveySeconds, attendSeconds, before, surveyPeak, backend.name().c_str());
    return 0;
}
