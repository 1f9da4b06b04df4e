// A pooled window of a map, recomputed.
//
// Level 0 writes cells straight into the result. Above it, the rows of a texel are pooled into one
// row of columns first, which is a vector loop whatever the level, and then the columns into
// texels. Maxima of weights are pooled before the exponential, which keeps order, so only texels
// need one.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scores.h"

#include <cmath>
#include <vector>

namespace heed::cpu {
namespace {

/// What turns the scores of one row into the wanted quantity.
struct RowRule {
    float scale = 1;
    float max = 0;
    float sum = 1;     ///< weights: divided by
    float logSum = 0;  ///< weights before the exponential: subtracted
    bool none = false; ///< no weights in this row: every kept cell is 0
};

enum class Transform { Score, Scaled, Weight, LogWeight };

template <Transform transform>
[[gnu::always_inline]] inline FloatV valueOf(FloatV score, const RowRule& rule)
{
    if constexpr (transform == Transform::Score) {
        return score;
    } else {
        const FloatV scaled = rounded(score * rule.scale);
        if constexpr (transform == Transform::Scaled) {
            return scaled;
        } else if constexpr (transform == Transform::Weight) {
            return expV(scaled - rule.max) / rule.sum;
        } else {
            return rounded(scaled - rule.max) - rule.logSum;
        }
    }
}

/// Calls use(vector, index, lanes) for the values of @p count cells; lanes past the count are
/// garbage.
template <Transform transform, typename Use>
[[gnu::always_inline]] inline void forValues(const float* s, std::int64_t count,
                                             const RowRule& rule, const Use& use)
{
    std::int64_t j = 0;
    for (; j + Lanes <= count; j += Lanes) {
        use(valueOf<transform>(load(s + j), rule), j, std::int64_t{Lanes});
    }
    if (j < count) {
        use(valueOf<transform>(loadPart(s + j, count - j, 0.0F), rule), j, count - j);
    }
}

template <Transform transform>
void writeValues(const float* s, std::int64_t count, const RowRule& rule, float* out)
{
    if (rule.none) {
        std::fill_n(out, count, 0.0F);
        return;
    }
    forValues<transform>(s, count, rule, [out](FloatV v, std::int64_t j, std::int64_t lanes) {
        if (lanes == Lanes) {
            store(out + j, v);
        } else {
            storePart(out + j, v, lanes);
        }
    });
}

/// Pooled so far, one number a column of the block. Padded so that whole vectors fit at the end.
struct Columns {
    std::array<float, static_cast<std::size_t>(BlockKeys + Lanes)> high;
    std::array<float, static_cast<std::size_t>(BlockKeys + Lanes)> low; ///< AbsMax only
    std::array<float, static_cast<std::size_t>(BlockKeys + Lanes)> sum; ///< Mass and Mean only
    std::array<std::int32_t, static_cast<std::size_t>(BlockKeys + 1)> keptSteps;

    void clear()
    {
        high.fill(-Infinity);
        low.fill(Infinity);
        sum.fill(0);
        keptSteps.fill(0);
    }
};

template <Transform transform, std::uint32_t pooling>
void poolValues(const float* s, std::int64_t count, const RowRule& rule, Columns& columns,
                std::int64_t at)
{
    if (rule.none) { // zeros: nothing to add, and no maximum of weights is below zero
        return;
    }
    float* high = columns.high.data() + at;
    float* low = columns.low.data() + at;
    float* sum = columns.sum.data() + at;
    forValues<transform>(s, count, rule, [&](FloatV v, std::int64_t j, std::int64_t lanes) {
        const auto update = [j, lanes](float* column, auto&& pooled) {
            const FloatV before = load(column + j);
            if (lanes == Lanes) {
                store(column + j, pooled(before));
            } else {
                storePart(column + j, pooled(before), lanes);
            }
        };
        if constexpr (pooling == HEED_MASS) {
            update(sum, [v](FloatV before) { return before + v; });
        } else {
            // NaN wins: it is never below, and nothing is above it.
            update(high, [v](FloatV before) { return ((v > before) | (v != v)) ? v : before; });
            if constexpr (pooling == HEED_ABS_MAX) {
                update(low, [v](FloatV before) { return v < before ? v : before; });
            }
        }
    });
}

struct Texel {
    float high = -Infinity;
    float low = Infinity;
    double sum = 0;
    std::int64_t kept = 0;
};

using WriteFunction = void (*)(const float*, std::int64_t, const RowRule&, float*);
using PoolFunction = void (*)(const float*, std::int64_t, const RowRule&, Columns&, std::int64_t);

/// Everything about one call that its units share.
class TileJob {
public:
    TileJob(const heed_op_tile& op, Call& call)
        : m_op(op)
        , m_call(call)
        , m_q(op.problem.q)
        , m_keys(MatrixRef(op.problem.k), op.column, op.column + op.columns, call)
        , m_texelColumns((op.columns + op.texel_cells - 1) / op.texel_cells)
        , m_masks(op.quantity == HEED_MASKED || op.quantity == HEED_WEIGHTS)
    {
        chooseFunctions();
    }
    heed_status run();

private:
    void chooseFunctions();
    [[nodiscard]] RowRule ruleOf(std::int64_t row) const;
    [[nodiscard]] Extent extentOf(std::int64_t row, std::int64_t rows, std::int64_t b) const;
    void cellUnit(std::int64_t row, std::int64_t rows) const;
    void texelRow(std::int64_t texelRow) const;
    void poolBlock(std::int64_t row, std::int64_t rows, std::int64_t b, Columns& columns) const;
    void poolColumns(const Columns& columns, std::int64_t b, std::vector<Texel>& texels) const;
    void finish(std::int64_t texelRow, std::vector<Texel>& texels) const;
    /// Value of a texel or cell with nothing in it.
    [[nodiscard]] float nothing() const { return m_op.quantity == HEED_WEIGHTS ? 0.0F : -Infinity; }

    const heed_op_tile& m_op;
    Call& m_call;
    MatrixRef m_q;
    PackedKeys m_keys;
    std::int64_t m_texelColumns;
    bool m_masks; ///< masked cells take no part in the value
    bool m_logarithms = false;
    WriteFunction m_write = nullptr;
    PoolFunction m_pool = nullptr;
};

template <Transform transform>
PoolFunction poolFunction(std::uint32_t pooling)
{
    switch (pooling) {
    case HEED_MAX:
        return poolValues<transform, HEED_MAX>;
    case HEED_ABS_MAX:
        return poolValues<transform, HEED_ABS_MAX>;
    default:
        return poolValues<transform, HEED_MASS>; // the mean is the sum, divided at the end
    }
}

void TileJob::chooseFunctions()
{
    switch (m_op.quantity) {
    case HEED_SCORES:
        m_write = writeValues<Transform::Score>;
        m_pool = poolFunction<Transform::Score>(m_op.pooling);
        break;
    case HEED_WEIGHTS:
        m_write = writeValues<Transform::Weight>;
        m_logarithms = m_op.pooling == HEED_MAX || m_op.pooling == HEED_ABS_MAX;
        // Weights are never negative, so both maxima are the same.
        m_pool = m_logarithms ? poolFunction<Transform::LogWeight>(HEED_MAX)
                              : poolFunction<Transform::Weight>(HEED_MASS);
        break;
    default:
        m_write = writeValues<Transform::Scaled>;
        m_pool = poolFunction<Transform::Scaled>(m_op.pooling);
        break;
    }
}

RowRule TileJob::ruleOf(std::int64_t row) const
{
    RowRule rule;
    rule.scale = m_op.problem.scale;
    if (m_op.quantity == HEED_WEIGHTS) {
        rule.max = m_op.row_max[row];
        rule.sum = m_op.row_sum[row];
        rule.logSum = static_cast<float>(std::log(double{rule.sum}));
        rule.none = rule.sum == 0;
    }
    return rule;
}

Extent TileJob::extentOf(std::int64_t row, std::int64_t rows, std::int64_t b) const
{
    const std::int64_t first = m_keys.blockBegin(b);
    const std::int64_t last = m_keys.blockEnd(b);
    return m_masks ? keptExtent(m_op.problem.mask, row, rows, first, last) : Extent{first, last};
}

/// Level 0: rows [row, row + rows) of the map, at most a block.
void TileJob::cellUnit(std::int64_t row, std::int64_t rows) const
{
    Block& block = threadBlock();
    const std::int64_t outRow = row - m_op.row;
    float* values = m_op.values + outRow * m_op.columns;
    float* shares = m_op.masked_share + outRow * m_op.columns;
    std::fill_n(values, rows * m_op.columns, nothing());
    std::fill_n(shares, rows * m_op.columns, 1.0F);
    for (std::int64_t b = 0; b < m_keys.blocks() && !m_call.stopped(); ++b) {
        const std::int64_t first = m_keys.blockBegin(b);
        const std::int64_t last = m_keys.blockEnd(b);
        const Extent extent = extentOf(row, rows, b);
        if (extent.empty()) {
            continue;
        }
        m_keys.scores(m_q, row, rows, b, extent, block);
        for (std::int64_t r = 0; r < rows; ++r) {
            const RowRule rule = ruleOf(row + r);
            const float* s = block.data() + r * BlockStride - first; // indexed by key
            float* outValues = values + r * m_op.columns - m_op.column;
            float* outShares = shares + r * m_op.columns - m_op.column;
            if (!m_masks) {
                m_write(s + first, last - first, rule, outValues + first);
            }
            forEachRun(m_op.problem.mask, row + r, first, last,
                       [&](std::int64_t begin, std::int64_t end) {
                           std::fill(outShares + begin, outShares + end, 0.0F);
                           if (m_masks) {
                               m_write(s + begin, end - begin, rule, outValues + begin);
                           }
                       });
        }
    }
}

/// Pools rows [row, row + rows), at most a block and inside one texel row, into @p columns.
void TileJob::poolBlock(std::int64_t row, std::int64_t rows, std::int64_t b, Columns& columns) const
{
    const std::int64_t first = m_keys.blockBegin(b);
    const std::int64_t last = m_keys.blockEnd(b);
    const Extent extent = extentOf(row, rows, b);
    if (extent.empty()) {
        return;
    }
    Block& block = threadBlock();
    m_keys.scores(m_q, row, rows, b, extent, block);
    for (std::int64_t r = 0; r < rows; ++r) {
        const RowRule rule = ruleOf(row + r);
        const float* s = block.data() + r * BlockStride;
        if (!m_masks) {
            m_pool(s, last - first, rule, columns, 0);
        }
        forEachRun(m_op.problem.mask, row + r, first, last,
                   [&](std::int64_t begin, std::int64_t end) {
                       ++columns.keptSteps[static_cast<std::size_t>(begin - first)];
                       --columns.keptSteps[static_cast<std::size_t>(end - first)];
                       if (m_masks) {
                           m_pool(s + (begin - first), end - begin, rule, columns, begin - first);
                       }
                   });
    }
}

void TileJob::poolColumns(const Columns& columns, std::int64_t b, std::vector<Texel>& texels) const
{
    const std::int64_t first = m_keys.blockBegin(b) - m_op.column;
    const std::int64_t count = m_keys.blockEnd(b) - m_op.column - first;
    std::int64_t kept = 0;
    std::int64_t j = 0;
    while (j < count) {
        const std::int64_t t = (first + j) / m_op.texel_cells;
        const std::int64_t end = std::min(count, (t + 1) * m_op.texel_cells - first);
        Texel& texel = texels[static_cast<std::size_t>(t)];
        for (; j < end; ++j) {
            const auto at = static_cast<std::size_t>(j);
            const float high = columns.high[at];
            texel.high = high > texel.high || std::isnan(high) ? high : texel.high;
            texel.low = std::min(texel.low, columns.low[at]);
            texel.sum += double{columns.sum[at]};
            kept += columns.keptSteps[at];
            texel.kept += kept;
        }
    }
}

void TileJob::finish(std::int64_t texelRow, std::vector<Texel>& texels) const
{
    const std::int64_t cells = m_op.texel_cells;
    const std::int64_t rows = std::min(cells, m_op.rows - texelRow * cells);
    float* values = m_op.values + texelRow * m_texelColumns;
    float* shares = m_op.masked_share + texelRow * m_texelColumns;
    for (std::int64_t t = 0; t < m_texelColumns; ++t) {
        const Texel& texel = texels[static_cast<std::size_t>(t)];
        const auto all = static_cast<double>(rows) *
                         static_cast<double>(std::min(cells, m_op.columns - t * cells));
        const double parts = m_masks ? static_cast<double>(texel.kept) : all;
        shares[t] = static_cast<float>((all - static_cast<double>(texel.kept)) / all);
        if (parts == 0) {
            // exp(−inf) is the 0 of weights
            values[t] = m_logarithms ? -Infinity : nothing();
        } else if (m_op.pooling == HEED_MASS || m_op.pooling == HEED_MEAN) {
            values[t] =
                static_cast<float>(m_op.pooling == HEED_MASS ? texel.sum : texel.sum / parts);
        } else if (m_op.pooling == HEED_ABS_MAX && -texel.low > texel.high) {
            values[t] = texel.low;
        } else {
            values[t] = texel.high;
        }
    }
    if (!m_logarithms) {
        return;
    }
    for (std::int64_t t = 0; t < m_texelColumns; t += Lanes) {
        const std::int64_t lanes = std::min<std::int64_t>(Lanes, m_texelColumns - t);
        storePart(values + t, expV(loadPart(values + t, lanes, 0.0F)), lanes);
    }
}

/// Levels above 0: one row of texels.
void TileJob::texelRow(std::int64_t texelRow) const
{
    std::vector<Texel> texels(static_cast<std::size_t>(m_texelColumns));
    Columns columns;
    const std::int64_t top = m_op.row + texelRow * m_op.texel_cells;
    const std::int64_t bottom = std::min(m_op.row + m_op.rows, top + m_op.texel_cells);
    for (std::int64_t b = 0; b < m_keys.blocks(); ++b) {
        columns.clear();
        for (std::int64_t row = top; row < bottom; row += BlockRows) {
            if (m_call.stopped()) {
                return;
            }
            poolBlock(row, std::min(BlockRows, bottom - row), b, columns);
        }
        poolColumns(columns, b, texels);
    }
    finish(texelRow, texels);
}

heed_status TileJob::run()
{
    const double work = static_cast<double>(m_op.rows) * static_cast<double>(m_op.columns) *
                        static_cast<double>(m_q.columns + 8); // 8: the pass over the scores
    if (m_op.texel_cells == 1) {
        m_call.forBlocks((m_op.rows + BlockRows - 1) / BlockRows, work, true,
                         [this](std::int64_t unit) {
                             const std::int64_t row = unit * BlockRows;
                             cellUnit(m_op.row + row, std::min(BlockRows, m_op.rows - row));
                         });
    } else {
        const std::int64_t texelRows = (m_op.rows + m_op.texel_cells - 1) / m_op.texel_cells;
        m_call.forBlocks(texelRows, work, true, [this](std::int64_t t) { texelRow(t); });
    }
    return m_call.status();
}

} // namespace

heed_status tile(const heed_op_tile& op, Call& call)
{
    return TileJob(op, call).run();
}

} // namespace heed::cpu
