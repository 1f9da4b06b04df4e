// The state of a call.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "context.h"

namespace heed::cpu {

Call::Call(Arenas& arenas, const heed_control* control, int hostThreads)
    : m_arenas(arenas)
    , m_control(control)
    , m_threads(control != nullptr && control->threads > 0 ? control->threads : hostThreads)
{
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
