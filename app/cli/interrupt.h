// Ctrl+C as a stop token.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace heed::cli {

/// While it lives, SIGINT asks the stop token to stop instead of ending the process. A second
/// SIGINT, or work that does not stop in time, ends the process with status 130. Create it before
/// any other thread, so that they inherit the blocked signal.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    [[nodiscard]] std::stop_token token() const { return m_source.get_token(); }

private:
    void wait();

    std::stop_source m_source;
    std::atomic<bool> m_done = false;
    sigset_t m_signals = {};
    sigset_t m_before = {};
    std::thread m_thread;
};

} // namespace heed::cli
