// The two ends of a model: token ids to the first hidden state, the last hidden state to logits.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/pass.h"
#include "model/rowwise.h"

#include <algorithm>
#include <cmath>

namespace heed::detail {

namespace {

/// Adds the row of a table that @p rowOf(item, token) names to every token, times @p factor.
Expected<void> addRows(const Pass& pass, const Table& table, float factor, const auto& rowOf,
                       Tensor& x)
{
    Tensor room;
    const MatrixView<float> to = rowsOf(x);
    for (std::int64_t row = 0; row < pass.rows(); ++row) {
        const auto added = table.read(rowOf(row / pass.length, row % pass.length), 1, room);
        if (!added) {
            return tl::unexpected(added.error());
        }
        const auto sum = to.row(row);
        std::ranges::transform(added->row(0), sum, sum.begin(),
                               [factor](float a, float b) { return factor * a + b; });
    }
    return {};
}

std::int64_t lengthOf(const ModelInput& input, std::int64_t item, std::int64_t length)
{
    return input.lengths.empty() ? length : input.lengths[static_cast<std::size_t>(item)];
}

/// The row of the position table for a token. Where padding has no position, it gets the row in
/// front of the first.
std::int64_t positionRow(const ModelConfig& config, const ModelInput& input, std::int64_t item,
                         std::int64_t token, std::int64_t length)
{
    if (!config.positionsSkipPadding) {
        return config.positionOffset + token;
    }
    const std::int64_t real = lengthOf(input, item, length);
    const std::int64_t place = input.padSide == PadSide::Left ? token - (length - real) : token;
    return config.positionOffset + (place < 0 || place >= real ? -1 : place);
}

/// Sines of all frequencies, then cosines; computed in float64 as the reference makes its table.
void addSinusoids(const Pass& pass, const auto& rowOf, Tensor& x)
{
    const MatrixView<float> to = rowsOf(x);
    const std::int64_t half = (to.columns + 1) / 2;
    for (std::int64_t row = 0; row < pass.rows(); ++row) {
        const auto position = static_cast<double>(rowOf(row / pass.length, row % pass.length));
        for (std::int64_t c = 0; c < to.columns; ++c) {
            constexpr double base = 10000;
            const auto wave = static_cast<double>(2 * (c % half)) / static_cast<double>(to.columns);
            const double angle = position / std::pow(base, wave);
            to(row, c) += static_cast<float>(c < half ? std::sin(angle) : std::cos(angle));
        }
    }
}

Expected<void> project(const Pass& pass, const Linear& projection, Tensor& x)
{
    if (!projection.exists()) {
        return {};
    }
    auto projected = apply(pass, projection, rowsOf(x));
    if (!projected) {
        return tl::unexpected(projected.error());
    }
    x = std::move(*projected);
    return {};
}

} // namespace

Expected<Tensor> embedTokens(const Pass& pass, const EmbeddingWeights& weights,
                             const ModelInput& input)
{
    const ModelConfig& config = pass.config;
    auto made = Tensor::make({pass.items, pass.length, config.embeddingWidth});
    if (!made) {
        return made;
    }
    Tensor& x = *made;
    const auto entry = [](const std::vector<std::vector<std::int64_t>>& rows) {
        return [&rows](std::int64_t item, std::int64_t token) {
            return rows[static_cast<std::size_t>(item)][static_cast<std::size_t>(token)];
        };
    };
    const auto zero = [](std::int64_t, std::int64_t) { return std::int64_t{0}; };
    const auto position = [&](std::int64_t item, std::int64_t token) {
        return positionRow(config, input, item, token, pass.length);
    };
    auto done = addRows(pass, weights.tokens, static_cast<float>(config.embeddingScale),
                        entry(input.ids), x);
    if (done && pass.family.projectsTokensOnly) {
        done = project(pass, weights.projection, x);
    }
    if (done && weights.types.exists()) {
        done = input.types.empty() ? addRows(pass, weights.types, 1, zero, x)
                                   : addRows(pass, weights.types, 1, entry(input.types), x);
    }
    if (done && weights.positions.exists()) {
        done = addRows(pass, weights.positions, 1, position, x);
    }
    if (done && config.positions == ModelPositions::Sinusoid) {
        addSinusoids(pass, position, x);
    }
    if (done && weights.norm.exists()) {
        done = normalise(rowsOf(x), config.norm, weights.norm, config.normEpsilon, pass.execution);
    }
    if (done && !pass.family.projectsTokensOnly) {
        done = project(pass, weights.projection, x);
    }
    if (!done) {
        return tl::unexpected(done.error());
    }
    return made;
}

Expected<Tensor> predict(const Pass& pass, const HeadWeights& weights, const Tensor& hidden)
{
    const ModelConfig& config = pass.config;
    Tensor dense;
    const Tensor* in = &hidden;
    if (weights.dense.exists()) {
        auto made = apply(pass, weights.dense, rowsOf(hidden));
        if (!made) {
            return made;
        }
        dense = std::move(*made);
        auto done = activate(rowsOf(dense), pass.family.headActivation.value_or(config.activation),
                             pass.execution);
        if (done) {
            done = normalise(rowsOf(dense), config.norm, weights.norm, config.normEpsilon,
                             pass.execution);
        }
        if (!done) {
            return tl::unexpected(done.error());
        }
        in = &dense;
    }
    auto logits = Tensor::make({pass.items, pass.length, config.vocabulary});
    if (!logits) {
        return logits;
    }
    Tensor room;
    const Table& words = weights.words;
    const auto bias = weights.bias.values();
    for (std::int64_t first = 0; first < words.rows();) {
        const std::int64_t count = std::min(words.rowsAtOnce(), words.rows() - first);
        const auto block = words.read(first, count, room);
        if (!block) {
            return tl::unexpected(block.error());
        }
        const MatrixView<float> out{logits->data() + first, pass.rows(), count, words.rows()};
        const auto biases = bias.empty() ? bias
                                         : bias.subspan(static_cast<std::size_t>(first),
                                                        static_cast<std::size_t>(count));
        if (auto done = pass.backend.linear(rowsOf(*in), *block, biases, out, pass.execution);
            !done) {
            return tl::unexpected(done.error());
        }
        first += count;
    }
    if (config.logitCap > 0) {
        const auto cap = static_cast<float>(config.logitCap);
        for (float& logit : logits->values()) {
            logit = cap * std::tanh(logit / cap);
        }
    }
    return logits;
}

} // namespace heed::detail
