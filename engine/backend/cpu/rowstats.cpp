// Everything about the softmax of every row, in one pass over the scores.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scores.h"

#include <cmath>

namespace heed::cpu {
namespace {

/// What a row has seen so far. Sums are around the running maximum: Σ e, Σ e·(max − s), Σ e·|i − j|
/// with e = exp(s − max).
struct RowState {
    float max = -Infinity;
    double sum = 0;
    double drop = 0;
    double distance = 0;
    std::int64_t argmax = -1;
    std::int64_t kept = 0;
    bool broken = false; ///< NaN or +inf among the kept scores

    void raiseMax(float newMax, std::int64_t at)
    {
        if (sum > 0) {
            const double rise = double{newMax} - double{max};
            const double factor = std::exp(-rise);
            drop = (drop + rise * sum) * factor;
            sum *= factor;
            distance *= factor;
        }
        max = newMax;
        argmax = at;
    }
};

/// Multiplies @p count scores by @p scale in place. @return their maximum; @p broken tells whether
/// one is NaN or +inf.
float scaleAndMax(float* s, std::int64_t count, float scale, bool& broken)
{
    FloatV best = splat(-Infinity);
    IntV bad{};
    const FloatV limit = splat(Infinity);
    std::int64_t j = 0;
    for (; j + Lanes <= count; j += Lanes) {
        const FloatV v = load(s + j) * scale;
        store(s + j, v);
        best = v > best ? v : best;
        bad |= ~(v < limit);
    }
    if (j < count) {
        const FloatV v = loadPart(s + j, count - j, -Infinity) * scale;
        storePart(s + j, v, count - j);
        best = v > best ? v : best;
        bad |= ~(v < limit);
    }
    broken = any(bad);
    return largest(best);
}

/// Adds the scaled scores s[0, count) of keys firstKey … to @p state.
void addSums(RowState& state, const float* s, std::int64_t count, std::int64_t firstKey,
             std::int64_t row)
{
    FloatV sum{};
    FloatV drop{};
    FloatV distance{};
    FloatV offset{}; // key − row
    for (int lane = 0; lane < Lanes; ++lane) {
        offset[lane] = static_cast<float>(firstKey - row + lane);
    }
    const auto add = [&](FloatV v) {
        FloatV t = v - state.max;
        t = t < ExpLowest ? splat(ExpLowest) : t; // −inf would make 0 · inf below
        const FloatV e = expV(t);
        sum += e;
        drop -= e * t;
        distance += e * (offset < 0.0F ? -offset : offset);
        offset += static_cast<float>(Lanes);
    };
    std::int64_t j = 0;
    for (; j + Lanes <= count; j += Lanes) {
        add(load(s + j));
    }
    if (j < count) {
        add(loadPart(s + j, count - j, -Infinity));
    }
    state.sum += total(sum);
    state.drop += total(drop);
    state.distance += total(distance);
}

/// Scores of the kept keys [firstKey, firstKey + count), not yet scaled.
void addRun(RowState& state, float* s, std::int64_t count, std::int64_t firstKey, std::int64_t row,
            float scale)
{
    if (state.broken) {
        return;
    }
    bool broken = false;
    const float runMax = scaleAndMax(s, count, scale, broken);
    if (broken) {
        state.broken = true;
        const float* bad = std::find_if(s, s + count, [](float v) { return !(v < Infinity); });
        state.argmax = firstKey + (bad - s);
        return;
    }
    if (runMax == -Infinity) {
        return;
    }
    if (runMax > state.max) {
        state.raiseMax(runMax, firstKey + (std::find(s, s + count, runMax) - s));
    }
    addSums(state, s, count, firstKey, row);
}

void finish(const RowState& state, const heed_op_row_stats& op, std::int64_t i)
{
    const bool none = state.sum == 0;
    const auto orBroken = [&state](double value) {
        return state.broken ? NotANumber : static_cast<float>(value);
    };
    op.max[i] = orBroken(double{state.max});
    op.sum[i] = orBroken(state.sum);
    op.lse[i] = orBroken(none ? double{-Infinity} : double{state.max} + std::log(state.sum));
    // Rounding can leave a little less than nothing where one key has all the weight; a NaN stays.
    op.entropy[i] =
        orBroken(none ? 0 : std::max(std::log(state.sum) + state.drop / state.sum, 0.0));
    op.distance[i] = orBroken(none ? 0 : state.distance / state.sum);
    op.argmax[i] = state.argmax;
    op.kept[i] = state.kept;
}

} // namespace

heed_status rowStats(const heed_op_row_stats& op, Call& call)
{
    const MatrixRef q(op.problem.q);
    const MatrixRef k(op.problem.k);
    const heed_mask& mask = op.problem.mask;
    const PackedKeys keys(k, 0, k.rows, call);
    const double work = static_cast<double>(q.rows) * static_cast<double>(k.rows) *
                        static_cast<double>(q.columns + 8); // 8: the pass over the scores
    call.forBlocks((q.rows + BlockRows - 1) / BlockRows, work, true, [&](std::int64_t unit) {
        const std::int64_t row = unit * BlockRows;
        const std::int64_t rows = std::min(BlockRows, q.rows - row);
        std::array<RowState, static_cast<std::size_t>(BlockRows)> states;
        Block& block = threadBlock();
        for (std::int64_t b = 0; b < keys.blocks() && !call.stopped(); ++b) {
            const std::int64_t first = keys.blockBegin(b);
            const std::int64_t last = keys.blockEnd(b);
            const Extent extent = keptExtent(mask, row, rows, first, last);
            if (extent.empty()) {
                continue;
            }
            keys.scores(q, row, rows, b, extent, block);
            for (std::int64_t r = 0; r < rows; ++r) {
                RowState& state = states[static_cast<std::size_t>(r)];
                float* s = block.data() + r * BlockStride;
                // Several runs become one with −inf between them; a vector loop beats many starts.
                std::int64_t begin = last;
                std::int64_t end = first;
                forEachRun(mask, row + r, first, last, [&](std::int64_t a, std::int64_t z) {
                    if (begin == last) {
                        begin = a;
                    } else {
                        std::fill(s + (end - first), s + (a - first), -Infinity);
                    }
                    end = z;
                    state.kept += z - a;
                });
                if (begin < end) {
                    addRun(state, s + (begin - first), end - begin, begin, row + r,
                           op.problem.scale);
                }
            }
        }
        for (std::int64_t r = 0; r < rows; ++r) {
            finish(states[static_cast<std::size_t>(r)], op, row + r);
        }
    });
    return call.status();
}

} // namespace heed::cpu
