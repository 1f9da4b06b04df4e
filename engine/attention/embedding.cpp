// Token vectors from a seed, and the two ways of telling a model where a token stands.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/philox.h"
#include "heed/layer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace heed {

namespace {

constexpr double LongestWavelength = 10000.0; // both papers use it

/// Normal numbers by Box and Muller: in float64, so that the last bit of a float32 does not depend
/// on the mathematics library.
void drawNormal(std::uint64_t seed, RandomUse use, std::uint64_t number, std::span<float> out)
{
    for (std::size_t begin = 0; begin < out.size(); begin += 4) {
        const PhiloxCounter words =
            randomWords(seed, use, number, static_cast<std::uint32_t>(begin / 4));
        std::array<double, 4> normal{};
        for (std::size_t pair = 0; pair < 4; pair += 2) {
            const double uniform = (words[pair] + 1.0) * 0x1p-32; // in (0, 1]: its log is finite
            const double angle = 2.0 * std::numbers::pi * (words[pair + 1] * 0x1p-32);
            const double radius = std::sqrt(-2.0 * std::log(uniform));
            normal[pair] = radius * std::cos(angle);
            normal[pair + 1] = radius * std::sin(angle);
        }
        for (std::size_t i = begin; i < std::min(out.size(), begin + 4); ++i) {
            out[i] = static_cast<float>(normal[i - begin]);
        }
    }
}

/// 10000^(−2i/width) for i = 0 … ⌈width/2⌉ − 1.
std::vector<double> frequencies(std::int64_t width)
{
    std::vector<double> result;
    for (std::int64_t i = 0; i < width; i += 2) {
        result.push_back(
            std::pow(LongestWavelength, -static_cast<double>(i) / static_cast<double>(width)));
    }
    return result;
}

void sinusoidalRow(std::int64_t position, const std::vector<double>& frequency,
                   std::span<float> out)
{
    for (std::size_t column = 0; column < out.size(); ++column) {
        const double angle = static_cast<double>(position) * frequency[column / 2];
        out[column] = static_cast<float>(column % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
}

} // namespace

Expected<Tensor> embed(const Batch& batch, const LayerConfig& config, const Execution& execution)
{
    const std::int64_t width = config.modelWidth;
    auto made = Tensor::make({batch.size(), batch.length, width});
    if (!made) {
        return made;
    }
    Tensor& x = *made;
    const auto rowOf = [&](std::int64_t row) {
        return x.values().subspan(static_cast<std::size_t>(row * width),
                                  static_cast<std::size_t>(width));
    };
    const auto tokenAt = [&](std::int64_t row) -> const Token& {
        return batch.items[static_cast<std::size_t>(row / batch.length)]
                          [static_cast<std::size_t>(row % batch.length)];
    };

    // A vector is drawn where its token stands first; the other places copy it.
    const std::int64_t rows = batch.size() * batch.length;
    std::map<std::pair<bool, std::uint64_t>, std::int64_t> firstRowOf;
    std::vector<std::int64_t> source(static_cast<std::size_t>(rows));
    std::vector<std::int64_t> distinct;
    for (std::int64_t row = 0; row < rows; ++row) {
        const Token& token = tokenAt(row);
        const auto [place, isNew] =
            firstRowOf.try_emplace({token.isPadding, token.isPadding ? 0 : token.id}, row);
        source[static_cast<std::size_t>(row)] = place->second;
        if (isNew) {
            distinct.push_back(row);
        }
    }
    constexpr std::int64_t rowsPerBlock = 64;
    auto result = parallelFor(
        static_cast<std::int64_t>(distinct.size()), rowsPerBlock, execution,
        [&](std::int64_t begin, std::int64_t end) -> Expected<void> {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t row = distinct[static_cast<std::size_t>(i)];
                const Token& token = tokenAt(row);
                drawNormal(config.seed,
                           token.isPadding ? RandomUse::PaddingToken : RandomUse::Tokens,
                           token.isPadding ? 0 : token.id, rowOf(row));
            }
            return {};
        });
    for (std::int64_t row = 0; row < rows && result; ++row) {
        const std::int64_t from = source[static_cast<std::size_t>(row)];
        if (from != row) {
            std::ranges::copy(rowOf(from), rowOf(row).begin());
        }
    }
    if (result && config.positions == Positions::Sinusoidal) {
        const std::vector<double> frequency = frequencies(width);
        result =
            parallelFor(batch.length, rowsPerBlock, execution,
                        [&](std::int64_t begin, std::int64_t end) -> Expected<void> {
                            std::vector<float> table(static_cast<std::size_t>(width));
                            for (std::int64_t position = begin; position < end; ++position) {
                                sinusoidalRow(position, frequency, table);
                                for (std::int64_t item = 0; item < batch.size(); ++item) {
                                    std::ranges::transform(
                                        rowOf(item * batch.length + position), table,
                                        rowOf(item * batch.length + position).begin(), std::plus{});
                                }
                            }
                            return {};
                        });
    }
    if (!result) {
        return tl::unexpected(result.error());
    }
    return made;
}

Expected<Tensor> sinusoidalTable(std::int64_t length, std::int64_t width)
{
    auto table = Tensor::make({length, width});
    if (table && !table->empty()) {
        const std::vector<double> frequency = frequencies(width);
        for (std::int64_t position = 0; position < length; ++position) {
            sinusoidalRow(position, frequency, table->matrix().row(position));
        }
    }
    return table;
}

void applyRotary(Tensor& x)
{
    HEED_CHECK(x.rank() >= 2 && x.extent(x.rank() - 1) % 2 == 0, return );
    const std::int64_t width = x.extent(x.rank() - 1);
    const std::int64_t length = x.extent(x.rank() - 2);
    const std::int64_t half = width / 2;
    const std::vector<double> frequency = frequencies(width);
    std::vector<double> cosine(frequency.size());
    std::vector<double> sine(frequency.size());
    for (std::int64_t position = 0; position < length; ++position) {
        for (std::size_t c = 0; c < frequency.size(); ++c) {
            const double angle = static_cast<double>(position) * frequency[c];
            cosine[c] = std::cos(angle);
            sine[c] = std::sin(angle);
        }
        for (std::int64_t start = position * width; start < x.size(); start += length * width) {
            float* row = x.data() + start;
            for (std::int64_t c = 0; c < half; ++c) {
                const auto pair = static_cast<std::size_t>(c);
                const double first = row[c];
                const double second = row[c + half];
                row[c] = static_cast<float>(first * cosine[pair] - second * sine[pair]);
                row[c + half] = static_cast<float>(second * cosine[pair] + first * sine[pair]);
            }
        }
    }
}

} // namespace heed
