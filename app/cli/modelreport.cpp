// What a checkpoint is, for people and as JSON.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "modelreport.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace heed::cli {

namespace {

constexpr int NameColumns = 13;
constexpr std::size_t MostFilesNamed = 8;

std::string counted(std::int64_t count, const char* what)
{
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string headsText(const ModelConfig& config)
{
    std::string text = std::to_string(config.heads) + " of " + std::to_string(config.headSize);
    if (config.kvHeads != config.heads) {
        text += ", in groups of " + std::to_string(config.heads / config.kvHeads) +
                " that share a key head (" + std::to_string(config.kvHeads) + ")";
    }
    return text;
}

std::string layersText(const ModelConfig& config)
{
    std::string text = std::to_string(config.layers);
    if (config.layerGroups > 0) {
        text += ", sharing " + counted(config.layerGroups, "set") + " of weights";
    }
    const auto local = std::ranges::count_if(config.windows, [](auto width) { return width > 0; });
    if (local > 0) {
        text += ", " + std::to_string(local) + " with a window of " +
                std::to_string(*std::ranges::max_element(config.windows));
    }
    return text;
}

std::string positionsText(const ModelConfig& config)
{
    switch (config.positions) {
    case ModelPositions::Learned:
        return counted(config.longest, "token") + ", learned positions";
    case ModelPositions::Rotary:
        return counted(config.longest, "token") + ", rotary positions";
    case ModelPositions::Sinusoid:
        return counted(config.longest, "token") + ", sines and cosines";
    case ModelPositions::None:
        break;
    }
    return config.relativeBias.buckets > 0 ? "any length, positions by distance"
                                           : counted(config.longest, "token");
}

std::string tokenizerText(const ModelFacts& facts)
{
    if (facts.tokenizerProblem) {
        return (facts.tokenizer.empty() ? "none" : facts.tokenizer) + ": " +
               describe(*facts.tokenizerProblem);
    }
    return facts.tokenizer + ", " + counted(facts.pieces, "piece");
}

std::string filesText(const ModelFacts& facts)
{
    std::string text;
    std::size_t count = 0;
    for (const auto* list : {&facts.weights, &facts.others}) {
        for (const std::filesystem::path& path : *list) {
            if (count++ < MostFilesNamed) {
                text += (text.empty() ? "" : ", ") + path.filename().string();
            }
        }
    }
    return count > MostFilesNamed
               ? text + " and " + std::to_string(count - MostFilesNamed) + " more"
               : text;
}

nlohmann::json namesOf(const std::vector<std::filesystem::path>& paths)
{
    nlohmann::json names = nlohmann::json::array();
    for (const std::filesystem::path& path : paths) {
        names.push_back(path.filename().string());
    }
    return names;
}

} // namespace

std::string countText(std::int64_t count)
{
    static constexpr std::array<const char*, 4> units = {"", " k", " M", " G"};
    if (count == 0) {
        return {};
    }
    auto value = static_cast<double>(count);
    std::size_t unit = 0;
    while (value >= 999.5 && unit + 1 < units.size()) {
        value /= 1000;
        ++unit;
    }
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), value < 99.95 && unit > 0 ? "%.1f%s" : "%.0f%s", value,
                  units[unit]);
    return text.data();
}

std::string familyText(const ModelFacts& facts)
{
    return facts.config ? facts.config->title : facts.family;
}

std::string modelText(const ModelFacts& facts)
{
    std::string text;
    const auto line = [&text](const std::string& name, const std::string& value) {
        if (!value.empty()) {
            text += "  " + padRight(name + ":", NameColumns) + printable(value) + "\n";
        }
    };
    if (facts.problem) {
        line("cannot run", describe(*facts.problem));
    }
    if (facts.config) {
        const ModelConfig& config = *facts.config;
        line("family", config.title + " (" + config.family + "), " +
                           (config.causal ? "causal" : "sees both sides"));
        line("layers", layersText(config));
        line("heads", headsText(config));
        line("width", std::to_string(config.width) + ", MLP " + std::to_string(config.mlpWidth));
        line("context", positionsText(config));
        line("vocabulary", std::to_string(config.vocabulary));
        if (config.decoder != nullptr) {
            line("decoder", counted(config.decoder->layers, "layer") + ", heads " +
                                headsText(*config.decoder) + "; see --attention");
        }
        if (!facts.problem) {
            const bool isNext = config.causal || config.decoder != nullptr;
            line("predicts", !facts.predicts ? "nothing: there is no head for it"
                             : isNext        ? "the next token"
                                             : "masked tokens");
        }
    } else {
        line("family", facts.family);
    }
    if (facts.parameters > 0) {
        line("parameters", countText(facts.parameters) + " (" + std::to_string(facts.parameters) +
                               "), most of them " + facts.weightType + ", " +
                               formatBytes(facts.bytes));
    }
    line("tokenizer", tokenizerText(facts));
    line("licence", facts.licence.empty() ? "not said" : facts.licence);
    line("files", filesText(facts));
    return text;
}

nlohmann::json modelJson(const ModelFacts& facts)
{
    nlohmann::json json = {{"family", facts.config ? facts.config->family : facts.family},
                           {"supported", !facts.problem},
                           {"parameters", facts.parameters},
                           {"weight_type", facts.weightType},
                           {"bytes", facts.bytes},
                           {"tokenizer", facts.tokenizer},
                           {"licence", facts.licence},
                           {"weights", namesOf(facts.weights)},
                           {"other_files", namesOf(facts.others)}};
    if (facts.problem) {
        json["problem"] = describe(*facts.problem);
    } else {
        json["predicts"] = facts.predicts;
    }
    if (facts.tokenizerProblem) {
        json["tokenizer_problem"] = describe(*facts.tokenizerProblem);
    } else if (facts.pieces > 0) {
        json["pieces"] = facts.pieces;
    }
    if (facts.config) {
        const ModelConfig& config = *facts.config;
        json["title"] = config.title;
        json["causal"] = config.causal;
        json["layers"] = config.layers;
        json["heads"] = config.heads;
        json["kv_heads"] = config.kvHeads;
        json["head_size"] = config.headSize;
        json["d_model"] = config.width;
        json["mlp_width"] = config.mlpWidth;
        json["vocabulary"] = config.vocabulary;
        json["context"] = config.longest;
        json["windows"] = config.windows;
        json["layer_groups"] = config.layerGroups;
        if (config.decoder != nullptr) {
            json["decoder_layers"] = config.decoder->layers;
        }
    }
    return json;
}

} // namespace heed::cli
