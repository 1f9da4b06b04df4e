// The rows of settings. Keys that all families share are read in config.cpp.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/families.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace heed::detail {

namespace {

// --- rules of single families
// ---------------------------------------------------------------------

void forEachLayer(ModelConfig& config, std::int64_t window, auto isLocal)
{
    for (std::int64_t layer = 0; layer < config.layers; ++layer) {
        config.windows[static_cast<std::size_t>(layer)] = isLocal(layer) ? window : 0;
    }
}

void adjustBert(const ModelSettings& settings, ModelConfig& /*config*/)
{
    const std::string kind = settings.text({"position_embedding_type"}, "absolute");
    if (kind != "absolute") {
        settings.complain(Code::Unsupported, "Positions of the kind \"" + kind +
                                                 "\" are not supported; \"absolute\" ones are.");
    }
}

/// Positions begin behind the row of the padding token and count real tokens only.
void adjustRoberta(const ModelSettings& settings, ModelConfig& config)
{
    adjustBert(settings, config);
    config.positionOffset = config.paddingToken + 1;
    config.longest -= config.positionOffset;
}

void adjustAlbert(const ModelSettings& settings, ModelConfig& config)
{
    adjustBert(settings, config);
    config.layerGroups = settings.whole({"num_hidden_groups"}, 1);
    if (settings.whole({"inner_group_num"}, 1) != 1) {
        settings.complain(Code::Unsupported,
                          "Groups of several inner layers (inner_group_num) are not supported.");
    }
}

void adjustGpt2(const ModelSettings& settings, ModelConfig& config)
{
    config.scaleByLayer = settings.boolean({"scale_attn_by_inverse_layer_idx"}, false);
    if (!settings.boolean({"scale_attn_weights"}, true)) {
        config.scale = 1;
    }
}

/// attention_types is a list of patterns with how often each repeats, [[["global", "local"], 6]].
/// Scores are not scaled.
void adjustGptNeo(const ModelSettings& settings, ModelConfig& config)
{
    config.scale = 1;
    const std::int64_t window = settings.whole({"window_size"}, 256);
    std::size_t layer = 0;
    for (std::int64_t entry = 0; layer < config.windows.size(); ++entry) {
        const std::string path = "attention_types." + std::to_string(entry) + ".";
        const std::int64_t times = settings.whole({path + "1"}, 0);
        if (times < 1 || !settings.has(path + "0.0")) {
            settings.complain(Code::NotFound,
                              "The setting \"attention_types\" does not say which of the layers "
                              "have a window. Use the config.json that came with the weights.");
            return;
        }
        for (std::int64_t time = 0;
             time < times && layer < config.windows.size() && !settings.problem(); ++time) {
            for (std::int64_t i = 0; layer < config.windows.size(); ++i) {
                const std::string kind = settings.text({path + "0." + std::to_string(i)}, "");
                if (kind.empty()) {
                    break;
                }
                config.windows[layer++] = kind == "local" ? window : 0;
            }
        }
    }
}

void adjustGptNeoX(const ModelSettings& settings, ModelConfig& config)
{
    if (!settings.boolean({"use_parallel_residual"}, true)) {
        config.normPlace = NormPlace::Pre;
    }
}

void adjustOpt(const ModelSettings& settings, ModelConfig& config)
{
    const bool biased = settings.boolean({"enable_bias"}, true);
    config.qkvBias = config.outputBias = config.mlpBias = biased;
    if (!settings.boolean({"do_layer_norm_before"}, true)) {
        config.normPlace = NormPlace::Post;
    }
    if (settings.boolean({"_remove_final_layer_norm"}, false) ||
        !settings.boolean({"layer_norm_elementwise_affine"}, true)) {
        settings.complain(Code::Unsupported, "OPT without its final norm, or with norms that have "
                                             "no weights, is not supported.");
    }
}

/// Mistral and Phi-3: all layers have the window, if there is one.
void adjustMistral(const ModelSettings& settings, ModelConfig& config)
{
    forEachLayer(config, settings.whole({"sliding_window"}, 0), [](std::int64_t) { return true; });
}

void adjustQwen(const ModelSettings& settings, ModelConfig& config)
{
    if (settings.boolean({"use_sliding_window"}, false)) {
        const std::int64_t first = settings.whole({"max_window_layers"}, config.layers);
        forEachLayer(config, settings.whole({"sliding_window"}, 0),
                     [first](std::int64_t layer) { return layer >= first; });
    }
}

void adjustPhi(const ModelSettings& settings, ModelConfig& /*config*/)
{
    if (settings.boolean({"qk_layernorm"}, false)) {
        settings.complain(Code::Unsupported, "Phi with qk_layernorm is not supported.");
    }
}

/// The tables are scaled by √d_model; "gelu" means its tanh form here.
void adjustGemma(const ModelSettings& settings, ModelConfig& config)
{
    config.embeddingScale =
        static_cast<double>(static_cast<float>(std::sqrt(static_cast<double>(config.width))));
    if (settings.text({"hidden_activation", "hidden_act"}, "gelu") == "gelu") {
        config.activation = Activation::GeluTanh;
    }
}

void adjustGemma2(const ModelSettings& settings, ModelConfig& config)
{
    adjustGemma(settings, config);
    config.scale = 1 / std::sqrt(settings.number({"query_pre_attn_scalar"}, 256));
    config.softCap = settings.number({"attn_logit_softcapping"}, 0);
    config.logitCap = settings.number({"final_logit_softcapping"}, 0);
    forEachLayer(config, settings.whole({"sliding_window"}, 4096),
                 [](std::int64_t layer) { return layer % 2 == 0; });
}

void adjustGemma3(const ModelSettings& settings, ModelConfig& config)
{
    adjustGemma2(settings, config);
    config.softCap = 0; // the reference does not apply it
    const std::int64_t pattern =
        std::max<std::int64_t>(1, settings.whole({"sliding_window_pattern"}, 6));
    forEachLayer(config, settings.whole({"sliding_window"}, 4096),
                 [pattern](std::int64_t layer) { return (layer + 1) % pattern != 0; });
    if (settings.boolean({"use_bidirectional_attention"}, false)) {
        settings.complain(Code::Unsupported,
                          "Gemma 3 with use_bidirectional_attention is not supported.");
    }
}

void adjustModernBert(const ModelSettings& settings, ModelConfig& config)
{
    const std::int64_t every =
        std::max<std::int64_t>(1, settings.whole({"global_attn_every_n_layers"}, 3));
    forEachLayer(config, settings.whole({"local_attention"}, 128) / 2,
                 [every](std::int64_t layer) { return layer % every != 0; });
}

// --- names that several families share
// ------------------------------------------------------------

constexpr TensorNames BertNames = {.prefix = "bert.",
                                   .tokens = "embeddings.word_embeddings",
                                   .positions = "embeddings.position_embeddings",
                                   .tokenTypes = "embeddings.token_type_embeddings",
                                   .embeddingNorm = "embeddings.LayerNorm",
                                   .layer = "encoder.layer.{}.",
                                   .query = "attention.self.query",
                                   .key = "attention.self.key",
                                   .value = "attention.self.value",
                                   .output = "attention.output.dense",
                                   .up = "intermediate.dense",
                                   .down = "output.dense",
                                   .attentionNorm = "attention.output.LayerNorm",
                                   .mlpNorm = "output.LayerNorm",
                                   .headDense = "cls.predictions.transform.dense",
                                   .headNorm = "cls.predictions.transform.LayerNorm",
                                   .head = "cls.predictions.decoder",
                                   .headBias = "cls.predictions.bias"};

constexpr TensorNames LlamaNames = {.prefix = "model.",
                                    .tokens = "embed_tokens",
                                    .layer = "layers.{}.",
                                    .query = "self_attn.q_proj",
                                    .key = "self_attn.k_proj",
                                    .value = "self_attn.v_proj",
                                    .output = "self_attn.o_proj",
                                    .gate = "mlp.gate_proj",
                                    .up = "mlp.up_proj",
                                    .down = "mlp.down_proj",
                                    .attentionNorm = "input_layernorm",
                                    .mlpNorm = "post_attention_layernorm",
                                    .finalNorm = "norm",
                                    .head = "lm_head"};

constexpr TensorNames withQueryKeyNorm(TensorNames names)
{
    names.queryNorm = "self_attn.q_norm";
    names.keyNorm = "self_attn.k_norm";
    return names;
}

constexpr TensorNames sandwiched(TensorNames names)
{
    names.attentionOutNorm = "post_attention_layernorm";
    names.mlpNorm = "pre_feedforward_layernorm";
    names.mlpOutNorm = "post_feedforward_layernorm";
    return names;
}

constexpr TensorNames phi3Names()
{
    TensorNames names = LlamaNames;
    names.qkv = "self_attn.qkv_proj";
    names.gate = "";
    names.up = "mlp.gate_up_proj";
    return names;
}

constexpr TensorNames robertaNames()
{
    TensorNames names = BertNames;
    names.prefix = "roberta.";
    names.headDense = "lm_head.dense";
    names.headNorm = "lm_head.layer_norm";
    names.head = "lm_head.decoder";
    names.headBias = "lm_head.bias";
    return names;
}

constexpr TensorNames electraNames()
{
    TensorNames names = BertNames;
    names.prefix = "electra.";
    names.embeddingProjection = "embeddings_project";
    names.headDense = "generator_predictions.dense";
    names.headNorm = "generator_predictions.LayerNorm";
    names.head = "generator_lm_head";
    names.headBias = "generator_lm_head.bias";
    return names;
}

ModelConfig bertLike(std::string title, double epsilon)
{
    ModelConfig config;
    config.title = std::move(title);
    config.tokenTypes = 2;
    config.normPlace = NormPlace::Post;
    config.normEpsilon = epsilon;
    return config;
}

ModelConfig robertaLike(std::string title)
{
    ModelConfig config = bertLike(std::move(title), 1e-5);
    config.paddingToken = 1;
    config.positionsSkipPadding = true;
    return config;
}

ModelConfig decoder(std::string title, ModelPositions positions)
{
    ModelConfig config;
    config.title = std::move(title);
    config.causal = true;
    config.positions = positions;
    return config;
}

ModelConfig llamaLike(std::string title)
{
    ModelConfig config = decoder(std::move(title), ModelPositions::Rotary);
    config.norm = NormKind::Rms;
    config.normEpsilon = 1e-6;
    config.normBias = config.qkvBias = config.outputBias = config.mlpBias = false;
    config.gatedMlp = true;
    config.activation = Activation::Silu;
    config.tiedHead = false;
    return config;
}

ModelConfig gemmaLike(std::string title)
{
    ModelConfig config = llamaLike(std::move(title));
    config.norm = NormKind::RmsPlusOne;
    config.headSize = 256;
    config.activation = Activation::GeluTanh;
    config.tiedHead = true;
    return config;
}

ModelConfig with(ModelConfig config, auto change)
{
    change(config);
    return config;
}

// --- the rows
// -------------------------------------------------------------------------------------

std::vector<ModelFamily> makeFamilies()
{
    std::vector<ModelFamily> rows;
    rows.push_back({.type = "bert",
                    .defaults = bertLike("BERT", 1e-12),
                    .names = BertNames,
                    .adjust = adjustBert});
    for (const auto& [type, title] :
         {std::pair("roberta", "RoBERTa"), std::pair("xlm-roberta", "XLM-RoBERTa"),
          std::pair("camembert", "CamemBERT")}) {
        rows.push_back({.type = type,
                        .defaults = robertaLike(title),
                        .names = robertaNames(),
                        .headActivation = Activation::Gelu,
                        .adjust = adjustRoberta});
    }
    rows.push_back(
        {.type = "distilbert",
         .defaults = with(bertLike("DistilBERT", 1e-12), [](ModelConfig& c) { c.tokenTypes = 0; }),
         .names = {.prefix = "distilbert.",
                   .tokens = "embeddings.word_embeddings",
                   .positions = "embeddings.position_embeddings",
                   .embeddingNorm = "embeddings.LayerNorm",
                   .layer = "transformer.layer.{}.",
                   .query = "attention.q_lin",
                   .key = "attention.k_lin",
                   .value = "attention.v_lin",
                   .output = "attention.out_lin",
                   .up = "ffn.lin1",
                   .down = "ffn.lin2",
                   .attentionNorm = "sa_layer_norm",
                   .mlpNorm = "output_layer_norm",
                   .headDense = "vocab_transform",
                   .headNorm = "vocab_layer_norm",
                   .head = "vocab_projector",
                   .headBias = "vocab_projector.bias"}});
    rows.push_back({.type = "electra",
                    .defaults = bertLike("ELECTRA", 1e-12),
                    .names = electraNames(),
                    .headActivation = Activation::Gelu,
                    .adjust = adjustBert});
    rows.push_back({.type = "albert",
                    .defaults = bertLike("ALBERT", 1e-12),
                    .names = {.prefix = "albert.",
                              .tokens = "embeddings.word_embeddings",
                              .positions = "embeddings.position_embeddings",
                              .tokenTypes = "embeddings.token_type_embeddings",
                              .embeddingNorm = "embeddings.LayerNorm",
                              .embeddingProjection = "encoder.embedding_hidden_mapping_in",
                              .layer = "encoder.albert_layer_groups.{}.albert_layers.0.",
                              .query = "attention.query",
                              .key = "attention.key",
                              .value = "attention.value",
                              .output = "attention.dense",
                              .up = "ffn",
                              .down = "ffn_output",
                              .attentionNorm = "attention.LayerNorm",
                              .mlpNorm = "full_layer_layer_norm",
                              .headDense = "predictions.dense",
                              .headNorm = "predictions.LayerNorm",
                              .head = "predictions.decoder",
                              .headBias = "predictions.bias"},
                    .adjust = adjustAlbert});
    rows.push_back({.type = "modernbert",
                    .defaults = with(bertLike("ModernBERT", 1e-5),
                                     [](ModelConfig& c) {
                                         c.tokenTypes = 0;
                                         c.normPlace = NormPlace::Pre;
                                         c.normBias = c.qkvBias = c.outputBias = c.mlpBias = false;
                                         c.gatedMlp = true;
                                         c.positions = ModelPositions::Rotary;
                                         c.rotary.base = 160000;
                                     }),
                    .names = {.prefix = "model.",
                              .tokens = "embeddings.tok_embeddings",
                              .embeddingNorm = "embeddings.norm",
                              .layer = "layers.{}.",
                              .qkv = "attn.Wqkv",
                              .output = "attn.Wo",
                              .up = "mlp.Wi",
                              .down = "mlp.Wo",
                              .attentionNorm = "attn_norm",
                              .mlpNorm = "mlp_norm",
                              .finalNorm = "final_norm",
                              .headDense = "head.dense",
                              .headNorm = "head.norm",
                              .head = "decoder",
                              .headBias = "decoder.bias"},
                    .layout = QkvLayout::Contiguous,
                    .firstLayerHasNoNorm = true,
                    .localRotaryBase = 10000,
                    .headDenseBias = false,
                    .headActivation = Activation::Gelu,
                    .adjust = adjustModernBert});

    rows.push_back({.type = "gpt2",
                    .defaults = with(decoder("GPT-2", ModelPositions::Learned),
                                     [](ModelConfig& c) { c.activation = Activation::GeluTanh; }),
                    .names = {.prefix = "transformer.",
                              .tokens = "wte",
                              .positions = "wpe",
                              .layer = "h.{}.",
                              .qkv = "attn.c_attn",
                              .output = "attn.c_proj",
                              .up = "mlp.c_fc",
                              .down = "mlp.c_proj",
                              .attentionNorm = "ln_1",
                              .mlpNorm = "ln_2",
                              .finalNorm = "ln_f",
                              .head = "lm_head"},
                    .layout = QkvLayout::Contiguous,
                    .mayBeTransposed = true,
                    .adjust = adjustGpt2});
    rows.push_back({.type = "gpt_neo",
                    .defaults = with(decoder("GPT-Neo", ModelPositions::Learned),
                                     [](ModelConfig& c) {
                                         c.activation = Activation::GeluTanh;
                                         c.qkvBias = false;
                                     }),
                    .names = {.prefix = "transformer.",
                              .tokens = "wte",
                              .positions = "wpe",
                              .layer = "h.{}.",
                              .query = "attn.attention.q_proj",
                              .key = "attn.attention.k_proj",
                              .value = "attn.attention.v_proj",
                              .output = "attn.attention.out_proj",
                              .up = "mlp.c_fc",
                              .down = "mlp.c_proj",
                              .attentionNorm = "ln_1",
                              .mlpNorm = "ln_2",
                              .finalNorm = "ln_f",
                              .head = "lm_head"},
                    .adjust = adjustGptNeo});
    rows.push_back({.type = "gpt_neox",
                    .defaults = with(decoder("GPT-NeoX", ModelPositions::Rotary),
                                     [](ModelConfig& c) {
                                         c.normPlace = NormPlace::Parallel;
                                         c.rotary.share = 0.25;
                                         c.tiedHead = false;
                                     }),
                    .names = {.prefix = "gpt_neox.",
                              .tokens = "embed_in",
                              .layer = "layers.{}.",
                              .qkv = "attention.query_key_value",
                              .output = "attention.dense",
                              .up = "mlp.dense_h_to_4h",
                              .down = "mlp.dense_4h_to_h",
                              .attentionNorm = "input_layernorm",
                              .mlpNorm = "post_attention_layernorm",
                              .finalNorm = "final_layer_norm",
                              .head = "embed_out"},
                    .layout = QkvLayout::PerHead,
                    .adjust = adjustGptNeoX});
    rows.push_back({.type = "opt",
                    .defaults = with(decoder("OPT", ModelPositions::Learned),
                                     [](ModelConfig& c) {
                                         c.activation = Activation::Relu;
                                         c.paddingToken = 1;
                                         c.positionOffset = 2;
                                         c.positionsSkipPadding = true;
                                     }),
                    .names = {.prefix = "model.decoder.",
                              .tokens = "embed_tokens",
                              .positions = "embed_positions",
                              .embeddingProjection = "project_in",
                              .layer = "layers.{}.",
                              .query = "self_attn.q_proj",
                              .key = "self_attn.k_proj",
                              .value = "self_attn.v_proj",
                              .output = "self_attn.out_proj",
                              .up = "fc1",
                              .down = "fc2",
                              .attentionNorm = "self_attn_layer_norm",
                              .mlpNorm = "final_layer_norm",
                              .finalNorm = "final_layer_norm",
                              .outputProjection = "project_out",
                              .head = "lm_head"},
                    .projectsTokensOnly = true,
                    .adjust = adjustOpt});
    rows.push_back({.type = "llama", .defaults = llamaLike("Llama"), .names = LlamaNames});
    rows.push_back({.type = "mistral",
                    .defaults = llamaLike("Mistral"),
                    .names = LlamaNames,
                    .adjust = adjustMistral});
    rows.push_back({.type = "qwen2",
                    .defaults = with(llamaLike("Qwen2"), [](ModelConfig& c) { c.qkvBias = true; }),
                    .names = LlamaNames,
                    .adjust = adjustQwen});
    rows.push_back({.type = "qwen3",
                    .defaults = with(llamaLike("Qwen3"),
                                     [](ModelConfig& c) {
                                         c.headSize = 128;
                                         c.queryKeyNorm = true;
                                     }),
                    .names = withQueryKeyNorm(LlamaNames),
                    .adjust = adjustQwen});
    rows.push_back({.type = "phi",
                    .defaults = with(decoder("Phi", ModelPositions::Rotary),
                                     [](ModelConfig& c) {
                                         c.normPlace = NormPlace::Parallel;
                                         c.activation = Activation::GeluTanh;
                                         c.rotary.share = 0.5;
                                         c.tiedHead = false;
                                     }),
                    .names = {.prefix = "model.",
                              .tokens = "embed_tokens",
                              .layer = "layers.{}.",
                              .query = "self_attn.q_proj",
                              .key = "self_attn.k_proj",
                              .value = "self_attn.v_proj",
                              .output = "self_attn.dense",
                              .up = "mlp.fc1",
                              .down = "mlp.fc2",
                              .attentionNorm = "input_layernorm",
                              .mlpNorm = "input_layernorm",
                              .finalNorm = "final_layernorm",
                              .head = "lm_head",
                              .headBias = "lm_head.bias"},
                    .adjust = adjustPhi});
    rows.push_back(
        {.type = "phi3",
         .defaults = with(llamaLike("Phi-3"), [](ModelConfig& c) { c.normEpsilon = 1e-5; }),
         .names = phi3Names(),
         .layout = QkvLayout::Contiguous,
         .adjust = adjustMistral});
    rows.push_back({.type = "gemma",
                    .defaults = gemmaLike("Gemma"),
                    .names = LlamaNames,
                    .adjust = adjustGemma});
    rows.push_back({.type = "gemma2",
                    .defaults = with(gemmaLike("Gemma 2"),
                                     [](ModelConfig& c) { c.normPlace = NormPlace::Sandwich; }),
                    .names = sandwiched(LlamaNames),
                    .adjust = adjustGemma2});
    for (const char* type : {"gemma3_text", "gemma3"}) {
        rows.push_back({.type = type,
                        .defaults = with(gemmaLike("Gemma 3"),
                                         [](ModelConfig& c) {
                                             c.normPlace = NormPlace::Sandwich;
                                             c.queryKeyNorm = true;
                                             c.rotary.base = 1e6;
                                         }),
                        .names = withQueryKeyNorm(sandwiched(LlamaNames)),
                        .localRotaryBase = 10000,
                        .adjust = adjustGemma3});
    }
    addEncoderDecoderFamilies(rows);
    return rows;
}

} // namespace

std::span<const ModelFamily> modelFamilyRows()
{
    static const std::vector<ModelFamily> rows = makeFamilies();
    return rows;
}

const ModelFamily* findModelFamily(std::string_view type)
{
    const auto rows = modelFamilyRows();
    const auto row = std::find_if(rows.begin(), rows.end(), [type](const ModelFamily& family) {
        return family.type == type;
    });
    return row == rows.end() ? nullptr : &*row;
}

} // namespace heed::detail
