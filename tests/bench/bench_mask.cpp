// What a mask costs apart from the attention under it: compiling it, and the reasons of a picture.
//
// Rows of one name differ in n alone, so growth can be read: a plane of a few ranges a row takes
// time and memory linear in n, the reasons of a picture hardly depend on it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/tilereasons.h"

#include <benchmark/benchmark.h>

using namespace heed;

namespace {

constexpr std::int64_t Heads = 144;

MaskPtr compiled(benchmark::State& state, const std::string& expression)
{
    const std::int64_t n = state.range(0);
    auto mask = compileMask(expression, {.heads = Heads, .queries = n, .keys = n});
    if (!mask) {
        state.SkipWithError(mask.error().message.c_str());
        return nullptr;
    }
    return *mask;
}

/// Sixteen documents of equal length.
std::string documents(std::int64_t n)
{
    std::string list;
    for (int document = 0; document < 16; ++document) {
        list += (list.empty() ? "" : ", ") + std::to_string(n / 16);
    }
    return "documents([" + list + "])";
}

void compile(benchmark::State& state, const std::string& expression)
{
    for (auto _ : state) {
        benchmark::DoNotOptimize(compiled(state, expression));
    }
    if (const MaskPtr mask = compiled(state, expression)) {
        const MaskPlane plane = mask->plane(0, 0);
        const bool isShared = plane.ranges.data() == mask->plane(0, Heads - 1).ranges.data();
        state.counters["bytes/n"] =
            static_cast<double>(plane.rowStart.size_bytes() + plane.ranges.size_bytes() +
                                plane.words.size_bytes()) /
            static_cast<double>(state.range(0)) * (isShared ? 1.0 : double{Heads});
    }
}

void compileCausal(benchmark::State& state)
{
    compile(state, "causal");
}

void compileWindow(benchmark::State& state)
{
    compile(state, "window(128)");
}

void compileDocuments(benchmark::State& state)
{
    compile(state, documents(state.range(0)));
}

/// Of the tile that shows a whole map.
void reasons(benchmark::State& state, const std::string& expression)
{
    const MaskPtr mask = compiled(state, expression);
    if (mask == nullptr) {
        return;
    }
    TileSpec spec;
    spec.rows = spec.columns = state.range(0);
    spec.texelCells = state.range(0) / TileSide;
    std::vector<float> maskedShare;
    for (std::int64_t row = 0; row < spec.rows; row += spec.texelCells) {
        for (std::int64_t column = 0; column < spec.columns; column += spec.texelCells) {
            const BlockClass kind =
                mask->classify(0, 0, row, column, spec.texelCells, spec.texelCells);
            maskedShare.push_back(kind == BlockClass::AllKept ? 0.0F : 1.0F);
        }
    }
    for (auto _ : state) {
        benchmark::DoNotOptimize(reasonsOfTile(*mask, {}, spec, maskedShare, {}).value().data());
    }
}

void reasonsCausal(benchmark::State& state)
{
    reasons(state, "causal");
}

void reasonsOfThree(benchmark::State& state)
{
    reasons(state, "causal & window(128) & " + documents(state.range(0)));
}

} // namespace

BENCHMARK(compileCausal)
    ->ArgName("n")
    ->Arg(4096)
    ->Arg(32768)
    ->Arg(131072)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(compileWindow)
    ->ArgName("n")
    ->Arg(4096)
    ->Arg(32768)
    ->Arg(131072)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(compileDocuments)
    ->ArgName("n")
    ->Arg(4096)
    ->Arg(32768)
    ->Arg(131072)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(reasonsCausal)
    ->ArgName("n")
    ->Arg(32768)
    ->Arg(131072)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK(reasonsOfThree)
    ->ArgName("n")
    ->Arg(32768)
    ->Arg(131072)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

BENCHMARK_MAIN();
