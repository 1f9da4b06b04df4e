// Maxima over groups of lanes, and lanes that become rows.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "lanegroups.h"

#include <algorithm>

namespace heed::cpu {
namespace {

/// Set in the lanes whose number has bit @p step.
[[gnu::always_inline]] inline IntV lanesWith(int step)
{
    return (laneNumbers(0, 0) & step) != 0;
}

/// The larger of lanes l and l ^ step: of a where l has no bit @p step, of b where it has.
[[gnu::always_inline]] inline FloatV joined(FloatV a, FloatV b, int step)
{
    const IntV isB = lanesWith(step);
    return maxV(isB ? b : a, exchanged(isB ? a : b, step));
}

/// Swaps the lanes of a that have bit @p step with those of b that have not.
[[gnu::always_inline]] inline void swapLanes(FloatV& a, FloatV& b, int step)
{
    const IntV isB = lanesWith(step);
    const FloatV newA = isB ? exchanged(b, step) : a;
    b = isB ? b : exchanged(a, step);
    a = newA;
}

[[gnu::always_inline]] inline void joinRow(const float* values, int count, float* row)
{
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) {
        row[i] = values[i] > row[i] ? values[i] : row[i];
    }
}

/// Lanes texels at a time of groups of one lane: a transposition.
void joinLanes(const float* texels, float* rows, std::int64_t rowStride)
{
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
        FloatV v[Lanes];
#pragma GCC unroll 16
        for (int i = 0; i < Lanes; ++i) {
            v[i] = load(texels + i * PanelWidth + half * Lanes);
        }
#pragma GCC unroll 4
        for (int step = 1; step < Lanes; step *= 2) {
#pragma GCC unroll 16
            for (int i = 0; i < Lanes; ++i) {
                if ((i & step) == 0) {
                    swapLanes(v[i], v[i + step], step);
                }
            }
        }
#pragma GCC unroll 16
        for (int lane = 0; lane < Lanes; ++lane) {
            store(rows + (half * Lanes + lane) * rowStride, v[lane]); // nobody else has these
        }
    }
}

/// min(Group, Lanes) texels of equal groups, joined pair by pair: each step halves the vectors and
/// puts neighbouring texels into neighbouring lanes.
template <int Group>
void joinEqual(const float* texels, float* rows, std::int64_t rowStride)
{
    constexpr int Width = Group < Lanes ? Group : Lanes;
    constexpr bool isWhole = Group > Lanes;
#pragma GCC unroll 2
    for (int half = 0; half < (isWhole ? 1 : 2); ++half) {
        FloatV v[Width];
#pragma GCC unroll 16
        for (int i = 0; i < Width; ++i) {
            const float* lanes = texels + i * PanelWidth + half * Lanes;
            v[i] = isWhole ? maxV(load(lanes), load(lanes + Lanes)) : load(lanes);
        }
#pragma GCC unroll 4
        for (int step = 1; step < Width; step *= 2) {
#pragma GCC unroll 16
            for (int i = 0; i < Width; i += 2 * step) {
                v[i] = joined(v[i], v[i + step], step);
            }
        }
        alignas(64) float lanes[Lanes];
        store(lanes, v[0]);
        for (int group = 0; group < Lanes / Width; ++group) {
            joinRow(lanes + group * Width, Width, rows);
            rows += rowStride;
        }
    }
}

/// @return how many of @p count texels were joined.
template <int Group>
std::int64_t joinRegular(std::int64_t group, const float* texels, std::int64_t count, float* rows,
                         std::int64_t rowStride)
{
    if constexpr (Group > PanelWidth) {
        return 0;
    } else if (group != Group) {
        return joinRegular<2 * Group>(group, texels, count, rows, rowStride);
    } else {
        constexpr int step = Group == 1 || Group > Lanes ? Lanes : Group;
        std::int64_t texel = 0;
        for (; texel + step <= count; texel += step) {
            if constexpr (Group == 1) {
                joinLanes(texels + texel * PanelWidth, rows + texel, rowStride);
            } else {
                joinEqual<Group>(texels + texel * PanelWidth, rows + texel, rowStride);
            }
        }
        return texel;
    }
}

} // namespace

LaneGroups::LaneGroups(const Band::Panel& panel, std::int64_t into, std::int64_t cellsDown)
{
    for (std::int64_t lane = 0; lane < panel.rows; ++m_count) {
        const std::int64_t end = std::min(panel.rows, lane + cellsDown - into);
        m_groups[static_cast<std::size_t>(m_count)] = {lane, end};
        lane = end;
        into = 0;
    }
    m_isSingle = cellsDown == 1;
    const std::int64_t size = m_groups[0].end;
    const bool isEqual = std::all_of(
        begin(), end(), [size](const Group& group) { return group.end - group.begin == size; });
    if (isEqual && panel.rows == PanelWidth && (size & (size - 1)) == 0) {
        m_regular = size;
    }
}

void LaneGroups::spreadMax(float* lanes) const
{
    if (m_count == PanelWidth) {
        return; // each lane for itself
    }
    const FloatV left = load(lanes);
    const FloatV right = load(lanes + Lanes);
    if (m_regular > 1 && !any((left != left) | (right != right))) {
        FloatV halves[2] = {m_regular == PanelWidth ? maxV(left, right) : left, right};
        for (int step = 1; step < std::min<std::int64_t>(m_regular, Lanes); step *= 2) {
            for (FloatV& half : halves) {
                half = maxV(half, exchanged(half, step));
            }
        }
        store(lanes, halves[0]);
        store(lanes + Lanes, halves[1]);
        return;
    }
    for (const Group& group : *this) {
        float most = lanes[group.begin];
        for (std::int64_t lane = group.begin + 1; lane < group.end; ++lane) {
            most = lanes[lane] > most || lanes[lane] != lanes[lane] ? lanes[lane] : most;
        }
        lanes[group.begin] = most;
    }
}

void LaneGroups::join(float* texels, std::int64_t count, bool hasNaN, float* rows,
                      std::int64_t rowStride) const
{
    const std::int64_t joined =
        hasNaN ? 0 : joinRegular<1>(m_regular, texels, count, rows, rowStride);
    for (std::int64_t texel = joined; texel < count; ++texel) {
        float* lanes = texels + texel * PanelWidth;
        spreadMax(lanes);
        float* row = rows;
        for (const Group& group : *this) {
            const float most = lanes[group.begin];
            const bool isLarger = m_isSingle || most > row[texel] || most != most;
            row[texel] = isLarger ? most : row[texel];
            row += rowStride;
        }
    }
}

} // namespace heed::cpu
