// Blocks of masked scores that stay in cache: what row_stats, tile and attend are made of.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "panelmask.h"

#include <array>
#include <vector>

namespace heed::cpu {

/// Panels of a band of rows: their queries stay in cache while the keys stream past them once.
inline constexpr std::int64_t BandPanels = 4;
inline constexpr std::int64_t BandRows = BandPanels * PanelWidth;

/// Scores of a block of keys with a panel: row j − first key, a lane a query.
struct alignas(64) Block {
    std::array<float, static_cast<std::size_t>(BlockKeys* PanelWidth)> cells;

    [[nodiscard]] float* key(std::int64_t j) { return cells.data() + j * PanelWidth; }
    [[nodiscard]] const float* key(std::int64_t j) const { return cells.data() + j * PanelWidth; }
};

/// Up to BandRows rows of a problem, packed.
class Band {
public:
    struct Panel {
        const float* queries = nullptr;
        std::int64_t row = 0;
        std::int64_t rows = 0;
        float largest = 0; ///< magnitude among its packed queries
    };

    /// Throws std::bad_alloc. @param problem outlives the band. @param scale of the products.
    Band(const heed_problem& problem, float scale);
    /// Rows [row, row + rows), at most BandRows.
    void assign(std::int64_t row, std::int64_t rows);

    [[nodiscard]] std::int64_t panels() const { return m_count; }
    [[nodiscard]] const Panel& panel(std::int64_t p) const
    {
        return m_panels[static_cast<std::size_t>(p)];
    }
    /// The mask of panel @p p.
    [[nodiscard]] const PanelMask& mask(std::int64_t p) const
    {
        return m_masks[static_cast<std::size_t>(p)];
    }

    /// No row keeps a key outside [firstBlock(), end()); the first is where a block begins.
    [[nodiscard]] std::int64_t firstBlock() const { return m_begin / BlockKeys * BlockKeys; }
    [[nodiscard]] std::int64_t end() const { return m_end; }

    /// scale · q·k of panel @p p with keys [begin, end), from row begin − @p first of @p block on.
    void products(std::int64_t p, std::int64_t first, std::int64_t begin, std::int64_t end,
                  Block& block);
    /// The same with soft cap and biases: what the masked scores are where they are kept.
    void adjusted(std::int64_t p, std::int64_t first, std::int64_t begin, std::int64_t end,
                  Block& block);
    /// The masked scores of the keys [mask.begin, mask.end), −inf where masked.
    void masked(std::int64_t p, std::int64_t first, const BlockMask& mask, Block& block);

private:
    /// Whether a product of panel @p p with a key of the block at @p first, or a sum on the way to
    /// it, may lie past the range of float32.
    [[nodiscard]] bool mayOverflow(std::int64_t p, std::int64_t first);
    /// Puts right what may have overflowed.
    void widen(const Panel& panel, std::int64_t first, std::int64_t begin, std::int64_t end,
               Block& block) const;
    void addDistanceBias(const Panel& panel, std::int64_t first, std::int64_t begin,
                         std::int64_t end, Block& block) const;
    void addBias(const Panel& panel, std::int64_t first, std::int64_t begin, std::int64_t end,
                 Block& block) const;

    const heed_problem& m_problem;
    MatrixRef m_q;
    MatrixRef m_k;
    float m_scale;
    Scratch m_queries;
    std::array<Panel, static_cast<std::size_t>(BandPanels)> m_panels;
    std::vector<PanelMask> m_masks;
    std::int64_t m_largestAt = -1; ///< the block whose largest key m_largestKey is
    float m_largestKey = 0;
    std::int64_t m_count = 0;
    std::int64_t m_begin = 0;
    std::int64_t m_end = 0;
};

/// Puts @p value into the masked cells of the keys [mask.begin, mask.end).
void fillMasked(const BlockMask& mask, std::int64_t first, float value, Block& block);

/// x = exp(x) for @p count numbers.
void exponentials(float* numbers, std::int64_t count);

/// The masked score of one kept cell. Whether it is a number, and which infinity, is as in a block.
float maskedScore(const heed_problem& problem, std::int64_t row, std::int64_t key);

/// The scratch block of this thread. Valid until its next use; bodies of loops do not nest.
Block& threadBlock();

/// Rows of a unit of work: whole texel rows of @p cellsDown rows, not many more than a band, and
/// fewer where @p threads would have too few units.
std::int64_t unitRows(std::int64_t rows, std::int64_t cellsDown, int threads);

/// The lanes of vector @p half (0 or 1) of a panel as whole numbers from @p first on.
[[gnu::always_inline]] inline IntV laneNumbers(std::int32_t first, int half)
{
    IntV numbers;
    for (int lane = 0; lane < Lanes; ++lane) {
        numbers[lane] = first + half * Lanes + lane;
    }
    return numbers;
}

} // namespace heed::cpu
