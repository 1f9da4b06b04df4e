// The mask families that are made from numbers: what each keeps, cell by cell and row by row.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/boundmask.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace heed::detail {
namespace {

using Family = std::shared_ptr<const BoundFamily>;

/// keep -right <= i - j <= left. Most families are this band with some bound at infinity.
class Band final : public BoundFamily {
public:
    static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 4;

    Band(MaskReason reason, std::int64_t left, std::int64_t right)
        : BoundFamily(reason)
        , m_left(left)
        , m_right(right)
    {
    }
    bool keeps(std::int64_t, std::int64_t, std::int64_t query, std::int64_t key) const override
    {
        return key >= query - m_left && key <= query + m_right;
    }
    void fillRow(std::int64_t, std::int64_t, std::int64_t query, KeyRange keys,
                 RowRanges& row) const override
    {
        appendRange(row, query - m_left, query + m_right + 1, keys);
    }

private:
    std::int64_t m_left;
    std::int64_t m_right;
};

/// The real keys of each item, whatever the query.
class Padding final : public BoundFamily {
public:
    explicit Padding(std::vector<KeyRange> real)
        : BoundFamily(MaskReason::Padding)
        , m_real(std::move(real))
    {
    }
    bool keeps(std::int64_t item, std::int64_t, std::int64_t, std::int64_t key) const override
    {
        const KeyRange& real = m_real[static_cast<std::size_t>(item)];
        return key >= real.begin && key < real.end;
    }
    void fillRow(std::int64_t item, std::int64_t, std::int64_t, KeyRange keys,
                 RowRanges& row) const override
    {
        const KeyRange& real = m_real[static_cast<std::size_t>(item)];
        appendRange(row, real.begin, real.end, keys);
    }
    std::int64_t variant(std::int64_t item, std::int64_t) const override
    {
        // All ranges touch the same side, so the length tells them apart.
        const KeyRange& real = m_real[static_cast<std::size_t>(item)];
        return real.end - real.begin;
    }
    bool dependsOnItem() const override { return true; }

private:
    std::vector<KeyRange> m_real;
};

/// Query and key in the same document.
class Documents final : public BoundFamily {
public:
    explicit Documents(std::vector<std::int64_t> ends)
        : BoundFamily(MaskReason::Documents)
        , m_ends(std::move(ends))
    {
    }
    bool keeps(std::int64_t, std::int64_t, std::int64_t query, std::int64_t key) const override
    {
        const auto [begin, end] = documentOf(query);
        return key >= begin && key < end;
    }
    void fillRow(std::int64_t, std::int64_t, std::int64_t query, KeyRange keys,
                 RowRanges& row) const override
    {
        const auto [begin, end] = documentOf(query);
        appendRange(row, begin, end, keys);
    }

private:
    std::pair<std::int64_t, std::int64_t> documentOf(std::int64_t position) const
    {
        const auto end = std::upper_bound(m_ends.begin(), m_ends.end(), position);
        return {end == m_ends.begin() ? 0 : *(end - 1), *end};
    }

    std::vector<std::int64_t> m_ends; ///< ascending; the last is past every query and key
};

/// The first keys for every query, and for a prefix language model the past as well.
class FirstKeys final : public BoundFamily {
public:
    FirstKeys(MaskReason reason, std::int64_t count, bool keepsPast)
        : BoundFamily(reason)
        , m_count(count)
        , m_keepsPast(keepsPast)
    {
    }
    bool keeps(std::int64_t, std::int64_t, std::int64_t query, std::int64_t key) const override
    {
        return key < m_count || (m_keepsPast && key <= query);
    }
    void fillRow(std::int64_t, std::int64_t, std::int64_t query, KeyRange keys,
                 RowRanges& row) const override
    {
        appendRange(row, 0, m_keepsPast ? std::max(m_count, query + 1) : m_count, keys);
    }

private:
    std::int64_t m_count;
    bool m_keepsPast;
};

/// The past within the query's own chunk.
class Chunk final : public BoundFamily {
public:
    explicit Chunk(std::int64_t size)
        : BoundFamily(MaskReason::Other)
        , m_size(size)
    {
    }
    bool keeps(std::int64_t, std::int64_t, std::int64_t query, std::int64_t key) const override
    {
        return key <= query && key / m_size == query / m_size;
    }
    void fillRow(std::int64_t, std::int64_t, std::int64_t query, KeyRange keys,
                 RowRanges& row) const override
    {
        appendRange(row, query / m_size * m_size, query + 1, keys);
    }

private:
    std::int64_t m_size;
};

/// Every dilation-th key of the past, at most `steps` of them beside the query itself.
class Dilated final : public BoundFamily {
public:
    Dilated(std::int64_t steps, std::int64_t dilation)
        : BoundFamily(MaskReason::Other)
        , m_steps(steps)
        , m_dilation(dilation)
    {
    }
    bool keeps(std::int64_t, std::int64_t, std::int64_t query, std::int64_t key) const override
    {
        const std::int64_t back = query - key;
        return back >= 0 && back % m_dilation == 0 && back / m_dilation <= m_steps;
    }
    void fillRow(std::int64_t, std::int64_t, std::int64_t query, KeyRange keys,
                 RowRanges& row) const override
    {
        if (query < keys.begin) {
            return;
        }
        const std::int64_t most = std::min(m_steps, (query - keys.begin) / m_dilation);
        for (std::int64_t step = most; step >= 0; --step) {
            const std::int64_t key = query - step * m_dilation;
            if (key >= keys.end) {
                break;
            }
            appendRange(row, key, key + 1, keys);
        }
    }
    std::int64_t mostRanges(std::int64_t keys) const override
    {
        return std::min(m_steps, keys / m_dilation) + 1;
    }

private:
    std::int64_t m_steps;
    std::int64_t m_dilation;
};

/// The last `stride` keys, and every stride-th one before them.
class Strided final : public BoundFamily {
public:
    explicit Strided(std::int64_t stride)
        : BoundFamily(MaskReason::Other)
        , m_stride(stride)
    {
    }
    bool keeps(std::int64_t, std::int64_t, std::int64_t query, std::int64_t key) const override
    {
        const std::int64_t back = query - key;
        return back >= 0 && (back < m_stride || back % m_stride == 0);
    }
    void fillRow(std::int64_t, std::int64_t, std::int64_t query, KeyRange keys,
                 RowRanges& row) const override
    {
        if (query < keys.begin) {
            return;
        }
        const std::int64_t end = std::min<std::int64_t>(query - m_stride + 1, keys.end);
        std::int64_t key = keys.begin + (query - keys.begin) % m_stride;
        for (; key < end; key += m_stride) {
            appendRange(row, key, key + 1, keys);
        }
        appendRange(row, query - m_stride + 1, query + 1, keys);
    }
    std::int64_t mostRanges(std::int64_t keys) const override { return keys / m_stride + 2; }

private:
    std::int64_t m_stride;
};

/// The past within the query's own block, and the last `summary` keys of every earlier block.
class Fixed final : public BoundFamily {
public:
    Fixed(std::int64_t block, std::int64_t summary)
        : BoundFamily(MaskReason::Other)
        , m_block(block)
        , m_summary(summary)
    {
    }
    bool keeps(std::int64_t, std::int64_t, std::int64_t query, std::int64_t key) const override
    {
        return key <= query &&
               (key / m_block == query / m_block || key % m_block >= m_block - m_summary);
    }
    void fillRow(std::int64_t, std::int64_t, std::int64_t query, KeyRange keys,
                 RowRanges& row) const override
    {
        const std::int64_t own = query / m_block * m_block;
        if (m_summary > 0) {
            const std::int64_t past = std::min<std::int64_t>(own, keys.end);
            std::int64_t begin = keys.begin / m_block * m_block;
            for (; begin < past; begin += m_block) {
                appendRange(row, begin + m_block - m_summary, begin + m_block, keys);
            }
        }
        appendRange(row, own, query + 1, keys);
    }
    std::int64_t mostRanges(std::int64_t keys) const override { return keys / m_block + 2; }

private:
    std::int64_t m_block;
    std::int64_t m_summary;
};

Expected<Family> bindPadding(const MaskLeaf& leaf, const MaskContext& context)
{
    const auto& side = leaf.values[0];
    const auto& given = leaf.values[1];
    const bool isLeft = side ? side->text == "left" : context.padSide == PadSide::Left;
    const std::vector<std::int64_t>& lengths = given ? given->integers : context.keyLengths;
    if (given && static_cast<std::int64_t>(lengths.size()) != context.items) {
        return failAtColumn(Code::InvalidShape, given->column,
                            "'lengths' has " + std::to_string(lengths.size()) +
                                (lengths.size() == 1 ? " value" : " values") +
                                " but the batch has " + std::to_string(context.items) +
                                (context.items == 1 ? " item" : " items") +
                                ". Give one length each.");
    }
    std::vector<KeyRange> real;
    for (const std::int64_t length : lengths) {
        if (length > context.keys) {
            return failAtColumn(Code::InvalidShape, given ? given->column : leaf.column,
                                "A length is " + std::to_string(length) + " but there are only " +
                                    std::to_string(context.keys) + " keys.");
        }
        const std::int64_t begin = isLeft ? context.keys - length : 0;
        real.push_back(
            {static_cast<std::int32_t>(begin), static_cast<std::int32_t>(begin + length)});
    }
    if (real.empty()) { // no padding known: everything is real
        return std::make_shared<Band>(MaskReason::Padding, Band::unlimited, Band::unlimited);
    }
    return std::make_shared<Padding>(std::move(real));
}

Expected<Family> bindDocuments(const MaskLeaf& leaf, const MaskContext& context)
{
    // The list is at most a megabyte of text, its numbers below 2^31: the sum cannot overflow.
    std::vector<std::int64_t> ends(leaf.values[0]->integers.size());
    const auto& lengths = leaf.values[0]->integers;
    std::partial_sum(lengths.begin(), lengths.end(), ends.begin());
    const std::int64_t positions = std::max(context.queries, context.keys);
    if (ends.back() != positions) {
        return failAtColumn(
            Code::InvalidShape, leaf.values[0]->column,
            "The documents have " + std::to_string(ends.back()) +
                " tokens together but there are " + std::to_string(positions) + ". " +
                (ends.back() < positions
                     ? "Add a document of " + std::to_string(positions - ends.back()) +
                           " or make one longer."
                     : "Take " + std::to_string(ends.back() - positions) + " away."));
    }
    return std::make_shared<Documents>(std::move(ends));
}

} // namespace

Expected<Family> bindFamily(const MaskLeaf& leaf, const MaskContext& context)
{
    switch (leaf.family) {
    case MaskFamily::None:
        return std::make_shared<Band>(MaskReason::Other, Band::unlimited, Band::unlimited);
    case MaskFamily::Causal:
        return std::make_shared<Band>(MaskReason::Causal, Band::unlimited, leaf.integer(0));
    case MaskFamily::Padding:
        return bindPadding(leaf, context);
    case MaskFamily::Window:
        return leaf.values[0]
                   ? std::make_shared<Band>(MaskReason::Window, leaf.integer(0) - 1, 0)
                   : std::make_shared<Band>(MaskReason::Window, leaf.integer(1), leaf.integer(2));
    case MaskFamily::Symmetric:
        return std::make_shared<Band>(MaskReason::Window, leaf.integer(0), leaf.integer(0));
    case MaskFamily::Documents:
        return bindDocuments(leaf, context);
    case MaskFamily::Prefix:
        return std::make_shared<FirstKeys>(MaskReason::Prefix, leaf.integer(0), true);
    case MaskFamily::Sink:
        return std::make_shared<FirstKeys>(MaskReason::Other, leaf.integer(0), false);
    case MaskFamily::Chunk:
        return std::make_shared<Chunk>(leaf.integer(0));
    case MaskFamily::Dilated:
        return std::make_shared<Dilated>(leaf.integer(0), leaf.integer(1));
    case MaskFamily::Strided:
        return std::make_shared<Strided>(leaf.integer(0));
    case MaskFamily::Fixed:
        return std::make_shared<Fixed>(leaf.integer(0), leaf.integer(1));
    case MaskFamily::Longformer:
    case MaskFamily::BigBird:
        return bindSparse(leaf, context);
    case MaskFamily::Tree:
    case MaskFamily::Groups:
    case MaskFamily::Blocks:
    case MaskFamily::Swin:
        return bindList(leaf, context);
    case MaskFamily::Rule:
    case MaskFamily::File:
        break;
    }
    return fail(Code::Internal, "The family of a mask is not made from numbers.", "mask");
}

} // namespace heed::detail
