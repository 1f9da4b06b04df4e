// Loops over blocks, in an arena of the wanted number of threads.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/execution.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace heed {

int threadCount(const Execution& execution)
{
    if (execution.threads > 0) {
        return execution.threads;
    }
    if (const char* wanted = std::getenv("HEED_THREADS")) {
        int threads = 0;
        const auto [end, status] = std::from_chars(wanted, wanted + std::strlen(wanted), threads);
        if (status == std::errc{} && *end == '\0' && threads > 0) {
            return threads;
        }
    }
    return std::max(1, tbb::this_task_arena::max_concurrency());
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
        tbb::task_arena arena(threads);
        arena.execute([&] {
            tbb::parallel_for(std::int64_t{0}, blocks, runBlock, tbb::simple_partitioner{});
        });
    }
    if (error) {
        return tl::unexpected(std::move(*error));
    }
    return {};
}

} // namespace heed
