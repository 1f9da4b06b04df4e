// The mask to be recognised: its distinct planes, row by row, and how an expression differs from
// it. SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/recognitionsubject.h"

#include "mask/boundmask.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace heed::detail {
namespace {

constexpr std::size_t mostCells = 100;
constexpr std::int64_t rowsBetweenPolls = 1024;

std::size_t at(std::int64_t index)
{
    return static_cast<std::size_t>(index);
}

/// Planes that are stored once look at the same memory.
const void* storageOf(const MaskPlane& plane)
{
    return plane.isBits ? static_cast<const void*>(plane.words.data())
                        : static_cast<const void*>(plane.rowStart.data());
}

/// Calls found(begin, end, isFirst) for the maximal runs that only one of the two rows keeps.
template <typename Found>
void differences(std::span<const KeyRange> a, std::span<const KeyRange> b, const Found& found)
{
    constexpr std::int32_t end = std::numeric_limits<std::int32_t>::max();
    std::size_t i = 0;
    std::size_t j = 0;
    bool inA = false;
    bool inB = false;
    std::int32_t begin = 0;
    while (i < a.size() || j < b.size()) {
        const std::int32_t nextA = i == a.size() ? end : (inA ? a[i].end : a[i].begin);
        const std::int32_t nextB = j == b.size() ? end : (inB ? b[j].end : b[j].begin);
        const std::int32_t next = std::min(nextA, nextB);
        if (inA != inB && begin < next) {
            found(begin, next, inA);
        }
        begin = next;
        if (nextA == next) {
            i += inA ? 1 : 0;
            inA = !inA;
        }
        if (nextB == next) {
            j += inB ? 1 : 0;
            inB = !inB;
        }
    }
}

} // namespace

std::span<const KeyRange> PlaneRows::row(std::int64_t query)
{
    const KeyRange keys = {0, static_cast<std::int32_t>(m_plane.keys)};
    std::span<const KeyRange> kept;
    if (m_plane.isBits) {
        m_decoded.clear();
        const std::uint64_t* words = m_plane.words.data() + query * m_plane.wordsPerRow;
        for (std::int64_t w = 0; w < m_plane.wordsPerRow; ++w) {
            std::uint64_t rest = words[w];
            while (rest != 0) {
                const int begin = std::countr_zero(rest);
                const int length = std::countr_one(rest >> static_cast<unsigned>(begin));
                appendRange(m_decoded, w * 64 + begin, w * 64 + begin + length, keys);
                rest = begin + length == 64
                           ? 0
                           : rest & ~std::uint64_t{0} << static_cast<unsigned>(begin + length);
            }
        }
        kept = m_decoded;
    } else {
        const std::int64_t begin = m_plane.rowStart[at(query)];
        kept = m_plane.ranges.subspan(at(begin), at(m_plane.rowStart[at(query) + 1] - begin));
    }
    if (!m_isComplement) {
        return kept;
    }
    m_complement.clear();
    std::int32_t begin = 0;
    for (const KeyRange& range : kept) {
        appendRange(m_complement, begin, range.begin, keys);
        begin = range.end;
    }
    appendRange(m_complement, begin, keys.end, keys);
    return m_complement;
}

Subject::Subject(const CompiledMask& mask)
    : context(mask.context())
{
    const std::int64_t items = mask.sameForAllItems() ? 1 : context.items;
    const std::int64_t heads = mask.sameForAllHeads() ? 1 : context.heads;
    std::map<std::vector<const void*>, std::size_t> classes;
    std::vector<std::int64_t> itemsOfClass;
    std::vector<std::int64_t> firstItem;
    std::vector<const void*> planes(at(heads));
    for (std::int64_t item = 0; item < items; ++item) {
        for (std::int64_t head = 0; head < heads; ++head) {
            planes[at(head)] = storageOf(mask.plane(item, head));
        }
        const auto [entry, isNew] = classes.try_emplace(planes, classes.size());
        if (isNew) {
            itemsOfClass.push_back(0);
            firstItem.push_back(item);
        }
        itemsOfClass[entry->second] += context.items / items;
        classOf.push_back(entry->second);
    }
    classOf.resize(at(context.items), 0);
    groupOf.resize(classes.size());
    for (std::size_t c = 0; c < classes.size(); ++c) {
        std::map<const void*, std::size_t> known;
        for (std::int64_t head = 0; head < heads; ++head) {
            const MaskPlane plane = mask.plane(firstItem[c], head);
            const auto [entry, isNew] = known.try_emplace(storageOf(plane), groups.size());
            if (isNew) {
                groups.push_back({plane, firstItem[c], head, 0, c});
            }
            groups[entry->second].planes += itemsOfClass[c] * (context.heads / heads);
            groupOf[c].push_back(entry->second);
        }
    }
}

Expected<Residual> compare(const Subject& subject, const MaskNode& node,
                           const ComparisonLimits& limits, const Execution& execution)
{
    MaskMemory memory(execution, 0);
    auto bound = bindMask(node, subject.context, memory);
    if (!bound) {
        return tl::unexpected<Error>(std::move(bound).error());
    }
    RowEvaluator evaluator(*bound, subject.context.keys);
    Residual residual;
    residual.cellsOfGroup.resize(subject.groups.size());
    residual.firstCells.resize(limits.wantsCells ? subject.groups.size() : 0);
    for (std::size_t g = 0; g < subject.groups.size(); ++g) {
        const PlaneGroup& group = subject.groups[g];
        PlaneRows rows = subject.rows(group);
        for (std::int64_t query = 0, seen = 0; query < subject.context.queries;
             query += limits.rowStep, ++seen) {
            if (seen % rowsBetweenPolls == 0 && execution.cancelled()) {
                return fail(Code::Cancelled, "Stopped.");
            }
            const std::span<const KeyRange> row = rows.row(query);
            const RowRanges& other = evaluator.row(group.item, group.head, query);
            if (std::equal(row.begin(), row.end(), other.begin(), other.end())) {
                continue;
            }
            differences(row, other, [&](std::int32_t begin, std::int32_t end, bool isExtra) {
                const std::int64_t differing = (end - begin) * group.planes;
                (isExtra ? residual.extra : residual.missing) += differing;
                residual.cellsOfGroup[g] += differing;
                for (std::int32_t key = begin; limits.wantsCells && key < end; ++key) {
                    auto& cells = residual.firstCells[g];
                    if (cells.size() == mostCells) {
                        break;
                    }
                    cells.push_back({group.item, group.head, query, key});
                }
            });
            if (residual.cells() > limits.most) {
                return residual;
            }
        }
    }
    return residual;
}

std::vector<MaskCell> cellsInOrder(const Subject& subject, const Residual& residual)
{
    std::vector<MaskCell> cells;
    for (std::int64_t item = 0; item < subject.context.items; ++item) {
        const std::vector<std::size_t>& groups = subject.groupOf[subject.classOf[at(item)]];
        for (std::int64_t head = 0; head < subject.context.heads; ++head) {
            for (MaskCell cell : residual.firstCells[groups[groups.size() == 1 ? 0 : at(head)]]) {
                if (cells.size() == mostCells) {
                    return cells;
                }
                cell.item = item;
                cell.head = head;
                cells.push_back(cell);
            }
        }
    }
    return cells;
}

} // namespace heed::detail
