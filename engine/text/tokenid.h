// The number that stands for a token's text.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace heed::detail {

/// 64-bit FNV-1a of the bytes: no table to store, the same on every machine.
[[nodiscard]] constexpr std::uint64_t tokenId(std::string_view text)
{
    std::uint64_t hash = 0xCBF29CE484222325U; // the offset basis of the published algorithm
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001B3U; // its prime
    }
    return hash;
}

} // namespace heed::detail
