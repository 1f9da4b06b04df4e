// heedmap info: what a file or a folder holds.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "arraysummary.h"
#include "command.h"
#include "modelreport.h"
#include "optionvalue.h"
#include "recentmodels.h"
#include "sourceoptions.h"
#include "table.h"

#include "heed/session.h"
#include "heed/unreadablearrays.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace heed::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t MostFiles = 10000;
constexpr int MetadataColumns = 100;
constexpr int TokenColumns = 40;

struct InfoOptions {
    std::string path;
    std::string memory;
    bool json = false;
};

enum class Ranges { LeaveOut, Read };

/// One file, ready for the table and for JSON.
struct FileReport {
    fs::path path;
    std::int64_t bytes = 0;
    std::string format;
    std::vector<std::pair<std::string, std::string>> facts;
    std::vector<std::pair<ArrayInfo, ArraySummary>> arrays;
    TokenTexts tokens;
    std::vector<std::pair<std::string, Error>> unreadable;
    std::optional<ModelFacts> model; ///< of a file that is a whole checkpoint
};

Expected<FileReport> reportSession(FileReport report)
{
    const auto session = readSession(report.path);
    if (!session) {
        return tl::unexpected(session.error());
    }
    report.format = "heedmap session";
    report.facts = {
        {"source", shellCommand(sourceArguments(session->source))},
        {"mask", maskExpression(session->source)},
        {"quantity", std::string(quantityName(session->view.quantity))},
        {"map", "layer " + std::to_string(session->view.map.layer) + ", item " +
                    std::to_string(session->view.map.item) + ", head " +
                    std::to_string(session->view.map.head)},
    };
    for (const std::string& change : changedFiles(*session)) {
        report.facts.emplace_back("problem", change);
    }
    return report;
}

Expected<FileReport> reportFile(const fs::path& path, const Execution& execution,
                                Ranges ranges = Ranges::Read)
{
    FileReport report;
    report.path = path;
    std::error_code error;
    const auto size = fs::file_size(path, error);
    report.bytes = error ? 0 : static_cast<std::int64_t>(size);
    if (path.extension() == ".heed") {
        return reportSession(std::move(report));
    }
    const auto file = openArrays(path);
    if (!file) {
        return tl::unexpected(file.error());
    }
    report.format = (*file)->format();
    report.facts = (*file)->metadata();
    // Tokens that a format keeps in its metadata are shown as what they are.
    report.tokens = (*file)->tokens();
    std::erase_if(report.facts, [&report](const auto& fact) {
        return (fact.first == "tokens" && !report.tokens.queries.empty()) ||
               (fact.first == "key_tokens" && !report.tokens.keys.empty());
    });
    report.unreadable = unreadableArrays(**file);
    std::erase_if(report.unreadable, [&report](const auto& array) {
        return array.first == "tokens" && !report.tokens.queries.empty();
    });
    if (isModel(path)) {
        report.model = modelFacts(path);
    }
    for (const ArrayInfo& info : (*file)->arrays()) {
        auto summary = ranges == Ranges::Read ? summarise(**file, info, execution)
                                              : Expected<ArraySummary>(ArraySummary());
        if (!summary) {
            return tl::unexpected(summary.error());
        }
        report.arrays.emplace_back(info, std::move(*summary));
    }
    return report;
}

std::string elementsText(const ArrayInfo& info)
{
    const auto elements = elementCount(info.shape);
    return elements ? std::to_string(*elements) : "?";
}

std::string typeText(const ArrayInfo& info)
{
    return std::string(info.blockType.empty() ? elementTypeName(info.type) : info.blockType);
}

/// In the file, or unpacked where that compresses.
std::int64_t arrayBytes(const ArrayInfo& info)
{
    if (!info.blockType.empty()) {
        return info.blockBytes;
    }
    const auto elements = elementCount(info.shape);
    return elements ? *elements * elementSize(info.type) : 0;
}

std::string rangeText(const ArraySummary& summary)
{
    if (!summary.known) {
        return "";
    }
    std::string text = summary.least.empty() ? "" : summary.least + " … " + summary.largest;
    if (summary.nan > 0) {
        text += (text.empty() ? "" : ", ") + std::to_string(summary.nan) + " NaN";
    }
    if (summary.infinite > 0) {
        text += ", " + std::to_string(summary.infinite) + " infinite";
    }
    return text;
}

/// A row for tokens, which are no numbers; none when there are none.
void addTokens(std::vector<std::vector<std::string>>& rows, const std::string& name,
               const std::vector<std::vector<std::string>>& lists)
{
    if (lists.empty()) {
        return;
    }
    std::size_t longest = 0;
    std::size_t count = 0;
    std::string words;
    for (const auto& list : lists) {
        longest = std::max(longest, list.size());
        count += list.size();
        words += words.empty() ? "" : " /";
        for (const std::string& token : list) {
            words += displayWidth(words) > TokenColumns ? "" : (words.empty() ? "" : " ") + token;
        }
    }
    rows.push_back(
        {name, "text",
         toString({static_cast<std::int64_t>(lists.size()), static_cast<std::int64_t>(longest)}),
         std::to_string(count), "", shorten(printable(words), TokenColumns)});
}

std::string reportText(const FileReport& report, const Console& console)
{
    std::string text = console.heading(printable(report.path.string())) + "  " +
                       printable(report.format) + ", " + formatBytes(report.bytes) + "\n";
    if (report.model) {
        text += modelText(*report.model);
    }
    for (const auto& [name, value] : report.facts) {
        text += "  " + printable(name) + ": " + shorten(printable(value), MetadataColumns) + "\n";
    }
    for (const auto& [name, reason] : report.unreadable) {
        text += "  " + printable(name) + ": " + printable(reason.message) + "\n";
    }
    if (report.arrays.empty()) {
        return text;
    }
    std::vector<std::vector<std::string>> rows = {
        {"name", "type", "shape", "elements", "size", "range"}};
    for (const auto& [info, summary] : report.arrays) {
        rows.push_back({info.name.empty() ? "(unnamed)" : printable(info.name), typeText(info),
                        toString(info.shape) + (info.fortranOrder ? " Fortran order" : ""),
                        elementsText(info), formatBytes(arrayBytes(info)), rangeText(summary)});
    }
    addTokens(rows, "tokens", report.tokens.queries);
    addTokens(rows, "key_tokens", report.tokens.keys);
    return text + tableText(rows, {3, 4}, console);
}

nlohmann::json reportJson(const FileReport& report)
{
    nlohmann::json arrays = nlohmann::json::array();
    for (const auto& [info, summary] : report.arrays) {
        nlohmann::json one = {{"name", info.name},
                              {"type", typeText(info)},
                              {"shape", info.shape},
                              {"fortran_order", info.fortranOrder},
                              {"bytes", arrayBytes(info)}};
        if (summary.known) {
            // As text where JSON has no such number.
            const auto number = [](const std::string& text) {
                const nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
                return value.is_discarded() ? nlohmann::json(text) : value;
            };
            if (!summary.least.empty()) {
                one["min"] = number(summary.least);
                one["max"] = number(summary.largest);
            }
            one["nan"] = summary.nan;
            one["infinite"] = summary.infinite;
        }
        arrays.push_back(std::move(one));
    }
    nlohmann::json unreadable = nlohmann::json::object();
    for (const auto& [name, reason] : report.unreadable) {
        unreadable[name] = reason.message;
    }
    nlohmann::json metadata = nlohmann::json::object();
    for (const auto& [name, value] : report.facts) {
        metadata[name] = value;
    }
    nlohmann::json json = {
        {"path", report.path.string()}, {"format", report.format}, {"bytes", report.bytes},
        {"metadata", metadata},         {"arrays", arrays},        {"unreadable", unreadable}};
    if (report.model) {
        json["model"] = modelJson(*report.model);
    }
    if (!report.tokens.queries.empty()) {
        json["tokens"] = report.tokens.queries;
    }
    if (!report.tokens.keys.empty()) {
        json["key_tokens"] = report.tokens.keys;
    }
    return json;
}

/// Whether the file is opened as a part of a file beside it: NAME-00002-of-00003 of an index or of
/// the first.
bool isPartOfAnother(const fs::path& path)
{
    const std::string stem = path.stem().string();
    const std::size_t of = stem.rfind("-of-");
    const std::size_t part = of == std::string::npos ? of : stem.rfind('-', of - 1);
    if (part == std::string::npos || of == 0) {
        return false;
    }
    std::error_code unknown;
    const std::string name = stem.substr(0, part);
    const std::string extension = path.extension().string();
    if (extension == ".safetensors" || extension == ".bin") {
        return fs::exists(path.parent_path() / (name + extension + ".index.json"), unknown);
    }
    return extension == ".gguf" && stem.substr(part, of - part) != "-00001" &&
           fs::exists(path.parent_path() / (name + "-00001" + stem.substr(of) + ".gguf"), unknown);
}

Expected<std::vector<fs::path>> readableFiles(const fs::path& folder)
{
    static const std::array<std::string, 7> extensions = {".npy",  ".npz", ".safetensors", ".gguf",
                                                          ".json", ".csv", ".heed"};
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code unknown;
        const fs::path& path = entry->path();
        if (entry->is_regular_file(unknown) &&
            std::find(extensions.begin(), extensions.end(), path.extension()) != extensions.end()) {
            files.push_back(path);
        }
        if (files.size() > MostFiles) {
            return fail(Code::Unsupported,
                        "Holds more than " + std::to_string(MostFiles) +
                            " readable files. Name the one you mean.",
                        folder.string());
        }
    }
    if (error) {
        return fail(Code::Io, "Cannot list: " + error.message() + ".", folder.string());
    }
    if (files.empty()) {
        return fail(Code::NotFound,
                    "Holds no .npy, .npz, .safetensors, .gguf, .json, .csv or .heed file.",
                    folder.string());
    }
    std::sort(files.begin(), files.end());
    std::erase_if(files, [](const fs::path& path) { return isPartOfAnother(path); });
    return files;
}

Expected<ExitCode> infoModel(const fs::path& folder, const ModelFacts& facts,
                             const InfoOptions& options, const Execution& execution,
                             const Console& console)
{
    std::string text = console.heading(printable(folder.string())) + "  " +
                       printable(familyText(facts)) + "\n" + modelText(facts);
    nlohmann::json files = nlohmann::json::array();
    std::vector<fs::path> shown = facts.weights;
    std::ranges::copy_if(facts.others, std::back_inserter(shown), [](const fs::path& path) {
        const std::string name = path.filename().string();
        return name.ends_with(".safetensors.index.json") || name.ends_with(".bin.index.json");
    });
    for (const fs::path& path : shown) {
        if (isPartOfAnother(path)) {
            continue; // listed with the whole
        }
        const auto report = reportFile(path, execution, Ranges::LeaveOut);
        if (!report) {
            files.push_back({{"path", path.string()}, {"error", describe(report.error())}});
            continue;
        }
        files.push_back(reportJson(*report));
        text += "  " + std::to_string(report->arrays.size()) + " arrays, see heedmap info " +
                printable(path.string()) + "\n";
    }
    const nlohmann::json whole = {
        {"schema", "heedmap.info/1"}, {"model", modelJson(facts)}, {"files", files}};
    const auto printed = console.print(
        options.json ? whole.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"
                     : text);
    if (!printed) {
        return tl::unexpected(printed.error());
    }
    return finish(console, facts.problem ? ExitCode::Problems : ExitCode::Fine);
}

Expected<ExitCode> infoFolder(const fs::path& folder, const InfoOptions& options,
                              const Execution& execution, const Console& console)
{
    const auto files = readableFiles(folder);
    if (!files) {
        return tl::unexpected(files.error());
    }
    ExitCode code = ExitCode::Fine;
    nlohmann::json list = nlohmann::json::array();
    std::string text;
    for (const fs::path& path : *files) {
        const auto report = reportFile(path, execution);
        if (!report && report.error().code == Code::Cancelled) {
            return tl::unexpected(report.error());
        }
        if (!report) { // one bad file must not hide the others
            code = ExitCode::Problems;
            list.push_back({{"path", path.string()}, {"error", describe(report.error())}});
            text += console.heading(printable(path.string())) +
                    "  unreadable: " + printable(describe(report.error())) + "\n";
            continue;
        }
        list.push_back(reportJson(*report));
        text += reportText(*report, console);
    }
    const nlohmann::json whole = {{"schema", "heedmap.info/1"}, {"files", list}};
    const auto printed = console.print(
        options.json ? whole.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"
                     : text);
    if (!printed) {
        return tl::unexpected(printed.error());
    }
    return finish(console, code);
}

Expected<ExitCode> infoAction(const InfoOptions& options, const Console& console)
{
    EngineOptions engine;
    engine.memory = options.memory;
    const auto execution = makeExecution(engine, console);
    if (!execution) {
        return tl::unexpected(execution.error());
    }
    fs::path path = options.path;
    std::error_code unknown;
    if (!fs::exists(path, unknown)) {
        path = resolveModel(options.path, modelPlaces()).value_or(path);
    }
    const bool isFolder = fs::is_directory(path, unknown);
    if (isFolder && fs::exists(path / "config.json", unknown)) {
        const ModelFacts facts = modelFacts(path);
        if (isModel(path) || !facts.family.empty()) { // also one without its weights
            return infoModel(path, facts, options, *execution, console);
        }
    }
    if (isFolder) {
        return infoFolder(path, options, *execution, console);
    }
    const auto report = reportFile(path, *execution);
    if (!report) {
        return tl::unexpected(report.error());
    }
    const nlohmann::json whole = {{"schema", "heedmap.info/1"},
                                  {"files", nlohmann::json::array({reportJson(*report)})}};
    const auto printed = console.print(
        options.json ? whole.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"
                     : reportText(*report, console));
    if (!printed) {
        return tl::unexpected(printed.error());
    }
    return finish(console);
}

} // namespace

void addInfo(CLI::App& root, Action& chosen)
{
    const auto options = std::make_shared<InfoOptions>();
    CLI::App* app = root.add_subcommand("info", "what a file or a folder holds");
    addText(*app, "FILE", options->path, "FILE",
            "arrays, .gguf, .heed, a folder, or a model's name")
        ->required();
    app->option_defaults()->group("Output");
    app->add_flag("--json", options->json, "as JSON");
    addText(*app, "--memory", options->memory, "SIZE", "larger arrays get no range, such as 2GiB");
    app->callback([options, &chosen] {
        chosen = [options](const Console& console) { return infoAction(*options, console); };
    });
}

} // namespace heed::cli
