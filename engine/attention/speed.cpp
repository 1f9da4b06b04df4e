// How fast attention is on this machine, beside the fastest it could be.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/speed.h"

#include "attention/source.h"
#include "heed/cost.h"
#include "heed/maps.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <new>

namespace heed {

namespace {

constexpr std::int64_t BurstMultiplyAdds = 100'000'000; // a few milliseconds
constexpr double LeastTime = 1e-9; // a clock may be coarse; nobody wants an infinite speed

double secondsNow(bool ofProcessor)
{
    timespec now{};
    clock_gettime(ofProcessor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Numbers like those of a trained head in size; a fixed recurrence, so that runs are comparable.
Expected<std::shared_ptr<const Tensor>> madeUp(std::int64_t rows, std::int64_t width,
                                               std::uint32_t state)
{
    auto made = Tensor::make({rows, width});
    if (!made) {
        return tl::unexpected(made.error());
    }
    for (float& value : made->values()) {
        state = state * 1664525U + 1013904223U; // Numerical Recipes' generator
        value = static_cast<float>(state >> 8U) * 0x1p-23F - 1.0F;
    }
    return std::make_shared<const Tensor>(std::move(*made));
}

/// Runs and times; remembers the shortest.
class Stopwatch {
public:
    explicit Stopwatch(const SpeedSpec& spec)
        : m_spec(spec)
    {
    }
    [[nodiscard]] bool isDone() const
    {
        return m_repeats >= m_spec.leastRepeats && m_total >= m_spec.leastSeconds;
    }
    [[nodiscard]] double total() const { return m_total; }
    [[nodiscard]] double shortest() const { return std::max(m_shortest, LeastTime); }

    template <typename Work>
    Expected<void> time(const Work& work)
    {
        const double begin = secondsNow(m_spec.processorTime);
        const auto done = work();
        const double seconds = secondsNow(m_spec.processorTime) - begin;
        if (!done) {
            return tl::unexpected(done.error());
        }
        m_shortest = std::min(m_shortest, seconds);
        m_total += seconds;
        ++m_repeats;
        return {};
    }

private:
    const SpeedSpec& m_spec;
    double m_shortest = std::numeric_limits<double>::infinity();
    double m_total = 0;
    int m_repeats = 0;
};

/// The same burst on every thread. @return multiply-adds a second.
Expected<double> peakOf(const SpeedSpec& spec, const Execution& execution)
{
    Execution quiet = execution;
    quiet.progress = {};
    const int threads = threadCount(execution);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(threads));
    const double begin = secondsNow(spec.processorTime);
    const auto done = parallelFor(threads, 1, quiet, [&](std::int64_t thread, std::int64_t) {
        counts[static_cast<std::size_t>(thread)] = multiplyAdds(BurstMultiplyAdds);
        return Expected<void>{};
    });
    if (!done) {
        return tl::unexpected(done.error());
    }
    double all = 0;
    for (const std::int64_t count : counts) {
        all += static_cast<double>(count);
    }
    return all / std::max(secondsNow(spec.processorTime) - begin, LeastTime);
}

/// One made-up map and everything that is timed on it.
struct Subject {
    MaskPtr mask;
    BufferPtr q, k, v;
    HeadProblem problem;
    BufferMatrix values;
};

Expected<Subject> subjectOf(const Backend& backend, const SpeedSpec& spec,
                            const Execution& execution)
{
    const std::int64_t n = spec.side;
    const Shape operand = {n, spec.width};
    if (auto fits =
            checkTensors({operand, operand, operand, operand}, "The measurement", execution);
        !fits) {
        return tl::unexpected(fits.error());
    }
    Subject subject;
    auto mask = compileMask(spec.mask, {.queries = n, .keys = n}, execution);
    if (!mask) {
        return tl::unexpected(mask.error());
    }
    subject.mask = std::move(*mask);
    std::uint32_t seed = 0;
    for (BufferPtr* target : {&subject.q, &subject.k, &subject.v}) {
        auto numbers = madeUp(n, spec.width, ++seed);
        if (!numbers) {
            return tl::unexpected(numbers.error());
        }
        auto uploaded = backend.upload(std::move(*numbers));
        if (!uploaded) {
            return tl::unexpected(uploaded.error());
        }
        *target = std::move(*uploaded);
    }
    subject.problem.q = {subject.q.get(), 0, n, spec.width, spec.width};
    subject.problem.k = {subject.k.get(), 0, n, spec.width, spec.width};
    subject.problem.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(spec.width)));
    subject.problem.mask = subject.mask->plane(0, 0);
    subject.values = {subject.v.get(), 0, n, spec.width, spec.width};
    return subject;
}

/// Times @p work and the peak in turns until it is done; no more time for the peak than for work.
template <typename Work>
Expected<double> inTurns(const SpeedSpec& spec, const Execution& execution, double& peak,
                         const Work& work)
{
    Stopwatch watch(spec);
    for (double bursts = 0; !watch.isDone();) {
        if (bursts <= watch.total()) {
            const double begin = secondsNow(false);
            const auto burst = peakOf(spec, execution);
            if (!burst) {
                return tl::unexpected(burst.error());
            }
            peak = std::max(peak, *burst);
            bursts += secondsNow(false) - begin;
        }
        if (auto timed = watch.time(work); !timed) {
            return tl::unexpected(timed.error());
        }
    }
    return watch.shortest();
}

Expected<Speed> measure(const Backend& backend, const SpeedSpec& spec, const Execution& execution)
{
    const auto subject = subjectOf(backend, spec, execution);
    if (!subject) {
        return tl::unexpected(subject.error());
    }
    const HeadProblem& problem = subject->problem;
    const std::int64_t n = spec.side;
    const std::int64_t texelCells = (n + spec.picture - 1) / spec.picture;
    Speed speed;
    speed.side = n;
    speed.keptCells = costOf(*subject->mask).keptCells;

    RowStats stats;
    const auto survey = inTurns(spec, execution, speed.peak, [&] {
        auto found = backend.survey(problem, {.cellsDown = texelCells, .cellsAcross = texelCells},
                                    execution);
        if (found) {
            stats = std::move(found->stats);
        }
        return found;
    });
    if (!survey) {
        return tl::unexpected(survey.error());
    }
    TileSpec tileSpec;
    tileSpec.rows = tileSpec.columns = std::min(n, TileSide);
    tileSpec.row = tileSpec.column = (n - tileSpec.rows) / 2;
    const auto tile = inTurns(spec, execution, speed.peak,
                              [&] { return backend.tile(problem, &stats, tileSpec, execution); });
    if (!tile) {
        return tl::unexpected(tile.error());
    }
    speed.surveySeconds = *survey;
    speed.tileSeconds = *tile;
    const double scores = speed.keptCells * static_cast<double>(spec.width);
    speed.surveyShare = scores / speed.surveySeconds / speed.peak;
    if (spec.values) {
        auto out = Tensor::make({n, spec.width});
        if (!out) {
            return tl::unexpected(out.error());
        }
        const auto attend = inTurns(spec, execution, speed.peak, [&] {
            return backend.attend(problem, subject->values, out->matrix(), execution);
        });
        if (!attend) {
            return tl::unexpected(attend.error());
        }
        speed.attendSeconds = *attend;
        speed.surveyShare = scores / speed.surveySeconds / speed.peak; // the peak may have risen
        speed.attendShare = 2 * scores / speed.attendSeconds / speed.peak;
    }
    return speed;
}

} // namespace

Expected<Speed> measureSpeed(const Backend& backend, const SpeedSpec& spec,
                             const Execution& execution)
{
    if (spec.side < 1 || spec.width < 1 || spec.picture < 1) {
        return fail(Code::InvalidArgument, "A map to measure has at least one row and one texel.");
    }
    try {
        return measure(backend, spec, execution);
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory for the measurement.");
    }
}

double growthExponent(std::span<const double> sizes, std::span<const double> values)
{
    double sumX = 0;
    double sumY = 0;
    double sumXX = 0;
    double sumXY = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const double x = std::log(sizes[i]);
        const double y = std::log(values[i]);
        sumX += x;
        sumY += y;
        sumXX += x * x;
        sumXY += x * y;
    }
    const auto n = static_cast<double>(sizes.size());
    const double spread = n * sumXX - sumX * sumX;
    return spread > 0 ? (n * sumXY - sumX * sumY) / spread
                      : std::numeric_limits<double>::quiet_NaN();
}

} // namespace heed
