// A loop of independent multiply-adds, as wide as the processor allows.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/speed.h"

namespace heed {

namespace {

/// Enough chains to hide the latency of two units, few enough for the registers.
constexpr int Chains = 12;

/// Keeps the result of a loop that nobody reads.
void keep(float value)
{
    asm volatile("" : : "m"(value) : "memory"); // NOLINT(hicpp-no-assembler)
}

// A macro: a vector wider than the instruction set of a function is split before inlining, so a
// shared inline function would have the narrow loop in all three.
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define HEED_MULTIPLY_ADD_LOOP(name, lanes)                                                        \
    std::int64_t name(std::int64_t count)                                                          \
    {                                                                                              \
        using Vector __attribute__((vector_size((lanes)*4))) = float;                              \
        Vector sums[Chains];                                                                       \
        for (int c = 0; c < Chains; ++c) {                                                         \
            sums[c] = Vector{} + static_cast<float>(c);                                            \
        }                                                                                          \
        const Vector factor = Vector{} + 0.999F;                                                   \
        const Vector term = Vector{} + 0.001F;                                                     \
        const std::int64_t rounds = count / (Chains * (lanes));                                    \
        for (std::int64_t i = 0; i < rounds; ++i) {                                                \
            for (int c = 0; c < Chains; ++c) {                                                     \
                sums[c] = sums[c] * factor + term;                                                 \
            }                                                                                      \
        }                                                                                          \
        for (int c = 0; c < Chains; ++c) {                                                         \
            keep(sums[c][0]);                                                                      \
        }                                                                                          \
        return rounds * Chains * (lanes);                                                          \
    }

#if defined(__x86_64__)
__attribute__((target("avx512f"))) HEED_MULTIPLY_ADD_LOOP(loop16, 16)
    __attribute__((target("avx2,fma"))) HEED_MULTIPLY_ADD_LOOP(loop8, 8)
#endif
        HEED_MULTIPLY_ADD_LOOP(loop4, 4)
#undef HEED_MULTIPLY_ADD_LOOP

} // namespace

std::int64_t multiplyAdds(std::int64_t count)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        return loop16(count);
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return loop8(count);
    }
#endif
    return loop4(count);
}

} // namespace heed
