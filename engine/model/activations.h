// Activation functions of four numbers at a time.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>
#include <numbers>

namespace heed::detail {

// The vector extension of GCC and Clang: a loop over single numbers with comparisons stays one.
using Four __attribute__((vector_size(16))) = float;
using FourBits __attribute__((vector_size(16))) = std::uint32_t;

[[nodiscard]] inline Four fourOf(float x)
{
    return Four{x, x, x, x};
}

/// e^x within 2e-7 of it; 0 below −87, where the numbers of float32 become inexact, and e^88 above
/// 88. NaN stays.
inline Four fastExp(Four x)
{
    constexpr float least = -87.0F;
    constexpr float most = 88.0F;
    const Four low = x < least ? fourOf(least) : x;
    const Four kept = low > most ? fourOf(most) : low;
    // Added to this number, a small one is rounded to the whole number in its lowest bits.
    constexpr float rounder = 12582912.0F; // 1.5 · 2^23
    const Four moved = kept * std::numbers::log2e_v<float> + rounder;
    const Four whole = moved - rounder;
    // x − whole · ln 2, which is taken off in two parts so that no digit of it is lost.
    constexpr float ln2High = 0.693359375F;
    constexpr float ln2Low = -2.12194440e-4F;
    const Four r = (kept - whole * ln2High) - whole * ln2Low;
    // The series of Cephes, expf.
    Four series = 1.9875691500e-4F * r + 1.3981999507e-3F;
    series = series * r + 8.3334519073e-3F;
    series = series * r + 4.1665795894e-2F;
    series = series * r + 1.6666665459e-1F;
    series = series * r + 5.0000001201e-1F;
    const Four mantissa = series * r * r + r + 1;
    constexpr unsigned exponentBits = 23;
    const auto power = std::bit_cast<FourBits>(moved) << exponentBits;
    const Four result = mantissa * std::bit_cast<Four>(power + std::bit_cast<FourBits>(fourOf(1)));
    return x < least ? Four{} : result;
}

inline Four sigmoid(Four x)
{
    return 1 / (1 + fastExp(-x));
}

/// 1 − erf z within 3e-7 of it, z >= 0: Press et al., Numerical Recipes, section 6.2.
inline Four erfcOf(Four z)
{
    const Four t = 1 / (1 + 0.5F * z);
    Four series = 0.17087277F * t - 0.82215223F;
    series = series * t + 1.48851587F;
    series = series * t - 1.13520398F;
    series = series * t + 0.27886807F;
    series = series * t - 0.18628806F;
    series = series * t + 0.09678418F;
    series = series * t + 0.37409196F;
    series = series * t + 1.00002368F;
    series = series * t - 1.26551223F;
    return t * fastExp(series - z * z);
}

/// x · Φ(x), of the normal distribution.
inline Four gelu(Four x)
{
    constexpr float rootOfHalf = 1 / std::numbers::sqrt2_v<float>;
    const Four size = x < 0 ? -x : x;
    const Four tail = 0.5F * erfcOf(size * rootOfHalf);
    return x * (x < 0 ? tail : 1 - tail);
}

/// x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³))) of Hendrycks and Gimpel, which is x · σ of twice
/// that.
inline Four geluTanh(Four x)
{
    constexpr float twiceRoot = 1.59576912160573071F; // 2 √(2/π)
    constexpr float cubic = 0.044715F;
    return x * sigmoid(twiceRoot * (x + cubic * x * x * x));
}

inline Four quickGelu(Four x)
{
    constexpr float slope = 1.702F;
    return x * sigmoid(slope * x);
}

inline Four silu(Four x)
{
    return x * sigmoid(x);
}

} // namespace heed::detail
