// Parallel loops, cancellation and memory amounts.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/execution.h"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <vector>

using namespace heed;

TEST(ParallelFor, visitsEveryIndexOnceWhateverTheThreads)
{
    for (const int threads : {1, 2, 5}) {
        std::vector<std::atomic<int>> visits(103);
        const auto result = parallelFor(103, 10, {.threads = threads}, [&](auto begin, auto end) {
            for (auto i = begin; i < end; ++i) {
                ++visits[static_cast<std::size_t>(i)];
            }
            return Expected<void>{};
        });
        ASSERT_TRUE(result);
        for (const auto& count : visits) {
            EXPECT_EQ(count, 1);
        }
    }
}

TEST(Threads, comeFromTheExecutionThenTheEnvironment)
{
    const char* before = std::getenv("HEED_THREADS");
    const std::string kept = before != nullptr ? before : "";
    ::setenv("HEED_THREADS", "3", 1);
    EXPECT_EQ(threadCount({}), 3);
    EXPECT_EQ(threadCount({.threads = 2}), 2);
    ::unsetenv("HEED_THREADS");
    const int all = threadCount({});
    EXPECT_GE(all, 1);
    EXPECT_EQ(threadCount({.threads = 100000}), 4 * all);
    for (const char* senseless : {"abc", "-1", "99999999999", "1 ", ""}) {
        ::setenv("HEED_THREADS", senseless, 1);
        EXPECT_EQ(threadCount({}), all) << senseless;
    }
    ::setenv("HEED_THREADS", "100000", 1);
    EXPECT_EQ(threadCount({}), 4 * all);
    ::unsetenv("HEED_THREADS");
    if (before != nullptr) {
        ::setenv("HEED_THREADS", kept.c_str(), 1);
    }
}

TEST(ParallelFor, reportsTheErrorOfTheLowestBlock)
{
    for (const int threads : {1, 4}) {
        const auto result = parallelFor(50, 1, {.threads = threads}, [](auto begin, auto) {
            return begin >= 7 ? Expected<void>(fail(Code::Internal, std::to_string(begin)))
                              : Expected<void>{};
        });
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().message, "7");
    }
}

TEST(ParallelFor, stopsWhenAsked)
{
    std::stop_source source;
    int blocks = 0;
    const auto result =
        parallelFor(100, 1, {.threads = 1, .stop = source.get_token()}, [&](auto, auto) {
            if (++blocks == 3) {
                source.request_stop();
            }
            return Expected<void>{};
        });
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::Cancelled);
    EXPECT_EQ(blocks, 3);
}

TEST(Bytes, printAndRead)
{
    EXPECT_EQ(formatBytes(312), "312 B");
    EXPECT_EQ(formatBytes(1536LL * 1024 * 1024), "1.5 GiB");
    EXPECT_EQ(formatBytes(512LL * 1024 * 1024), "512 MiB");
    EXPECT_EQ(parseBytes("2GiB").value(), 2LL << 30);
    EXPECT_EQ(parseBytes("500 MB").value(), 500000000);
    EXPECT_EQ(parseBytes("1048576").value(), 1048576);
    EXPECT_EQ(parseBytes("2M").value(), 2LL << 20);
    EXPECT_EQ(parseBytes("2g").value(), 2LL << 30);
    EXPECT_EQ(parseBytes("3k").value(), 3LL << 10);
    EXPECT_EQ(parseBytes("1T").value(), 1LL << 40);
    EXPECT_EQ(parseBytes("1.5kB").value(), 1500);
    EXPECT_EQ(parseBytes("1TB").value(), 1000000000000);
    for (const char* bad :
         {"", "GiB", "-1", "1e300GiB", "2 potatoes", "2i", "2Mi", "2KK", "nan", "inf"}) {
        EXPECT_EQ(parseBytes(bad).error().code, Code::InvalidArgument) << bad;
    }
}

TEST(Memory, overTheBudgetIsRefusedWithBothNumbers)
{
    EXPECT_TRUE(checkMemory(1 << 20, "The result", {}));
    const auto refused = checkMemory(1 << 30, "The result", {.memoryBudget = 1 << 20});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::OutOfMemory);
    EXPECT_NE(refused.error().message.find("1 GiB"), std::string::npos);
    EXPECT_NE(refused.error().message.find("1 MiB"), std::string::npos);
    const auto other = checkMemory(2, "It", {.memoryBudget = 1}, "wait");
    EXPECT_NE(other.error().message.find("Raise it with --memory, or wait."), std::string::npos);
}

TEST(Memory, theUsualBudgetLeavesSomeOfTheMachine)
{
    const std::int64_t budget = usualMemoryBudget();
    EXPECT_GE(budget, 0);
    EXPECT_LT(budget, std::int64_t{1} << 50);
}
