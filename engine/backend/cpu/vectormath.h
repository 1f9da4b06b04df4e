// Vectors of float32 as wide as the instruction set of the module, and their exponential.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#if defined(__SSE__)
#include <immintrin.h>
#endif

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

/// a > b ? a : b in every lane: a NaN in @p a is passed over, one in @p b stays. One instruction,
/// which the optimiser does not always find by itself.
[[gnu::always_inline]] inline FloatV maxV(FloatV a, FloatV b)
{
#if defined(__AVX512F__)
    // The plain form makes GCC 12 warn of a variable in its own header.
    return reinterpret_cast<FloatV>(_mm512_maskz_max_ps(0xFFFF, a, b));
#elif defined(__AVX__)
    return reinterpret_cast<FloatV>(_mm256_max_ps(a, b));
#elif defined(__SSE__)
    return reinterpret_cast<FloatV>(_mm_max_ps(a, b));
#else
    return a > b ? a : b;
#endif
}

/// Lane l gets what lane l ^ step has. @param step a power of two below Lanes.
[[gnu::always_inline]] inline FloatV exchanged(FloatV v, int step)
{
#if defined(__clang__)
    FloatV result;
    for (int lane = 0; lane < Lanes; ++lane) {
        result[lane] = v[lane ^ step];
    }
    return result;
#else
    IntV numbers{};
    for (int lane = 0; lane < Lanes; ++lane) {
        numbers[lane] = lane ^ step;
    }
    return __builtin_shuffle(v, numbers);
#endif
}

/// Lane l gets lane lanes[l] of a and b beside each other.
[[gnu::always_inline]] inline FloatV chosen(FloatV a, FloatV b, IntV lanes)
{
#if defined(__clang__)
    FloatV result;
    for (int lane = 0; lane < Lanes; ++lane) {
        result[lane] = lanes[lane] < Lanes ? a[lanes[lane]] : b[lanes[lane] - Lanes];
    }
    return result;
#else
    return __builtin_shuffle(a, b, lanes);
#endif
}

/// Swaps rows and columns of a square of numbers, a vector each row.
[[gnu::always_inline]] inline void transpose(std::array<FloatV, Lanes>& rows)
{
    // Off-diagonal blocks of 1, 2, 4, … numbers squared change places.
#pragma GCC unroll 4
    for (int step = 1; step < Lanes; step *= 2) {
        IntV low{};
        IntV high{};
        for (int lane = 0; lane < Lanes; ++lane) {
            low[lane] = (lane & step) == 0 ? lane : lane - step + Lanes;
            high[lane] = (lane & step) == 0 ? lane + step : lane + Lanes;
        }
#pragma GCC unroll 16
        for (std::size_t row = 0; row < Lanes; ++row) {
            const auto other = row + static_cast<std::size_t>(step);
            if ((row & static_cast<std::size_t>(step)) == 0) {
                const FloatV upper = rows[row];
                rows[row] = chosen(upper, rows[other], low);
                rows[other] = chosen(upper, rows[other], high);
            }
        }
    }
}

/// Whether any lane of a comparison is set.
[[gnu::always_inline]] inline bool any(IntV comparison)
{
#if defined(__AVX512F__)
    const auto bits = reinterpret_cast<__m512i>(comparison);
    return _mm512_test_epi32_mask(bits, bits) != 0;
#elif defined(__AVX__)
    const auto bits = reinterpret_cast<__m256i>(comparison);
    return _mm256_testz_si256(bits, bits) == 0;
#elif defined(__SSE2__)
    return _mm_movemask_epi8(reinterpret_cast<__m128i>(comparison)) != 0;
#else
    std::int32_t bits = 0;
    for (int lane = 0; lane < Lanes; ++lane) {
        bits |= comparison[lane];
    }
    return bits != 0;
#endif
}

/// exp with less than 2 units in the last place of error, subnormal results included; exactly 0 for
/// −inf, exactly 1 for 0, NaN for NaN. @param x at most 88.
[[gnu::always_inline]] inline FloatV expV(FloatV x)
{
    // Few are so small or so large; a number has the same result whatever stands beside it.
    const bool isPlain = !any((x < -87.0F) | (x > 88.0F));
    if (!isPlain) {
        x = x < ExpLowest ? splat(ExpLowest) : x; // false for NaN, which stays
        x = x > 88.0F ? splat(88.0F) : x;
    }
    // x = n ln2 + r, |r| <= ln2 / 2. Adding 1.5 · 2^23 rounds to an integer held in the low bits.
    const FloatV magic = splat(0x1.8p23F);
    const FloatV shifted = x * 0x1.715476p+0F + magic;
    UIntV bits;
    std::memcpy(&bits, &shifted, sizeof bits);
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
    if (isPlain) { // 2^n times a number near 1: its exponent has room for n
        UIntV result;
        std::memcpy(&result, &y, sizeof result);
        result += bits << 23;
        std::memcpy(&y, &result, sizeof y);
        return y;
    }
    // 2^n in two factors: one alone cannot make a subnormal result.
    UIntV magicBits;
    std::memcpy(&magicBits, &magic, sizeof magicBits);
    const UIntV whole = bits - magicBits;
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

/// What a drop is at most, in powers of two: 2^−127 is the first that expOfDrop makes 0.
inline constexpr float LowestDrop = -127.0F;
inline constexpr double Ln2 = 0.693147180559945309;

/// exp(drop) for sums of softmax terms: 0 below 2^−127, which no sum that holds exp(0) can tell
/// apart, exactly 1 for 0, NaN for NaN. Error: 3 units in the last place, and |drop| · 2^−24 of the
/// result, which is less than 2^−24 of exp(0). Half the multiplications of expV.
/// @param drop at most 0; becomes drop / ln 2, at least −127, so that 0 · −inf does not arise.
[[gnu::always_inline]] inline FloatV expOfDrop(FloatV& drop)
{
    drop = maxV(splat(LowestDrop), drop * 0x1.715476p+0F);
    // 2^n · 2^r, |r| <= 1/2. Adding 1.5 · 2^23 rounds to an integer held in the low bits.
    const FloatV magic = splat(0x1.8p23F);
    const FloatV shifted = drop + magic;
    const FloatV r = drop - (shifted - magic);
    // 2^r with the least relative error of all polynomials of this degree that are 1 at 0.
    FloatV y = r * 0x1.5bba14p-10F + 0x1.3cea88p-7F;
    y = y * r + 0x1.c6b752p-5F;
    y = y * r + 0x1.ebf9bcp-3F;
    y = y * r + 0x1.62e42ap-1F;
    y = y * r + 1.0F;
    // y is near 1, so its exponent has room for n; 1 · 2^−127 is the number whose bits are all 0.
    UIntV bits;
    UIntV result;
    std::memcpy(&bits, &shifted, sizeof bits);
    std::memcpy(&result, &y, sizeof result);
    result += bits << 23;
    FloatV e;
    std::memcpy(&e, &result, sizeof e);
    return e;
}

/// tanh, within 2 units in the last place (Cephes tanhf).
[[gnu::always_inline]] inline FloatV tanhV(FloatV x)
{
    const FloatV size = x < 0.0F ? -x : x;
    const FloatV square = x * x;
    FloatV small = square * -5.70498872745e-3F + 2.06390887954e-2F;
    small = small * square - 5.37397155531e-2F;
    small = small * square + 1.33314422036e-1F;
    small = small * square - 3.33332819422e-1F;
    small = small * square * x + x;
    const FloatV large = 1.0F - 2.0F / (expV(size > 10.0F ? splat(20.0F) : size * 2.0F) + 1.0F);
    const FloatV signedLarge = x < 0.0F ? -large : large;
    const FloatV chosen = size < 0.625F ? small : signedLarge;
    return x != x ? x : chosen;
}

} // namespace heed::cpu
