// The signals that ask a program to stop, as a stop token.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "interrupt.h"

#include <cerrno>
#include <ctime>
#include <unistd.h>

namespace heed::cli {

namespace {
constexpr time_t GraceSeconds = 2; // work polls its token every few milliseconds
}

Interrupt::Interrupt()
{
    sigemptyset(&m_signals);
    sigaddset(&m_signals, SIGINT);
    sigaddset(&m_signals, SIGTERM);
    struct sigaction hangUp = {};
    if (sigaction(SIGHUP, nullptr, &hangUp) == 0 && hangUp.sa_handler != SIG_IGN) {
        sigaddset(&m_signals, SIGHUP); // nohup ignores it, and so do we then
    }
    pthread_sigmask(SIG_BLOCK, &m_signals, &m_before);
    m_thread = std::thread([this] { wait(); });
}

Interrupt::~Interrupt()
{
    m_done = true;
    // The thread waits for this very signal, so sending it wakes exactly that thread.
    pthread_kill(m_thread.native_handle(), SIGINT);
    m_thread.join();
    pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
}

void Interrupt::leave() const
{
    _exit(exitStatus());
}

void Interrupt::wait()
{
    int signal = 0;
    sigwait(&m_signals, &signal);
    if (m_done) {
        return;
    }
    m_signal = signal;
    m_source.request_stop();
    const timespec grace{GraceSeconds, 0};
    while (sigtimedwait(&m_signals, nullptr, &grace) < 0 && errno == EINTR) {
    }
    if (!m_done) {
        leave();
    }
}

} // namespace heed::cli
