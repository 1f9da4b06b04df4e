// heedmap compute: any step of an attention layer as arrays.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "optionvalue.h"
#include "output.h"

#include "heed/model.h"
#include "heed/session.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>

namespace heed::cli {

namespace {

struct ComputeOptions {
    SourceOptions source;
    std::string output;
    std::string format;
    std::string what;
};

std::string listText(const std::vector<std::int64_t>& values)
{
    std::string text;
    for (const std::int64_t value : values) {
        text += (text.empty() ? "" : ",") + std::to_string(value);
    }
    return text;
}

using Metadata = std::vector<std::pair<std::string, std::string>>;

/// What is the same in all selected layers, once; else "name.LAYER" for each.
void addByLayer(Metadata& metadata, const Selection& selection, const std::string& name,
                const std::function<std::string(std::int64_t layer)>& valueOf)
{
    std::vector<std::string> values;
    std::ranges::transform(selection.layers, std::back_inserter(values), valueOf);
    const bool isOne = std::ranges::count(values, values.front()) == std::ssize(values);
    for (std::size_t i = 0; i < (isOne ? 1 : values.size()); ++i) {
        if (!values[i].empty()) {
            metadata.emplace_back(isOne ? name : name + "." + std::to_string(selection.layers[i]),
                                  values[i]);
        }
    }
}

Metadata metadataOf(const Run& run, const Selection& selection)
{
    Metadata metadata = {
        {"program", "heedmap " HEED_VERSION},
        {"source", shellCommand(sourceArguments(run.source()))},
        {"layers", listText(selection.layers)},
        {"items", listText(selection.items)},
        {"heads", listText(selection.heads)},
    };
    addByLayer(metadata, selection, "mask", [&run](std::int64_t layer) {
        const MaskPtr mask = run.mask(layer);
        return mask == nullptr ? std::string() : mask->expression();
    });
    addByLayer(metadata, selection, "scale", [&run](std::int64_t layer) {
        return run.k(layer) == nullptr ? std::string() : numberText(run.scale(layer));
    });
    addByLayer(metadata, selection, "soft_cap", [&run](std::int64_t layer) {
        return run.softCap(layer) > 0 ? numberText(run.softCap(layer)) : std::string();
    });
    if (const ModelConfig* model = run.model()) {
        metadata.emplace_back("family", model->family);
        if (model->decoder != nullptr) {
            metadata.emplace_back("attention", attentionSetName(run.source().attention));
        }
    }
    if (run.x() != nullptr) {
        metadata.emplace_back("d_model", std::to_string(run.layer().modelWidth));
        metadata.emplace_back("seed", std::to_string(run.layer().seed));
    }
    return metadata;
}

Expected<ExitCode> computeAction(const ComputeOptions& options, const Console& console)
{
    // Everything that can be refused is refused before anything is computed.
    const auto destination = makeDestination(options.output, options.format, console);
    if (!destination) {
        return tl::unexpected(destination.error());
    }
    std::vector<std::string> what;
    if (!options.what.empty()) {
        auto words = parseWhat(options.what);
        if (!words) {
            return tl::unexpected(words.error());
        }
        what = std::move(*words);
    }
    SourceOptions source = options.source;
    const auto wants = [&what](const char* word) { return std::ranges::count(what, word) > 0; };
    source.needsAllLayers = wants("hidden") || wants("logits");
    if (what == std::vector<std::string>{"tokens"}) {
        source.layers = source.layers.empty() ? "0" : source.layers; // tokens come before them
    }
    auto computed = computeSource(source, console);
    if (!computed) {
        return tl::unexpected(computed.error());
    }
    const Run& run = *computed->run;
    const bool single =
        destination->format == ArrayFormat::Csv || destination->format == ArrayFormat::Npy;
    if (what.empty()) {
        what = defaultWhat(run);
        if (single) {
            what = {what.back()};
        }
    }
    computed->execution.progress = console.progress("computing");
    Tally tally;
    const auto arrays = planArrays(run, what, computed->selection, computed->execution, tally);
    if (!arrays) {
        return tl::unexpected(arrays.error());
    }
    Labels labels;
    labels.metadata = metadataOf(run, computed->selection);
    labels.withTokens = destination->format == ArrayFormat::Json ||
                        std::find(what.begin(), what.end(), "tokens") != what.end();
    auto written = writeResult(*destination, *arrays, run, computed->selection, labels, console);
    console.endProgress();
    if (!written) {
        return tl::unexpected(written.error());
    }
    if (tally.nan > 0) {
        console.note(std::to_string(tally.nan) +
                     " numbers of the result are NaN; look for NaN or infinity in the input");
    }
    return ExitCode::Fine;
}

} // namespace

void addCompute(CLI::App& root, Action& chosen)
{
    const auto options = std::make_shared<ComputeOptions>();
    CLI::App* app = root.add_subcommand("compute", "write any step of the layer as arrays");
    addSourceOptions(*app, options->source);
    app->option_defaults()->group("Output");
    addText(*app, "-o,--output", options->output, "FILE",
            ".npz .safetensors .json .csv .npy; - is a pipe");
    addChoice(*app, "--format", options->format, {"npz", "safetensors", "json", "csv", "npy"},
              "for -o - (json)");
    addText(*app, "--what", options->what, "LIST", "what to write (tokens,mask,weights)");
    app->footer("--what: tokens, x, q, k, v, mask, scores, scaled, masked, weights, head_output,\n"
                "output, rowstats (= lse, max, entropy, argmax, kept), hidden, logits.\n"
                "Example: heedmap compute --text \"I like eating apple\" --causal -o out.npz");
    app->callback([options, &chosen] {
        chosen = [options](const Console& console) { return computeAction(*options, console); };
    });
}

} // namespace heed::cli
