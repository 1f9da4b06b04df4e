// Expressions built from numbers, and the families that a mask may be made of.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mask/recognitionevidence.h"

#include <initializer_list>
#include <utility>
#include <vector>

namespace heed::detail {

/// A family whose parameters are integers; those past @p numbers are not given.
[[nodiscard]] MaskNode leafOf(MaskFamily family, std::initializer_list<std::int64_t> numbers = {});
[[nodiscard]] MaskNode documentsLeaf(std::vector<std::int64_t> lengths);
/// @param lengths of each item.
[[nodiscard]] MaskNode paddingLeaf(PadSide side, std::vector<std::int64_t> lengths);
[[nodiscard]] MaskNode notOf(MaskNode node);
/// Terms that keep everything are left out; nothing else left is `none`.
[[nodiscard]] MaskNode allOf(std::vector<MaskNode> terms);
[[nodiscard]] MaskNode anyOf(std::vector<MaskNode> terms);
/// The terms that bound distances like @p band; none when it has no bounds.
[[nodiscard]] std::vector<MaskNode> bandTerms(const Band& band, const MaskContext& context);

/// What a fitter works on.
struct Fit {
    const Subject& subject;
    const Evidence& evidence;
    const Execution& execution;
    std::vector<MaskNode>& out;

    [[nodiscard]] const MaskContext& context() const { return subject.context; }
    void propose(MaskNode node) const { out.push_back(std::move(node)); }
};

/// Calls visit(group, query, row) until the execution is cancelled.
template <typename Visit>
void forEachRow(const Fit& fit, const Visit& visit)
{
    constexpr std::int64_t rowsBetweenPolls = 1024;
    for (const PlaneGroup& group : fit.subject.groups) {
        PlaneRows rows = fit.subject.rows(group);
        for (std::int64_t query = 0; query < fit.context().queries; ++query) {
            if (query % rowsBetweenPolls == 0 && fit.execution.cancelled()) {
                return;
            }
            visit(group, query, rows.row(query));
        }
    }
}

/// Proposes masks of one family without padding: the one that fits exactly, if any, and what may
/// come near. May stop early when the execution is cancelled.
using Fitter = void (*)(const Fit&);

void fitLongformer(const Fit& fit);
/// Blocks of one token only where every query has as many random keys: else it would explain any
/// mask.
void fitBigBird(const Fit& fit);
/// Groups, alone, beside causal, and within a window.
void fitGroups(const Fit& fit);
void fitBlocks(const Fit& fit);
void fitTree(const Fit& fit);
void fitSwin(const Fit& fit);

/// Of families with few numbers, one family after the other.
[[nodiscard]] Expected<std::vector<MaskNode>>
proposeFamilies(const Subject& subject, const Evidence& evidence, const Execution& execution);

/// Of families made of lists, which explain much.
[[nodiscard]] std::vector<MaskNode> proposeLists(const Subject& subject, const Evidence& evidence,
                                                 const Execution& execution);

} // namespace heed::detail
