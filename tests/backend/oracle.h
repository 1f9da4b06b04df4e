// Attention the slow way: full matrices, one loop an operation. In float64 it is the truth; in
// float32 it is the "plain loop" whose error a backend may at most double.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/backend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace heed::test {

/// A dense matrix of any number type.
template <typename Real>
struct Grid {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<Real> cells;

    Grid() = default;
    Grid(std::int64_t r, std::int64_t c)
        : rows(r)
        , columns(c)
        , cells(static_cast<std::size_t>(r * c))
    {
    }
    Real& at(std::int64_t r, std::int64_t c)
    {
        return cells[static_cast<std::size_t>(r * columns + c)];
    }
    const Real& at(std::int64_t r, std::int64_t c) const
    {
        return cells[static_cast<std::size_t>(r * columns + c)];
    }
};

/// Inputs as float32, the mask as one flag a cell.
struct Inputs {
    Grid<float> q, k, v;
    Grid<char> keep;
    float scale = 1;
    float softCap = 0;
    std::vector<float> distanceBias; ///< none when empty
    Grid<float> bias;                ///< none when empty
    std::int64_t firstQuery = 0;
    std::vector<std::int32_t> queryTokens, keyTokens;
    std::vector<std::uint8_t> delimiters;
};

template <typename Real>
struct OracleStats {
    std::vector<Real> max, sum, lse, entropy, distance;
    std::vector<std::int64_t> kept;
};

/// In the order of heed::RowMasses.
enum Mass { Previous, Next, Self, First, Duplicate, Induction, Delimiter, Top5, Top10, MassCount };
template <typename Real>
using OracleMasses = std::array<std::vector<Real>, MassCount>;

template <typename Real>
class Oracle {
public:
    explicit Oracle(const Inputs& inputs)
        : m_inputs(inputs)
        , m_scores(inputs.q.rows, inputs.k.rows)
        , m_scaled(m_scores)
        , m_masked(m_scores)
        , m_weights(m_scores)
    {
        for (std::int64_t i = 0; i < m_scores.rows; ++i) {
            fillRow(i);
        }
    }

    [[nodiscard]] const OracleStats<Real>& stats() const { return m_stats; }
    [[nodiscard]] const Grid<Real>& quantity(Quantity quantity) const
    {
        switch (quantity) {
        case Quantity::Scores:
            return m_scores;
        case Quantity::Scaled:
            return m_scaled;
        case Quantity::Masked:
            return m_masked;
        default:
            return m_weights;
        }
    }

    /// weights · v
    [[nodiscard]] Grid<Real> attended() const
    {
        Grid<Real> out(m_scores.rows, m_inputs.v.columns);
        for (std::int64_t i = 0; i < out.rows; ++i) {
            for (std::int64_t j = 0; j < m_scores.columns; ++j) {
                for (std::int64_t d = 0; d < out.columns; ++d) {
                    if (m_inputs.keep.at(i, j) != 0) {
                        out.at(i, d) += m_weights.at(i, j) * Real{m_inputs.v.at(j, d)};
                    }
                }
            }
        }
        return out;
    }

    [[nodiscard]] OracleMasses<Real> masses() const
    {
        OracleMasses<Real> result;
        for (std::int64_t i = 0; i < m_scores.rows; ++i) {
            const auto row = massesOfRow(i);
            for (std::size_t mass = 0; mass < row.size(); ++mass) {
                const bool broken = std::isnan(m_stats.max[static_cast<std::size_t>(i)]);
                result[mass].push_back(broken ? Nan : row[mass]);
            }
        }
        return result;
    }

    struct Pooled {
        std::vector<Real> values;
        std::vector<float> maskedShare;
    };
    [[nodiscard]] Pooled pooled(const TileSpec& spec) const
    {
        Pooled result;
        std::vector<Real> cells;
        for (std::int64_t r = 0; r < spec.texelRows(); ++r) {
            for (std::int64_t c = 0; c < spec.texelColumns(); ++c) {
                poolTexel(spec, r, c, result, cells);
            }
        }
        return result;
    }

private:
    static constexpr Real Inf = std::numeric_limits<Real>::infinity();
    static constexpr Real Nan = std::numeric_limits<Real>::quiet_NaN();

    [[nodiscard]] std::int64_t query(std::int64_t i) const { return m_inputs.firstQuery + i; }

    /// A score that float32 cannot hold is infinite, however it came about.
    static Real inFloatRange(Real value)
    {
        constexpr Real most{std::numeric_limits<float>::max()};
        return value > most ? Inf : value < -most ? -Inf : value;
    }

    [[nodiscard]] Real maskedOf(std::int64_t i, std::int64_t j) const
    {
        Real value = m_scaled.at(i, j);
        if (m_inputs.softCap > 0) {
            const Real cap{m_inputs.softCap};
            value = cap * std::tanh(value / cap);
        }
        if (!m_inputs.distanceBias.empty()) {
            const std::int64_t at = query(i) - j + m_scores.columns - 1;
            value += Real{m_inputs.distanceBias[static_cast<std::size_t>(at)]};
        }
        if (!m_inputs.bias.cells.empty()) {
            value += Real{m_inputs.bias.at(i, j)};
        }
        return value;
    }

    [[nodiscard]] std::array<Real, MassCount> massesOfRow(std::int64_t i) const
    {
        std::array<Real, MassCount> mass{};
        std::vector<Real> left;
        const auto token = [&](std::int64_t j) {
            return m_inputs.keyTokens[static_cast<std::size_t>(j)] ==
                   m_inputs.queryTokens[static_cast<std::size_t>(i)];
        };
        for (std::int64_t j = 0; j < m_scores.columns; ++j) {
            const Real weight = m_weights.at(i, j);
            const std::int64_t away = j - query(i);
            left.push_back(weight);
            const std::array<bool, Top5> takes = {
                away == -1,
                away == 1,
                away == 0,
                j == 0,
                away < 0 && token(j),
                j > 0 && away <= 0 && token(j - 1),
                m_inputs.delimiters[static_cast<std::size_t>(j)] != 0};
            for (std::size_t m = 0; m < takes.size(); ++m) {
                mass[m] += takes[m] ? weight : 0;
            }
        }
        for (int n = 0; n < 10 && !left.empty(); ++n) {
            const auto strongest = std::max_element(left.begin(), left.end());
            mass[Top5] += n < 5 ? *strongest : 0;
            mass[Top10] += *strongest;
            left.erase(strongest);
        }
        return mass;
    }

    void fillRow(std::int64_t i)
    {
        Real max = -Inf;
        std::int64_t kept = 0;
        bool broken = false;
        for (std::int64_t j = 0; j < m_scores.columns; ++j) {
            Real dot = 0;
            for (std::int64_t d = 0; d < m_inputs.q.columns; ++d) {
                dot += Real{m_inputs.q.at(i, d)} * Real{m_inputs.k.at(j, d)};
            }
            const bool keep = m_inputs.keep.at(i, j) != 0;
            m_scores.at(i, j) = inFloatRange(dot);
            m_scaled.at(i, j) = inFloatRange(dot * Real{m_inputs.scale});
            m_masked.at(i, j) = keep ? inFloatRange(maskedOf(i, j)) : -Inf;
            kept += keep ? 1 : 0;
            broken = broken || (keep && !(m_masked.at(i, j) < Inf));
            max = m_masked.at(i, j) > max ? m_masked.at(i, j) : max;
        }
        Real sum = 0;
        for (std::int64_t j = 0; j < m_scores.columns && max > -Inf; ++j) {
            sum += std::exp(m_masked.at(i, j) - max);
        }
        Real entropy = 0;
        Real distance = 0;
        for (std::int64_t j = 0; j < m_scores.columns; ++j) {
            const bool keep = m_inputs.keep.at(i, j) != 0;
            Real& weight = m_weights.at(i, j);
            weight = sum == 0 ? 0 : std::exp(m_masked.at(i, j) - max) / sum;
            weight = keep && broken ? Nan : weight;
            weight = keep ? weight : 0;
            entropy -= weight > 0 ? weight * std::log(weight) : 0;
            distance += weight * static_cast<Real>(std::abs(query(i) - j));
        }
        m_stats.max.push_back(broken ? Nan : max);
        m_stats.sum.push_back(broken ? Nan : sum);
        m_stats.lse.push_back(broken ? Nan : sum == 0 ? -Inf : max + std::log(sum));
        m_stats.entropy.push_back(broken ? Nan : entropy);
        m_stats.distance.push_back(broken ? Nan : distance);
        m_stats.kept.push_back(kept);
    }

    void poolTexel(const TileSpec& spec, std::int64_t r, std::int64_t c, Pooled& result,
                   std::vector<Real>& values) const
    {
        const bool leavesOut =
            spec.quantity == Quantity::Masked || spec.quantity == Quantity::Weights;
        values.clear();
        std::int64_t cells = 0;
        std::int64_t masked = 0;
        const std::int64_t down = spec.texelCellsDown();
        const std::int64_t across = spec.texelCells;
        for (std::int64_t i = r * down; i < std::min(spec.rows, (r + 1) * down); ++i) {
            for (std::int64_t j = c * across; j < std::min(spec.columns, (c + 1) * across); ++j) {
                const bool keep = m_inputs.keep.at(spec.row + i, spec.column + j) != 0;
                ++cells;
                masked += keep ? 0 : 1;
                if (keep || !leavesOut) {
                    values.push_back(quantity(spec.quantity).at(spec.row + i, spec.column + j));
                }
            }
        }
        result.maskedShare.push_back(static_cast<float>(masked) / static_cast<float>(cells));
        result.values.push_back(pool(values, spec));
    }

    static Real pool(const std::vector<Real>& values, const TileSpec& spec)
    {
        if (values.empty()) {
            return spec.quantity == Quantity::Weights ? 0 : -Inf;
        }
        Real best = values.front();
        Real sum = 0;
        for (const Real value : values) {
            sum += value;
            if (std::isnan(value)) {
                best = value;
            } else if (spec.pooling == Pooling::AbsMax) {
                const bool larger = std::abs(value) > std::abs(best) ||
                                    (std::abs(value) == std::abs(best) && value > best);
                best = larger ? value : best;
            } else {
                best = value > best ? value : best;
            }
        }
        if (spec.pooling == Pooling::Mass) {
            return sum;
        }
        return spec.pooling == Pooling::Mean ? sum / static_cast<Real>(values.size()) : best;
    }

    const Inputs& m_inputs;
    Grid<Real> m_scores, m_scaled, m_masked, m_weights;
    OracleStats<Real> m_stats;
};

} // namespace heed::test
