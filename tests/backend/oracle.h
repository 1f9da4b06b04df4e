// Attention the slow way: full matrices, one loop an operation. In float64 it is the truth; in
// float32 it is the "plain loop" whose error a backend may at most double.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/backend.h"

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
};

template <typename Real>
struct OracleStats {
    std::vector<Real> max, sum, lse, entropy, distance;
    std::vector<std::int64_t> kept;
};

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

    struct Pooled {
        std::vector<Real> values;
        std::vector<float> maskedShare;
    };
    [[nodiscard]] Pooled pooled(const TileSpec& spec) const
    {
        Pooled result;
        for (std::int64_t r = 0; r < spec.texelRows(); ++r) {
            for (std::int64_t c = 0; c < spec.texelColumns(); ++c) {
                poolTexel(spec, r, c, result);
            }
        }
        return result;
    }

private:
    static constexpr Real Inf = std::numeric_limits<Real>::infinity();
    static constexpr Real Nan = std::numeric_limits<Real>::quiet_NaN();

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
            m_scores.at(i, j) = dot;
            m_scaled.at(i, j) = dot * Real{m_inputs.scale};
            m_masked.at(i, j) = keep ? m_scaled.at(i, j) : -Inf;
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
            distance += weight * static_cast<Real>(std::abs(i - j));
        }
        m_stats.max.push_back(broken ? Nan : max);
        m_stats.sum.push_back(broken ? Nan : sum);
        m_stats.lse.push_back(broken ? Nan : sum == 0 ? -Inf : max + std::log(sum));
        m_stats.entropy.push_back(broken ? Nan : entropy);
        m_stats.distance.push_back(broken ? Nan : distance);
        m_stats.kept.push_back(kept);
    }

    void poolTexel(const TileSpec& spec, std::int64_t r, std::int64_t c, Pooled& result) const
    {
        const bool leavesOut =
            spec.quantity == Quantity::Masked || spec.quantity == Quantity::Weights;
        std::vector<Real> values;
        std::int64_t cells = 0;
        std::int64_t masked = 0;
        const std::int64_t p = spec.texelCells;
        for (std::int64_t i = r * p; i < std::min(spec.rows, (r + 1) * p); ++i) {
            for (std::int64_t j = c * p; j < std::min(spec.columns, (c + 1) * p); ++j) {
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
