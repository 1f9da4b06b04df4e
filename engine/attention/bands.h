// Something about the rows of a map that becomes known a band of rows at a time.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <vector>

namespace heed {

/// Which bands are known, being computed, or nobody's yet. Whoever comes first computes a band, the
/// others wait for it. Thread-safe; what belongs to a band may be read once it is known, and
/// written by the one who reserved it. All operations are O(bands of the rows named).
class Bands {
public:
    /// Rows of a band.
    static constexpr std::int64_t BandRows = 128;
    /// Finds out about rows [begin, end).
    using Compute = std::function<Expected<void>(std::int64_t begin, std::int64_t end)>;

    explicit Bands(std::int64_t rows);

    /// Makes rows [begin, end) known. @param compute is called for runs of whole bands of at most
    /// @p mostRows rows (one band at least), one after the other.
    /// @return the error of compute, or Code::Cancelled when the stop token fired meanwhile.
    [[nodiscard]] Expected<void> require(std::int64_t begin, std::int64_t end,
                                         std::int64_t mostRows, const std::stop_token& stop,
                                         const Compute& compute);
    /// Rows that the caller computes; given back when it ends, unknown unless setKnown() was
    /// called.
    class Reservation {
    public:
        Reservation(Bands& bands, std::int64_t begin, std::int64_t end)
            : m_bands(bands)
            , m_begin(begin)
            , m_end(end)
        {
        }
        Reservation(const Reservation&) = delete;
        Reservation& operator=(const Reservation&) = delete;
        ~Reservation() { m_bands.release(m_begin, m_end, m_isKnown); }
        void setKnown() { m_isKnown = true; }

    private:
        Bands& m_bands;
        std::int64_t m_begin;
        std::int64_t m_end;
        bool m_isKnown = false;
    };
    /// Reserves rows [begin, end), whole bands, when nobody knows or computes any of them: the
    /// caller makes a Reservation of them at once. @return whether it did.
    [[nodiscard]] bool claim(std::int64_t begin, std::int64_t end);

    /// Past the known rows that follow @p begin; @p begin itself when its band is not known.
    [[nodiscard]] std::int64_t knownEnd(std::int64_t begin) const;
    [[nodiscard]] bool isComplete() const { return knownEnd(0) == m_rows; }

private:
    enum class Band : std::uint8_t { Unknown, Computing, Known };
    void release(std::int64_t begin, std::int64_t end, bool isKnown);
    [[nodiscard]] std::size_t bandOf(std::int64_t row) const
    {
        return static_cast<std::size_t>(row / BandRows);
    }

    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed; ///< some band is no longer Computing
    std::int64_t m_rows;
    std::vector<Band> m_bands; ///< under m_mutex
};

} // namespace heed
