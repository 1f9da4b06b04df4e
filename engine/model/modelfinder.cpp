// Checkpoints on this machine: where they are and what they are called.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/modelfinder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <set>

namespace heed {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view HubPrefix = "models--"; // models--OWNER--NAME
constexpr std::size_t MostEntries = 10000;         // of a folder; more are no collection of models
constexpr std::size_t MostNamed = 8;
constexpr std::size_t RevisionLength = 40;

fs::path variable(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? fs::path() : fs::path(value);
}

fs::path below(const fs::path& folder, const fs::path& rest)
{
    return folder.empty() ? fs::path() : folder / rest;
}

fs::path firstOf(std::initializer_list<fs::path> paths)
{
    for (const fs::path& path : paths) {
        if (!path.empty()) {
            return path;
        }
    }
    return {};
}

/// By name; nothing where the folder cannot be read.
std::vector<fs::path> entriesOf(const fs::path& folder)
{
    std::vector<fs::path> entries;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end;
         !error && entry != end && entries.size() < MostEntries; entry.increment(error)) {
        entries.push_back(entry->path());
    }
    std::ranges::sort(entries);
    return entries;
}

bool isThere(const fs::path& path)
{
    std::error_code unknown;
    return fs::exists(path, unknown);
}

bool isFolder(const fs::path& path)
{
    std::error_code unknown;
    return fs::is_directory(path, unknown);
}

/// Weights that need the config.json beside them.
bool isWeights(const fs::path& path)
{
    const std::string name = path.filename().string();
    return name.ends_with(".safetensors") || name.ends_with(".safetensors.index.json") ||
           name.starts_with("pytorch_model");
}

/// The folder of a revision of models--OWNER--NAME, or nothing.
fs::path snapshotOf(const fs::path& repository)
{
    const fs::path snapshots = repository / "snapshots";
    std::ifstream main(repository / "refs" / "main");
    std::string revision;
    if (main >> revision && revision.size() <= RevisionLength &&
        std::ranges::all_of(revision, [](unsigned char c) { return std::isalnum(c) != 0; }) &&
        isFolder(snapshots / revision)) {
        return snapshots / revision;
    }
    fs::path latest;
    fs::file_time_type time;
    for (const fs::path& folder : entriesOf(snapshots)) {
        std::error_code error;
        const auto changed = fs::last_write_time(folder, error);
        if (!error && isFolder(folder) && (latest.empty() || changed > time)) {
            latest = folder;
            time = changed;
        }
    }
    return latest;
}

/// "models--google--bert" → "google/bert".
std::string hubName(std::string name)
{
    name.erase(0, HubPrefix.size());
    if (const std::size_t dashes = name.find("--"); dashes != std::string::npos) {
        name.replace(dashes, 2, "/");
    }
    return name;
}

std::string lowerCase(std::string text)
{
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::string lastPart(const std::string& name)
{
    return name.substr(name.rfind('/') + 1);
}

std::string listOf(const std::vector<std::string>& names)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), MostNamed); ++i) {
        text += (i == 0 ? "" : ", ") + names[i];
    }
    return names.size() > MostNamed ? text + ", …" : text;
}

std::vector<fs::path> ggufFilesOf(const fs::path& folder)
{
    std::vector<fs::path> files = entriesOf(folder);
    std::erase_if(files, [](const fs::path& file) { return file.extension() != ".gguf"; });
    return files;
}

/// What to open when a person names @p path.
fs::path opened(const fs::path& path)
{
    if (isFolder(path)) {
        const fs::path snapshot = isThere(path / "snapshots") ? snapshotOf(path) : fs::path();
        const fs::path& folder = snapshot.empty() ? path : snapshot;
        const auto files = ggufFilesOf(folder);
        return files.size() == 1 && !isModel(folder) ? files.front() : folder;
    }
    if (path.filename() != "config.json" && !isWeights(path)) {
        return path;
    }
    return path.parent_path().empty() ? fs::path(".") : path.parent_path();
}

} // namespace

std::string_view modelPlaceName(ModelPlace place)
{
    switch (place) {
    case ModelPlace::Bundled:
        return "bundled";
    case ModelPlace::HubCache:
        return "hub";
    case ModelPlace::Recent:
        break;
    }
    return "recent";
}

ModelPlaces standardModelPlaces()
{
    ModelPlaces places;
    const fs::path home = variable("HOME");
    const fs::path cache = firstOf({variable("XDG_CACHE_HOME"), below(home, ".cache")});
    places.hubCache =
        firstOf({variable("HF_HUB_CACHE"), variable("HUGGINGFACE_HUB_CACHE"),
                 below(variable("HF_HOME"), "hub"), below(cache, fs::path("huggingface") / "hub")});
    const fs::path models = fs::path("heedmap") / "models";
    const auto add = [&](const fs::path& data) {
        if (const fs::path folder = below(data, models);
            !folder.empty() && std::ranges::find(places.folders, folder) == places.folders.end()) {
            places.folders.push_back(folder);
        }
    };
    add(firstOf({variable("XDG_DATA_HOME"), below(home, fs::path(".local") / "share")}));
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (!error) {
        add(program.parent_path().parent_path() / "share");
    }
    const fs::path named = variable("XDG_DATA_DIRS");
    std::string folders = named.empty() ? "/usr/local/share:/usr/share" : named.string();
    for (std::size_t begin = 0; begin < folders.size();) {
        const std::size_t end = std::min(folders.find(':', begin), folders.size());
        add(folders.substr(begin, end - begin));
        begin = end + 1;
    }
    return places;
}

bool isModel(const fs::path& path)
{
    if (!isFolder(path)) {
        return path.extension() == ".gguf" && isThere(path);
    }
    return isThere(path / "config.json") && std::ranges::any_of(entriesOf(path), isWeights);
}

std::vector<FoundModel> findModels(const ModelPlaces& places)
{
    std::vector<FoundModel> models;
    std::set<fs::path> seen; // a model may be reached by two ways
    const auto add = [&](std::string name, const fs::path& path, ModelPlace place) {
        std::error_code error;
        const fs::path real = fs::canonical(path, error);
        if (!error && isModel(real) && seen.insert(real).second) {
            models.push_back({std::move(name), path, place});
        }
    };
    // Repositories of quantised models hold several files, each a model.
    const auto addFilesOf = [&](const std::string& name, const fs::path& folder, ModelPlace place) {
        const auto files = ggufFilesOf(folder);
        const bool isAlone = files.size() == 1 && !isModel(folder);
        for (const fs::path& file : files) {
            add(isAlone ? name : name + "/" + file.filename().string(), file, place);
        }
    };
    for (const fs::path& folder : places.folders) {
        for (const fs::path& entry : entriesOf(folder)) {
            if (isFolder(entry)) {
                add(entry.filename().string(), entry, ModelPlace::Bundled);
                addFilesOf(entry.filename().string(), entry, ModelPlace::Bundled);
            } else {
                add(entry.stem().string(), entry, ModelPlace::Bundled);
            }
        }
    }
    for (const fs::path& entry : entriesOf(places.hubCache)) {
        const std::string name = entry.filename().string();
        if (!places.hubCache.empty() && name.starts_with(HubPrefix)) {
            const fs::path snapshot = snapshotOf(entry);
            add(hubName(name), snapshot, ModelPlace::HubCache);
            addFilesOf(hubName(name), snapshot, ModelPlace::HubCache);
        }
    }
    for (const fs::path& path : places.recent) {
        const fs::path model = opened(path);
        add(fs::absolute(model).lexically_normal().string(), model, ModelPlace::Recent);
    }
    return models;
}

Expected<fs::path> resolveModel(const std::string& wanted, const ModelPlaces& places)
{
    if (isThere(wanted)) {
        return opened(wanted);
    }
    std::vector<std::string> endings;
    std::vector<std::string> names;
    fs::path found;
    for (const FoundModel& model : findModels(places)) {
        if (model.name == wanted) {
            return model.path;
        }
        if (lowerCase(lastPart(model.name)) == lowerCase(wanted)) {
            endings.push_back(model.name);
            found = model.path;
        }
        names.push_back(model.name);
    }
    if (endings.size() > 1) {
        return fail(Code::InvalidArgument,
                    "Several models are called so: " + listOf(endings) +
                        ". Give the whole name, or the folder.",
                    wanted);
    }
    if (!endings.empty()) {
        return found;
    }
    std::vector<std::string> near = names;
    std::erase_if(near, [&](const std::string& name) {
        return lowerCase(name).find(lowerCase(wanted)) == std::string::npos;
    });
    const std::string there = near.empty() ? listOf(names) : listOf(near);
    return fail(Code::NotFound,
                "There is no such folder or file, and no model of that name on this machine" +
                    (there.empty() ? std::string(".") : " (there are " + there + ").") +
                    " Give the folder of a checkpoint; heedmap models lists those that are found.",
                wanted);
}

} // namespace heed
