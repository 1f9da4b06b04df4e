// From a source to Q, K and V: the part of a run that no mask changes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/projection.h"

#include "heed/tokenizerfile.h"

#include <algorithm>
#include <array>

namespace heed {

namespace {

constexpr std::int64_t EmbeddingFloats = 2; // a row number a token; what is distinct is few

/// The arrays or tokens that stand on one side, queries or keys.
struct Side {
    std::shared_ptr<const Batch> tokens;
    std::optional<Tensor> x; ///< [B, L, d_model]; from a file, else embedded later
};

std::vector<FileState> statesOf(const Source& source)
{
    return {stateOf(source.weights), stateOf(source.input), stateOf(source.context),
            stateOf(source.qkv), stateOf(source.tokenizerFile)};
}

/// @p source without what only masks and the scale use.
Source projectedPart(Source source)
{
    source.padding = false;
    source.causal = false;
    source.mask.clear();
    source.maskFolder.clear();
    source.layer.scaled = true;
    return source;
}

Expected<std::shared_ptr<const Tokenizer>> tokenizerOf(const Source& source)
{
    if (source.tokenizerFile.empty()) {
        return makeTokenizer(source.tokenizer);
    }
    return openTokenizer(source.tokenizerFile);
}

Expected<Side> textSide(const std::vector<std::string>& lines, const Source& source,
                        std::int64_t padTo, const Execution& execution)
{
    const auto tokenizer = tokenizerOf(source);
    if (!tokenizer) {
        return tl::unexpected(tokenizer.error());
    }
    auto batch = makeBatch(lines, **tokenizer, source.padSide, padTo, execution);
    if (!batch) {
        return tl::unexpected(batch.error());
    }
    return Side{std::make_shared<const Batch>(std::move(*batch)), {}};
}

Expected<std::shared_ptr<const Batch>> sharedTokens(std::int64_t items, std::int64_t length,
                                                    const Execution& execution)
{
    auto tokens = numberedTokens(items, length, execution);
    if (!tokens) {
        return tl::unexpected(tokens.error());
    }
    return std::make_shared<const Batch>(std::move(*tokens));
}

Expected<Side> arraySide(const std::filesystem::path& path, const std::vector<std::string>& names,
                         const Execution& execution)
{
    const auto file = openArrays(path);
    if (!file) {
        return tl::unexpected(inFile(file.error(), path));
    }
    const auto name = chooseArray(**file, path, names);
    if (!name) {
        return tl::unexpected(name.error());
    }
    auto x = readArray(**file, path, *name, 3, "[B, L, d_model]", execution);
    if (!x) {
        return tl::unexpected(x.error());
    }
    auto tokens = sharedTokens(x->extent(0), x->extent(1), execution);
    if (!tokens) {
        return tl::unexpected(tokens.error());
    }
    return Side{std::move(*tokens), std::move(*x)};
}

bool drawsTheSame(const LayerConfig& a, const LayerConfig& b)
{
    const auto rows = [](const LayerConfig& config, std::int64_t heads) {
        return heads * config.headWidth();
    };
    return a.modelWidth == b.modelWidth && a.seed == b.seed && a.biased == b.biased &&
           rows(a, a.heads) == rows(b, b.heads) &&
           rows(a, a.keyValueHeads()) == rows(b, b.keyValueHeads());
}

Expected<void> requireWidth(const Side& side, const std::filesystem::path& path,
                            const LayerConfig& layer, const Source& source)
{
    if (!side.x || side.x->extent(2) == layer.modelWidth) {
        return {};
    }
    const std::string other = !source.weights.empty() ? "the weights in " + source.weights.string()
                              : path == source.input  ? std::string("the layer")
                              : source.input.empty()  ? std::string("the text")
                                                      : source.input.string();
    return fail(Code::InvalidShape,
                "The array has shape " + toString(side.x->shape()) + ", so d_model is " +
                    std::to_string(side.x->extent(2)) + "; " + other + " has d_model " +
                    std::to_string(layer.modelWidth) + ".",
                path.string());
}

/// The settings of the layer, and its weights when they come from a file or an earlier run.
Expected<void> settleLayer(const Source& source, const Side& queries, const Execution& execution,
                           const Source* previousSource, const ProjectionPtr& previous,
                           Projection& result)
{
    LayerConfig& layer = result.layer;
    layer = source.layer;
    const bool hasEarlier = previous != nullptr && previousSource != nullptr &&
                            previous->weights != nullptr &&
                            previous->files.front() == result.files.front();
    if (source.weights.empty()) {
        layer.headSize = 0;
        if (queries.x) {
            layer.modelWidth = queries.x->extent(2);
        }
        if (auto valid = validate(layer); !valid) {
            return valid;
        }
        if (hasEarlier && drawsTheSame(previous->layer, layer)) {
            result.weights = previous->weights;
        }
        return {};
    }
    if (hasEarlier && previousSource->layer.heads == layer.heads) {
        result.weights = previous->weights;
        layer.modelWidth = previous->layer.modelWidth;
        layer.kvHeads = previous->layer.kvHeads;
        layer.headSize = previous->layer.headSize;
        layer.biased = previous->layer.biased;
        return validate(layer);
    }
    const auto file = openArrays(source.weights);
    if (!file) {
        return tl::unexpected(inFile(file.error(), source.weights));
    }
    auto loaded = loadWeights(**file, layer, execution);
    if (!loaded) {
        return tl::unexpected(inFile(loaded.error(), source.weights));
    }
    result.weights = std::make_shared<const LayerWeights>(std::move(*loaded));
    return {};
}

/// Refuses a layer that memory cannot hold before any of it is made.
Expected<void> checkLayerMemory(const Projection& made, const Side& queries, const Side& keys,
                                const Execution& execution)
{
    const LayerConfig& layer = made.layer;
    const std::int64_t width = layer.modelWidth;
    const std::int64_t queryWidth = layer.heads * layer.headWidth();
    const std::int64_t keyWidth = layer.keyValueHeads() * layer.headWidth();
    const std::int64_t items = queries.tokens->size();
    const std::int64_t length = queries.tokens->length;
    std::vector<Shape> tensors = {{queryWidth, width},
                                  {2 * keyWidth, width},
                                  {width, queryWidth},
                                  {items, length, queryWidth}, // q
                                  {items, keys.tokens->length, 2 * keyWidth},
                                  {items, layer.heads, length, RowStatsFloats},
                                  // Heads are split out of a matrix of the same size.
                                  {items, length, queryWidth}};
    const auto addSide = [&](const Side& side) {
        const Batch& tokens = *side.tokens;
        tensors.push_back({items, tokens.length, TokenFloats});
        tensors.push_back({items, tokens.length, width});
        if (!side.x) {
            // embed() looks up where the vector of a token was drawn.
            tensors.push_back({items, tokens.length, EmbeddingFloats});
        }
    };
    addSide(queries);
    if (keys.tokens != queries.tokens) {
        addSide(keys);
    }
    return checkTensors(tensors, "The layer", execution);
}

Expected<std::shared_ptr<const Tensor>> sharedTensor(Expected<Tensor> tensor)
{
    if (!tensor) {
        return tl::unexpected(tensor.error());
    }
    return std::make_shared<const Tensor>(std::move(*tensor));
}

Expected<std::shared_ptr<const Tensor>> xOf(Side& side, const LayerConfig& layer,
                                            const Execution& execution)
{
    return sharedTensor(side.x ? Expected<Tensor>(std::move(*side.x))
                               : embed(*side.tokens, layer, execution));
}

Expected<std::shared_ptr<const Tensor>> projectHeads(const Backend& backend, const Tensor& x,
                                                     const Tensor& weight, const Tensor& bias,
                                                     std::int64_t heads, bool rotates,
                                                     const Execution& execution)
{
    auto rows = applyLinear(backend, x, weight, bias, execution);
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    auto split = splitHeads(*rows, heads);
    if (split && rotates) {
        applyRotary(*split);
    }
    return sharedTensor(std::move(split));
}

Expected<void> upload(Projection& made)
{
    for (const auto& [tensor, buffer] :
         {std::pair(&made.q, &made.qBuffer), std::pair(&made.k, &made.kBuffer),
          std::pair(&made.v, &made.vBuffer)}) {
        if (*tensor != nullptr) {
            auto uploaded = made.backend->upload(*tensor);
            if (!uploaded) {
                return tl::unexpected(uploaded.error());
            }
            *buffer = std::move(*uploaded);
        }
    }
    return {};
}

Expected<void> projectLayer(const Source& source, SourceKind kind, const Execution& execution,
                            const Source* previousSource, const ProjectionPtr& previous,
                            Projection& made)
{
    auto queries = kind == SourceKind::Text
                       ? textSide(source.lines, source, source.padTo, execution)
                       : arraySide(source.input, {"x", "input"}, execution);
    if (!queries) {
        return tl::unexpected(queries.error());
    }
    const bool crosses = isCross(source);
    Expected<Side> keys = Side{};
    if (crosses) {
        keys = source.context.empty()
                   ? textSide(source.contextLines, source, 0, execution)
                   : arraySide(source.context, {"context", "x", "input"}, execution);
        if (!keys) {
            return tl::unexpected(keys.error());
        }
        if (keys->tokens->size() != queries->tokens->size()) {
            return fail(Code::InvalidShape,
                        "The context has " + std::to_string(keys->tokens->size()) +
                            " batch items, the queries have " +
                            std::to_string(queries->tokens->size()) +
                            ". Cross attention needs one context for each item.");
        }
    }
    made.queryTokens = queries->tokens;
    made.keyTokens = crosses ? keys->tokens : queries->tokens;
    made.knowsPadding = crosses ? source.context.empty() : kind == SourceKind::Text;

    if (auto settled = settleLayer(source, *queries, execution, previousSource, previous, made);
        !settled) {
        return settled;
    }
    for (const auto& [side, path] :
         {std::pair(&*queries, &source.input), std::pair(&*keys, &source.context)}) {
        if (auto fits = requireWidth(*side, *path, made.layer, source); !fits) {
            return fits;
        }
    }
    if (auto fits = checkLayerMemory(made, *queries, crosses ? *keys : *queries, execution);
        !fits) {
        return fits;
    }
    if (made.weights == nullptr) {
        auto drawn = makeWeights(made.layer, execution);
        if (!drawn) {
            return tl::unexpected(drawn.error());
        }
        made.weights = std::make_shared<const LayerWeights>(std::move(*drawn));
    }

    auto x = xOf(*queries, made.layer, execution);
    auto context = crosses && x ? xOf(*keys, made.layer, execution) : x;
    if (!x || !context) {
        return tl::unexpected(x ? context.error() : x.error());
    }
    made.x = *x;
    const LayerWeights& w = *made.weights;
    const std::int64_t heads = made.layer.heads;
    const std::int64_t groups = made.layer.keyValueHeads();
    const bool rotates = made.layer.positions == Positions::Rotary;
    struct Step {
        std::shared_ptr<const Tensor>& target;
        const Tensor& x;
        const Tensor& weight;
        const Tensor& bias;
        std::int64_t heads;
        bool rotates;
    };
    for (const Step& step : {Step{made.q, **x, w.wq, w.bq, heads, rotates},
                             Step{made.k, **context, w.wk, w.bk, groups, rotates},
                             Step{made.v, **context, w.wv, w.bv, groups, false}}) {
        auto projected = projectHeads(*made.backend, step.x, step.weight, step.bias, step.heads,
                                      step.rotates, execution);
        if (!projected) {
            return tl::unexpected(projected.error());
        }
        step.target = std::move(*projected);
    }
    return {};
}

/// q, k and, when it is there, v as the file has them.
Expected<void> readProjections(const Source& source, const Execution& execution, Projection& made)
{
    const std::filesystem::path& path = source.qkv;
    const auto file = openArrays(path);
    if (!file) {
        return tl::unexpected(inFile(file.error(), path));
    }
    struct Part {
        std::shared_ptr<const Tensor>& target;
        const char* name;
        const char* axes;
    };
    const std::array parts = {Part{made.q, "q", "[B, H, L, D]"},
                              Part{made.k, "k", "[B, Hkv, S, D]"},
                              Part{made.v, "v", "[B, Hkv, S, Dv]"}};
    // All three at once: each might fit alone.
    std::vector<Shape> tensors;
    for (const Part& part : parts) {
        if (const ArrayInfo* info = (*file)->find(part.name); info != nullptr) {
            tensors.push_back(info->shape);
        }
    }
    if (auto fits = checkTensors(tensors, "Reading q, k and v", execution); !fits) {
        return tl::unexpected(inFile(fits.error(), path));
    }
    for (const Part& part : parts) {
        if (part.name == std::string_view("v") && (*file)->find("v") == nullptr) {
            continue; // maps need no values
        }
        auto read = readArray(**file, path, part.name, 4, part.axes, execution);
        if (!read) {
            return tl::unexpected(read.error());
        }
        part.target = std::make_shared<const Tensor>(std::move(*read));
    }
    const Shape& q = made.q->shape();
    const Shape& k = made.k->shape();
    const bool fit = q[0] == k[0] && q[1] % k[1] == 0 && q[3] == k[3];
    const bool valuesFit =
        made.v == nullptr || std::equal(k.begin(), k.end() - 1, made.v->shape().begin());
    if (!fit || !valuesFit) {
        return fail(Code::InvalidShape,
                    "q " + toString(q) + ", k " + toString(k) +
                        (made.v == nullptr ? "" : " and v " + toString(made.v->shape())) +
                        " do not belong together. Expected q [B, H, L, D], k [B, Hkv, S, D], "
                        "v [B, Hkv, S, Dv] with Hkv dividing H.",
                    path.string());
    }
    tensors.push_back({q[0], q[2] == k[2] ? q[2] : q[2] + k[2], TokenFloats});
    tensors.push_back({q[0], q[1], q[2], RowStatsFloats});
    if (auto fits = checkTensors(tensors, "A run of these arrays", execution); !fits) {
        return tl::unexpected(inFile(fits.error(), path));
    }
    auto queryTokens = sharedTokens(q[0], q[2], execution);
    auto keyTokens = q[2] == k[2] ? queryTokens : sharedTokens(k[0], k[2], execution);
    if (!queryTokens || !keyTokens) {
        return tl::unexpected(queryTokens ? keyTokens.error() : queryTokens.error());
    }
    made.queryTokens = std::move(*queryTokens);
    made.keyTokens = std::move(*keyTokens);
    made.layer = source.layer;
    made.layer.modelWidth = q[1] * q[3];
    made.layer.heads = q[1];
    made.layer.kvHeads = k[1];
    made.layer.headSize = 0;
    made.layer.positions = Positions::None; // whatever positions there were are in q and k
    return {};
}

} // namespace

Expected<Tensor> splitHeads(const Tensor& rows, std::int64_t heads)
{
    const std::int64_t items = rows.extent(0);
    const std::int64_t length = rows.extent(1);
    const std::int64_t width = rows.extent(2) / heads;
    auto result = Tensor::make({items, heads, length, width});
    if (result) {
        for (std::int64_t row = 0; row < items * length; ++row) {
            const std::int64_t item = row / length;
            for (std::int64_t head = 0; head < heads; ++head) {
                std::copy_n(rows.data() + (row * heads + head) * width, width,
                            result->data() +
                                ((item * heads + head) * length + row % length) * width);
            }
        }
    }
    return result;
}

Expected<Tensor> joinHeads(const Tensor& heads)
{
    const std::int64_t items = heads.extent(0);
    const std::int64_t count = heads.extent(1);
    const std::int64_t length = heads.extent(2);
    const std::int64_t width = heads.extent(3);
    auto result = Tensor::make({items, length, count * width});
    if (result) {
        for (std::int64_t row = 0; row < items * length; ++row) {
            const std::int64_t item = row / length;
            for (std::int64_t head = 0; head < count; ++head) {
                std::copy_n(heads.data() + ((item * count + head) * length + row % length) * width,
                            width, result->data() + (row * count + head) * width);
            }
        }
    }
    return result;
}

Expected<Tensor> applyLinear(const Backend& backend, const Tensor& x, const Tensor& weight,
                             const Tensor& bias, const Execution& execution)
{
    auto result = Tensor::make({x.extent(0), x.extent(1), weight.extent(0)});
    if (!result) {
        return result;
    }
    const std::int64_t rows = x.extent(0) * x.extent(1);
    const ConstMatrixView<float> from{x.data(), rows, x.extent(2), x.extent(2)};
    const MatrixView<float> to{result->data(), rows, weight.extent(0), weight.extent(0)};
    if (auto done = backend.linear(from, weight.matrix(), bias.values(), to, execution); !done) {
        return tl::unexpected(done.error());
    }
    return result;
}

Expected<ProjectionPtr> project(const Source& source, SourceKind kind, const BackendPtr& backend,
                                const Execution& execution, const Source* previousSource,
                                const ProjectionPtr& previous)
{
    std::vector<FileState> files = statesOf(source);
    if (previous != nullptr && previousSource != nullptr && previous->backend == backend &&
        previous->files == files && projectedPart(*previousSource) == projectedPart(source)) {
        if (previous->layer.scaled == source.layer.scaled) {
            return previous;
        }
        auto rescaled = std::make_shared<Projection>(*previous);
        rescaled->layer.scaled = source.layer.scaled;
        return rescaled;
    }
    auto made = std::make_shared<Projection>();
    made->backend = backend;
    made->files = std::move(files);
    auto done = kind == SourceKind::Projections
                    ? readProjections(source, execution, *made)
                    : projectLayer(source, kind, execution, previousSource, previous, *made);
    if (done) {
        done = upload(*made);
    }
    if (!done) {
        return tl::unexpected(done.error());
    }
    return made;
}

} // namespace heed
