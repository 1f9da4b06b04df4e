// Fits longformer and bigbird: global tokens, and blocks of tokens.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/recognitionfit.h"

#include <algorithm>
#include <numeric>

namespace heed::detail {
namespace {

constexpr std::int64_t mostRandomBlocks = 32; ///< of a block of queries, on the average

std::size_t at(std::int64_t index)
{
    return static_cast<std::size_t>(index);
}

std::int64_t keptOf(std::span<const KeyRange> row)
{
    std::int64_t kept = 0;
    for (const KeyRange& range : row) {
        kept += range.end - range.begin;
    }
    return kept;
}

/// Tokens that see every key and that every query sees, but for @p slack cells.
std::vector<bool> globalTokens(const Fit& fit, std::int64_t slack)
{
    const MaskContext& context = fit.context();
    std::vector<bool> isGlobal(at(std::max(context.queries, context.keys)), true);
    forEachRow(fit, [&](const PlaneGroup& group, std::int64_t query, auto row) {
        const KeyRange keys = fit.evidence.keys[group.itemClass].any;
        if (keptOf(row) < keys.end - keys.begin - slack) {
            isGlobal[at(query)] = false;
        }
    });
    // How many rows lack each key, as differences, class by class.
    std::vector<std::int64_t> lacking(at(context.keys) + 1);
    const auto close = [&](std::size_t itemClass) {
        const KeyRange keys = fit.evidence.keys[itemClass].any;
        std::partial_sum(lacking.begin(), lacking.end(), lacking.begin());
        for (std::int64_t key = keys.begin; key < keys.end; ++key) {
            isGlobal[at(key)] = isGlobal[at(key)] && lacking[at(key)] <= slack;
        }
        std::fill(lacking.begin(), lacking.end(), 0);
    };
    std::size_t itemClass = 0;
    forEachRow(fit, [&](const PlaneGroup& group, std::int64_t, auto row) {
        if (group.itemClass != itemClass) {
            close(itemClass);
            itemClass = group.itemClass;
        }
        std::int32_t begin = 0;
        for (const KeyRange& range : row) {
            ++lacking[at(begin)];
            --lacking[at(range.begin)];
            begin = range.end;
        }
        ++lacking[at(begin)];
        --lacking[at(context.keys)];
    });
    close(itemClass);
    for (std::int64_t token = context.queries; token < context.keys; ++token) {
        const bool isKept = std::any_of(fit.evidence.keys.begin(), fit.evidence.keys.end(),
                                        [token](const KeptKeys& keys) {
                                            return keys.any.begin <= token && token < keys.any.end;
                                        });
        isGlobal[at(token)] = isGlobal[at(token)] && isKept;
    }
    return isGlobal;
}

std::vector<std::int64_t> listOf(const std::vector<bool>& isMember)
{
    std::vector<std::int64_t> list;
    for (std::size_t i = 0; i < isMember.size(); ++i) {
        if (isMember[i]) {
            list.push_back(static_cast<std::int64_t>(i));
        }
    }
    return list;
}

/// How far the other queries see keys that are not global.
Votes reaches(const Fit& fit, const std::vector<bool>& isGlobal)
{
    const std::int64_t keys = fit.context().keys;
    std::vector<std::int64_t> nextLocal(at(keys) + 1, keys);
    std::vector<std::int64_t> lastLocal(at(keys) + 1, -1); // below each key
    for (std::int64_t key = keys - 1; key >= 0; --key) {
        nextLocal[at(key)] = isGlobal[at(key)] ? nextLocal[at(key) + 1] : key;
    }
    for (std::int64_t key = 0; key < keys; ++key) {
        lastLocal[at(key) + 1] = isGlobal[at(key)] ? lastLocal[at(key)] : key;
    }
    Votes votes;
    forEachRow(fit, [&](const PlaneGroup&, std::int64_t query, auto row) {
        if (isGlobal[at(query)]) {
            return;
        }
        std::int64_t reach = 0;
        for (const KeyRange& range : row) {
            const std::int64_t first = nextLocal[at(range.begin)];
            const std::int64_t last = lastLocal[at(range.end)];
            if (first < range.end) {
                reach = std::max({reach, query - first, last - query});
            }
        }
        votes.add(reach);
    });
    return votes;
}

/// The largest size of blocks on which the subject is constant, whatever pads it; 0 when it is
/// constant altogether.
std::int64_t blockSize(const Fit& fit)
{
    std::int64_t size = 0;
    RowRanges before;
    forEachRow(fit, [&](const PlaneGroup& group, std::int64_t query, auto row) {
        if (size == 1) {
            return;
        }
        if (query > 0 && !std::equal(row.begin(), row.end(), before.begin(), before.end())) {
            size = std::gcd(size, query);
        }
        const KeyRange keys = fit.evidence.keys[group.itemClass].any;
        for (const KeyRange& range : row) {
            size = range.begin > keys.begin ? std::gcd(size, range.begin) : size;
            size = range.end < keys.end ? std::gcd(size, range.end) : size;
        }
        before.assign(row.begin(), row.end());
    });
    return size;
}

/// The group that shows the most keys.
const PlaneGroup& widestGroup(const Fit& fit)
{
    const auto width = [&](const PlaneGroup& group) {
        const KeyRange keys = fit.evidence.keys[group.itemClass].any;
        return keys.end - keys.begin;
    };
    return *std::max_element(
        fit.subject.groups.begin(), fit.subject.groups.end(),
        [&](const PlaneGroup& a, const PlaneGroup& b) { return width(a) < width(b); });
}

bool isRegular(const MaskValue& lists, const std::vector<bool>& isGlobal)
{
    std::optional<std::size_t> count;
    std::size_t begin = 0;
    for (std::size_t list = 0; list < lists.listEnds.size(); ++list) {
        const std::size_t length = lists.listEnds[list] - begin;
        begin = lists.listEnds[list];
        if (isGlobal[list]) {
            continue;
        }
        if (count && *count != length) {
            return false;
        }
        count = length;
    }
    return true;
}

} // namespace

void fitLongformer(const Fit& fit)
{
    for (const std::int64_t slack : {0, 1}) {
        const std::vector<bool> isGlobal = globalTokens(fit, slack);
        std::vector<std::int64_t> tokens = listOf(isGlobal);
        if (tokens.empty() || 2 * tokens.size() > isGlobal.size()) {
            continue;
        }
        const Votes votes = reaches(fit, isGlobal);
        for (const auto& reach : {votes.largest(1), votes.mode()}) {
            if (reach) {
                MaskNode node = leafOf(MaskFamily::Longformer, {2 * *reach});
                node.leaf.values[1].emplace().integers = tokens;
                fit.propose(std::move(node));
            }
        }
    }
}

void fitBigBird(const Fit& fit)
{
    const MaskContext& context = fit.context();
    const std::int64_t size = blockSize(fit);
    if (size == 0) {
        return;
    }
    const std::int64_t queryBlocks = (context.queries + size - 1) / size;
    const std::int64_t keyBlocks = (context.keys + size - 1) / size;
    const std::vector<bool> isGlobalToken = globalTokens(fit, 0);
    std::vector<bool> isGlobal(at(std::max(queryBlocks, keyBlocks)));
    for (std::size_t block = 0; block < isGlobal.size(); ++block) {
        isGlobal[block] = isGlobalToken[block * at(size)];
    }
    // Past it, it is no sparse mask.
    const std::int64_t most = queryBlocks * std::min(keyBlocks / 2, mostRandomBlocks);
    MaskValue random;
    PlaneRows rows = fit.subject.rows(widestGroup(fit));
    for (std::int64_t block = 0; block < queryBlocks; ++block) {
        const std::span<const KeyRange> row = rows.row(block * size);
        for (std::size_t r = 0; r < row.size() && !isGlobal[at(block)]; ++r) {
            const std::int64_t end = (row[r].end + size - 1) / size;
            for (std::int64_t key = row[r].begin / size; key < end; ++key) {
                if (std::abs(key - block) > 1 && !isGlobal[at(key)]) {
                    random.integers.push_back(key);
                }
                if (static_cast<std::int64_t>(random.integers.size()) > most) {
                    return;
                }
            }
        }
        random.listEnds.push_back(random.integers.size());
    }
    if (size == 1 && !isRegular(random, isGlobal)) {
        return;
    }
    MaskNode node = leafOf(MaskFamily::BigBird, {size});
    if (std::find(isGlobal.begin(), isGlobal.end(), true) != isGlobal.end()) {
        node.leaf.values[1].emplace().integers = listOf(isGlobal);
    }
    if (!random.integers.empty()) {
        node.leaf.values[2] = std::move(random);
    }
    fit.propose(std::move(node));
}

} // namespace heed::detail
