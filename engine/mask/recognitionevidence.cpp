// What the rows of a mask say about the numbers of the families that may have made it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/recognitionevidence.h"

#include <algorithm>
#include <numeric>

namespace heed::detail {
namespace {

constexpr std::int64_t rowsBetweenPolls = 1024;

std::size_t at(std::int64_t index)
{
    return static_cast<std::size_t>(index);
}

tl::unexpected<Error> stopped()
{
    return fail(Code::Cancelled, "Stopped.");
}

bool isStopped(std::int64_t query, const Execution& execution)
{
    return query % rowsBetweenPolls == 0 && execution.cancelled();
}

KeyRange hullOf(const std::vector<std::int64_t>& keptByRows, std::int64_t atLeast)
{
    KeyRange hull;
    for (std::size_t key = 0; key < keptByRows.size(); ++key) {
        if (keptByRows[key] >= atLeast) {
            hull.begin = hull.end == 0 ? static_cast<std::int32_t>(key) : hull.begin;
            hull.end = static_cast<std::int32_t>(key) + 1;
        }
    }
    return hull;
}

Expected<void> gatherKeys(const Subject& subject, Evidence& evidence, const Execution& execution)
{
    std::vector<std::int64_t> keptByRows;
    for (std::size_t g = 0; g < subject.groups.size();) {
        const std::size_t itemClass = subject.groups[g].itemClass;
        keptByRows.assign(at(subject.context.keys) + 1, 0);
        for (; g < subject.groups.size() && subject.groups[g].itemClass == itemClass; ++g) {
            PlaneRows rows = subject.rows(subject.groups[g]);
            for (std::int64_t query = 0; query < subject.context.queries; ++query) {
                if (isStopped(query, execution)) {
                    return stopped();
                }
                std::int64_t kept = 0;
                for (const KeyRange& range : rows.row(query)) {
                    ++keptByRows[at(range.begin)];
                    --keptByRows[at(range.end)];
                    kept += range.end - range.begin;
                }
                evidence.keepsAll = evidence.keepsAll && kept == subject.context.keys;
                evidence.keepsNone = evidence.keepsNone && kept == 0;
            }
        }
        std::partial_sum(keptByRows.begin(), keptByRows.end(), keptByRows.begin());
        keptByRows.pop_back();
        const KeyRange any = hullOf(keptByRows, 1);
        const KeyRange often = hullOf(keptByRows, 2);
        evidence.keys.push_back({any, often.begin < often.end ? often : any});
    }
    return {};
}

void addRow(std::int64_t query, std::span<const KeyRange> row, KeyRange keys, Evidence& evidence)
{
    const std::int64_t first = row.front().begin;
    const std::int64_t last = row.back().end - 1;
    evidence.mostLeft = std::max(evidence.mostLeft, query - first);
    evidence.mostRight = std::max(evidence.mostRight, last - query);
    if (first > keys.begin) {
        evidence.left.add(query - first);
        evidence.starts.add(first);
        evidence.firstRowOf.try_emplace(first, query);
    }
    if (last + 1 < keys.end) {
        evidence.right.add(last - query);
    }
    if (last > query) {
        evidence.prefixEnd.add(last + 1);
    }
    const std::int64_t firstEnd = row.front().end;
    if (row.size() > 1 ||
        (row.front().begin == keys.begin && firstEnd < keys.end && firstEnd <= query)) {
        evidence.sinkEnd.add(firstEnd);
    }
    if (row.size() > 1) {
        evidence.firstLength.add(row.front().end - row.front().begin);
        evidence.ownLength.add(query + 1 - row.back().begin);
        for (std::size_t r = 1; r < row.size(); ++r) {
            evidence.spacing.add(row[r].begin - row[r - 1].begin);
        }
    }
}

/// Runs of rows that keep one key.
class ColumnRuns {
public:
    void addRow(std::int64_t query, bool keeps, Votes& spacing, Votes& firstRun)
    {
        if (keeps && !m_isKept) {
            if (m_begin) {
                spacing.add(query - *m_begin);
            }
            m_isFirst = !m_begin;
            m_begin = query;
        } else if (!keeps && m_isKept && m_isFirst) {
            firstRun.add(query - *m_begin);
        }
        m_isKept = keeps;
    }

private:
    bool m_isKept = false;
    bool m_isFirst = false;
    std::optional<std::int64_t> m_begin;
};

/// The borders that the rows ask for, and those that would cut what a row keeps.
class DocumentBorders {
public:
    explicit DocumentBorders(std::int64_t positions)
        : m_votes(at(positions) + 1)
        , m_cuts(at(positions) + 1)
    {
    }

    /// @param allowed what the row would keep without documents.
    void addRow(std::int64_t query, std::span<const KeyRange> row, KeyRange allowed,
                bool isTolerant);
    [[nodiscard]] std::vector<std::int64_t> lengths(bool isTolerant);

private:
    [[nodiscard]] std::vector<bool> chosen(bool isTolerant);

    std::vector<std::int64_t> m_votes;
    std::vector<std::int64_t> m_cuts; ///< differences until they are summed
    /// A border must lie in each of these, ends included: of rows that keep nothing.
    std::vector<std::pair<std::int64_t, std::int64_t>> m_somewhere;
};

void DocumentBorders::addRow(std::int64_t query, std::span<const KeyRange> row, KeyRange allowed,
                             bool isTolerant)
{
    KeyRange kept = row.empty() ? KeyRange{} : KeyRange{row.front().begin, row.back().end};
    if (isTolerant && !row.empty()) { // a wrong cell far from the diagonal stands alone
        const auto own = std::find_if(row.begin(), row.end(), [query](const KeyRange& range) {
            return range.begin <= query && query < range.end;
        });
        kept = own == row.end() ? kept : *own;
        kept = {std::max(kept.begin, allowed.begin), std::min(kept.end, allowed.end)};
    }
    if (kept.begin >= kept.end) {
        if (allowed.begin < allowed.end && allowed.end <= query) {
            m_somewhere.emplace_back(allowed.end, query);
        } else if (allowed.begin < allowed.end && allowed.begin > query) {
            m_somewhere.emplace_back(query + 1, allowed.begin);
        }
        return;
    }
    if (kept.begin < query) {
        ++m_cuts[at(kept.begin) + 1];
        --m_cuts[at(query) + 1];
    }
    if (kept.end - 1 > query) {
        ++m_cuts[at(query) + 1];
        --m_cuts[at(kept.end)];
    }
    if (allowed.begin < kept.begin && kept.begin <= query) {
        ++m_votes[at(kept.begin)];
    }
    if (kept.end < allowed.end && kept.end > query) {
        ++m_votes[at(kept.end)];
    }
}

std::vector<bool> DocumentBorders::chosen(bool isTolerant)
{
    std::partial_sum(m_cuts.begin(), m_cuts.end(), m_cuts.begin());
    const auto positions = static_cast<std::int64_t>(m_cuts.size()) - 1;
    std::vector<bool> isBorder(at(positions) + 1);
    // The last position up to each one that is a border, or may be one: cutting no row, or one.
    std::vector<std::int64_t> lastBorder(at(positions) + 1, -1);
    std::vector<std::int64_t> lastFree = lastBorder;
    std::vector<std::int64_t> lastDoubtful = lastBorder;
    for (std::int64_t p = 1; p < positions; ++p) {
        const std::int64_t votes = m_votes[at(p)];
        const std::int64_t cuts = m_cuts[at(p)];
        isBorder[at(p)] = votes > 0 && (isTolerant ? votes >= cuts : cuts == 0);
        lastBorder[at(p)] = isBorder[at(p)] ? p : lastBorder[at(p) - 1];
        lastFree[at(p)] = cuts == 0 ? p : lastFree[at(p) - 1];
        lastDoubtful[at(p)] = isTolerant && cuts == 1 ? p : lastDoubtful[at(p) - 1];
    }
    std::sort(m_somewhere.begin(), m_somewhere.end(),
              [](const auto& a, const auto& b) { return a.second < b.second; });
    std::int64_t added = -1;
    for (const auto& [low, high] : m_somewhere) {
        const std::int64_t end = std::min(high, positions - 1);
        if (end < low || std::max(added, lastBorder[at(end)]) >= low) {
            continue;
        }
        const std::int64_t border =
            lastFree[at(end)] >= low ? lastFree[at(end)] : lastDoubtful[at(end)];
        if (border >= low) {
            added = border;
            isBorder[at(border)] = true;
        }
    }
    return isBorder;
}

std::vector<std::int64_t> DocumentBorders::lengths(bool isTolerant)
{
    const std::vector<bool> isBorder = chosen(isTolerant);
    std::vector<std::int64_t> list;
    std::int64_t begin = 0;
    const auto positions = static_cast<std::int64_t>(isBorder.size()) - 1;
    for (std::int64_t p = 1; p <= positions; ++p) {
        if (p == positions || isBorder[at(p)]) {
            list.push_back(p - begin);
            begin = p;
        }
    }
    return list;
}

} // namespace

void Votes::add(std::int64_t value)
{
    ++m_counts[value];
}

std::optional<std::int64_t> Votes::mode() const
{
    std::optional<std::int64_t> best;
    std::int64_t most = 0;
    for (const auto& [value, votes] : m_counts) {
        if (votes > most || (votes == most && value < *best)) {
            best = value;
            most = votes;
        }
    }
    return best;
}

std::optional<std::int64_t> Votes::largest(std::int64_t atLeast) const
{
    std::optional<std::int64_t> best;
    for (const auto& [value, votes] : m_counts) {
        if (votes >= atLeast && (!best || value > *best)) {
            best = value;
        }
    }
    return best;
}

std::optional<std::int64_t> Votes::divisor(std::int64_t atLeast) const
{
    std::int64_t divisor = 0;
    for (const auto& [value, votes] : m_counts) {
        divisor = votes >= atLeast ? std::gcd(divisor, value) : divisor;
    }
    return divisor == 0 ? std::nullopt : std::optional(divisor);
}

Expected<Evidence> gatherEvidence(const Subject& subject, const Execution& execution)
{
    Evidence evidence;
    if (auto done = gatherKeys(subject, evidence, execution); !done) {
        return tl::unexpected<Error>(std::move(done).error());
    }
    // Below every distance there is, until a row speaks.
    evidence.mostLeft = -subject.context.keys;
    evidence.mostRight = -subject.context.queries;
    for (const PlaneGroup& group : subject.groups) {
        PlaneRows rows = subject.rows(group);
        const KeyRange keys = evidence.keys[group.itemClass].any;
        ColumnRuns firstKey;
        ColumnRuns lastKey;
        Votes unused;
        for (std::int64_t query = 0; query < subject.context.queries; ++query) {
            if (isStopped(query, execution)) {
                return stopped();
            }
            const std::span<const KeyRange> row = rows.row(query);
            firstKey.addRow(query, !row.empty() && row.front().begin == keys.begin,
                            evidence.runSpacing, evidence.firstRun);
            lastKey.addRow(query, !row.empty() && row.back().end == keys.end, unused,
                           evidence.lastKeyRun);
            if (!row.empty()) {
                addRow(query, row, keys, evidence);
            }
        }
    }
    return evidence;
}

Expected<std::vector<std::int64_t>> documentsWithin(const Subject& subject,
                                                    const std::vector<KeyRange>& keys,
                                                    const Band& band, bool isTolerant,
                                                    const Execution& execution)
{
    const MaskContext& context = subject.context;
    DocumentBorders borders(std::max(context.queries, context.keys));
    for (const PlaneGroup& group : subject.groups) {
        PlaneRows rows = subject.rows(group);
        const KeyRange& own = keys[group.itemClass];
        for (std::int64_t query = 0; query < context.queries; ++query) {
            if (isStopped(query, execution)) {
                return stopped();
            }
            const std::int64_t begin =
                band.left ? std::max<std::int64_t>(own.begin, query - *band.left) : own.begin;
            const std::int64_t end =
                band.right ? std::min<std::int64_t>(own.end, query + *band.right + 1) : own.end;
            const KeyRange allowed = {static_cast<std::int32_t>(std::min(begin, context.keys)),
                                      static_cast<std::int32_t>(std::max<std::int64_t>(end, 0))};
            borders.addRow(query, rows.row(query), allowed, isTolerant);
        }
    }
    return borders.lengths(isTolerant);
}

} // namespace heed::detail
