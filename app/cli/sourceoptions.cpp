// The options that say what to compute, the same for every subcommand, and the run they describe.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sourceoptions.h"

#include "optionvalue.h"
#include "recentmodels.h"

#include "heed/model.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <poll.h>
#include <unistd.h>

namespace heed::cli {

namespace {

constexpr std::int64_t MostTextBytes = std::int64_t{64} << 20; // more is no text to look at
constexpr int PollPeriodMs = 100;
constexpr std::int64_t MostThreads = 4096;
constexpr std::int64_t MostModelWidth = 65536; // LayerConfig
constexpr std::int64_t MostLayers = 65535;
constexpr std::int64_t MostItems = 65536;
constexpr std::int64_t MostTokens = std::int64_t{1} << 24;

Expected<std::string> readTextFile(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return fail(Code::Io, std::string("Cannot open: ") + std::strerror(errno) + ".", path);
    }
    std::string text;
    std::string block(std::size_t{1} << 16, '\0');
    while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0) {
        text.append(block, 0, static_cast<std::size_t>(file.gcount()));
        if (static_cast<std::int64_t>(text.size()) > MostTextBytes) {
            return fail(Code::OutOfMemory,
                        "This text is longer than " + formatBytes(MostTextBytes) +
                            ". Give the part you want to look at.",
                        path);
        }
    }
    if (file.bad()) {
        return fail(Code::Io, std::string("Cannot read: ") + std::strerror(errno) + ".", path);
    }
    return text;
}

/// The lines that hold something. Windows line ends and a byte order mark are no text.
std::vector<std::string> linesOf(std::string_view text)
{
    constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";
    if (text.substr(0, byteOrderMark.size()) == byteOrderMark) {
        text.remove_prefix(byteOrderMark.size());
    }
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (!line.empty() && line.back() == '\r') {
            line.remove_suffix(1);
        }
        if (line.find_first_not_of(" \t") != std::string_view::npos) {
            lines.emplace_back(line);
        }
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

Expected<std::vector<std::vector<std::int64_t>>> parseIds(const std::vector<std::string>& lists,
                                                          const char* option)
{
    std::vector<std::vector<std::int64_t>> ids;
    for (const std::string& list : lists) {
        auto numbers = parseIntegers(list, option);
        if (!numbers) {
            return tl::unexpected(numbers.error());
        }
        ids.push_back(std::move(*numbers));
    }
    return ids;
}

/// What --model names: nothing for the sandbox.
Expected<std::filesystem::path> modelPath(const std::string& model)
{
    if (model == Sandbox) {
        return std::filesystem::path();
    }
    auto path = resolveModel(model, modelPlaces());
    if (!path) {
        path.error().context = "--model " + model;
    }
    return path;
}

bool isGiven(const SourceOptions& options, const char* name)
{
    return options.app != nullptr && options.app->get_option(name)->count() > 0;
}

/// Refuses an option that would have no influence on the numbers of this kind of source.
Expected<void> checkTakesPart(const SourceOptions& options, const Source& source)
{
    struct Rule {
        bool applies;
        const char* source;
        std::string why;
        std::vector<const char*> useless;
    };
    const bool tokenises =
        !source.lines.empty() || !options.textFile.empty() || !source.contextLines.empty();
    const bool hasModel = !source.model.empty();
    const bool hasIds = !source.ids.empty();
    const std::string finished = "its sizes are those of the file, and nothing is projected";
    const std::string own = "a model has its own sizes, weights and positions";
    const std::array<Rule, 6> rules = {
        {{!source.qkv.empty(),
          "--qkv",
          finished,
          {"--d-model", "--heads", "--kv-heads", "--seed", "--positions", "--no-bias"}},
         {!source.maps.empty(),
          "--maps",
          finished,
          {"--d-model", "--heads", "--kv-heads", "--seed", "--positions", "--no-bias",
           "--no-scale"}},
         {!tokenises && !hasIds,
          source.qkv.empty() ? source.maps.empty() ? "--input" : "--maps" : "--qkv",
          "there is no text to cut or fill",
          {"--tokenizer", "--pad-to"}},
         {hasModel,
          "--model",
          own,
          {"--d-model", "--heads", "--kv-heads", "--seed", "--positions", "--no-bias",
           "--no-scale"}},
         {!hasModel,
          "the sandbox",
          "it is for a checkpoint, see --model",
          {"--no-special", "--mask-layer", "--target", "--target-ids", "--attention"}},
         {hasIds && source.targetLines.empty(),
          "--ids",
          "ids are taken as they are",
          {"--no-special"}}}};
    for (const Rule& rule : rules) {
        for (const char* name : rule.useless) {
            if (rule.applies && isGiven(options, name)) {
                return fail(Code::InvalidArgument,
                            std::string("has no use with ") + rule.source + ": " + rule.why +
                                ". Leave it away.",
                            name);
            }
        }
    }
    if (source.maskLayer >= 0 && source.mask.empty() && !source.causal) {
        return fail(Code::InvalidArgument,
                    "says on which layer a mask acts, and there is none. Give one with --mask.",
                    "--mask-layer");
    }
    return {};
}

/// --tokenizer is a name or a file.
Expected<void> chooseTokenizer(const SourceOptions& options, Source& source)
{
    const bool isNamed = options.tokenizer == "words" || options.tokenizer == "chars";
    std::error_code unknown;
    if (!isNamed && !std::filesystem::exists(options.tokenizer, unknown)) {
        return fail(Code::InvalidArgument,
                    "is neither words nor chars nor a file, such as a model's tokenizer.json.",
                    "--tokenizer " + options.tokenizer);
    }
    if (isNamed && !source.model.empty() && isGiven(options, "--tokenizer")) {
        return fail(Code::InvalidArgument,
                    "has no use with --model: a model takes the pieces of its own vocabulary. "
                    "Leave it away, or name a tokenizer.json.",
                    "--tokenizer " + options.tokenizer);
    }
    source.tokenizer = isNamed ? options.tokenizer : "words";
    source.tokenizerFile = isNamed ? "" : options.tokenizer;
    return {};
}

/// "encoder" is how others attend, too, but a person who writes it expects a choice.
Expected<void> checkAttention(const SourceOptions& options, const Run& run)
{
    const bool hasSets = run.model() != nullptr && run.model()->decoder != nullptr;
    if (isGiven(options, "--attention") && !hasSets) {
        return fail(Code::InvalidArgument,
                    "has no use: this model has one kind of attention. Encoders with a decoder "
                    "(T5, BART, Marian) have three. Leave it away.",
                    "--attention");
    }
    return {};
}

/// Arrays and weights bring their own width; another one on the command line is a mistake.
Expected<void> checkWidth(const SourceOptions& options, const Run& run)
{
    const std::int64_t wanted = options.source.layer.modelWidth;
    const std::int64_t width = run.layer().modelWidth;
    if (isGiven(options, "--d-model") && wanted != width) {
        return fail(Code::InvalidArgument,
                    "the file has a width of " + std::to_string(width) +
                        ". Give that, or leave --d-model away.",
                    "--d-model " + std::to_string(wanted));
    }
    return {};
}

} // namespace

void addEngineOptions(CLI::App& app, EngineOptions& options)
{
    app.option_defaults()->group(EngineGroup);
    addText(app, "--backend", options.backend, "NAME", "auto, reference, cpu, cuda, cpu-v3, …");
    addInteger(app, "--threads", options.threads, 0, MostThreads, "N",
               "processor threads; 0 = all");
    addText(app, "--memory", options.memory, "SIZE", "most memory to take: 2GiB, 500M, …");
}

void addSourceOptions(CLI::App& app, SourceOptions& options)
{
    Source& source = options.source;
    options.app = &app;

    app.option_defaults()->group("Input");
    addTexts(app, "--text", source.lines, "LINE", "a line of text; repeat it for a batch");
    addText(app, "--text-file", options.textFile, "FILE", "a batch item a line; - reads a pipe");
    addTexts(app, "--text-pair", source.pairLines, "LINE",
             "the second text of a pair, for a model");
    addText(app, "--tokenizer", options.tokenizer, "NAME", "words, chars or a tokenizer.json");
    addTexts(app, "--context-text", source.contextLines, "LINE",
             "second text, for cross attention");
    addTexts(app, "--target", source.targetLines, "LINE", "second text, for cross attention");
    addPath(app, "--input", source.input, "X.npy", "X [B, L, d_model] instead of text");
    addPath(app, "--context", source.context, "X.npy", "X [B, L, d_model] instead of text");
    addPath(app, "--qkv", source.qkv, "FILE", "arrays q, k, v; skips the projections");
    addPath(app, "--maps", source.maps, "FILE", "finished attention maps");
    addText(app, "--model", options.model, "NAME", "a checkpoint, by name or folder (sandbox)");
    addTexts(app, "--ids", options.ids, "LIST", "token ids instead of text; repeatable");
    addTexts(app, "--target-ids", options.targetIds, "LIST",
             "token ids instead of text; repeatable");
    addChoice(app, "--attention", options.attention, {"encoder", "decoder", "cross"},
              "of T5, BART, … (encoder)");
    app.add_flag_callback(
        "--no-special", [&source] { source.specialTokens = false; }, "without its own tokens");

    app.option_defaults()->group("Layer");
    addPath(app, "--weights", source.weights, "FILE", "w_q.weight, … instead of random ones");
    addInteger(app, "--d-model", source.layer.modelWidth, 1, MostModelWidth, "N",
               "width of a token vector (" + std::to_string(source.layer.modelWidth) + ")");
    addInteger(app, "--heads", source.layer.heads, 1, MostModelWidth, "N",
               "heads (" + std::to_string(source.layer.heads) + "); must divide d_model");
    addInteger(app, "--kv-heads", source.layer.kvHeads, 1, MostModelWidth, "N",
               "key and value heads (as --heads)");
    addSeed(app, "--seed", source.layer.seed, "N", "seed of vectors and weights (0)");
    addChoice(app, "--positions", options.positions, {"none", "sinusoidal", "rope"},
              "position code (sinusoidal)");
    app.add_flag_callback(
        "--no-scale", [&source] { source.layer.scaled = false; }, "without 1/√D; without biases");
    app.add_flag_callback(
        "--no-bias", [&source] { source.layer.biased = false; }, "without 1/√D; without biases");

    app.option_defaults()->group("Mask");
    app.add_flag_callback(
        "--causal", [&source] { source.causal = true; }, "hide later tokens");
    app.add_flag_callback(
        "--padding", [&source] { source.padding = true; }, "hide padding");
    addChoice(app, "--pad-side", options.padSide, {"right", "left"},
              "where short lines are filled (right)");
    addInteger(app, "--pad-to", source.padTo, 1, MostTokens, "N", "fill to at least N tokens");
    addText(app, "--mask", source.mask, "EXPR", "further mask, such as \"window(4) | prefix(1)\"");

    addInteger(app, "--mask-layer", source.maskLayer, 0, MostLayers, "N",
               "the mask acts on this layer alone");

    app.option_defaults()->group(SelectionGroup);
    addText(app, "--layer", options.layers, "LIST", "such as 0,3-5 (all)");
    addText(app, "--head", options.heads, "LIST", "such as 0,3-5 (all)");
    addText(app, "--item", options.items, "LIST", "such as 0,3-5 (all)");

    addEngineOptions(app, options.engine);
}

Expected<void> checkEnvironment()
{
    const char* wanted = std::getenv("HEED_THREADS");
    if (wanted == nullptr) {
        return {};
    }
    std::int64_t threads = -1;
    const char* end = wanted + std::strlen(wanted);
    const auto [rest, status] = std::from_chars(wanted, end, threads);
    if (status != std::errc{} || rest != end || threads < 0 || threads > MostThreads) {
        return fail(Code::InvalidArgument,
                    "takes a whole number from 0 to " + std::to_string(MostThreads) + ", not \"" +
                        wanted + "\".",
                    "HEED_THREADS");
    }
    return {};
}

PadSide padSideOf(const std::string& name)
{
    return name == "left" ? PadSide::Left : PadSide::Right;
}

Expected<std::string> readStandardInput(const Console& console)
{
    std::string text;
    std::string block(std::size_t{1} << 16, '\0');
    while (true) {
        // Waiting in poll and not in read keeps Ctrl+C alive while nobody types.
        pollfd input{STDIN_FILENO, POLLIN, 0};
        const int ready = ::poll(&input, 1, PollPeriodMs);
        if (console.stop().stop_requested()) {
            return fail(Code::Cancelled, "Stopped.");
        }
        if (ready == 0 || (ready < 0 && errno == EINTR)) {
            continue;
        }
        const ssize_t count = ::read(STDIN_FILENO, block.data(), block.size());
        if (count == 0) {
            return text;
        }
        if (count < 0) {
            if (errno == EINTR || errno == EAGAIN) {
                continue;
            }
            return fail(Code::Io, std::string("Cannot read: ") + std::strerror(errno) + ".",
                        "standard input");
        }
        text.append(block, 0, static_cast<std::size_t>(count));
        if (static_cast<std::int64_t>(text.size()) > MostTextBytes) {
            return fail(Code::OutOfMemory,
                        "This text is longer than " + formatBytes(MostTextBytes) +
                            ". Give the part you want to look at.",
                        "standard input");
        }
    }
}

Expected<Source> makeSource(const SourceOptions& options, const Console& console)
{
    Source source = options.source;
    auto model = modelPath(options.model);
    auto ids = parseIds(options.ids, "--ids");
    auto targetIds = parseIds(options.targetIds, "--target-ids");
    if (!model || !ids || !targetIds) {
        return tl::unexpected(!model ? model.error() : !ids ? ids.error() : targetIds.error());
    }
    source.model = std::move(*model);
    source.ids = std::move(*ids);
    source.targetIds = std::move(*targetIds);
    const bool hasTarget = !source.targetLines.empty() || !source.targetIds.empty();
    source.attention = attentionSetNamed(options.attention)
                           .value_or(hasTarget ? AttentionSet::Cross : AttentionSet::Encoder);
    if (auto chosen = chooseTokenizer(options, source); !chosen) {
        return tl::unexpected(chosen.error());
    }
    source.padSide = padSideOf(options.padSide);
    source.layer.positions = options.positions == "none"   ? Positions::None
                             : options.positions == "rope" ? Positions::Rotary
                                                           : Positions::Sinusoidal;
    if (!options.textFile.empty()) {
        if (!source.lines.empty()) {
            return fail(Code::InvalidArgument,
                        "--text and --text-file exclude each other. Keep one of them.");
        }
        const bool piped = options.textFile == "-";
        const auto text = piped ? readStandardInput(console) : readTextFile(options.textFile);
        if (!text) {
            return tl::unexpected(text.error());
        }
        source.lines = linesOf(*text);
        if (source.lines.empty()) {
            return fail(Code::BadFormat, "There is no text in it. Give at least one line.",
                        piped ? "standard input" : options.textFile);
        }
    }
    const bool isEmpty = source.lines.empty() && source.ids.empty() && source.input.empty() &&
                         source.qkv.empty() && source.maps.empty();
    if (isEmpty && source.model.empty()) {
        return fail(Code::InvalidArgument,
                    "There is nothing to compute. Give a sentence with --text, for instance "
                    "--text \"I like eating apple\".");
    }
    if (auto useful = checkTakesPart(options, source); !useful) {
        return tl::unexpected(useful.error());
    }
    return source;
}

Expected<Execution> makeExecution(const EngineOptions& options, const Console& console)
{
    Execution execution;
    execution.threads = static_cast<int>(options.threads);
    execution.stop = console.stop();
    if (!options.memory.empty()) {
        const auto bytes = parseBytes(options.memory);
        if (!bytes) {
            return fail(bytes.error().code, bytes.error().message, "--memory");
        }
        if (*bytes == 0) {
            return fail(Code::InvalidArgument,
                        "leaves no memory to compute in. Leave it away for three quarters of what "
                        "is free.",
                        "--memory " + options.memory);
        }
        execution.memoryBudget = *bytes;
    } else {
        execution.memoryBudget = usualMemoryBudget();
    }
    return execution;
}

Expected<BackendPtr> openBackend(const std::string& name)
{
    BackendRegistry& registry = BackendRegistry::instance();
    auto backend = registry.open(name);
    if (backend) {
        return backend;
    }
    std::vector<std::string> names = {"auto"};
    for (const BackendReport& report : registry.reports()) {
        names.push_back(report.name);
    }
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    return fail(known ? Code::BackendFailed : Code::InvalidArgument, backend.error().message,
                "--backend " + name);
}

Expected<FirstSelected> firstSelected(const SourceOptions& options)
{
    const auto layers = parsePositions(options.layers, MostLayers, "--layer", "layer");
    const auto items = parsePositions(options.items, MostItems, "--item", "batch item");
    const auto heads = parsePositions(options.heads, MostModelWidth, "--head", "head");
    for (const auto* list : {&layers, &items, &heads}) {
        if (!*list) {
            return tl::unexpected(list->error());
        }
    }
    const auto first = [](const std::string& given, const std::vector<std::int64_t>& positions) {
        return given.empty() || positions.empty() ? std::nullopt : std::optional(positions.front());
    };
    return FirstSelected{first(options.layers, *layers), first(options.items, *items),
                         first(options.heads, *heads)};
}

Expected<ComputedSource> computeSource(const SourceOptions& options, const Console& console)
{
    auto source = makeSource(options, console);
    if (!source) {
        return tl::unexpected(source.error());
    }
    if (!options.layers.empty() && !options.needsAllLayers) {
        // What is no list, or names a layer that is not there, is refused when that is known.
        const auto layers = parsePositions(options.layers, MostLayers, "--layer", "layer");
        source->lastLayer = layers && !layers->empty() ? layers->back() : -1;
    }
    auto execution = makeExecution(options.engine, console);
    if (!execution) {
        return tl::unexpected(execution.error());
    }
    const auto backend = openBackend(options.engine.backend);
    if (!backend) {
        return tl::unexpected(backend.error());
    }
    execution->progress = console.progress("computing");
    auto run = compute(*source, *backend, *execution);
    console.endProgress();
    if (!run) {
        return tl::unexpected(run.error());
    }
    if (auto width = checkWidth(options, **run); !width) {
        return tl::unexpected(width.error());
    }
    if (auto attention = checkAttention(options, **run); !attention) {
        return tl::unexpected(attention.error());
    }
    const MapsShape shape = (*run)->maps()->shape();
    auto layers = parsePositions(options.layers, shape.layers, "--layer", "layer");
    auto items = parsePositions(options.items, shape.items, "--item", "batch item");
    auto heads = parsePositions(options.heads, shape.heads, "--head", "head");
    for (const auto* part : {&layers, &items, &heads}) {
        if (!*part) {
            return tl::unexpected(part->error());
        }
    }
    const std::vector<std::int64_t>& lengths = (*run)->keyTokens().lengths;
    if (!source->padding && source->maps.empty() && source->model.empty() &&
        std::any_of(lengths.begin(), lengths.end(),
                    [&](std::int64_t length) { return length < shape.keys; })) {
        console.note("the lines differ in length and --padding is off, so padding is attended");
    }
    for (const std::string& note : (*run)->notes()) {
        console.note(note);
    }
    return ComputedSource{std::move(*run),
                          Selection{std::move(*layers), std::move(*items), std::move(*heads)},
                          std::move(*execution)};
}

} // namespace heed::cli
