// heedmap mask show: a mask as a picture of characters, with the reason of every masked cell.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "maskcommand.h"
#include "maskpicture.h"
#include "masksize.h"
#include "optionvalue.h"
#include "sourceoptions.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

namespace heed::cli {

namespace {

struct MaskShowOptions {
    std::string expression;
    MaskSizeOptions size;
    std::string memory;
    bool json = false;
};

Expected<ExitCode> maskShowAction(const MaskShowOptions& options, const Console& console)
{
    const auto leaving = console.leaveWhenStopped();
    EngineOptions engine;
    engine.memory = options.memory;
    const auto execution = makeExecution(engine, console);
    if (!execution) {
        return tl::unexpected(execution.error());
    }
    auto size = maskSizeOf(options.size, *execution);
    if (!size) {
        return tl::unexpected(size.error());
    }
    const auto mask = compileMask(options.expression, size->context, *execution);
    if (!mask) {
        return fail(mask.error().code, mask.error().message,
                    mask.error().context.empty() ? "mask" : mask.error().context);
    }
    const MaskPictureInput input = {size->context, *mask, std::move(size->tokens)};
    const auto text = options.json ? maskJson(input, *execution) : maskText(input, *execution);
    if (!text) {
        return tl::unexpected(text.error());
    }
    if (auto printed = console.print(*text); !printed) {
        return tl::unexpected(printed.error());
    }
    return finish(console);
}

} // namespace

void addMaskShow(CLI::App& mask, Action& chosen)
{
    const auto options = std::make_shared<MaskShowOptions>();
    CLI::App* app = mask.add_subcommand("show", "draw a mask, with reasons and counts");
    addText(*app, "EXPR", options->expression, "EXPR",
            "such as \"padding & causal\" or \"window(4)\"")
        ->required();
    addMaskSizeOptions(*app, options->size);
    app->option_defaults()->group("Output");
    app->add_flag("--json", options->json, "as JSON");
    addText(*app, "--memory", options->memory, "SIZE", "most memory to take: 2GiB, 500M, …");
    app->footer("Example: heedmap mask show \"padding & causal\" --lengths 5,3");
    app->callback([options, &chosen] {
        chosen = [options](const Console& console) { return maskShowAction(*options, console); };
    });
}

void addMask(CLI::App& root, Action& chosen)
{
    CLI::App* mask = root.add_subcommand("mask", "look at masks without a window");
    mask->require_subcommand(1);
    addMaskShow(*mask, chosen);
    addMaskLint(*mask, chosen);
    addMaskRecognise(*mask, chosen);
}

} // namespace heed::cli
