// Products of a band with blocks of keys, and what is added to them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed::cpu {

Block& threadBlock()
{
    thread_local Block block;
    return block;
}

std::int64_t unitRows(std::int64_t rows, std::int64_t cellsDown, int threads)
{
    const std::int64_t share = rows / (4 * std::int64_t{threads}) / PanelWidth * PanelWidth;
    const std::int64_t wanted = std::clamp(share, PanelWidth, BandRows);
    return cellsDown >= wanted ? cellsDown : wanted / cellsDown * cellsDown;
}

namespace {

/// NaN is passed over: it needs no care.
float largestMagnitude(const float* numbers, std::int64_t count)
{
    FloatV largest{};
    std::int64_t n = 0;
    for (; n + Lanes <= count; n += Lanes) {
        const FloatV v = load(numbers + n);
        largest = maxV(maxV(v, -v), largest);
    }
    if (n < count) {
        const FloatV v = loadPart(numbers + n, count - n, 0.0F);
        largest = maxV(maxV(v, -v), largest);
    }
    float most = 0;
    for (int lane = 0; lane < Lanes; ++lane) {
        most = std::max(most, largest[lane]);
    }
    return most;
}

/// Whether a product of @p width terms, or a sum on the way to it, may be past float32.
bool mayBePastFloat(std::int64_t width, float largestQuery, float largestKey)
{
    const double most = static_cast<double>(width) * double{largestQuery} * double{largestKey};
    return !(most < double{std::numeric_limits<float>::max()});
}

/// scale · q·k in float64, infinite only where it is past the range of float32 itself.
float wideProduct(const float* q, const float* k, std::int64_t width, float scale)
{
    double sum = 0;
    for (std::int64_t d = 0; d < width; ++d) {
        sum += double{q[d]} * double{k[d]};
    }
    return static_cast<float>(double{scale} * sum);
}

} // namespace

Band::Band(const heed_problem& problem, float scale)
    : m_problem(problem)
    , m_q(problem.q)
    , m_k(problem.k)
    , m_scale(scale)
    , m_queries(BandPanels * problem.q.columns * PanelWidth)
{
}

void Band::assign(std::int64_t row, std::int64_t rows)
{
    m_count = (rows + PanelWidth - 1) / PanelWidth;
    m_masks.clear();
    m_begin = m_k.rows;
    m_end = 0;
    for (std::int64_t p = 0; p < m_count; ++p) {
        float* queries = m_queries.data() + p * m_q.columns * PanelWidth;
        const std::int64_t first = row + p * PanelWidth;
        const std::int64_t count = std::min(PanelWidth, row + rows - first);
        packQueries(m_q, first, count, m_scale, queries);
        m_panels[static_cast<std::size_t>(p)] = {
            queries, first, count, largestMagnitude(queries, m_q.columns * PanelWidth)};
        const PanelMask& mask = m_masks.emplace_back(m_problem.mask, first, count);
        m_begin = std::min(m_begin, mask.begin());
        m_end = std::max(m_end, mask.end());
    }
}

bool Band::mayOverflow(std::int64_t p, std::int64_t first)
{
    if (m_largestAt != first) {
        m_largestAt = first;
        m_largestKey = 0;
        const std::int64_t end = std::min(first + BlockKeys, m_k.rows);
        for (std::int64_t j = first; j < end; ++j) {
            m_largestKey = std::max(m_largestKey, largestMagnitude(m_k.row(j), m_k.columns));
        }
    }
    return mayBePastFloat(m_k.columns, panel(p).largest, m_largestKey);
}

void Band::products(std::int64_t p, std::int64_t first, std::int64_t begin, std::int64_t end,
                    Block& block)
{
    multiplyKeys(m_k.row(begin), m_k.rowStride, end - begin, panel(p).queries, m_q.columns,
                 block.key(begin - first));
    if (mayOverflow(p, first)) {
        widen(panel(p), first, begin, end, block);
    }
}

void Band::widen(const Panel& panel, std::int64_t first, std::int64_t begin, std::int64_t end,
                 Block& block) const
{
    for (std::int64_t lane = 0; lane < panel.rows; ++lane) {
        const float* q = m_q.row(panel.row + lane);
        const float largest = std::abs(m_scale) * largestMagnitude(q, m_q.columns);
        for (std::int64_t j = begin; j < end; ++j) {
            const float* k = m_k.row(j);
            // Decided cell by cell: it has the same bits in whatever window it is computed.
            if (mayBePastFloat(m_k.columns, largest, largestMagnitude(k, m_k.columns))) {
                block.key(j - first)[lane] = wideProduct(q, k, m_k.columns, m_scale);
            }
        }
    }
}

void Band::addDistanceBias(const Panel& panel, std::int64_t first, std::int64_t begin,
                           std::int64_t end, Block& block) const
{
    for (std::int64_t j = begin; j < end; ++j) {
        const float* bias = m_problem.distance_bias + m_problem.first_query + panel.row - j +
                            m_k.rows - 1; // of lane 0
        float* cells = block.key(j - first);
        for (std::int64_t lane = 0; lane < panel.rows; ++lane) {
            cells[lane] += bias[lane];
        }
    }
}

void Band::addBias(const Panel& panel, std::int64_t first, std::int64_t begin, std::int64_t end,
                   Block& block) const
{
    const MatrixRef bias(m_problem.bias);
    for (std::int64_t lane = 0; lane < panel.rows; ++lane) {
        const float* row = bias.row(panel.row + lane);
        for (std::int64_t j = begin; j < end; ++j) {
            block.key(j - first)[lane] += row[j];
        }
    }
}

float maskedScore(const heed_problem& problem, std::int64_t row, std::int64_t key)
{
    const MatrixRef q(problem.q);
    const MatrixRef k(problem.k);
    FloatV v = splat(wideProduct(q.row(row), k.row(key), q.columns, problem.scale));
    if (problem.soft_cap > 0) {
        v = tanhV(v / problem.soft_cap) * problem.soft_cap;
    }
    float score = v[0];
    if (problem.distance_bias != nullptr) {
        score += problem.distance_bias[problem.first_query + row - key + k.rows - 1];
    }
    if (problem.bias.struct_size != 0) {
        score += MatrixRef(problem.bias).row(row)[key];
    }
    return score;
}

void Band::adjusted(std::int64_t p, std::int64_t first, std::int64_t begin, std::int64_t end,
                    Block& block)
{
    products(p, first, begin, end, block);
    if (m_problem.soft_cap > 0) {
        const float cap = m_problem.soft_cap;
        float* cell = block.key(begin - first);
        for (; cell < block.key(end - first); cell += Lanes) {
            store(cell, tanhV(load(cell) / cap) * cap);
        }
    }
    if (m_problem.distance_bias != nullptr) {
        addDistanceBias(panel(p), first, begin, end, block);
    }
    if (m_problem.bias.struct_size != 0) {
        addBias(panel(p), first, begin, end, block);
    }
}

void Band::masked(std::int64_t p, std::int64_t first, const BlockMask& mask, Block& block)
{
    adjusted(p, first, mask.begin, mask.end, block);
    fillMasked(mask, first, -Infinity, block);
}

void fillMasked(const BlockMask& mask, std::int64_t first, float value, Block& block)
{
    if (mask.all) {
        return;
    }
    IntV bits[2];
    for (int half = 0; half < 2; ++half) {
        for (int lane = 0; lane < Lanes; ++lane) {
            bits[half][lane] = static_cast<std::int32_t>(std::uint32_t{1} << (half * Lanes + lane));
        }
    }
    const FloatV fill = splat(value);
    for (std::int64_t j = mask.begin - first; j < mask.end - first; ++j) {
        const IntV word =
            static_cast<std::int32_t>(mask.keys[static_cast<std::size_t>(j)]) - IntV{};
        float* cell = block.key(j);
        for (int half = 0; half < 2; ++half) {
            const FloatV v = load(cell + half * Lanes);
            store(cell + half * Lanes, (word & bits[half]) != 0 ? v : fill);
        }
    }
}

void exponentials(float* numbers, std::int64_t count)
{
    std::int64_t n = 0;
    for (; n + Lanes <= count; n += Lanes) {
        store(numbers + n, expV(load(numbers + n)));
    }
    if (n < count) {
        storePart(numbers + n, expV(loadPart(numbers + n, count - n, 0.0F)), count - n);
    }
}

} // namespace heed::cpu
