// The metadata of a GGUF checkpoint to settings, and what is said of those that are not supported.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "../io/ggufbytes.h"
#include "modelfolders.h"

using namespace heed;

namespace {

constexpr unsigned UInt32 = 4;
constexpr unsigned Int32 = 5;
constexpr unsigned Float32 = 6;
constexpr unsigned Bool = 7;
constexpr unsigned Text = 8;
constexpr unsigned List = 9;

std::string whole(const std::string& name, std::uint64_t value)
{
    return ggufValue(name, UInt32, ggufNumber(value, 4));
}

std::string real(const std::string& name, float value)
{
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return ggufValue(name, Float32, ggufNumber(bits, 4));
}

std::string text(const std::string& name, const std::string& value)
{
    return ggufValue(name, Text, ggufText(value));
}

/// A model of two layers with four heads of eight numbers, and further values.
Expected<ModelConfig> configOf(const std::string& architecture, std::vector<std::string> more,
                               std::vector<std::string> tensors = {})
{
    std::vector<std::string> values = {text("general.architecture", architecture),
                                       whole(architecture + ".block_count", 2),
                                       whole(architecture + ".embedding_length", 32),
                                       whole(architecture + ".attention.head_count", 4)};
    values.insert(values.end(), more.begin(), more.end());
    // Tensors of no numbers: their names and shapes are enough here.
    tensors.insert(tensors.begin(), ggufTensor("token_embd.weight", {0, 40}, 0, 0));
    const auto file = openArrays(gguf({.values = values, .tensors = tensors}), "gguf");
    EXPECT_TRUE(file) << describe(file.error());
    return readModelConfig(**file, "m.gguf");
}

void expectRefusal(const Expected<ModelConfig>& config, Code code, const std::string& said)
{
    ASSERT_FALSE(config) << said;
    EXPECT_EQ(config.error().code, code) << describe(config.error());
    EXPECT_NE(describe(config.error()).find(said), std::string::npos) << describe(config.error());
}

} // namespace

TEST(GgufModel, settingsComeFromTheValues)
{
    const auto config = configOf(
        "llama",
        {whole("llama.attention.head_count_kv", 2), whole("llama.context_length", 64),
         whole("llama.feed_forward_length", 48),
         real("llama.attention.layer_norm_rms_epsilon", 0.25F), real("llama.rope.freq_base", 5e5F),
         whole("llama.rope.dimension_count", 4), text("llama.rope.scaling.type", "none"),
         whole("tokenizer.ggml.padding_token_id", 7)});
    ASSERT_TRUE(config) << describe(config.error());
    EXPECT_EQ(config->family, "llama");
    EXPECT_EQ(config->vocabulary, 40);
    EXPECT_EQ(config->headSize, 8);
    EXPECT_EQ(config->kvHeads, 2);
    EXPECT_EQ(config->longest, 64);
    EXPECT_EQ(config->mlpWidth, 48);
    EXPECT_EQ(config->normEpsilon, 0.25);
    EXPECT_EQ(config->paddingToken, 7);
    EXPECT_EQ(config->rotary.base, 5e5);
    EXPECT_EQ(config->rotary.scaling, RotaryScaling::None);
    EXPECT_TRUE(config->rotary.adjacent);
    EXPECT_NEAR(config->rotary.share, 0.5, 1e-12);
    EXPECT_TRUE(config->tiedHead);
    EXPECT_FALSE(configOf("qwen2", {})->rotary.adjacent);
}

TEST(GgufModel, oldFilesScaleWithoutAName)
{
    for (const char* name : {"llama.rope.scale_linear", "llama.rope.scaling.factor"}) {
        const auto config = configOf("llama", {real(name, 4)});
        ASSERT_TRUE(config) << describe(config.error());
        EXPECT_EQ(config->rotary.scaling, RotaryScaling::Linear);
        EXPECT_EQ(config->rotary.factor, 4);
    }
}

TEST(GgufModel, aListOfEqualNumbersIsOne)
{
    const auto list = [](std::uint64_t second) {
        return ggufValue("llama.attention.head_count_kv", List,
                         ggufList(Int32, 2, ggufNumber(2, 4) + ggufNumber(second, 4)));
    };
    EXPECT_EQ(configOf("llama", {list(2)})->kvHeads, 2);
    expectRefusal(configOf("llama", {list(4)}), Code::Unsupported,
                  "The layers differ in llama.attention.head_count_kv");
}

TEST(GgufModel, windowsOfEachLayerMayBeListed)
{
    const auto config =
        configOf("gemma3", {whole("gemma3.attention.sliding_window", 4),
                            ggufValue("gemma3.attention.sliding_window_pattern", List,
                                      ggufList(Bool, 2, std::string("\0\1", 2)))});
    ASSERT_TRUE(config) << describe(config.error());
    EXPECT_EQ(config->windows, (std::vector<std::int64_t>{0, 4}));
    const auto counted = configOf("gemma3", {whole("gemma3.attention.sliding_window", 4),
                                             whole("gemma3.attention.sliding_window_pattern", 2)});
    ASSERT_TRUE(counted) << describe(counted.error());
    EXPECT_EQ(counted->windows, (std::vector<std::int64_t>{4, 0}));
}

TEST(GgufModel, whatIsNotSupportedIsNamed)
{
    expectRefusal(configOf("lama", {}), Code::Unsupported, "nearest that is: llama");
    expectRefusal(configOf("mamba", {}), Code::Unsupported,
                  "Supported in GGUF files: llama, qwen2");
    expectRefusal(configOf("llama", {whole("llama.expert_count", 8)}), Code::Unsupported,
                  "llama.expert_count = 8");
    expectRefusal(configOf("llama", {text("llama.rope.scaling.type", "yarn2")}), Code::Unsupported,
                  "'yarn2'");
    expectRefusal(configOf("llama", {whole("llama.attention.value_length", 4)}), Code::Unsupported,
                  "keys of 8 numbers and values of 4");
    expectRefusal(configOf("llama", {whole("llama.rope.dimension_count", 16)}), Code::InvalidShape,
                  "rope.dimension_count is 16");
    expectRefusal(configOf("llama", {text("llama.context_length", "many")}), Code::BadFormat,
                  "llama.context_length");
    expectRefusal(configOf("llama", {real("llama.attention.scale", -1)}), Code::InvalidShape,
                  "scale of scores is -1");
    expectRefusal(configOf("llama", {whole("llama.attention.causal", 1)}), Code::BadFormat,
                  "llama.attention.causal");
    expectRefusal(configOf("llama", {}, {ggufTensor("rope_freqs.weight", {0}, 0, 0)}),
                  Code::InvalidShape, "should have [4] numbers");
}

TEST(GgufModel, whatIsMissingIsNamed)
{
    const auto read = [](const GgufParts& parts) {
        const auto file = openArrays(gguf(parts), "gguf");
        EXPECT_TRUE(file) << describe(file.error());
        return readModelConfig(**file, "m.gguf");
    };
    expectRefusal(read({}), Code::NotFound, "general.architecture");
    expectRefusal(read({.values = {text("general.architecture", "llama")}}), Code::NotFound,
                  "llama.block_count is missing");
    expectRefusal(
        read({.values = {text("general.architecture", "llama"), whole("llama.block_count", 2),
                         whole("llama.embedding_length", 32),
                         whole("llama.attention.head_count", 4)}}),
        Code::NotFound, "token_embd.weight");
    const auto other = openArrays(test::modelFolder("bert") / "model.safetensors").value();
    expectRefusal(readModelConfig(*other, "m"), Code::Unsupported, "or a .gguf file");
}

TEST(GgufModel, divisorsOfAnglesAreAboveZero)
{
    const auto config = [](const std::string& numbers) {
        std::string data = numbers;
        data.resize(32);
        const auto file = openArrays(
            gguf({.values = {text("general.architecture", "llama"), whole("llama.block_count", 1),
                             whole("llama.embedding_length", 4),
                             whole("llama.attention.head_count", 1)},
                  .tensors = {ggufTensor("rope_freqs.weight", {2}, 0, 0),
                              ggufTensor("token_embd.weight", {0, 1}, 0, 32)},
                  .data = data}),
            "gguf");
        EXPECT_TRUE(file) << describe(file.error());
        return readModelConfig(**file, "m.gguf");
    };
    const std::string one("\0\0\x80\x3F", 4);
    const std::string zero(4, '\0');
    const std::string infinite("\0\0\x80\x7F", 4);
    EXPECT_EQ(config(one + one)->rotary.divisors, (std::vector<float>{1, 1}));
    expectRefusal(config(one + zero), Code::InvalidShape, "rope_freqs.weight");
    expectRefusal(config(infinite + one), Code::InvalidShape, "rope_freqs.weight");
}

TEST(GgufModel, filesThatAreNoModelAreRefused)
{
    const auto path = test::ggufFolder("llama") / "model.gguf";
    EXPECT_FALSE(openModel(path, nullptr));
    const auto missing =
        openModel(test::ggufFolder("llama") / "none.gguf", test::referenceBackend());
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, Code::NotFound);
    const auto part =
        openModel(test::goldenFolder("gguf") / "blocks.gguf", test::referenceBackend());
    ASSERT_FALSE(part);
    EXPECT_NE(describe(part.error()).find("llama.block_count"), std::string::npos)
        << describe(part.error());
}
