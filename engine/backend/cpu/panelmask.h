// The mask as a panel of queries sees it: a bit a lane for each key of a block.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "maskrows.h"
#include "panel.h"

#include <array>

namespace heed::cpu {

/// Keys of a block: with a panel of queries its scores fill half of a first-level cache of 32 KiB.
inline constexpr std::int64_t BlockKeys = 120;

/// Which cells of [first, last) × lanes are kept. Nothing outside [begin, end) is.
struct BlockMask {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool all = false; ///< every cell in [begin, end) of the lanes in use
    /// Bit `lane` of keys[j − first] unless `all`.
    std::array<std::uint32_t, static_cast<std::size_t>(BlockKeys)> keys;

    [[nodiscard]] bool empty() const { return begin >= end; }
};

/// Rows [row, row + rows) of a mask, at most PanelWidth. @complexity O(rows) to make; a block that
/// is kept or masked as a whole is O(1) where each row has one range, O(rows) otherwise.
class PanelMask {
public:
    PanelMask(const heed_mask& mask, std::int64_t row, std::int64_t rows);

    /// No row keeps a key outside [begin(), end()).
    [[nodiscard]] std::int64_t begin() const { return m_begin; }
    [[nodiscard]] std::int64_t end() const { return m_end; }
    /// The cells of keys [first, last), at most BlockKeys.
    void read(std::int64_t first, std::int64_t last, BlockMask& block) const;

private:
    const heed_mask& m_mask;
    std::int64_t m_row;
    std::int64_t m_rows;
    std::int64_t m_begin;
    std::int64_t m_end;
    std::int64_t m_allBegin = 0; ///< every row keeps every key inside [m_allBegin, m_allEnd)
    std::int64_t m_allEnd = 0;
};

/// Kept cells of each texel of @p across columns in the window [row, row + rows) × [column, column
/// + columns), one row of texels, counted from the mask alone. @complexity O(rows · ranges +
/// texels).
void keptInTexels(const heed_mask& mask, std::int64_t row, std::int64_t rows, std::int64_t column,
                  std::int64_t columns, std::int64_t across, std::int64_t* kept);

/// Of @p all cells.
inline float maskedShare(std::int64_t kept, std::int64_t all)
{
    return static_cast<float>(static_cast<double>(all - kept) / static_cast<double>(all));
}

} // namespace heed::cpu
