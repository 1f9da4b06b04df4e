// Families made from a list with one entry for each token or node: groups, blocks, tree; and swin.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/check.h"
#include "mask/boundmask.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace heed::detail {
namespace {

using Family = std::shared_ptr<const BoundFamily>;

std::size_t at(std::int64_t index)
{
    return static_cast<std::size_t>(index);
}

/// Query and key in the same group; those of no group keep nothing and are kept by none.
class Groups final : public BoundFamily {
public:
    /// @param groups one number a token, negative = no group.
    explicit Groups(const std::vector<std::int64_t>& groups)
        : BoundFamily(MaskReason::Other)
        , m_groupOf(groups.size(), none)
    {
        std::vector<std::size_t> order(groups.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return groups[a] < groups[b]; });
        const KeyRange all = {0, static_cast<std::int32_t>(groups.size())};
        RowRanges tokens;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const std::size_t token = order[i];
            if (groups[token] < 0) {
                continue;
            }
            m_groupOf[token] = static_cast<std::int32_t>(m_ends.size());
            appendRange(tokens, static_cast<std::int64_t>(token),
                        static_cast<std::int64_t>(token) + 1, all);
            if (i + 1 == order.size() || groups[order[i + 1]] != groups[token]) {
                m_tokens.insert(m_tokens.end(), tokens.begin(), tokens.end());
                m_ends.push_back(m_tokens.size());
                m_mostRanges = std::max(m_mostRanges, static_cast<std::int64_t>(tokens.size()));
                tokens.clear();
            }
        }
    }

    bool keeps(std::int64_t, std::int64_t, std::int64_t query, std::int64_t key) const override
    {
        return m_groupOf[at(query)] != none && m_groupOf[at(query)] == m_groupOf[at(key)];
    }
    void fillRow(std::int64_t, std::int64_t, std::int64_t query, KeyRange keys,
                 RowRanges& row) const override
    {
        const std::int32_t group = m_groupOf[at(query)];
        if (group == none) {
            return;
        }
        const std::size_t begin = group == 0 ? 0 : m_ends[at(group) - 1];
        const auto tokens = std::span(m_tokens).subspan(begin, m_ends[at(group)] - begin);
        auto range = std::partition_point(tokens.begin(), tokens.end(),
                                          [&](const KeyRange& r) { return r.end <= keys.begin; });
        for (; range != tokens.end() && range->begin < keys.end; ++range) {
            appendRange(row, range->begin, range->end, keys);
        }
    }
    std::int64_t mostRanges(std::int64_t) const override { return m_mostRanges; }

private:
    static constexpr std::int32_t none = -1;

    std::vector<std::int32_t> m_groupOf; ///< counted without gaps
    RowRanges m_tokens;                  ///< of one group after the other
    std::vector<std::size_t> m_ends;     ///< of each group in m_tokens
    std::int64_t m_mostRanges = 0;
};

/// The query's own block and all before it.
class Blocks final : public BoundFamily {
public:
    /// @param starts one number a token, 1 = begins a block.
    explicit Blocks(const std::vector<std::int64_t>& starts)
        : BoundFamily(MaskReason::Other)
        , m_end(starts.size())
    {
        auto end = static_cast<std::int32_t>(starts.size());
        for (std::size_t token = starts.size(); token-- > 0;) {
            m_end[token] = end;
            end = starts[token] == 1 ? static_cast<std::int32_t>(token) : end;
        }
    }
    bool keeps(std::int64_t, std::int64_t, std::int64_t query, std::int64_t key) const override
    {
        return key < m_end[at(query)];
    }
    void fillRow(std::int64_t, std::int64_t, std::int64_t query, KeyRange keys,
                 RowRanges& row) const override
    {
        appendRange(row, 0, m_end[at(query)], keys);
    }

private:
    std::vector<std::int32_t> m_end; ///< of each token's block
};

/// Drafted tokens behind a prefix: each sees the prefix, itself and its ancestors. The queries
/// before the nodes, where there are any, are the end of the prefix and causal.
class Tree final : public BoundFamily {
public:
    /// @param parents of the last queries and keys, each below its own index, negative = none.
    Tree(const std::vector<std::int64_t>& parents, std::int64_t queries, std::int64_t keys)
        : BoundFamily(MaskReason::Other)
        , m_firstQuery(queries - static_cast<std::int64_t>(parents.size()))
        , m_prefix(keys - static_cast<std::int64_t>(parents.size()))
        , m_nodes(parents.size())
    {
        for (std::size_t n = parents.size(); n-- > 0;) {
            if (parents[n] >= 0) {
                m_nodes[at(parents[n])].size += m_nodes[n].size;
            }
        }
        std::int32_t nextRoot = 0;
        std::vector<std::int32_t> nextChild(parents.size());
        std::vector<std::int32_t> ranges(parents.size());
        for (std::size_t n = 0; n < parents.size(); ++n) {
            const std::int64_t parent = parents[n];
            std::int32_t& next = parent < 0 ? nextRoot : nextChild[at(parent)];
            Node& node = m_nodes[n];
            node.order = next;
            next += node.size;
            nextChild[n] = node.order + 1;
            const bool goesOn = n > 0 && parent == static_cast<std::int64_t>(n) - 1;
            node.first = goesOn ? m_nodes[n - 1].first : static_cast<std::int32_t>(n);
            node.before = goesOn ? m_nodes[n - 1].before : static_cast<std::int32_t>(parent);
            ranges[n] = node.before < 0 ? 1 : ranges[at(node.before)] + 1;
            m_mostRanges = std::max<std::int64_t>(m_mostRanges, ranges[n] + 1);
        }
    }

    bool keeps(std::int64_t, std::int64_t, std::int64_t query, std::int64_t key) const override
    {
        if (query < m_firstQuery) {
            return key <= query + m_prefix - m_firstQuery;
        }
        if (key < m_prefix) {
            return true;
        }
        const std::int32_t below =
            m_nodes[at(query - m_firstQuery)].order - m_nodes[at(key - m_prefix)].order;
        return below >= 0 && below < m_nodes[at(key - m_prefix)].size;
    }

    void fillRow(std::int64_t, std::int64_t, std::int64_t query, KeyRange keys,
                 RowRanges& row) const override
    {
        if (query < m_firstQuery) {
            appendRange(row, 0, query + m_prefix - m_firstQuery + 1, keys);
            return;
        }
        // From the node up, so the ranges come last first.
        const auto put = [&](std::int64_t begin, std::int64_t end) {
            const auto first = static_cast<std::int32_t>(std::max<std::int64_t>(begin, keys.begin));
            const auto last = static_cast<std::int32_t>(std::min<std::int64_t>(end, keys.end));
            if (first < last && !row.empty() && row.back().begin == last) {
                row.back().begin = first;
            } else if (first < last) {
                row.push_back({first, last});
            }
        };
        for (std::int64_t n = query - m_firstQuery; n >= 0 && m_prefix + n >= keys.begin;) {
            const Node& node = m_nodes[at(n)];
            put(m_prefix + node.first, m_prefix + n + 1);
            n = node.before;
        }
        put(0, m_prefix);
        std::reverse(row.begin(), row.end());
    }

    std::int64_t mostRanges(std::int64_t) const override { return m_mostRanges; }

private:
    struct Node {
        std::int32_t order = 0;  ///< in a walk that visits a node before its descendants
        std::int32_t size = 1;   ///< of its subtree, itself included
        std::int32_t first = 0;  ///< of the ancestors without a gap before it, itself included
        std::int32_t before = 0; ///< parent of that one, negative = none
    };

    std::int64_t m_firstQuery; ///< of the nodes
    std::int64_t m_prefix;     ///< keys before the nodes
    std::vector<Node> m_nodes;
    std::int64_t m_mostRanges = 0;
};

/// The windows of a Swin layer with a shift, one window an item: tokens that were brought together
/// by rolling the image do not see each other.
class Swin final : public BoundFamily {
public:
    /// @param rows, @param columns windows in the image.
    Swin(std::int64_t rows, std::int64_t columns, std::int64_t window, std::int64_t shift)
        : BoundFamily(MaskReason::Other)
        , m_rows(rows)
        , m_columns(columns)
        , m_window(window)
        , m_border(window - shift)
    {
    }
    bool keeps(std::int64_t item, std::int64_t, std::int64_t query, std::int64_t key) const override
    {
        const auto [isLastRow, isLastColumn] = placeOf(item);
        return (!isLastRow || isBehind(query / m_window) == isBehind(key / m_window)) &&
               (!isLastColumn || isBehind(query % m_window) == isBehind(key % m_window));
    }
    void fillRow(std::int64_t item, std::int64_t, std::int64_t query, KeyRange keys,
                 RowRanges& row) const override
    {
        const auto [isLastRow, isLastColumn] = placeOf(item);
        const auto [y, yEnd] = isLastRow ? partOf(query / m_window) : Part{0, m_window};
        const auto [x, xEnd] = isLastColumn ? partOf(query % m_window) : Part{0, m_window};
        if (xEnd - x == m_window) {
            appendRange(row, y * m_window, yEnd * m_window, keys);
            return;
        }
        const std::int64_t last = std::min(yEnd, (keys.end + m_window - 1) / m_window);
        for (std::int64_t line = std::max(y, keys.begin / m_window); line < last; ++line) {
            appendRange(row, line * m_window + x, line * m_window + xEnd, keys);
        }
    }
    std::int64_t mostRanges(std::int64_t) const override { return m_window; }
    std::int64_t variant(std::int64_t item, std::int64_t) const override
    {
        const auto [isLastRow, isLastColumn] = placeOf(item);
        return (isLastRow ? 2 : 0) + (isLastColumn ? 1 : 0);
    }
    bool dependsOnItem() const override { return true; }

private:
    using Part = std::pair<std::int64_t, std::int64_t>;

    /// Whether the window is in the last row and the last column of windows: only these hold what
    /// came around from the other side.
    std::pair<bool, bool> placeOf(std::int64_t item) const
    {
        const std::int64_t window = item % (m_rows * m_columns);
        return {window / m_columns == m_rows - 1, window % m_columns == m_columns - 1};
    }
    bool isBehind(std::int64_t line) const { return line >= m_border; }
    Part partOf(std::int64_t line) const
    {
        return isBehind(line) ? Part{m_border, m_window} : Part{0, m_border};
    }

    std::int64_t m_rows;
    std::int64_t m_columns;
    std::int64_t m_window;
    std::int64_t m_border; ///< first line of what came around
};

/// One entry for each position, as bindDocuments() counts them.
Expected<void> checkCount(const MaskLeaf& leaf, const MaskContext& context)
{
    const MaskValue& list = *leaf.values[0];
    const auto count = static_cast<std::int64_t>(list.integers.size());
    const std::int64_t positions = std::max(context.queries, context.keys);
    if (count == positions) {
        return {};
    }
    return failAtColumn(Code::InvalidShape, list.column,
                        "The list of " + std::string(familyInfo(leaf.family).name) + "(…) has " +
                            std::to_string(count) + (count == 1 ? " number" : " numbers") +
                            " but there are " + std::to_string(positions) +
                            (positions == 1 ? " token." : " tokens.") + " Give one each.");
}

Expected<Family> bindTree(const MaskLeaf& leaf, const MaskContext& context)
{
    const MaskValue& parents = *leaf.values[0];
    const auto nodes = static_cast<std::int64_t>(parents.integers.size());
    const std::int64_t fewest = std::min(context.queries, context.keys);
    if (nodes > fewest) {
        return failAtColumn(Code::InvalidShape, parents.column,
                            "The tree has " + std::to_string(nodes) +
                                " nodes, more than there are " +
                                (context.queries < context.keys ? "queries (" : "keys (") +
                                std::to_string(fewest) + ").");
    }
    if (leaf.values[1] && leaf.integer(1) + nodes != context.keys) {
        return failAtColumn(Code::InvalidShape, leaf.values[1]->column,
                            "A prefix of " + std::to_string(leaf.integer(1)) + " and " +
                                std::to_string(nodes) + " nodes are " +
                                std::to_string(leaf.integer(1) + nodes) + " keys but there are " +
                                std::to_string(context.keys) + ". With these nodes the prefix is " +
                                std::to_string(context.keys - nodes) + ".");
    }
    return std::make_shared<Tree>(parents.integers, context.queries, context.keys);
}

Expected<Family> bindSwin(const MaskLeaf& leaf, const MaskContext& context)
{
    const auto internal = [] {
        return fail(Code::Internal, "The windows of an image were not checked.", "mask");
    };
    const std::int64_t window = leaf.integer(2);
    HEED_CHECK(window > 0, return internal());
    const std::int64_t rows = leaf.integer(0) / window;
    const std::int64_t columns = leaf.integer(1) / window;
    const std::int64_t windows = rows * columns;
    HEED_CHECK(windows > 0, return internal());
    const std::int64_t tokens = window * window;
    if (context.queries != tokens || context.keys != tokens) {
        return failAtColumn(Code::InvalidShape, leaf.column,
                            "A window of " + std::to_string(window) + " × " +
                                std::to_string(window) + " has " + std::to_string(tokens) +
                                " tokens but there are " + std::to_string(context.queries) +
                                " queries and " + std::to_string(context.keys) + " keys.");
    }
    if (context.items % windows != 0) {
        return failAtColumn(Code::InvalidShape, leaf.column,
                            "The image has " + std::to_string(windows) +
                                " windows, which are the items of a batch, but there are " +
                                std::to_string(context.items) + ".");
    }
    return std::make_shared<Swin>(rows, columns, window, leaf.integer(3));
}

} // namespace

Expected<Family> bindList(const MaskLeaf& leaf, const MaskContext& context)
{
    if (leaf.family == MaskFamily::Tree) {
        return bindTree(leaf, context);
    }
    if (leaf.family == MaskFamily::Swin) {
        return bindSwin(leaf, context);
    }
    if (auto fits = checkCount(leaf, context); !fits) {
        return tl::unexpected<Error>(std::move(fits).error());
    }
    const std::vector<std::int64_t>& numbers = leaf.values[0]->integers;
    if (leaf.family == MaskFamily::Blocks) {
        return std::make_shared<Blocks>(numbers);
    }
    return std::make_shared<Groups>(numbers);
}

} // namespace heed::detail
