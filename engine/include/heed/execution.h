// How a computation runs: on how many threads, until when, telling whom.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"

#include <cstdint>
#include <functional>
#include <stop_token>

namespace heed {

/// Passed by value to everything that computes. Copies share the stop state.
struct Execution {
    /// Threads to use; 0 = as many as the processor offers (or HEED_THREADS).
    int threads = 0;
    /// Long work polls this at least every few milliseconds and returns Code::Cancelled.
    std::stop_token stop = {};
    /// Called now and then with (done, total), from any thread, never concurrently. May be empty.
    std::function<void(std::int64_t done, std::int64_t total)> progress = {};
    /// Bytes a computation may allocate for its results; 0 = no limit.
    std::int64_t memoryBudget = 0;

    [[nodiscard]] bool cancelled() const { return stop.stop_requested(); }
};

/// The number of threads @p execution resolves to, at least 1.
[[nodiscard]] int threadCount(const Execution& execution);

/// Runs body(begin, end) over blocks of [0, count), each of at most @p grain, on the threads of
/// @p execution. Block borders do not depend on the number of threads. A block that returns an
/// error stops the rest; the error of the lowest block is returned.
/// @return Code::Cancelled when the stop token fired.
/// @threadsafe Re-entrant; may be nested.
[[nodiscard]] Expected<void>
parallelFor(std::int64_t count, std::int64_t grain, const Execution& execution,
            const std::function<Expected<void>(std::int64_t begin, std::int64_t end)>& body);

/// Refuses a result of @p bytes for @p what when it exceeds the memory budget of @p execution.
/// @param wayOut what helps beside a larger budget, as an order.
/// @return Code::OutOfMemory with both numbers and the way out.
[[nodiscard]] Expected<void>
checkMemory(std::int64_t bytes, const std::string& what, const Execution& execution,
            const std::string& wayOut = "select fewer layers, heads or items");

/// A budget for a machine that is used for other things too: three quarters of the memory that is
/// free without swapping; 0 where the system does not tell.
[[nodiscard]] std::int64_t usualMemoryBudget();

/// "1.5 GiB", "84 MiB", "312 B".
[[nodiscard]] std::string formatBytes(std::int64_t bytes);

/// Reads "2GiB", "500MB", "2g", "1048576": K, M, G, T alone or with iB count by 1024, with B by
/// 1000; case is ignored.
/// @return Code::InvalidArgument for anything else, a negative number or one past 2^62.
[[nodiscard]] Expected<std::int64_t> parseBytes(const std::string& text);

} // namespace heed
