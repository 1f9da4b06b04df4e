// Masses of tokens, of the diagonals, and of the strongest keys.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rowmasses.h"

namespace heed::cpu {

void MassStates::start(const Band::Panel& panel)
{
    m_panel = panel;
    const std::int64_t position = m_op.problem.first_query + panel.row;
    for (int half = 0; half < 2; ++half) {
        m_positions[half] = laneNumbers(static_cast<std::int32_t>(position), half);
        for (int lane = 0; lane < Lanes; ++lane) {
            const std::int64_t row = half * Lanes + lane;
            m_tokens[half][lane] = m_masses.query_tokens != nullptr && row < panel.rows
                                       ? m_masses.query_tokens[panel.row + row]
                                       : 0;
        }
    }
    m_duplicate.fill(0);
    m_induction.fill(0);
    m_delimiter.fill(0);
    for (PerLane<float>* scores : {&m_previous, &m_next, &m_self, &m_first}) {
        scores->fill(-Infinity);
    }
    for (auto& lanes : m_top) {
        lanes.fill(-Infinity);
    }
}

void MassStates::shrink(const PerLane<double>& factors)
{
    for (std::size_t lane = 0; lane < factors.size(); ++lane) {
        m_duplicate[lane] *= factors[lane];
        m_induction[lane] *= factors[lane];
        m_delimiter[lane] *= factors[lane];
    }
}

void MassStates::add(const Block& block, std::int64_t first, std::int64_t begin, std::int64_t end)
{
    const bool hasTokens = m_masses.query_tokens != nullptr && m_masses.key_tokens != nullptr;
    for (int half = 0; half < 2; ++half) {
        FloatV duplicate{};
        FloatV induction{};
        FloatV delimiter{};
        for (std::int64_t j = begin; j < end; ++j) {
            const FloatV e = load(block.key(j - first) + half * Lanes);
            if (hasTokens) {
                const auto key = static_cast<std::int32_t>(j);
                const IntV same =
                    (m_tokens[half] == m_masses.key_tokens[j]) & (m_positions[half] > key);
                duplicate += same != 0 ? e : FloatV{};
                if (j > 0) {
                    const IntV after =
                        (m_tokens[half] == m_masses.key_tokens[j - 1]) & (m_positions[half] >= key);
                    induction += after != 0 ? e : FloatV{};
                }
            }
            if (m_masses.delimiters != nullptr && m_masses.delimiters[j] != 0) {
                delimiter += e;
            }
        }
        for (int lane = 0; lane < Lanes; ++lane) {
            const auto at = laneAt(half, lane);
            m_duplicate[at] += double{duplicate[lane]};
            m_induction[at] += double{induction[lane]};
            m_delimiter[at] += double{delimiter[lane]};
        }
    }
}

void MassStates::readScores(const Block& block, std::int64_t first, std::int64_t begin,
                            std::int64_t end)
{
    const auto at = [&](std::int64_t key, std::int64_t lane, float& score) {
        if (begin <= key && key < end) {
            score = block.key(key - first)[lane];
        }
    };
    const std::int64_t position = m_op.problem.first_query + m_panel.row;
    const bool isNear = begin <= position + PanelWidth && position - 1 < end;
    for (std::int64_t lane = 0; (isNear || begin == 0) && lane < m_panel.rows; ++lane) {
        const auto l = static_cast<std::size_t>(lane);
        at(position + lane - 1, lane, m_previous[l]);
        at(position + lane, lane, m_self[l]);
        at(position + lane + 1, lane, m_next[l]);
        at(0, lane, m_first[l]);
    }
    FloatV least[2] = {load(m_top[Top - 1].data()), load(m_top[Top - 1].data() + Lanes)};
    for (std::int64_t j = begin; j < end; ++j) {
        const float* cell = block.key(j - first);
        if (!any((load(cell) > least[0]) | (load(cell + Lanes) > least[1]))) {
            continue;
        }
        for (std::size_t lane = 0; lane < PanelWidth; ++lane) {
            offer(lane, cell[lane]);
        }
        least[0] = load(m_top[Top - 1].data());
        least[1] = load(m_top[Top - 1].data() + Lanes);
    }
}

void MassStates::offer(std::size_t lane, float score)
{
    if (!(score > m_top[Top - 1][lane])) {
        return;
    }
    std::size_t place = Top - 1;
    for (; place > 0 && score > m_top[place - 1][lane]; --place) {
        m_top[place][lane] = m_top[place - 1][lane];
    }
    m_top[place][lane] = score;
}

void MassStates::finish(const RowStates& states) const
{
    PerLane<double> factors;
    for (std::size_t lane = 0; lane < factors.size(); ++lane) {
        // Rows with nothing allowed have weights 0, rows with NaN have NaN.
        factors[lane] = states.sum[lane] == 0 ? 0 : 1 / states.sum[lane];
        factors[lane] =
            states.isBroken(static_cast<std::int64_t>(lane)) ? double{NotANumber} : factors[lane];
    }
    const auto write = [&](float* to, const auto& exponentials) {
        for (std::int64_t lane = 0; lane < m_panel.rows; ++lane) {
            const auto at = static_cast<std::size_t>(lane);
            const double mass = factors[at] == 0 ? 0 : double{exponentials[at]} * factors[at];
            to[m_panel.row + lane] = static_cast<float>(mass);
        }
    };
    const auto exponentialsOf = [&](const PerLane<float>& scores) {
        PerLane<float> results;
        for (int half = 0; half < 2; ++half) {
            const FloatV score = load(scores.data() + half * Lanes);
            store(results.data() + half * Lanes, expV(score - states.center(half)));
        }
        return results;
    };
    write(m_masses.previous, exponentialsOf(m_previous));
    write(m_masses.next, exponentialsOf(m_next));
    write(m_masses.self, exponentialsOf(m_self));
    write(m_masses.first, exponentialsOf(m_first));
    write(m_masses.duplicate, m_duplicate);
    write(m_masses.induction, m_induction);
    write(m_masses.delimiter, m_delimiter);
    PerLane<double> top{};
    for (std::size_t place = 0; place < Top; ++place) {
        const PerLane<float> one = exponentialsOf(m_top[place]);
        for (std::size_t lane = 0; lane < top.size(); ++lane) {
            top[lane] += double{one[lane]};
        }
        if (place == 4) {
            write(m_masses.top5, top);
        }
    }
    write(m_masses.top10, top);
}

} // namespace heed::cpu
