// How GGUF stores the numbers of a tensor: plain, or in blocks that share a scale.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/arrayfile.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace heed::detail {

struct BlockType {
    std::string_view name;
    std::uint32_t elements = 0;            ///< of a block; 0: the type was taken out of the format
    std::uint32_t bytes = 0;               ///< of a block
    std::optional<ElementType> plain = {}; ///< elements that are plain numbers, in blocks of one
    /// Blocks of `bytes` each, any alignment, to out.size() numbers: a whole number of blocks, in
    /// the order of the row. Null: the size is known, the numbers are not read.
    void (*decode)(std::span<const std::byte> blocks, std::span<float> out) = nullptr;
};

/// By the number of the type in the file; null past the last one known.
[[nodiscard]] const BlockType* blockType(std::uint32_t number);

} // namespace heed::detail
