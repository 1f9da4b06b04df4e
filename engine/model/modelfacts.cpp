// What a checkpoint is, read off its settings, headers and texts.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/modelfinder.h"
#include "heed/tokenizerfile.h"

#include "io/jsontree.h"
#include "io/mappedfile.h"
#include "io/source.h"
#include "model/weights.h"

#include <algorithm>
#include <fstream>
#include <map>

namespace heed {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t MostFiles = 1000;
constexpr std::size_t LongestHeading = 60;
constexpr int MostHeadingLines = 5; // of a licence
constexpr int MostCardLines = 200;  // of the block at the head of a README.md

std::int64_t sizeOf(const fs::path& path)
{
    std::error_code error;
    const auto size = fs::file_size(path, error);
    return error ? 0 : static_cast<std::int64_t>(size);
}

/// Not what training leaves beside them (training_args.bin, optimizer.pt).
bool holdsWeights(const fs::path& path)
{
    const std::string name = path.filename().string();
    return name.ends_with(".safetensors") || name.ends_with(".gguf") ||
           (name.starts_with("pytorch_model") && name.ends_with(".bin"));
}

void listFiles(const fs::path& path, ModelFacts& facts)
{
    std::vector<fs::path> files;
    std::error_code error;
    if (!fs::is_directory(path, error)) {
        files = {path};
    }
    for (fs::directory_iterator entry(path, error), end;
         !error && entry != end && files.size() < MostFiles; entry.increment(error)) {
        std::error_code unknown;
        const bool isHidden = entry->path().filename().string().starts_with('.');
        if (!isHidden && entry->is_regular_file(unknown)) { // links are followed
            files.push_back(entry->path());
        }
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        (holdsWeights(file) ? facts.weights : facts.others).push_back(file);
    }
    for (const fs::path& file : facts.weights) {
        facts.bytes += sizeOf(file);
    }
}

/// `model_type` as it is written, whether it is known or not.
std::string familyOf(const fs::path& config)
{
    const auto file = detail::MappedFile::open(config);
    const auto json = file ? detail::readJsonTree(detail::asText((*file)->bytes()), "")
                           : Expected<detail::JsonValue>(tl::unexpected(file.error()));
    const detail::JsonValue* type = json ? json->find("model_type") : nullptr;
    const auto* text = type == nullptr ? nullptr : std::get_if<std::string>(&type->value);
    return text == nullptr ? std::string() : *text;
}

/// `license:` of the block between "---" at the head of a card.
std::string licenceOnCard(const fs::path& card)
{
    constexpr std::string_view key = "license:";
    std::ifstream file(card);
    std::string line;
    bool isInside = false;
    for (int count = 0; count < MostCardLines && std::getline(file, line); ++count) {
        if (line.ends_with('\r')) {
            line.pop_back();
        }
        if (line == "---") {
            if (isInside) {
                return {};
            }
            isInside = true;
        } else if (isInside && line.starts_with(key)) {
            line.erase(0, line.find_first_not_of(" \"'", key.size()));
            line.erase(line.find_last_not_of(" \"'") + 1);
            return line;
        }
    }
    return {};
}

/// The heading of its text, "Apache License"; the name of the file where the text has none.
std::string licenceInFolder(const std::vector<fs::path>& files)
{
    const auto text = std::ranges::find_if(files, [](const fs::path& file) {
        const std::string name = file.stem().string();
        return name == "LICENSE" || name == "LICENCE";
    });
    if (text == files.end()) {
        return {};
    }
    std::ifstream file(*text);
    std::string line;
    for (int count = 0; count < MostHeadingLines && std::getline(file, line); ++count) {
        line.erase(0, line.find_first_not_of(" \t\r#*"));
        line.erase(line.find_last_not_of(" \t\r#*") + 1);
        if (line.size() <= LongestHeading && line.find("License") != line.npos) {
            return line;
        }
    }
    return "see " + text->filename().string();
}

/// Tables that some files keep beside the weights: masks, numbers of positions.
bool isBuffer(const ArrayInfo& info)
{
    const bool isFloat = info.type == ElementType::Float16 || info.type == ElementType::BFloat16 ||
                         info.type == ElementType::Float32 || info.type == ElementType::Float64;
    return !isFloat || info.name.ends_with("inv_freq") || info.name.ends_with("masked_bias") ||
           (info.name.ends_with("attn.bias") && info.shape.size() == 4);
}

std::string typeName(const ArrayInfo& info)
{
    if (!info.blockType.empty()) {
        return std::string(info.blockType);
    }
    switch (info.type) {
    case ElementType::Float16:
        return "F16";
    case ElementType::BFloat16:
        return "BF16";
    case ElementType::Float64:
        return "F64";
    default:
        return "F32";
    }
}

void countParameters(const ArrayFile& file, ModelFacts& facts)
{
    std::map<std::string, std::int64_t> byType;
    for (const ArrayInfo& info : file.arrays()) {
        if (!isBuffer(info)) {
            const std::int64_t count = elementCount(info.shape).value_or(0);
            facts.parameters += count;
            byType[typeName(info)] += count;
        }
    }
    std::int64_t most = 0;
    for (const auto& [type, count] : byType) {
        if (count > most) {
            most = count;
            facts.weightType = type;
        }
    }
}

void lookAtTokenizer(const fs::path& path, TokenizerFacts depth, ModelFacts& facts)
{
    facts.tokenizer = tokenizerFileOf(path).filename().string();
    if (depth == TokenizerFacts::File) {
        return;
    }
    if (const auto tokenizer = openTokenizer(path)) {
        facts.pieces = (*tokenizer)->size();
    } else {
        facts.tokenizerProblem = tokenizer.error();
    }
}

} // namespace

ModelFacts modelFacts(const fs::path& path, TokenizerFacts depth)
{
    ModelFacts facts;
    listFiles(path, facts);
    std::error_code unknown;
    const bool isFolder = fs::is_directory(path, unknown);
    if (isFolder) {
        facts.family = familyOf(path / "config.json");
    }
    facts.licence = licenceOnCard(path / "README.md");
    const auto weights = isFolder ? detail::weightFileOf(path) : Expected<fs::path>(path);
    if (const auto file = weights.and_then([](const fs::path& all) { return openArrays(all); })) {
        countParameters(**file, facts);
        for (const auto& [name, value] : (*file)->metadata()) {
            if (name == "general.license" && facts.licence.empty()) {
                facts.licence = value;
            } else if (name == "general.architecture") {
                facts.family = value;
            }
        }
    }
    if (facts.licence.empty()) {
        facts.licence = licenceInFolder(facts.others);
    }
    // Opening looks every tensor up and reads none of their numbers.
    const auto backend = BackendRegistry::instance().open("reference");
    const auto model =
        backend ? openModel(path, *backend) : Expected<ModelPtr>(tl::unexpected(backend.error()));
    if (model) {
        facts.config = (*model)->config();
        facts.predicts = (*model)->hasHead();
    } else {
        facts.problem = model.error();
    }
    if (!model && isFolder) {
        const fs::path settings = path / "config.json";
        if (const auto file = detail::MappedFile::open(settings)) {
            if (auto config =
                    readModelConfig(detail::asText((*file)->bytes()), settings.string())) {
                facts.config = std::move(*config); // the settings are fine, the weights are not
            }
        }
    }
    lookAtTokenizer(path, depth, facts);
    return facts;
}

} // namespace heed
