// One plane of a compiled mask: its storage, and the classes of its blocks.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/maskplane.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace heed::detail {
namespace {

constexpr std::int64_t wordBits = 64;
constexpr std::int64_t rowsOfGroup = 8; // summaries then take about as much memory as the ranges
constexpr std::int64_t tileSide = 64;
constexpr std::uint8_t tileKeeps = 1;
constexpr std::uint8_t tileMasks = 2;

// 32 MiB of ranges: a mask that needs more is better off as bits.
constexpr std::int64_t manyRanges = std::int64_t{1} << 22;

/// Ranges stay as long as a row has four on the average, or takes a quarter of its bits.
std::int64_t rangesAllowed(std::int64_t queries, std::int64_t keys)
{
    return std::max(queries * 4, std::min(queries * (keys / 256), manyRanges));
}

std::int64_t wordsFor(std::int64_t keys)
{
    return (keys + wordBits - 1) / wordBits;
}

/// The bits [begin, end) of a word, 0 <= begin < end <= 64.
std::uint64_t bitsBetween(std::int64_t begin, std::int64_t end)
{
    return (~std::uint64_t{0} >> (wordBits - (end - begin))) << begin;
}

constexpr std::int32_t lowest = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t highest = std::numeric_limits<std::int32_t>::max();

std::size_t at(std::int64_t index)
{
    return static_cast<std::size_t>(index);
}

} // namespace

/// What a block was found to hold so far.
struct StoredPlane::Seen {
    std::int64_t row = 0;
    std::int64_t rowEnd = 0;
    std::int64_t column = 0;
    std::int64_t columnEnd = 0;
    bool kept = false;
    bool masked = false;

    bool isMixed() const { return kept && masked; }
};

bool PlaneSize::isBits() const
{
    return m_ranges > rangesAllowed(m_queries, m_keys);
}

std::int64_t PlaneSize::bytes() const
{
    // Every factor is below 2^25: the products fit.
    if (isBits()) {
        const std::int64_t words = wordsFor(m_keys);
        return m_queries * words * 8 + (m_queries + tileSide - 1) / tileSide * words;
    }
    const std::int64_t groups = (m_queries + rowsOfGroup - 1) / rowsOfGroup;
    return (m_queries + 1) * static_cast<std::int64_t>(sizeof(std::int64_t)) +
           m_ranges * static_cast<std::int64_t>(sizeof(KeyRange)) +
           2 * groups * static_cast<std::int64_t>(sizeof(StoredPlane::Summary)); // 1 + 1/2 + 1/4 …
}

StoredPlane::StoredPlane(const PlaneSize& size)
    : m_queries(size.queries())
    , m_keys(size.keys())
    , m_isBits(size.isBits())
    , m_wordsPerRow(wordsFor(size.keys()))
{
    if (m_isBits) {
        m_words.assign(at(m_queries * m_wordsPerRow), 0);
    } else {
        m_ranges.reserve(at(size.ranges()));
        m_rowStart.reserve(at(m_queries) + 1);
        m_rowStart.push_back(0);
    }
}

void StoredPlane::addRow(const RowRanges& row)
{
    if (m_isBits) {
        addBits(m_rows, row);
    } else {
        m_ranges.insert(m_ranges.end(), row.begin(), row.end());
        m_rowStart.push_back(static_cast<std::int64_t>(m_ranges.size()));
    }
    ++m_rows;
}

void StoredPlane::addBits(std::int64_t query, std::span<const KeyRange> row)
{
    std::uint64_t* words = m_words.data() + query * m_wordsPerRow;
    for (const KeyRange& range : row) {
        for (std::int64_t key = range.begin; key < range.end;) {
            const std::int64_t word = key / wordBits;
            const std::int64_t end = std::min<std::int64_t>(range.end, (word + 1) * wordBits);
            words[word] |= bitsBetween(key - word * wordBits, end - word * wordBits);
            key = end;
        }
    }
}

void StoredPlane::finish()
{
    if (m_isBits) {
        buildTiles();
    } else {
        buildSummaries();
    }
}

MaskPlane StoredPlane::view() const
{
    return {
        m_queries, m_keys, m_isBits, m_rowStart, m_ranges, m_words, m_isBits ? m_wordsPerRow : 0};
}

std::uint64_t StoredPlane::hash() const
{
    std::uint64_t hash = m_isBits ? 1 : 0;
    const auto mix = [&hash](std::uint64_t value) {
        hash = std::rotl((hash ^ value) * 0x9E3779B97F4A7C15U, 29); // 2^64 / golden ratio, odd
    };
    for (const std::uint64_t word : m_words) {
        mix(word);
    }
    for (const KeyRange& range : m_ranges) {
        mix((static_cast<std::uint64_t>(range.begin) << 32U) |
            static_cast<std::uint64_t>(range.end));
    }
    for (const std::int64_t start : m_rowStart) {
        mix(static_cast<std::uint64_t>(start));
    }
    return hash;
}

bool StoredPlane::operator==(const StoredPlane& other) const
{
    return m_isBits == other.m_isBits && m_rowStart == other.m_rowStart &&
           m_ranges == other.m_ranges && m_words == other.m_words;
}

std::span<const KeyRange> StoredPlane::rangesOf(std::int64_t query) const
{
    const std::int64_t begin = m_rowStart[at(query)];
    return {m_ranges.data() + begin, at(m_rowStart[at(query + 1)] - begin)};
}

bool StoredPlane::keeps(std::int64_t query, std::int64_t key) const
{
    if (m_isBits) {
        const std::uint64_t word = m_words[at(query * m_wordsPerRow + key / wordBits)];
        return ((word >> static_cast<unsigned>(key % wordBits)) & 1U) != 0;
    }
    const auto row = rangesOf(query);
    const auto range = std::partition_point(row.begin(), row.end(),
                                            [key](const KeyRange& r) { return r.end <= key; });
    return range != row.end() && range->begin <= key;
}

void StoredPlane::fillRow(std::int64_t query, KeyRange keys, RowRanges& row) const
{
    if (m_isBits) {
        appendBits(row, m_words.data() + query * m_wordsPerRow, keys);
        return;
    }
    const auto ranges = rangesOf(query);
    auto range = std::partition_point(ranges.begin(), ranges.end(),
                                      [&](const KeyRange& r) { return r.end <= keys.begin; });
    for (; range != ranges.end() && range->begin < keys.end; ++range) {
        appendRange(row, range->begin, range->end, keys);
    }
}

std::int64_t StoredPlane::keptInRow(std::int64_t query) const
{
    std::int64_t kept = 0;
    if (m_isBits) {
        for (std::int64_t word = 0; word < m_wordsPerRow; ++word) {
            kept += std::popcount(m_words[at(query * m_wordsPerRow + word)]);
        }
        return kept;
    }
    for (const KeyRange& range : rangesOf(query)) {
        kept += range.end - range.begin;
    }
    return kept;
}

StoredPlane::Summary StoredPlane::summaryOfRow(std::int64_t query) const
{
    const auto row = rangesOf(query);
    if (row.empty()) {
        // Lowest end and highest begin: never kept, and no hindrance to "all masked".
        return {{highest, lowest}, {highest, lowest}, {highest, lowest}, {highest, lowest}, false};
    }
    return {row.front(), row.front(), row.back(), row.back(), row.size() > 2};
}

void StoredPlane::join(Summary& into, const Summary& other)
{
    const auto lower = [](KeyRange& a, const KeyRange& b) {
        a = {std::min(a.begin, b.begin), std::min(a.end, b.end)};
    };
    const auto raise = [](KeyRange& a, const KeyRange& b) {
        a = {std::max(a.begin, b.begin), std::max(a.end, b.end)};
    };
    lower(into.firstLow, other.firstLow);
    raise(into.firstHigh, other.firstHigh);
    lower(into.lastLow, other.lastLow);
    raise(into.lastHigh, other.lastHigh);
    into.hasMore = into.hasMore || other.hasMore;
}

void StoredPlane::buildSummaries()
{
    std::vector<Summary> level;
    level.reserve(at((m_queries + rowsOfGroup - 1) / rowsOfGroup));
    for (std::int64_t query = 0; query < m_queries; ++query) {
        const Summary row = summaryOfRow(query);
        if (query % rowsOfGroup == 0) {
            level.push_back(row);
        } else {
            join(level.back(), row);
        }
    }
    m_summaries.push_back(std::move(level));
    while (m_summaries.back().size() > 1) {
        const std::vector<Summary>& below = m_summaries.back();
        std::vector<Summary> above;
        above.reserve((below.size() + 1) / 2);
        for (std::size_t i = 0; i < below.size(); ++i) {
            if (i % 2 == 0) {
                above.push_back(below[i]);
            } else {
                join(above.back(), below[i]);
            }
        }
        m_summaries.push_back(std::move(above));
    }
}

void StoredPlane::buildTiles()
{
    m_tilesPerRow = m_wordsPerRow; // a tile is one word wide
    m_tiles.assign(at((m_queries + tileSide - 1) / tileSide * m_tilesPerRow), 0);
    for (std::int64_t query = 0; query < m_queries; ++query) {
        for (std::int64_t word = 0; word < m_wordsPerRow; ++word) {
            const std::uint64_t all = bitsBetween(0, std::min(wordBits, m_keys - word * wordBits));
            const std::uint64_t bits = m_words[at(query * m_wordsPerRow + word)];
            std::uint8_t& tile = m_tiles[at(query / tileSide * m_tilesPerRow + word)];
            tile = static_cast<std::uint8_t>(tile | (bits != 0 ? tileKeeps : 0) |
                                             (bits != all ? tileMasks : 0));
        }
    }
}

BlockClass StoredPlane::classify(std::int64_t row, std::int64_t column, std::int64_t rows,
                                 std::int64_t columns) const
{
    Seen seen{row, row + rows, column, column + columns};
    if (m_isBits) {
        lookAtBits(seen);
    } else {
        look(seen, m_summaries.size() - 1, 0);
    }
    return seen.isMixed() ? BlockClass::Mixed
                          : (seen.kept ? BlockClass::AllKept : BlockClass::AllMasked);
}

/// Decides what a node of the summaries can decide alone, and asks its halves otherwise.
void StoredPlane::look(Seen& seen, std::size_t level, std::int64_t node) const
{
    const std::int64_t span = rowsOfGroup << level;
    const std::int64_t begin = node * span;
    if (seen.isMixed() || begin >= seen.rowEnd || begin + span <= seen.row ||
        node >= static_cast<std::int64_t>(m_summaries[level].size())) {
        return;
    }
    const Summary& s = m_summaries[level][at(node)];
    const bool firstCovers = s.firstHigh.begin <= seen.column && s.firstLow.end >= seen.columnEnd;
    const bool lastCovers = s.lastHigh.begin <= seen.column && s.lastLow.end >= seen.columnEnd;
    if (firstCovers || lastCovers) {
        seen.kept = true;
        return;
    }
    const bool isBeside = s.firstLow.begin >= seen.columnEnd || s.lastHigh.end <= seen.column;
    const bool isBetween =
        !s.hasMore && s.firstHigh.end <= seen.column && s.lastLow.begin >= seen.columnEnd;
    if (isBeside || isBetween) {
        seen.masked = true;
        return;
    }
    if (level > 0) {
        look(seen, level - 1, node * 2);
        look(seen, level - 1, node * 2 + 1);
        return;
    }
    const std::int64_t end = std::min(begin + span, seen.rowEnd);
    for (std::int64_t query = std::max(begin, seen.row); query < end && !seen.isMixed(); ++query) {
        lookAtRow(seen, query);
    }
}

void StoredPlane::lookAtRow(Seen& seen, std::int64_t query) const
{
    const auto row = rangesOf(query);
    const auto range = std::partition_point(
        row.begin(), row.end(), [&](const KeyRange& r) { return r.end <= seen.column; });
    if (range == row.end() || range->begin >= seen.columnEnd) {
        seen.masked = true;
        return;
    }
    seen.kept = true;
    seen.masked = seen.masked || range->begin > seen.column || range->end < seen.columnEnd;
}

void StoredPlane::lookAtBits(Seen& seen) const
{
    for (std::int64_t r = seen.row / tileSide; r * tileSide < seen.rowEnd; ++r) {
        const std::int64_t rowBegin = r * tileSide;
        const std::int64_t rowEnd = std::min(rowBegin + tileSide, m_queries);
        for (std::int64_t c = seen.column / tileSide; c * tileSide < seen.columnEnd; ++c) {
            const std::int64_t columnBegin = c * tileSide;
            const std::int64_t columnEnd = std::min(columnBegin + tileSide, m_keys);
            const std::uint8_t tile = m_tiles[at(r * m_tilesPerRow + c)];
            const bool isInside = rowBegin >= seen.row && rowEnd <= seen.rowEnd &&
                                  columnBegin >= seen.column && columnEnd <= seen.columnEnd;
            if (isInside || tile == tileKeeps || tile == tileMasks) {
                seen.kept = seen.kept || (tile & tileKeeps) != 0;
                seen.masked = seen.masked || (tile & tileMasks) != 0;
            } else {
                lookAtWords(seen, std::max(rowBegin, seen.row), std::min(rowEnd, seen.rowEnd),
                            std::max(columnBegin, seen.column),
                            std::min(columnEnd, seen.columnEnd));
            }
            if (seen.isMixed()) {
                return;
            }
        }
    }
}

/// Columns lie within one word.
void StoredPlane::lookAtWords(Seen& seen, std::int64_t row, std::int64_t rowEnd,
                              std::int64_t column, std::int64_t columnEnd) const
{
    const std::int64_t word = column / wordBits;
    const std::uint64_t wanted = bitsBetween(column - word * wordBits, columnEnd - word * wordBits);
    for (std::int64_t query = row; query < rowEnd && !seen.isMixed(); ++query) {
        const std::uint64_t bits = m_words[at(query * m_wordsPerRow + word)] & wanted;
        seen.kept = seen.kept || bits != 0;
        seen.masked = seen.masked || bits != wanted;
    }
}

} // namespace heed::detail
