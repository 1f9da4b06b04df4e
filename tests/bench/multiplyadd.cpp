// A loop of independent multiply-adds, as wide as the processor allows.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "multiplyadd.h"

namespace heed::bench {
namespace {

#if defined(__AVX512F__)
constexpr int Lanes = 16;
#elif defined(__AVX__)
constexpr int Lanes = 8;
#else
constexpr int Lanes = 4;
#endif
using FloatV __attribute__((vector_size(Lanes * 4))) = float;

/// Enough chains to hide the latency of two units, few enough for the registers.
constexpr int Chains = 12;

} // namespace

std::int64_t multiplyAdds(std::int64_t count, float& sink)
{
    FloatV sums[Chains];
    for (int c = 0; c < Chains; ++c) {
        sums[c] = FloatV{} + static_cast<float>(c);
    }
    const FloatV factor = FloatV{} + 0.999F;
    const FloatV term = FloatV{} + 0.001F;
    const std::int64_t rounds = count / (Chains * Lanes);
    for (std::int64_t i = 0; i < rounds; ++i) {
        for (int c = 0; c < Chains; ++c) {
            sums[c] = sums[c] * factor + term;
        }
    }
    for (int c = 0; c < Chains; ++c) {
        sink += sums[c][0];
    }
    return rounds * Chains * Lanes;
}

} // namespace heed::bench
