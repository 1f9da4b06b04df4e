// What expressions explain a mask: of itself, and of what it masks.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/recognitionsearch.h"

#include <algorithm>
#include <new>
#include <utility>

namespace heed {
namespace {

using detail::Attempt;
using detail::MaskNode;
using detail::Subject;

constexpr std::size_t mostNearest = 3;

/// @p candidate explains the complement.
Attempt complemented(Attempt candidate)
{
    candidate.node = detail::notOf(std::move(candidate.node));
    candidate.text = detail::printMask(candidate.node);
    return candidate;
}

/// Not of Not is the mask itself, which was looked at.
bool isComplement(const Attempt& candidate)
{
    return candidate.node.kind == MaskNode::Kind::Not;
}

/// A list of a million lengths may be a right answer that no expression has room for.
bool isReadable(const Attempt& candidate)
{
    return detail::parseMask(candidate.text).has_value();
}

Expected<MaskExplanation> explain(const Subject& subject, const Attempt& candidate,
                                  const Execution& execution)
{
    const auto residual = detail::compare(subject, candidate.node, {.wantsCells = true}, execution);
    if (!residual) {
        return tl::unexpected<Error>(residual.error());
    }
    return MaskExplanation{candidate.text, residual->extra, residual->missing,
                           detail::cellsInOrder(subject, *residual)};
}

class Recognition {
public:
    Recognition(const CompiledMask& mask, const Execution& execution)
        : m_execution(execution)
        , m_subject(mask)
        , m_complement(m_subject)
        , m_search(m_subject, execution)
        , m_complementSearch(m_complement, execution)
    {
        m_complement.isComplement = true;
    }

    Expected<std::vector<MaskExplanation>> run()
    {
        for (auto* const search : {&m_search, &m_complementSearch}) {
            if (auto done = search->gather(); !done) {
                return tl::unexpected<Error>(std::move(done).error());
            }
        }
        auto explanations = exact();
        return explanations && explanations->empty() ? nearest() : explanations;
    }

private:
    /// The complement of all and of nothing says no more than they do.
    bool complementCounts() const
    {
        return !m_search.evidence().keepsAll && !m_search.evidence().keepsNone;
    }

    Expected<std::vector<MaskExplanation>> exact()
    {
        auto found = m_search.exact(true);
        if (found && complementCounts()) {
            auto others = m_complementSearch.exact(found->empty());
            if (!others) {
                return tl::unexpected<Error>(std::move(others).error());
            }
            for (Attempt& other : *others) {
                if (!isComplement(other)) {
                    found->push_back(complemented(std::move(other)));
                }
            }
        }
        if (!found) {
            return tl::unexpected<Error>(std::move(found).error());
        }
        std::vector<MaskExplanation> explanations;
        for (const Attempt& candidate : *found) {
            if (isReadable(candidate)) {
                explanations.push_back({candidate.text, 0, 0, {}});
            }
        }
        return explanations;
    }

    Expected<std::vector<MaskExplanation>> nearest()
    {
        auto candidates = m_search.nearest();
        if (!candidates) {
            return tl::unexpected<Error>(std::move(candidates).error());
        }
        auto others = m_complementSearch.nearest();
        if (!others) {
            return tl::unexpected<Error>(std::move(others).error());
        }
        for (Attempt& other : *others) {
            if (!isComplement(other)) {
                candidates->push_back(complemented(std::move(other)));
            }
        }
        std::stable_sort(candidates->begin(), candidates->end(),
                         [](const Attempt& a, const Attempt& b) { return a.cells < b.cells; });
        std::vector<MaskExplanation> explanations;
        for (const Attempt& candidate : *candidates) {
            if (!isReadable(candidate)) {
                continue;
            }
            auto explanation = explain(m_subject, candidate, m_execution);
            if (!explanation) {
                return tl::unexpected<Error>(std::move(explanation).error());
            }
            const bool isKnown =
                std::any_of(explanations.begin(), explanations.end(), [&](const auto& known) {
                    return known.extra == explanation->extra &&
                           known.missing == explanation->missing &&
                           known.firstCells == explanation->firstCells;
                });
            if (!isKnown) {
                explanations.push_back(std::move(*explanation));
            }
            if (explanations.size() == mostNearest) {
                break;
            }
        }
        return explanations;
    }

    const Execution& m_execution;
    Subject m_subject;
    Subject m_complement;
    detail::RecognitionSearch m_search;
    detail::RecognitionSearch m_complementSearch;
};

} // namespace

Expected<std::vector<MaskExplanation>> recogniseMask(const CompiledMask& mask,
                                                     const Execution& execution)
{
    try {
        return Recognition(mask, execution).run();
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory to recognise the mask.", "mask");
    }
}

} // namespace heed
