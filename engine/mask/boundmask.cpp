// A mask expression bound to the extents of a batch: rows of kept keys, and reasons of cells.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/boundmask.h"

#include <algorithm>
#include <utility>

namespace heed::detail {
namespace {

std::size_t depthOf(const BoundNode& node)
{
    std::size_t depth = 0;
    for (const BoundNode& child : node.children) {
        depth = std::max(depth, depthOf(child));
    }
    return depth + 1;
}

/// Ranges that evaluating a node can hold.
struct RowNeed {
    std::int64_t row = 0;     ///< in the row it hands out
    std::int64_t scratch = 0; ///< in the rows of its operands beside it
};

RowNeed needOf(const BoundNode& node, std::int64_t keys)
{
    const std::int64_t most = keys / 2 + 1; // a kept key and a masked one in turns
    if (node.kind == MaskNode::Kind::Leaf) {
        return {std::min(node.family->mostRanges(keys), most), 0};
    }
    RowNeed need;
    std::int64_t operand = 0;
    std::int64_t below = 0;
    for (const BoundNode& child : node.children) {
        const RowNeed one = needOf(child, keys);
        need.row = std::min(need.row + one.row + 1, most);
        operand = std::max(operand, one.row);
        below = std::max(below, one.scratch);
    }
    need.scratch = operand + need.row + below; // the result is another row until it is swapped
    return need;
}

} // namespace

Expected<BoundNode> bindMask(const MaskNode& node, const MaskContext& context, MaskMemory& memory)
{
    BoundNode bound;
    bound.kind = node.kind;
    if (node.kind == MaskNode::Kind::Leaf) {
        // A default node is none and has no values; families without parameters need none.
        auto family = node.leaf.family == MaskFamily::File   ? bindFile(node.leaf, context, memory)
                      : node.leaf.family == MaskFamily::Rule ? bindRule(node.leaf, context, memory)
                                                             : bindFamily(node.leaf, context);
        if (!family) {
            return tl::unexpected<Error>(std::move(family).error());
        }
        bound.family = std::move(*family);
        return bound;
    }
    for (const MaskNode& child : node.children) {
        auto operand = bindMask(child, context, memory);
        if (!operand) {
            return operand;
        }
        bound.children.push_back(std::move(*operand));
    }
    return bound;
}

MaskReasons reasonsOf(const BoundNode& node, std::int64_t item, std::int64_t head,
                      std::int64_t query, std::int64_t key)
{
    switch (node.kind) {
    case MaskNode::Kind::Leaf:
        return node.family->keeps(item, head, query, key)
                   ? MaskReasons{0}
                   : static_cast<MaskReasons>(node.family->reason());
    case MaskNode::Kind::Not:
        return reasonsOf(node.children.front(), item, head, query, key) != 0
                   ? MaskReasons{0}
                   : static_cast<MaskReasons>(MaskReason::Other);
    case MaskNode::Kind::And:
    case MaskNode::Kind::Or:
        break;
    }
    MaskReasons all = 0;
    for (const BoundNode& child : node.children) {
        const MaskReasons one = reasonsOf(child, item, head, query, key);
        if (node.kind == MaskNode::Kind::Or && one == 0) {
            return 0;
        }
        all = static_cast<MaskReasons>(all | one);
    }
    return all;
}

void reasonsOfRow(const BoundNode& node, std::int64_t item, std::int64_t head, std::int64_t query,
                  KeyRange keys, ReasonRuns& out)
{
    if (node.kind == MaskNode::Kind::Leaf) {
        RowRanges kept;
        node.family->fillRow(item, head, query, keys, kept);
        maskOthers(kept, keys, node.family->reason(), out);
        return;
    }
    ReasonRuns side;
    if (node.kind == MaskNode::Kind::Not) {
        reasonsOfRow(node.children.front(), item, head, query, keys, side);
        negate(side, keys, out);
        return;
    }
    const Joining joining = node.kind == MaskNode::Kind::And ? Joining::And : Joining::Or;
    ReasonRuns joined;
    reasonsOfRow(node.children.front(), item, head, query, keys, out);
    for (std::size_t c = 1; c < node.children.size(); ++c) {
        reasonsOfRow(node.children[c], item, head, query, keys, side);
        join(out, side, joining, joined);
        std::swap(out, joined);
    }
}

RowEvaluator::RowEvaluator(const BoundNode& root, std::int64_t keys)
    : m_root(root)
    , m_keys{0, static_cast<std::int32_t>(keys)}
    , m_scratch(depthOf(root))
{
}

std::int64_t RowEvaluator::bytes(const BoundNode& root, std::int64_t keys)
{
    const RowNeed need = needOf(root, keys);
    // A vector grows by doubling.
    return 2 * (need.row + need.scratch) * static_cast<std::int64_t>(sizeof(KeyRange));
}

const RowRanges& RowEvaluator::row(std::int64_t item, std::int64_t head, std::int64_t query)
{
    m_item = item;
    m_head = head;
    m_query = query;
    evaluate(m_root, 0, m_row);
    return m_row;
}

void RowEvaluator::evaluate(const BoundNode& node, std::size_t depth, RowRanges& out)
{
    if (node.kind == MaskNode::Kind::Leaf) {
        out.clear();
        node.family->fillRow(m_item, m_head, m_query, m_keys, out);
        return;
    }
    Scratch& scratch = m_scratch[depth];
    if (node.kind == MaskNode::Kind::Not) {
        evaluate(node.children.front(), depth + 1, scratch.operand);
        complement(scratch.operand, m_keys, out);
        return;
    }
    evaluate(node.children.front(), depth + 1, out);
    for (std::size_t c = 1; c < node.children.size(); ++c) {
        evaluate(node.children[c], depth + 1, scratch.operand);
        if (node.kind == MaskNode::Kind::And) {
            intersect(out, scratch.operand, scratch.result);
        } else {
            unite(out, scratch.operand, scratch.result);
        }
        std::swap(out, scratch.result);
    }
}

} // namespace heed::detail
