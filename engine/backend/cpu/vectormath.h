// Vectors of float32 as wide as the instruction set of the module, and their exponential.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

namespace heed::cpu {

// The vector extension of GCC and Clang: one source for every instruction set, and, unlike a loop
// left to the optimiser, vectors in every build type.
#if defined(__AVX512F__)
inline constexpr int Lanes = 16;
#elif defined(__AVX__)
inline constexpr int Lanes = 8;
#else
inline constexpr int Lanes = 4;
#endif
using FloatV __attribute__((vector_size(Lanes * 4))) = float;
using IntV __attribute__((vector_size(Lanes * 4))) = std::int32_t;
using UIntV __attribute__((vector_size(Lanes * 4))) = std::uint32_t;

inline constexpr float Infinity = std::numeric_limits<float>::infinity();
inline constexpr float NotANumber = std::numeric_limits<float>::quiet_NaN();

/// exp(x) is 0 in float32 from here down.
inline constexpr float ExpLowest = -104.0F;

[[gnu::always_inline]] inline FloatV load(const float* p)
{
    FloatV v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

[[gnu::always_inline]] inline void store(float* p, FloatV v)
{
    std::memcpy(p, &v, sizeof v);
}

[[gnu::always_inline]] inline FloatV splat(float x)
{
    return x - FloatV{};
}

/// The first @p count numbers at @p p, then @p rest.
[[gnu::always_inline]] inline FloatV loadPart(const float* p, std::int64_t count, float rest)
{
    FloatV v = splat(rest);
    std::memcpy(&v, p, static_cast<std::size_t>(count) * sizeof(float));
    return v;
}

[[gnu::always_inline]] inline void storePart(float* p, FloatV v, std::int64_t count)
{
    std::memcpy(p, &v, static_cast<std::size_t>(count) * sizeof(float));
}

/// @p v as it would be in memory: keeps a product from being fused with the subtraction after it,
/// where row_stats and its readers must round alike.
[[gnu::always_inline]] inline FloatV rounded(FloatV v)
{
#if defined(__x86_64__)
    __asm__("" : "+x"(v));
#elif defined(__aarch64__)
    __asm__("" : "+w"(v));
#else
    const volatile FloatV kept = v;
    v = kept;
#endif
    return v;
}

/// exp with less than 2 units in the last place of error, subnormal results included; exactly 0 for
/// −inf, exactly 1 for 0, NaN for NaN. @param x at most 88.
[[gnu::always_inline]] inline FloatV expV(FloatV x)
{
    x = x < ExpLowest ? splat(ExpLowest) : x; // false for NaN, which stays
    x = x > 88.0F ? splat(88.0F) : x;
    // x = n ln2 + r, |r| <= ln2 / 2. Adding 1.5 · 2^23 rounds to an integer held in the low bits.
    const FloatV magic = splat(0x1.8p23F);
    const FloatV shifted = x * 0x1.715476p+0F + magic;
    UIntV bits;
    UIntV magicBits;
    std::memcpy(&bits, &shifted, sizeof bits);
    std::memcpy(&magicBits, &magic, sizeof magicBits);
    const UIntV whole = bits - magicBits;
    const FloatV n = shifted - magic;
    // ln2 in two parts, so that n times the first part is exact.
    const FloatV r = (x - n * 0x1.62e4p-1F) - n * 0x1.7f7d1cp-20F;
    // Taylor with the last coefficients fitted (Cephes expf).
    FloatV y = r * 1.9875691500e-4F + 1.3981999507e-3F;
    y = y * r + 8.3334519073e-3F;
    y = y * r + 4.1665795894e-2F;
    y = y * r + 1.6666665459e-1F;
    y = y * r + 5.0000001201e-1F;
    y = y * (r * r) + r + 1.0F;
    // 2^n in two factors: one alone cannot make a subnormal result.
    IntV signedWhole;
    std::memcpy(&signedWhole, &whole, sizeof signedWhole);
    const IntV half = signedWhole >> 1;
    UIntV halfBits;
    std::memcpy(&halfBits, &half, sizeof halfBits);
    const UIntV first = (halfBits + 127U) << 23;
    const UIntV second = (whole - halfBits + 127U) << 23;
    FloatV firstFactor;
    FloatV secondFactor;
    std::memcpy(&firstFactor, &first, sizeof first);
    std::memcpy(&secondFactor, &second, sizeof second);
    return y * firstFactor * secondFactor;
}

[[gnu::always_inline]] inline float largest(FloatV v)
{
    float best = v[0];
    for (int lane = 1; lane < Lanes; ++lane) {
        best = v[lane] > best ? v[lane] : best;
    }
    return best;
}

[[gnu::always_inline]] inline double total(FloatV v)
{
    double sum = 0;
    for (int lane = 0; lane < Lanes; ++lane) {
        sum += double{v[lane]};
    }
    return sum;
}

/// Whether any lane of a comparison is set.
[[gnu::always_inline]] inline bool any(IntV comparison)
{
    std::int32_t bits = 0;
    for (int lane = 0; lane < Lanes; ++lane) {
        bits |= comparison[lane];
    }
    return bits != 0;
}

} // namespace heed::cpu
