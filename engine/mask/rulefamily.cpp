// The family rule(…): computed once for every cell, then kept as planes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/boundmask.h"
#include "mask/planestore.h"
#include "mask/ruleevaluator.h"

#include <algorithm>
#include <cstdio>

namespace heed::detail {
namespace {

// Numbers below it are added and compared without leaving 64 bits.
constexpr double largestResult = 0x1p62;
// Minutes on one core: more is a mistake.
constexpr double mostCellSteps = 0x1p38;

/// Planes that a rule gave, equal ones once.
class RulePlanes final : public BoundFamily {
public:
    RulePlanes(std::int64_t items, std::int64_t heads)
        : BoundFamily(MaskReason::Other)
        , m_items(items)
        , m_heads(heads)
    {
    }

    [[nodiscard]] Expected<void> compute(const MaskRule& rule, const MaskContext& context,
                                         MaskMemory& memory)
    {
        RuleEvaluator evaluator(rule, context);
        m_planeOf.reserve(static_cast<std::size_t>(m_items * m_heads));
        for (std::int64_t item = 0; item < m_items; ++item) {
            for (std::int64_t head = 0; head < m_heads; ++head) {
                const auto rowOf = [&](std::int64_t query) {
                    auto row = evaluator.row(item, head, query, memory.execution());
                    if (row) {
                        const auto ranges = static_cast<std::int64_t>((*row)->size());
                        m_mostRanges = std::max(m_mostRanges, ranges);
                    }
                    return row;
                };
                const auto index = m_planes.add(context.queries, context.keys, rowOf, memory);
                if (!index) {
                    return tl::unexpected<Error>(index.error());
                }
                m_planeOf.push_back(*index);
            }
        }
        m_planes.close();
        return {};
    }

    bool keeps(std::int64_t item, std::int64_t head, std::int64_t query,
               std::int64_t key) const override
    {
        return m_planes[planeOf(item, head)].keeps(query, key);
    }
    void fillRow(std::int64_t item, std::int64_t head, std::int64_t query, KeyRange keys,
                 RowRanges& row) const override
    {
        m_planes[planeOf(item, head)].fillRow(query, keys, row);
    }
    std::int64_t mostRanges(std::int64_t) const override { return m_mostRanges; }
    std::int64_t variant(std::int64_t item, std::int64_t head) const override
    {
        return static_cast<std::int64_t>(planeOf(item, head));
    }
    bool dependsOnItem() const override { return m_items > 1 && m_planes.size() > 1; }
    bool dependsOnHead() const override { return m_heads > 1 && m_planes.size() > 1; }

private:
    std::size_t planeOf(std::int64_t item, std::int64_t head) const
    {
        const std::int64_t index = (m_items > 1 ? item : 0) * m_heads + (m_heads > 1 ? head : 0);
        return m_planeOf[static_cast<std::size_t>(index)];
    }

    std::int64_t m_items; ///< 1 where the rule does not depend on the item
    std::int64_t m_heads;
    PlaneStore m_planes;
    std::vector<std::size_t> m_planeOf;
    std::int64_t m_mostRanges = 0;
};

std::string shortNumber(double number)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.2g", number);
    return text;
}

} // namespace

Expected<std::shared_ptr<const BoundFamily>>
bindRule(const MaskLeaf& leaf, const MaskContext& context, MaskMemory& memory)
{
    const MaskRule& rule = *leaf.values[0]->rule;
    const std::int64_t items = rule.uses(RuleOperation::Item) ? context.items : 1;
    const std::int64_t heads = rule.uses(RuleOperation::Head) ? context.heads : 1;
    if (RuleEvaluator::largestNumber(rule, context) > largestResult) {
        return failAtColumn(Code::InvalidShape, leaf.column,
                            "The numbers of the rule can grow past " + shortNumber(largestResult) +
                                " with this many tokens. Use smaller ones or divide first.");
    }
    const double cellSteps =
        static_cast<double>(rule.steps.size()) * static_cast<double>(items * heads) *
        static_cast<double>(context.queries) * static_cast<double>(context.keys);
    if (cellSteps > mostCellSteps) {
        return failAtColumn(Code::InvalidShape, leaf.column,
                            "The rule takes " + shortNumber(cellSteps) +
                                " steps for all cells; at most " + shortNumber(mostCellSteps) +
                                " are taken. Use fewer tokens, fewer batch items or a mask of "
                                "whole ranges.");
    }
    const std::int64_t rowBytes =
        RuleEvaluator::bytes(rule) +
        (context.keys + 2) * static_cast<std::int64_t>(sizeof(KeyRange)); // it grows by doubling
    const std::int64_t listBytes = items * heads * static_cast<std::int64_t>(sizeof(std::size_t));
    if (auto fits = memory.take(rowBytes + listBytes, "The rule"); !fits) {
        return failAtColumn(fits.error().code, leaf.column, fits.error().message);
    }
    auto planes = std::make_shared<RulePlanes>(items, heads);
    if (auto computed = planes->compute(rule, context, memory); !computed) {
        return computed.error().code == Code::Cancelled
                   ? tl::unexpected<Error>(std::move(computed).error())
                   : failAtColumn(computed.error().code, leaf.column, computed.error().message);
    }
    memory.giveBack(rowBytes);
    return planes;
}

} // namespace heed::detail
