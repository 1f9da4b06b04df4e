// The arenas and the state of a call.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "context.h"

namespace heed::cpu {

ArenaPool::ArenaPtr ArenaPool::take(int threads)
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

void ArenaPool::giveBack(int threads, ArenaPtr arena)
{
    const std::scoped_lock lock(m_mutex);
    m_idle[threads].push_back(std::move(arena));
}

Call::Call(ArenaPool& arenas, const heed_control* control, int hostThreads)
    : m_arenas(arenas)
    , m_control(control)
    , m_threads(control != nullptr && control->threads > 0 ? control->threads : hostThreads)
{
}

Call::~Call()
{
    if (m_arena != nullptr) {
        try {
            m_arenas.giveBack(m_threads, std::move(m_arena));
        } catch (...) { // no memory for the list: the arena is destroyed instead
        }
    }
}

bool Call::stopped()
{
    if (m_stopped.load(std::memory_order_relaxed)) {
        return true;
    }
    if (m_control != nullptr && m_control->should_stop != nullptr &&
        m_control->should_stop(m_control->user) != 0) {
        m_stopped.store(true, std::memory_order_relaxed);
        return true;
    }
    return false;
}

} // namespace heed::cpu
