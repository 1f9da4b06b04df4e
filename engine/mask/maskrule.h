// A user's own rule for the cells of a mask: whole numbers computed from b, h, i, j, L and S.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mask/maskscanner.h"

namespace heed::detail {

enum class RuleOperation {
    Number,  ///< RuleStep::number
    Item,    ///< b
    Head,    ///< h
    Query,   ///< i
    Key,     ///< j
    Queries, ///< L
    Keys,    ///< S
    Element, ///< of array RuleStep::number at a
    Negate,
    Not,
    Absolute,
    Add,
    Subtract,
    Multiply,
    Divide,    ///< rounded down
    Remainder, ///< with the sign of b: a - b · ⌊a/b⌋
    Minimum,
    Maximum,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And, ///< b counts only where a is not zero, as do its faults
    Or,
};

/// One operation on the results of earlier steps.
struct RuleStep {
    RuleOperation operation = RuleOperation::Number;
    std::int32_t a = -1; ///< step of the first operand, -1 = none
    std::int32_t b = -1;
    std::int64_t number = 0;
};

/// Keeps a cell where the last step is not zero.
struct MaskRule {
    std::vector<RuleStep> steps; ///< at least one
    std::vector<std::vector<std::int64_t>> arrays;
    std::string text; ///< the normal form; parses to equal steps

    [[nodiscard]] bool uses(RuleOperation operation) const;
};

/// Reads a rule up to the comma or parenthesis that ends it.
/// @return Code::InvalidArgument.
[[nodiscard]] Expected<std::shared_ptr<const MaskRule>> parseRule(MaskScanner& scanner);

} // namespace heed::detail
