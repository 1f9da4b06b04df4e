// Computes a rule for the cells of one row after the other.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mask/maskrule.h"
#include "mask/rowranges.h"

#include "heed/execution.h"

namespace heed::detail {

/// Keys of a row are computed together, step by step, a few hundred at a time. What a cell must not
/// do, such as dividing by zero, is noted beside its number, so that && and || can pass over it.
class RuleEvaluator {
public:
    /// @param rule must outlive it, as must @p context.
    RuleEvaluator(const MaskRule& rule, const MaskContext& context);

    /// That it takes, rows not counted.
    [[nodiscard]] static std::int64_t bytes(const MaskRule& rule);
    /// The largest magnitude that any step can reach with these extents.
    [[nodiscard]] static double largestNumber(const MaskRule& rule, const MaskContext& context);

    /// The kept keys, valid until the next call.
    /// @return Code::InvalidArgument naming the cell without a number, Code::Cancelled.
    [[nodiscard]] Expected<const RowRanges*> row(std::int64_t item, std::int64_t head,
                                                 std::int64_t query, const Execution& execution);

private:
    enum class Fault : std::uint8_t { None, ZeroDivision, NoElement };
    struct Facts {
        bool varies = false;   ///< from key to key
        bool canFault = false; ///< itself or an operand
    };

    void compute(std::size_t index, std::int64_t firstKey);
    void computeElement(const RuleStep& step, std::int64_t* out) const;
    void findFaults(std::size_t index);
    [[nodiscard]] std::int64_t constant(const RuleStep& step) const;
    [[nodiscard]] const std::int64_t* valuesOf(std::int32_t step) const;
    [[nodiscard]] std::int64_t* valuesOf(std::int32_t step);
    [[nodiscard]] Fault faultOf(std::int32_t step, std::size_t cell) const;
    [[nodiscard]] tl::unexpected<Error> faultAt(Fault fault, std::int64_t key) const;

    const MaskRule& m_rule;
    const MaskContext& m_context;
    std::int64_t m_item = 0;
    std::int64_t m_head = 0;
    std::int64_t m_query = 0;
    std::vector<Facts> m_facts;         ///< one a step
    std::vector<std::int64_t> m_values; ///< [steps, cells at a time]
    std::vector<Fault> m_faults;        ///< the same
    RowRanges m_row;
};

} // namespace heed::detail
