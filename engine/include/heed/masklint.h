// What is wrong with a mask: rules that look at it with everything that is known about it.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/execution.h"
#include "heed/mask.h"
#include "heed/maskcase.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

enum class LintSeverity : std::uint8_t {
    Error,   ///< the result is wrong
    Warning, ///< wrong in some library, or suspicious
    Info,
};

/// One rule, told once. docs/masks.md, "Rules", says when each fires.
struct LintFinding {
    std::string_view rule; ///< "R13"
    std::string_view name; ///< "future leak"
    LintSeverity severity = LintSeverity::Error;
    /// Cells of the mask as it was given, not multiplied by broadcasting; of the weights where they
    /// are what is judged.
    std::int64_t count = 0;
    /// The first of them as item, head, query, key; at most 100.
    std::vector<std::array<std::int64_t, 4>> cells;
    std::string text; ///< what is wrong, with numbers
    std::string fix;  ///< what to do
};

/// A rule that could not be looked at.
struct LintOmission {
    std::string_view rule;
    std::string needs; ///< "lengths or pad"
};

struct LintReport {
    std::vector<LintFinding> findings; ///< in the order of the rules
    std::vector<LintOmission> notChecked;
    /// What the masks keep together as their slots read them; null where none fits.
    MaskPtr kept;
    [[nodiscard]] bool hasErrors() const;
};

struct LintRuleInfo {
    std::string_view id;
    std::string_view name;
    std::string_view when; ///< it fires, one sentence
};
/// R01 to R41.
[[nodiscard]] std::span<const LintRuleInfo> lintRules();

/// Judges the masks of a case. A mask that does not fit its slot is a finding, no error.
/// @return Code::NotFound for a slot that is not known; the errors of compileMask() for
/// expressions; Code::InvalidShape for facts that do not fit each other (lists of other lengths
/// than there are keys or items); Code::OutOfMemory, Code::Cancelled.
/// @complexity O(numbers given + B·H·L · ranges of a row).
[[nodiscard]] Expected<LintReport> lintMask(const MaskCase& given, const Execution& execution = {});

/// Judges a compiled mask against the facts of @p given, whose masks are not looked at: rules about
/// numbers and shapes do not apply. Never takes memory for L×S.
[[nodiscard]] Expected<LintReport> lintMask(const MaskPtr& mask, const MaskCase& given,
                                            const Execution& execution = {});

} // namespace heed
