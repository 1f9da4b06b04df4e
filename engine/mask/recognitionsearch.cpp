// Puts families, padding and documents together until they explain a mask.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/recognitionsearch.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace heed::detail {
namespace {

constexpr std::int64_t rowsSampled = 1024;
constexpr std::size_t mostSampled = 32; ///< candidates that are compared in full
constexpr std::size_t mostRefined = 8;
constexpr std::size_t mostDoubtful = 4;          ///< item classes
constexpr std::int64_t rowsOfRefining = 1 << 22; ///< compared for one candidate

std::size_t partsOf(const MaskNode& node)
{
    std::size_t parts = node.children.empty() ? 1 : 0;
    for (const MaskNode& child : node.children) {
        parts += partsOf(child);
    }
    return parts;
}

void addCandidate(MaskNode node, std::vector<Attempt>& candidates)
{
    std::string text = printMask(node);
    const bool isKnown = std::any_of(candidates.begin(), candidates.end(),
                                     [&](const Attempt& one) { return one.text == text; });
    if (!isKnown) {
        const std::size_t parts = partsOf(node);
        candidates.push_back({std::move(node), std::move(text), parts, 0});
    }
}

/// The normal forms of what & joins.
std::vector<std::string> termsOf(const MaskNode& node)
{
    if (node.kind != MaskNode::Kind::And) {
        return {printMask(node)};
    }
    std::vector<std::string> terms;
    for (const MaskNode& child : node.children) {
        terms.push_back(printMask(child));
    }
    return terms;
}

/// Takes away what another one explains with some of the terms alone.
void dropNeedless(std::vector<Attempt>& candidates)
{
    std::vector<std::vector<std::string>> terms;
    for (const Attempt& candidate : candidates) {
        terms.push_back(termsOf(candidate.node));
        std::sort(terms.back().begin(), terms.back().end());
    }
    std::vector<Attempt> needed;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
        const bool isNeedless = std::any_of(terms.begin(), terms.end(), [&](const auto& fewer) {
            return fewer.size() < terms[c].size() &&
                   std::includes(terms[c].begin(), terms[c].end(), fewer.begin(), fewer.end());
        });
        if (!isNeedless) {
            needed.push_back(std::move(candidates[c]));
        }
    }
    candidates = std::move(needed);
}

bool isNearer(const Attempt& a, const Attempt& b)
{
    return std::pair(a.cells, a.parts) < std::pair(b.cells, b.parts);
}

} // namespace

Expected<void> RecognitionSearch::gather()
{
    auto evidence = gatherEvidence(m_subject, m_execution);
    if (!evidence) {
        return tl::unexpected<Error>(std::move(evidence).error());
    }
    m_evidence = std::move(*evidence);
    auto families = proposeFamilies(m_subject, m_evidence, m_execution);
    if (!families) {
        return tl::unexpected<Error>(std::move(families).error());
    }
    m_families = std::move(*families);
    return {};
}

std::vector<std::int64_t> RecognitionSearch::lengths(PadSide side, const ClassSet& often) const
{
    std::vector<std::int64_t> list;
    for (std::size_t c = 0; c < m_evidence.keys.size(); ++c) {
        const KeptKeys& keys = m_evidence.keys[c];
        const KeyRange& kept = !often.empty() && often[c] ? keys.often : keys.any;
        list.push_back(kept.begin == kept.end  ? 0
                       : side == PadSide::Left ? m_subject.context.keys - kept.begin
                                               : kept.end);
    }
    return list;
}

bool RecognitionSearch::pads(const std::vector<std::int64_t>& lengths) const
{
    return std::any_of(lengths.begin(), lengths.end(),
                       [this](std::int64_t length) { return length != m_subject.context.keys; });
}

/// No padding, then that of one side, then that of both.
std::vector<ClassPadding> RecognitionSearch::paddings(const ClassSet& often) const
{
    std::vector<ClassPadding> list = {{}};
    const auto right = lengths(PadSide::Right, often);
    const auto left = lengths(PadSide::Left, often);
    if (pads(right)) {
        list.push_back({right, {}});
    }
    if (pads(left)) {
        list.push_back({{}, left});
    }
    if (pads(right) && pads(left)) {
        list.push_back({right, left});
    }
    return list;
}

/// The classes in which single cells may be wrong about the padding: one after the other, and all.
std::vector<ClassSet> RecognitionSearch::doubtfulKeys() const
{
    std::vector<ClassSet> list;
    const std::size_t classes = m_evidence.keys.size();
    ClassSet all(classes);
    for (std::size_t c = 0; c < classes; ++c) {
        all[c] = m_evidence.keys[c].any != m_evidence.keys[c].often;
        if (all[c] && list.size() < mostDoubtful) {
            list.emplace_back(classes)[c] = true;
        }
    }
    if (list.size() > 1) {
        list.push_back(std::move(all));
    }
    return list;
}

std::vector<KeyRange> RecognitionSearch::keysUnder(const ClassPadding& padding) const
{
    const std::int64_t keys = m_subject.context.keys;
    std::vector<KeyRange> list;
    for (std::size_t c = 0; c < m_evidence.keys.size(); ++c) {
        const std::int64_t begin = padding.left ? keys - (*padding.left)[c] : 0;
        const std::int64_t end = padding.right ? (*padding.right)[c] : keys;
        list.push_back({static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)});
    }
    return list;
}

MaskNode RecognitionSearch::build(const ClassPadding& padding, std::vector<MaskNode> core) const
{
    std::vector<MaskNode> terms;
    for (const PadSide side : {PadSide::Right, PadSide::Left}) {
        const auto& lengths = side == PadSide::Right ? padding.right : padding.left;
        if (lengths) {
            std::vector<std::int64_t> ofItems;
            for (const std::size_t itemClass : m_subject.classOf) {
                ofItems.push_back((*lengths)[itemClass]);
            }
            terms.push_back(paddingLeaf(side, std::move(ofItems)));
        }
    }
    std::move(core.begin(), core.end(), std::back_inserter(terms));
    return allOf(std::move(terms));
}

Expected<bool> RecognitionSearch::fits(const MaskNode& node) const
{
    return compare(m_subject, node, {.most = 0}, m_execution).map([](const Residual& residual) {
        return residual.cells() == 0;
    });
}

/// Items that need no padding for @p core, which fits under @p padding, have none. Their keys may
/// end early for another reason.
Expected<ClassPadding> RecognitionSearch::relaxed(ClassPadding padding, const MaskNode& core) const
{
    for (auto* const side : {&padding.right, &padding.left}) {
        if (!*side || m_evidence.keys.size() == 1) {
            continue;
        }
        const std::vector<std::int64_t> tight = **side;
        (*side)->assign(tight.size(), m_subject.context.keys);
        const auto residual = compare(m_subject, build(padding, {core}), {}, m_execution);
        if (!residual) {
            return tl::unexpected<Error>(residual.error());
        }
        for (std::size_t g = 0; g < m_subject.groups.size(); ++g) {
            if (residual->cellsOfGroup[g] > 0) {
                const std::size_t itemClass = m_subject.groups[g].itemClass;
                (**side)[itemClass] = tight[itemClass];
            }
        }
    }
    return padding;
}

Expected<void> RecognitionSearch::fitFamilies(const std::vector<MaskNode>& families,
                                              std::vector<Attempt>& found) const
{
    for (const MaskNode& family : families) {
        for (const ClassPadding& padding : paddings({})) {
            auto isExact = fits(build(padding, {family}));
            if (!isExact) {
                return tl::unexpected<Error>(std::move(isExact).error());
            }
            if (*isExact) {
                auto least = relaxed(padding, family);
                if (!least) {
                    return tl::unexpected<Error>(std::move(least).error());
                }
                addCandidate(build(*least, {family}), found);
                break;
            }
        }
    }
    return {};
}

/// Padding, a band and documents: when some of them give the mask, then their tightest ones do,
/// which are read off it. All smallest sets of them that do are found.
Expected<void> RecognitionSearch::fitIntersections(std::vector<Attempt>& found) const
{
    enum Part : unsigned { Right = 1, Left = 2, Past = 4, Future = 8, Documents = 16, All = 31 };
    std::vector<unsigned> order(All + 1);
    for (unsigned parts = 0; parts <= All; ++parts) {
        order[parts] = parts;
    }
    std::stable_sort(order.begin(), order.end(),
                     [](unsigned a, unsigned b) { return std::popcount(a) < std::popcount(b); });
    const auto right = lengths(PadSide::Right, {});
    const auto left = lengths(PadSide::Left, {});
    const unsigned useless = (pads(right) ? 0U : Right) | (pads(left) ? 0U : Left);
    std::vector<unsigned> exact;
    for (const unsigned parts : order) {
        const bool hasSmaller = std::any_of(exact.begin(), exact.end(), [parts](unsigned smaller) {
            return (parts & smaller) == smaller;
        });
        if (hasSmaller || (parts & useless) != 0) {
            continue;
        }
        ClassPadding padding;
        padding.right = (parts & Right) != 0 ? std::optional(right) : std::nullopt;
        padding.left = (parts & Left) != 0 ? std::optional(left) : std::nullopt;
        Band band;
        band.left = (parts & Past) != 0 ? std::optional(m_evidence.mostLeft) : std::nullopt;
        band.right = (parts & Future) != 0 ? std::optional(m_evidence.mostRight) : std::nullopt;
        std::vector<MaskNode> core = bandTerms(band, m_subject.context);
        if ((parts & Documents) != 0) {
            auto documents =
                documentsWithin(m_subject, keysUnder(padding), band, false, m_execution);
            if (!documents) {
                return tl::unexpected<Error>(std::move(documents).error());
            }
            if (documents->size() == 1) {
                continue; // the same without them was looked at before
            }
            core.push_back(documentsLeaf(std::move(*documents)));
        }
        const MaskNode node = allOf(core);
        const auto isExact = fits(build(padding, {node}));
        if (!isExact) {
            return tl::unexpected<Error>(isExact.error());
        }
        if (*isExact) {
            auto least = relaxed(padding, node);
            if (!least) {
                return tl::unexpected<Error>(std::move(least).error());
            }
            exact.push_back(parts);
            addCandidate(build(*least, {node}), found);
        }
    }
    return {};
}

Expected<std::vector<Attempt>> RecognitionSearch::exact(bool withLists)
{
    std::vector<Attempt> found;
    if (m_evidence.keepsNone) {
        addCandidate(notOf(leafOf(MaskFamily::None)), found);
        addCandidate(build({lengths(PadSide::Right, {}), {}}, {}), found);
        return found;
    }
    if (auto done = fitFamilies(m_families, found); !done) {
        return tl::unexpected<Error>(std::move(done).error());
    }
    if (auto done = fitIntersections(found); !done) {
        return tl::unexpected<Error>(std::move(done).error());
    }
    if (found.empty() && withLists) {
        if (auto done = fitFamilies(proposeLists(m_subject, m_evidence, m_execution), found);
            !done) {
            return tl::unexpected<Error>(std::move(done).error());
        }
    }
    dropNeedless(found);
    std::stable_sort(found.begin(), found.end(),
                     [](const Attempt& a, const Attempt& b) { return a.parts < b.parts; });
    return found;
}

Expected<std::vector<Attempt>> RecognitionSearch::nearCandidates() const
{
    const Evidence& evidence = m_evidence;
    const auto choices = [](std::initializer_list<std::optional<std::int64_t>> numbers) {
        std::vector<std::optional<std::int64_t>> list;
        for (const auto& number : numbers) {
            if (std::find(list.begin(), list.end(), number) == list.end()) {
                list.push_back(number);
            }
        }
        return list;
    };
    const auto lefts = choices({std::nullopt, evidence.mostLeft, evidence.left.mode(),
                                evidence.left.largest(2), evidence.left.largest(1)});
    const auto rights = choices({std::nullopt, evidence.mostRight, evidence.right.mode(),
                                 evidence.right.largest(2), evidence.right.largest(1)});
    std::vector<ClassPadding> allPaddings = paddings({});
    for (const ClassSet& often : doubtfulKeys()) {
        for (ClassPadding& padding : paddings(often)) {
            allPaddings.push_back(std::move(padding));
        }
    }
    std::vector<Attempt> candidates;
    for (const ClassPadding& padding : allPaddings) {
        for (const MaskNode& family : m_families) {
            addCandidate(build(padding, {family}), candidates);
        }
        for (const auto& left : lefts) {
            for (const auto& right : rights) {
                std::vector<MaskNode> core = bandTerms({left, right}, m_subject.context);
                addCandidate(build(padding, core), candidates);
                auto documents = documentsWithin(m_subject, keysUnder(padding), {left, right}, true,
                                                 m_execution);
                if (!documents) {
                    return tl::unexpected<Error>(std::move(documents).error());
                }
                core.push_back(documentsLeaf(std::move(*documents)));
                addCandidate(build(padding, std::move(core)), candidates);
            }
        }
    }
    return candidates;
}

/// Counts the differing cells of every candidate, and leaves the @p most nearest.
Expected<void> RecognitionSearch::keepNearest(std::vector<Attempt>& candidates,
                                              std::int64_t rowStep, std::size_t most) const
{
    std::vector<Attempt> nearest;
    for (Attempt& candidate : candidates) {
        const std::int64_t bound = nearest.size() < most ? allCells : nearest.back().cells;
        const auto residual =
            compare(m_subject, candidate.node, {.most = bound, .rowStep = rowStep}, m_execution);
        if (!residual) {
            return tl::unexpected<Error>(residual.error());
        }
        if (residual->cells() > bound) {
            continue;
        }
        candidate.cells = residual->cells();
        nearest.insert(std::upper_bound(nearest.begin(), nearest.end(), candidate, isNearer),
                       std::move(candidate));
        if (nearest.size() > most) {
            nearest.pop_back();
        }
    }
    candidates = std::move(nearest);
    return {};
}

/// Moves single numbers as long as fewer cells differ.
Expected<void> RecognitionSearch::refine(Attempt& candidate) const
{
    const std::int64_t rows =
        m_subject.context.queries * static_cast<std::int64_t>(m_subject.groups.size());
    std::int64_t comparisons = std::max<std::int64_t>(rowsOfRefining / rows, 1);
    for (bool isBetter = true; isBetter && candidate.cells > 1;) {
        isBetter = false;
        const auto residual = compare(m_subject, candidate.node, {.wantsCells = true}, m_execution);
        if (!residual) {
            return tl::unexpected<Error>(residual.error());
        }
        for (MaskNode& node :
             neighbours(candidate.node, m_subject, cellsInOrder(m_subject, *residual))) {
            if (comparisons-- <= 0) {
                return {};
            }
            const auto changed =
                compare(m_subject, node, {.most = candidate.cells - 1}, m_execution);
            if (!changed) {
                return tl::unexpected<Error>(changed.error());
            }
            if (changed->cells() < candidate.cells) {
                candidate.text = printMask(node);
                candidate.node = std::move(node);
                candidate.cells = changed->cells();
                isBetter = true;
                break;
            }
        }
    }
    return {};
}

Expected<std::vector<Attempt>> RecognitionSearch::nearest()
{
    auto candidates = nearCandidates();
    if (!candidates) {
        return candidates;
    }
    const std::int64_t rowStep = std::max<std::int64_t>(m_subject.context.queries / rowsSampled, 1);
    if (rowStep > 1) {
        if (auto done = keepNearest(*candidates, rowStep, mostSampled); !done) {
            return tl::unexpected<Error>(std::move(done).error());
        }
    }
    if (auto done = keepNearest(*candidates, 1, mostSampled); !done) {
        return tl::unexpected<Error>(std::move(done).error());
    }
    for (std::size_t c = 0; c < std::min(candidates->size(), mostRefined); ++c) {
        if (auto done = refine((*candidates)[c]); !done) {
            return tl::unexpected<Error>(std::move(done).error());
        }
    }
    std::stable_sort(candidates->begin(), candidates->end(), isNearer);
    return candidates;
}

} // namespace heed::detail
