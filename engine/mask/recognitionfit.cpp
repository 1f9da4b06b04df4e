// Expressions built from numbers, and the families that a mask may be made of.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/recognitionfit.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace heed::detail {
namespace {

/// Where a number may come from; the same one twice is taken once, in order.
std::vector<std::int64_t> distinct(std::initializer_list<std::optional<std::int64_t>> numbers,
                                   std::int64_t smallest)
{
    std::vector<std::int64_t> list;
    for (const std::optional<std::int64_t>& number : numbers) {
        if (number && *number >= smallest &&
            std::find(list.begin(), list.end(), *number) == list.end()) {
            list.push_back(*number);
        }
    }
    return list;
}

void fitNone(const Fit& fit)
{
    fit.propose(leafOf(MaskFamily::None));
}

void fitCausal(const Fit& fit)
{
    const std::int64_t lowerRight = fit.context().keys - fit.context().queries;
    for (const std::int64_t offset :
         distinct({0, lowerRight, fit.evidence.mostRight, fit.evidence.right.mode(),
                   fit.evidence.right.largest(2)},
                  -fit.context().queries)) {
        if (offset == 0) {
            fit.propose(leafOf(MaskFamily::Causal));
        } else if (offset < fit.context().keys - 1 || offset == lowerRight) { // else it keeps all
            fit.propose(leafOf(MaskFamily::Causal, {offset}));
        }
    }
}

void fitWindow(const Fit& fit)
{
    const Evidence& evidence = fit.evidence;
    const auto lefts =
        distinct({evidence.mostLeft, evidence.left.mode(), evidence.left.largest(2)}, 0);
    const auto rights =
        distinct({evidence.mostRight, evidence.right.mode(), evidence.right.largest(2)}, 0);
    for (const std::int64_t left : lefts) {
        fit.propose(leafOf(MaskFamily::Window, {left + 1}));
    }
    for (const std::int64_t width :
         distinct({std::max(evidence.mostLeft, evidence.mostRight), evidence.left.mode(),
                   evidence.right.mode(), evidence.left.largest(2), evidence.right.largest(2)},
                  1)) {
        fit.propose(leafOf(MaskFamily::Symmetric, {width}));
    }
    for (const std::int64_t left : lefts) {
        for (const std::int64_t right : rights) {
            if (right > 0 && left != right) {
                const auto terms = bandTerms({left, right}, fit.context());
                fit.out.insert(fit.out.end(), terms.begin(), terms.end());
            }
        }
    }
}

void fitPrefix(const Fit& fit)
{
    const Votes& ends = fit.evidence.prefixEnd;
    for (const std::int64_t length : distinct({ends.largest(1), ends.mode(), ends.largest(2)}, 2)) {
        fit.propose(leafOf(MaskFamily::Prefix, {length}));
    }
}

void fitSink(const Fit& fit)
{
    const KeptKeys& keys = fit.evidence.keys.front();
    for (const std::int64_t count : distinct({keys.any.end, keys.often.end}, 1)) {
        fit.propose(leafOf(MaskFamily::Sink, {count}));
    }
}

void fitSinkAndWindow(const Fit& fit)
{
    const Evidence& evidence = fit.evidence;
    for (const std::int64_t count :
         distinct({evidence.sinkEnd.mode(), evidence.sinkEnd.largest(1)}, 1)) {
        const MaskNode sink = leafOf(MaskFamily::Sink, {count});
        for (const std::int64_t width :
             distinct({evidence.ownLength.mode(), evidence.ownLength.largest(2),
                       evidence.ownLength.largest(1), evidence.lastKeyRun.mode()},
                      1)) {
            const MaskNode either = anyOf({sink, leafOf(MaskFamily::Window, {width})});
            fit.propose(allOf({leafOf(MaskFamily::Causal), either}));
            fit.propose(either);
            if (width > 1) {
                fit.propose(anyOf({sink, leafOf(MaskFamily::Symmetric, {width - 1})}));
            }
        }
    }
}

void fitChunk(const Fit& fit)
{
    const Votes& starts = fit.evidence.starts;
    const std::int64_t whole = std::max(fit.context().queries, fit.context().keys);
    const bool startsOnce = !starts.mode();
    for (const std::int64_t size : distinct({startsOnce ? std::optional(whole) : std::nullopt,
                                             starts.divisor(1), starts.divisor(2), starts.mode()},
                                            2)) {
        fit.propose(leafOf(MaskFamily::Chunk, {size}));
    }
}

void fitDilated(const Fit& fit)
{
    const Evidence& evidence = fit.evidence;
    for (const std::int64_t dilation :
         distinct({evidence.spacing.mode(), evidence.runSpacing.mode()}, 2)) {
        for (const std::int64_t reach : distinct(
                 {evidence.mostLeft, evidence.left.mode(), evidence.left.largest(2)}, dilation)) {
            fit.propose(leafOf(MaskFamily::Dilated, {reach / dilation, dilation}));
        }
    }
}

void fitStrided(const Fit& fit)
{
    const Evidence& evidence = fit.evidence;
    const auto run = evidence.firstRun.mode(); // the stride itself and the first step behind it
    for (const std::int64_t stride : distinct({evidence.spacing.mode(), evidence.runSpacing.mode(),
                                               run ? std::optional(*run - 1) : std::nullopt},
                                              2)) {
        fit.propose(leafOf(MaskFamily::Strided, {stride}));
    }
}

void fitFixed(const Fit& fit)
{
    const Evidence& evidence = fit.evidence;
    for (const std::int64_t block : distinct({evidence.spacing.mode()}, 2)) {
        for (const std::int64_t summary : distinct({evidence.firstLength.mode()}, 1)) {
            if (summary < block) {
                fit.propose(leafOf(MaskFamily::Fixed, {block, summary}));
            }
        }
    }
    // Two blocks only, the summary of the first touching the second: what the second keeps first.
    for (const std::int64_t first :
         distinct({evidence.starts.mode(), evidence.starts.largest(1)}, 1)) {
        const std::int64_t block = evidence.firstRowOf.at(first);
        if (first < block) {
            fit.propose(leafOf(MaskFamily::Fixed, {block, block - first}));
        }
    }
}

// The order of explanations with as many parts. A new family is one more entry here or below.
constexpr std::array<Fitter, 11> fitters = {fitNone,    fitCausal,        fitWindow,    fitPrefix,
                                            fitSink,    fitSinkAndWindow, fitChunk,     fitDilated,
                                            fitStrided, fitFixed,         fitLongformer};
constexpr std::array<Fitter, 5> listFitters = {fitBlocks, fitGroups, fitTree, fitSwin, fitBigBird};

} // namespace

MaskNode leafOf(MaskFamily family, std::initializer_list<std::int64_t> numbers)
{
    MaskNode node;
    node.leaf.family = family;
    node.leaf.values.resize(familyInfo(family).parameters.size());
    std::size_t parameter = 0;
    for (const std::int64_t number : numbers) {
        node.leaf.values[parameter].emplace().integer = number;
        ++parameter;
    }
    return node;
}

MaskNode documentsLeaf(std::vector<std::int64_t> lengths)
{
    MaskNode node = leafOf(MaskFamily::Documents);
    node.leaf.values[0].emplace().integers = std::move(lengths);
    return node;
}

MaskNode paddingLeaf(PadSide side, std::vector<std::int64_t> lengths)
{
    MaskNode node = leafOf(MaskFamily::Padding);
    node.leaf.values[0].emplace().text = side == PadSide::Left ? "left" : "right";
    node.leaf.values[1].emplace().integers = std::move(lengths);
    return node;
}

MaskNode notOf(MaskNode node)
{
    MaskNode whole;
    whole.kind = MaskNode::Kind::Not;
    whole.children.push_back(std::move(node));
    return whole;
}

namespace {

MaskNode joined(MaskNode::Kind kind, std::vector<MaskNode> terms)
{
    MaskNode whole;
    whole.kind = kind;
    for (MaskNode& term : terms) {
        if (term.kind == kind) {
            std::move(term.children.begin(), term.children.end(),
                      std::back_inserter(whole.children));
        } else {
            whole.children.push_back(std::move(term));
        }
    }
    if (whole.children.size() == 1) {
        MaskNode only = std::move(whole.children.front());
        return only;
    }
    return whole;
}

} // namespace

MaskNode allOf(std::vector<MaskNode> terms)
{
    std::erase_if(terms, [](const MaskNode& term) {
        return term.kind == MaskNode::Kind::Leaf && term.leaf.family == MaskFamily::None;
    });
    return terms.empty() ? leafOf(MaskFamily::None) : joined(MaskNode::Kind::And, std::move(terms));
}

MaskNode anyOf(std::vector<MaskNode> terms)
{
    return joined(MaskNode::Kind::Or, std::move(terms));
}

std::vector<MaskNode> bandTerms(const Band& band, const MaskContext& context)
{
    std::vector<MaskNode> terms;
    if (band.left && *band.left >= 0 && (!band.right || *band.right >= 0)) {
        const std::int64_t right = band.right.value_or(context.keys - 1);
        if (right == 0) {
            return {leafOf(MaskFamily::Window, {*band.left + 1})};
        }
        if (*band.left == right) {
            return {leafOf(MaskFamily::Symmetric, {right})};
        }
        MaskNode window = leafOf(MaskFamily::Window);
        window.leaf.values[1].emplace().integer = *band.left;
        window.leaf.values[2].emplace().integer = right;
        return {std::move(window)};
    }
    if (band.right) {
        terms.push_back(*band.right == 0 ? leafOf(MaskFamily::Causal)
                                         : leafOf(MaskFamily::Causal, {*band.right}));
    }
    if (band.left) {
        // No window has a negative bound; what is too far in the past is then all of the past.
        terms.push_back(*band.left >= 0 ? leafOf(MaskFamily::Window, {*band.left + 1})
                                        : notOf(*band.left == -1 ? leafOf(MaskFamily::Causal)
                                                                 : leafOf(MaskFamily::Causal,
                                                                          {-*band.left - 1})));
    }
    return terms;
}

Expected<std::vector<MaskNode>> proposeFamilies(const Subject& subject, const Evidence& evidence,
                                                const Execution& execution)
{
    std::vector<MaskNode> proposals;
    for (const Fitter fitter : fitters) {
        fitter({subject, evidence, execution, proposals});
    }
    const std::vector<KeyRange> allKeys(evidence.keys.size(),
                                        {0, static_cast<std::int32_t>(subject.context.keys)});
    auto documents = documentsWithin(subject, allKeys, {}, false, execution);
    if (!documents) {
        return tl::unexpected<Error>(std::move(documents).error());
    }
    proposals.push_back(documentsLeaf(std::move(*documents)));
    return proposals;
}

std::vector<MaskNode> proposeLists(const Subject& subject, const Evidence& evidence,
                                   const Execution& execution)
{
    std::vector<MaskNode> proposals;
    for (const Fitter fitter : listFitters) {
        fitter({subject, evidence, execution, proposals});
    }
    return proposals;
}

} // namespace heed::detail
