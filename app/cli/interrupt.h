// The signals that ask a program to stop, as a stop token.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace heed::cli {

/// While it lives, SIGINT, SIGTERM and SIGHUP ask the stop token to stop instead of ending the
/// process. A second one, or work that does not stop in time, ends the process with exitStatus().
/// Create it before any other thread, so that they inherit the blocked signals.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    [[nodiscard]] std::stop_token token() const { return m_source.get_token(); }
    /// Ends the process with exitStatus(), whatever it is doing.
    void leave() const;
    /// What a shell expects after the signal that came: 128 and its number.
    [[nodiscard]] int exitStatus() const { return 128 + m_signal; }

private:
    void wait();

    std::stop_source m_source;
    std::atomic<bool> m_done = false;
    std::atomic<int> m_signal = SIGINT; ///< the first that came
    sigset_t m_signals = {};
    sigset_t m_before = {};
    std::thread m_thread;
};

} // namespace heed::cli
