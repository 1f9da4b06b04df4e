// Families of a local band, global tokens and random blocks: longformer and bigbird.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/boundmask.h"

#include <algorithm>
#include <array>
#include <span>

namespace heed::detail {
namespace {

using Family = std::shared_ptr<const BoundFamily>;
using Ranges = std::span<const KeyRange>;

bool contains(Ranges ranges, std::int64_t position)
{
    const auto range = std::partition_point(ranges.begin(), ranges.end(),
                                            [&](const KeyRange& r) { return r.end <= position; });
    return range != ranges.end() && range->begin <= position;
}

/// The tokens below @p end of the blocks of @p numbers.
RowRanges tokensOf(std::vector<std::int64_t> numbers, std::int64_t block, std::int64_t end)
{
    std::sort(numbers.begin(), numbers.end());
    RowRanges tokens;
    for (const std::int64_t number : numbers) {
        appendRange(tokens, number * block, (number + 1) * block,
                    {0, static_cast<std::int32_t>(end)});
    }
    return tokens;
}

/// Keeps a cell when its blocks are near, when one of them is global, or when the key's is among
/// the random ones of the query's. A block of longformer is one token.
class Sparse final : public BoundFamily {
public:
    Sparse(std::int64_t block, std::int64_t reach, RowRanges global)
        : BoundFamily(MaskReason::Other)
        , m_block(block)
        , m_reach(reach)
        , m_global(std::move(global))
    {
    }

    /// Of the next block of queries.
    void addRandom(const RowRanges& tokens)
    {
        m_random.insert(m_random.end(), tokens.begin(), tokens.end());
        m_randomEnds.push_back(m_random.size());
        m_mostRandom = std::max(m_mostRandom, tokens.size());
    }

    bool keeps(std::int64_t, std::int64_t, std::int64_t query, std::int64_t key) const override
    {
        return std::abs(query / m_block - key / m_block) <= m_reach || contains(m_global, query) ||
               contains(m_global, key) || contains(randomOf(query), key);
    }

    void fillRow(std::int64_t, std::int64_t, std::int64_t query, KeyRange keys,
                 RowRanges& row) const override
    {
        if (contains(m_global, query)) {
            appendRange(row, keys.begin, keys.end, keys);
            return;
        }
        RowRanges local; // at most one, clipped
        const std::int64_t block = query / m_block;
        appendRange(local, (block - m_reach) * m_block, (block + m_reach + 1) * m_block, keys);
        std::array<Ranges, 3> sources = {m_global, randomOf(query), local};
        for (Ranges& source : sources) {
            const auto first =
                std::partition_point(source.begin(), source.end(),
                                     [&](const KeyRange& r) { return r.end <= keys.begin; });
            source = source.subspan(static_cast<std::size_t>(first - source.begin()));
        }
        while (true) {
            Ranges* next = nullptr;
            for (Ranges& source : sources) {
                const bool isSooner =
                    !source.empty() &&
                    (next == nullptr || source.front().begin < next->front().begin);
                next = isSooner ? &source : next;
            }
            if (next == nullptr || next->front().begin >= keys.end) {
                return;
            }
            appendRange(row, next->front().begin, next->front().end, keys);
            *next = next->subspan(1);
        }
    }

    std::int64_t mostRanges(std::int64_t) const override
    {
        return static_cast<std::int64_t>(m_global.size() + m_mostRandom) + 1;
    }

private:
    Ranges randomOf(std::int64_t query) const
    {
        if (m_randomEnds.empty()) {
            return {};
        }
        const auto block = static_cast<std::size_t>(query / m_block);
        const std::size_t begin = block == 0 ? 0 : m_randomEnds[block - 1];
        return Ranges(m_random).subspan(begin, m_randomEnds[block] - begin);
    }

    std::int64_t m_block;
    std::int64_t m_reach; ///< blocks to each side
    RowRanges m_global;
    RowRanges m_random; ///< one block of queries after the other
    std::vector<std::size_t> m_randomEnds;
    std::size_t m_mostRandom = 0;
};

} // namespace

Expected<Family> bindSparse(const MaskLeaf& leaf, const MaskContext& context)
{
    const bool isBlocks = leaf.family == MaskFamily::BigBird;
    const std::int64_t block = isBlocks ? leaf.integer(0) : 1;
    const std::int64_t reach = isBlocks ? 1 : leaf.integer(0) / 2;
    RowRanges global;
    if (leaf.values[1]) {
        global = tokensOf(leaf.values[1]->integers, block, std::max(context.queries, context.keys));
    }
    auto family = std::make_shared<Sparse>(block, reach, std::move(global));
    if (!isBlocks || !leaf.values[2]) {
        return family;
    }
    const MaskValue& random = *leaf.values[2];
    const std::int64_t blocks = (context.queries + block - 1) / block;
    const auto lists = static_cast<std::int64_t>(random.listEnds.size());
    if (lists != blocks) {
        return failAtColumn(Code::InvalidShape, random.column,
                            "'random' has " + std::to_string(lists) +
                                (lists == 1 ? " list" : " lists") + " but there are " +
                                std::to_string(blocks) + (blocks == 1 ? " block" : " blocks") +
                                " of queries. Give one list each; [] is one without blocks.");
    }
    auto begin = random.integers.begin();
    for (const std::size_t listEnd : random.listEnds) {
        const auto end = random.integers.begin() + static_cast<std::ptrdiff_t>(listEnd);
        family->addRandom(tokensOf({begin, end}, block, context.keys));
        begin = end;
    }
    return family;
}

} // namespace heed::detail
