// Checkpoints in GGUF files: their settings and names, as the families know them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/ggufmodel.h"

#include "heed/gguf.h"
#include "model/rotary.h"
#include "text/nearestname.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace heed::detail {

namespace {

constexpr TensorNames GgufNames = {.prefix = "",
                                   .tokens = "token_embd",
                                   .positions = "position_embd",
                                   .tokenTypes = "token_types",
                                   .layer = "blk.{}.",
                                   .qkv = "attn_qkv",
                                   .query = "attn_q",
                                   .key = "attn_k",
                                   .value = "attn_v",
                                   .queryNorm = "attn_q_norm",
                                   .keyNorm = "attn_k_norm",
                                   .output = "attn_output",
                                   .gate = "ffn_gate",
                                   .up = "ffn_up",
                                   .down = "ffn_down",
                                   .attentionNorm = "attn_norm",
                                   .mlpNorm = "ffn_norm",
                                   .finalNorm = "output_norm",
                                   .head = "output"};

constexpr TensorNames ggufNames(void (*change)(TensorNames&))
{
    TensorNames names = GgufNames;
    change(names);
    return names;
}

constexpr TensorNames SandwichNames = ggufNames([](TensorNames& names) {
    names.attentionOutNorm = "post_attention_norm";
    names.mlpOutNorm = "post_ffw_norm";
});
constexpr TensorNames BertNames = ggufNames([](TensorNames& names) {
    names.embeddingNorm = "token_embd_norm";
    names.attentionNorm = "attn_output_norm";
    names.mlpNorm = "layer_output_norm";
});
constexpr TensorNames PhiNames = ggufNames([](TensorNames& names) {
    names.mlpNorm = "attn_norm";
    names.headBias = "output.bias";
});

/// An architecture of the format, and the family it is.
struct Architecture {
    std::string_view name;
    std::string_view family;
    TensorNames names = GgufNames;
    bool adjacentPairs = false; ///< rows of Q and K are in the order of adjacent rotary pairs
    /// Layers of the one size whose scores are scaled by the width of the model's share of a head,
    /// not by the size of the head; no value of the file says so.
    std::int64_t layersOfOddScale = 0;
};

constexpr std::array<Architecture, 11> Architectures = {
    {{"llama", "llama", GgufNames, true},
     {"qwen2", "qwen2"},
     {"qwen3", "qwen3"},
     {"gemma", "gemma"},
     {"gemma2", "gemma2", SandwichNames, false, 46},
     {"gemma3", "gemma3_text", SandwichNames, false, 62},
     {"phi2", "phi", PhiNames},
     {"phi3", "phi3"},
     {"gpt2", "gpt2"},
     {"gptneox", "gpt_neox"},
     {"bert", "bert", BertNames}}};

enum class Kind { Whole, Number, Flag, Text };

/// A value behind "<architecture>." and its name in a config.json.
struct Key {
    std::string_view stored;
    std::string_view setting;
    Kind kind = Kind::Whole;
};

constexpr std::array<Key, 21> Keys = {
    {{"block_count", "num_hidden_layers"},
     {"embedding_length", "hidden_size"},
     {"feed_forward_length", "intermediate_size"},
     {"context_length", "max_position_embeddings"},
     {"attention.head_count", "num_attention_heads"},
     {"attention.head_count_kv", "num_key_value_heads"},
     {"attention.key_length", "head_dim"},
     {"attention.sliding_window", "sliding_window"},
     {"attention.layer_norm_epsilon", "layer_norm_eps", Kind::Number},
     {"attention.layer_norm_rms_epsilon", "rms_norm_eps", Kind::Number},
     {"attn_logit_softcapping", "attn_logit_softcapping", Kind::Number},
     {"final_logit_softcapping", "final_logit_softcapping", Kind::Number},
     {"use_parallel_residual", "use_parallel_residual", Kind::Flag},
     {"rope.freq_base", "rope_theta", Kind::Number},
     {"rope.freq_base_swa", "rope_local_base_freq", Kind::Number},
     {"rope.scaling.type", "rope_scaling.rope_type", Kind::Text},
     {"rope.scaling.factor", "rope_scaling.factor", Kind::Number},
     {"rope.scaling.original_context_length", "rope_scaling.original_max_position_embeddings"},
     {"rope.scaling.yarn_beta_fast", "rope_scaling.beta_fast", Kind::Number},
     {"rope.scaling.yarn_beta_slow", "rope_scaling.beta_slow", Kind::Number},
     {"rope.scale_linear", "rope_scaling.factor", Kind::Number}}};

/// What changes the numbers in a way the engine does not have, where it is not 0.
constexpr std::array<std::string_view, 6> Foreign = {
    "expert_count", "attention.max_alibi_bias", "attention.clamp_kqv",
    "logit_scale",  "embedding_scale",          "residual_scale"};

/// Reads one file and keeps the first error.
class Reader {
public:
    Reader(const ArrayFile& file, const GgufMetadata& metadata, const Architecture& architecture,
           const std::string& where)
        : m_file(file)
        , m_metadata(metadata)
        , m_architecture(architecture)
        , m_where(where)
        , m_settings(where)
    {
    }

    Expected<GgufModel> read()
    {
        GgufModel model{{}, *findModelFamily(m_architecture.family)};
        adapt(model.family);
        refuseForeign();
        readValues();
        readShapes();
        if (m_error) {
            return tl::unexpected(*m_error);
        }
        auto config = configure(model.family, m_settings, m_where);
        if (!config) {
            return tl::unexpected(config.error());
        }
        model.config = std::move(*config);
        complete(model);
        if (m_error) {
            return tl::unexpected(*m_error);
        }
        return model;
    }

private:
    [[nodiscard]] const GgufValue* find(std::string_view name) const
    {
        return m_metadata.find(std::string(m_architecture.name).append(".").append(name));
    }
    [[nodiscard]] bool has(const std::string& tensor) const
    {
        return m_file.find(tensor) != nullptr;
    }
    void keep(Error error)
    {
        if (!m_error) {
            m_error = std::move(error);
        }
    }
    void refuse(Code code, std::string message) { keep({code, std::move(message), m_where}); }

    template <typename T>
    void keepIn(T& target, const Expected<T>& read)
    {
        if (read) {
            target = *read;
        } else {
            keep(read.error());
        }
    }

    /// Names and layouts that only the file tells.
    void adapt(ModelFamily& family) const
    {
        family.names = m_architecture.names;
        family.layout = has("blk.0.attn_qkv.weight") ? QkvLayout::Contiguous : QkvLayout::Split;
        family.mayBeTransposed = false;
        if (!has("blk.0.ffn_gate.weight")) {
            family.names.gate = "";
        }
        if (!has("output.bias")) {
            family.names.headBias = "";
        }
        if (family.defaults.norm == NormKind::RmsPlusOne) {
            family.defaults.norm = NormKind::Rms; // 1 was added when the file was made
        }
    }

    void refuseForeign()
    {
        for (const std::string_view name : Foreign) {
            const GgufValue* value = find(name);
            if (value != nullptr && value->number().value_or(1) != 0) {
                refuse(Code::Unsupported, "The model has " + std::string(value->name()) + " = " +
                                              value->toString() + ", which is not supported.");
            }
        }
    }

    void readValues()
    {
        for (const char* needed : {"block_count", "embedding_length", "attention.head_count"}) {
            if (find(needed) == nullptr) {
                refuse(Code::NotFound, "The value " + std::string(m_architecture.name) + "." +
                                           needed +
                                           " is missing, so the shape of the model is not known.");
            }
        }
        for (const Key& key : Keys) {
            if (const GgufValue* value = find(key.stored)) {
                readValue(*value, key);
            }
        }
        // Only linear scaling was there before it had a name.
        if (find("rope.scaling.type") == nullptr && !has("rope_factors_long.weight") &&
            (find("rope.scaling.factor") != nullptr || find("rope.scale_linear") != nullptr)) {
            m_settings.set("rope_scaling.rope_type", "linear");
        }
        readHeadSizes();
        if (const GgufValue* pad = m_metadata.find("tokenizer.ggml.padding_token_id")) {
            readValue(*pad, {"", "pad_token_id"});
        }
        readWindows();
    }

    void readValue(const GgufValue& value, const Key& key)
    {
        const auto keepValue = [&](const auto& read) {
            if (read) {
                m_settings.set(key.setting, ModelSettings::Value(*read));
            } else {
                keep(read.error());
            }
        };
        switch (key.kind) {
        case Kind::Whole:
            keepValue(oneFor(value));
            break;
        case Kind::Number:
            keepValue(value.number());
            break;
        case Kind::Flag:
            keepValue(value.boolean());
            break;
        case Kind::Text:
            keepValue(value.text().map([](std::string_view text) {
                // The numbers of longrope are tensors: readDivisors().
                return std::string(text == "none" || text == "longrope" ? "default" : text);
            }));
            break;
        }
    }

    /// A number, or a list with one for each layer, all equal.
    [[nodiscard]] Expected<std::int64_t> oneFor(const GgufValue& value) const
    {
        if (value.type() != GgufType::List) {
            return value.integer();
        }
        const auto numbers = value.integers();
        if (!numbers) {
            return tl::unexpected(numbers.error());
        }
        if (numbers->empty() ||
            std::ranges::adjacent_find(*numbers, std::not_equal_to{}) != numbers->end()) {
            return fail(Code::Unsupported,
                        "The layers differ in " + std::string(value.name()) +
                            ", which is not supported.",
                        m_where);
        }
        return numbers->front();
    }

    [[nodiscard]] std::int64_t whole(std::string_view name, std::int64_t fallback)
    {
        const GgufValue* value = find(name);
        if (value == nullptr) {
            return fallback;
        }
        keepIn(fallback, oneFor(*value));
        return fallback;
    }

    void readHeadSizes()
    {
        const std::int64_t width = whole("embedding_length", 0);
        const std::int64_t heads = whole("attention.head_count", 0);
        const std::int64_t usual = heads > 0 ? width / heads : 0;
        const std::int64_t size = whole("attention.key_length", usual);
        if (size > 0) {
            m_settings.set("head_dim", size);
        }
        if (const std::int64_t values = whole("attention.value_length", size); values != size) {
            refuse(Code::Unsupported, "Heads have keys of " + std::to_string(size) +
                                          " numbers and values of " + std::to_string(values) +
                                          ", which is not supported.");
        }
        const std::int64_t turned = whole("rope.dimension_count", size);
        if (turned > 0 && turned < size) {
            // A little more than the quotient: the product must not be rounded below the count.
            m_settings.set(
                "partial_rotary_factor",
                std::nextafter(static_cast<double>(turned) / static_cast<double>(size), 1.0));
        } else if (turned != size) {
            refuse(Code::InvalidShape, "rope.dimension_count is " + std::to_string(turned) +
                                           " for heads of " + std::to_string(size) + " numbers.");
        }
        const bool isOdd = m_architecture.layersOfOddScale > 0 &&
                           whole("block_count", 0) == m_architecture.layersOfOddScale;
        m_settings.set("query_pre_attn_scalar", isOdd ? usual : size);
    }

    /// How often a layer sees everything, or of each layer whether it has a window.
    void readWindows()
    {
        const GgufValue* pattern = find("attention.sliding_window_pattern");
        if (pattern == nullptr) {
            return;
        }
        if (pattern->type() != GgufType::List) {
            readValue(*pattern, {"", "sliding_window_pattern"});
            return;
        }
        const auto windowed = pattern->booleans();
        if (!windowed) {
            keep(windowed.error());
            return;
        }
        for (std::size_t layer = 0; layer < windowed->size(); ++layer) {
            m_settings.set(
                "layer_types." + std::to_string(layer),
                std::string((*windowed)[layer] ? "sliding_attention" : "full_attention"));
        }
    }

    /// Sizes that only the tensors tell, or tell more reliably.
    void readShapes()
    {
        const auto rowsOf = [&](std::string_view name, std::string_view setting) {
            const ArrayInfo* info = m_file.find(std::string(name) + ".weight");
            if (info == nullptr || info->shape.size() != 2) {
                return false;
            }
            m_settings.set(setting, info->shape[0]);
            return true;
        };
        if (!rowsOf(GgufNames.tokens, "vocab_size")) {
            refuse(Code::NotFound, "The tensor \"token_embd.weight\" is missing, so the vocabulary "
                                   "of the model is not known.");
        }
        rowsOf(GgufNames.positions, "max_position_embeddings");
        if (!rowsOf(GgufNames.tokenTypes, "type_vocab_size")) {
            m_settings.set("type_vocab_size", std::int64_t{0});
        }
    }

    /// What no setting says but the tensors that are there.
    void complete(GgufModel& model)
    {
        ModelConfig& config = model.config;
        config.qkvBias = has("blk.0.attn_q.bias") || has("blk.0.attn_qkv.bias");
        config.outputBias = has("blk.0.attn_output.bias");
        config.mlpBias = has("blk.0.ffn_up.bias");
        config.queryKeyNorm = has("blk.0.attn_q_norm.weight");
        config.tiedHead = !has("output.weight") && m_architecture.family != "bert";
        if (const GgufValue* causal = find("attention.causal")) {
            keepIn(config.causal, causal->boolean());
        }
        if (const GgufValue* scale = find("attention.scale")) {
            keepIn(config.scale, scale->number());
            if (!(config.scale > 0)) {
                refuse(Code::InvalidShape,
                       "The scale of scores is " + scale->toString() + "; it should be above 0.");
            }
        }
        readDivisors(model);
        config.rotary.adjacent = config.localRotary.adjacent = m_architecture.adjacentPairs;
    }

    /// Llama 3 and Phi-3 keep the scaling of their angles as tensors.
    void readDivisors(GgufModel& model)
    {
        ModelConfig& config = model.config;
        RotarySettings& rotary = config.rotary;
        if (config.positions != ModelPositions::Rotary) {
            return;
        }
        readAttentionFactor(rotary);
        if (has("rope_factors_long.weight")) {
            rotary.scaling = RotaryScaling::LongRope;
            rotary.divisors = divisors("rope_factors_long.weight", config);
            rotary.shortDivisors = divisors("rope_factors_short.weight", config);
            rotary.originalLength =
                static_cast<double>(whole("rope.scaling.original_context_length", config.longest));
        } else if (has("rope_freqs.weight")) {
            rotary.divisors = divisors("rope_freqs.weight", config);
        }
        if (model.family.localRotaryBase == 0) {
            config.localRotary = rotary;
        }
    }

    /// Files have what YaRN's own rule is multiplied with, and all of LongRoPE's.
    void readAttentionFactor(RotarySettings& rotary)
    {
        if (const GgufValue* factor = find("rope.scaling.attn_factor")) {
            double value = 1;
            keepIn(value, factor->number());
            if (!(value > 0) || !std::isfinite(value)) {
                refuse(Code::InvalidShape, std::string(factor->name()) + " is " +
                                               factor->toString() + "; it should be above 0.");
            }
            rotary.attentionFactor *= value;
        }
    }

    /// A tensor with a number above 0 for each rotary pair.
    [[nodiscard]] std::vector<float> divisors(const std::string& name, const ModelConfig& config)
    {
        const ArrayInfo* info = m_file.find(name);
        const Shape wanted{RotaryTable::pairCount(config.rotary, config.headSize)};
        const auto numbers = info != nullptr && info->shape == wanted
                                 ? m_file.read(name)
                                 : Expected<Tensor>(Tensor({0}));
        if (!numbers) {
            keep(numbers.error());
            return {};
        }
        const auto values = numbers->values();
        if (info == nullptr || info->shape != wanted ||
            !std::ranges::all_of(values, [](float f) { return f > 0 && std::isfinite(f); })) {
            refuse(Code::InvalidShape, "The tensor \"" + name + "\" should have " +
                                           toString(wanted) + " numbers above 0.");
            return {};
        }
        return {values.begin(), values.end()};
    }

    const ArrayFile& m_file;
    const GgufMetadata& m_metadata;
    const Architecture& m_architecture;
    const std::string& m_where;
    ModelSettings m_settings;
    std::optional<Error> m_error;
};

tl::unexpected<Error> unknownArchitecture(std::string_view name, const std::string& where)
{
    std::array<std::string_view, Architectures.size()> known;
    std::ranges::transform(Architectures, known.begin(), &Architecture::name);
    const std::string_view nearest = nearestName(name, known);
    return fail(
        Code::Unsupported,
        "Models of the architecture " + inQuotes(name) + " are not supported" +
            (nearest.empty() ? "." : "; the nearest that is: " + std::string(nearest) + ".") +
            " Supported in GGUF files: " + listNames(known) + ".",
        where);
}

} // namespace

Expected<GgufModel> readGgufModel(const ArrayFile& file, const std::string& where)
{
    const GgufMetadata* metadata = ggufMetadata(file);
    if (metadata == nullptr) {
        return fail(Code::Unsupported,
                    "A model is a folder with a config.json, or a .gguf file; this file has "
                    "weights at most, without the settings of a model.",
                    where);
    }
    const auto name = metadata->value("general.architecture").and_then(&GgufValue::text);
    if (!name) {
        return tl::unexpected(name.error());
    }
    const auto* const architecture = std::ranges::find(Architectures, *name, &Architecture::name);
    if (architecture == Architectures.end()) {
        return unknownArchitecture(*name, where);
    }
    return Reader(file, *metadata, *architecture, where).read();
}

} // namespace heed::detail

namespace heed {

Expected<ModelConfig> readModelConfig(const ArrayFile& gguf, const std::string& where)
{
    return detail::readGgufModel(gguf, where).map([](detail::GgufModel model) {
        return std::move(model.config);
    });
}

} // namespace heed
