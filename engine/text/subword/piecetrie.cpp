// All pieces of a vocabulary that a text starts with, found in one walk.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/piecetrie.h"

#include <algorithm>

namespace heed::detail {

PieceTrie::PieceTrie(std::vector<std::pair<std::string_view, std::uint32_t>> pieces)
{
    std::ranges::stable_sort(pieces, {}, [](const auto& piece) { return piece.first; });
    struct Open {
        std::size_t begin; ///< pieces that share the bytes up to this node
        std::size_t end;
        std::size_t depth;
    };
    std::vector<Open> open{{0, pieces.size(), 0}};
    m_nodes.emplace_back();
    // Level by level, so that the children of a node are neighbours.
    for (std::size_t node = 0; node < open.size(); ++node) {
        auto [begin, end, depth] = open[node];
        while (begin < end && pieces[begin].first.size() == depth) {
            if (depth > 0) {
                m_nodes[node].number = pieces[begin].second;
            }
            ++begin;
        }
        m_nodes[node].firstChild = static_cast<std::uint32_t>(m_nodes.size());
        while (begin < end) {
            const auto label = static_cast<unsigned char>(pieces[begin].first[depth]);
            std::size_t next = begin;
            while (next < end && static_cast<unsigned char>(pieces[next].first[depth]) == label) {
                ++next;
            }
            m_nodes.push_back({.label = label});
            open.push_back({begin, next, depth + 1});
            ++m_nodes[node].children;
            begin = next;
        }
    }
}

std::uint32_t PieceTrie::child(std::uint32_t node, unsigned char label) const
{
    if (m_nodes.empty()) {
        return 0;
    }
    const auto first = m_nodes.begin() + m_nodes[node].firstChild;
    const auto last = first + m_nodes[node].children;
    const auto at = std::lower_bound(
        first, last, label, [](const Node& a, unsigned char wanted) { return a.label < wanted; });
    return at == last || at->label != label ? 0 : static_cast<std::uint32_t>(at - m_nodes.begin());
}

} // namespace heed::detail
