// Row statistics of one map, found a band of rows at a time.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/backend.h"

#include <condition_variable>
#include <functional>
#include <mutex>

namespace heed {

/// Row statistics that become known band by band. Whoever comes first computes a band, the others
/// wait for it. Thread-safe. Memory: 36 bytes a row, from the first band on.
class BandedStats {
public:
    /// Rows of a band.
    static constexpr std::int64_t BandRows = 128;
    /// Statistics of rows [begin, end).
    using Compute = std::function<Expected<RowStats>(std::int64_t begin, std::int64_t end)>;

    explicit BandedStats(std::int64_t rows);

    /// Makes rows [begin, end) known. @param compute is called for runs of whole bands of at most
    /// @p mostRows rows (one band at least), one after the other.
    /// @return the error of compute, or Code::Cancelled when the stop token fired meanwhile.
    [[nodiscard]] Expected<void> require(std::int64_t begin, std::int64_t end,
                                         std::int64_t mostRows, const std::stop_token& stop,
                                         const Compute& compute);
    /// Reserves rows [begin, end), whole bands, for the caller when nobody knows or computes any of
    /// them. What was reserved is delivered or given up.
    [[nodiscard]] bool claim(std::int64_t begin, std::int64_t end);
    void deliver(std::int64_t begin, const RowStats& band);
    void giveUp(std::int64_t begin, std::int64_t end);

    /// Rows that require() made known may be read, no others.
    [[nodiscard]] const RowStats& rows() const { return *m_stats; }
    /// All of it, once every row is known; null before.
    [[nodiscard]] std::shared_ptr<const RowStats> complete() const;

private:
    enum class Band : std::uint8_t { Unknown, Computing, Known };

    void allocate();
    void mark(std::int64_t begin, std::int64_t end, Band state);
    [[nodiscard]] std::size_t bandOf(std::int64_t row) const
    {
        return static_cast<std::size_t>(row / BandRows);
    }

    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed; ///< some band is no longer Computing
    std::int64_t m_count;
    std::shared_ptr<RowStats> m_stats; ///< null before the first claim
    std::vector<Band> m_bands;         ///< under m_mutex
    std::size_t m_known = 0;           ///< bands
};

} // namespace heed
