// heedmap mask recognise: the expressions that explain a mask, from a file or as an expression.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "maskcommand.h"
#include "masksize.h"
#include "optionvalue.h"
#include "sourceoptions.h"

#include "heed/arrayfile.h"
#include "heed/maskrecognition.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace heed::cli {

namespace {

constexpr std::size_t MostCellsPrinted = 8; // of each explanation; --json has 100

struct RecogniseOptions {
    std::string mask;
    std::string reads;
    std::string array;
    MaskSizeOptions size;
    std::string memory;
    bool json = false;
};

bool isFile(const std::string& name)
{
    std::error_code unknown;
    return std::filesystem::is_regular_file(std::filesystem::path(name), unknown);
}

std::string quoted(const std::string& text)
{
    std::string quotedText = "\"";
    for (const char c : text) {
        quotedText += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return quotedText + "\"";
}

std::string fileExpression(const RecogniseOptions& options)
{
    std::string text = "file(" + quoted(options.mask) + ", reads=" + quoted(options.reads);
    return text + (options.array.empty() ? ")" : ", array=" + quoted(options.array) + ")");
}

/// The extents that the options leave open are those of the file.
Expected<void> takeSizeOfFile(const RecogniseOptions& options, MaskContext& context)
{
    const auto file = openArrays(options.mask);
    if (!file) {
        return tl::unexpected(file.error());
    }
    const auto& arrays = (*file)->arrays();
    const ArrayInfo* info = options.array.empty() && arrays.size() == 1
                                ? &arrays.front()
                                : (*file)->find(options.array);
    if (info == nullptr || info->shape.size() < 2) {
        return {}; // compiling says what is wrong, in its words
    }
    const Shape& shape = info->shape;
    const auto extent = [&shape](std::size_t fromTheEnd) {
        return shape.size() >= fromTheEnd ? shape[shape.size() - fromTheEnd] : 1;
    };
    const MaskSizeOptions& size = options.size;
    if (size.text.empty()) {
        context.keys = size.keys > 0 || size.padTo > 0 ? context.keys : extent(1);
        context.queries = size.queries > 0 ? context.queries : extent(2);
    }
    if (size.text.empty() && size.lengths.empty()) {
        context.items = shape.size() == 3 ? extent(3) : extent(4);
    }
    context.heads = size.heads > 0 || shape.size() == 3 ? context.heads : extent(3);
    return {};
}

Expected<MaskPtr> maskOf(const RecogniseOptions& options, const Execution& execution)
{
    auto size = maskSizeOf(options.size, execution);
    if (!size) {
        return tl::unexpected(size.error());
    }
    const bool readsFile = isFile(options.mask);
    if (readsFile && options.reads.empty()) {
        return fail(Code::InvalidArgument,
                    "a file can mean two opposite things: give --reads keep, blocked or additive.",
                    "--reads");
    }
    if (!readsFile && !(options.reads.empty() && options.array.empty())) {
        return fail(Code::InvalidArgument,
                    "there is no file \"" + options.mask +
                        "\". --reads and --array are for files; an expression says its own.",
                    options.reads.empty() ? "--array" : "--reads");
    }
    if (readsFile) {
        if (auto taken = takeSizeOfFile(options, size->context); !taken) {
            return tl::unexpected(taken.error());
        }
    }
    auto mask =
        compileMask(readsFile ? fileExpression(options) : options.mask, size->context, execution);
    if (!mask) {
        return fail(mask.error().code, mask.error().message,
                    mask.error().context.empty() ? "mask" : mask.error().context);
    }
    return mask;
}

/// "1 cell" or "12 cells".
std::string cellsText(std::int64_t count)
{
    return std::to_string(count) + (count == 1 ? " cell" : " cells");
}

/// "(item 0, head 1: 3, 4)", the parts that all cells share left out.
std::string cellText(const MaskCell& cell, const MaskContext& context)
{
    std::string plane;
    if (context.items > 1) {
        plane = "item " + std::to_string(cell.item);
    }
    if (context.heads > 1) {
        plane += (plane.empty() ? "head " : ", head ") + std::to_string(cell.head);
    }
    return "(" + (plane.empty() ? "" : plane + ": ") + std::to_string(cell.query) + ", " +
           std::to_string(cell.key) + ")";
}

std::string explanationsText(const CompiledMask& mask,
                             const std::vector<MaskExplanation>& explanations)
{
    if (explanations.front().isExact()) {
        std::string text;
        for (const MaskExplanation& one : explanations) {
            text += one.expression + "\n";
        }
        return text;
    }
    std::string text = "No expression was found that fits. The nearest:\n";
    for (const MaskExplanation& one : explanations) {
        text += one.expression + "\n";
        text += "  the mask keeps " + cellsText(one.extra) + " more and " + cellsText(one.missing) +
                " less; query, key:";
        const std::size_t printed = std::min(one.firstCells.size(), MostCellsPrinted);
        for (std::size_t c = 0; c < printed; ++c) {
            text += " " + cellText(one.firstCells[c], mask.context());
        }
        text += one.extra + one.missing > static_cast<std::int64_t>(printed) ? " …\n" : "\n";
    }
    return text;
}

std::string explanationsJson(const CompiledMask& mask,
                             const std::vector<MaskExplanation>& explanations)
{
    nlohmann::json list = nlohmann::json::array();
    for (const MaskExplanation& one : explanations) {
        nlohmann::json cells = nlohmann::json::array();
        for (const MaskCell& cell : one.firstCells) {
            cells.push_back({cell.item, cell.head, cell.query, cell.key});
        }
        list.push_back({{"expression", one.expression},
                        {"extra", one.extra},
                        {"missing", one.missing},
                        {"cells", std::move(cells)}});
    }
    const MaskContext& context = mask.context();
    const nlohmann::json whole = {{"schema", "heedmap.mask.recognise/1"},
                                  {"expression", mask.expression()},
                                  {"queries", context.queries},
                                  {"keys", context.keys},
                                  {"items", context.items},
                                  {"heads", context.heads},
                                  {"exact", explanations.front().isExact()},
                                  {"explanations", std::move(list)}};
    return whole.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Expected<ExitCode> recogniseAction(const RecogniseOptions& options, const Console& console)
{
    const auto leaving = console.leaveWhenStopped();
    EngineOptions engine;
    engine.memory = options.memory;
    const auto execution = makeExecution(engine, console);
    if (!execution) {
        return tl::unexpected(execution.error());
    }
    const auto mask = maskOf(options, *execution);
    if (!mask) {
        return tl::unexpected(mask.error());
    }
    const auto explanations = recogniseMask(**mask, *execution);
    if (!explanations) {
        return tl::unexpected(explanations.error());
    }
    const std::string text = options.json ? explanationsJson(**mask, *explanations)
                                          : explanationsText(**mask, *explanations);
    if (auto printed = console.print(text); !printed) {
        return tl::unexpected(printed.error());
    }
    return finish(console);
}

} // namespace

void addMaskRecognise(CLI::App& mask, Action& chosen)
{
    const auto options = std::make_shared<RecogniseOptions>();
    CLI::App* app = mask.add_subcommand("recognise", "name the expressions that explain a mask");
    addText(*app, MaskOrFile, options->mask, "MASK", "an expression, or a file of one mask")
        ->required();
    app->option_defaults()->group("File");
    addChoice(*app, "--reads", options->reads, {"keep", "blocked", "additive"},
              "what its numbers mean");
    addText(*app, "--array", options->array, "NAME", "the array, if the file has several");
    addMaskSizeOptions(*app, options->size);
    app->option_defaults()->group("Output");
    app->add_flag("--json", options->json, "as JSON");
    addText(*app, "--memory", options->memory, "SIZE", "most memory to take: 2GiB, 500M, …");
    app->footer("The size of a file is its own unless given.\n"
                "Example: heedmap mask recognise mask.npy --reads additive");
    app->callback([options, &chosen] {
        chosen = [options](const Console& console) { return recogniseAction(*options, console); };
    });
}

} // namespace heed::cli
