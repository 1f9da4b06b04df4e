// Bands of statistics put where they belong.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/bandedstats.h"

#include <algorithm>

namespace heed {

BandedStats::BandedStats(std::int64_t rows)
    : m_bands(rows)
{
    const auto count = static_cast<std::size_t>(rows);
    for (auto* values :
         {&m_stats->max, &m_stats->sum, &m_stats->lse, &m_stats->entropy, &m_stats->distance}) {
        values->resize(count);
    }
    m_stats->argmax.resize(count);
    m_stats->kept.resize(count);
}

void BandedStats::put(std::int64_t begin, const RowStats& rows)
{
    const auto copy = [begin](const auto& from, auto& to) {
        std::copy(from.begin(), from.end(), to.begin() + begin);
    };
    copy(rows.max, m_stats->max);
    copy(rows.sum, m_stats->sum);
    copy(rows.lse, m_stats->lse);
    copy(rows.entropy, m_stats->entropy);
    copy(rows.distance, m_stats->distance);
    copy(rows.argmax, m_stats->argmax);
    copy(rows.kept, m_stats->kept);
}

std::shared_ptr<const RowStats> BandedStats::complete() const
{
    return m_bands.isComplete() ? m_stats : nullptr;
}

} // namespace heed
