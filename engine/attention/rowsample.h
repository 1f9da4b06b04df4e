// A problem made of some rows of another, for a picture that is there before the exact one.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/backend.h"

namespace heed {

/// Rows [begin, end) of @p problem as a problem of its own. O(1).
[[nodiscard]] HeadProblem rowsOf(const HeadProblem& problem, std::int64_t begin, std::int64_t end);

/// Evenly spaced rows of a problem, gathered. Owns what its problem() looks at.
class RowSample {
public:
    /// @param q the queries of @p problem, where the engine can read them; row i at
    /// problem.q.offset + i · problem.q.rowStride. @param cells rows of a texel, @param
    /// rowsPerTexel how many of them are taken (a row more than once where the last texel has
    /// fewer). Biases are not supported. @complexity O(rows taken · (D + ranges)).
    [[nodiscard]] static Expected<RowSample> take(const Backend& backend, const Tensor& q,
                                                  const HeadProblem& problem, std::int64_t cells,
                                                  std::int64_t rowsPerTexel);

    [[nodiscard]] const HeadProblem& problem() const { return m_problem; }

private:
    RowSample() = default;
    void takeMaskRow(const MaskPlane& from, std::int64_t row);

    BufferPtr m_queries;
    std::vector<std::int64_t> m_rowStart;
    std::vector<KeyRange> m_ranges;
    std::vector<std::uint64_t> m_words;
    HeadProblem m_problem;
};

} // namespace heed
