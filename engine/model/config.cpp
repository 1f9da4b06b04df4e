// From a config.json to the settings of a model.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/model.h"
#include "model/families.h"
#include "model/rotary.h"
#include "text/nearestname.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heed {

namespace {

using detail::ModelFamily;
using detail::ModelSettings;

// Larger numbers come from damaged files; products of these stay far below 2^63.
constexpr std::int64_t MostLayers = 4096;
constexpr std::int64_t MostHeads = 65536;
constexpr std::int64_t LargestWidth = 1 << 20;
constexpr std::int64_t LargestTable = 1 << 28;

constexpr std::array<std::pair<std::string_view, Activation>, 8> Activations = {
    {{"gelu", Activation::Gelu},
     {"gelu_new", Activation::GeluTanh},
     {"gelu_pytorch_tanh", Activation::GeluTanh},
     {"gelu_fast", Activation::GeluTanh},
     {"quick_gelu", Activation::QuickGelu},
     {"relu", Activation::Relu},
     {"silu", Activation::Silu},
     {"swish", Activation::Silu}}};

void readActivation(const ModelSettings& settings, ModelConfig& config)
{
    const std::string name =
        settings.text({"hidden_activation", "hidden_act", "activation_function", "activation"}, "");
    if (name.empty()) {
        return;
    }
    const auto entry = std::find_if(Activations.begin(), Activations.end(),
                                    [&](const auto& known) { return known.first == name; });
    if (entry == Activations.end()) {
        std::string known;
        for (const auto& activation : Activations) {
            known += (known.empty() ? "" : ", ") + std::string(activation.first);
        }
        settings.complain(Code::Unsupported, "The activation " + detail::inQuotes(name) +
                                                 " is not supported; there are " + known + ".");
        return;
    }
    config.activation = entry->second;
}

void readSizes(const ModelSettings& settings, ModelConfig& config)
{
    config.layers = settings.required(
        {"num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers"});
    config.width = settings.required({"hidden_size", "n_embd", "dim", "d_model"});
    config.heads = settings.required(
        {"num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads"});
    config.vocabulary = settings.required({"vocab_size"});
    config.embeddingWidth = settings.whole({"embedding_size", "word_embed_proj_dim"}, config.width);
    config.kvHeads = settings.whole({"num_key_value_heads"}, config.heads);
    config.mlpWidth = settings.whole(
        {"intermediate_size", "n_inner", "ffn_dim", "hidden_dim", "d_ff", "encoder_ffn_dim"},
        4 * config.width);
    const std::int64_t usualHeadSize =
        config.headSize > 0 ? config.headSize : config.width / config.heads;
    config.headSize = settings.whole({"head_dim", "d_kv"}, usualHeadSize);
    config.longest = settings.whole({"max_position_embeddings", "n_positions", "n_ctx"}, 0);
    if (config.tokenTypes > 0) {
        config.tokenTypes = settings.whole({"type_vocab_size"}, config.tokenTypes);
    }
    config.paddingToken = settings.whole({"pad_token_id"}, config.paddingToken);
}

void readNormsAndBiases(const ModelSettings& settings, ModelConfig& config)
{
    config.normEpsilon = settings.number(
        {"layer_norm_eps", "layer_norm_epsilon", "rms_norm_eps", "norm_eps"}, config.normEpsilon);
    config.normBias = settings.boolean({"norm_bias"}, config.normBias);
    config.qkvBias = settings.boolean({"attention_bias"}, config.qkvBias);
    config.outputBias = settings.boolean({"attention_bias"}, config.outputBias);
    config.mlpBias = settings.boolean({"mlp_bias"}, config.mlpBias);
    config.tiedHead = settings.boolean({"tie_word_embeddings"}, config.tiedHead);
}

constexpr std::array<std::pair<std::string_view, RotaryScaling>, 7> Scalings = {
    {{"default", RotaryScaling::None},
     {"linear", RotaryScaling::Linear},
     {"llama3", RotaryScaling::Llama3},
     {"dynamic", RotaryScaling::Dynamic},
     {"yarn", RotaryScaling::Yarn},
     {"longrope", RotaryScaling::LongRope},
     {"su", RotaryScaling::LongRope}}};

RotaryScaling readScaling(const ModelSettings& settings)
{
    const std::string kind = settings.text({"rope_type", "type"}, "default");
    const auto entry = std::find_if(Scalings.begin(), Scalings.end(),
                                    [&](const auto& known) { return known.first == kind; });
    if (entry == Scalings.end()) {
        settings.complain(Code::Unsupported,
                          "Rotary positions scaled by " + detail::inQuotes(kind) +
                              " are not supported; there are default, linear, llama3, dynamic, "
                              "yarn and longrope.");
        return RotaryScaling::None;
    }
    return entry->second;
}

/// YaRN's part of what scores are multiplied with, for a stretch by @p factor.
double yarnScale(double factor, double weight)
{
    return factor <= 1 ? 1 : 0.1 * weight * std::log(factor) + 1;
}

double readAttentionFactor(const ModelSettings& settings, const RotarySettings& rotary)
{
    double usual = 1;
    if (rotary.scaling == RotaryScaling::Yarn) {
        const double above = settings.number({"mscale"}, 0);
        const double below = settings.number({"mscale_all_dim"}, 0);
        usual = above != 0 && below != 0
                    ? yarnScale(rotary.factor, above) / yarnScale(rotary.factor, below)
                    : yarnScale(rotary.factor, 1);
    } else if (rotary.scaling == RotaryScaling::LongRope) {
        const double reach = settings.number({"max_position_embeddings"}, rotary.originalLength);
        const double factor = settings.number({"factor"}, reach / rotary.originalLength);
        usual = factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(rotary.originalLength));
    } else {
        return 1;
    }
    return settings.number({"attention_factor"}, usual);
}

std::vector<float> readDivisors(const ModelSettings& settings, std::string_view name)
{
    std::vector<float> divisors;
    for (std::int64_t i = 0; i < LargestWidth; ++i) {
        const std::string path = std::string(name) + "." + std::to_string(i);
        if (!settings.has(path)) {
            break;
        }
        divisors.push_back(static_cast<float>(settings.number({path}, 1)));
    }
    return divisors;
}

RotarySettings readRotary(const ModelSettings& settings, RotarySettings rotary)
{
    rotary.base = settings.number({"rope_theta"}, rotary.base);
    rotary.share = settings.number({"partial_rotary_factor", "rotary_pct"}, rotary.share);
    rotary.scaling = readScaling(settings);
    if (rotary.scaling != RotaryScaling::None) {
        const double reach = settings.number({"max_position_embeddings"}, rotary.originalLength);
        rotary.factor = settings.number({"factor"}, 1);
        rotary.lowFactor = settings.number({"low_freq_factor"}, rotary.lowFactor);
        rotary.highFactor = settings.number({"high_freq_factor"}, rotary.highFactor);
        rotary.originalLength =
            rotary.scaling == RotaryScaling::Dynamic
                ? reach
                : settings.number({"original_max_position_embeddings"},
                                  rotary.scaling == RotaryScaling::Llama3 ? rotary.originalLength
                                                                          : reach);
        rotary.fastTurns = settings.number({"beta_fast"}, rotary.fastTurns);
        rotary.slowTurns = settings.number({"beta_slow"}, rotary.slowTurns);
        rotary.roundsPairs = settings.boolean({"truncate"}, true);
    }
    if (rotary.scaling == RotaryScaling::LongRope) {
        rotary.divisors = readDivisors(settings, "long_factor");
        rotary.shortDivisors = readDivisors(settings, "short_factor");
    }
    rotary.attentionFactor = readAttentionFactor(settings, rotary);
    // Bounds that every honest file keeps, so that no angle becomes infinite.
    constexpr double most = 1e12;
    const auto isFine = [](double value) { return value > 0 && value < most; };
    if (!isFine(rotary.base) || !isFine(rotary.factor) || !isFine(rotary.lowFactor) ||
        !isFine(rotary.originalLength) || !isFine(rotary.fastTurns) || !isFine(rotary.slowTurns) ||
        !isFine(rotary.attentionFactor) || !(rotary.share > 0 && rotary.share <= 1) ||
        !(rotary.highFactor > rotary.lowFactor) ||
        (rotary.scaling == RotaryScaling::Dynamic && rotary.factor < 1) ||
        (rotary.scaling == RotaryScaling::Yarn && !(rotary.base > 1))) {
        settings.complain(Code::InvalidShape, "The numbers of the rotary positions are out of "
                                              "range. Use the config.json that came with the "
                                              "weights.");
    }
    return rotary;
}

/// LongRoPE's numbers are one for each pair.
void checkDivisors(const ModelSettings& settings, const ModelConfig& config)
{
    const RotarySettings& rotary = config.rotary;
    if (rotary.scaling != RotaryScaling::LongRope) {
        return;
    }
    const auto pairs =
        static_cast<std::size_t>(detail::RotaryTable::pairCount(rotary, config.headSize));
    for (const auto* divisors : {&rotary.divisors, &rotary.shortDivisors}) {
        if (divisors->size() != pairs || !std::ranges::all_of(*divisors, [](float divisor) {
                return divisor > 0 && std::isfinite(divisor);
            })) {
            settings.complain(Code::InvalidShape,
                              "The settings long_factor and short_factor should be lists of " +
                                  std::to_string(pairs) + " numbers above 0.");
        }
    }
}

/// Old files have the base beside everything else and the scaling in rope_scaling, new ones have
/// both in rope_parameters, for each kind of layer where these differ.
void readPositions(const ModelSettings& settings, const ModelFamily& family, ModelConfig& config)
{
    if (config.positions != ModelPositions::Rotary) {
        return;
    }
    RotarySettings global = config.rotary;
    global.base = settings.number({"global_rope_theta", "rotary_emb_base"}, global.base);
    config.rotary = readRotary(
        settings.within("rope_scaling").within("rope_parameters").within("full_attention"), global);
    checkDivisors(settings, config);
    config.localRotary = config.rotary;
    if (family.localRotaryBase > 0) {
        RotarySettings local;
        local.base =
            settings.number({"local_rope_theta", "rope_local_base_freq"}, family.localRotaryBase);
        local.share = config.rotary.share;
        // What rope_scaling says is not meant for these layers.
        const bool isSaid = settings.has("rope_parameters.sliding_attention.rope_type");
        config.localRotary =
            isSaid
                ? readRotary(settings.within("rope_parameters").within("sliding_attention"), local)
                : local;
    }
}

/// Newer files say of each layer what it sees.
void readLayerTypes(const ModelSettings& settings, ModelConfig& config)
{
    const auto widest = std::max_element(config.windows.begin(), config.windows.end());
    const std::int64_t window = widest == config.windows.end() ? 0 : *widest;
    for (std::int64_t layer = 0; layer < config.layers; ++layer) {
        const std::string name = "layer_types." + std::to_string(layer);
        const std::string kind = settings.text({name}, "");
        if (kind == "full_attention") {
            config.windows[static_cast<std::size_t>(layer)] = 0;
        } else if (kind == "sliding_attention") {
            config.windows[static_cast<std::size_t>(layer)] =
                window > 0 ? window : settings.whole({"sliding_window"}, 0);
        } else if (!kind.empty()) {
            settings.complain(Code::Unsupported, "Layers of the type " + detail::inQuotes(kind) +
                                                     " are not supported; there are "
                                                     "full_attention and sliding_attention.");
        }
    }
}

Expected<void> checkSizes(const ModelConfig& config, const std::string& where)
{
    struct Range {
        const char* what;
        std::int64_t value;
        std::int64_t least;
        std::int64_t most;
    };
    for (const Range& range :
         {Range{"Layers", config.layers, 1, MostLayers},
          Range{"The width (d_model)", config.width, 1, LargestWidth},
          Range{"Heads", config.heads, 1, MostHeads},
          Range{"Key/value heads", config.kvHeads, 1, MostHeads},
          Range{"The width of a head", config.headSize, 1, LargestWidth},
          Range{"The width of the MLP", config.mlpWidth, 1, LargestWidth},
          Range{"The width of the token table", config.embeddingWidth, 1, LargestWidth},
          Range{"The vocabulary", config.vocabulary, 1, LargestTable},
          Range{"The longest text", config.longest, 0, LargestTable},
          Range{"Token types", config.tokenTypes, 0, LargestTable},
          Range{"Buckets of distances", config.relativeBias.buckets, 0, LargestWidth},
          Range{"The longest distance", config.relativeBias.distance, 1, LargestTable},
          Range{"Groups of layers", config.layerGroups, 0, config.layers}}) {
        if (range.value < range.least || range.value > range.most) {
            return fail(Code::InvalidShape,
                        std::string(range.what) + ": " + std::to_string(range.value) +
                            " is out of range; it can be " + std::to_string(range.least) + " to " +
                            std::to_string(range.most) + ".",
                        where);
        }
    }
    const auto uneven = [&](const std::string& what, std::int64_t whole, std::int64_t parts) {
        return fail(Code::InvalidShape,
                    std::to_string(whole) + " " + what + " " + std::to_string(parts) +
                        " without a remainder. Use the config.json that came with the weights.",
                    where);
    };
    if (config.heads % config.kvHeads != 0) {
        return uneven("query heads cannot be shared by key/value heads numbering", config.heads,
                      config.kvHeads);
    }
    if (config.layerGroups > 0 && config.layers % config.layerGroups != 0) {
        return uneven("layers cannot be divided into groups numbering", config.layers,
                      config.layerGroups);
    }
    if (config.positions == ModelPositions::Learned && config.longest < 1) {
        return fail(Code::NotFound,
                    "The setting \"max_position_embeddings\" is missing or too small.", where);
    }
    return {};
}

Expected<void> checkNumbers(const ModelConfig& config, const std::string& where)
{
    // Half of the buckets are for one direction, half of these for single distances.
    if (config.relativeBias.buckets != 0 &&
        (config.relativeBias.buckets < 4 ||
         config.relativeBias.distance <= config.relativeBias.buckets / 2)) {
        return fail(Code::InvalidShape,
                    "Positions by distance need at least 4 buckets and a longest distance of more "
                    "than half of them.",
                    where);
    }
    if (!(config.normEpsilon >= 0) || !(config.scale > 0) || !(config.softCap >= 0) ||
        !(config.logitCap >= 0)) {
        return fail(Code::InvalidShape,
                    "An epsilon, a scale or a cap is out of range. Use the config.json that came "
                    "with the weights.",
                    where);
    }
    return {};
}

tl::unexpected<Error> unknownFamily(const std::string& type, const std::string& where)
{
    const auto known = modelFamilies();
    const std::string_view nearest = detail::nearestName(type, known);
    return fail(
        Code::Unsupported,
        "Models of the type " + detail::inQuotes(type) + " are not supported" +
            (nearest.empty() ? "." : "; the nearest that is: " + std::string(nearest) + ".") +
            " Supported: " + detail::listNames(known) + ".",
        where);
}

} // namespace

std::vector<std::string_view> modelFamilies()
{
    std::vector<std::string_view> names;
    for (const ModelFamily& family : detail::modelFamilyRows()) {
        names.push_back(family.type);
    }
    return names;
}

Expected<ModelConfig> readModelConfig(std::string_view json, const std::string& where)
{
    auto parsed = ModelSettings::parse(json, where);
    if (!parsed) {
        return tl::unexpected(parsed.error());
    }
    const std::string type = parsed->text({"model_type"}, "");
    if (type.empty()) {
        return fail(Code::NotFound,
                    "The setting \"model_type\" is missing, so the family of the model is not "
                    "known.",
                    where);
    }
    const ModelFamily* family = detail::findModelFamily(type);
    if (family == nullptr) {
        return unknownFamily(type, where);
    }
    // Models of several media keep the settings of their text part in an object of its own.
    auto config = detail::configure(*family, parsed->within("text_config"), where);
    if (config) {
        config->family = type;
    }
    return config;
}

Expected<ModelConfig> detail::configure(const ModelFamily& family, const ModelSettings& settings,
                                        const std::string& where)
{
    ModelConfig config = family.defaults;
    config.family = family.type;
    readSizes(settings, config);
    if (settings.problem()) {
        return tl::unexpected(*settings.problem());
    }
    if (auto fine = checkSizes(config, where); !fine) { // what follows divides by them
        return tl::unexpected(fine.error());
    }
    config.windows.assign(static_cast<std::size_t>(config.layers), 0);
    config.scale = 1 / std::sqrt(static_cast<double>(config.headSize));
    readNormsAndBiases(settings, config);
    readActivation(settings, config);
    readPositions(settings, family, config);
    if (family.adjust != nullptr) {
        family.adjust(settings, config);
    }
    readLayerTypes(settings, config);
    if (settings.problem()) {
        return tl::unexpected(*settings.problem());
    }
    for (const auto check : {checkSizes, checkNumbers}) { // a rule of the family changed some
        auto fine = check(config, where);
        if (fine && config.decoder != nullptr) {
            fine = check(*config.decoder, where);
        }
        if (!fine) {
            return tl::unexpected(fine.error());
        }
    }
    return config;
}

float ModelConfig::scoreScale(std::int64_t layer) const
{
    return static_cast<float>(scaleByLayer ? scale / static_cast<double>(layer + 1) : scale);
}

std::int64_t ModelConfig::weightsOf(std::int64_t layer) const
{
    return layerGroups == 0 ? layer : layer / (layers / layerGroups);
}

std::string ModelConfig::maskExpression(std::int64_t layer) const
{
    std::string mask = causal ? "causal & padding" : "padding";
    if (const std::int64_t window = windows[static_cast<std::size_t>(layer)]; window > 0) {
        mask += (causal ? " & window(" : " & symmetric(") + std::to_string(window) + ")";
    }
    return mask;
}

} // namespace heed
