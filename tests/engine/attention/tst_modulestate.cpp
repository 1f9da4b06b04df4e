// Weights out of a module's state: every naming scheme, and states that are not a layer.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/layer.h"
#include "memoryfile.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

using namespace heed;
using heed::test::counting;
using heed::test::MemoryFile;

namespace {

using Arrays = std::map<std::string, Tensor>;

/// d_model 6, four projections whose first numbers are 100, 200, 300, 400.
Arrays state(const std::string& prefix, const std::array<const char*, 4>& stems, bool biased)
{
    Arrays arrays;
    float first = 100;
    for (const char* stem : stems) {
        arrays[prefix + stem + ".weight"] = counting({6, 6}, first);
        if (biased) {
            arrays[prefix + stem + ".bias"] = counting({6}, -first);
        }
        first += 100;
    }
    return arrays;
}

constexpr std::array<const char*, 4> Usual = {"w_q", "w_k", "w_v", "w_o"};

Error refusal(const Arrays& arrays, LayerConfig config = {.heads = 3})
{
    const LayerConfig before = config;
    const auto loaded = loadWeights(MemoryFile(arrays), config);
    EXPECT_FALSE(loaded);
    EXPECT_EQ(config, before) << "a failure must not change the settings";
    return loaded ? Error{} : loaded.error();
}

bool mentions(const Error& error, const std::string& text)
{
    return describe(error).find(text) != std::string::npos;
}

} // namespace

TEST(ModuleState, isReadUnderEveryName)
{
    const std::vector<std::array<const char*, 4>> schemes = {
        Usual,
        {"W_q", "W_k", "W_v", "W_o"},
        {"q_proj", "k_proj", "v_proj", "o_proj"},
        {"q_proj", "k_proj", "v_proj", "out_proj"}};
    for (const auto& stems : schemes) {
        for (const char* prefix : {"", "layers.0.attn.", "self_"}) {
            for (const bool biased : {false, true}) {
                LayerConfig config{.modelWidth = 64, .heads = 3};
                const auto loaded = loadWeights(MemoryFile(state(prefix, stems, biased)), config);
                ASSERT_TRUE(loaded) << prefix << stems[0] << ": " << describe(loaded.error());
                EXPECT_EQ(loaded->wq.values()[0], 100);
                EXPECT_EQ(loaded->wk.values()[0], 200);
                EXPECT_EQ(loaded->wv.values()[0], 300);
                EXPECT_EQ(loaded->wo.values()[0], 400);
                EXPECT_EQ(loaded->bo.empty(), !biased);
                EXPECT_EQ(config.modelWidth, 6);
                EXPECT_EQ(config.keyValueHeads(), 3);
                EXPECT_EQ(config.headWidth(), 2);
                EXPECT_EQ(config.biased, biased);
            }
        }
    }
}

TEST(ModuleState, splitsThePackedProjectionOfTorch)
{
    LayerConfig config{.heads = 2};
    const auto loaded = loadWeights(MemoryFile({{"attn.in_proj_weight", counting({12, 4})},
                                                {"attn.in_proj_bias", counting({12})},
                                                {"attn.out_proj.weight", counting({4, 4}, 500)},
                                                {"attn.out_proj.bias", counting({4}, 600)}}),
                                    config);
    ASSERT_TRUE(loaded) << describe(loaded.error());
    EXPECT_EQ(loaded->wk.shape(), (Shape{4, 4}));
    EXPECT_EQ(loaded->wk.values()[0], 16);
    EXPECT_EQ(loaded->wv.values()[0], 32);
    EXPECT_EQ(loaded->bk.values()[0], 4);
    EXPECT_EQ(loaded->bv.values()[0], 8);
    EXPECT_EQ(loaded->bo.values()[0], 600);
    EXPECT_EQ(config.modelWidth, 4);
}

TEST(ModuleState, givesTheKeyHeadsAndAHeadSizeOfItsOwn)
{
    Arrays arrays;
    arrays["w_q.weight"] = counting({20, 6}); // 4 heads of 5
    arrays["w_k.weight"] = counting({10, 6});
    arrays["w_v.weight"] = counting({10, 6});
    arrays["w_o.weight"] = counting({6, 20});
    LayerConfig config{.heads = 4};
    ASSERT_TRUE(loadWeights(MemoryFile(arrays), config));
    EXPECT_EQ(config.modelWidth, 6);
    EXPECT_EQ(config.kvHeads, 2);
    EXPECT_EQ(config.headWidth(), 5);
}

TEST(ModuleState, keepsNaNWhereItIs)
{
    Arrays arrays = state("", Usual, false);
    arrays["w_v.weight"].values()[7] = std::numeric_limits<float>::quiet_NaN();
    LayerConfig config{.heads = 3};
    const auto loaded = loadWeights(MemoryFile(arrays), config);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(std::ranges::count_if(loaded->wv.values(), [](float v) { return v != v; }), 1);
}

TEST(ModuleState, withoutALayerSaysWhatIsThereAndWhatWasExpected)
{
    const Error error = refusal({{"embedding.weight", counting({2, 2})}});
    EXPECT_EQ(error.code, Code::NotFound);
    EXPECT_TRUE(mentions(error, "embedding.weight"));
    EXPECT_TRUE(mentions(error, "w_q.weight"));
    EXPECT_TRUE(mentions(error, "in_proj_weight"));
    EXPECT_EQ(refusal({}).code, Code::NotFound);
    EXPECT_EQ(refusal({{"new_w_q.weighting", counting({2, 2})}}).code, Code::NotFound);
    EXPECT_EQ(refusal({{"xq_proj.weight", counting({2, 2})}}).code, Code::NotFound);
}

TEST(ModuleState, withAPartMissingNamesIt)
{
    for (const char* stem : Usual) {
        Arrays arrays = state("a.", Usual, true);
        arrays.erase("a." + std::string(stem) + ".weight");
        const Error error = refusal(arrays);
        EXPECT_EQ(error.code, Code::NotFound) << stem;
        EXPECT_TRUE(mentions(error, std::string(stem))) << describe(error);
    }
    EXPECT_TRUE(mentions(refusal({{"in_proj_weight", counting({12, 4})}}), "output weight"));
}

TEST(ModuleState, ofSeveralLayersIsAmbiguous)
{
    Arrays arrays = state("layers.0.", Usual, false);
    arrays.merge(state("layers.1.", Usual, false));
    const Error error = refusal(arrays);
    EXPECT_EQ(error.code, Code::InvalidArgument);
    EXPECT_TRUE(mentions(error, "2 attention layers"));
    EXPECT_TRUE(mentions(error, "layers.1."));
}

TEST(ModuleState, ofWrongShapesNamesTheTensor)
{
    const std::vector<std::tuple<const char*, Shape, const char*>> rows = {
        {"w_q.weight", {6}, "w_q.weight"},       {"w_q.weight", {6, 6, 1}, "w_q.weight"},
        {"w_q.weight", {0, 6}, "w_q.weight"},    {"w_q.weight", {7, 6}, "query weight"},
        {"w_k.weight", {5, 6}, "key weight"},    {"w_k.weight", {4, 6}, "key weight"},
        {"w_k.weight", {6, 5}, "key weight"},    {"w_v.weight", {4, 6}, "value weight"},
        {"w_o.weight", {6, 5}, "output weight"}, {"w_o.weight", {5, 6}, "output weight"},
        {"w_q.bias", {5}, "query bias"},         {"w_k.bias", {1, 6}, "w_k.bias"},
        {"w_v.bias", {0}, "w_v.bias"},           {"w_o.bias", {7}, "output bias"},
    };
    for (const auto& [name, shape, said] : rows) {
        Arrays arrays = state("", Usual, true);
        arrays[name] = Tensor(shape);
        const Error error = refusal(arrays);
        EXPECT_EQ(error.code, Code::InvalidShape) << name << toString(shape);
        EXPECT_TRUE(mentions(error, said)) << describe(error);
    }
    const Error packed =
        refusal({{"in_proj_weight", counting({10, 4})}, {"out_proj.weight", counting({4, 4})}});
    EXPECT_EQ(packed.code, Code::InvalidShape);
    EXPECT_TRUE(mentions(packed, "divide by 3"));
}

TEST(ModuleState, withHeadsThatDoNotFitOffersSome)
{
    const Error error = refusal(state("", Usual, false), {.heads = 4});
    EXPECT_EQ(error.code, Code::InvalidShape);
    EXPECT_TRUE(mentions(error, "Heads that fit near 4: 3, 6.")) << describe(error);
    EXPECT_EQ(refusal(state("", Usual, false), {.heads = 0}).code, Code::InvalidArgument);
    EXPECT_EQ(refusal(state("", Usual, false), {.heads = 6, .positions = Positions::Rotary}).code,
              Code::InvalidArgument);
}

TEST(ModuleState, withALearnedKeyIsRefused)
{
    Arrays arrays = {{"in_proj_weight", counting({12, 4})},
                     {"out_proj.weight", counting({4, 4})},
                     {"bias_k", counting({1, 1, 4})}};
    EXPECT_EQ(refusal(arrays, {.heads = 2}).code, Code::Unsupported);
}
