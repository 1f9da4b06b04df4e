// One picture of a whole map, from which every coarser one is made.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "attention/bands.h"
#include "heed/backend.h"

#include <shared_mutex>

namespace heed {

/// Whether the texels are those of the largest weights, as a survey finds them.
[[nodiscard]] bool showsLargestWeights(const TileSpec& spec);

/// The largest weight of each texel, found band by band; whoever wants tiles or thumbnails of the
/// map meanwhile shares the one pass. Thread-safe. Memory: 8 bytes a texel. Throws std::bad_alloc.
class MapPicture {
public:
    /// A picture of so many rows, all keys wide.
    using Compute = std::function<Expected<TileTexels>(std::int64_t begin, std::int64_t end)>;

    /// @param cells of a texel side, a power of two, at most Bands::BandRows.
    MapPicture(std::int64_t queries, std::int64_t keys, std::int64_t cells);

    /// Whether the texels of @p spec are made of whole texels of such a picture.
    [[nodiscard]] static bool serves(const TileSpec& spec, std::int64_t queries, std::int64_t keys,
                                     std::int64_t cells);

    /// Makes rows [begin, end) exact, as Bands::require does.
    [[nodiscard]] Expected<void> require(std::int64_t begin, std::int64_t end,
                                         std::int64_t mostRows, const std::stop_token& stop,
                                         const Compute& compute);
    /// Puts something to look at where rows are not exact. The first caller computes it, others
    /// wait. @param compute a picture of which each row stands for @p rowStep rows of the map.
    [[nodiscard]] Expected<void> sketch(std::int64_t rowStep, const std::stop_token& stop,
                                        const std::function<Expected<TileTexels>()>& compute);
    /// Rows of the map that one row of the sketch stands for; 0 without one.
    [[nodiscard]] std::int64_t sketchStep() const;

    /// How many of the first texel rows of @p spec are exact; they stay so. @pre serves().
    /// @complexity O(rows of texels).
    [[nodiscard]] std::int64_t exactRows(const TileSpec& spec) const;
    /// @pre serves(). @complexity O(texels of the picture under @p spec).
    [[nodiscard]] TileTexels pooled(const TileSpec& spec) const;

private:
    struct Texel {
        float value;
        float maskedShare;
    };
    [[nodiscard]] Texel pool(std::int64_t top, std::int64_t bottom, std::int64_t left,
                             std::int64_t right) const;
    void putRow(std::int64_t row, const TileTexels& from, std::int64_t fromRow);

    std::int64_t m_queries;
    std::int64_t m_keys;
    std::int64_t m_cells;
    std::int64_t m_rows;    ///< of texels
    std::int64_t m_columns; ///< of texels
    Bands m_exact;
    Bands m_sketched;                  ///< one band for all
    mutable std::shared_mutex m_mutex; ///< of what follows
    std::int64_t m_sketchStep = 0;
    std::vector<char> m_isExact; ///< of each row of texels
    std::vector<float> m_values;
    std::vector<float> m_maskedShare;
};

} // namespace heed
