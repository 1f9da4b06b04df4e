// What the rules look at: the masks as they are read, and the facts of the case made usable.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/masklint.h"
#include "mask/maskexpression.h"
#include "mask/maskreading.h"
#include "mask/rowranges.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heed::detail {

/// Where a row of a plane lies, B × H × L.
struct RowPlace {
    std::int64_t item = 0;
    std::int64_t head = 0;
    std::int64_t query = 0;
};

/// Cells that a finding lists; it counts all.
inline constexpr std::size_t MostCells = 100;

/// Counted cells of a finding.
struct CellCount {
    std::int64_t count = 0;
    std::vector<std::array<std::int64_t, 4>> cells; ///< the first 100
};

/// Everything about a case that rules ask for. Immutable once made; one thread.
class LintContext {
public:
    /// @return the errors of lintMask(). @param reading outlives the context.
    [[nodiscard]] static Expected<LintContext>
    make(const MaskCase& given, const MaskReading& reading, const Execution& execution);

    [[nodiscard]] const MaskCase& given() const { return *m_given; }
    [[nodiscard]] const MaskReading& reading() const { return *m_reading; }
    [[nodiscard]] const CaseExtents& extents() const { return m_reading->extents; }
    [[nodiscard]] const Execution& execution() const { return *m_execution; }

    /// Kept cells of a row of the masks together; of what the intent wants.
    [[nodiscard]] RowRanges kept(const RowPlace& row) const { return rowOf(*m_reading->kept, row); }
    [[nodiscard]] RowRanges intended(const RowPlace& row) const
    {
        return rowOf(*m_intent, behindPast(row));
    }
    /// What it wants but for padding.
    [[nodiscard]] RowRanges intendedOfReal(const RowPlace& row) const
    {
        return rowOf(*m_structure, behindPast(row));
    }
    /// What the window, or without one the intent, keeps; one of them is there.
    [[nodiscard]] RowRanges windowed(const RowPlace& row) const
    {
        return rowOf(m_window != nullptr ? *m_window : *m_intent, behindPast(row));
    }
    [[nodiscard]] static RowRanges rowOf(const CompiledMask& mask, const RowPlace& row);
    [[nodiscard]] KeyRange allKeys() const
    {
        return {0, static_cast<std::int32_t>(extents().keys)};
    }

    /// The intent compiled for the cached tokens and those of the queries, so that all its families
    /// stand behind the cache; null when none was declared.
    [[nodiscard]] const MaskPtr& intent() const { return m_intent; }
    /// The parsed intent; null when none was declared.
    [[nodiscard]] const MaskNode* intentTree() const
    {
        return m_intentTree ? &*m_intentTree : nullptr;
    }
    [[nodiscard]] bool intends(MaskFamily family) const;
    /// Whether later keys are to be hidden: by the intent or by a causal flag.
    [[nodiscard]] bool isCausal() const;
    /// The window that was declared, compiled with the same extents; null when none was.
    [[nodiscard]] const MaskPtr& window() const { return m_window; }
    /// Key of the query of row 0: `past`, else S − L.
    [[nodiscard]] std::int64_t offset() const { return m_offset; }
    /// Last key that row 0 ought to see when causal: what the intent says, else its own.
    [[nodiscard]] std::int64_t edge() const { return m_edge; }
    /// Whether the masks have an axis of queries: without one they owe no triangle.
    [[nodiscard]] bool hasQueries() const;

    [[nodiscard]] bool knowsPadding() const
    {
        return !m_given->pad.empty() || !m_given->lengths.empty();
    }
    /// Whether key @p key holds a token; true when no padding is known.
    [[nodiscard]] bool isReal(std::int64_t item, std::int64_t key) const;
    /// Whether the query of a row does, which is the key at query + offset(); true outside the
    /// keys.
    [[nodiscard]] bool isRealQuery(const RowPlace& row) const;
    /// Padded keys of an item.
    [[nodiscard]] const RowRanges& padKeys(std::int64_t item) const;
    /// Number of @p list for position @p position of an item, or @p otherwise outside.
    [[nodiscard]] static std::int64_t at(const std::vector<std::vector<std::int64_t>>& list,
                                         std::int64_t item, std::int64_t position,
                                         std::int64_t otherwise);

    /// Counts the cells that @p wrong finds in each row, once for each number of the masks: an axis
    /// that no mask has is counted once.
    /// @param wrong cells of a row, ascending ranges. @complexity O(B·H·L) calls.
    [[nodiscard]] CellCount countRows(const std::function<RowRanges(const RowPlace&)>& wrong) const;
    /// The same of single cells.
    [[nodiscard]] CellCount
    countCells(const std::function<bool(const RowPlace&, std::int64_t key)>& isWrong) const;
    /// Numbers of one given mask for which @p isWrong.
    [[nodiscard]] static CellCount countNumbers(const ReadMask& mask,
                                                const std::function<bool(double)>& isWrong);

private:
    /// The same row of masks compiled for cached tokens, too.
    [[nodiscard]] RowPlace behindPast(const RowPlace& row) const
    {
        return {row.item, row.head, row.query + m_shift};
    }
    [[nodiscard]] bool endsAtQueries() const;

    const MaskCase* m_given = nullptr;
    const MaskReading* m_reading = nullptr;
    const Execution* m_execution = nullptr;
    std::optional<MaskNode> m_intentTree;
    MaskPtr m_intent;
    MaskPtr m_structure; ///< the intent without its padding
    MaskPtr m_window;
    std::int64_t m_offset = 0;
    std::int64_t m_edge = 0;
    std::int64_t m_shift = 0;         ///< rows of cached tokens before those of the queries
    bool m_endsAtQueries = false;     ///< no row of the structure keeps a later key
    std::vector<RowRanges> m_padKeys; ///< of each item
};

/// What a rule found; no count is no finding.
struct RuleResult {
    LintSeverity severity = LintSeverity::Error;
    CellCount cells;
    std::string text;
    std::string fix;
};

/// One rule of the table.
struct LintRule {
    LintRuleInfo info;
    /// What the rule lacks, for people: "lengths or pad"; empty when it can be looked at.
    std::string (*lacks)(const LintContext&);
    /// May throw std::bad_alloc.
    std::optional<RuleResult> (*check)(const LintContext&);
};

// The rules by what they look at.
[[nodiscard]] std::span<const LintRule> shapeRules();   ///< R16, R17, R19, R35, R36
[[nodiscard]] std::span<const LintRule> numberRules();  ///< R03–R05, R08–R12, R31, R32
[[nodiscard]] std::span<const LintRule> causalRules();  ///< R13–R15, R23, R24, R37, R40
[[nodiscard]] std::span<const LintRule> patternRules(); ///< R01, R02, R06, R07, R18, R30, R33, …
[[nodiscard]] std::span<const LintRule> factRules();    ///< R20–R22, R25–R27, R38
[[nodiscard]] std::span<const LintRule> weightRules();  ///< R28, R29

} // namespace heed::detail
