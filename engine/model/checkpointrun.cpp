// A run of a checkpoint: its files, its tokens, every layer's maps.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/checkpointrun.h"

#include "attention/computedmaps.h"
#include "model/modeltext.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace heed {

namespace {

namespace fs = std::filesystem;

/// A model and its tokenizer, as their files were when they were opened.
struct OpenedModel {
    fs::path path;
    fs::path tokenizerFile;
    ModelPtr model;
    Expected<VocabularyTokenizerPtr> tokenizer; ///< or why there is none
    std::vector<FileState> files;
    BackendPtr backend;
};
using OpenedModelPtr = std::shared_ptr<const OpenedModel>;

/// The files of a folder that can belong to a model, ordered by name.
std::vector<FileState> filesOf(const fs::path& path, const fs::path& tokenizerFile)
{
    static constexpr std::array<std::string_view, 7> extensions = {
        ".json", ".txt", ".safetensors", ".model", ".spm", ".bin", ".gguf"};
    std::vector<FileState> files = {stateOf(path), stateOf(tokenizerFile)};
    std::error_code error;
    std::vector<fs::path> names;
    for (fs::directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error)) {
        if (std::ranges::find(extensions, entry->path().extension().string()) != extensions.end()) {
            names.push_back(entry->path());
        }
    }
    std::ranges::sort(names);
    std::ranges::transform(names, std::back_inserter(files), stateOf);
    return files;
}

Expected<OpenedModelPtr> open(const Source& source, const BackendPtr& backend,
                              const OpenedModelPtr& earlier)
{
    auto files = filesOf(source.model, source.tokenizerFile);
    if (earlier != nullptr && earlier->backend == backend && earlier->path == source.model &&
        earlier->tokenizerFile == source.tokenizerFile && earlier->files == files) {
        return earlier;
    }
    auto model = openModel(source.model, backend);
    if (!model) {
        return tl::unexpected(model.error());
    }
    auto tokenizer =
        openTokenizer(source.tokenizerFile.empty() ? source.model : source.tokenizerFile);
    return std::make_shared<const OpenedModel>(OpenedModel{source.model, source.tokenizerFile,
                                                           std::move(*model), std::move(tokenizer),
                                                           std::move(files), backend});
}

/// What the user adds to the masks of the layers, or "".
Expected<std::string> userMask(const Source& source, const ModelConfig& config)
{
    Source added = source;
    added.padding = false; // hidden by every layer of every model
    const bool isCausal = config.causal && source.attention != AttentionSet::Cross;
    added.causal = source.causal && !isCausal;
    if (!source.maskFolder.empty() && !source.mask.empty()) {
        auto fromFolder = maskFromFolder(source.mask, source.maskFolder);
        if (!fromFolder) {
            return fromFolder;
        }
        added.mask = std::move(*fromFolder);
    }
    const std::string mask = maskExpression(added);
    return mask == "none" ? std::string() : mask;
}

/// Everything that decides the tokens.
bool hasSameText(const Source& a, const Source& b)
{
    return a.lines == b.lines && a.pairLines == b.pairLines && a.ids == b.ids &&
           a.targetLines == b.targetLines && a.targetIds == b.targetIds &&
           a.specialTokens == b.specialTokens && a.padSide == b.padSide && a.padTo == b.padTo;
}

/// ModelInput::layers; the encoder of two halves runs whole, as the other needs it.
std::int64_t layersToRun(const Source& source, const ModelConfig& config)
{
    const bool isCut = source.lastLayer >= 0 && source.lastLayer + 1 < config.layers;
    return isCut && config.decoder == nullptr ? source.lastLayer + 1 : 0;
}

LayerConfig layerOf(const ModelConfig& config)
{
    LayerConfig layer;
    layer.modelWidth = config.width;
    layer.heads = config.heads;
    layer.kvHeads = config.kvHeads;
    layer.headSize = config.headSize;
    layer.positions =
        config.positions == ModelPositions::Rotary ? Positions::Rotary : Positions::None;
    layer.biased = config.qkvBias;
    return layer;
}

/// What was found on the way, to be used again.
struct Steps {
    OpenedModelPtr opened;
    std::shared_ptr<const ModelText> text;
    std::string passMask;                        ///< the user's mask in all layers
    AttentionSet masked = AttentionSet::Encoder; ///< that has it
    ModelRunPtr pass;
};

bool isSamePass(const Steps& a, const Steps& b)
{
    return a.opened == b.opened && a.text == b.text && a.passMask == b.passMask &&
           (a.passMask.empty() || a.masked == b.masked);
}

/// The half of a model that has the layers of a set.
const ModelConfig& halfOf(const ModelConfig& config, AttentionSet set)
{
    return set == AttentionSet::Encoder ? config : *config.decoder;
}

const std::vector<LayerCapture>& layersOf(const ModelRun& pass, AttentionSet set)
{
    return set == AttentionSet::Encoder   ? pass.layers
           : set == AttentionSet::Decoder ? pass.decoderLayers
                                          : pass.crossLayers;
}

/// @return Code::InvalidArgument for what only a model with a decoder has.
Expected<void> checkDecoder(const Source& source, const ModelConfig& config)
{
    const char* option = !source.targetLines.empty()                 ? "--target"
                         : !source.targetIds.empty()                 ? "--target-ids"
                         : source.attention != AttentionSet::Encoder ? "--attention"
                                                                     : nullptr;
    if (config.decoder == nullptr && option != nullptr) {
        return fail(Code::InvalidArgument,
                    config.title +
                        " has one kind of attention and no target text. Encoders with a decoder "
                        "(T5, BART, Marian) have three kinds. Leave it away.",
                    option);
    }
    return {};
}

class CheckpointRun final : public Run {
public:
    CheckpointRun(Source source, Steps steps, ComputedMapsPtr maps)
        : m_source(std::move(source))
        , m_steps(std::move(steps))
        , m_maps(std::move(maps))
        , m_layer(layerOf(halfOf(m_steps.opened->model->config(), m_source.attention)))
    {
    }

    [[nodiscard]] const Source& source() const override { return m_source; }
    [[nodiscard]] const Batch& queryTokens() const override
    {
        return m_source.attention == AttentionSet::Encoder ? m_steps.text->batch
                                                           : m_steps.text->targets;
    }
    [[nodiscard]] const Batch& keyTokens() const override
    {
        return m_source.attention == AttentionSet::Decoder ? m_steps.text->targets
                                                           : m_steps.text->batch;
    }
    [[nodiscard]] const LayerConfig& layer() const override { return m_layer; }
    [[nodiscard]] const Tensor* x() const override { return nullptr; }
    [[nodiscard]] MapsPtr maps() const override { return m_maps; }
    [[nodiscard]] BackendPtr backend() const override { return m_steps.opened->backend; }
    [[nodiscard]] const Tensor* q(std::int64_t layer) const override
    {
        const LayerCapture* capture = captureOf(layer);
        return capture == nullptr ? nullptr : capture->q.get();
    }
    [[nodiscard]] const Tensor* k(std::int64_t layer) const override
    {
        const LayerCapture* capture = captureOf(layer);
        return capture == nullptr ? nullptr : capture->k.get();
    }
    [[nodiscard]] const Tensor* v(std::int64_t layer) const override
    {
        const LayerCapture* capture = captureOf(layer);
        return capture == nullptr ? nullptr : capture->v.get();
    }
    [[nodiscard]] float scale(std::int64_t layer) const override
    {
        const LayerCapture* capture = captureOf(layer);
        return capture == nullptr ? 1 : capture->scale;
    }
    [[nodiscard]] float softCap(std::int64_t layer) const override
    {
        const LayerCapture* capture = captureOf(layer);
        return capture == nullptr ? 0 : capture->softCap;
    }
    [[nodiscard]] const ModelConfig* model() const override
    {
        return &m_steps.opened->model->config();
    }
    [[nodiscard]] const VocabularyTokenizer* tokenizer() const override
    {
        const auto& tokenizer = m_steps.opened->tokenizer;
        return tokenizer ? tokenizer->get() : nullptr;
    }
    [[nodiscard]] const Tensor* hidden(std::int64_t index) const override
    {
        const auto& states = m_source.attention == AttentionSet::Encoder
                                 ? m_steps.pass->hidden
                                 : m_steps.pass->decoderHidden;
        const bool isThere = index >= 0 && index < static_cast<std::int64_t>(states.size());
        return isThere ? &states[static_cast<std::size_t>(index)] : nullptr;
    }
    [[nodiscard]] bool predicts() const override
    {
        return !predicting().empty() && m_steps.opened->model->hasHead() &&
               std::ssize(m_steps.pass->layers) == model()->layers;
    }
    [[nodiscard]] const Batch& predictingTokens() const override
    {
        return model()->decoder == nullptr ? m_steps.text->batch : m_steps.text->targets;
    }
    [[nodiscard]] std::vector<std::string> notes() const override
    {
        std::vector<std::string> notes = m_steps.text->notes;
        // Where the positions are a table the engine refuses; dynamic ones stretch with the text.
        const std::int64_t longest = model()->longest;
        const bool stretches = model()->rotary.scaling == RotaryScaling::Dynamic;
        for (const auto& [name, batch] : {std::pair("The text", &m_steps.text->batch),
                                          std::pair("The target", &m_steps.text->targets)}) {
            if (longest > 0 && !stretches && batch->length > longest) {
                notes.push_back(std::string(name) + " has " + std::to_string(batch->length) +
                                " tokens; this model is made for " + std::to_string(longest) +
                                " at most, and what it does beyond is not what it was trained to "
                                "do.");
            }
        }
        return notes;
    }
    [[nodiscard]] const Steps& steps() const { return m_steps; }

    [[nodiscard]] Expected<Tensor> logits(std::int64_t item, std::int64_t first, std::int64_t count,
                                          const Execution& execution) const override
    {
        if (predicting().empty()) {
            return fail(Code::Unsupported, "An encoder alone predicts no tokens.");
        }
        const Tensor& last = predicting().back();
        if (item < 0 || item >= last.extent(0) || first < 0 || count < 1 ||
            count > last.extent(1) - first) {
            return fail(Code::InvalidArgument, "There are no tokens " + std::to_string(first) +
                                                   " to " + std::to_string(first + count - 1) +
                                                   " of item " + std::to_string(item) + ".");
        }
        auto rows = Tensor::make({1, count, last.extent(2)});
        if (!rows) {
            return rows;
        }
        const auto matrix = last.matrix({item});
        std::copy_n(matrix.row(first).data(), rows->size(), rows->data());
        auto logits = m_steps.opened->model->logits(*rows, execution);
        if (!logits) {
            return logits;
        }
        Shape shape = {count, logits->extent(2)};
        return std::move(*logits).reshaped(std::move(shape));
    }

    [[nodiscard]] Expected<Tensor> headOutput(std::int64_t layer,
                                              const Execution& execution) const override
    {
        const LayerCapture* capture = captureOf(layer);
        if (capture == nullptr) {
            return fail(Code::InvalidArgument, "There is no layer " + std::to_string(layer) + ".");
        }
        Shape bytes = capture->q->shape();
        bytes.push_back(static_cast<std::int64_t>(sizeof(float)));
        if (auto fits = checkMemory(elementCount(bytes).value_or(0), "The head output", execution);
            !fits) {
            return tl::unexpected(fits.error());
        }
        return attendHeads(*m_maps, layer, *capture->vBuffer, *m_steps.opened->backend, execution);
    }

    [[nodiscard]] Expected<Tensor> output(std::int64_t /*layer*/,
                                          const Execution& /*execution*/) const override
    {
        return fail(Code::Unsupported, "The output of attention alone is not kept of a model; "
                                       "there are head outputs and hidden states.");
    }

private:
    /// The hidden states that end in predictions.
    [[nodiscard]] const std::vector<Tensor>& predicting() const
    {
        return model()->decoder == nullptr ? m_steps.pass->hidden : m_steps.pass->decoderHidden;
    }
    [[nodiscard]] const LayerCapture* captureOf(std::int64_t layer) const
    {
        const auto& layers = layersOf(*m_steps.pass, m_source.attention);
        const bool isThere = layer >= 0 && layer < static_cast<std::int64_t>(layers.size());
        return isThere ? &layers[static_cast<std::size_t>(layer)] : nullptr;
    }

    Source m_source;
    Steps m_steps;
    ComputedMapsPtr m_maps;
    LayerConfig m_layer;
};

/// The maps of a pass. @param frozenMask joins the mask of layer maskLayer.
Expected<ComputedMapsPtr> mapsOf(const Steps& steps, const Source& source,
                                 const std::string& frozenMask, const Execution& execution)
{
    ComputedMapsInput input{steps.opened->backend, {}};
    for (const LayerCapture& capture : layersOf(*steps.pass, source.attention)) {
        MaskPtr mask = capture.mask;
        if (!frozenMask.empty() && std::ssize(input.layers) == source.maskLayer) {
            if (auto valid = normaliseMask(frozenMask); !valid) {
                return tl::unexpected(valid.error());
            }
            auto joined = compileMask(mask->expression() + " & (" + frozenMask + ")",
                                      mask->context(), execution);
            if (!joined) {
                return tl::unexpected(joined.error());
            }
            mask = std::move(*joined);
        }
        input.layers.push_back({.q = capture.qBuffer,
                                .k = capture.kBuffer,
                                .mask = std::move(mask),
                                .scale = capture.scale,
                                .softCap = capture.softCap,
                                .queries = capture.q,
                                .distanceBias = capture.distanceBias});
    }
    return ComputedMaps::make(std::move(input));
}

/// Text takes a tokenizer; ids do without.
Expected<const VocabularyTokenizer*> tokenizerFor(const Source& source, const OpenedModel& opened)
{
    if (opened.tokenizer) {
        return opened.tokenizer->get();
    }
    if (!source.ids.empty() && source.targetLines.empty()) {
        return nullptr;
    }
    Error error = opened.tokenizer.error();
    error.message += " Or give token ids with --ids.";
    return tl::unexpected<Error>(std::move(error));
}

} // namespace

Expected<RunPtr> computeModel(const Source& source, const BackendPtr& backend,
                              const Execution& execution, const RunPtr& previous)
{
    const auto* earlier = dynamic_cast<const CheckpointRun*>(previous.get());
    Steps steps;
    auto opened = open(source, backend, earlier == nullptr ? nullptr : earlier->steps().opened);
    if (!opened) {
        return tl::unexpected(opened.error());
    }
    steps.opened = std::move(*opened);
    const ModelConfig& config = steps.opened->model->config();
    if (auto fine = checkDecoder(source, config); !fine) {
        return tl::unexpected(fine.error());
    }
    const ModelConfig& half = halfOf(config, source.attention);
    if (source.maskLayer < -1 || source.maskLayer >= half.layers) {
        return fail(Code::InvalidArgument,
                    "The mask cannot act on layer " + std::to_string(source.maskLayer) +
                        "; the model has layers 0 to " + std::to_string(half.layers - 1) + ".");
    }
    auto mask = userMask(source, half);
    if (!mask) {
        return tl::unexpected(mask.error());
    }
    const bool isFrozen = source.maskLayer >= 0;
    steps.passMask = isFrozen ? "" : *mask;
    steps.masked = source.attention;

    const bool isSameModel = earlier != nullptr && earlier->steps().opened == steps.opened;
    if (isSameModel && hasSameText(earlier->source(), source)) {
        steps.text = earlier->steps().text;
    } else {
        const auto tokenizer = tokenizerFor(source, *steps.opened);
        if (!tokenizer) {
            return tl::unexpected(tokenizer.error());
        }
        auto text = modelText(source, config, *tokenizer, execution);
        if (!text) {
            return tl::unexpected(text.error());
        }
        steps.text = std::make_shared<const ModelText>(std::move(*text));
    }
    if (isSameModel && isSamePass(earlier->steps(), steps) &&
        layersToRun(earlier->source(), config) == layersToRun(source, config)) {
        steps.pass = earlier->steps().pass;
    } else {
        ModelInput input = steps.text->input;
        input.mask = steps.passMask;
        input.masked = steps.masked;
        input.logits = false; // computed of the tokens that are asked for
        input.layers = layersToRun(source, config);
        auto pass = steps.opened->model->run(input, execution);
        if (!pass) {
            return tl::unexpected(pass.error());
        }
        steps.pass = std::move(*pass);
    }
    auto maps = mapsOf(steps, source, isFrozen ? *mask : std::string(), execution);
    if (!maps) {
        return tl::unexpected(maps.error());
    }
    return std::make_shared<const CheckpointRun>(source, std::move(steps), std::move(*maps));
}

} // namespace heed
