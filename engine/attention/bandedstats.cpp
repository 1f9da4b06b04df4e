// Which bands are known, being computed, or nobody's yet.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/bandedstats.h"

#include <algorithm>
#include <new>

namespace heed {

BandedStats::BandedStats(std::int64_t rows)
    : m_count(rows)
    , m_bands(static_cast<std::size_t>((rows + BandRows - 1) / BandRows), Band::Unknown)
{
}

void BandedStats::allocate()
{
    if (m_stats != nullptr) {
        return;
    }
    auto stats = std::make_shared<RowStats>();
    const auto rows = static_cast<std::size_t>(m_count);
    for (auto* values :
         {&stats->max, &stats->sum, &stats->lse, &stats->entropy, &stats->distance}) {
        values->resize(rows);
    }
    stats->argmax.resize(rows);
    stats->kept.resize(rows);
    m_stats = std::move(stats);
}

void BandedStats::mark(std::int64_t begin, std::int64_t end, Band state)
{
    const std::scoped_lock lock(m_mutex);
    for (std::int64_t row = begin; row < end; row += BandRows) {
        Band& band = m_bands[bandOf(row)];
        m_known += state == Band::Known && band != Band::Known ? 1 : 0;
        band = state;
    }
    m_changed.notify_all();
}

bool BandedStats::claim(std::int64_t begin, std::int64_t end)
{
    const std::scoped_lock lock(m_mutex);
    const auto first = m_bands.begin() + static_cast<std::ptrdiff_t>(bandOf(begin));
    const auto last = m_bands.begin() + static_cast<std::ptrdiff_t>(bandOf(end - 1)) + 1;
    if (std::any_of(first, last, [](Band band) { return band != Band::Unknown; })) {
        return false;
    }
    allocate();
    std::fill(first, last, Band::Computing);
    return true;
}

void BandedStats::deliver(std::int64_t begin, const RowStats& band)
{
    // Nobody else touches these rows while they are Computing.
    const auto put = [begin](const auto& from, auto& to) {
        std::copy(from.begin(), from.end(), to.begin() + begin);
    };
    put(band.max, m_stats->max);
    put(band.sum, m_stats->sum);
    put(band.lse, m_stats->lse);
    put(band.entropy, m_stats->entropy);
    put(band.distance, m_stats->distance);
    put(band.argmax, m_stats->argmax);
    put(band.kept, m_stats->kept);
    mark(begin, begin + static_cast<std::int64_t>(band.max.size()), Band::Known);
}

void BandedStats::giveUp(std::int64_t begin, std::int64_t end)
{
    mark(begin, end, Band::Unknown);
}

Expected<void> BandedStats::require(std::int64_t begin, std::int64_t end, std::int64_t mostRows,
                                    const std::stop_token& stop, const Compute& compute)
{
    const std::int64_t stride = std::max(mostRows / BandRows, std::int64_t{1}) * BandRows;
    std::int64_t row = begin / BandRows * BandRows;
    while (row < end) {
        std::int64_t last = row; // one past the claimed rows
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
            allocate();
            while (last < std::min(end, row + stride) && m_bands[bandOf(last)] == Band::Unknown) {
                m_bands[bandOf(last)] = Band::Computing;
                last += BandRows;
            }
            last = std::min(last, m_count);
        }
        const auto band = compute(row, last);
        if (!band) {
            giveUp(row, last);
            return tl::unexpected(band.error());
        }
        deliver(row, *band);
        row = last;
    }
    return {};
}

std::shared_ptr<const RowStats> BandedStats::complete() const
{
    const std::scoped_lock lock(m_mutex);
    return m_known == m_bands.size() ? m_stats : nullptr;
}

} // namespace heed
