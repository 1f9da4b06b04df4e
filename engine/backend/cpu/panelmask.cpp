// Mask rows turned by a quarter, and counted.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "panelmask.h"

#include <algorithm>

namespace heed::cpu {

PanelMask::PanelMask(const heed_mask& mask, std::int64_t row, std::int64_t rows)
    : m_mask(mask)
    , m_row(row)
    , m_rows(rows)
    , m_begin(0)
    , m_end(mask.keys)
{
    if (mask.is_bits != 0) {
        return;
    }
    m_begin = mask.keys;
    m_end = 0;
    m_allEnd = mask.keys;
    for (std::int64_t i = row; i < row + rows; ++i) {
        const std::int64_t first = mask.row_start[i];
        const std::int64_t last = mask.row_start[i + 1];
        if (first == last) {
            m_allEnd = 0;
            continue;
        }
        m_begin = std::min<std::int64_t>(m_begin, mask.ranges[first].begin);
        m_end = std::max<std::int64_t>(m_end, mask.ranges[last - 1].end);
        m_allBegin = std::max<std::int64_t>(m_allBegin, mask.ranges[first].begin);
        m_allEnd = last - first == 1 ? std::min<std::int64_t>(m_allEnd, mask.ranges[first].end) : 0;
    }
    m_begin = std::min(m_begin, m_end); // nothing is kept
}

void PanelMask::read(std::int64_t first, std::int64_t last, BlockMask& block) const
{
    block.begin = first;
    block.end = last;
    block.all = m_allBegin <= first && last <= m_allEnd;
    if (block.all) {
        return;
    }
    if (last <= m_begin || first >= m_end) {
        block.end = first;
        return;
    }
    block.keys.fill(0);
    for (std::int64_t lane = 0; lane < m_rows; ++lane) {
        const std::uint32_t bit = std::uint32_t{1} << lane;
        forEachRun(m_mask, m_row + lane, first, last, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t j = begin - first; j < end - first; ++j) {
                block.keys[static_cast<std::size_t>(j)] |= bit;
            }
        });
    }
    const auto word = [&](std::int64_t j) {
        return block.keys[static_cast<std::size_t>(j - first)];
    };
    while (block.begin < block.end && word(block.begin) == 0) {
        ++block.begin;
    }
    while (block.begin < block.end && word(block.end - 1) == 0) {
        --block.end;
    }
    const std::uint32_t everyLane =
        m_rows == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << m_rows) - 1;
    block.all = true;
    for (std::int64_t j = block.begin; j < block.end && block.all; ++j) {
        block.all = word(j) == everyLane;
    }
}

MaskedShares::MaskedShares(const heed_mask& mask, std::int64_t column, std::int64_t columns,
                           std::int64_t across)
    : m_mask(mask)
    , m_column(column)
    , m_columns(columns)
    , m_across(across)
    , m_kept(static_cast<std::size_t>((columns + across - 1) / across))
    , m_steps(m_kept.size() + 1)
{
}

void MaskedShares::count(std::int64_t row, std::int64_t rows)
{
    // A run is counted in its first and its last texel; the texels between, which it fills, are
    // counted as a step up and a step down of the texels filled so far.
    m_rows = rows;
    m_isFull = true;
    for (std::int64_t i = row; i < row + rows && m_isFull; ++i) {
        m_isFull = keptInRow(m_mask, i, m_column, m_column + m_columns) == m_columns;
    }
    if (m_isFull) {
        return;
    }
    std::fill(m_kept.begin(), m_kept.end(), 0);
    std::fill(m_steps.begin(), m_steps.end(), 0);
    for (std::int64_t i = row; i < row + rows; ++i) {
        forEachRun(m_mask, i, m_column, m_column + m_columns, [&](std::int64_t a, std::int64_t z) {
            const std::int64_t begin = a - m_column;
            const std::int64_t end = z - m_column;
            const std::int64_t first = begin / m_across;
            const std::int64_t last = (end - 1) / m_across;
            if (first == last) {
                m_kept[static_cast<std::size_t>(first)] += end - begin;
                return;
            }
            m_kept[static_cast<std::size_t>(first)] += (first + 1) * m_across - begin;
            m_kept[static_cast<std::size_t>(last)] += end - last * m_across;
            ++m_steps[static_cast<std::size_t>(first + 1)];
            --m_steps[static_cast<std::size_t>(last)];
        });
    }
    std::int64_t filled = 0;
    for (std::size_t t = 0; t < m_kept.size(); ++t) {
        filled += m_steps[t];
        m_kept[t] += filled * m_across;
    }
}

void MaskedShares::write(float* shares) const
{
    if (m_isFull) {
        std::fill_n(shares, m_kept.size(), 0.0F);
        return;
    }
    const std::int64_t all = m_rows * m_across;
    const double part = 1 / static_cast<double>(all);
    const std::size_t last = m_kept.size() - 1; // may be narrower
    for (std::size_t t = 0; t < last; ++t) {
        shares[t] = static_cast<float>(static_cast<double>(all - m_kept[t]) * part);
    }
    const auto cellsOfLast = static_cast<double>(cells(static_cast<std::int64_t>(last)));
    shares[last] =
        static_cast<float>((cellsOfLast - static_cast<double>(m_kept[last])) / cellsOfLast);
}

void writeMasked(const heed_mask& mask, std::int64_t row, std::int64_t column, std::int64_t columns,
                 float* cells)
{
    const auto at = [&](std::int64_t key) { return cells + key - column; };
    std::int64_t key = column;
    forEachRun(mask, row, column, column + columns, [&](std::int64_t begin, std::int64_t end) {
        std::fill(at(key), at(begin), 1.0F);
        std::fill(at(begin), at(end), 0.0F);
        key = end;
    });
    std::fill(at(key), at(column + columns), 1.0F);
}

} // namespace heed::cpu
