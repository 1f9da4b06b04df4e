// Fits the families with a number for each token: groups, blocks, tree; and swin.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/recognitionfit.h"

#include <algorithm>
#include <numeric>

namespace heed::detail {
namespace {

constexpr std::size_t mostImages = 64; ///< arrangements of windows that are tried

std::size_t at(std::int64_t index)
{
    return static_cast<std::size_t>(index);
}

MaskNode listLeaf(MaskFamily family, std::vector<std::int64_t> numbers)
{
    MaskNode node = leafOf(family);
    node.leaf.values[0].emplace().integers = std::move(numbers);
    return node;
}

/// Tokens that are joined to one another.
class Joined {
public:
    explicit Joined(std::int64_t tokens)
        : m_parent(at(tokens))
        , m_next(at(tokens))
        , m_isMember(at(tokens))
    {
        std::iota(m_parent.begin(), m_parent.end(), std::size_t{0});
        std::iota(m_next.begin(), m_next.end(), std::size_t{0});
    }

    /// Puts a token and a range into one group. A step for each token of it that has not been one
    /// with its neighbour.
    void join(std::int64_t token, KeyRange range)
    {
        m_isMember[at(token)] = true;
        unite(at(token), at(range.begin));
        for (std::size_t i = lastOfRun(at(range.begin)); i + 1 < at(range.end); i = lastOfRun(i)) {
            unite(i, i + 1);
            m_next[i] = i + 1;
        }
        m_isMember[at(range.begin)] = true;
    }

    /// One number a token, counted from 0 in the order of the first tokens; -1 for those that were
    /// never joined.
    std::vector<std::int64_t> numbers()
    {
        std::vector<std::int64_t> numberOf(m_parent.size(), -1);
        std::vector<std::int64_t> list(m_parent.size(), -1);
        std::int64_t next = 0;
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (m_isMember[i] || root(i) != i) {
                std::int64_t& number = numberOf[root(i)];
                number = number < 0 ? next++ : number;
                list[i] = number;
            }
        }
        return list;
    }

private:
    std::size_t root(std::size_t i)
    {
        while (m_parent[i] != i) {
            m_parent[i] = m_parent[m_parent[i]];
            i = m_parent[i];
        }
        return i;
    }
    void unite(std::size_t a, std::size_t b)
    {
        const std::size_t rootA = root(a);
        const std::size_t rootB = root(b);
        m_parent[std::max(rootA, rootB)] = std::min(rootA, rootB);
    }
    std::size_t lastOfRun(std::size_t i)
    {
        std::size_t last = i;
        while (m_next[last] != last) {
            last = m_next[last];
        }
        while (m_next[i] != last && i != last) { // shorter for the next one
            const std::size_t next = m_next[i];
            m_next[i] = last;
            i = next;
        }
        return last;
    }

    std::vector<std::size_t> m_parent;
    std::vector<std::size_t> m_next; ///< a later token of the same unbroken run
    std::vector<bool> m_isMember;
};

/// Groups of the tokens that see one another, in the future alone or everywhere.
std::vector<std::int64_t> groupsOf(const Fit& fit, bool futureOnly)
{
    Joined joined(std::max(fit.context().queries, fit.context().keys));
    forEachRow(fit, [&](const PlaneGroup&, std::int64_t query, auto row) {
        for (const KeyRange& range : row) {
            const auto begin = static_cast<std::int32_t>(
                futureOnly ? std::max<std::int64_t>(range.begin, query + 1) : range.begin);
            if (begin < range.end) {
                joined.join(query, {begin, range.end});
            }
        }
    });
    return joined.numbers();
}

bool hasGroup(const std::vector<std::int64_t>& groups)
{
    return std::any_of(groups.begin(), groups.end(), [](std::int64_t g) { return g >= 0; });
}

/// Chains at the begin are prefix: all later nodes come after their last, which stays as the root.
void trimChain(std::vector<std::int64_t>& parents)
{
    std::int64_t chain = 0;
    const auto nodes = static_cast<std::int64_t>(parents.size());
    while (chain < nodes && parents[at(chain)] == chain - 1) {
        ++chain;
    }
    std::int64_t lowest = chain;
    for (std::int64_t node = chain; node < nodes; ++node) {
        lowest = std::min(lowest, parents[at(node)]);
    }
    const std::int64_t trimmed = std::min(lowest, chain - 1);
    if (trimmed <= 0) {
        return;
    }
    parents.erase(parents.begin(), parents.begin() + trimmed);
    for (std::int64_t& parent : parents) {
        parent = std::max<std::int64_t>(parent - trimmed, -1);
    }
}

} // namespace

void fitGroups(const Fit& fit)
{
    const std::vector<std::int64_t> future = groupsOf(fit, true);
    if (hasGroup(future)) {
        const MaskNode either =
            anyOf({leafOf(MaskFamily::Causal), listLeaf(MaskFamily::Groups, future)});
        fit.propose(either);
        const std::int64_t left = fit.evidence.mostLeft;
        for (const Band& band : {Band{left, left}, Band{left, std::nullopt}}) {
            std::vector<MaskNode> terms = bandTerms(band, fit.context());
            terms.insert(terms.begin(), either);
            fit.propose(allOf(std::move(terms)));
        }
    }
    std::vector<std::int64_t> all = groupsOf(fit, false);
    if (hasGroup(all)) {
        fit.propose(listLeaf(MaskFamily::Groups, std::move(all)));
    }
}

void fitBlocks(const Fit& fit)
{
    std::vector<std::int64_t> starts(at(std::max(fit.context().queries, fit.context().keys)));
    forEachRow(fit, [&](const PlaneGroup&, std::int64_t, auto row) {
        if (!row.empty() && at(row.back().end) < starts.size()) {
            starts[at(row.back().end)] = 1;
        }
    });
    fit.propose(listLeaf(MaskFamily::Blocks, std::move(starts)));
}

void fitTree(const Fit& fit)
{
    const MaskContext& context = fit.context();
    const std::int64_t nodes = std::min(context.queries, context.keys);
    const std::int64_t prefix = context.keys - nodes;
    std::vector<std::int64_t> parents(at(nodes), -1);
    forEachRow(fit, [&](const PlaneGroup&, std::int64_t query, auto row) {
        const std::int64_t node = query - (context.queries - nodes);
        for (const KeyRange& range : row) {
            const std::int64_t last = std::min<std::int64_t>(range.end, prefix + node) - 1;
            if (node >= 0 && last >= range.begin) {
                parents[at(node)] = std::max(parents[at(node)], last - prefix);
            }
        }
    });
    trimChain(parents);
    fit.propose(listLeaf(MaskFamily::Tree, std::move(parents)));
}

void fitSwin(const Fit& fit)
{
    const MaskContext& context = fit.context();
    std::int64_t window = 1;
    while (window * window < context.queries) {
        ++window;
    }
    if (window < 2 || window * window != context.queries || context.keys != context.queries) {
        return;
    }
    // The first query of a window at the rim sees what was not rolled: whole lines, or their begin.
    std::int64_t border = 0;
    forEachRow(fit, [&](const PlaneGroup&, std::int64_t query, auto row) {
        if (query == 0 && !row.empty() && row.front().end < context.keys) {
            const std::int64_t end = row.front().end;
            border = end < window ? end : end / window;
        }
    });
    if (border == 0 || border >= window) {
        return;
    }
    std::size_t tried = 0;
    for (std::int64_t rows = 1; rows <= context.items; ++rows) {
        for (std::int64_t columns = 1; context.items % rows == 0 && columns <= context.items / rows;
             ++columns) {
            if (context.items / rows % columns == 0 && tried++ < mostImages) {
                fit.propose(leafOf(MaskFamily::Swin,
                                   {rows * window, columns * window, window, window - border}));
            }
        }
    }
}

} // namespace heed::detail
