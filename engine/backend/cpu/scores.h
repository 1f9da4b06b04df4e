// Blocks of q·kᵀ that stay in cache: what row_stats, tile and attend are made of.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "maskrows.h"
#include "panels.h"

#include <algorithm>
#include <array>
#include <memory>

namespace heed::cpu {

/// Queries × keys of a block: 64 × 512 float32 are 128 KiB and leave room for the panels in a
/// second-level cache of 512 KiB; fewer rows would read the keys too often.
inline constexpr std::int64_t BlockRows = 64;
inline constexpr std::int64_t BlockKeys = 512;

/// Row stride of a block in floats. Not a multiple of the page size: rows would share cache sets.
inline constexpr std::int64_t BlockStride = BlockKeys + 2 * 16;
static_assert(BlockKeys % PanelWidth == 0);

/// Element (r, j − first key of the block) at [r · BlockStride + …].
using Block = std::array<float, static_cast<std::size_t>(BlockRows* BlockStride)>;

/// The scratch block of this thread. Valid until its next use; bodies of loops do not nest.
Block& threadBlock();

/// Keys [first, last) of a problem, packed once a call.
class PackedKeys {
public:
    PackedKeys(const MatrixRef& k, std::int64_t first, std::int64_t last, Call& call);

    [[nodiscard]] std::int64_t blocks() const
    {
        return (m_last - m_first + BlockKeys - 1) / BlockKeys;
    }
    [[nodiscard]] std::int64_t blockBegin(std::int64_t b) const { return m_first + b * BlockKeys; }
    [[nodiscard]] std::int64_t blockEnd(std::int64_t b) const
    {
        return std::min(m_last, m_first + (b + 1) * BlockKeys);
    }
    /// q·k of rows [row, row + rows) with the keys of @p extent, which lies inside block @p b.
    /// Whole panels are written, so a few cells around the extent too.
    void scores(const MatrixRef& q, std::int64_t row, std::int64_t rows, std::int64_t b,
                const Extent& extent, Block& block) const;

private:
    std::int64_t m_first;
    std::int64_t m_last;
    std::int64_t m_depth;
    Panels m_panels;
};

} // namespace heed::cpu
