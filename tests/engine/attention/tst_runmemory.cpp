// What a run may hold: refused before it is made, with the number and the way out.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "arraysonfile.h"
#include "heed/backend.h"
#include "heed/run.h"
#include "memoryfile.h"

#include <gtest/gtest.h>

using namespace heed;
using heed::test::counting;
using heed::test::TemporaryFolder;

namespace {

BackendPtr reference()
{
    static BackendRegistry registry({});
    return registry.open("reference").value_or(nullptr);
}

Source textSource(std::vector<std::string> lines)
{
    Source source;
    source.lines = std::move(lines);
    source.layer.modelWidth = 16;
    source.layer.heads = 4;
    return source;
}

Error refusal(const Source& source, const Execution& execution = {.threads = 1})
{
    auto result = compute(source, reference(), execution);
    EXPECT_FALSE(result);
    return result ? Error{} : result.error();
}

bool mentions(const Error& error, const std::string& text)
{
    return describe(error).find(text) != std::string::npos;
}

} // namespace

TEST(RunMemory, refusesAbsurdSizesBeforeItTakesMemory)
{
    Source source = textSource({"a b"});
    source.layer.modelWidth = 65536;
    const Error error = refusal(source, {.memoryBudget = std::int64_t{1} << 30});
    EXPECT_EQ(error.code, Code::OutOfMemory);
    EXPECT_TRUE(mentions(error, "64")) << describe(error);
    source.layer.modelWidth = std::int64_t{1} << 40;
    EXPECT_EQ(refusal(source).code, Code::InvalidArgument);
    source = textSource({"a b"});
    source.padTo = std::int64_t{1} << 40;
    EXPECT_EQ(refusal(source).code, Code::OutOfMemory);
}

TEST(RunMemory, keepsFilesInTheBudget)
{
    const TemporaryFolder folder;
    const Execution small{.memoryBudget = 1000};
    Source source;
    source.layer.heads = 2;
    source.input = folder.write("x.npz", {{"x", counting({1, 40, 8})}});
    EXPECT_EQ(refusal(source, small).code, Code::OutOfMemory);
    source = {};
    source.qkv = folder.write("qkv.npz", {{"q", counting({2, 90, 2})}, {"k", counting({2, 4, 2})}});
    EXPECT_EQ(refusal(source, small).code, Code::OutOfMemory);
    source = {};
    source.maps = folder.write("maps.npz", {{"weights", counting({20, 20})}});
    EXPECT_EQ(refusal(source, small).code, Code::OutOfMemory);
}

TEST(RunMemory, refusesTokensBeforeTheyAreMade)
{
    const Execution small{.memoryBudget = 1 << 20};
    Source source = textSource({"a b"});
    source.padTo = 10'000'000;
    Error error = refusal(source, small);
    EXPECT_EQ(error.code, Code::OutOfMemory);
    EXPECT_TRUE(mentions(error, "1 MiB") && mentions(error, "--pad-to")) << describe(error);
    EXPECT_TRUE(mentions(error, "list of tokens")) << describe(error);
    source = textSource({std::string(1 << 20, 'x') + " y"});
    source.tokenizer = "chars";
    error = refusal(source, small);
    EXPECT_EQ(error.code, Code::OutOfMemory);
    EXPECT_TRUE(mentions(error, "1 MiB") && mentions(error, "less text")) << describe(error);
}

TEST(RunMemory, countsEverythingItWillHoldAtOnce)
{
    // Tokens 72 KB, x 256 KB, q, k, v 768 KB and 256 KB to split heads from, statistics 288 KB:
    // none of them alone is over.
    Source source = textSource({"a"});
    source.padTo = 1000;
    source.layer.modelWidth = 64;
    const Error error = refusal(source, {.memoryBudget = 1'500'000});
    EXPECT_EQ(error.code, Code::OutOfMemory);
    EXPECT_TRUE(mentions(error, "The layer") && mentions(error, "1.4 MiB")) << describe(error);
    EXPECT_TRUE(compute(source, reference(), {.memoryBudget = 2'000'000}));
}

TEST(RunMemory, addsUpTheArraysOfAFile)
{
    const TemporaryFolder folder;
    Source source;
    source.qkv = folder.write(
        "qkv.npz",
        {{"q", counting({2, 900, 4})}, {"k", counting({2, 900, 4})}, {"v", counting({2, 900, 4})}});
    const Error error = refusal(source, {.memoryBudget = 60'000}); // each is 28,800 bytes
    EXPECT_EQ(error.code, Code::OutOfMemory);
    EXPECT_TRUE(mentions(error, "q, k and v") && mentions(error, "qkv.npz")) << describe(error);
    source = {};
    source.input = folder.write("x.npy", {{"", counting({1, 3, 64})}});
    source.weights = folder.write("w.npz", {{"in_proj_weight", counting({192, 64})},
                                            {"out_proj.weight", counting({64, 64})}});
    const Error weights = refusal(source, {.memoryBudget = 60'000});
    EXPECT_EQ(weights.code, Code::OutOfMemory);
    EXPECT_TRUE(mentions(weights, "The weights") && mentions(weights, "w.npz"))
        << describe(weights);
}

TEST(RunMemory, refusesAnOutputBesideWhatItIsMadeFrom)
{
    Source source = textSource({"a"});
    source.padTo = 1000; // x, q, k, v: 256,000 bytes
    const RunPtr made = compute(source, reference(), {.threads = 1}).value();
    const Execution tight{.memoryBudget = 300'000};
    EXPECT_EQ(made->headOutput(0, tight).error().code, Code::OutOfMemory);
    EXPECT_TRUE(made->headOutput(0, {.memoryBudget = 350'000}));
    EXPECT_EQ(made->output(0, {.memoryBudget = 350'000}).error().code, Code::OutOfMemory);
    EXPECT_TRUE(made->output(0, {.memoryBudget = 500'000}));
}
