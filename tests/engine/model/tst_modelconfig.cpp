// config.json to settings: the spellings that are read, and what is said of those that are not.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/model.h"

#include <gtest/gtest.h>

using namespace heed;

namespace {

constexpr const char* File = "config.json";

std::string llama(const std::string& more = "")
{
    return R"({"model_type":"llama","hidden_size":64,"num_hidden_layers":2,
              "num_attention_heads":8,"vocab_size":100)" +
           more + "}";
}

std::string bert(const std::string& more = "")
{
    return R"({"model_type":"bert","hidden_size":64,"num_hidden_layers":2,"vocab_size":100,
              "num_attention_heads":8,"max_position_embeddings":16)" +
           more + "}";
}

ModelConfig accepted(const std::string& json)
{
    auto config = readModelConfig(json, File);
    EXPECT_TRUE(config) << describe(config.error());
    return config ? *config : ModelConfig();
}

struct Refusal {
    std::string name;
    std::string json;
    Code code;
    std::string said; ///< part of the message
};

const std::vector<Refusal> Refusals = {
    {"no_json", "{", Code::BadFormat, ""},
    {"no_object", "[1]", Code::BadFormat, "Expected an object"},
    {"only_a_number", "1", Code::BadFormat, "Expected an object"},
    {"twice", R"({"model_type":"bert","model_type":"gpt2"})", Code::BadFormat, "there twice"},
    {"no_type", "{}", Code::NotFound, "\"model_type\" is missing"},
    {"unknown", R"({"model_type":"mamba2-hybrid"})", Code::Unsupported, "Supported: bert"},
    {"mistyped", R"({"model_type":"modern_bert"})", Code::Unsupported,
     "nearest that is: modernbert"},
    {"missing_width", R"({"model_type":"bert","num_hidden_layers":2})", Code::NotFound,
     "\"hidden_size\" is missing"},
    {"text_for_number", R"({"model_type":"bert","num_hidden_layers":"2"})", Code::BadFormat,
     "\"num_hidden_layers\" should be a whole number"},
    {"fraction", R"({"model_type":"bert","num_hidden_layers":2.5})", Code::BadFormat,
     "\"num_hidden_layers\" should be a whole number"},
    {"no_layers", R"({"model_type":"bert","num_hidden_layers":0})", Code::InvalidShape,
     "\"num_hidden_layers\" is 0"},
    {"negative", llama(R"(,"head_dim":-8)"), Code::InvalidShape, "width of a head: -8"},
    {"huge", llama(R"(,"intermediate_size":9223372036854775807)"), Code::InvalidShape,
     "width of the MLP"},
    {"uneven_groups", llama(R"(,"num_key_value_heads":3)"), Code::InvalidShape,
     "8 query heads cannot be shared"},
    {"activation", llama(R"(,"hidden_act":"mish")"), Code::Unsupported, "activation 'mish'"},
    {"rope", llama(R"(,"rope_scaling":{"type":"yawn","factor":4})"), Code::Unsupported, "'yawn'"},
    {"longrope_lists", llama(R"(,"rope_scaling":{"type":"longrope","long_factor":[1,2,3,4],
     "short_factor":[1,2,3]})"),
     Code::InvalidShape, "lists of 4 numbers"},
    {"longrope_zero", llama(R"(,"rope_scaling":{"type":"su","long_factor":[1,2,3,0],
     "short_factor":[1,2,3,4]})"),
     Code::InvalidShape, "lists of 4 numbers"},
    {"dynamic_factor", llama(R"(,"rope_scaling":{"type":"dynamic","factor":0.5})"),
     Code::InvalidShape, "rotary positions"},
    {"yarn_base", llama(R"(,"rope_theta":1,"rope_scaling":{"type":"yarn","factor":4})"),
     Code::InvalidShape, "rotary positions"},
    {"rope_numbers", llama(R"(,"rope_theta":0)"), Code::InvalidShape, "rotary positions"},
    {"layer_type", llama(R"(,"layer_types":["linear_attention"])"), Code::Unsupported,
     "'linear_attention'"},
    {"attention_types",
     R"({"model_type":"gpt_neo","hidden_size":64,"num_layers":2,"num_heads":8,"vocab_size":100,
         "max_position_embeddings":16,"attention_types":[[["global"],1]]})",
     Code::NotFound, "\"attention_types\" does not say"},
    {"endless_attention_types",
     R"({"model_type":"gpt_neo","hidden_size":64,"num_layers":2,"num_heads":8,"vocab_size":100,
         "max_position_embeddings":16,"attention_types":[[[7],9000000000000000000]]})",
     Code::BadFormat, "should be a text"},
    {"relative_positions", bert(R"(,"position_embedding_type":"relative_key")"), Code::Unsupported,
     "relative_key"},
    {"epsilon", bert(R"(,"layer_norm_eps":-1)"), Code::InvalidShape, "epsilon"},
};

class RefusedConfigs : public ::testing::TestWithParam<Refusal> {};

} // namespace

TEST_P(RefusedConfigs, areNamed)
{
    const auto config = readModelConfig(GetParam().json, File);
    ASSERT_FALSE(config);
    EXPECT_EQ(config.error().code, GetParam().code) << describe(config.error());
    EXPECT_NE(config.error().message.find(GetParam().said), std::string::npos)
        << describe(config.error());
    EXPECT_NE(config.error().context.find(File), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Json, RefusedConfigs, ::testing::ValuesIn(Refusals),
                         [](const auto& row) { return row.param.name; });

TEST(ModelConfig, hugeFilesAreRefused)
{
    const auto config = readModelConfig(std::string(std::size_t{5} << 20, ' '), File);
    ASSERT_FALSE(config);
    EXPECT_EQ(config.error().code, Code::BadFormat);
}

TEST(ModelConfig, absentAndNullKeysHaveTheDefaultsOfTheFamily)
{
    const ModelConfig config =
        accepted(llama(R"(,"head_dim":null,"rope_scaling":null,"sliding_window":null)"));
    EXPECT_EQ(config.headSize, 8);
    EXPECT_EQ(config.kvHeads, 8);
    EXPECT_EQ(config.mlpWidth, 256);
    EXPECT_EQ(config.rotary.base, 10000);
    EXPECT_EQ(config.norm, NormKind::Rms);
    EXPECT_FALSE(config.qkvBias);
    EXPECT_FLOAT_EQ(config.scoreScale(1), 0.35355339F);
    EXPECT_EQ(config.maskExpression(0), "causal & padding");
}

TEST(ModelConfig, rotaryScalingIsReadInBothSpellings)
{
    for (const char* more :
         {R"(,"rope_theta":5e5,"rope_scaling":{"type":"linear","factor":4.0})",
          R"(,"rope_theta":500000,"rope_scaling":{"rope_type":"linear","factor":4})",
          R"(,"rope_parameters":{"rope_theta":5e5,"rope_type":"linear","factor":4.0})"}) {
        const ModelConfig config = accepted(llama(more));
        EXPECT_EQ(config.rotary.base, 5e5) << more;
        EXPECT_EQ(config.rotary.scaling, RotaryScaling::Linear) << more;
        EXPECT_EQ(config.rotary.factor, 4) << more;
    }
}

TEST(ModelConfig, windowsAreThoseOfTheFamily)
{
    const auto windows = [](const std::string& type, const std::string& more) {
        return accepted(R"({"model_type":")" + type +
                        R"(","hidden_size":64,"num_hidden_layers":4,"num_attention_heads":8,
                           "vocab_size":100)" +
                        more + "}")
            .windows;
    };
    using Windows = std::vector<std::int64_t>;
    EXPECT_EQ(windows("mistral", R"(,"sliding_window":4)"), (Windows{4, 4, 4, 4}));
    EXPECT_EQ(windows("mistral", R"(,"sliding_window":null)"), (Windows{0, 0, 0, 0}));
    EXPECT_EQ(windows("qwen2", R"(,"sliding_window":4,"max_window_layers":2)"),
              (Windows{0, 0, 0, 0}));
    EXPECT_EQ(
        windows("qwen2", R"(,"sliding_window":4,"max_window_layers":2,"use_sliding_window":true)"),
        (Windows{0, 0, 4, 4}));
    EXPECT_EQ(windows("gemma2", R"(,"sliding_window":4)"), (Windows{4, 0, 4, 0}));
    EXPECT_EQ(windows("gemma3_text", R"(,"sliding_window":4,"sliding_window_pattern":2)"),
              (Windows{4, 0, 4, 0}));
    EXPECT_EQ(windows("gpt_neo", R"(,"max_position_embeddings":16,"window_size":4,
                      "attention_types":[[["global","local"],1],[["local"],5]])"),
              (Windows{0, 4, 4, 4}));
    EXPECT_EQ(windows("modernbert", R"(,"local_attention":8)"), (Windows{0, 4, 4, 0}));
    EXPECT_EQ(windows("modernbert", R"(,"local_attention":8,"layer_types":["sliding_attention",
                      "full_attention","full_attention","full_attention"])"),
              (Windows{4, 0, 0, 0}));
}

TEST(ModelConfig, gemma3ScalesLayersThatSeeEverythingOnly)
{
    const ModelConfig config = accepted(
        R"({"model_type":"gemma3","text_config":{"hidden_size":64,"num_hidden_layers":6,
            "num_attention_heads":8,"vocab_size":100,"rope_scaling":{"rope_type":"linear",
            "factor":8}}})");
    EXPECT_EQ(config.rotary.base, 1e6);
    EXPECT_EQ(config.rotary.factor, 8);
    EXPECT_EQ(config.localRotary.base, 1e4);
    EXPECT_EQ(config.localRotary.scaling, RotaryScaling::None);
    EXPECT_EQ(config.headSize, 256);
}

TEST(ModelConfig, encodersWithWindowsSeeBothSides)
{
    ModelConfig config;
    config.windows = {0, 64};
    EXPECT_EQ(config.maskExpression(0), "padding");
    EXPECT_EQ(config.maskExpression(1), "padding & symmetric(64)");
    config.causal = true;
    EXPECT_EQ(config.maskExpression(1), "causal & padding & window(64)");
}

TEST(ModelConfig, layersOfAGroupShareTheirWeights)
{
    const ModelConfig config = accepted(
        R"({"model_type":"albert","hidden_size":64,"num_hidden_layers":6,"vocab_size":100,
            "num_attention_heads":8,"max_position_embeddings":16,"num_hidden_groups":2})");
    EXPECT_EQ(config.weightsOf(2), 0);
    EXPECT_EQ(config.weightsOf(3), 1);
}

TEST(ModelConfig, everyFamilyHasItsRowOnce)
{
    auto names = modelFamilies();
    EXPECT_GE(names.size(), 20U);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}
