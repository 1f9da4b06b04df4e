// All pieces of a vocabulary that a text starts with, found in one walk.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::detail {

/// A tree over the bytes of pieces, in a few flat arrays. Immutable.
class PieceTrie {
public:
    PieceTrie() = default;
    /// @param pieces  with a number each, below 2^32 - 1; an empty piece is left out, of equal ones
    ///                the last counts.
    explicit PieceTrie(std::vector<std::pair<std::string_view, std::uint32_t>> pieces);

    /// Calls found(length, number) for every piece that @p text starts with, the shortest first.
    template <typename Found>
    void forEachPrefix(std::string_view text, const Found& found) const
    {
        std::uint32_t node = 0;
        for (std::size_t length = 0; length < text.size();) {
            node = child(node, static_cast<unsigned char>(text[length++]));
            if (node == 0) {
                return;
            }
            if (m_nodes[node].number != None) {
                found(length, m_nodes[node].number);
            }
        }
    }

private:
    static constexpr std::uint32_t None = 0xFFFFFFFFU;
    struct Node {
        std::uint32_t firstChild = 0; ///< children are neighbours, by label
        std::uint32_t number = None;
        std::uint16_t children = 0;
        unsigned char label = 0;
    };

    /// 0, the root, when there is none.
    [[nodiscard]] std::uint32_t child(std::uint32_t node, unsigned char label) const;

    std::vector<Node> m_nodes;
};

} // namespace heed::detail
