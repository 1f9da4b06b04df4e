// The mask as a panel of queries sees it: a bit a lane for each key of a block.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "maskrows.h"
#include "panel.h"

#include <array>
#include <vector>

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

/// The masked shares of rows of texels, counted from the mask alone.
class MaskedShares {
public:
    /// Texels of @p across columns in the columns [column, column + columns).
    MaskedShares(const heed_mask& mask, std::int64_t column, std::int64_t columns,
                 std::int64_t across);

    /// Counts the cells of the map's rows [row, row + rows), one row of texels. @complexity
    /// O(rows · ranges + texels).
    void count(std::int64_t row, std::int64_t rows);
    [[nodiscard]] std::int64_t kept(std::int64_t texel) const
    {
        return m_isFull ? cells(texel) : m_kept[static_cast<std::size_t>(texel)];
    }
    /// Cells of a texel, masked or not.
    [[nodiscard]] std::int64_t cells(std::int64_t texel) const
    {
        return m_rows * std::min(m_across, m_columns - texel * m_across);
    }
    /// Writes the shares of what was counted last, a number a texel.
    void write(float* shares) const;

private:
    const heed_mask& m_mask;
    std::int64_t m_column;
    std::int64_t m_columns;
    std::int64_t m_across;
    std::int64_t m_rows = 0;
    bool m_isFull = false; ///< nothing is masked
    std::vector<std::int64_t> m_kept;
    std::vector<std::int64_t> m_steps;
};

/// 1 for each masked cell of row @p row in the keys [column, column + columns), 0 for the others.
void writeMasked(const heed_mask& mask, std::int64_t row, std::int64_t column, std::int64_t columns,
                 float* cells);

} // namespace heed::cpu
