// Packing of the keys, and the product of a block.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scores.h"

namespace heed::cpu {

Block& threadBlock()
{
    thread_local Block block;
    return block;
}

PackedKeys::PackedKeys(const MatrixRef& k, std::int64_t first, std::int64_t last, Call& call)
    : m_first(first)
    , m_last(last)
    , m_depth(k.columns)
    , m_panels(k.columns, last - first)
{
    // Panels by the block, so that a task is worth starting.
    constexpr std::int64_t perTask = BlockKeys / PanelWidth;
    const std::int64_t tasks = (m_panels.count() + perTask - 1) / perTask;
    const double work = static_cast<double>(last - first) * static_cast<double>(m_depth);
    call.forBlocks(tasks, work, false, [&](std::int64_t task) {
        const std::int64_t end = std::min(m_panels.count(), (task + 1) * perTask);
        for (std::int64_t p = task * perTask; p < end; ++p) {
            m_panels.packRows(p, k, m_first);
        }
    });
}

void PackedKeys::scores(const MatrixRef& q, std::int64_t row, std::int64_t rows, std::int64_t b,
                        const Extent& extent, Block& block) const
{
    const std::int64_t firstPanel = (extent.begin - m_first) / PanelWidth;
    const std::int64_t lastPanel = (extent.end - m_first + PanelWidth - 1) / PanelWidth;
    const std::int64_t origin = b * (BlockKeys / PanelWidth);
    for (std::int64_t p = firstPanel; p < lastPanel; ++p) {
        multiplyPanel(q.row(row), q.rowStride, rows, m_panels.panel(p), m_depth,
                      block.data() + (p - origin) * PanelWidth, BlockStride, false);
    }
}

} // namespace heed::cpu
