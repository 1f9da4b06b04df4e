// Which lanes of a panel belong to the same row of texels.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "scores.h"

namespace heed::cpu {

/// The lanes of a panel by the texel row they belong to.
class LaneGroups {
public:
    struct Group {
        std::int64_t begin = 0;
        std::int64_t end = 0;
    };
    /// @param into rows of its texel row that come before the panel's first row.
    /// @param cellsDown rows of a texel row.
    LaneGroups(const Band::Panel& panel, std::int64_t into, std::int64_t cellsDown);

    [[nodiscard]] const Group* begin() const { return m_groups.data(); }
    [[nodiscard]] const Group* end() const { return m_groups.data() + m_count; }
    /// Puts the largest of each group, NaN before any number, into its first lane. Other lanes are
    /// garbage afterwards.
    void spreadMax(float* lanes) const;
    /// Joins the largest of each group with its texel row: the larger of both, NaN before any
    /// number. Where every lane is a texel row of its own, nothing else is there yet: it is
    /// written.
    /// @param texels [count, PanelWidth]; garbage afterwards. @param hasNaN whether one may be NaN.
    /// @param rows of the first group on, @p rowStride apart.
    void join(float* texels, std::int64_t count, bool hasNaN, float* rows,
              std::int64_t rowStride) const;

private:
    std::array<Group, static_cast<std::size_t>(PanelWidth)> m_groups;
    std::int64_t m_count = 0;
    bool m_isSingle = false; ///< every lane for itself
    /// All groups are of so many lanes, a power of two; 0 when they are not.
    std::int64_t m_regular = 0;
};

} // namespace heed::cpu
