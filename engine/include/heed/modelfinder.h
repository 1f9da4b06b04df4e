// Checkpoints on this machine: where they are, what they are called, and what they are.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/model.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

/// Where checkpoints are looked for. Nothing is fetched.
struct ModelPlaces {
    std::filesystem::path hubCache; ///< of Hugging Face; empty = none
    std::vector<std::filesystem::path>
        folders; ///< each holds models: .gguf files, and folders of one or of .gguf files
    std::vector<std::filesystem::path> recent; ///< opened before; what is no model is left out
};

/// The places of this user: HF_HUB_CACHE, else HUGGINGFACE_HUB_CACHE, else HF_HOME/hub, else
/// XDG_CACHE_HOME/huggingface/hub, else ~/.cache/huggingface/hub; and heedmap/models in
/// XDG_DATA_HOME, beside the program and in XDG_DATA_DIRS.
[[nodiscard]] ModelPlaces standardModelPlaces();

enum class ModelPlace { Bundled, HubCache, Recent };
[[nodiscard]] std::string_view modelPlaceName(ModelPlace place); ///< "bundled", "hub", "recent"

struct FoundModel {
    std::string name;           ///< as --model takes it: "sentence-transformers/all-MiniLM-L6-v2"
    std::filesystem::path path; ///< the folder or file to open
    ModelPlace place = ModelPlace::HubCache;
    bool operator==(const FoundModel&) const = default;
};

/// Every checkpoint there is, each once, by place and name. Of a model in the hub's cache the
/// revision "main", else the one that was fetched last. Folders that cannot be read are left out.
[[nodiscard]] std::vector<FoundModel> findModels(const ModelPlaces& places);

/// What @p wanted means: a path, the name of a found model, or the last part of its name.
/// config.json or a file of weights stands for its folder, and a folder for the one .gguf in it.
/// @return Code::NotFound with the nearest names; Code::InvalidArgument when several models end so,
/// naming them.
[[nodiscard]] Expected<std::filesystem::path> resolveModel(const std::string& wanted,
                                                           const ModelPlaces& places);

/// Whether the folder or file looks like a checkpoint: config.json with weights, or a .gguf.
[[nodiscard]] bool isModel(const std::filesystem::path& path);

/// What a checkpoint is, without running it. Parts that cannot be found out are empty.
struct ModelFacts {
    std::optional<ModelConfig> config;
    std::string family;           ///< `model_type`, also of one that cannot run
    std::optional<Error> problem; ///< why it cannot run
    bool predicts = false;        ///< logits can be had
    std::int64_t parameters = 0; ///< numbers in its weights, tables of positions and masks left out
    std::string weightType;      ///< "F32", "BF16", "Q4_0", …: that of most numbers
    std::int64_t bytes = 0;      ///< of the files of weights
    std::vector<std::filesystem::path> weights;
    std::vector<std::filesystem::path> others; ///< settings, tokenizer, texts
    std::string tokenizer;                     ///< the file; "" = none
    std::optional<Error> tokenizerProblem;
    std::int64_t pieces = 0; ///< of the tokenizer; 0 where it was not read
    std::string licence;     ///< as its card, its metadata or the heading of its text says
};
enum class TokenizerFacts {
    File, ///< which it is; a list of many models is not held up by large vocabularies
    Whole ///< read it: `pieces` and `tokenizerProblem`
};
/// @complexity reads headers, no weights.
[[nodiscard]] ModelFacts modelFacts(const std::filesystem::path& path,
                                    TokenizerFacts tokenizer = TokenizerFacts::Whole);

} // namespace heed
