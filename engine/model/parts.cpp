// Which tensors the parts of a model are made of, with their shapes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parts.h"

#include <optional>

namespace heed::detail {

namespace {

/// Fills parts one after another and keeps the first error.
class Loader {
public:
    explicit Loader(const Blueprint& model)
        : m_model(model)
    {
    }

    void weight(Weight& target, const std::string& name, const Shape& shape)
    {
        keep(target, [&] { return m_model.weights.read(name, shape); });
    }
    void table(Table& target, const std::string& name, const Shape& shape)
    {
        keep(target, [&] { return m_model.weights.table(name, shape); });
    }
    void linear(Linear& target, const std::string& name, std::int64_t out, std::int64_t in,
                bool hasBias, bool isTransposed = false)
    {
        keep(target, [&] { return m_model.weights.linear(name, out, in, hasBias, isTransposed); });
    }
    void norm(Norm& target, const std::string& name, std::int64_t width, bool hasBias)
    {
        keep(target, [&] { return m_model.weights.norm(name, width, hasBias); });
    }

    template <typename Part>
    [[nodiscard]] Expected<Part> result(Part part)
    {
        if (m_error) {
            return tl::unexpected(std::move(*m_error));
        }
        return part;
    }

private:
    template <typename T, typename Load>
    void keep(T& target, const Load& load)
    {
        if (m_error) {
            return;
        }
        auto loaded = load();
        if (loaded) {
            target = std::move(*loaded);
        } else {
            m_error = std::move(loaded.error());
        }
    }

    const Blueprint& m_model;
    std::optional<Error> m_error;
};

/// The name of a tensor of a layer: "encoder.layer.3." and so on.
std::string inLayer(const Blueprint& model, std::int64_t layer, std::string_view stem)
{
    std::string name(model.family.names.layer);
    name.replace(name.find("{}"), 2, std::to_string(model.config.weightsOf(layer)));
    return model.weights.nameOf(name.append(stem));
}

std::int64_t fusedWidth(const ModelConfig& config)
{
    return (config.heads + 2 * config.kvHeads) * config.headSize;
}

} // namespace

Expected<EmbeddingWeights> loadEmbedding(const Blueprint& model)
{
    const ModelConfig& config = model.config;
    const TensorNames& names = model.family.names;
    const Weights& weights = model.weights;
    const std::int64_t width = config.embeddingWidth;
    Loader load(model);
    EmbeddingWeights result;
    load.table(result.tokens, weights.nameOf(names.tokens) + ".weight", {config.vocabulary, width});
    if (config.positions == ModelPositions::Learned) {
        load.table(result.positions, weights.nameOf(names.positions) + ".weight",
                   {config.positionOffset + config.longest,
                    model.family.projectsTokensOnly ? config.width : width});
    }
    if (config.tokenTypes > 0) {
        load.table(result.types, weights.nameOf(names.tokenTypes) + ".weight",
                   {config.tokenTypes, width});
    }
    if (!names.embeddingNorm.empty()) {
        load.norm(result.norm, weights.nameOf(names.embeddingNorm), width, config.normBias);
    }
    const std::string projection = weights.nameOf(names.embeddingProjection);
    if (width != config.width ||
        (!names.embeddingProjection.empty() && weights.has(projection + ".weight"))) {
        load.linear(result.projection, projection, config.width, width,
                    !model.family.projectsTokensOnly);
    }
    return load.result(std::move(result));
}

Expected<BlockWeights> loadBlock(const Blueprint& model, std::int64_t layer)
{
    const ModelConfig& config = model.config;
    const ModelFamily& family = model.family;
    const TensorNames& names = family.names;
    const auto name = [&](std::string_view stem) { return inLayer(model, layer, stem); };
    const std::int64_t width = config.width;
    const std::int64_t queries = config.heads * config.headSize;
    const std::int64_t keys = config.kvHeads * config.headSize;
    const std::int64_t fused = fusedWidth(config);
    // Square matrices do not tell how they are stored; the fused one, which is not square, does.
    const bool isTransposed = family.mayBeTransposed &&
                              model.weights.isTransposed(name(names.qkv) + ".weight", fused, width);

    Loader load(model);
    BlockWeights result;
    if (layer > 0 || !family.firstLayerHasNoNorm) {
        load.norm(result.attentionNorm, name(names.attentionNorm), width, config.normBias);
    }
    load.norm(result.mlpNorm, name(names.mlpNorm), width, config.normBias);
    if (config.normPlace == NormPlace::Sandwich) {
        load.norm(result.attentionOutNorm, name(names.attentionOutNorm), width, config.normBias);
        load.norm(result.mlpOutNorm, name(names.mlpOutNorm), width, config.normBias);
    }
    if (config.queryKeyNorm) {
        load.norm(result.queryNorm, name(names.queryNorm), config.headSize, false);
        load.norm(result.keyNorm, name(names.keyNorm), config.headSize, false);
    }
    if (family.layout == QkvLayout::Split) {
        result.qkv.resize(3);
        load.linear(result.qkv[0], name(names.query), queries, width, config.qkvBias);
        load.linear(result.qkv[1], name(names.key), keys, width, config.qkvBias);
        load.linear(result.qkv[2], name(names.value), keys, width, config.qkvBias);
    } else {
        result.qkv.resize(1);
        load.linear(result.qkv[0], name(names.qkv), fused, width, config.qkvBias, isTransposed);
    }
    load.linear(result.output, name(names.output), width, queries, config.outputBias, isTransposed);
    if (config.gatedMlp && !names.gate.empty()) {
        result.up.resize(2);
        load.linear(result.up[0], name(names.gate), config.mlpWidth, width, config.mlpBias);
        load.linear(result.up[1], name(names.up), config.mlpWidth, width, config.mlpBias);
    } else {
        const std::string_view up =
            config.gatedMlp || names.plainUp.empty() ? names.up : names.plainUp;
        result.up.resize(1);
        load.linear(result.up[0], name(up), (config.gatedMlp ? 2 : 1) * config.mlpWidth, width,
                    config.mlpBias, isTransposed);
    }
    load.linear(result.down, name(names.down), width, config.mlpWidth, config.mlpBias,
                isTransposed);
    if (config.crossAttention) {
        load.norm(result.crossNorm, name(names.crossNorm), width, config.normBias);
        load.linear(result.crossQuery, name(names.crossQuery), queries, width, config.qkvBias);
        result.crossKeyValue.resize(2);
        load.linear(result.crossKeyValue[0], name(names.crossKey), keys, width, config.qkvBias);
        load.linear(result.crossKeyValue[1], name(names.crossValue), keys, width, config.qkvBias);
        load.linear(result.crossOutput, name(names.crossOutput), width, queries, config.outputBias);
    }
    return load.result(std::move(result));
}

Expected<Weight> loadRelativeBias(const Blueprint& model)
{
    const RelativeBias& settings = model.config.relativeBias;
    Loader load(model);
    Weight result;
    if (settings.buckets > 0) {
        load.weight(result, model.weights.nameOf(model.family.names.relativeBias) + ".weight",
                    {settings.buckets, model.config.heads});
    }
    return load.result(std::move(result));
}

Expected<Norm> loadFinalNorm(const Blueprint& model)
{
    const std::string_view name = model.family.names.finalNorm;
    Loader load(model);
    Norm result;
    if (!name.empty() && model.config.normPlace != NormPlace::Post) {
        load.norm(result, model.weights.nameOf(name), model.config.width, model.config.normBias);
    }
    return load.result(std::move(result));
}

Expected<Linear> loadOutputProjection(const Blueprint& model)
{
    const std::string_view name = model.family.names.outputProjection;
    const ModelConfig& config = model.config;
    Loader load(model);
    Linear result;
    if (!name.empty() && config.width != config.embeddingWidth) {
        load.linear(result, model.weights.nameOf(name), config.embeddingWidth, config.width, false);
    }
    return load.result(std::move(result));
}

bool hasHead(const Blueprint& model)
{
    const TensorNames& names = model.family.names;
    if (!names.headDense.empty()) {
        return model.weights.has(std::string(names.headDense) + ".weight");
    }
    return model.config.tiedHead || model.weights.has(std::string(names.head) + ".weight");
}

Expected<HeadWeights> loadHead(const Blueprint& model)
{
    const ModelConfig& config = model.config;
    const ModelFamily& family = model.family;
    const TensorNames& names = family.names;
    Loader load(model);
    HeadWeights result;
    if (!names.headDense.empty()) {
        load.linear(result.dense, std::string(names.headDense), config.embeddingWidth, config.width,
                    family.headDenseBias);
        load.norm(result.norm, std::string(names.headNorm), config.embeddingWidth, config.normBias);
    }
    const std::string own = std::string(names.head) + ".weight";
    const bool isTied = config.tiedHead && !(family.prefersOwnHead && model.weights.has(own));
    load.table(result.words, isTied ? model.weights.nameOf(names.tokens) + ".weight" : own,
               {config.vocabulary, config.embeddingWidth});
    const std::string bias(names.headBias);
    if (family.headBiasIsRow) {
        if (model.weights.has(bias)) {
            load.weight(result.bias, bias, {1, config.vocabulary});
        }
    } else if (!bias.empty()) {
        load.weight(result.bias, bias, {config.vocabulary});
    }
    return load.result(std::move(result));
}

} // namespace heed::detail
