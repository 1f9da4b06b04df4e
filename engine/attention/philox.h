// Philox4x32-10, the counter-based random generator of Salmon et al. 2011.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

namespace heed {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

/// Four random words for @p counter under @p key. A pure function: any number of a stream can be
/// had alone, in any order, on any thread.
[[nodiscard]] constexpr PhiloxCounter philox(PhiloxCounter counter, PhiloxKey key)
{
    constexpr std::uint64_t multiplier0 = 0xD2511F53;
    constexpr std::uint64_t multiplier1 = 0xCD9E8D57;
    constexpr std::uint32_t weyl0 = 0x9E3779B9; // golden ratio
    constexpr std::uint32_t weyl1 = 0xBB67AE85; // √3 − 1
    constexpr int rounds = 10;
    for (int round = 0; round < rounds; ++round) {
        const std::uint64_t product0 = multiplier0 * counter[0];
        const std::uint64_t product1 = multiplier1 * counter[2];
        counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
                   static_cast<std::uint32_t>(product1),
                   static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
                   static_cast<std::uint32_t>(product0)};
        key[0] += weyl0;
        key[1] += weyl1;
    }
    return counter;
}

/// What a stream of random numbers is for. Part of the counter, so streams never meet.
enum class RandomUse : std::uint32_t { Weights = 0, Tokens = 1, PaddingToken = 2 };

/// The words 4·block … 4·block + 3 of the stream (seed, use, number).
[[nodiscard]] constexpr PhiloxCounter randomWords(std::uint64_t seed, RandomUse use,
                                                  std::uint64_t number, std::uint32_t block)
{
    return philox({block, static_cast<std::uint32_t>(use), static_cast<std::uint32_t>(number),
                   static_cast<std::uint32_t>(number >> 32)},
                  {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
}

} // namespace heed
