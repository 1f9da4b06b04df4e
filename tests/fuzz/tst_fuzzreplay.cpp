// Runs every fuzz target on its stored inputs, so that what a fuzzer found stays repaired.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzztarget.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

namespace {

std::filesystem::path corpus()
{
    const char* root = std::getenv("HEED_SOURCE_DIR");
    return std::filesystem::path(root == nullptr ? "." : root) / "tests/fuzz/corpus";
}

std::string readInput(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

TEST(FuzzReplay, everyTargetTakesItsInputsAndTheirBeginnings)
{
    ASSERT_FALSE(heed::fuzz::targets().empty());
    for (const heed::fuzz::Target& target : heed::fuzz::targets()) {
        SCOPED_TRACE(target.name);
        std::size_t inputs = 0;
        for (const auto& entry : std::filesystem::directory_iterator(corpus() / target.name)) {
            const std::string input = readInput(entry.path());
            const auto bytes = std::as_bytes(std::span(input.data(), input.size()));
            target.entry(bytes);
            // A few beginnings of each: the cheapest damage.
            const std::size_t step = std::max<std::size_t>(1, input.size() / 16);
            for (std::size_t length = 0; length < input.size(); length += step) {
                target.entry(bytes.first(length));
            }
            ++inputs;
        }
        EXPECT_GT(inputs, 0U) << "no inputs in tests/fuzz/corpus/" << target.name;
    }
}

TEST(FuzzReplay, everyCorpusHasItsTarget)
{
    for (const auto& entry : std::filesystem::directory_iterator(corpus())) {
        const std::string name = entry.path().filename().string();
        const auto& all = heed::fuzz::targets();
        EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const auto& target) {
            return name == target.name;
        })) << name;
    }
}
