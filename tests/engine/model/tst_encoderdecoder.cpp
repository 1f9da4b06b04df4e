// Encoders with decoders: what a run gives, what is refused, and the buckets of T5's distances.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "modelfolders.h"

#include "model/relativebias.h"

#include <gtest/gtest.h>

using namespace heed;

namespace {

const ModelInput FourTokens{.ids = {{5, 6, 7, 8}}};

ModelInput withTarget(ModelInput input = FourTokens)
{
    input.targets = {{2, 9, 10}};
    return input;
}

ModelPtr opened(const std::string& name)
{
    auto model = openModel(test::modelFolder(name), test::referenceBackend());
    EXPECT_TRUE(model) << describe(model.error());
    return model.value_or(nullptr);
}

ModelRunPtr ran(const std::string& name, const ModelInput& input, const Execution& execution = {})
{
    const auto run = opened(name)->run(input, execution);
    EXPECT_TRUE(run) << describe(run.error());
    return run.value_or(nullptr);
}

void expectRefusal(const std::string& name, const ModelInput& input, const std::string& said)
{
    const auto run = opened(name)->run(input, {});
    ASSERT_FALSE(run) << said;
    EXPECT_EQ(run.error().code, Code::InvalidArgument);
    EXPECT_NE(run.error().message.find(said), std::string::npos) << describe(run.error());
}

std::string t5(const std::string& more)
{
    return R"({"model_type":"t5","d_model":32,"d_kv":8,"d_ff":16,"num_layers":2,"num_heads":4,
              "vocab_size":40)" +
           more + "}";
}

} // namespace

TEST(EncoderDecoder, aRunHasThreeSetsOfMaps)
{
    const auto run = ran("bart", withTarget());
    ASSERT_EQ(run->layers.size(), 2U);
    ASSERT_EQ(run->decoderLayers.size(), 3U);
    ASSERT_EQ(run->crossLayers.size(), 3U);
    EXPECT_EQ(run->layers[0].q->shape(), (Shape{1, 4, 4, 8}));
    EXPECT_EQ(run->decoderLayers[0].k->shape(), (Shape{1, 2, 3, 16}));
    EXPECT_EQ(run->crossLayers[0].q->shape(), (Shape{1, 2, 3, 16}));
    EXPECT_EQ(run->crossLayers[0].k->shape(), (Shape{1, 2, 4, 16}));
    EXPECT_EQ(run->decoderHidden.size(), 4U);
    EXPECT_EQ(run->logits.shape(), (Shape{1, 3, 40}));
    const HeadProblem problem = run->crossLayers[0].problem(0, 1);
    EXPECT_EQ(problem.q.rows, 3);
    EXPECT_EQ(problem.k.rows, 4);
    EXPECT_EQ(run->crossLayers[0].mask->expression(), "padding");
    EXPECT_EQ(run->decoderLayers[0].mask->expression(), "causal & padding");
}

TEST(EncoderDecoder, withoutATargetOnlyTheEncoderRuns)
{
    const auto run = ran("t5", FourTokens);
    EXPECT_EQ(run->layers.size(), 2U);
    EXPECT_TRUE(run->decoderLayers.empty());
    EXPECT_TRUE(run->logits.empty());
    ModelInput first = withTarget();
    first.layers = 1;
    EXPECT_EQ(ran("t5", first)->layers.size(), 1U);
    EXPECT_TRUE(ran("t5", first)->decoderLayers.empty());
}

TEST(EncoderDecoder, distancesAreAddedInBothTextsButNotAcross)
{
    const auto run = ran("t5", withTarget());
    EXPECT_EQ(run->layers[1].problem(0, 3).distanceBias.size(), 7U);
    EXPECT_EQ(run->decoderLayers[0].problem(0, 0).distanceBias.size(), 5U);
    EXPECT_TRUE(run->crossLayers[0].problem(0, 0).distanceBias.empty());
}

TEST(EncoderDecoder, progressCountsTheLayersOfBoth)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> told;
    Execution execution;
    execution.progress = [&](std::int64_t done, std::int64_t total) {
        told.emplace_back(done, total);
    };
    ran("marian", withTarget(), execution);
    ASSERT_EQ(told.size(), 5U);
    EXPECT_EQ(told.front(), (std::pair<std::int64_t, std::int64_t>{1, 5}));
    EXPECT_EQ(told.back(), (std::pair<std::int64_t, std::int64_t>{5, 5}));
}

TEST(EncoderDecoder, targetsThatDoNotFitAreRefused)
{
    expectRefusal("bert", withTarget(), "no decoder");
    ModelInput input = withTarget();
    input.targets = {{2, 40}};
    expectRefusal("bart", input, "In the targets: The token id 40");
    input.targets = {{2, 3}, {4, 5}};
    expectRefusal("bart", input, "2 targets for 1 items");
    input.targets = {std::vector<std::int64_t>(25, 5)};
    expectRefusal("bart", input, "In the targets: The text has 25");
    input = withTarget();
    input.targetLengths = {4};
    expectRefusal("t5", input, "In the targets: A length of 4");
}

TEST(EncoderDecoder, aMatrixOfItsOwnIsTheHeadOfT5)
{
    // Twice the table of words, under the name of a head.
    const auto folder = test::modelFolder("t5");
    const auto file = openArrays(folder / "model.safetensors").value();
    std::vector<std::vector<std::byte>> bytes;
    bytes.reserve(file->arrays().size() + 1);
    std::vector<ArrayToWrite> arrays;
    for (const ArrayInfo& info : file->arrays()) {
        bytes.push_back(file->readRaw(info.name).value());
        arrays.push_back({info.name, info.type, info.shape, bytes.back()});
    }
    Tensor head = file->read("shared.weight").value();
    for (float& value : head.values()) {
        value *= 2;
    }
    arrays.push_back(
        {"lm_head.weight", ElementType::Float32, head.shape(), std::as_bytes(head.values())});
    std::vector<std::byte> written;
    ASSERT_TRUE(writeArrays(
        [&](std::span<const std::byte> piece) -> Expected<void> {
            written.insert(written.end(), piece.begin(), piece.end());
            return {};
        },
        ArrayFormat::Safetensors, arrays));
    const auto own = makeModel(opened("t5")->config(), openArrays(written, "safetensors").value(),
                               test::referenceBackend());
    ASSERT_TRUE(own) << describe(own.error());
    const auto run = (*own)->run(withTarget(), {});
    ASSERT_TRUE(run) << describe(run.error());
    EXPECT_EQ((*run)->logits.data()[7], 2 * ran("t5", withTarget())->logits.data()[7]);
}

TEST(EncoderDecoder, aMaskJoinsTheAttentionItIsFor)
{
    ModelInput input = withTarget();
    input.mask = "window(2)";
    const auto expressions = [&](AttentionSet masked) {
        input.masked = masked;
        const auto run = ran("bart", input);
        return std::vector<std::string>{run->layers[0].mask->expression(),
                                        run->decoderLayers[0].mask->expression(),
                                        run->crossLayers[0].mask->expression()};
    };
    const std::string own = "padding";
    const std::string causal = "causal & padding";
    const std::string added = " & window(2)";
    EXPECT_EQ(expressions(AttentionSet::Encoder),
              (std::vector<std::string>{own + added, causal, own}));
    EXPECT_EQ(expressions(AttentionSet::Decoder),
              (std::vector<std::string>{own, causal + added, own}));
    EXPECT_EQ(expressions(AttentionSet::Cross),
              (std::vector<std::string>{own, causal, own + added}));
    input.mask = "none) | (none";
    EXPECT_FALSE(opened("bart")->run(input, {}));
}

TEST(EncoderDecoder, settingsOfBothHalvesAreRead)
{
    const auto config = readModelConfig(
        t5(R"(,"num_decoder_layers":3,"feed_forward_proj":"gated-gelu","tie_word_embeddings":false)"),
        "config.json");
    ASSERT_TRUE(config) << describe(config.error());
    ASSERT_NE(config->decoder, nullptr);
    EXPECT_EQ(config->decoder->layers, 3);
    EXPECT_TRUE(config->decoder->causal);
    EXPECT_FALSE(config->causal);
    EXPECT_TRUE(config->gatedMlp);
    EXPECT_EQ(config->activation, Activation::GeluTanh);
    EXPECT_EQ(config->headScale, 1);
    EXPECT_EQ(config->scale, 1);
    EXPECT_EQ(config->relativeBias.buckets, 32);
    EXPECT_EQ(config->decoderStart, 0);
}

TEST(EncoderDecoder, settingsOutOfRangeAreRefused)
{
    const auto refused = [](const std::string& more, const std::string& said) {
        const auto config = readModelConfig(t5(more), "config.json");
        ASSERT_FALSE(config) << said;
        EXPECT_NE(describe(config.error()).find(said), std::string::npos)
            << describe(config.error());
    };
    refused(R"(,"feed_forward_proj":"gated-mish")", "\"mish\" is not supported");
    refused(R"(,"relative_attention_num_buckets":2)", "at least 4 buckets");
    refused(R"(,"relative_attention_max_distance":16)", "more than half");
    refused(R"(,"relative_attention_num_buckets":-1)", "Buckets of distances: -1");
    refused(R"(,"num_decoder_layers":0)", "no layers");
    refused(R"(,"num_decoder_layers":9223372036854775807)", "Layers: 9223372036854775807");
}

TEST(RelativeBias, bucketsGrowWithDistanceAndAreCapped)
{
    // What T5Attention._relative_position_bucket gives for these.
    const RelativeBias settings{32, 128};
    const auto both = [&](std::int64_t i, std::int64_t j) {
        return detail::relativeBucket(settings, true, i, j);
    };
    const auto before = [&](std::int64_t i, std::int64_t j) {
        return detail::relativeBucket(settings, false, i, j);
    };
    EXPECT_EQ(both(5, 5), 0);
    EXPECT_EQ(both(7, 0), 7);
    EXPECT_EQ(both(8, 0), 8);
    EXPECT_EQ(both(0, 1), 17);
    EXPECT_EQ(both(0, 1000), 31);
    EXPECT_EQ(both(1000, 0), 15);
    EXPECT_EQ(before(0, 3), 0);
    EXPECT_EQ(before(15, 0), 15);
    EXPECT_EQ(before(16, 0), 16);
    EXPECT_EQ(before(64, 0), 26);
    EXPECT_EQ(before(1000, 0), 31);
}
