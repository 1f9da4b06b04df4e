// What a run is asked for: checks, and the masks of its layers.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/modelinput.h"

#include <algorithm>

namespace heed::detail {

namespace {

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

/// @p own with what the user adds, which may be "".
Expected<std::string> joinMask(const std::string& own, const std::string& added)
{
    if (added.empty()) {
        return own;
    }
    // Alone first: "none) | (none" must not slip through the parentheses it is put into.
    if (auto valid = normaliseMask(added); !valid) {
        return tl::unexpected(valid.error());
    }
    return own + " & (" + added + ")";
}

} // namespace

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
    if (config.decoder == nullptr && !config.crossAttention && !input.targets.empty()) {
        return refuse("There are targets, but this model has no decoder that they could be given "
                      "to.");
    }
    if (input.layers < 0 || input.layers > config.layers) {
        return refuse(number(input.layers) + " layers cannot run; the model has " +
                      number(config.layers) + ".");
    }
    return {};
}

ModelInput targetsOf(const ModelInput& input)
{
    ModelInput target;
    target.ids = input.targets;
    target.lengths = input.targetLengths;
    target.padSide = input.padSide;
    if (input.masked == AttentionSet::Decoder) {
        target.mask = input.mask;
    }
    return target;
}

Expected<void> checkTargets(const ModelConfig& config, const ModelInput& input,
                            const ModelInput& target)
{
    auto fine = checkInput(*config.decoder, target);
    if (!fine) {
        fine.error().message = "In the targets: " + fine.error().message;
    } else if (target.ids.size() != input.ids.size()) {
        fine = refuse("There are " + number(sizeOf(target.ids)) + " targets for " +
                      number(sizeOf(input.ids)) + " items. Give one each.");
    }
    return fine;
}

MaskContext contextOf(const ModelInput& keys, std::int64_t heads, std::int64_t queries)
{
    MaskContext context;
    context.items = sizeOf(keys.ids);
    context.heads = heads;
    context.queries = queries;
    context.keys = sizeOf(keys.ids.front());
    context.padSide = keys.padSide;
    context.keyLengths = keys.lengths;
    if (context.keyLengths.empty()) {
        context.keyLengths.assign(keys.ids.size(), context.keys);
    }
    return context;
}

Expected<MaskPtr> crossMask(const ModelInput& input, std::int64_t heads, std::int64_t queries,
                            const Execution& execution, std::int64_t besideBytes)
{
    const auto expression =
        joinMask("padding", input.masked == AttentionSet::Cross ? input.mask : "");
    return expression
               ? compileMask(*expression, contextOf(input, heads, queries), execution, besideBytes)
               : Expected<MaskPtr>(tl::unexpected(expression.error()));
}

Expected<MaskPtr> LayerMasks::of(std::int64_t layer, const Execution& execution)
{
    const auto expression = joinMask(m_config.maskExpression(layer), m_input.mask);
    if (!expression) {
        return tl::unexpected(expression.error());
    }
    MaskPtr& mask = m_masks[*expression];
    if (mask == nullptr) {
        auto compiled = compileMask(*expression, m_context, execution, m_bytes);
        if (!compiled) {
            return compiled;
        }
        mask = std::move(*compiled);
        m_bytes += mask->bytes();
    }
    return mask;
}

} // namespace heed::detail
