// A pooled window of a map, recomputed.
//
// Level 0 writes cells straight into the result. Above it, keys are pooled lane by lane, which is a
// vector loop whatever the level, and then the lanes into texel rows. Maxima of weights are pooled
// before the exponential, which keeps order, so only texels need one.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "lanegroups.h"
#include "rowstate.h"

#include <cmath>
#include <vector>

namespace heed::cpu {
namespace {

enum class Pool {
    Max,
    AbsMax,
    Sum,      ///< of scores
    SumOfExp, ///< of weights: the exponentials of the masked scores
};

struct Texel {
    float high = -Infinity;
    float low = Infinity;
    double sum = 0;
};

/// What turns the scores of the rows of a panel into weights.
struct WeightRule {
    alignas(64) PerLane<float> max;
    alignas(64) PerLane<float> sum; ///< 0: every kept cell is 0
    alignas(64) PerLane<float> logSum;
};

/// What a thread works with; made once a unit.
class TileUnit {
public:
    TileUnit(const heed_op_tile& op, Call& call);

    /// Rows [row, row + rows) of the map, whole texel rows of the window.
    void run(std::int64_t row, std::int64_t rows);

private:
    template <typename Body>
    void forBlocksOfKeys(const Body& body)
    {
        const std::int64_t end = m_op.column + m_op.columns;
        std::int64_t first = m_op.column + (m_begin - m_op.column) / BlockKeys * BlockKeys;
        for (; first < m_end && !m_call.stopped(); first += BlockKeys) {
            body(first, std::min(end, first + BlockKeys));
        }
    }
    void limitKeys(const PanelMask& mask);
    void readRule(const Band::Panel& panel);
    bool readScores(std::int64_t p, std::int64_t first, std::int64_t last);
    void writeCells(const Band::Panel& panel, std::int64_t first) const;
    void writePanel(std::int64_t p);
    void poolPanel(std::int64_t p, std::int64_t unitRow);
    void poolBlock(std::int64_t first);
    template <Pool pool>
    void poolKeys(std::int64_t texel, std::int64_t begin, std::int64_t end);
    void weighLanes(const Band::Panel& panel);
    void joinLanes(const Band::Panel& panel, std::int64_t unitRow);
    void finish(std::int64_t row, std::int64_t rows, const Texel* texels);
    /// Whether the row of a lane has NaN as its statistics.
    [[nodiscard]] bool isBroken(std::int64_t lane) const
    {
        const float max = m_rule.max[static_cast<std::size_t>(lane)];
        return max != max;
    }
    [[nodiscard]] bool isWeights() const { return m_op.quantity == HEED_WEIGHTS; }
    /// Value of a texel or cell with nothing in it.
    [[nodiscard]] float nothing() const { return isWeights() ? 0.0F : -Infinity; }
    [[nodiscard]] static float* lanes(Scratch& scratch, std::int64_t texel)
    {
        return scratch.data() + texel * PanelWidth;
    }

    const heed_op_tile& m_op;
    Call& m_call;
    Band m_band;
    std::int64_t m_texelColumns;
    bool m_masks;    ///< masked cells take no part in the value
    bool m_isPooled; ///< a texel is more than a cell
    Pool m_pool = Pool::Max;
    Scratch m_high; ///< [texel columns, lanes]
    Scratch m_low;  ///< negated
    Scratch m_sums;
    std::vector<Texel> m_texels;
    MaskedShares m_shares;
    std::int64_t m_begin = 0; ///< keys of the panel
    std::int64_t m_end = 0;
    std::int64_t m_firstTexel = 0; ///< texel columns of the panel
    std::int64_t m_lastTexel = 0;
    BlockMask m_mask;
    WeightRule m_rule;
};

TileUnit::TileUnit(const heed_op_tile& op, Call& call)
    : m_op(op)
    , m_call(call)
    , m_band(op.problem, op.quantity == HEED_SCORES ? 1 : op.problem.scale)
    , m_texelColumns((op.columns + op.cells_across - 1) / op.cells_across)
    , m_masks(op.quantity == HEED_MASKED || op.quantity == HEED_WEIGHTS)
    , m_isPooled(op.cells_down > 1 || op.cells_across > 1)
    , m_shares(op.problem.mask, op.column, op.columns, op.cells_across)
{
    if (!m_isPooled) {
        return;
    }
    const std::int64_t count = m_texelColumns * PanelWidth;
    if (op.pooling == HEED_MASS || op.pooling == HEED_MEAN) {
        m_pool = isWeights() ? Pool::SumOfExp : Pool::Sum;
        m_sums = Scratch(count);
        return;
    }
    m_high = Scratch(count);
    if (op.pooling == HEED_ABS_MAX && !isWeights()) { // weights are never negative
        m_pool = Pool::AbsMax;
        m_low = Scratch(count);
    }
}

void TileUnit::readRule(const Band::Panel& panel)
{
    m_rule.max.fill(0);
    m_rule.sum.fill(1);
    m_rule.logSum.fill(0);
    if (!isWeights()) {
        return;
    }
    for (std::int64_t lane = 0; lane < panel.rows; ++lane) {
        const auto at = static_cast<std::size_t>(lane);
        m_rule.max[at] = m_op.row_max[panel.row + lane];
        m_rule.sum[at] = m_op.row_sum[panel.row + lane];
        m_rule.logSum[at] = static_cast<float>(std::log(double{m_rule.sum[at]}));
    }
}

/// The values of the window's keys in [first, last) before they become weights, into the block of
/// this thread. @return false when none of them takes part.
bool TileUnit::readScores(std::int64_t p, std::int64_t first, std::int64_t last)
{
    Block& block = threadBlock();
    if (!m_masks) {
        m_mask.begin = first;
        m_mask.end = last;
        m_band.products(p, first, first, last, block);
        return true;
    }
    m_band.mask(p).read(first, last, m_mask);
    if (m_mask.empty()) {
        return false;
    }
    m_band.adjusted(p, first, m_mask.begin, m_mask.end, block);
    // A texel with no kept cell is known from the mask, so 0 is nothing to the other two.
    fillMasked(m_mask, first, m_pool == Pool::Sum || m_pool == Pool::AbsMax ? 0 : -Infinity, block);
    return true;
}

/// Level 0: the block, turned back by a quarter.
void TileUnit::writeCells(const Band::Panel& panel, std::int64_t first) const
{
    Block& block = threadBlock();
    if (isWeights()) {
        for (int half = 0; half < 2; ++half) {
            const FloatV max = load(m_rule.max.data() + half * Lanes);
            const FloatV sum = load(m_rule.sum.data() + half * Lanes);
            for (std::int64_t j = m_mask.begin - first; j < m_mask.end - first; ++j) {
                float* cell = block.key(j) + half * Lanes;
                const FloatV weight = expV(load(cell) - max) / sum;
                store(cell, sum == 0.0F ? FloatV{} : weight);
            }
        }
    }
    for (std::int64_t lane = 0; lane < panel.rows; ++lane) {
        const std::int64_t row = panel.row + lane;
        float* out = m_op.values + (row - m_op.row) * m_op.columns - m_op.column;
        if (isBroken(lane)) {
            forEachRun(m_op.problem.mask, row, m_mask.begin, m_mask.end,
                       [out](std::int64_t begin, std::int64_t end) {
                           std::fill(out + begin, out + end, NotANumber);
                       });
            continue;
        }
        const float* cell = block.key(m_mask.begin - first) + lane;
        for (std::int64_t j = m_mask.begin; j < m_mask.end; ++j, cell += PanelWidth) {
            out[j] = *cell;
        }
    }
}

/// Keys and texel columns outside which nothing of the panel takes part.
void TileUnit::limitKeys(const PanelMask& mask)
{
    const std::int64_t end = m_op.column + m_op.columns;
    m_begin = m_masks ? std::clamp(mask.begin(), m_op.column, end) : m_op.column;
    m_end = m_masks ? std::clamp(mask.end(), m_begin, end) : end;
    m_firstTexel = (m_begin - m_op.column) / m_op.cells_across;
    m_lastTexel = (m_end - m_op.column + m_op.cells_across - 1) / m_op.cells_across;
}

void TileUnit::writePanel(std::int64_t p)
{
    const Band::Panel& panel = m_band.panel(p);
    limitKeys(m_band.mask(p));
    for (std::int64_t row = panel.row; row < panel.row + panel.rows; ++row) {
        const std::int64_t offset = (row - m_op.row) * m_op.columns;
        std::fill_n(m_op.values + offset, m_op.columns, nothing());
        writeMasked(m_op.problem.mask, row, m_op.column, m_op.columns, m_op.masked_share + offset);
    }
    forBlocksOfKeys([&](std::int64_t first, std::int64_t last) {
        if (readScores(p, first, last)) {
            writeCells(panel, first);
        }
    });
}

template <Pool pool>
void TileUnit::poolKeys(std::int64_t texel, std::int64_t begin, std::int64_t end)
{
    const Block& block = threadBlock();
    for (int half = 0; half < 2; ++half) {
        const float* cell = block.key(begin) + half * Lanes;
        const float* last = block.key(end);
        if constexpr (pool == Pool::Sum || pool == Pool::SumOfExp) {
            const FloatV max = load(m_rule.max.data() + half * Lanes);
            float* to = lanes(m_sums, texel) + half * Lanes;
            FloatV sum = load(to);
            for (; cell < last; cell += PanelWidth) {
                sum += pool == Pool::Sum ? load(cell) : expV(load(cell) - max);
            }
            store(to, sum);
        } else {
            float* to = lanes(m_high, texel) + half * Lanes;
            FloatV high = load(to);
            FloatV low = pool == Pool::AbsMax ? load(lanes(m_low, texel) + half * Lanes) : high;
            IntV bad{};
            for (; cell < last; cell += PanelWidth) {
                const FloatV score = load(cell);
                high = maxV(score, high); // a NaN in high stays
                bad |= score != score;
                if constexpr (pool == Pool::AbsMax) {
                    low = maxV(-score, low);
                }
            }
            store(to, bad != 0 ? splat(NotANumber) : high);
            if constexpr (pool == Pool::AbsMax) {
                store(lanes(m_low, texel) + half * Lanes, low);
            }
        }
    }
}

/// Adds the keys of the block to the texel columns.
void TileUnit::poolBlock(std::int64_t first)
{
    std::int64_t j = m_mask.begin;
    while (j < m_mask.end) {
        const std::int64_t texel = (j - m_op.column) / m_op.cells_across;
        const std::int64_t end =
            std::min(m_mask.end, m_op.column + (texel + 1) * m_op.cells_across);
        switch (m_pool) {
        case Pool::Max:
            poolKeys<Pool::Max>(texel, j - first, end - first);
            break;
        case Pool::AbsMax:
            poolKeys<Pool::AbsMax>(texel, j - first, end - first);
            break;
        case Pool::Sum:
            poolKeys<Pool::Sum>(texel, j - first, end - first);
            break;
        case Pool::SumOfExp:
            poolKeys<Pool::SumOfExp>(texel, j - first, end - first);
            break;
        }
        j = end;
    }
}

/// Turns what the lanes have pooled into (logarithms of) weights.
void TileUnit::weighLanes(const Band::Panel& panel)
{
    Scratch& pooled = m_pool == Pool::Max ? m_high : m_sums;
    for (std::int64_t texel = m_firstTexel; texel < m_lastTexel; ++texel) {
        for (int half = 0; half < 2; ++half) {
            float* cell = lanes(pooled, texel) + half * Lanes;
            const FloatV value = load(cell);
            if (m_pool == Pool::Max) {
                const FloatV weight = rounded(value - load(m_rule.max.data() + half * Lanes)) -
                                      load(m_rule.logSum.data() + half * Lanes);
                store(cell, value == -Infinity ? value : weight);
            } else {
                const FloatV sum = load(m_rule.sum.data() + half * Lanes);
                store(cell, sum == 0.0F ? FloatV{} : value / sum);
            }
        }
    }
    for (std::int64_t lane = 0; lane < panel.rows; ++lane) {
        if (!isBroken(lane)) {
            continue;
        }
        for (std::int64_t texel = m_firstTexel; texel < m_lastTexel; ++texel) {
            const std::int64_t begin = m_op.column + texel * m_op.cells_across;
            const std::int64_t end =
                std::min(m_op.column + m_op.columns, begin + m_op.cells_across);
            const bool nothingKept =
                keptInRow(m_op.problem.mask, panel.row + lane, begin, end) == 0;
            lanes(pooled, texel)[lane] = !nothingKept          ? NotANumber
                                         : m_pool == Pool::Max ? -Infinity
                                                               : 0;
        }
    }
}

/// Joins the lanes with the texel rows they belong to. @param unitRow the first row of @p texels.
void TileUnit::joinLanes(const Band::Panel& panel, std::int64_t unitRow)
{
    const std::int64_t into = panel.row - unitRow;
    const LaneGroups groups(panel, into % m_op.cells_down, m_op.cells_down);
    const auto rowOf = [&](const LaneGroups::Group& group) {
        return m_texels.data() + (into + group.begin) / m_op.cells_down * m_texelColumns;
    };
    for (std::int64_t t = m_firstTexel; t < m_lastTexel; ++t) {
        if (m_pool == Pool::Sum || m_pool == Pool::SumOfExp) {
            const float* sums = lanes(m_sums, t);
            for (const LaneGroups::Group& group : groups) {
                double& sum = rowOf(group)[t].sum;
                for (std::int64_t lane = group.begin; lane < group.end; ++lane) {
                    sum += double{sums[lane]};
                }
            }
            continue;
        }
        groups.spreadMax(lanes(m_high, t));
        for (const LaneGroups::Group& group : groups) {
            const float most = lanes(m_high, t)[group.begin];
            float& high = rowOf(group)[t].high;
            high = most > high || most != most ? most : high;
        }
        if (m_pool == Pool::AbsMax) { // the lowest are kept negated
            groups.spreadMax(lanes(m_low, t));
            for (const LaneGroups::Group& group : groups) {
                float& low = rowOf(group)[t].low;
                low = std::min(low, -lanes(m_low, t)[group.begin]);
            }
        }
    }
}

void TileUnit::poolPanel(std::int64_t p, std::int64_t unitRow)
{
    const Band::Panel& panel = m_band.panel(p);
    limitKeys(m_band.mask(p));
    const std::int64_t count = (m_lastTexel - m_firstTexel) * PanelWidth;
    const auto clear = [this, count](const Scratch& scratch, float value) {
        if (scratch.data() != nullptr) {
            std::fill_n(scratch.data() + m_firstTexel * PanelWidth, count, value);
        }
    };
    clear(m_high, -Infinity);
    clear(m_low, -Infinity);
    clear(m_sums, 0);
    forBlocksOfKeys([&](std::int64_t first, std::int64_t last) {
        if (readScores(p, first, last)) {
            poolBlock(first);
        }
    });
    if (isWeights()) {
        weighLanes(panel);
    }
    joinLanes(panel, unitRow);
}

/// Writes the texel row of the map's rows [row, row + rows).
void TileUnit::finish(std::int64_t row, std::int64_t rows, const Texel* texels)
{
    const std::int64_t place = (row - m_op.row) / m_op.cells_down * m_texelColumns;
    float* values = m_op.values + place;
    m_shares.count(row, rows);
    m_shares.write(m_op.masked_share + place);
    for (std::int64_t t = 0; t < m_texelColumns; ++t) {
        const Texel& texel = texels[t];
        const std::int64_t parts = m_masks ? m_shares.kept(t) : m_shares.cells(t);
        if (parts == 0) {
            values[t] = isWeights() && m_pool == Pool::Max ? -Infinity : nothing();
        } else if (m_pool == Pool::Sum || m_pool == Pool::SumOfExp) {
            values[t] = static_cast<float>(
                m_op.pooling == HEED_MASS ? texel.sum : texel.sum / static_cast<double>(parts));
        } else if (m_pool == Pool::AbsMax && -texel.low > texel.high) {
            values[t] = texel.low;
        } else {
            values[t] = texel.high;
        }
    }
    if (isWeights() && m_pool == Pool::Max) { // exp(−inf) is the 0 of weights
        exponentials(values, m_texelColumns);
    }
}

void TileUnit::run(std::int64_t row, std::int64_t rows)
{
    const std::int64_t texelRows = (rows + m_op.cells_down - 1) / m_op.cells_down;
    m_texels.assign(static_cast<std::size_t>(m_isPooled ? texelRows * m_texelColumns : 0), Texel{});
    for (std::int64_t top = row; top < row + rows; top += BandRows) {
        m_band.assign(top, std::min(BandRows, row + rows - top));
        for (std::int64_t p = 0; p < m_band.panels(); ++p) {
            readRule(m_band.panel(p));
            if (m_isPooled) {
                poolPanel(p, row);
            } else {
                writePanel(p);
            }
        }
    }
    if (m_call.stopped()) {
        return;
    }
    for (std::int64_t t = 0; t < texelRows && m_isPooled; ++t) {
        const std::int64_t top = t * m_op.cells_down;
        finish(row + top, std::min(m_op.cells_down, rows - top),
               m_texels.data() + t * m_texelColumns);
    }
}

} // namespace

heed_status tile(const heed_op_tile& op, Call& call)
{
    const std::int64_t unit = unitRows(op.rows, op.cells_down, call.threads());
    const double work = static_cast<double>(op.rows) * static_cast<double>(op.columns) *
                        static_cast<double>(op.problem.q.columns + 8); // 8: the pooling
    UnitPool<TileUnit> pool;
    call.forBlocks((op.rows + unit - 1) / unit, work, true, [&](std::int64_t u) {
        pool.with(
            [&] { return std::make_unique<TileUnit>(op, call); },
            [&](TileUnit& one) { one.run(op.row + u * unit, std::min(unit, op.rows - u * unit)); });
    });
    return call.status();
}

} // namespace heed::cpu
