// The facts of a case, and how cells are counted.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/lint/lintcontext.h"

#include "mask/boundmask.h"

#include <algorithm>
#include <utility>

namespace heed::detail {

namespace {

bool hasFamily(const MaskNode& node, MaskFamily family)
{
    return (node.kind == MaskNode::Kind::Leaf && node.leaf.family == family) ||
           std::ranges::any_of(node.children,
                               [&](const MaskNode& child) { return hasFamily(child, family); });
}

/// Moves an offset that counts from row 0 of the mask to one that counts from the first cached
/// token; @p edge gets the last that is written. Without one, `causal` means the query's own key.
void anchorCausal(MaskNode& node, std::int64_t offset, std::int64_t shift, std::int64_t& edge)
{
    if (node.kind == MaskNode::Kind::Leaf && node.leaf.family == MaskFamily::Causal) {
        std::optional<MaskValue>& written = node.leaf.values.front();
        if (written) {
            edge = written->integer;
        }
        MaskValue value;
        value.integer = (written ? written->integer : offset) - shift;
        written = value;
    }
    for (MaskNode& child : node.children) {
        anchorCausal(child, offset, shift, edge);
    }
}

/// Padding keeps everything.
void dropPadding(MaskNode& node)
{
    if (node.kind == MaskNode::Kind::Leaf && node.leaf.family == MaskFamily::Padding) {
        node.leaf.family = MaskFamily::None;
        node.leaf.values.clear();
    }
    std::ranges::for_each(node.children, dropPadding);
}

tl::unexpected<Error> wrongLength(const std::string& member, std::int64_t has, std::int64_t wants,
                                  const std::string& of)
{
    return fail(Code::InvalidShape,
                member + " has " + std::to_string(has) + " entries, and there are " +
                    std::to_string(wants) + " " + of + ".",
                member);
}

/// Whether the lists fit the extents.
Expected<void> checkFacts(const MaskCase& given, const CaseExtents& extents)
{
    const auto lengths = static_cast<std::int64_t>(given.lengths.size());
    if (lengths != 0 && lengths != extents.items) {
        return wrongLength("lengths", lengths, extents.items, "items");
    }
    for (const std::int64_t length : given.lengths) {
        if (length < 0 || length > extents.keys) {
            return fail(Code::InvalidShape,
                        "A length of " + std::to_string(length) + " does not fit " +
                            std::to_string(extents.keys) + " keys.",
                        "lengths");
        }
    }
    const std::pair<const char*, const std::vector<std::vector<std::int64_t>>*> lists[] = {
        {"pad", &given.pad}, {"documents", &given.documents}, {"groups", &given.groups}};
    for (const auto& [name, rows] : lists) {
        if (rows->empty()) {
            continue;
        }
        const auto items = static_cast<std::int64_t>(rows->size());
        const auto keys = static_cast<std::int64_t>(rows->front().size());
        if (items != 1 && items != extents.items) {
            return wrongLength(name, items, extents.items, "items");
        }
        if (keys != extents.keys) {
            return wrongLength(name, keys, extents.keys, "keys");
        }
    }
    return {};
}

RowRanges padKeysOf(const MaskCase& given, const CaseExtents& extents, std::int64_t item)
{
    const KeyRange all = {0, static_cast<std::int32_t>(extents.keys)};
    RowRanges pads;
    if (!given.pad.empty()) {
        for (std::int64_t key = 0; key < extents.keys; ++key) {
            if (LintContext::at(given.pad, item, key, 1) == 0) {
                appendRange(pads, key, key + 1, all);
            }
        }
    } else if (!given.lengths.empty()) {
        const std::int64_t length = given.lengths[static_cast<std::size_t>(item)];
        if (given.padSide == PadSide::Left) {
            appendRange(pads, 0, extents.keys - length, all);
        } else {
            appendRange(pads, length, extents.keys, all);
        }
    }
    return pads;
}

bool holds(const RowRanges& row, std::int64_t key)
{
    const auto after = std::ranges::upper_bound(row, key, {}, &KeyRange::begin);
    return after != row.begin() && key < std::prev(after)->end;
}

/// Adds ranges of one row of numbers to a count.
void addCells(CellCount& count, const RowPlace& row, const RowRanges& ranges)
{
    for (const KeyRange& range : ranges) {
        count.count += range.end - range.begin;
        for (std::int64_t key = range.begin; key < range.end && count.cells.size() < MostCells;
             ++key) {
            count.cells.push_back({row.item, row.head, row.query, key});
        }
    }
}

} // namespace

Expected<LintContext> LintContext::make(const MaskCase& given, const MaskReading& reading,
                                        const Execution& execution)
{
    LintContext context;
    context.m_given = &given;
    context.m_reading = &reading;
    context.m_execution = &execution;
    const CaseExtents& extents = reading.extents;
    if (auto fits = checkFacts(given, extents); !fits) {
        return tl::unexpected(fits.error());
    }
    context.m_offset = given.past.value_or(extents.keys - extents.queries);
    for (std::int64_t item = 0; item < extents.items; ++item) {
        context.m_padKeys.push_back(padKeysOf(given, extents, item));
    }
    context.m_edge = context.m_offset;
    context.m_shift = std::max<std::int64_t>(0, context.m_offset);
    MaskContext shape{.items = extents.items,
                      .heads = extents.heads,
                      .queries = extents.queries + context.m_shift,
                      .keys = extents.keys,
                      .padSide = given.padSide};
    const bool allHaveTokens =
        std::ranges::all_of(given.lengths, [](std::int64_t length) { return length > 0; });
    if (allHaveTokens) {
        shape.keyLengths = given.lengths;
    }
    const auto compile = [&](MaskNode node) -> Expected<MaskPtr> {
        anchorCausal(node, context.m_offset, context.m_shift, context.m_edge);
        return compileMask(printMask(node), shape, execution);
    };
    if (!given.intent.empty()) {
        auto tree = parseMask(given.intent);
        if (!tree) {
            return tl::unexpected(tree.error());
        }
        context.m_intentTree = std::move(*tree);
        auto intent = compile(*context.m_intentTree);
        if (!intent) {
            return tl::unexpected(intent.error());
        }
        context.m_intent = std::move(*intent);
        MaskNode unpadded = *context.m_intentTree;
        dropPadding(unpadded);
        auto structure = compile(std::move(unpadded));
        if (!structure) {
            return tl::unexpected(structure.error());
        }
        context.m_structure = std::move(*structure);
        context.m_endsAtQueries = context.endsAtQueries();
    }
    if (!given.window.empty()) {
        auto tree = parseMask(given.window);
        auto window = tree ? compile(std::move(*tree)) : tl::unexpected(tree.error());
        if (!window) {
            return tl::unexpected(window.error());
        }
        context.m_window = std::move(*window);
    }
    return context;
}

RowRanges LintContext::rowOf(const CompiledMask& mask, const RowPlace& row)
{
    const MaskPlane plane = mask.plane(row.item, row.head);
    if (!plane.isBits) {
        const auto first = static_cast<std::size_t>(row.query);
        return {plane.ranges.begin() + plane.rowStart[first],
                plane.ranges.begin() + plane.rowStart[first + 1]};
    }
    RowRanges ranges;
    appendBits(ranges, plane.words.data() + row.query * plane.wordsPerRow,
               {0, static_cast<std::int32_t>(plane.keys)});
    return ranges;
}

bool LintContext::intends(MaskFamily family) const
{
    return m_intentTree && hasFamily(*m_intentTree, family);
}

bool LintContext::isCausal() const
{
    constexpr std::array families = {MaskFamily::Causal,  MaskFamily::Prefix,  MaskFamily::Chunk,
                                     MaskFamily::Dilated, MaskFamily::Strided, MaskFamily::Fixed};
    return given().causalFlag.value_or(false) || m_endsAtQueries ||
           std::ranges::any_of(families, [&](MaskFamily family) { return intends(family); });
}

bool LintContext::endsAtQueries() const
{
    const CaseExtents& all = extents();
    for (std::int64_t query = 0; query < all.queries; ++query) {
        const RowRanges row = intendedOfReal({0, 0, query});
        const std::int64_t own = query + std::max(m_edge, m_offset);
        if (!row.empty() && row.back().end - 1 > own) {
            return false;
        }
    }
    return m_offset + 1 < all.keys; // otherwise there is no later key
}

bool LintContext::hasQueries() const
{
    const auto& masks = m_reading->masks;
    return masks.empty() || std::ranges::any_of(masks, [](const ReadMask& mask) {
               return mask.axes.find('L') != std::string::npos;
           });
}

bool LintContext::isReal(std::int64_t item, std::int64_t key) const
{
    return !holds(padKeys(item), key);
}

bool LintContext::isRealQuery(const RowPlace& row) const
{
    const std::int64_t key = row.query + m_offset;
    const bool isOtherText = extents().queries != extents().keys && !given().past && !isCausal();
    return isOtherText || key < 0 || key >= extents().keys || isReal(row.item, key);
}

const RowRanges& LintContext::padKeys(std::int64_t item) const
{
    return m_padKeys[static_cast<std::size_t>(item)];
}

std::int64_t LintContext::at(const std::vector<std::vector<std::int64_t>>& list, std::int64_t item,
                             std::int64_t position, std::int64_t otherwise)
{
    if (list.empty()) {
        return otherwise;
    }
    const auto& row = list[list.size() == 1 ? 0 : static_cast<std::size_t>(item)];
    return position >= 0 && position < static_cast<std::int64_t>(row.size())
               ? row[static_cast<std::size_t>(position)]
               : otherwise;
}

CellCount LintContext::countRows(const std::function<RowRanges(const RowPlace&)>& wrong) const
{
    const CaseExtents& all = extents();
    const auto& varies = m_reading->varies;
    const std::int64_t items = varies[0] ? all.items : 1;
    const std::int64_t heads = varies[1] ? all.heads : 1;
    const std::int64_t queries = varies[2] ? all.queries : 1;
    CellCount count;
    RowRanges joined;
    RowRanges sum;
    for (std::int64_t item = 0; item < items; ++item) {
        for (std::int64_t head = 0; head < heads; ++head) {
            for (std::int64_t query = 0; query < queries; ++query) {
                joined.clear();
                // Every row that shares these numbers.
                for (std::int64_t b = item; b < (varies[0] ? item + 1 : all.items); ++b) {
                    for (std::int64_t h = head; h < (varies[1] ? head + 1 : all.heads); ++h) {
                        for (std::int64_t i = query; i < (varies[2] ? query + 1 : all.queries);
                             ++i) {
                            unite(joined, wrong({b, h, i}), sum);
                            joined.swap(sum);
                        }
                    }
                }
                if (!varies[3] && !joined.empty()) {
                    joined = {{0, 1}};
                }
                addCells(count, {item, head, query}, joined);
            }
        }
    }
    return count;
}

CellCount
LintContext::countCells(const std::function<bool(const RowPlace&, std::int64_t key)>& isWrong) const
{
    return countRows([&](const RowPlace& row) {
        RowRanges ranges;
        for (std::int64_t key = 0; key < extents().keys; ++key) {
            if (isWrong(row, key)) {
                appendRange(ranges, key, key + 1, allKeys());
            }
        }
        return ranges;
    });
}

CellCount LintContext::countNumbers(const ReadMask& mask,
                                    const std::function<bool(double)>& isWrong)
{
    const Shape& shape = mask.given->array.shape;
    CellCount count;
    for (std::size_t i = 0; i < mask.given->array.numbers.size(); ++i) {
        if (!isWrong(mask.given->array.numbers[i])) {
            continue;
        }
        ++count.count;
        if (count.cells.size() == MostCells) {
            continue;
        }
        std::array<std::int64_t, 4> cell{};
        auto rest = static_cast<std::int64_t>(i);
        for (std::size_t axis = shape.size(); axis-- > 0;) {
            const std::string_view letters = "BHLS";
            const auto place = letters.find(mask.axes[axis]);
            if (place != std::string_view::npos) {
                cell[place] = rest % shape[axis];
            }
            rest /= shape[axis];
        }
        count.cells.push_back(cell);
    }
    return count;
}

} // namespace heed::detail
