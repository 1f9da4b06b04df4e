// Norms, activations and sums over the rows of a matrix.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/rowwise.h"

#include "model/activations.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

namespace heed::detail {

namespace {

constexpr std::int64_t NumbersPerBlock = 1 << 14;

Expected<void> forRows(MatrixView<float> x, const Execution& execution, const auto& body)
{
    const std::int64_t grain =
        std::max<std::int64_t>(1, NumbersPerBlock / std::max<std::int64_t>(1, x.columns));
    Execution quiet = execution;
    quiet.progress = {};
    return parallelFor(x.rows, grain, quiet,
                       [&](std::int64_t begin, std::int64_t end) -> Expected<void> {
                           for (std::int64_t row = begin; row < end; ++row) {
                               body(x.row(row));
                           }
                           return {};
                       });
}

/// Mean and variance as PyTorch has them: of the row, not of a sample.
void layerNorm(std::span<float> row, const Norm& norm, double epsilon)
{
    double sum = 0;
    for (const float value : row) {
        sum += value;
    }
    const double mean = sum / static_cast<double>(row.size());
    double squares = 0;
    for (const float value : row) {
        squares += (value - mean) * (value - mean);
    }
    const double factor = 1 / std::sqrt(squares / static_cast<double>(row.size()) + epsilon);
    const auto weight = norm.weight.values();
    const auto bias = norm.bias.values();
    for (std::size_t i = 0; i < row.size(); ++i) {
        const auto unit = static_cast<float>((row[i] - mean) * factor);
        row[i] = unit * weight[i] + (bias.empty() ? 0.0F : bias[i]);
    }
}

void rmsNorm(std::span<float> row, const Norm& norm, double epsilon, float plus)
{
    double squares = 0;
    for (const float value : row) {
        squares += static_cast<double>(value) * value;
    }
    const double factor = 1 / std::sqrt(squares / static_cast<double>(row.size()) + epsilon);
    const auto weight = norm.weight.values();
    for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = static_cast<float>(row[i] * factor) * (plus + weight[i]);
    }
}

/// Calls use(f) with the activation as a function object, so that the loop is compiled for it.
auto withActivation(Activation activation, const auto& use)
{
    switch (activation) {
    case Activation::GeluTanh:
        return use([](Four x) { return geluTanh(x); });
    case Activation::QuickGelu:
        return use([](Four x) { return quickGelu(x); });
    case Activation::Relu:
        return use([](Four x) { return x < 0 ? Four{} : x; }); // NaN stays
    case Activation::Silu:
        return use([](Four x) { return silu(x); });
    case Activation::Gelu:
        break;
    }
    return use([](Four x) { return gelu(x); });
}

constexpr std::size_t Lanes = sizeof(Four) / sizeof(float);

/// The first @p count of four numbers, then zeros.
Four loadFour(const float* from, std::size_t count = Lanes)
{
    Four x{};
    std::memcpy(&x, from, count * sizeof(float));
    return x;
}

/// Calls change(x, place, count) with four numbers at a time, at the end with fewer and zeros.
void forFours(std::span<float> row, const auto& change)
{
    std::size_t i = 0;
    for (; i + Lanes <= row.size(); i += Lanes) {
        const Four x = change(loadFour(row.data() + i), i, Lanes);
        std::memcpy(row.data() + i, &x, sizeof x);
    }
    if (const std::size_t rest = row.size() - i; rest > 0) {
        const Four x = change(loadFour(row.data() + i, rest), i, rest);
        std::memcpy(row.data() + i, &x, rest * sizeof(float));
    }
}

} // namespace

Expected<void> normalise(MatrixView<float> x, NormKind kind, const Norm& norm, double epsilon,
                         const Execution& execution)
{
    return forRows(x, execution, [&](std::span<float> row) {
        if (kind == NormKind::Layer) {
            layerNorm(row, norm, epsilon);
        } else {
            rmsNorm(row, norm, epsilon, kind == NormKind::RmsPlusOne ? 1.0F : 0.0F);
        }
    });
}

Expected<void> activate(MatrixView<float> x, Activation activation, const Execution& execution)
{
    return withActivation(activation, [&](auto f) {
        return forRows(x, execution, [&](std::span<float> row) {
            forFours(row, [&](Four four, std::size_t, std::size_t) { return f(four); });
        });
    });
}

Expected<void> activateGate(MatrixView<float> x, Activation activation, const Execution& execution)
{
    return withActivation(activation, [&](auto f) {
        return forRows(x, execution, [&](std::span<float> row) {
            const std::size_t half = row.size() / 2;
            forFours(row.first(half), [&](Four gate, std::size_t i, std::size_t count) {
                return f(gate) * loadFour(row.data() + half + i, count);
            });
        });
    });
}

void addTo(std::span<float> x, std::span<const float> y)
{
    std::ranges::transform(x, y, x.begin(), std::plus{});
}

} // namespace heed::detail
