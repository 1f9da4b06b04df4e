// The masked keys of one row as runs with their reasons, and their algebra.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/reasonruns.h"

#include <limits>

namespace heed::detail {
namespace {

void appendRun(ReasonRuns& runs, std::int32_t begin, std::int32_t end, MaskReasons reasons)
{
    if (begin >= end) {
        return;
    }
    if (!runs.empty() && runs.back().end == begin && runs.back().reasons == reasons) {
        runs.back().end = end;
    } else {
        runs.push_back({begin, end, reasons});
    }
}

/// Of ranges or runs.
template <typename Intervals>
void maskGaps(const Intervals& intervals, KeyRange keys, MaskReason reason, ReasonRuns& out)
{
    out.clear();
    const auto reasons = static_cast<MaskReasons>(reason);
    std::int32_t begin = keys.begin;
    for (const auto& interval : intervals) {
        appendRun(out, begin, interval.begin, reasons);
        begin = interval.end;
    }
    appendRun(out, begin, keys.end, reasons);
}

/// Goes along the runs of one side.
class Walk {
public:
    explicit Walk(const ReasonRuns& runs)
        : m_runs(runs)
    {
    }
    bool isPastAll() const { return m_at == m_runs.size(); }
    /// Those of key @p from, which no run before this one holds.
    MaskReasons reasons(std::int32_t from) const
    {
        return !isPastAll() && m_runs[m_at].begin <= from ? m_runs[m_at].reasons : MaskReasons{0};
    }
    /// Up to where the keys from @p from on have the same reasons.
    std::int32_t border(std::int32_t from) const
    {
        if (isPastAll()) {
            return std::numeric_limits<std::int32_t>::max();
        }
        return m_runs[m_at].begin <= from ? m_runs[m_at].end : m_runs[m_at].begin;
    }
    void goTo(std::int32_t key) { m_at += !isPastAll() && m_runs[m_at].end <= key ? 1 : 0; }

private:
    const ReasonRuns& m_runs;
    std::size_t m_at = 0;
};

} // namespace

void maskOthers(const RowRanges& kept, KeyRange keys, MaskReason reason, ReasonRuns& out)
{
    maskGaps(kept, keys, reason, out);
}

void negate(const ReasonRuns& runs, KeyRange keys, ReasonRuns& out)
{
    maskGaps(runs, keys, MaskReason::Other, out);
}

void join(const ReasonRuns& a, const ReasonRuns& b, Joining joining, ReasonRuns& out)
{
    out.clear();
    Walk left(a);
    Walk right(b);
    for (std::int32_t begin = 0; !left.isPastAll() || !right.isPastAll();) {
        const std::int32_t end = std::min(left.border(begin), right.border(begin));
        const MaskReasons one = left.reasons(begin);
        const MaskReasons other = right.reasons(begin);
        if (joining == Joining::And ? (one | other) != 0 : one != 0 && other != 0) {
            appendRun(out, begin, end, static_cast<MaskReasons>(one | other));
        }
        left.goTo(end);
        right.goTo(end);
        begin = end;
    }
}

} // namespace heed::detail
