// Weights of a layer, drawn from a seed.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/philox.h"
#include "heed/layer.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heed {

namespace {

/// Uniform numbers in [−bound, bound), number n of stream `number` in element n.
Expected<void> drawUniform(std::uint64_t seed, std::uint64_t number, double bound,
                           std::span<float> out, const Execution& execution)
{
    constexpr std::int64_t wordsPerBlock = 4;
    constexpr std::int64_t blocksPerTask = 16384;
    const auto size = static_cast<std::int64_t>(out.size());
    return parallelFor(
        (size + wordsPerBlock - 1) / wordsPerBlock, blocksPerTask, execution,
        [&](std::int64_t begin, std::int64_t end) -> Expected<void> {
            for (std::int64_t block = begin; block < end; ++block) {
                const PhiloxCounter words = randomWords(seed, RandomUse::Weights, number,
                                                        static_cast<std::uint32_t>(block));
                const std::int64_t first = block * wordsPerBlock;
                for (std::int64_t i = first; i < std::min(size, first + wordsPerBlock); ++i) {
                    // 24 bits: every value is a float32, so no rounding can differ.
                    const double unit = (words[static_cast<std::size_t>(i - first)] >> 8) * 0x1p-24;
                    out[static_cast<std::size_t>(i)] =
                        static_cast<float>((2.0 * unit - 1.0) * bound);
                }
            }
            return {};
        });
}

} // namespace

Expected<LayerWeights> makeWeights(const LayerConfig& config, const Execution& execution)
{
    const std::int64_t width = config.modelWidth;
    const std::int64_t queryRows = config.heads * config.headWidth();
    const std::int64_t keyRows = config.keyValueHeads() * config.headWidth();
    LayerWeights weights;
    struct Matrix {
        Tensor& weight;
        Tensor& bias;
        std::int64_t out;
        std::int64_t in;
    };
    const std::array<Matrix, 4> matrices = {{{weights.wq, weights.bq, queryRows, width},
                                             {weights.wk, weights.bk, keyRows, width},
                                             {weights.wv, weights.bv, keyRows, width},
                                             {weights.wo, weights.bo, width, queryRows}}};
    std::uint64_t stream = 0; // 2·matrix for the weight, 2·matrix + 1 for its bias
    for (const Matrix& matrix : matrices) {
        const double bound = 1.0 / std::sqrt(static_cast<double>(matrix.in));
        for (const bool isBias : {false, true}) {
            Tensor& target = isBias ? matrix.bias : matrix.weight;
            if (!isBias || config.biased) {
                auto made = Tensor::make(isBias ? Shape{matrix.out} : Shape{matrix.out, matrix.in});
                if (!made) {
                    return tl::unexpected(made.error());
                }
                target = std::move(*made);
                if (auto drawn =
                        drawUniform(config.seed, stream, bound, target.values(), execution);
                    !drawn) {
                    return tl::unexpected(drawn.error());
                }
            }
            ++stream;
        }
    }
    return weights;
}

} // namespace heed
