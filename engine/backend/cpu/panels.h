// Matrices packed for the inner loop, and the product of some rows with such panels.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "context.h"
#include "vectormath.h"

#include <memory>

namespace heed::cpu {

/// Columns of a panel: two vectors.
inline constexpr std::int64_t PanelWidth = 2 * Lanes;

/// A matrix cut into panels of PanelWidth columns: panel p is [depth, PanelWidth], zero beyond the
/// last column, element (d, c) at data()[(p · depth + d) · PanelWidth + c].
class Panels {
public:
    /// Space for @p depth × @p columns; throws std::bad_alloc.
    Panels(std::int64_t depth, std::int64_t columns);

    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] const float* panel(std::int64_t p) const
    {
        return m_data.get() + p * m_depth * PanelWidth;
    }
    /// Fills panel @p p with rows of @p matrix: column c of the panels = row @p firstRow + c.
    void packRows(std::int64_t p, const MatrixRef& matrix, std::int64_t firstRow);
    /// Fills panel @p p from columns of @p matrix; depth = its rows.
    void packColumns(std::int64_t p, const MatrixRef& matrix);

private:
    float* writable(std::int64_t p) { return m_data.get() + p * m_depth * PanelWidth; }

    struct Free {
        void operator()(float* p) const;
    };
    std::int64_t m_depth;
    std::int64_t m_columns;
    std::int64_t m_count;
    std::unique_ptr<float[], Free> m_data;
};

/// out[r, c] (+)= Σ_d a[r · aStride + d] · panel[d · PanelWidth + c] for PanelWidth columns c.
/// The order of the additions depends on neither rows nor position, so a cell computed in any
/// window has the same bits. @param rows at least 1.
void multiplyPanel(const float* a, std::int64_t aStride, std::int64_t rows, const float* panel,
                   std::int64_t depth, float* out, std::int64_t outStride, bool accumulate);

} // namespace heed::cpu
