// Reserving bands, and waiting for those of others.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/bands.h"

#include <algorithm>

namespace heed {

Bands::Bands(std::int64_t rows)
    : m_rows(rows)
    , m_bands(static_cast<std::size_t>((rows + BandRows - 1) / BandRows), Band::Unknown)
{
}

bool Bands::claim(std::int64_t begin, std::int64_t end)
{
    const std::scoped_lock lock(m_mutex);
    const auto first = m_bands.begin() + static_cast<std::ptrdiff_t>(bandOf(begin));
    const auto last = m_bands.begin() + static_cast<std::ptrdiff_t>(bandOf(end - 1)) + 1;
    if (std::any_of(first, last, [](Band band) { return band != Band::Unknown; })) {
        return false;
    }
    std::fill(first, last, Band::Computing);
    return true;
}

void Bands::release(std::int64_t begin, std::int64_t end, bool isKnown)
{
    const std::scoped_lock lock(m_mutex);
    for (std::int64_t row = begin; row < end; row += BandRows) {
        m_bands[bandOf(row)] = isKnown ? Band::Known : Band::Unknown;
    }
    m_changed.notify_all();
}

Expected<void> Bands::require(std::int64_t begin, std::int64_t end, std::int64_t mostRows,
                              const std::stop_token& stop, const Compute& compute)
{
    const std::int64_t stride = std::max(mostRows / BandRows, std::int64_t{1}) * BandRows;
    std::int64_t row = begin / BandRows * BandRows;
    while (row < end) {
        std::int64_t last = row; // one past the reserved rows
        {
            std::unique_lock lock(m_mutex);
            // Waiting for somebody else's computation ends with our own stop token too.
            if (!m_changed.wait(lock, stop,
                                [&] { return m_bands[bandOf(row)] != Band::Computing; })) {
                return fail(Code::Cancelled, "Stopped.");
            }
            if (m_bands[bandOf(row)] == Band::Known) {
                row += BandRows;
                continue;
            }
            while (last < std::min(end, row + stride) && m_bands[bandOf(last)] == Band::Unknown) {
                m_bands[bandOf(last)] = Band::Computing;
                last += BandRows;
            }
            last = std::min(last, m_rows);
        }
        Reservation reserved(*this, row, last);
        if (auto done = compute(row, last); !done) {
            return tl::unexpected(std::move(done.error()));
        }
        reserved.setKnown();
        row = last;
    }
    return {};
}

std::int64_t Bands::knownEnd(std::int64_t begin) const
{
    const std::scoped_lock lock(m_mutex);
    std::size_t band = bandOf(begin);
    if (band >= m_bands.size() || m_bands[band] != Band::Known) {
        return begin;
    }
    while (band < m_bands.size() && m_bands[band] == Band::Known) {
        ++band;
    }
    return std::min(static_cast<std::int64_t>(band) * BandRows, m_rows);
}

} // namespace heed
