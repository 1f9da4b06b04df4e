// Puts families, padding and documents together until they explain a mask.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mask/recognitionfit.h"

#include <optional>
#include <string>
#include <vector>

namespace heed::detail {

/// Real keys of each item class at one or both sides; a side that is not there pads nothing.
struct ClassPadding {
    std::optional<std::vector<std::int64_t>> right;
    std::optional<std::vector<std::int64_t>> left;
};

/// Whether each item class belongs to it; none do when it is empty.
using ClassSet = std::vector<bool>;

struct Attempt {
    MaskNode node;
    std::string text; ///< its normal form
    std::size_t parts = 0;
    std::int64_t cells = 0; ///< that differ
};

class RecognitionSearch {
public:
    RecognitionSearch(const Subject& subject, const Execution& execution)
        : m_subject(subject)
        , m_execution(execution)
    {
    }

    /// Must come first. @return Code::Cancelled.
    [[nodiscard]] Expected<void> gather();
    [[nodiscard]] const Evidence& evidence() const { return m_evidence; }

    /// What fits exactly, fewer parts first.
    /// @param withLists families made of lists too, when no other fits. @return Code::Cancelled.
    [[nodiscard]] Expected<std::vector<Attempt>> exact(bool withLists);
    /// What comes nearest, distinct masks, the nearest first. @return Code::Cancelled.
    [[nodiscard]] Expected<std::vector<Attempt>> nearest();

private:
    [[nodiscard]] std::vector<std::int64_t> lengths(PadSide side, const ClassSet& often) const;
    [[nodiscard]] bool pads(const std::vector<std::int64_t>& lengths) const;
    [[nodiscard]] std::vector<ClassPadding> paddings(const ClassSet& often) const;
    [[nodiscard]] std::vector<ClassSet> doubtfulKeys() const;
    [[nodiscard]] std::vector<KeyRange> keysUnder(const ClassPadding& padding) const;
    [[nodiscard]] MaskNode build(const ClassPadding& padding, std::vector<MaskNode> core) const;
    [[nodiscard]] Expected<bool> fits(const MaskNode& node) const;
    [[nodiscard]] Expected<ClassPadding> relaxed(ClassPadding padding, const MaskNode& core) const;
    [[nodiscard]] Expected<void> fitFamilies(const std::vector<MaskNode>& families,
                                             std::vector<Attempt>& found) const;
    [[nodiscard]] Expected<void> fitIntersections(std::vector<Attempt>& found) const;
    [[nodiscard]] Expected<std::vector<Attempt>> nearCandidates() const;
    [[nodiscard]] Expected<void> keepNearest(std::vector<Attempt>& candidates, std::int64_t rowStep,
                                             std::size_t most) const;
    [[nodiscard]] Expected<void> refine(Attempt& candidate) const;

    const Subject& m_subject;
    const Execution& m_execution;
    Evidence m_evidence;
    std::vector<MaskNode> m_families;
};

/// Masks that differ from @p candidate in one number, of those that may mend @p cells.
[[nodiscard]] std::vector<MaskNode> neighbours(const MaskNode& node, const Subject& subject,
                                               const std::vector<MaskCell>& cells);

} // namespace heed::detail
