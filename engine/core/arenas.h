// Loops over blocks on threads that wait for the next loop, for the engine and the CPU modules.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <vector>

#if defined(__SANITIZE_THREAD__)
#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#endif

namespace heed {

/// Arenas that wait for the next loop: making one costs more than a small loop. Loops that run at
/// the same time have one each, so that a short one does not wait for the end of a long one.
/// May be used from any thread.
class Arenas {
public:
    /// body(block) for every block of [0, blocks) on @p threads threads, in no fixed order. What
    /// body throws is thrown again once the others have ended.
    template <typename Body>
    void run(int threads, std::int64_t blocks, const Body& body)
    {
        if constexpr (Watched) {
            runWatched(threads, blocks, body);
        } else {
            ArenaPtr arena = take(threads);
            arena->execute([&] {
                tbb::parallel_for(std::int64_t{0}, blocks, body, tbb::simple_partitioner{});
            });
            giveBack(threads, std::move(arena)); // after an exception it is destroyed instead
        }
    }

private:
    using ArenaPtr = std::unique_ptr<tbb::task_arena>;
    [[nodiscard]] ArenaPtr take(int threads);
    void giveBack(int threads, ArenaPtr arena);

    std::mutex m_mutex;
    std::map<int, std::vector<ArenaPtr>> m_idle; ///< by number of threads

#if defined(__SANITIZE_THREAD__)
    // The thread sanitizer does not see how the TBB of the system hands work over, since that is
    // built without it, and would report every block. Threads of our own show it the same races.
    static constexpr bool Watched = true;
    template <typename Body>
    static void runWatched(int threads, std::int64_t blocks, const Body& body)
    {
        std::atomic<std::int64_t> next = 0;
        std::mutex mutex;
        std::exception_ptr thrown;
        const auto takeBlocks = [&] {
            // Relaxed: the order in which blocks are taken must not be what keeps them apart.
            for (std::int64_t block = 0;
                 (block = next.fetch_add(1, std::memory_order_relaxed)) < blocks;) {
                try {
                    body(block);
                } catch (...) {
                    const std::scoped_lock lock(mutex);
                    thrown = std::current_exception();
                    next = blocks;
                }
            }
        };
        {
            std::vector<std::jthread> workers;
            for (std::int64_t other = 1; other < std::min<std::int64_t>(threads, blocks); ++other) {
                workers.emplace_back(takeBlocks);
            }
            takeBlocks();
        }
        if (thrown) {
            std::rethrow_exception(thrown);
        }
    }
#else
    static constexpr bool Watched = false;
    template <typename Body>
    static void runWatched(int /*threads*/, std::int64_t /*blocks*/, const Body& /*body*/)
    {
    }
#endif
};

} // namespace heed
