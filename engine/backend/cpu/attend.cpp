// weights·V with the weights of one block at a time.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rowstate.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace heed::cpu {
namespace {

/// Which blocks of keys have finite values only: 0 · inf is NaN, so elsewhere a masked key must not
/// take part at all.
std::vector<char> finiteBlocks(const MatrixRef& v, Call& call)
{
    std::vector<char> finite(static_cast<std::size_t>((v.rows + BlockKeys - 1) / BlockKeys), 1);
    const double work = static_cast<double>(v.rows) * static_cast<double>(v.columns);
    call.forBlocks(static_cast<std::int64_t>(finite.size()), work, false, [&](std::int64_t b) {
        bool all = true;
        for (std::int64_t j = b * BlockKeys; j < std::min(v.rows, (b + 1) * BlockKeys); ++j) {
            all = all && std::all_of(v.row(j), v.row(j) + v.columns,
                                     [](float x) { return std::isfinite(x); });
        }
        finite[static_cast<std::size_t>(b)] = all ? 1 : 0;
    });
    return finite;
}

/// What a thread works with; made once a unit.
class AttendUnit {
public:
    AttendUnit(const heed_op_attend& op, const std::vector<char>& finite, Call& call)
        : m_op(op)
        , m_finite(finite)
        , m_call(call)
        , m_v(op.v)
        , m_band(op.problem, op.problem.scale)
        , m_sums(BandPanels * op.v.columns * PanelWidth)
    {
    }
    /// Rows [row, row + rows), at most a band.
    void run(std::int64_t row, std::int64_t rows);

private:
    void readBlock(std::int64_t p, std::int64_t first, std::int64_t last);
    void addCells(std::int64_t p, std::int64_t first, const Block& block);
    void finish(std::int64_t p) const;
    /// Σ e · v of panel @p p: [value columns, lanes].
    [[nodiscard]] float* sums(std::int64_t p) const
    {
        return m_sums.data() + p * m_v.columns * PanelWidth;
    }

    const heed_op_attend& m_op;
    const std::vector<char>& m_finite;
    Call& m_call;
    MatrixRef m_v;
    Band m_band;
    Scratch m_sums;
    std::array<RowStates, static_cast<std::size_t>(BandPanels)> m_states;
    BlockMask m_mask;
};

void AttendUnit::readBlock(std::int64_t p, std::int64_t first, std::int64_t last)
{
    m_band.mask(p).read(first, last, m_mask);
    if (m_mask.empty()) {
        return;
    }
    const std::int64_t begin = m_mask.begin;
    const std::int64_t end = m_mask.end;
    Block& block = threadBlock();
    m_band.masked(p, first, m_mask, block);
    RowStates& states = m_states[static_cast<std::size_t>(p)];
    alignas(64) PerLane<float> blockMax;
    maxOfBlock(block, begin - first, end - first, blockMax);
    PerLane<double> factors;
    if (states.raise(block, first, begin, blockMax, factors)) {
        alignas(64) PerLane<float> shrink;
        std::transform(factors.begin(), factors.end(), shrink.begin(),
                       [](double factor) { return static_cast<float>(factor); });
        for (std::int64_t d = 0; d < m_v.columns; ++d) {
            for (int half = 0; half < 2; ++half) {
                float* sum = sums(p) + d * PanelWidth + half * Lanes;
                store(sum, load(sum) * load(shrink.data() + half * Lanes));
            }
        }
    }
    const FloatV centers[2] = {states.center(0), states.center(1)};
    FloatV added[2] = {};
    float* cell = block.key(begin - first);
    for (std::int64_t j = begin; j < end; ++j, cell += PanelWidth) {
#pragma GCC unroll 2
        for (int half = 0; half < 2; ++half) {
            FloatV drop = load(cell + half * Lanes) - centers[half];
            const FloatV e = expOfDrop(drop);
            added[half] += e;
            store(cell + half * Lanes, e);
        }
    }
    for (int half = 0; half < 2; ++half) {
        for (int lane = 0; lane < Lanes; ++lane) {
            states.sum[laneAt(half, lane)] += double{added[half][lane]};
        }
    }
    if (m_finite[static_cast<std::size_t>(first / BlockKeys)] != 0) {
        addValues(block.key(begin - first), end - begin, m_v.row(begin), m_v.rowStride, m_v.columns,
                  sums(p));
    } else {
        addCells(p, first, block);
    }
}

/// The same for kept cells alone, one by one.
void AttendUnit::addCells(std::int64_t p, std::int64_t first, const Block& block)
{
    const Band::Panel& panel = m_band.panel(p);
    for (std::int64_t lane = 0; lane < panel.rows; ++lane) {
        forEachRun(m_op.problem.mask, panel.row + lane, m_mask.begin, m_mask.end,
                   [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t j = begin; j < end; ++j) {
                           const float e = block.key(j - first)[lane];
                           for (std::int64_t d = 0; d < m_v.columns; ++d) {
                               sums(p)[d * PanelWidth + lane] += e * m_v.row(j)[d];
                           }
                       }
                   });
    }
}

void AttendUnit::finish(std::int64_t p) const
{
    const Band::Panel& panel = m_band.panel(p);
    const RowStates& states = m_states[static_cast<std::size_t>(p)];
    for (std::int64_t lane = 0; lane < panel.rows; ++lane) {
        const auto sum = static_cast<float>(states.sum[static_cast<std::size_t>(lane)]);
        float* out = m_op.out.data + (panel.row + lane) * m_op.out.row_stride;
        for (std::int64_t d = 0; d < m_v.columns; ++d) {
            const float value = sums(p)[d * PanelWidth + lane] / sum;
            // No key with a score above −inf: no weights, whatever the values.
            out[d] = states.isBroken(lane) ? NotANumber : sum == 0 ? 0.0F : value;
        }
    }
}

void AttendUnit::run(std::int64_t row, std::int64_t rows)
{
    const std::int64_t keys = m_op.problem.k.rows;
    m_band.assign(row, rows);
    std::fill_n(m_sums.data(), BandPanels * m_v.columns * PanelWidth, 0.0F);
    for (std::int64_t p = 0; p < m_band.panels(); ++p) {
        m_states[static_cast<std::size_t>(p)].clear();
    }
    for (std::int64_t first = m_band.firstBlock(); first < m_band.end(); first += BlockKeys) {
        if (m_call.stopped()) {
            return;
        }
        for (std::int64_t p = 0; p < m_band.panels(); ++p) {
            readBlock(p, first, std::min(keys, first + BlockKeys));
        }
    }
    for (std::int64_t p = 0; p < m_band.panels(); ++p) {
        finish(p);
    }
}

} // namespace

heed_status attend(const heed_op_attend& op, Call& call)
{
    const std::int64_t rows = op.problem.q.rows;
    const std::vector<char> finite = finiteBlocks(MatrixRef(op.v), call);
    const std::int64_t unit = unitRows(rows, 1, call.threads());
    const double work = static_cast<double>(rows) * static_cast<double>(op.problem.k.rows) *
                        static_cast<double>(op.problem.q.columns + op.v.columns + 16);
    UnitPool<AttendUnit> pool;
    call.forBlocks((rows + unit - 1) / unit, work, true, [&](std::int64_t u) {
        pool.with([&] { return std::make_unique<AttendUnit>(op, finite, call); },
                  [&](AttendUnit& one) { one.run(u * unit, std::min(unit, rows - u * unit)); });
    });
    return call.status();
}

} // namespace heed::cpu
