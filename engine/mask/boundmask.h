// A mask expression bound to the extents of a batch: rows of kept keys, and reasons of cells.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mask/maskexpression.h"
#include "mask/maskmemory.h"
#include "mask/reasonruns.h"
#include "mask/rowranges.h"

#include <memory>
#include <vector>

namespace heed::detail {

/// One family with its numbers. Immutable.
class BoundFamily {
public:
    explicit BoundFamily(MaskReason reason)
        : m_reason(reason)
    {
    }
    virtual ~BoundFamily() = default;

    [[nodiscard]] MaskReason reason() const { return m_reason; }
    /// O(1), or O(log n) in the length of a list.
    [[nodiscard]] virtual bool keeps(std::int64_t item, std::int64_t head, std::int64_t query,
                                     std::int64_t key) const = 0;
    /// Fills the empty @p row with what keeps() keeps of @p keys, which lie within 0..S; time is
    /// that of the ranges there.
    virtual void fillRow(std::int64_t item, std::int64_t head, std::int64_t query, KeyRange keys,
                         RowRanges& row) const = 0;
    /// At most so many ranges in a row of @p keys keys.
    [[nodiscard]] virtual std::int64_t mostRanges(std::int64_t /*keys*/) const { return 1; }
    /// Equal for items and heads whose planes are equal.
    [[nodiscard]] virtual std::int64_t variant(std::int64_t, std::int64_t) const { return 0; }
    [[nodiscard]] virtual bool dependsOnItem() const { return false; }
    [[nodiscard]] virtual bool dependsOnHead() const { return false; }

private:
    MaskReason m_reason;
};

struct BoundNode {
    MaskNode::Kind kind = MaskNode::Kind::Leaf;
    std::shared_ptr<const BoundFamily> family;
    std::vector<BoundNode> children;
};

/// @return Code::InvalidShape when lists or files do not fit @p context, the reader's error, what
///         @p memory says of files.
[[nodiscard]] Expected<BoundNode> bindMask(const MaskNode& node, const MaskContext& context,
                                           MaskMemory& memory);

/// The union of the reasons of the sides that block: of A & B those that mask, of A | B both when
/// both mask. A cell that ~A masks has the reason Other.
[[nodiscard]] MaskReasons reasonsOf(const BoundNode& node, std::int64_t item, std::int64_t head,
                                    std::int64_t query, std::int64_t key);

/// The same of @p keys of a row. Replaces @p out.
void reasonsOfRow(const BoundNode& node, std::int64_t item, std::int64_t head, std::int64_t query,
                  KeyRange keys, ReasonRuns& out);

/// Computes rows of the whole expression; reuses its memory from row to row. One thread each.
class RowEvaluator {
public:
    RowEvaluator(const BoundNode& root, std::int64_t keys);

    /// Most bytes that the rows of all operands take which live at once.
    [[nodiscard]] static std::int64_t bytes(const BoundNode& root, std::int64_t keys);

    /// Valid until the next call.
    const RowRanges& row(std::int64_t item, std::int64_t head, std::int64_t query);

private:
    void evaluate(const BoundNode& node, std::size_t depth, RowRanges& out);

    struct Scratch {
        RowRanges operand;
        RowRanges result;
    };
    const BoundNode& m_root;
    KeyRange m_keys;
    std::int64_t m_item = 0;
    std::int64_t m_head = 0;
    std::int64_t m_query = 0;
    std::vector<Scratch> m_scratch; ///< one for each depth of the tree
    RowRanges m_row;
};

/// The families made from numbers alone. @return Code::InvalidShape when a list does not fit.
[[nodiscard]] Expected<std::shared_ptr<const BoundFamily>> bindFamily(const MaskLeaf& leaf,
                                                                      const MaskContext& context);

/// longformer(…) and bigbird(…). @return Code::InvalidShape when the lists of random blocks do not
/// fit.
[[nodiscard]] Expected<std::shared_ptr<const BoundFamily>> bindSparse(const MaskLeaf& leaf,
                                                                      const MaskContext& context);

/// tree(…), groups(…), blocks(…) and swin(…). @return Code::InvalidShape when the list or the
/// image does not fit.
[[nodiscard]] Expected<std::shared_ptr<const BoundFamily>> bindList(const MaskLeaf& leaf,
                                                                    const MaskContext& context);
/// Compiles a tree that is bound already. @param expression its words. Errors of compileMask().
[[nodiscard]] Expected<MaskPtr> compileBound(BoundNode root, std::string expression,
                                             const MaskContext& context,
                                             const Execution& execution);

/// rule(…). @return Code::InvalidArgument for a cell without a number, Code::InvalidShape where
/// numbers or work grow too large, Code::Cancelled, what @p memory says.
[[nodiscard]] Expected<std::shared_ptr<const BoundFamily>>
bindRule(const MaskLeaf& leaf, const MaskContext& context, MaskMemory& memory);

/// file(…). @return the reader's error, Code::InvalidShape, Code::InvalidArgument for numbers that
/// are no mask, what @p memory says before the numbers are read.
[[nodiscard]] Expected<std::shared_ptr<const BoundFamily>>
bindFile(const MaskLeaf& leaf, const MaskContext& context, MaskMemory& memory);

} // namespace heed::detail
