// Opening a checkpoint, and its forward pass from the ids to the logits.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/model.h"

#include "io/mappedfile.h"
#include "io/source.h"
#include "model/ggufmodel.h"
#include "model/pass.h"
#include "model/rowwise.h"

#include <algorithm>
#include <map>
#include <new>
#include <optional>

namespace heed {

namespace {

using detail::Blueprint;
using detail::ModelFamily;
using detail::Pass;
using detail::RotaryTable;
using detail::Weights;

std::string number(std::int64_t value)
{
    return std::to_string(value);
}

tl::unexpected<Error> refuse(std::string message)
{
    return fail(Code::InvalidArgument, std::move(message));
}

std::int64_t sizeOf(const auto& list)
{
    return static_cast<std::int64_t>(list.size());
}

/// A row of ids or types of an item: @p length numbers below @p limit.
Expected<void> checkRow(const std::vector<std::int64_t>& row, std::int64_t item,
                        std::int64_t length, std::int64_t limit, const std::string& what)
{
    if (sizeOf(row) != length) {
        return refuse("Item " + number(item) + " has " + number(sizeOf(row)) + " " + what +
                      "s, the first has " + number(length) + ". Pad all items to one length.");
    }
    const auto outside = std::find_if(row.begin(), row.end(), [limit](std::int64_t value) {
        return value < 0 || value >= limit;
    });
    if (outside != row.end()) {
        return refuse("The " + what + " " + number(*outside) + " of item " + number(item) +
                      " is outside the " + number(limit) +
                      " that the model has. The tokenizer and the model may belong to different "
                      "checkpoints.");
    }
    return {};
}

/// B rows of ids or types.
Expected<void> checkTable(const std::vector<std::vector<std::int64_t>>& rows,
                          const ModelInput& input, std::int64_t limit, const std::string& what)
{
    if (rows.size() != input.ids.size()) {
        return refuse("There are " + number(sizeOf(rows)) + " rows of " + what + "s for " +
                      number(sizeOf(input.ids)) + " items. Give one row for each.");
    }
    for (std::int64_t item = 0; item < sizeOf(rows); ++item) {
        if (auto fine = checkRow(rows[static_cast<std::size_t>(item)], item,
                                 sizeOf(input.ids.front()), limit, what);
            !fine) {
            return fine;
        }
    }
    return {};
}

Expected<void> checkInput(const ModelConfig& config, const ModelInput& input)
{
    if (input.ids.empty() || input.ids.front().empty()) {
        return refuse("There is no token to run the model on. Give at least one.");
    }
    const std::int64_t longest = sizeOf(input.ids.front());
    if (auto fine = checkTable(input.ids, input, config.vocabulary, "token id"); !fine) {
        return fine;
    }
    if (!input.types.empty()) {
        const std::int64_t types = std::max<std::int64_t>(1, config.tokenTypes);
        if (auto fine = checkTable(input.types, input, types, "token type"); !fine) {
            return fine;
        }
    }
    if (config.positions == ModelPositions::Learned && longest > config.longest) {
        return refuse("The text has " + number(longest) +
                      " tokens; the positions of this model "
                      "reach " +
                      number(config.longest) + ". Shorten it.");
    }
    if (!input.lengths.empty() && input.lengths.size() != input.ids.size()) {
        return refuse("There are " + number(sizeOf(input.lengths)) + " lengths for " +
                      number(sizeOf(input.ids)) + " items. Give one each.");
    }
    for (const std::int64_t real : input.lengths) {
        if (real < 1 || real > longest) {
            return refuse("A length of " + number(real) + " does not fit items of " +
                          number(longest) + " tokens. It can be 1 to " + number(longest) + ".");
        }
    }
    if (input.layers < 0 || input.layers > config.layers) {
        return refuse(number(input.layers) + " layers cannot run; the model has " +
                      number(config.layers) + ".");
    }
    return {};
}

/// Layers that see the same share one mask.
class LayerMasks {
public:
    /// @param besideBytes what the run takes beside its masks.
    LayerMasks(const ModelConfig& config, const ModelInput& input, std::int64_t besideBytes)
        : m_config(config)
        , m_input(input)
        , m_bytes(besideBytes)
    {
        m_context.items = static_cast<std::int64_t>(input.ids.size());
        m_context.heads = config.heads;
        m_context.queries = static_cast<std::int64_t>(input.ids.front().size());
        m_context.keys = m_context.queries;
        m_context.padSide = input.padSide;
        m_context.keyLengths = input.lengths;
        if (m_context.keyLengths.empty()) {
            m_context.keyLengths.assign(input.ids.size(), m_context.keys);
        }
    }

    [[nodiscard]] Expected<MaskPtr> of(std::int64_t layer, const Execution& execution)
    {
        std::string expression = m_config.maskExpression(layer);
        if (!m_input.mask.empty()) {
            // Alone first: "none) | (none" must not slip through the parentheses it is put into.
            if (auto valid = normaliseMask(m_input.mask); !valid) {
                return tl::unexpected(valid.error());
            }
            expression += " & (" + m_input.mask + ")";
        }
        MaskPtr& mask = m_masks[expression];
        if (mask == nullptr) {
            auto compiled = compileMask(expression, m_context, execution, m_bytes);
            if (!compiled) {
                return compiled;
            }
            mask = std::move(*compiled);
            m_bytes += mask->bytes();
        }
        return mask;
    }

private:
    const ModelConfig& m_config;
    const ModelInput& m_input;
    MaskContext m_context;
    std::int64_t m_bytes; ///< the masks made so far are part of it
    std::map<std::string, MaskPtr> m_masks;
};

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
        , m_weights(std::move(weights))
        , m_backend(std::move(backend))
    {
    }

    [[nodiscard]] const ModelConfig& config() const override { return m_config; }
    [[nodiscard]] bool hasHead() const override { return detail::hasHead(blueprint()); }

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
        if (!hasHead()) {
            return fail(Code::Unsupported, "This checkpoint has no head that predicts tokens.");
        }
        if (hidden.rank() != 3 || hidden.empty() || hidden.extent(2) != m_config.width) {
            return fail(Code::InvalidShape, "A hidden state " + toString(hidden.shape()) +
                                                " is none of this model; expected [B, L, " +
                                                number(m_config.width) + "].");
        }
        Pass pass{*m_backend, m_config, m_family, hidden.extent(0), hidden.extent(1), execution};
        pass.execution.progress = {};
        const double bytes = static_cast<double>(pass.rows()) *
                             static_cast<double>(m_config.vocabulary) * sizeof(float);
        if (auto fits = checkMemory(static_cast<std::int64_t>(std::min(bytes, 0x1p62)),
                                    "The logits", execution, "select fewer tokens");
            !fits) {
            return tl::unexpected(fits.error());
        }
        try {
            return predict(pass, hidden);
        } catch (const std::bad_alloc&) {
            return fail(Code::OutOfMemory,
                        "There is no memory for the logits of " + number(pass.rows()) + " tokens.");
        }
    }

    /// Looks up every tensor a run reads.
    [[nodiscard]] Expected<void> check() const
    {
        const Weights checking = m_weights.withoutNumbers();
        const Blueprint model{m_config, m_family, checking};
        std::optional<Error> problem;
        const auto keep = [&](const auto& loaded) {
            if (!loaded && !problem) {
                problem = loaded.error();
            }
        };
        keep(detail::loadEmbedding(model));
        for (std::int64_t layer = 0; layer < m_config.layers && !problem; ++layer) {
            keep(detail::loadBlock(model, layer));
        }
        keep(detail::loadFinalNorm(model));
        keep(detail::loadOutputProjection(model));
        if (hasHead()) {
            keep(detail::loadHead(model));
        }
        if (problem) {
            return tl::unexpected(std::move(*problem));
        }
        return {};
    }

private:
    [[nodiscard]] Blueprint blueprint() const { return {m_config, m_family, m_weights}; }

    [[nodiscard]] Expected<ModelRunPtr> forward(const ModelInput& input,
                                                const Execution& execution) const
    {
        if (auto fine = checkInput(m_config, input); !fine) {
            return tl::unexpected(fine.error());
        }
        Pass pass{*m_backend,
                  m_config,
                  m_family,
                  static_cast<std::int64_t>(input.ids.size()),
                  static_cast<std::int64_t>(input.ids.front().size()),
                  execution};
        pass.execution.progress = {};
        const std::int64_t layers = input.layers == 0 ? m_config.layers : input.layers;
        const bool predicts = input.logits && layers == m_config.layers && hasHead();
        const std::int64_t bytes = runBytes(m_config, pass.rows(), layers, predicts);
        if (auto fits = checkMemory(bytes, "A run of the model", execution, "give less text");
            !fits) {
            return tl::unexpected(fits.error());
        }

        auto run = std::make_shared<ModelRun>();
        const auto embedding = detail::loadEmbedding(blueprint());
        auto x = embedding ? detail::embedTokens(pass, *embedding, input)
                           : Expected<Tensor>(tl::unexpected(embedding.error()));
        if (!x) {
            return tl::unexpected(x.error());
        }
        run->hidden.push_back(*x);
        if (auto done = runLayers(pass, input, layers, bytes, execution, *x, *run); !done) {
            return tl::unexpected(done.error());
        }
        if (layers == m_config.layers) {
            if (auto done = finish(pass, predicts, *run); !done) {
                return tl::unexpected(done.error());
            }
        }
        return run;
    }

    /// One layer after another; the weights of each are read when it runs.
    [[nodiscard]] Expected<void> runLayers(const Pass& pass, const ModelInput& input,
                                           std::int64_t layers, std::int64_t runBytes,
                                           const Execution& execution, Tensor& x,
                                           ModelRun& run) const
    {
        std::optional<RotaryTable> global;
        std::optional<RotaryTable> local;
        if (m_config.positions == ModelPositions::Rotary) {
            global.emplace(m_config.rotary, m_config.headSize, pass.length);
            local.emplace(m_config.localRotary, m_config.headSize, pass.length);
        }
        LayerMasks masks(m_config, input, runBytes);
        for (std::int64_t layer = 0; layer < layers; ++layer) {
            if (execution.cancelled()) {
                return fail(Code::Cancelled, "Stopped.");
            }
            const auto weights = detail::loadBlock(blueprint(), layer);
            if (!weights) {
                return tl::unexpected(weights.error());
            }
            auto mask = masks.of(layer, execution);
            if (!mask) {
                return tl::unexpected(mask.error());
            }
            const bool isLocal = m_config.windows[static_cast<std::size_t>(layer)] > 0;
            const auto& rotary = isLocal ? local : global;
            auto captured = detail::runBlock(pass, *weights, layer, rotary ? &*rotary : nullptr,
                                             std::move(*mask), x);
            if (!captured) {
                return tl::unexpected(captured.error());
            }
            run.layers.push_back(std::move(*captured));
            run.hidden.push_back(x);
            if (execution.progress) {
                execution.progress(layer + 1, layers);
            }
        }
        return {};
    }

    [[nodiscard]] Expected<void> finish(const Pass& pass, bool predicts, ModelRun& run) const
    {
        const auto norm = detail::loadFinalNorm(blueprint());
        if (!norm) {
            return tl::unexpected(norm.error());
        }
        Tensor& last = run.hidden.back();
        if (norm->exists()) {
            if (auto done = detail::normalise(detail::rowsOf(last), m_config.norm, *norm,
                                              m_config.normEpsilon, pass.execution);
                !done) {
                return done;
            }
        }
        if (!predicts) {
            return {};
        }
        auto logits = predict(pass, last);
        if (!logits) {
            return tl::unexpected(logits.error());
        }
        run.logits = std::move(*logits);
        return {};
    }

    [[nodiscard]] Expected<Tensor> predict(const Pass& pass, const Tensor& last) const
    {
        const auto projection = detail::loadOutputProjection(blueprint());
        const auto head = detail::loadHead(blueprint());
        if (!projection || !head) {
            return tl::unexpected(projection ? head.error() : projection.error());
        }
        auto narrow = projection->exists() ? detail::apply(pass, *projection, detail::rowsOf(last))
                                           : Expected<Tensor>(last);
        return narrow ? detail::predict(pass, *head, *narrow) : narrow;
    }

    ModelConfig m_config;
    ModelFamily m_family;
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
    if (!mapped) {
        return tl::unexpected(mapped.error());
    }
    const auto config = readModelConfig(detail::asText((*mapped)->bytes()), settings.string());
    if (!config) {
        return tl::unexpected(config.error());
    }
    std::filesystem::path file = folder / "model.safetensors";
    std::error_code unknown;
    if (!std::filesystem::exists(file, unknown)) {
        const auto index = folder / "model.safetensors.index.json"; // of several files
        file = std::filesystem::exists(index, unknown) ? index : file;
    }
    auto tensors = openArrays(file);
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
