// Threads that give way to the window.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QThreadPool>
#include <functional>

namespace heed::ui {

/// A pool whose threads, and those that their work starts, run behind the thread of the window when
/// there are fewer processors than threads: a zoom must not wait for its turn.
class WorkPool {
public:
    [[nodiscard]] int threads() const { return m_pool.maxThreadCount(); }
    void setThreads(int count) { m_pool.setMaxThreadCount(count); }
    /// @param priority higher ones first, among those that wait.
    void start(std::function<void()> work, int priority = 0);
    void waitForDone() { m_pool.waitForDone(); }

private:
    QThreadPool m_pool;
};

} // namespace heed::ui
