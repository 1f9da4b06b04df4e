// The options that say for which extents a mask is, the same for every mask command.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "masksize.h"

#include "optionvalue.h"
#include "sourceoptions.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

namespace heed::cli {

namespace {

constexpr std::int64_t StandardSide = 8; // small enough to read, large enough to see a window
constexpr std::int64_t MostSide = std::int64_t{1} << 24;
constexpr std::int64_t MostHeads = 65536;

} // namespace

void addMaskSizeOptions(CLI::App& app, MaskSizeOptions& options)
{
    app.option_defaults()->group("Size");
    addInteger(app, "--queries", options.queries, 1, MostSide, "L", "rows (as --keys)");
    addInteger(app, "--keys", options.keys, 1, MostSide, "S", "columns (8, or the longest item)");
    addInteger(app, "--heads", options.heads, 1, MostHeads, "H", "heads (1)");
    addText(app, "--lengths", options.lengths, "LIST", "real tokens of each item, such as 5,3");
    addChoice(app, "--pad-side", options.padSide, {"right", "left"},
              "where padding stands (right)");
    app.option_defaults()->group("Size from text");
    addTexts(app, "--text", options.text, "LINE", "a line of text; repeat it for a batch");
    addChoice(app, "--tokenizer", options.tokenizer, {"words", "chars"}, "how text is cut (words)");
    addInteger(app, "--pad-to", options.padTo, 1, MostSide, "N", "fill to at least N tokens");
}

Expected<MaskSize> maskSizeOf(const MaskSizeOptions& options, const Execution& execution)
{
    MaskSize size;
    MaskContext& context = size.context;
    context.padSide = padSideOf(options.padSide);
    context.heads = std::max<std::int64_t>(options.heads, 1);
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
        size.tokens = std::move(*batch);
        return size;
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
    return size;
}

} // namespace heed::cli
