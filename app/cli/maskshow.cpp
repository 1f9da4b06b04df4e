// heedmap mask show: a mask as a picture of characters, with the reason of every masked cell.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "maskpicture.h"
#include "optionvalue.h"
#include "sourceoptions.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <numeric>

namespace heed::cli {

namespace {

constexpr std::int64_t StandardSide = 8; // small enough to read, large enough to see a window
constexpr std::int64_t MostSide = std::int64_t{1} << 24;
constexpr std::int64_t MostHeads = 65536;

struct MaskShowOptions {
    std::string expression;
    std::vector<std::string> text;
    std::string tokenizer = "words";
    std::string lengths;
    std::string padSide = "right";
    std::int64_t padTo = 0;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t heads = 1;
    std::string memory;
    bool json = false;
};

Expected<MaskPictureInput> contextOf(const MaskShowOptions& options, const Execution& execution)
{
    MaskPictureInput input;
    MaskContext& context = input.context;
    context.padSide = padSideOf(options.padSide);
    context.heads = options.heads;
    if (!options.text.empty()) {
        if (options.queries > 0 || options.keys > 0 || !options.lengths.empty()) {
            return fail(Code::InvalidArgument,
                        "--text gives the size itself. Leave --queries, --keys and --lengths "
                        "away.");
        }
        const auto tokenizer = makeTokenizer(options.tokenizer);
        if (!tokenizer) {
            return tl::unexpected(tokenizer.error());
        }
        auto batch =
            makeBatch(options.text, **tokenizer, context.padSide, options.padTo, execution);
        if (!batch) {
            return tl::unexpected(batch.error());
        }
        context.items = batch->size();
        context.queries = context.keys = batch->length;
        context.keyLengths = batch->lengths;
        input.tokens = std::move(*batch);
        return input;
    }
    if (!options.lengths.empty()) {
        auto lengths = parseIntegers(options.lengths, "--lengths");
        if (!lengths) {
            return tl::unexpected(lengths.error());
        }
        context.keyLengths = std::move(*lengths);
        context.items = static_cast<std::int64_t>(context.keyLengths.size());
        const std::int64_t shortest =
            *std::min_element(context.keyLengths.begin(), context.keyLengths.end());
        if (shortest < 1) {
            return fail(Code::InvalidArgument,
                        "a length of " + std::to_string(shortest) +
                            " leaves nothing to attend to. Lengths start at 1.",
                        "--lengths");
        }
    }
    const std::int64_t longest =
        context.keyLengths.empty()
            ? StandardSide
            : *std::max_element(context.keyLengths.begin(), context.keyLengths.end());
    context.keys =
        options.keys > 0    ? options.keys
        : options.padTo > 0 ? options.padTo
        : options.queries > 0
            ? std::max(options.queries, context.keyLengths.empty() ? options.queries : longest)
            : longest;
    context.queries = options.queries > 0 ? options.queries : context.keys;
    if (longest > context.keys && !context.keyLengths.empty()) {
        return fail(Code::InvalidArgument,
                    "a length of " + std::to_string(longest) + " does not fit " +
                        std::to_string(context.keys) + " keys. Give --keys " +
                        std::to_string(longest) + " or shorter lengths.",
                    "--lengths");
    }
    return input;
}

Expected<ExitCode> maskShowAction(const MaskShowOptions& options, const Console& console)
{
    const auto leaving = console.leaveWhenStopped();
    EngineOptions engine;
    engine.memory = options.memory;
    const auto execution = makeExecution(engine, console);
    if (!execution) {
        return tl::unexpected(execution.error());
    }
    auto input = contextOf(options, *execution);
    if (!input) {
        return tl::unexpected(input.error());
    }
    const auto mask = compileMask(options.expression, input->context, *execution);
    if (!mask) {
        return fail(mask.error().code, mask.error().message,
                    mask.error().context.empty() ? "mask" : mask.error().context);
    }
    input->mask = *mask;
    const auto text = options.json ? maskJson(*input, *execution) : maskText(*input, *execution);
    if (!text) {
        return tl::unexpected(text.error());
    }
    if (auto printed = console.print(*text); !printed) {
        return tl::unexpected(printed.error());
    }
    return finish(console);
}

} // namespace

void addMask(CLI::App& root, Action& chosen)
{
    CLI::App* mask = root.add_subcommand("mask", "look at masks without a window");
    mask->require_subcommand(1);
    const auto options = std::make_shared<MaskShowOptions>();
    CLI::App* app = mask->add_subcommand("show", "draw a mask, with reasons and counts");
    addText(*app, "EXPR", options->expression, "EXPR",
            "such as \"padding & causal\" or \"window(4)\"")
        ->required();
    app->option_defaults()->group("Size");
    addInteger(*app, "--queries", options->queries, 1, MostSide, "L", "rows (as --keys)");
    addInteger(*app, "--keys", options->keys, 1, MostSide, "S", "columns (8, or the longest item)");
    addInteger(*app, "--heads", options->heads, 1, MostHeads, "H", "heads (1)");
    addText(*app, "--lengths", options->lengths, "LIST", "real tokens of each item, such as 5,3");
    addChoice(*app, "--pad-side", options->padSide, {"right", "left"},
              "where padding stands (right)");
    app->option_defaults()->group("Size from text");
    addTexts(*app, "--text", options->text, "LINE", "a line of text; repeat it for a batch");
    addChoice(*app, "--tokenizer", options->tokenizer, {"words", "chars"},
              "how text is cut (words)");
    addInteger(*app, "--pad-to", options->padTo, 1, MostSide, "N", "fill to at least N tokens");
    app->option_defaults()->group("Output");
    app->add_flag("--json", options->json, "as JSON");
    addText(*app, "--memory", options->memory, "SIZE", "most memory to take: 2GiB, 500M, …");
    app->footer("Example: heedmap mask show \"padding & causal\" --lengths 5,3");
    app->callback([options, &chosen] {
        chosen = [options](const Console& console) { return maskShowAction(*options, console); };
    });
    addMaskLint(*mask, chosen);
}

} // namespace heed::cli
