// Loops over blocks, in an arena of the wanted number of threads.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/arenas.h"
#include "heed/execution.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <tbb/global_control.h>
#include <tbb/info.h>

namespace heed {

namespace {

/// More threads than this for each processor only wait for one another, and thousands of them take
/// more memory than there is.
constexpr int mostThreadsPerProcessor = 4;

/// The processors, after telling TBB to expect the most threads: by default it prints a warning
/// when an arena asks for more than the first one did.
int processorCount()
{
    static const int count = std::max(1, tbb::info::default_concurrency());
    static const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                           static_cast<std::size_t>(count) *
                                               mostThreadsPerProcessor);
    return count;
}

/// HEED_THREADS; 0 when it is not set or no number.
int threadsOfEnvironment()
{
    const char* wanted = std::getenv("HEED_THREADS");
    int threads = 0;
    if (wanted == nullptr) {
        return threads;
    }
    const auto [end, status] = std::from_chars(wanted, wanted + std::strlen(wanted), threads);
    return status == std::errc{} && *end == '\0' ? threads : 0;
}

Arenas& arenas()
{
    // Never destroyed: a loop may run while static objects are.
    static Arenas& all = *new Arenas;
    return all;
}

} // namespace

int threadCount(const Execution& execution)
{
    const int processors = processorCount();
    const int wanted = execution.threads > 0 ? execution.threads : threadsOfEnvironment();
    return wanted > 0 ? std::min(wanted, processors * mostThreadsPerProcessor) : processors;
}

Expected<void> parallelFor(std::int64_t count, std::int64_t grain, const Execution& execution,
                           const std::function<Expected<void>(std::int64_t, std::int64_t)>& body)
{
    const std::int64_t step = std::max<std::int64_t>(1, grain);
    const std::int64_t blocks = (count + step - 1) / step;

    std::mutex mutex;
    std::int64_t failedBlock = blocks;
    std::optional<Error> error;
    std::int64_t done = 0;

    const auto runBlock = [&](std::int64_t block) {
        {
            const std::scoped_lock lock(mutex);
            if (failedBlock < block) {
                return;
            }
        }
        Expected<void> result = execution.cancelled()
                                    ? Expected<void>(fail(Code::Cancelled, "Stopped."))
                                    : body(block * step, std::min(count, (block + 1) * step));
        const std::scoped_lock lock(mutex);
        if (!result && block < failedBlock) {
            failedBlock = block;
            error = std::move(result.error());
        }
        ++done;
        if (execution.progress) {
            execution.progress(done, blocks);
        }
    };

    const int threads = threadCount(execution);
    if (threads == 1 || blocks <= 1) {
        for (std::int64_t block = 0; block < blocks && !error; ++block) {
            runBlock(block);
        }
    } else {
        arenas().run(threads, blocks, runBlock);
    }
    if (error) {
        return tl::unexpected(std::move(*error));
    }
    return {};
}

} // namespace heed
