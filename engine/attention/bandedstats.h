// Row statistics of one map, found a band of rows at a time.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "attention/bands.h"
#include "heed/backend.h"

#include <memory>

namespace heed {

/// Statistics of the rows that bands() knows. Memory: 36 bytes a row. Throws std::bad_alloc.
class BandedStats {
public:
    explicit BandedStats(std::int64_t rows);

    [[nodiscard]] Bands& bands() { return m_bands; }
    /// Keeps the statistics of rows that the caller has reserved.
    void put(std::int64_t begin, const RowStats& rows);
    /// Known rows may be read, no others.
    [[nodiscard]] const RowStats& rows() const { return *m_stats; }
    /// All of it, once every row is known; null before.
    [[nodiscard]] std::shared_ptr<const RowStats> complete() const;

private:
    Bands m_bands;
    std::shared_ptr<RowStats> m_stats = std::make_shared<RowStats>();
};

} // namespace heed
