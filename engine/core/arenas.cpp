// Arenas of the system's TBB, kept by their number of threads.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/arenas.h"

namespace heed {

Arenas::ArenaPtr Arenas::take(int threads)
{
    {
        const std::scoped_lock lock(m_mutex);
        auto& idle = m_idle[threads];
        if (!idle.empty()) {
            ArenaPtr arena = std::move(idle.back());
            idle.pop_back();
            return arena;
        }
    }
    return std::make_unique<tbb::task_arena>(threads);
}

void Arenas::giveBack(int threads, ArenaPtr arena)
{
    const std::scoped_lock lock(m_mutex);
    m_idle[threads].push_back(std::move(arena));
}

} // namespace heed
