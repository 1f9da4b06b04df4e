// A source as the options that give it on the command line.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/sourcepaths.h"

#include "heed/mask.h"
#include "heed/session.h"

namespace heed {

std::string_view positionsName(Positions positions)
{
    switch (positions) {
    case Positions::None:
        return "none";
    case Positions::Rotary:
        return "rope";
    case Positions::Sinusoidal:
        break;
    }
    return "sinusoidal";
}

std::vector<std::string> sourceArguments(const Source& source)
{
    std::vector<std::string> arguments;
    const auto add = [&](std::initializer_list<std::string> words) {
        arguments.insert(arguments.end(), words);
    };
    for (const std::string& line : source.lines) {
        add({"--text", line});
    }
    for (const std::string& line : source.contextLines) {
        add({"--context-text", line});
    }
    for (const std::string& line : source.pairLines) {
        add({"--text-pair", line});
    }
    const auto addIds = [&](const char* option,
                            const std::vector<std::vector<std::int64_t>>& rows) {
        for (const auto& ids : rows) {
            std::string list;
            for (const std::int64_t id : ids) {
                list += (list.empty() ? "" : ",") + std::to_string(id);
            }
            add({option, list});
        }
    };
    addIds("--ids", source.ids);
    for (const std::string& line : source.targetLines) {
        add({"--target", line});
    }
    addIds("--target-ids", source.targetIds);
    for (const auto& [name, option, path] : pathsOf(source)) {
        if (!path->empty()) {
            add({option, path->string()});
        }
    }
    const Source standard;
    const LayerConfig& layer = source.layer;
    const auto number = [&](const char* option, auto value, auto usual) {
        if (value != usual) {
            add({option, std::to_string(value)});
        }
    };
    const auto flag = [&](const char* option, bool on) {
        if (on) {
            add({option});
        }
    };
    // What the source cannot use is refused on a command line.
    const bool tokenises =
        !source.lines.empty() || !source.contextLines.empty() || !source.ids.empty();
    const bool hasModel = !source.model.empty();
    const bool projects = source.qkv.empty() && source.maps.empty() && !hasModel;
    const bool isNamed = source.tokenizerFile.empty() && !hasModel;
    if (tokenises && isNamed && source.tokenizer != standard.tokenizer) {
        add({"--tokenizer", source.tokenizer});
    }
    if (projects) {
        if (source.input.empty()) {
            number("--d-model", layer.modelWidth, standard.layer.modelWidth);
        }
        number("--heads", layer.heads, standard.layer.heads);
        number("--kv-heads", layer.kvHeads, standard.layer.kvHeads);
        number("--seed", layer.seed, standard.layer.seed);
        if (layer.positions != standard.layer.positions) {
            add({"--positions", std::string(positionsName(layer.positions))});
        }
        flag("--no-bias", !layer.biased);
    }
    if (source.maps.empty() && !hasModel) {
        flag("--no-scale", !layer.scaled);
    }
    if (hasModel) {
        const bool hasTarget = !source.targetLines.empty() || !source.targetIds.empty();
        const AttentionSet usual = hasTarget ? AttentionSet::Cross : AttentionSet::Encoder;
        if (source.attention != usual) {
            add({"--attention", std::string(attentionSetName(source.attention))});
        }
        flag("--no-special", !source.specialTokens && source.ids.empty());
        if (source.causal || !source.mask.empty()) {
            number("--mask-layer", source.maskLayer, standard.maskLayer);
        }
    }
    if (source.padSide == PadSide::Left) {
        add({"--pad-side", "left"});
    }
    if (tokenises) {
        number("--pad-to", source.padTo, standard.padTo);
    }
    flag("--padding", source.padding);
    flag("--causal", source.causal);
    if (!source.mask.empty()) {
        const auto mask = source.maskFolder.empty()
                              ? Expected<std::string>(source.mask)
                              : maskFromFolder(source.mask, source.maskFolder);
        add({"--mask", mask.value_or(source.mask)});
    }
    return arguments;
}

std::string shellCommand(const std::vector<std::string>& arguments)
{
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        "-_./=:,@%+";
    std::string line;
    for (const std::string& argument : arguments) {
        line += line.empty() ? "" : " ";
        if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) {
            line += argument;
            continue;
        }
        line += '\'';
        for (const char c : argument) {
            line += c == '\'' ? std::string("'\\''") : std::string(1, c);
        }
        line += '\'';
    }
    return line;
}

} // namespace heed
