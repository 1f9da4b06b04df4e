// The rows of settings of encoders with decoders.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/families.h"

#include <cmath>

namespace heed::detail {

namespace {

/// The other half: as the encoder, but for what settings say of it.
void addDecoder(const ModelSettings& settings, ModelConfig& config)
{
    ModelConfig decoder = config;
    decoder.causal = decoder.crossAttention = true;
    decoder.layers = settings.whole({"num_decoder_layers", "decoder_layers"}, config.layers);
    decoder.heads = settings.whole({"decoder_attention_heads"}, config.heads);
    decoder.kvHeads = decoder.heads;
    decoder.mlpWidth = settings.whole({"decoder_ffn_dim"}, config.mlpWidth);
    if (decoder.layers < 1 || decoder.heads < 1) {
        settings.complain(Code::InvalidShape, "The decoder has no layers or no heads. Use the "
                                              "config.json that came with the weights.");
        return;
    }
    if (!settings.has("d_kv")) {
        decoder.headSize = decoder.width / decoder.heads;
        decoder.scale = 1 / std::sqrt(static_cast<double>(decoder.headSize));
    }
    // No more than a file of settings could mean; the size is checked again with the others.
    constexpr std::int64_t mostLayers = 4096;
    decoder.windows.assign(static_cast<std::size_t>(std::min(decoder.layers, mostLayers)), 0);
    config.decoderStart = settings.whole({"decoder_start_token_id"}, config.decoderStart);
    config.decoder = std::make_shared<const ModelConfig>(std::move(decoder));
}

/// "relu", "gated-gelu": the activation of the MLP, and whether it has a gate.
void readFeedForward(const ModelSettings& settings, ModelConfig& config)
{
    std::string kind = settings.text({"feed_forward_proj"}, "relu");
    constexpr std::string_view gated = "gated-";
    config.gatedMlp = kind.starts_with(gated);
    if (config.gatedMlp) {
        kind.erase(0, gated.size());
    }
    if (kind == "relu") {
        config.activation = Activation::Relu;
    } else if (kind == "gelu" || kind == "gelu_new") {
        // The gated one of T5 1.1 is the tanh form; without a gate the name means what it says.
        config.activation =
            config.gatedMlp || kind == "gelu_new" ? Activation::GeluTanh : Activation::Gelu;
    } else if (kind == "silu" || kind == "swish") {
        config.activation = Activation::Silu;
    } else {
        settings.complain(Code::Unsupported, "The MLP \"" + kind +
                                                 "\" is not supported; there are relu, gelu, "
                                                 "gelu_new and silu, gated or not.");
    }
}

void adjustT5(const ModelSettings& settings, ModelConfig& config)
{
    config.scale = 1;
    config.relativeBias.buckets = settings.whole({"relative_attention_num_buckets"}, 32);
    config.relativeBias.distance = settings.whole({"relative_attention_max_distance"}, 128);
    readFeedForward(settings, config);
    if (settings.boolean({"scale_decoder_outputs"}, config.tiedHead)) {
        config.headScale = 1 / std::sqrt(static_cast<double>(config.width));
    }
    config.decoderStart = config.paddingToken;
    addDecoder(settings, config);
}

void adjustBart(const ModelSettings& settings, ModelConfig& config)
{
    if (settings.boolean({"scale_embedding"}, false)) {
        config.embeddingScale = std::sqrt(static_cast<double>(config.width));
    }
    addDecoder(settings, config);
}

/// The names of one half; T5 counts the parts of a layer.
TensorNames t5Names(bool isDecoder)
{
    TensorNames names{.tokens = "shared",
                      .layer = isDecoder ? "decoder.block.{}." : "encoder.block.{}.",
                      .query = "layer.0.SelfAttention.q",
                      .key = "layer.0.SelfAttention.k",
                      .value = "layer.0.SelfAttention.v",
                      .output = "layer.0.SelfAttention.o",
                      .attentionNorm = "layer.0.layer_norm",
                      .head = "lm_head"};
    if (isDecoder) {
        names.gate = "layer.2.DenseReluDense.wi_0";
        names.up = "layer.2.DenseReluDense.wi_1";
        names.plainUp = "layer.2.DenseReluDense.wi";
        names.down = "layer.2.DenseReluDense.wo";
        names.mlpNorm = "layer.2.layer_norm";
        names.crossQuery = "layer.1.EncDecAttention.q";
        names.crossKey = "layer.1.EncDecAttention.k";
        names.crossValue = "layer.1.EncDecAttention.v";
        names.crossOutput = "layer.1.EncDecAttention.o";
        names.crossNorm = "layer.1.layer_norm";
        names.finalNorm = "decoder.final_layer_norm";
        names.relativeBias = "decoder.block.0.layer.0.SelfAttention.relative_attention_bias";
    } else {
        names.gate = "layer.1.DenseReluDense.wi_0";
        names.up = "layer.1.DenseReluDense.wi_1";
        names.plainUp = "layer.1.DenseReluDense.wi";
        names.down = "layer.1.DenseReluDense.wo";
        names.mlpNorm = "layer.1.layer_norm";
        names.finalNorm = "encoder.final_layer_norm";
        names.relativeBias = "encoder.block.0.layer.0.SelfAttention.relative_attention_bias";
    }
    return names;
}

TensorNames bartNames(bool isDecoder)
{
    TensorNames names{
        .prefix = "model.",
        .tokens = "shared",
        .positions = isDecoder ? "decoder.embed_positions" : "encoder.embed_positions",
        .embeddingNorm = isDecoder ? "decoder.layernorm_embedding" : "encoder.layernorm_embedding",
        .layer = isDecoder ? "decoder.layers.{}." : "encoder.layers.{}.",
        .query = "self_attn.q_proj",
        .key = "self_attn.k_proj",
        .value = "self_attn.v_proj",
        .output = "self_attn.out_proj",
        .up = "fc1",
        .down = "fc2",
        .attentionNorm = "self_attn_layer_norm",
        .mlpNorm = "final_layer_norm",
        .finalNorm = isDecoder ? "decoder.layer_norm" : "encoder.layer_norm",
        .head = "lm_head",
        .headBias = "final_logits_bias"};
    if (isDecoder) {
        names.crossQuery = "encoder_attn.q_proj";
        names.crossKey = "encoder_attn.k_proj";
        names.crossValue = "encoder_attn.v_proj";
        names.crossOutput = "encoder_attn.out_proj";
        names.crossNorm = "encoder_attn_layer_norm";
    }
    return names;
}

TensorNames marianNames(bool isDecoder)
{
    TensorNames names = bartNames(isDecoder);
    names.embeddingNorm = "";
    return names;
}

ModelConfig t5Defaults(std::string title)
{
    ModelConfig config;
    config.title = std::move(title);
    config.norm = NormKind::Rms;
    config.normEpsilon = 1e-6;
    config.normBias = config.qkvBias = config.outputBias = config.mlpBias = false;
    config.headSize = 64;
    config.positions = ModelPositions::None;
    return config;
}

ModelConfig bartDefaults(std::string title)
{
    ModelConfig config;
    config.title = std::move(title);
    config.normPlace = NormPlace::Post;
    config.paddingToken = 1;
    config.positionOffset = 2;
    config.decoderStart = 2;
    return config;
}

} // namespace

void addEncoderDecoderFamilies(std::vector<ModelFamily>& rows)
{
    for (const auto& [type, title] : {std::pair("t5", "T5"), std::pair("mt5", "mT5")}) {
        rows.push_back({.type = type,
                        .defaults = t5Defaults(title),
                        .names = t5Names(false),
                        .prefersOwnHead = true,
                        .decoderNames = t5Names(true),
                        .adjust = adjustT5});
    }
    rows.push_back({.type = "bart",
                    .defaults = bartDefaults("BART"),
                    .names = bartNames(false),
                    .headBiasIsRow = true,
                    .decoderNames = bartNames(true),
                    .adjust = adjustBart});
    ModelConfig mbart = bartDefaults("mBART");
    mbart.normPlace = NormPlace::Pre;
    rows.push_back({.type = "mbart",
                    .defaults = mbart,
                    .names = bartNames(false),
                    .headBiasIsRow = true,
                    .decoderNames = bartNames(true),
                    .adjust = adjustBart});
    ModelConfig marian = bartDefaults("Marian");
    marian.positions = ModelPositions::Sinusoid;
    marian.positionOffset = 0;
    marian.decoderStart = -1;
    rows.push_back({.type = "marian",
                    .defaults = marian,
                    .names = marianNames(false),
                    .headBiasIsRow = true,
                    .decoderNames = marianNames(true),
                    .adjust = adjustBart});
}

} // namespace heed::detail
