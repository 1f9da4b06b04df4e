// The mask to be recognised: its distinct planes, row by row, and how an expression differs from
// it. SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/maskrecognition.h"
#include "mask/maskexpression.h"
#include "mask/rowranges.h"

#include <limits>
#include <span>
#include <vector>

namespace heed::detail {

/// Rows of a plane, or of its complement. One thread each.
class PlaneRows {
public:
    PlaneRows(const MaskPlane& plane, bool isComplement)
        : m_plane(plane)
        , m_isComplement(isComplement)
    {
    }

    /// The kept ranges. Valid until the next call.
    std::span<const KeyRange> row(std::int64_t query);

private:
    MaskPlane m_plane;
    bool m_isComplement;
    RowRanges m_decoded;
    RowRanges m_complement;
};

/// (item, head) pairs that cannot differ for any expression: their planes are equal, and so are all
/// planes of their items.
struct PlaneGroup {
    MaskPlane plane;
    std::int64_t item = 0; ///< the first of them
    std::int64_t head = 0;
    std::int64_t planes = 0;
    std::size_t itemClass = 0; ///< items of a class have the same planes head by head
};

struct Subject {
    explicit Subject(const CompiledMask& mask);

    MaskContext context;
    std::vector<PlaneGroup> groups;                ///< those of a class together, classes ascending
    std::vector<std::size_t> classOf;              ///< [B]
    std::vector<std::vector<std::size_t>> groupOf; ///< [class][H, or 1 when heads agree]
    bool isComplement = false; ///< what is looked at is everything that is masked

    [[nodiscard]] PlaneRows rows(const PlaneGroup& group) const
    {
        return {group.plane, isComplement};
    }
};

/// The cells in which an expression differs from a subject.
struct Residual {
    std::int64_t extra = 0; ///< kept by the subject alone
    std::int64_t missing = 0;
    std::vector<std::int64_t> cellsOfGroup;        ///< extra and missing
    std::vector<std::vector<MaskCell>> firstCells; ///< of each group, if asked for

    [[nodiscard]] std::int64_t cells() const { return extra + missing; }
};

constexpr std::int64_t allCells = std::numeric_limits<std::int64_t>::max();

struct ComparisonLimits {
    std::int64_t most = allCells; ///< stops when more cells than that differ
    std::int64_t rowStep = 1;     ///< looks at every rowStep-th row
    bool wantsCells = false;
};

/// @param node binds to the context of @p subject.
/// @return Code::Cancelled, or the error of binding.
[[nodiscard]] Expected<Residual> compare(const Subject& subject, const MaskNode& node,
                                         const ComparisonLimits& limits,
                                         const Execution& execution);

/// The first cells of the groups, as they follow each other in the whole mask.
[[nodiscard]] std::vector<MaskCell> cellsInOrder(const Subject& subject, const Residual& residual);

} // namespace heed::detail
