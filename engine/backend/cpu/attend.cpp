// weights·V with the weights of one block at a time.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scores.h"

#include <cmath>
#include <vector>

namespace heed::cpu {
namespace {

/// The values, packed once a call: one set of panels a block of keys, because a panel's depth is
/// the keys it covers.
class PackedValues {
public:
    PackedValues(const MatrixRef& v, Call& call)
        : m_finite(static_cast<std::size_t>((v.rows + BlockKeys - 1) / BlockKeys), 0)
    {
        m_panels.reserve(m_finite.size());
        for (std::int64_t first = 0; first < v.rows; first += BlockKeys) {
            m_panels.emplace_back(std::min(BlockKeys, v.rows - first), v.columns);
        }
        const double work = static_cast<double>(v.rows) * static_cast<double>(v.columns);
        const auto blocks = static_cast<std::int64_t>(m_panels.size());
        call.forBlocks(blocks, work, false, [&](std::int64_t b) {
            MatrixRef part = v;
            part.data = v.row(b * BlockKeys);
            part.rows = std::min(BlockKeys, v.rows - b * BlockKeys);
            auto& panels = m_panels[static_cast<std::size_t>(b)];
            for (std::int64_t p = 0; p < panels.count(); ++p) {
                panels.packColumns(p, part);
            }
            bool finite = true;
            for (std::int64_t j = 0; j < part.rows && finite; ++j) {
                finite = std::all_of(part.row(j), part.row(j) + part.columns,
                                     [](float x) { return std::isfinite(x); });
            }
            m_finite[static_cast<std::size_t>(b)] = finite ? 1 : 0;
        });
    }
    [[nodiscard]] const Panels& panels(std::int64_t b) const
    {
        return m_panels[static_cast<std::size_t>(b)];
    }
    [[nodiscard]] bool finite(std::int64_t b) const
    {
        return m_finite[static_cast<std::size_t>(b)] != 0;
    }

private:
    std::vector<Panels> m_panels;
    std::vector<char> m_finite;
};

/// s = exp(s · scale − max) for @p count scores.
void exponentials(float* s, std::int64_t count, float scale, float max)
{
    std::int64_t j = 0;
    for (; j + Lanes <= count; j += Lanes) {
        store(s + j, expV(rounded(load(s + j) * scale) - max));
    }
    if (j < count) {
        storePart(s + j, expV(rounded(loadPart(s + j, count - j, 0.0F) * scale) - max), count - j);
    }
}

} // namespace

heed_status attend(const heed_op_attend& op, Call& call)
{
    const MatrixRef q(op.problem.q);
    const MatrixRef k(op.problem.k);
    const MatrixRef v(op.v);
    const heed_mask& mask = op.problem.mask;
    const PackedKeys keys(k, 0, k.rows, call);
    const PackedValues values(v, call);
    const std::int64_t sumStride = (v.columns + PanelWidth - 1) / PanelWidth * PanelWidth;
    const double work = static_cast<double>(q.rows) * static_cast<double>(k.rows) *
                        static_cast<double>(q.columns + v.columns + 8);
    call.forBlocks((q.rows + BlockRows - 1) / BlockRows, work, true, [&](std::int64_t unit) {
        const std::int64_t row = unit * BlockRows;
        const std::int64_t rows = std::min(BlockRows, q.rows - row);
        std::vector<float> sums(static_cast<std::size_t>(rows * sumStride), 0.0F);
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
                float* s = block.data() + r * BlockStride;
                std::int64_t end = extent.begin; // of the last run
                // A row whose kept scores are all −inf has a sum of 0 and no weights.
                const bool none = op.row_sum[row + r] == 0;
                forEachRun(mask, row + r, first, last, [&](std::int64_t a, std::int64_t z) {
                    std::fill(s + (end - first), s + (a - first), 0.0F);
                    if (none) {
                        std::fill(s + (a - first), s + (z - first), 0.0F);
                    } else {
                        exponentials(s + (a - first), z - a, op.problem.scale, op.row_max[row + r]);
                    }
                    end = z;
                });
                std::fill(s + (end - first), s + (extent.end - first), 0.0F);
            }
            const float* weights = block.data() + (extent.begin - first);
            if (values.finite(b)) {
                for (std::int64_t p = 0; p < values.panels(b).count(); ++p) {
                    multiplyPanel(weights, BlockStride, rows,
                                  values.panels(b).panel(p) + (extent.begin - first) * PanelWidth,
                                  extent.end - extent.begin, sums.data() + p * PanelWidth,
                                  sumStride, true);
                }
                continue;
            }
            // 0 · inf is NaN: a masked key with such a value must not take part at all.
            for (std::int64_t r = 0; r < rows; ++r) {
                if (op.row_sum[row + r] == 0) {
                    continue;
                }
                forEachRun(mask, row + r, first, last, [&](std::int64_t a, std::int64_t z) {
                    for (std::int64_t j = a; j < z; ++j) {
                        const float weight =
                            block[static_cast<std::size_t>(r * BlockStride + j - first)];
                        for (std::int64_t d = 0; d < v.columns; ++d) {
                            sums[static_cast<std::size_t>(r * sumStride + d)] +=
                                weight * v.row(j)[d];
                        }
                    }
                });
            }
        }
        for (std::int64_t r = 0; r < rows; ++r) {
            const float sum = op.row_sum[row + r];
            for (std::int64_t d = 0; d < v.columns; ++d) {
                const float value = sums[static_cast<std::size_t>(r * sumStride + d)];
                op.out.data[(row + r) * op.out.row_stride + d] = sum == 0 ? 0.0F : value / sum;
            }
        }
    });
    return call.status();
}

} // namespace heed::cpu
