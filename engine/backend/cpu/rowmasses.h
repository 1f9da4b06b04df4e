// Weight in places with a meaning, gathered while the row statistics are.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rowstate.h"

namespace heed::cpu {

/// The sums of one panel. As in RowStates they are around the running maximum.
class MassStates {
public:
    /// @param op with masses wanted.
    explicit MassStates(const heed_op_row_stats& op)
        : m_op(op)
        , m_masses(*op.masses)
    {
    }
    void start(const Band::Panel& panel);
    void shrink(const PerLane<double>& factors);
    /// Adds the exponentials of keys [begin, end), which stand in @p block from row begin − @p
    /// first.
    void add(const Block& block, std::int64_t first, std::int64_t begin, std::int64_t end);
    /// Notes the scores of certain keys and the ten largest. @param block still of scores.
    void readScores(const Block& block, std::int64_t first, std::int64_t begin, std::int64_t end);
    /// Writes the masses of the panel's rows.
    void finish(const RowStates& states) const;

private:
    static constexpr std::size_t Top = 10;

    void offer(std::size_t lane, float score);

    const heed_op_row_stats& m_op;
    const heed_row_masses& m_masses;
    Band::Panel m_panel;
    IntV m_tokens[2];
    IntV m_positions[2]; ///< of the queries in the whole map
    PerLane<double> m_duplicate;
    PerLane<double> m_induction;
    PerLane<double> m_delimiter;
    alignas(64) PerLane<float> m_previous; ///< scores, −inf where there is no such key
    alignas(64) PerLane<float> m_next;
    alignas(64) PerLane<float> m_self;
    alignas(64) PerLane<float> m_first;
    alignas(64) std::array<PerLane<float>, Top> m_top; ///< scores, descending
};

} // namespace heed::cpu
