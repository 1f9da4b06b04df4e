// Opening a checkpoint, and its forward pass from the ids to the logits.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/model.h"

#include "io/mappedfile.h"
#include "io/source.h"
#include "model/ggufmodel.h"
#include "model/modelinput.h"
#include "model/pass.h"
#include "model/relativebias.h"
#include "model/rowwise.h"
#include "model/weights.h"

#include <algorithm>
#include <new>
#include <optional>

namespace heed {

namespace {

using detail::Blueprint;
using detail::Memory;
using detail::ModelFamily;
using detail::Pass;
using detail::RotaryTable;
using detail::Weights;

std::int64_t sizeOf(const auto& list)
{
    return static_cast<std::int64_t>(list.size());
}

/// Numbers a run keeps and needs on the way, in bytes.
std::int64_t runBytes(const ModelConfig& config, std::int64_t rows, std::int64_t layers,
                      bool logits)
{
    const std::int64_t heads = (config.heads + 2 * config.kvHeads) * config.headSize;
    // In double: the sizes were checked one by one, their product was not.
    double numbers = static_cast<double>(layers) * static_cast<double>(heads + config.width);
    numbers += static_cast<double>(heads + 4 * config.width + 2 * config.mlpWidth);
    numbers += logits ? static_cast<double>(config.vocabulary) : 0;
    const double bytes = numbers * static_cast<double>(rows) * sizeof(float);
    return static_cast<std::int64_t>(std::min(bytes, 0x1p62));
}

class Checkpoint final : public Model {
public:
    Checkpoint(ModelConfig config, ModelFamily family, Weights weights, BackendPtr backend)
        : m_config(std::move(config))
        , m_family(std::move(family))
        , m_decoderFamily(m_family)
        , m_weights(std::move(weights))
        , m_backend(std::move(backend))
    {
        m_decoderFamily.names = m_family.decoderNames;
    }

    [[nodiscard]] const ModelConfig& config() const override { return m_config; }
    [[nodiscard]] bool hasHead() const override { return detail::hasHead(blueprint(last())); }

    [[nodiscard]] Expected<ModelRunPtr> run(const ModelInput& input,
                                            const Execution& execution) const override
    {
        try {
            return forward(input, execution);
        } catch (const std::bad_alloc&) {
            return fail(Code::OutOfMemory,
                        "There is no memory for this run. Give less text or fewer layers.");
        }
    }

    [[nodiscard]] Expected<Tensor> logits(const Tensor& hidden,
                                          const Execution& execution) const override
    {
        const Half half = last();
        if (!hasHead()) {
            return fail(Code::Unsupported, "This checkpoint has no head that predicts tokens.");
        }
        if (hidden.rank() != 3 || hidden.empty() || hidden.extent(2) != half.config.width) {
            return fail(Code::InvalidShape, "A hidden state " + toString(hidden.shape()) +
                                                " is none of this model; expected [B, L, " +
                                                std::to_string(half.config.width) + "].");
        }
        Pass pass{*m_backend,       half.config,      half.family,
                  hidden.extent(0), hidden.extent(1), execution};
        pass.execution.progress = {};
        const double bytes = static_cast<double>(pass.rows()) *
                             static_cast<double>(half.config.vocabulary) * sizeof(float);
        if (auto fits = checkMemory(static_cast<std::int64_t>(std::min(bytes, 0x1p62)),
                                    "The logits", execution, "select fewer tokens");
            !fits) {
            return tl::unexpected(fits.error());
        }
        try {
            return predict(pass, hidden);
        } catch (const std::bad_alloc&) {
            return fail(Code::OutOfMemory, "There is no memory for the logits of " +
                                               std::to_string(pass.rows()) + " tokens.");
        }
    }

    /// Looks up every tensor a run reads.
    [[nodiscard]] Expected<void> check() const
    {
        const Weights checking = m_weights.withoutNumbers();
        std::optional<Error> problem;
        const auto keep = [&](const auto& loaded) {
            if (!loaded && !problem) {
                problem = loaded.error();
            }
        };
        for (const Half& half : halves()) {
            const Blueprint model{half.config, half.family, checking};
            keep(detail::loadEmbedding(model));
            keep(detail::loadRelativeBias(model));
            for (std::int64_t layer = 0; layer < half.config.layers && !problem; ++layer) {
                keep(detail::loadBlock(model, layer));
            }
            keep(detail::loadFinalNorm(model));
            keep(detail::loadOutputProjection(model));
        }
        if (hasHead()) {
            keep(detail::loadHead({last().config, last().family, checking}));
        }
        if (problem) {
            return tl::unexpected(std::move(*problem));
        }
        return {};
    }

private:
    /// The model, or its encoder or decoder.
    struct Half {
        const ModelConfig& config;
        const ModelFamily& family;
    };
    [[nodiscard]] std::vector<Half> halves() const
    {
        std::vector<Half> all{{m_config, m_family}};
        if (m_config.decoder != nullptr) {
            all.push_back({*m_config.decoder, m_decoderFamily});
        }
        return all;
    }
    /// The one that ends in the head.
    [[nodiscard]] Half last() const { return halves().back(); }
    [[nodiscard]] Blueprint blueprint(const Half& half) const
    {
        return {half.config, half.family, m_weights};
    }

    /// One way through a half: what goes in, and where the results go.
    struct Way {
        Half half;
        const ModelInput& input;
        std::int64_t layers;       ///< to run
        std::int64_t layersBefore; ///< that ran already, of all that run
        std::int64_t layersOfAll;
        std::int64_t bytes; ///< that the run takes without its masks
        const Memory* memory = nullptr;
        std::vector<LayerCapture>& captures;
        std::vector<LayerCapture>* crossCaptures = nullptr;
        std::vector<Tensor>& hidden;
    };

    [[nodiscard]] Pass passOf(const Half& half, const ModelInput& input,
                              const Execution& execution) const
    {
        Pass pass{
            *m_backend, half.config, half.family, sizeOf(input.ids), sizeOf(input.ids.front()),
            execution};
        pass.execution.progress = {};
        return pass;
    }

    [[nodiscard]] Expected<ModelRunPtr> forward(const ModelInput& input,
                                                const Execution& execution) const
    {
        if (auto fine = detail::checkInput(m_config, input); !fine) {
            return tl::unexpected(fine.error());
        }
        const bool decodes = !input.targets.empty() && input.layers == 0;
        const ModelInput target = decodes ? detail::targetsOf(input) : ModelInput();
        if (decodes) {
            if (auto fine = detail::checkTargets(m_config, input, target); !fine) {
                return tl::unexpected(fine.error());
            }
        }
        const std::int64_t layers = input.layers == 0 ? m_config.layers : input.layers;
        const std::int64_t all = layers + (decodes ? m_config.decoder->layers : 0);
        const bool isWhole = m_config.decoder == nullptr ? layers == m_config.layers : decodes;
        const bool predicts = input.logits && isWhole && hasHead();
        const std::int64_t bytes = bytesOf(input, target, layers, predicts);
        if (auto fits = checkMemory(bytes, "A run of the model", execution, "give less text");
            !fits) {
            return tl::unexpected(fits.error());
        }

        auto run = std::make_shared<ModelRun>();
        ModelInput source = input;
        if (input.masked != AttentionSet::Encoder) {
            source.mask.clear();
        }
        auto done = go({halves().front(), source, layers, 0, all, bytes, nullptr, run->layers,
                        nullptr, run->hidden},
                       execution);
        if (done && decodes) {
            done = decode(input, target, {layers, all, bytes}, execution, *run);
        }
        if (!done) {
            return tl::unexpected(done.error());
        }
        if (predicts) {
            auto logits = predict(passOf(last(), decodes ? target : input, execution),
                                  decodes ? run->decoderHidden.back() : run->hidden.back());
            if (!logits) {
                return tl::unexpected(logits.error());
            }
            run->logits = std::move(*logits);
        }
        return run;
    }

    struct Progress {
        std::int64_t layersBefore;
        std::int64_t layersOfAll;
        std::int64_t bytes;
    };

    /// The decoder, with the last hidden state of the encoder in @p run.
    [[nodiscard]] Expected<void> decode(const ModelInput& input, const ModelInput& target,
                                        const Progress& so, const Execution& execution,
                                        ModelRun& run) const
    {
        auto mask = detail::crossMask(input, m_config.decoder->heads, sizeOf(target.ids.front()),
                                      execution, so.bytes);
        if (!mask) {
            return tl::unexpected(mask.error());
        }
        const Memory memory{run.hidden.back(), std::move(*mask)};
        return go({last(), target, m_config.decoder->layers, so.layersBefore, so.layersOfAll,
                   so.bytes, &memory, run.decoderLayers, &run.crossLayers, run.decoderHidden},
                  execution);
    }

    [[nodiscard]] std::int64_t bytesOf(const ModelInput& input, const ModelInput& target,
                                       std::int64_t layers, bool predicts) const
    {
        const bool decodes = !target.ids.empty();
        const std::int64_t rows = sizeOf(input.ids) * sizeOf(input.ids.front());
        const std::int64_t bytes = runBytes(m_config, rows, layers, predicts && !decodes);
        if (!decodes) {
            return bytes;
        }
        // Each layer keeps queries twice, and keys and values of the source beside its own.
        const ModelConfig& decoder = *m_config.decoder;
        const std::int64_t targets = sizeOf(target.ids) * sizeOf(target.ids.front());
        return bytes + runBytes(decoder, rows + 2 * targets, decoder.layers, predicts);
    }

    [[nodiscard]] Expected<void> go(const Way& way, const Execution& execution) const
    {
        const ModelConfig& config = way.half.config;
        const Pass pass = passOf(way.half, way.input, execution);
        const auto embedding = detail::loadEmbedding(blueprint(way.half));
        auto x = embedding ? detail::embedTokens(pass, *embedding, way.input)
                           : Expected<Tensor>(tl::unexpected(embedding.error()));
        if (!x) {
            return tl::unexpected(x.error());
        }
        way.hidden.push_back(*x);
        auto done = runLayers(way, pass, execution, *x);
        if (!done || way.layers < config.layers) {
            return done;
        }
        const auto norm = detail::loadFinalNorm(blueprint(way.half));
        if (!norm) {
            return tl::unexpected(norm.error());
        }
        if (norm->exists()) {
            done = detail::normalise(detail::rowsOf(way.hidden.back()), config.norm, *norm,
                                     config.normEpsilon, pass.execution);
        }
        return done;
    }

    [[nodiscard]] Expected<std::shared_ptr<const std::vector<float>>>
    distanceBiasOf(const Half& half, std::int64_t length) const
    {
        const auto table = detail::loadRelativeBias(blueprint(half));
        if (!table) {
            return tl::unexpected(table.error());
        }
        return table->exists() ? detail::distanceBias(half.config.relativeBias, !half.config.causal,
                                                      table->matrix(), length)
                               : nullptr;
    }

    /// One layer after another; the weights of each are read when it runs.
    [[nodiscard]] Expected<void> runLayers(const Way& way, const Pass& pass,
                                           const Execution& execution, Tensor& x) const
    {
        const ModelConfig& config = way.half.config;
        std::optional<RotaryTable> global;
        std::optional<RotaryTable> local;
        if (config.positions == ModelPositions::Rotary) {
            global.emplace(config.rotary, config.headSize, pass.length);
            local.emplace(config.localRotary, config.headSize, pass.length);
        }
        const auto distanceBias = distanceBiasOf(way.half, pass.length);
        if (!distanceBias) {
            return tl::unexpected(distanceBias.error());
        }
        detail::LayerMasks masks(config, way.input, way.bytes);
        for (std::int64_t layer = 0; layer < way.layers; ++layer) {
            if (execution.cancelled()) {
                return fail(Code::Cancelled, "Stopped.");
            }
            const auto weights = detail::loadBlock(blueprint(way.half), layer);
            if (!weights) {
                return tl::unexpected(weights.error());
            }
            auto mask = masks.of(layer, pass.execution);
            if (!mask) {
                return tl::unexpected(mask.error());
            }
            const bool isLocal = config.windows[static_cast<std::size_t>(layer)] > 0;
            const auto& rotary = isLocal ? local : global;
            auto captured = detail::runBlock(
                pass, *weights, layer,
                {rotary ? &*rotary : nullptr, std::move(*mask), *distanceBias, way.memory}, x);
            if (!captured) {
                return tl::unexpected(captured.error());
            }
            way.captures.push_back(std::move(captured->self));
            if (way.crossCaptures != nullptr) {
                way.crossCaptures->push_back(std::move(captured->cross));
            }
            way.hidden.push_back(x);
            if (execution.progress) {
                execution.progress(way.layersBefore + layer + 1, way.layersOfAll);
            }
        }
        return {};
    }

    /// Logits of the last hidden state.
    [[nodiscard]] Expected<Tensor> predict(const Pass& pass, const Tensor& hidden) const
    {
        const Half half = last();
        const auto projection = detail::loadOutputProjection(blueprint(half));
        const auto head = detail::loadHead(blueprint(half));
        if (!projection || !head) {
            return tl::unexpected(projection ? head.error() : projection.error());
        }
        auto narrow = projection->exists()
                          ? detail::apply(pass, *projection, detail::rowsOf(hidden))
                          : Expected<Tensor>(hidden);
        if (narrow && half.config.headScale != 1) {
            for (float& value : narrow->values()) {
                value *= static_cast<float>(half.config.headScale);
            }
        }
        return narrow ? detail::predict(pass, *head, *narrow) : narrow;
    }

    ModelConfig m_config;
    ModelFamily m_family;
    ModelFamily m_decoderFamily; ///< the same with the names of the decoder
    Weights m_weights;
    BackendPtr m_backend;
};

Expected<ModelPtr> makeCheckpoint(const ModelConfig& config, const ModelFamily& family,
                                  ArrayFilePtr tensors, BackendPtr backend)
{
    if (tensors == nullptr || backend == nullptr) {
        return fail(Code::InvalidArgument, "A model needs a file and a backend.");
    }
    const std::string probe = std::string(family.names.tokens) + ".weight";
    Weights weights(std::move(tensors), family.names.prefix, probe);
    auto model =
        std::make_shared<const Checkpoint>(config, family, std::move(weights), std::move(backend));
    if (auto fine = model->check(); !fine) {
        return tl::unexpected(fine.error());
    }
    return model;
}

Expected<ModelPtr> openFolder(const std::filesystem::path& folder, BackendPtr backend)
{
    const std::filesystem::path settings = folder / "config.json";
    const auto mapped = detail::MappedFile::open(settings);
    if (!mapped && mapped.error().code == Code::NotFound) {
        return fail(Code::NotFound,
                    "This folder has no config.json, which says what model it is. Give the folder "
                    "of a checkpoint, or a .gguf file.",
                    folder.string());
    }
    if (!mapped) {
        return tl::unexpected(mapped.error());
    }
    const auto config = readModelConfig(detail::asText((*mapped)->bytes()), settings.string());
    if (!config) {
        return tl::unexpected(config.error());
    }
    const auto file = detail::weightFileOf(folder);
    if (!file) {
        return tl::unexpected(file.error());
    }
    auto tensors = openArrays(*file);
    if (!tensors) {
        return tl::unexpected(tensors.error());
    }
    return makeModel(*config, std::move(*tensors), std::move(backend));
}

Expected<ModelPtr> openGguf(const std::filesystem::path& path, BackendPtr backend)
{
    auto tensors = openArrays(path);
    if (!tensors) {
        return tl::unexpected(tensors.error());
    }
    const auto gguf = detail::readGgufModel(**tensors, path.string());
    if (!gguf) {
        return tl::unexpected(gguf.error());
    }
    return makeCheckpoint(gguf->config, gguf->family, std::move(*tensors), std::move(backend));
}

} // namespace

HeadProblem LayerCapture::problem(std::int64_t item, std::int64_t head) const
{
    const auto matrix = [&](const Tensor& tensor, const BufferPtr& buffer) {
        const std::int64_t heads = tensor.extent(1);
        const std::int64_t rows = tensor.extent(2);
        const std::int64_t columns = tensor.extent(3);
        const std::int64_t place = item * heads + head / (q->extent(1) / heads);
        return BufferMatrix{buffer.get(), place * rows * columns, rows, columns, columns};
    };
    HeadProblem result;
    result.q = matrix(*q, qBuffer);
    result.k = matrix(*k, kBuffer);
    result.scale = scale;
    result.softCap = softCap;
    if (distanceBias != nullptr) {
        const auto count = static_cast<std::size_t>(q->extent(2) + k->extent(2) - 1);
        result.distanceBias =
            std::span(*distanceBias).subspan(static_cast<std::size_t>(head) * count, count);
    }
    result.mask = mask->plane(item, head);
    return result;
}

Expected<ModelPtr> makeModel(const ModelConfig& config, ArrayFilePtr tensors, BackendPtr backend)
{
    const ModelFamily* family = detail::findModelFamily(config.family);
    if (family == nullptr || static_cast<std::int64_t>(config.windows.size()) != config.layers) {
        return fail(Code::InvalidArgument,
                    "A model needs the settings that readModelConfig() gives.");
    }
    return makeCheckpoint(config, *family, std::move(tensors), std::move(backend));
}

Expected<ModelPtr> openModel(const std::filesystem::path& path, BackendPtr backend)
{
    std::error_code unknown;
    const bool isFolder = std::filesystem::is_directory(path, unknown);
    auto model =
        isFolder ? openFolder(path, std::move(backend)) : openGguf(path, std::move(backend));
    if (!model && model.error().context.empty()) {
        model.error().context = path.string();
    }
    return model;
}

} // namespace heed
