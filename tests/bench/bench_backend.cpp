// The operations of the best backend, and the multiply-add peak in the same run.
//
// Every row reports macs/s (multiply-adds of the products alone, exponentials not counted); divide
// by that of `peak` to see how much of the machine is used.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/backend.h"
#include "heed/execution.h"
#include "heed/speed.h"

#include <benchmark/benchmark.h>
#include <cmath>
#include <memory>

using namespace heed;

namespace {

constexpr std::int64_t Width = 64;

BackendPtr backendOf(benchmark::State& state)
{
    auto opened = BackendRegistry::instance().open("auto");
    if (!opened) {
        state.SkipWithError(opened.error().message.c_str());
        return nullptr;
    }
    state.SetLabel((*opened)->description());
    return *opened;
}

std::shared_ptr<const Tensor> numbers(Shape shape, double phase)
{
    Tensor tensor(std::move(shape));
    double angle = phase;
    for (float& value : tensor.values()) {
        value = static_cast<float>(std::sin(angle));
        angle += 1.7;
    }
    return std::make_shared<const Tensor>(std::move(tensor));
}

void countWork(benchmark::State& state, double multiplyAdds)
{
    state.counters["macs/s"] = benchmark::Counter(
        multiplyAdds * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

/// H heads of L = S = n, D = 64, all with one mask.
class Heads {
public:
    Heads(const Backend& backend, std::int64_t n, std::int64_t heads, bool causal)
        : m_n(n)
        , m_q(backend.upload(numbers({heads, n, Width}, 0.3)).value())
        , m_k(backend.upload(numbers({heads, n, Width}, 0.7)).value())
        , m_v(backend.upload(numbers({heads, n, Width}, 1.1)).value())
    {
        mask(causal);
    }
    void mask(bool causal)
    {
        m_rowStart.assign(1, 0);
        m_ranges.clear();
        for (std::int32_t i = 0; i < m_n; ++i) {
            m_ranges.push_back({0, causal ? i + 1 : static_cast<std::int32_t>(m_n)});
            m_rowStart.push_back(i + 1);
        }
    }
    [[nodiscard]] BufferMatrix matrix(const BufferPtr& buffer, std::int64_t head) const
    {
        return {buffer.get(), head * m_n * Width, m_n, Width, Width};
    }
    [[nodiscard]] HeadProblem problem(std::int64_t head) const
    {
        HeadProblem problem;
        problem.q = matrix(m_q, head);
        problem.k = matrix(m_k, head);
        problem.scale = 0.125F;
        problem.mask.queries = m_n;
        problem.mask.keys = m_n;
        problem.mask.rowStart = m_rowStart;
        problem.mask.ranges = m_ranges;
        return problem;
    }
    [[nodiscard]] BufferMatrix v(std::int64_t head) const { return matrix(m_v, head); }
    [[nodiscard]] double macs() const
    {
        return static_cast<double>(m_n) * static_cast<double>(m_n) * Width;
    }

private:
    std::int64_t m_n;
    BufferPtr m_q, m_k, m_v;
    std::vector<std::int64_t> m_rowStart;
    std::vector<KeyRange> m_ranges;
};

/// The picture of a whole map: at most 256 × 256 texels.
TileSpec overview(std::int64_t n, Quantity quantity)
{
    TileSpec spec;
    spec.quantity = quantity;
    spec.pooling = quantity == Quantity::Weights ? Pooling::Max : Pooling::AbsMax;
    spec.rows = spec.columns = n;
    while (spec.texelRows() > 256) {
        spec.texelCells *= 2;
    }
    return spec;
}

void peak(benchmark::State& state)
{
    const Execution execution;
    const int threads = threadCount(execution);
    double done = 0;
    for (auto _ : state) {
        std::vector<std::int64_t> counts(static_cast<std::size_t>(threads));
        const auto result = parallelFor(threads, 1, execution, [&](auto begin, auto) {
            counts[static_cast<std::size_t>(begin)] = multiplyAdds(400'000'000);
            return Expected<void>{};
        });
        if (!result) {
            state.SkipWithError("stopped");
        }
        for (const std::int64_t count : counts) {
            done += static_cast<double>(count);
        }
    }
    state.counters["macs/s"] = benchmark::Counter(done, benchmark::Counter::kIsRate);
    state.SetLabel(std::to_string(threads) + " threads");
}

void rowStats(benchmark::State& state)
{
    const BackendPtr backend = backendOf(state);
    if (backend == nullptr) {
        return;
    }
    const Heads heads(*backend, state.range(0), 1, state.range(1) != 0);
    const HeadProblem problem = heads.problem(0);
    for (auto _ : state) {
        benchmark::DoNotOptimize(backend->rowStats(problem, {}).value().lse.data());
    }
    countWork(state, heads.macs());
}

void tile(benchmark::State& state)
{
    const BackendPtr backend = backendOf(state);
    if (backend == nullptr) {
        return;
    }
    const std::int64_t n = state.range(0);
    const Heads heads(*backend, n, 1, state.range(1) != 0);
    const HeadProblem problem = heads.problem(0);
    const RowStats stats = backend->rowStats(problem, {}).value();
    const auto spec = overview(n, static_cast<Quantity>(state.range(2)));
    for (auto _ : state) {
        benchmark::DoNotOptimize(backend->tile(problem, &stats, spec, {}).value().values.data());
    }
    countWork(state, heads.macs());
}

void attend(benchmark::State& state)
{
    const BackendPtr backend = backendOf(state);
    if (backend == nullptr) {
        return;
    }
    const std::int64_t n = state.range(0);
    const Heads heads(*backend, n, 1, state.range(1) != 0);
    const HeadProblem problem = heads.problem(0);
    Tensor out(Shape{n, Width});
    for (auto _ : state) {
        if (!backend->attend(problem, heads.v(0), out.matrix(), {})) {
            state.SkipWithError("attend failed");
        }
    }
    countWork(state, 2 * heads.macs());
}

void linear(benchmark::State& state)
{
    const BackendPtr backend = backendOf(state);
    if (backend == nullptr) {
        return;
    }
    const std::int64_t n = state.range(0);
    const std::int64_t width = state.range(1);
    const auto x = numbers({n, width}, 0.1);
    const auto w = numbers({width, width}, 0.2);
    Tensor out(Shape{n, width});
    for (auto _ : state) {
        if (!backend->linear(x->matrix(), w->matrix(), {}, out.matrix(), {})) {
            state.SkipWithError("linear failed");
        }
    }
    countWork(state,
              static_cast<double>(n) * static_cast<double>(width) * static_cast<double>(width));
}

/// What toggling a mask costs: statistics and the picture of every head. range(0) = L, H = 8.
void maskToggle(benchmark::State& state)
{
    const BackendPtr backend = backendOf(state);
    if (backend == nullptr) {
        return;
    }
    constexpr std::int64_t headCount = 8;
    const std::int64_t n = state.range(0);
    Heads heads(*backend, n, headCount, false);
    bool causal = false;
    for (auto _ : state) {
        causal = !causal;
        heads.mask(causal);
        for (std::int64_t h = 0; h < headCount; ++h) {
            const HeadProblem problem = heads.problem(h);
            const std::int64_t cells = overview(n, Quantity::Weights).texelCells;
            const SurveySpec spec{.cellsDown = cells, .cellsAcross = cells};
            benchmark::DoNotOptimize(
                backend->survey(problem, spec, {}).value().picture.values.data());
        }
    }
    countWork(state, headCount * heads.macs());
}

} // namespace

BENCHMARK(peak)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(rowStats)
    ->ArgNames({"n", "causal"})
    ->ArgsProduct({{256, 1024, 4096}, {0, 1}})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK(tile)
    ->ArgNames({"n", "causal", "quantity"})
    ->ArgsProduct({{256, 1024, 4096}, {0, 1}, {0, 3}})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK(attend)
    ->ArgNames({"n", "causal"})
    ->ArgsProduct({{256, 1024, 4096}, {0, 1}})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK(linear)
    ->ArgNames({"n", "width"})
    ->Args({20, 512})
    ->Args({256, 512})
    ->Args({1024, 512})
    ->Args({4096, 512})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK(maskToggle)
    ->ArgName("L")
    ->Arg(20)
    ->Arg(256)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK(peak)->Name("peakAgain")->Unit(benchmark::kMillisecond)->UseRealTime();

BENCHMARK_MAIN();
