// Rows and words that several rules share.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mask/lint/lintcontext.h"

#include <string>

namespace heed::detail {

/// "(2, 5)".
[[nodiscard]] std::string cellPlace(std::int64_t query, std::int64_t key);
/// Of the first cell; "" when there is none.
[[nodiscard]] std::string firstPlace(const CellCount& cells);
/// "1 cell", "3 cells".
[[nodiscard]] std::string counted(std::int64_t count, const std::string& one,
                                  const std::string& more);

[[nodiscard]] std::int64_t sizeOf(const RowRanges& row);
[[nodiscard]] RowRanges without(const LintContext& context, const RowRanges& row,
                                const RowRanges& taken);
/// What only one of the two has.
[[nodiscard]] RowRanges difference(const LintContext& context, const RowRanges& a,
                                   const RowRanges& b);
/// Keys up to query + @p offset.
[[nodiscard]] RowRanges triangleRow(const LintContext& context, std::int64_t query,
                                    std::int64_t offset);

/// Calls look(row) for every row that the masks tell apart; false from it ends the loop.
bool forEveryRow(const LintContext& context, const auto& look)
{
    const auto& varies = context.reading().varies;
    const CaseExtents& all = context.extents();
    for (std::int64_t item = 0; item < (varies[0] ? all.items : 1); ++item) {
        for (std::int64_t head = 0; head < (varies[1] ? all.heads : 1); ++head) {
            for (std::int64_t query = 0; query < all.queries; ++query) {
                if (!look(RowPlace{item, head, query})) {
                    return false;
                }
            }
        }
    }
    return true;
}

/// Offset o of a mask whose rows end at key i + o; nothing where they do not, or where every end is
/// cut by the last key.
[[nodiscard]] std::optional<std::int64_t> edgeOffset(const LintContext& context);

[[nodiscard]] inline bool isAdded(const ReadMask& mask)
{
    return mask.meaning == MaskMeaning::Added;
}

/// Whether a row keeps nothing although all its penalties are finite: softmax ignores them.
[[nodiscard]] bool isFinitelyEmpty(const LintContext& context, const RowPlace& row);

// What a rule lacks. Every rule that looks at cells needs a mask that fits.
[[nodiscard]] std::string lacksKept(const LintContext& context);
[[nodiscard]] std::string lacksIntent(const LintContext& context);

} // namespace heed::detail
