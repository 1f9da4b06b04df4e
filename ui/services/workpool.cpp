// How a thread becomes less urgent.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/workpool.h"

#ifdef Q_OS_LINUX
#include <sys/resource.h>
#endif

namespace heed::ui {

namespace {

/// QThread::setPriority() does nothing under the usual scheduler of Linux; there each thread has a
/// niceness of its own, which the threads it starts inherit.
void stepBack()
{
#ifdef Q_OS_LINUX
    constexpr int niceness = 5; // a third of the window's share
    thread_local bool done = false;
    if (!done) {
        done = true;
        (void)setpriority(PRIO_PROCESS, 0, niceness); // of this thread; not worth failing for
    }
#endif
}

} // namespace

void WorkPool::start(std::function<void()> work, int priority)
{
    m_pool.start(
        [work = std::move(work)] {
            stepBack();
            work();
        },
        priority);
}

} // namespace heed::ui
