// Masks that differ from another in one number.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/recognitionsearch.h"

#include <algorithm>
#include <set>
#include <utility>

namespace heed::detail {
namespace {

constexpr std::size_t cellsLookedAt = 8;

std::size_t at(std::int64_t index)
{
    return static_cast<std::size_t>(index);
}

/// Calls visit(leaf) for each leaf of @p node, which may change it and must put it back.
template <typename Visit>
void forEachLeaf(MaskNode& node, const Visit& visit)
{
    if (node.kind == MaskNode::Kind::Leaf) {
        visit(node.leaf);
    }
    for (MaskNode& child : node.children) {
        forEachLeaf(child, visit);
    }
}

/// Not so for numbers that make the family another one.
bool saysItsOwn(const MaskLeaf& leaf)
{
    switch (leaf.family) {
    case MaskFamily::Prefix:
    case MaskFamily::Chunk:
    case MaskFamily::Strided:
        return leaf.integer(0) > 1;
    case MaskFamily::Sink:
        return leaf.integer(0) > 0;
    case MaskFamily::Dilated:
        return leaf.integer(0) > 0 && leaf.integer(1) > 1;
    case MaskFamily::Fixed:
        return leaf.integer(1) > 0 && leaf.integer(1) < leaf.integer(0);
    default:
        return true;
    }
}

/// The documents with the border at @p position taken away, or put there.
std::vector<std::int64_t> toggled(const std::vector<std::int64_t>& lengths, std::int64_t position)
{
    std::vector<std::int64_t> changed;
    std::int64_t begin = 0;
    bool joins = false;
    for (const std::int64_t length : lengths) {
        const std::int64_t end = begin + length;
        if (joins) {
            changed.back() += length;
        } else if (begin < position && position < end) {
            changed.push_back(position - begin);
            changed.push_back(end - position);
        } else {
            changed.push_back(length);
        }
        joins = end == position;
        begin = end;
    }
    return changed;
}

} // namespace

std::vector<MaskNode> neighbours(const MaskNode& node, const Subject& subject,
                                 const std::vector<MaskCell>& cells)
{
    std::vector<MaskNode> list;
    MaskNode changed = node;
    const std::size_t looked = std::min(cells.size(), cellsLookedAt);
    const auto offerIntegers = [&](MaskLeaf& leaf) {
        const auto& parameters = familyInfo(leaf.family).parameters;
        for (std::size_t p = 0; p < leaf.values.size(); ++p) {
            if (!leaf.values[p] || parameters[p].kind != MaskValueKind::Integer) {
                continue;
            }
            const std::int64_t before = leaf.values[p]->integer;
            const std::int64_t step = leaf.family == MaskFamily::Longformer ? 2 : 1; // even
            for (const std::int64_t number : {before - step, before + step}) {
                leaf.values[p]->integer = number;
                if (number >= parameters[p].smallest && saysItsOwn(leaf)) {
                    list.push_back(changed);
                }
            }
            leaf.values[p]->integer = before;
        }
    };
    const auto offerBlocks = [&](MaskLeaf& leaf) { // block and summary, whose border stays
        for (const std::int64_t step : {-1, 1}) {
            leaf.values[0]->integer += step;
            leaf.values[1]->integer += step;
            if (saysItsOwn(leaf)) {
                list.push_back(changed);
            }
            leaf.values[0]->integer -= step;
            leaf.values[1]->integer -= step;
        }
    };
    const auto offerTokens = [&](MaskLeaf& leaf) { // one more, or one less, that are global
        if (!leaf.values[1]) {
            return;
        }
        const std::vector<std::int64_t> before = leaf.values[1]->integers;
        for (std::size_t c = 0; c < looked; ++c) {
            for (const std::int64_t token : {cells[c].query, cells[c].key}) {
                auto& tokens = leaf.values[1]->integers;
                const auto place = std::lower_bound(tokens.begin(), tokens.end(), token);
                if (place == tokens.end() || *place != token) {
                    tokens.insert(place, token);
                } else {
                    tokens.erase(place);
                }
                list.push_back(changed);
                tokens = before;
            }
        }
    };
    const auto offerDocuments = [&](MaskLeaf& leaf) {
        const std::vector<std::int64_t> before = leaf.values[0]->integers;
        const std::int64_t positions = std::max(subject.context.queries, subject.context.keys);
        std::set<std::int64_t> borders;
        for (std::size_t c = 0; c < looked; ++c) {
            borders.insert({cells[c].query, cells[c].query + 1, cells[c].key, cells[c].key + 1});
        }
        for (const std::int64_t border : borders) {
            if (border > 0 && border < positions) {
                leaf.values[0]->integers = toggled(before, border);
                list.push_back(changed);
            }
        }
        leaf.values[0]->integers = before;
    };
    const auto offerPadding = [&](MaskLeaf& leaf) {
        const std::vector<std::int64_t> before = leaf.values[1]->integers;
        const bool isLeft = leaf.values[0]->text == "left";
        std::set<std::pair<std::size_t, std::int64_t>> offered;
        for (std::size_t c = 0; c < looked; ++c) {
            const std::size_t itemClass = subject.classOf[at(cells[c].item)];
            const std::int64_t outside =
                isLeft ? subject.context.keys - cells[c].key - 1 : cells[c].key;
            for (const std::int64_t length : {outside, outside + 1}) {
                if (!offered.emplace(itemClass, length).second) {
                    continue;
                }
                for (std::size_t item = 0; item < before.size(); ++item) {
                    if (subject.classOf[item] == itemClass) {
                        leaf.values[1]->integers[item] = length;
                    }
                }
                list.push_back(changed);
                leaf.values[1]->integers = before;
            }
        }
    };
    forEachLeaf(changed, [&](MaskLeaf& leaf) {
        if (leaf.family == MaskFamily::Documents) {
            offerDocuments(leaf);
        } else if (leaf.family == MaskFamily::Padding) {
            offerPadding(leaf);
        } else {
            offerIntegers(leaf);
        }
        if (leaf.family == MaskFamily::Longformer) {
            offerTokens(leaf);
        }
        if (leaf.family == MaskFamily::Fixed) {
            offerBlocks(leaf);
        }
    });
    return list;
}

} // namespace heed::detail
