// A panel of queries, one a lane, and its products with keys.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "context.h"
#include "vectormath.h"

#include <memory>

namespace heed::cpu {

/// Queries of a panel: two vectors. A row of the map is a lane, so whatever is summed or compared
/// along a row is a plain vector operation, and keys need no packing.
inline constexpr std::int64_t PanelWidth = 2 * Lanes;

/// Lane @p lane of vector @p half (0 or 1) among those of a panel.
[[gnu::always_inline]] inline std::size_t laneAt(int half, int lane)
{
    return static_cast<std::size_t>(half) * Lanes + static_cast<std::size_t>(lane);
}

/// Aligned floats that are not initialised.
class Scratch {
public:
    Scratch() = default;
    /// Throws std::bad_alloc.
    explicit Scratch(std::int64_t count);
    [[nodiscard]] float* data() const { return m_data.get(); }

private:
    struct Free {
        void operator()(float* p) const;
    };
    std::unique_ptr<float[], Free> m_data;
};

/// Rows [row, row + rows) of scale · q as columns: element (d, lane) at d · PanelWidth + lane, zero
/// in lanes beyond the rows. @param panel of q.columns · PanelWidth floats.
void packQueries(const MatrixRef& q, std::int64_t row, std::int64_t rows, float scale,
                 float* panel);

/// out[j, lane] = Σ_d keys[j, d] · panel[d, lane] for @p count keys, rows of PanelWidth.
/// The order of the additions depends on neither the lane nor the key, so a cell has the same bits
/// in whatever window it is computed.
void multiplyKeys(const float* keys, std::int64_t keyStride, std::int64_t count, const float* panel,
                  std::int64_t depth, float* out);

/// The way back: out[lane, j] = products[j, lane] + bias[j] for the first @p rows lanes and @p
/// columns rows of PanelWidth. @param bias of @p columns numbers, or null.
void unpackProducts(const float* products, std::int64_t rows, std::int64_t columns,
                    const float* bias, float* out, std::int64_t outStride);

/// sums[d, lane] += Σ_j weights[j, lane] · values[j, d] for @p count keys and @p width columns of
/// values; rows of PanelWidth.
void addValues(const float* weights, std::int64_t count, const float* values,
               std::int64_t valueStride, std::int64_t width, float* sums);

} // namespace heed::cpu
