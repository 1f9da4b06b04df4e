// Everything about the softmax of every row, and a picture of the weights, in one pass over the
// scores.
//
// Maxima commute with exp: the picture keeps the largest score of each row in each texel column
// while the sums run; when a row is done its log-sum-exp is known, and only texels need an
// exponential.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "lanegroups.h"
#include "rowmasses.h"

#include <cmath>
#include <optional>
#include <vector>

namespace heed::cpu {
namespace {

/// What a thread works with; made once a unit.
class SurveyUnit {
public:
    SurveyUnit(const heed_op_row_stats& op, Call& call);

    /// Surveys rows [row, row + rows), whole texel rows.
    void run(std::int64_t row, std::int64_t rows);

private:
    void readBlock(std::int64_t p, std::int64_t first, std::int64_t last);
    void poolBlock(std::int64_t p, std::int64_t first, const Block& block,
                   PerLane<float>& blockMax);
    void begin(std::int64_t p, std::int64_t end);
    void finishRows(std::int64_t p);
    void finishRow(std::int64_t p, std::int64_t lane);
    void finishPicture(std::int64_t p);
    void breakTexels(std::int64_t p, std::int64_t begin, std::int64_t end);
    void finishShares(std::int64_t row, std::int64_t rows);
    [[nodiscard]] std::int64_t firstBroken(std::int64_t row) const;
    /// The texel columns in which panel @p p may have a kept key.
    struct Texels {
        std::int64_t begin = 0;
        std::int64_t end = 0;
    };
    [[nodiscard]] Texels texelsOf(std::int64_t p) const
    {
        if (m_texelColumns == 0) {
            return {};
        }
        const std::int64_t across = m_op.cells_across;
        return {m_band.mask(p).begin() / across, (m_band.mask(p).end() + across - 1) / across};
    }
    [[nodiscard]] float* pooled(std::int64_t p, std::int64_t texel)
    {
        return m_pooled.data() + (p * m_texelColumns + texel) * PanelWidth;
    }

    const heed_op_row_stats& m_op;
    Call& m_call;
    Band m_band;
    std::int64_t m_texelColumns = 0; ///< 0 without a picture
    Scratch m_pooled;                ///< [panels, texel columns, lanes]: largest masked score
    /// Texel columns of each panel that have a value so far; what lies before is never written
    /// again but for the last of them.
    std::array<std::int64_t, static_cast<std::size_t>(BandPanels)> m_begun{};
    std::array<RowStates, static_cast<std::size_t>(BandPanels)> m_states;
    std::vector<MassStates> m_masses;     ///< one a panel, or none
    std::optional<MaskedShares> m_shares; ///< with a picture
    BlockMask m_mask;
};

SurveyUnit::SurveyUnit(const heed_op_row_stats& op, Call& call)
    : m_op(op)
    , m_call(call)
    , m_band(op.problem, op.problem.scale)
{
    if (op.picture != nullptr) {
        m_texelColumns = (op.problem.k.rows + op.cells_across - 1) / op.cells_across;
        m_pooled = Scratch(m_texelColumns * BandRows);
        m_shares.emplace(op.problem.mask, 0, op.problem.k.rows, op.cells_across);
    }
    if (op.masses != nullptr) {
        m_masses.reserve(static_cast<std::size_t>(BandPanels));
        for (std::int64_t p = 0; p < BandPanels; ++p) {
            m_masses.emplace_back(op);
        }
    }
}

/// Where the keys of a block lie as the queries see them.
enum class Side { Before, After, Both };

/// e = exp(s − max) for the rows [begin, end) of the block, added up; left in the block when
/// @p keep.
template <Side side, bool keep>
void addExponentials(RowStates& states, std::int64_t position, std::int64_t first,
                     std::int64_t begin, std::int64_t end, Block& block)
{
    FloatV centers[2];
    FloatV offsets[2]; // |query − key|, signed where keys are on both sides
    FloatV sums[2] = {};
    FloatV drops[2] = {}; // in powers of two
    FloatV distances[2] = {};
    constexpr float step = side == Side::After ? 1.0F : -1.0F;
    for (int half = 0; half < 2; ++half) {
        centers[half] = states.center(half);
        const IntV lanes = laneNumbers(static_cast<std::int32_t>(position - begin), half);
        offsets[half] = __builtin_convertvector(side == Side::After ? -lanes : lanes, FloatV);
    }
    // Both vectors of a key in one turn share the constants of the exponential.
    for (float* cell = block.key(begin - first); cell < block.key(end - first);
         cell += PanelWidth) {
#pragma GCC unroll 2
        for (int half = 0; half < 2; ++half) {
            FloatV drop = load(cell + half * Lanes) - centers[half];
            const FloatV e = expOfDrop(drop);
            sums[half] += e;
            drops[half] -= e * drop;
            const FloatV offset = offsets[half];
            distances[half] += e * (side == Side::Both ? maxV(offset, -offset) : offset);
            offsets[half] = offset + step;
            if constexpr (keep) {
                store(cell + half * Lanes, e);
            }
        }
    }
    for (int half = 0; half < 2; ++half) {
        for (int lane = 0; lane < Lanes; ++lane) {
            const auto at = laneAt(half, lane);
            states.sum[at] += double{sums[half][lane]};
            states.drop[at] += double{drops[half][lane]} * Ln2;
            states.distance[at] += double{distances[half][lane]};
        }
    }
}

template <bool keep>
void addExponentials(RowStates& states, std::int64_t position, std::int64_t first,
                     std::int64_t begin, std::int64_t end, Block& block)
{
    if (end - 1 <= position) {
        addExponentials<Side::Before, keep>(states, position, first, begin, end, block);
    } else if (begin >= position + PanelWidth - 1) {
        addExponentials<Side::After, keep>(states, position, first, begin, end, block);
    } else {
        addExponentials<Side::Both, keep>(states, position, first, begin, end, block);
    }
}

void SurveyUnit::readBlock(std::int64_t p, std::int64_t first, std::int64_t last)
{
    m_band.mask(p).read(first, last, m_mask);
    if (m_mask.empty()) {
        return;
    }
    Block& block = threadBlock();
    m_band.masked(p, first, m_mask, block);
    const std::int64_t begin = m_mask.begin;
    const std::int64_t end = m_mask.end;
    alignas(64) PerLane<float> blockMax;
    if (m_texelColumns > 0) {
        poolBlock(p, first, block, blockMax);
    } else {
        maxOfBlock(block, begin - first, end - first, blockMax);
    }
    RowStates& states = m_states[static_cast<std::size_t>(p)];
    PerLane<double> factors;
    const bool rose = states.raise(block, first, begin, blockMax, factors);
    const std::int64_t position = m_op.problem.first_query + m_band.panel(p).row;
    if (m_masses.empty()) {
        addExponentials<false>(states, position, first, begin, end, block);
        return;
    }
    MassStates& masses = m_masses[static_cast<std::size_t>(p)];
    masses.readScores(block, first, begin, end);
    if (rose) {
        masses.shrink(factors);
    }
    addExponentials<true>(states, position, first, begin, end, block);
    masses.add(block, first, begin, end);
}

/// Makes the texel columns before @p end ready for values.
void SurveyUnit::begin(std::int64_t p, std::int64_t end)
{
    std::int64_t& begun = m_begun[static_cast<std::size_t>(p)];
    if (begun < end) {
        std::fill(pooled(p, begun), pooled(p, end), -Infinity);
        begun = end;
    }
}

/// @param blockMax what the texel columns that the block touches have seen.
void SurveyUnit::poolBlock(std::int64_t p, std::int64_t first, const Block& block,
                           PerLane<float>& blockMax)
{
    FloatV tops[2] = {splat(-Infinity), splat(-Infinity)};
    std::int64_t& begun = m_begun[static_cast<std::size_t>(p)];
    std::int64_t texel = m_mask.begin / m_op.cells_across;
    for (std::int64_t j = m_mask.begin; j < m_mask.end; ++texel) {
        const std::int64_t end = std::min(m_mask.end, (texel + 1) * m_op.cells_across);
        float* to = pooled(p, texel);
        begin(p, texel);
        FloatV left = splat(-Infinity);
        FloatV right = left;
        if (texel < begun) {
            left = load(to);
            right = load(to + Lanes);
        } else {
            begun = texel + 1;
        }
        for (; j < end; ++j) {
            left = maxV(load(block.key(j - first)), left);
            right = maxV(load(block.key(j - first) + Lanes), right);
        }
        store(to, left);
        store(to + Lanes, right);
        tops[0] = maxV(left, tops[0]);
        tops[1] = maxV(right, tops[1]);
    }
    store(blockMax.data(), tops[0]);
    store(blockMax.data() + Lanes, tops[1]);
}

std::int64_t SurveyUnit::firstBroken(std::int64_t row) const
{
    std::int64_t found = -1;
    forEachRun(m_op.problem.mask, row, 0, m_op.problem.k.rows,
               [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t j = begin; j < end && found < 0; ++j) {
                       found = maskedScore(m_op.problem, row, j) < Infinity ? -1 : j;
                   }
               });
    return found;
}

void SurveyUnit::finishRow(std::int64_t p, std::int64_t lane)
{
    const RowStates& states = m_states[static_cast<std::size_t>(p)];
    const auto at = static_cast<std::size_t>(lane);
    const std::int64_t row = m_band.panel(p).row + lane;
    const double sum = states.sum[at];
    const bool broken = states.isBroken(lane);
    const bool none = sum == 0;
    const auto orBroken = [broken](double value) {
        return broken ? NotANumber : static_cast<float>(value);
    };
    m_op.max[row] = orBroken(double{states.max[at]});
    m_op.sum[row] = orBroken(sum);
    m_op.lse[row] = orBroken(none ? double{-Infinity} : double{states.max[at]} + std::log(sum));
    // Rounding can leave a little less than nothing where one key has all the weight.
    m_op.entropy[row] =
        orBroken(none || broken ? 0 : std::max(std::log(sum) + states.drop[at] / sum, 0.0));
    m_op.distance[row] = orBroken(none ? 0 : states.distance[at] / sum);
    m_op.argmax[row] = broken ? firstBroken(row) : states.argmax[at];
    m_op.kept[row] = keptInRow(m_op.problem.mask, row, 0, m_op.problem.k.rows);
}

/// Turns the largest scores of the panel's rows into logarithms of weights and joins them with
/// what the texel rows have; into weights where every row is a texel row of its own.
void SurveyUnit::finishPicture(std::int64_t p)
{
    const Band::Panel& panel = m_band.panel(p);
    const RowStates& states = m_states[static_cast<std::size_t>(p)];
    const Texels texels = texelsOf(p);
    begin(p, texels.end);
    // 0 for rows without weights, where the largest scores are −inf, and for those that become NaN.
    alignas(64) PerLane<float> max{};
    alignas(64) PerLane<float> logSum{};
    bool isBroken = false;
    for (std::int64_t lane = 0; lane < PanelWidth; ++lane) {
        const auto at = static_cast<std::size_t>(lane);
        if (states.isBroken(lane)) {
            isBroken = true;
        } else if (states.max[at] > -Infinity) {
            max[at] = states.max[at];
            logSum[at] = static_cast<float>(std::log(states.sum[at]));
        }
    }
    const bool isOwn = m_op.cells_down == 1;
    const auto weigh = [&](std::int64_t begin, std::int64_t end) {
        for (float* cells = pooled(p, begin); cells < pooled(p, end); cells += PanelWidth) {
            for (int half = 0; half < 2; ++half) {
                const FloatV drop =
                    rounded(load(cells + half * Lanes) - load(max.data() + half * Lanes));
                const FloatV log = drop - load(logSum.data() + half * Lanes);
                store(cells + half * Lanes, isOwn ? expV(log) : log);
            }
        }
    };
    const LaneGroups groups(panel, panel.row % m_op.cells_down, m_op.cells_down);
    float* rows = m_op.picture + panel.row / m_op.cells_down * m_texelColumns;
    for (std::int64_t row = 0; isOwn && row < panel.rows; ++row) {
        float* texelRow = rows + row * m_texelColumns;
        std::fill(texelRow, texelRow + texels.begin, 0.0F);
        std::fill(texelRow + texels.end, texelRow + m_texelColumns, 0.0F);
    }
    // A line of memory of each texel row at a time: the rows may lie a page apart.
    constexpr std::int64_t lineTexels = 16;
    for (std::int64_t begin = texels.begin; begin < texels.end;) {
        const std::int64_t end = std::min(texels.end, (begin / lineTexels + 1) * lineTexels);
        weigh(begin, end);
        if (isBroken) {
            breakTexels(p, begin, end);
        }
        groups.join(pooled(p, begin), end - begin, isBroken, rows + begin, m_texelColumns);
        begin = end;
    }
}

/// NaN in the texel columns [begin, end) of rows whose weights are NaN, where they keep a key.
void SurveyUnit::breakTexels(std::int64_t p, std::int64_t begin, std::int64_t end)
{
    const Band::Panel& panel = m_band.panel(p);
    const std::int64_t across = m_op.cells_across;
    for (std::int64_t lane = 0; lane < panel.rows; ++lane) {
        if (m_states[static_cast<std::size_t>(p)].isBroken(lane)) {
            forEachRun(m_op.problem.mask, panel.row + lane, begin * across,
                       std::min(end * across, m_op.problem.k.rows),
                       [&](std::int64_t first, std::int64_t last) {
                           for (std::int64_t t = first / across; t * across < last; ++t) {
                               pooled(p, t)[lane] = NotANumber;
                           }
                       });
        }
    }
}

void SurveyUnit::finishRows(std::int64_t p)
{
    for (std::int64_t lane = 0; lane < m_band.panel(p).rows; ++lane) {
        finishRow(p, lane);
    }
    if (!m_masses.empty()) {
        m_masses[static_cast<std::size_t>(p)].finish(m_states[static_cast<std::size_t>(p)]);
    }
    if (m_texelColumns > 0) {
        finishPicture(p);
    }
}

void SurveyUnit::run(std::int64_t row, std::int64_t rows)
{
    const std::int64_t keys = m_op.problem.k.rows;
    float* picture = nullptr;
    std::int64_t count = 0;
    if (m_texelColumns > 0) {
        picture = m_op.picture + row / m_op.cells_down * m_texelColumns;
        count = (rows + m_op.cells_down - 1) / m_op.cells_down * m_texelColumns;
        if (m_op.cells_down > 1) { // rows of one texel row join it one after the other
            std::fill_n(picture, count, -Infinity);
        }
    }
    for (std::int64_t top = row; top < row + rows; top += BandRows) {
        m_band.assign(top, std::min(BandRows, row + rows - top));
        for (std::int64_t p = 0; p < m_band.panels(); ++p) {
            m_states[static_cast<std::size_t>(p)].clear();
            m_begun[static_cast<std::size_t>(p)] = texelsOf(p).begin;
            if (!m_masses.empty()) {
                m_masses[static_cast<std::size_t>(p)].start(m_band.panel(p));
            }
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
            finishRows(p);
        }
    }
    if (m_texelColumns > 0) {
        if (m_op.cells_down > 1) {
            exponentials(picture, count);
        }
        finishShares(row, rows);
    }
}

void SurveyUnit::finishShares(std::int64_t row, std::int64_t rows)
{
    if (m_op.cells_down == 1 && m_op.cells_across == 1) {
        for (std::int64_t one = row; one < row + rows; ++one) {
            writeMasked(m_op.problem.mask, one, 0, m_texelColumns,
                        m_op.picture_share + one * m_texelColumns);
        }
        return;
    }
    for (std::int64_t top = row; top < row + rows; top += m_op.cells_down) {
        m_shares->count(top, std::min(m_op.cells_down, row + rows - top));
        m_shares->write(m_op.picture_share + top / m_op.cells_down * m_texelColumns);
    }
}

} // namespace

heed_status rowStats(const heed_op_row_stats& op, Call& call)
{
    const std::int64_t rows = op.problem.q.rows;
    const std::int64_t keys = op.problem.k.rows;
    const std::int64_t unit =
        unitRows(rows, op.picture != nullptr ? op.cells_down : 1, call.threads());
    const double work = static_cast<double>(rows) * static_cast<double>(keys) *
                        static_cast<double>(op.problem.q.columns + 16); // 16: the exponentials
    UnitPool<SurveyUnit> pool;
    call.forBlocks((rows + unit - 1) / unit, work, true, [&](std::int64_t u) {
        pool.with([&] { return std::make_unique<SurveyUnit>(op, call); },
                  [&](SurveyUnit& one) { one.run(u * unit, std::min(unit, rows - u * unit)); });
    });
    return call.status();
}

} // namespace heed::cpu
