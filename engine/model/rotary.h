// Rotary positions with the bases, shares and scalings of real models.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/model.h"

#include <vector>

namespace heed::detail {

/// Cosine and sine of every position and pair.
class RotaryTable {
public:
    /// Frequencies and angles are rounded to float32 as the models were trained with; an exact
    /// angle would differ by 1e-4 near position 2000.
    RotaryTable(const RotarySettings& settings, std::int64_t headSize, std::int64_t length);

    /// Turns the pairs of the first n = share · D numbers of each row of @p heads [.., L, D] by
    /// position · frequency; position = row index.
    void rotate(Tensor& heads) const;

    /// n/2.
    [[nodiscard]] static std::int64_t pairCount(const RotarySettings& settings,
                                                std::int64_t headSize);

private:
    std::int64_t m_pairs;
    bool m_adjacent;
    std::vector<float> m_cosines; ///< [L, pairs]
    std::vector<float> m_sines;
};

} // namespace heed::detail
