// One plane of a compiled mask: its storage, and the classes of its blocks.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mask/rowranges.h"

#include <cstdint>
#include <vector>

namespace heed::detail {

/// How a plane will be stored, counted before memory is taken for it.
class PlaneSize {
public:
    PlaneSize(std::int64_t queries, std::int64_t keys)
        : m_queries(queries)
        , m_keys(keys)
    {
    }
    void addRow(const RowRanges& row) { m_ranges += static_cast<std::int64_t>(row.size()); }
    [[nodiscard]] std::int64_t queries() const { return m_queries; }
    [[nodiscard]] std::int64_t keys() const { return m_keys; }
    [[nodiscard]] std::int64_t ranges() const { return m_ranges; }
    /// The ranges became many. Further rows do not change that.
    [[nodiscard]] bool isBits() const;
    /// Of the rows and their summaries.
    [[nodiscard]] std::int64_t bytes() const;

private:
    std::int64_t m_queries;
    std::int64_t m_keys;
    std::int64_t m_ranges = 0;
};

/// Owns what a MaskPlane looks at. Rows are added in order, then finish() builds the summaries.
class StoredPlane {
public:
    /// Takes the memory of all rows.
    explicit StoredPlane(const PlaneSize& size);

    /// The rows that @p size of the constructor has counted, in the same order.
    void addRow(const RowRanges& row);
    void finish();

    [[nodiscard]] MaskPlane view() const;
    [[nodiscard]] std::uint64_t hash() const;
    [[nodiscard]] bool operator==(const StoredPlane& other) const;

    [[nodiscard]] bool keeps(std::int64_t query, std::int64_t key) const;
    /// Adds what of @p keys a query keeps to @p row, which holds only lower keys.
    void fillRow(std::int64_t query, KeyRange keys, RowRanges& row) const;
    [[nodiscard]] std::int64_t keptInRow(std::int64_t query) const;
    /// Of a block that lies within the plane and is not empty. Ranges: O(log L) where the block's
    /// rows have at most two ranges, up to one search a row otherwise. Bits: one step for each
    /// 64 × 64 tile, and 64 for a mixed tile that the block's border cuts.
    [[nodiscard]] BlockClass classify(std::int64_t row, std::int64_t column, std::int64_t rows,
                                      std::int64_t columns) const;

private:
    friend PlaneSize;
    /// The smallest and largest borders of the first and the last range of some rows.
    struct Summary {
        KeyRange firstLow;  ///< smallest begin, smallest end of the first ranges
        KeyRange firstHigh; ///< largest begin, largest end
        KeyRange lastLow;
        KeyRange lastHigh;
        bool hasMore = false; ///< some row has a range between its first and its last
    };
    struct Seen;

    void addBits(std::int64_t query, std::span<const KeyRange> row);
    [[nodiscard]] std::span<const KeyRange> rangesOf(std::int64_t query) const;
    [[nodiscard]] Summary summaryOfRow(std::int64_t query) const;
    static void join(Summary& into, const Summary& other);
    void buildSummaries();
    void buildTiles();
    void look(Seen& seen, std::size_t level, std::int64_t node) const;
    void lookAtRow(Seen& seen, std::int64_t query) const;
    void lookAtBits(Seen& seen) const;
    void lookAtWords(Seen& seen, std::int64_t row, std::int64_t rowEnd, std::int64_t column,
                     std::int64_t columnEnd) const;

    std::int64_t m_queries = 0;
    std::int64_t m_keys = 0;
    std::int64_t m_rows = 0; ///< added so far
    bool m_isBits = false;
    std::vector<std::int64_t> m_rowStart;
    std::vector<KeyRange> m_ranges;
    std::vector<std::uint64_t> m_words;
    std::int64_t m_wordsPerRow = 0;
    std::vector<std::vector<Summary>> m_summaries; ///< level 0: groups of rows; then pairs
    std::vector<std::uint8_t> m_tiles;             ///< bit 0: something kept, bit 1: masked
    std::int64_t m_tilesPerRow = 0;
};

} // namespace heed::detail
