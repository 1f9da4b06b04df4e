// What a map is made of, cell by cell, and the operations that look at it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/reference/referencerows.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace heed::detail::reference {
namespace {

constexpr double Infinity = std::numeric_limits<double>::infinity();
constexpr double NotANumber = std::numeric_limits<double>::quiet_NaN();

/// A number past the range of float32 is infinite, as it is for every backend.
double inRange(double exact)
{
    const auto rounded = static_cast<float>(exact);
    return std::isfinite(rounded) ? exact : double{rounded};
}

/// The numbers of single cells. Rows count inside the problem.
class Cells {
public:
    explicit Cells(const heed_problem& problem)
        : m_problem(problem)
        , m_q(problem.q)
        , m_k(problem.k)
        , m_bias(problem.bias)
    {
    }
    [[nodiscard]] std::int64_t rows() const { return m_problem.q.rows; }
    [[nodiscard]] std::int64_t keys() const { return m_problem.k.rows; }
    /// Row @p i among the queries of the whole map.
    [[nodiscard]] std::int64_t query(std::int64_t i) const { return m_problem.first_query + i; }

    [[nodiscard]] double score(std::int64_t i, std::int64_t j) const
    {
        return inRange(dot(m_q, m_k, i, j, m_problem.q.columns));
    }
    [[nodiscard]] double scaled(std::int64_t i, std::int64_t j) const
    {
        return inRange(m_problem.scale * dot(m_q, m_k, i, j, m_problem.q.columns));
    }
    /// Of a cell that the mask keeps.
    [[nodiscard]] double masked(std::int64_t i, std::int64_t j) const
    {
        double value = scaled(i, j);
        if (m_problem.soft_cap > 0) {
            const double cap = m_problem.soft_cap;
            value = cap * std::tanh(value / cap);
        }
        if (m_problem.distance_bias != nullptr) {
            value += double{m_problem.distance_bias[query(i) - j + keys() - 1]};
        }
        if (m_problem.bias.struct_size != 0) {
            value += m_bias.at(i, j);
        }
        return inRange(value);
    }
    /// The kept flags of row @p i into @p kept, one a key.
    void readMask(std::int64_t i, std::vector<char>& kept) const
    {
        const heed_mask& mask = m_problem.mask;
        kept.assign(static_cast<std::size_t>(mask.keys), 0);
        if (mask.is_bits != 0) {
            const std::uint64_t* words = mask.words + i * mask.words_per_row;
            for (std::int64_t j = 0; j < mask.keys; ++j) {
                kept[static_cast<std::size_t>(j)] = ((words[j / 64] >> (j % 64)) & 1U) != 0;
            }
            return;
        }
        for (std::int64_t r = mask.row_start[i]; r < mask.row_start[i + 1]; ++r) {
            std::fill(kept.begin() + mask.ranges[r].begin, kept.begin() + mask.ranges[r].end,
                      char{1});
        }
    }

private:
    const heed_problem& m_problem;
    Matrix m_q;
    Matrix m_k;
    Matrix m_bias;
};

/// One row of the masked scores and its softmax.
struct Row {
    std::vector<char> kept;
    std::vector<double> masked;
    std::vector<double> weights; ///< 0 where nothing is kept; NaN where kept in a broken row
    double max = -Infinity;
    double sum = 0; ///< Σ exp(masked − max)
    std::int64_t argmax = -1;
    std::int64_t keptCount = 0;
    bool broken = false; ///< NaN or +inf among the kept scores

    void read(const Cells& cells, std::int64_t i)
    {
        cells.readMask(i, kept);
        masked.assign(kept.size(), -Infinity);
        max = -Infinity;
        argmax = -1;
        keptCount = 0;
        broken = false;
        for (std::int64_t j = 0; j < cells.keys(); ++j) {
            const auto at = static_cast<std::size_t>(j);
            if (kept[at] == 0) {
                continue;
            }
            ++keptCount;
            masked[at] = cells.masked(i, j);
            if (!broken && !(masked[at] < Infinity)) {
                broken = true;
                max = NotANumber;
                argmax = j;
            } else if (masked[at] > max) { // false for every score once max is NaN
                max = masked[at];
                argmax = j;
            }
        }
        readWeights();
    }

private:
    void readWeights()
    {
        weights.assign(kept.size(), 0.0);
        sum = 0;
        if (max == -Infinity) {
            return;
        }
        for (std::size_t j = 0; j < kept.size(); ++j) {
            if (kept[j] != 0) { // of a broken row: NaN, as its maximum is
                weights[j] = std::exp(masked[j] - max);
                sum += weights[j];
            }
        }
        for (double& weight : weights) {
            weight = weight == 0 ? 0 : weight / sum;
        }
    }
};

void writeStats(const heed_op_row_stats& op, const Cells& cells, const Row& row, std::int64_t i)
{
    double pull = 0; // Σ w (masked − max)
    double distance = 0;
    for (std::int64_t j = 0; j < cells.keys(); ++j) {
        const auto at = static_cast<std::size_t>(j);
        const double weight = row.weights[at];
        if (weight != 0) {
            pull += weight * (row.masked[at] - row.max);
            distance += weight * static_cast<double>(std::abs(cells.query(i) - j));
        }
    }
    const bool none = row.sum == 0;
    op.max[i] = static_cast<float>(row.max);
    op.sum[i] = static_cast<float>(row.sum);
    op.lse[i] = static_cast<float>(none ? -Infinity : row.max + std::log(row.sum));
    // Rounding can leave a little less than nothing where one key has all the weight; a NaN stays.
    op.entropy[i] = static_cast<float>(none ? 0 : std::max(std::log(row.sum) - pull, 0.0));
    op.distance[i] = static_cast<float>(distance);
    op.argmax[i] = row.argmax;
    op.kept[i] = row.keptCount;
}

/// The weight of the keys that @p chosen picks; NaN for a broken row, even if it picks none.
template <typename Chosen>
float massOf(const Row& row, const Chosen& chosen)
{
    double mass = row.broken ? NotANumber : 0.0;
    for (std::size_t j = 0; j < row.weights.size(); ++j) {
        if (chosen(static_cast<std::int64_t>(j))) {
            mass += row.weights[j];
        }
    }
    return static_cast<float>(mass);
}

void writeMasses(const heed_row_masses& masses, const Cells& cells, const Row& row, std::int64_t i,
                 std::vector<double>& sorted)
{
    const std::int64_t query = cells.query(i);
    const bool tokens = masses.query_tokens != nullptr && masses.key_tokens != nullptr;
    const auto sameToken = [&](std::int64_t j) {
        return tokens && masses.key_tokens[j] == masses.query_tokens[i];
    };
    masses.previous[i] = massOf(row, [&](auto j) { return j == query - 1; });
    masses.next[i] = massOf(row, [&](auto j) { return j == query + 1; });
    masses.self[i] = massOf(row, [&](auto j) { return j == query; });
    masses.first[i] = massOf(row, [&](auto j) { return j == 0; });
    masses.duplicate[i] = massOf(row, [&](auto j) { return j < query && sameToken(j); });
    masses.induction[i] =
        massOf(row, [&](auto j) { return j >= 1 && j <= query && sameToken(j - 1); });
    masses.delimiter[i] = massOf(
        row, [&](auto j) { return masses.delimiters != nullptr && masses.delimiters[j] != 0; });
    if (row.broken) { // NaN has no place in an order
        masses.top5[i] = masses.top10[i] = static_cast<float>(NotANumber);
        return;
    }
    sorted = row.weights;
    std::ranges::sort(sorted, std::greater{});
    const auto strongest = [&](std::size_t count) {
        double mass = 0;
        for (std::size_t n = 0; n < std::min(count, sorted.size()); ++n) {
            mass += sorted[n];
        }
        return static_cast<float>(mass);
    };
    masses.top5[i] = strongest(5);
    masses.top10[i] = strongest(10);
}

/// The value of one cell; `takesPart` false for a masked cell that must be left out.
struct Cell {
    double value = 0;
    bool kept = false;
    bool takesPart = false;
};

/// What a texel has seen so far.
struct Texel {
    double best = -Infinity;
    double sum = 0;
    std::int64_t cells = 0;
    std::int64_t parts = 0;
    std::int64_t masked = 0;

    void add(const Cell& cell, std::uint32_t pooling)
    {
        ++cells;
        masked += cell.kept ? 0 : 1;
        if (!cell.takesPart) {
            return;
        }
        sum += cell.value;
        const bool first = parts++ == 0;
        if (std::isnan(best)) {
            return;
        }
        bool better = first || std::isnan(cell.value) || cell.value > best;
        if (pooling == HEED_ABS_MAX && !first && !std::isnan(cell.value)) {
            const double now = std::abs(cell.value);
            better = now > std::abs(best) || (now == std::abs(best) && cell.value > best);
        }
        if (better) {
            best = cell.value;
        }
    }
    [[nodiscard]] double value(std::uint32_t quantity, std::uint32_t pooling) const
    {
        if (parts == 0) {
            return quantity == HEED_WEIGHTS ? 0 : -Infinity;
        }
        if (pooling == HEED_MASS) {
            return sum;
        }
        return pooling == HEED_MEAN ? sum / static_cast<double>(parts) : best;
    }
};

/// A window of cells and the texels that come of it.
struct Window {
    std::uint32_t quantity, pooling;
    std::int64_t rows, columns, cellsDown, cellsAcross;
    float *values, *maskedShare;
};

/// Takes the cells of a window row after row and hands out each row of texels as it ends.
class Texels {
public:
    explicit Texels(const Window& window)
        : m_window(window)
    {
        const std::int64_t count =
            window.columns / window.cellsAcross + (window.columns % window.cellsAcross != 0);
        m_texels.resize(static_cast<std::size_t>(count));
    }
    void add(std::int64_t column, const Cell& cell)
    {
        m_texels[static_cast<std::size_t>(column / m_window.cellsAcross)].add(cell,
                                                                              m_window.pooling);
    }
    void endRow()
    {
        ++m_row;
        if (m_row % m_window.cellsDown != 0 && m_row != m_window.rows) {
            return;
        }
        for (Texel& texel : m_texels) {
            *m_window.values++ =
                static_cast<float>(texel.value(m_window.quantity, m_window.pooling));
            *m_window.maskedShare++ = static_cast<float>(static_cast<double>(texel.masked) /
                                                         static_cast<double>(texel.cells));
            texel = {};
        }
    }

private:
    Window m_window; ///< its pointers are where the next texel goes
    std::int64_t m_row = 0;
    std::vector<Texel> m_texels;
};

Window pictureOf(const heed_op_row_stats& op)
{
    return {.quantity = HEED_WEIGHTS,
            .pooling = HEED_MAX,
            .rows = op.problem.q.rows,
            .columns = op.problem.k.rows,
            .cellsDown = std::max<std::int64_t>(op.cells_down, 1),
            .cellsAcross = std::max<std::int64_t>(op.cells_across, 1),
            .values = op.picture,
            .maskedShare = op.picture_share};
}

/// Of weights, @p row is that of the cell.
Cell cellOf(const heed_op_tile& op, const Cells& cells, const Row& row, bool kept, std::int64_t i,
            std::int64_t j)
{
    Cell cell;
    cell.kept = kept;
    cell.takesPart = kept || op.quantity == HEED_SCORES || op.quantity == HEED_SCALED;
    if (!cell.takesPart) {
        return cell;
    }
    if (op.quantity == HEED_SCORES) {
        cell.value = cells.score(i, j);
    } else if (op.quantity == HEED_SCALED) {
        cell.value = cells.scaled(i, j);
    } else if (op.quantity == HEED_MASKED) {
        cell.value = cells.masked(i, j);
    } else {
        cell.value = row.weights[static_cast<std::size_t>(j)];
    }
    return cell;
}

} // namespace

double dot(const Matrix& a, const Matrix& b, std::int64_t i, std::int64_t j, std::int64_t width)
{
    double sum = 0;
    for (std::int64_t d = 0; d < width; ++d) {
        sum += a.at(i, d) * b.at(j, d);
    }
    return sum;
}

heed_status survey(const heed_op_row_stats& op, const heed_control* control)
{
    const Cells cells(op.problem);
    Row row;
    Texels texels(pictureOf(op));
    std::vector<double> sorted;
    for (std::int64_t i = 0; i < cells.rows(); ++i) {
        if (shouldStop(control)) {
            return stopped();
        }
        row.read(cells, i);
        writeStats(op, cells, row, i);
        if (op.masses != nullptr) {
            writeMasses(*op.masses, cells, row, i, sorted);
        }
        if (op.picture != nullptr) {
            for (std::int64_t j = 0; j < cells.keys(); ++j) {
                const auto at = static_cast<std::size_t>(j);
                const bool kept = row.kept[at] != 0;
                texels.add(j, {row.weights[at], kept, kept});
            }
            texels.endRow();
        }
        report(control, i + 1, cells.rows());
    }
    return HEED_OK;
}

heed_status tile(const heed_op_tile& op, const heed_control* control)
{
    const Cells cells(op.problem);
    Row row;
    Texels texels({op.quantity, op.pooling, op.rows, op.columns, op.cells_down, op.cells_across,
                   op.values, op.masked_share});
    for (std::int64_t r = 0; r < op.rows; ++r) {
        if (shouldStop(control)) {
            return stopped();
        }
        if (op.quantity == HEED_WEIGHTS) {
            // Not from op.row_max and op.row_sum: the float32 of a large maximum is far from it.
            row.read(cells, op.row + r);
        } else {
            cells.readMask(op.row + r, row.kept);
        }
        for (std::int64_t c = 0; c < op.columns; ++c) {
            const std::int64_t j = op.column + c;
            texels.add(c, cellOf(op, cells, row, row.kept[static_cast<std::size_t>(j)] != 0,
                                 op.row + r, j));
        }
        texels.endRow();
        report(control, r + 1, op.rows);
    }
    return HEED_OK;
}

heed_status attend(const heed_op_attend& op, const heed_control* control)
{
    const Cells cells(op.problem);
    const Matrix v(op.v);
    Row row;
    std::vector<double> sums;
    for (std::int64_t i = 0; i < cells.rows(); ++i) {
        if (shouldStop(control)) {
            return stopped();
        }
        row.read(cells, i);
        sums.assign(static_cast<std::size_t>(op.v.columns), 0.0);
        for (std::int64_t j = 0; j < cells.keys() && row.sum != 0; ++j) {
            const auto at = static_cast<std::size_t>(j);
            if (row.kept[at] == 0) {
                continue;
            }
            for (std::int64_t d = 0; d < op.v.columns; ++d) {
                sums[static_cast<std::size_t>(d)] += row.weights[at] * v.at(j, d);
            }
        }
        for (std::int64_t d = 0; d < op.v.columns; ++d) {
            op.out.data[i * op.out.row_stride + d * op.out.column_stride] =
                static_cast<float>(sums[static_cast<std::size_t>(d)]);
        }
        report(control, i + 1, cells.rows());
    }
    return HEED_OK;
}

} // namespace heed::detail::reference
