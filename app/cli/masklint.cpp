// heedmap mask lint: what is wrong with a mask, for people and for checks in somebody's repository.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/masklint.h"
#include "heed/maskrecognition.h"
#include "heed/maskslot.h"
#include "maskcommand.h"
#include "optionvalue.h"
#include "sourceoptions.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

namespace heed::cli {

namespace {

using nlohmann::json;

constexpr std::int64_t MostSide = std::int64_t{1} << 24;
constexpr std::uintmax_t MostCaseBytes = 256 << 20;

struct MaskLintOptions {
    std::string mask;
    std::string array;
    std::string slot;
    std::string intent;
    std::string window;
    std::string computeType;
    std::string lengths;
    std::string padSide;
    std::string documents;
    std::string groups;
    std::string positionIds;
    std::string causalFlag;
    std::filesystem::path scores;
    std::filesystem::path weights;
    std::int64_t past = -1;
    std::int64_t batch = 0;
    std::int64_t heads = 0;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::string memory;
    bool json = false;
};

/// "0,0,1;0,1,1": a list for each item.
Expected<std::vector<std::vector<std::int64_t>>> listsOf(const std::string& text,
                                                         const std::string& option)
{
    std::vector<std::vector<std::int64_t>> lists;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(';', begin), text.size());
        auto numbers = parseIntegers(text.substr(begin, end - begin), option);
        if (!numbers) {
            return tl::unexpected(numbers.error());
        }
        lists.push_back(std::move(*numbers));
        begin = end + 1;
    }
    return lists;
}

Expected<std::string> readText(const std::filesystem::path& path)
{
    std::error_code problem;
    const std::uintmax_t size = std::filesystem::file_size(path, problem);
    if (problem || size > MostCaseBytes) {
        return fail(problem ? Code::Io : Code::Unsupported,
                    problem ? "The file cannot be read: " + problem.message() + "."
                            : "The file has " + formatBytes(static_cast<std::int64_t>(size)) +
                                  "; a case has at most " +
                                  formatBytes(static_cast<std::int64_t>(MostCaseBytes)) + ".",
                    path.string());
    }
    std::ifstream file(path, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(file), {});
    if (!file.good() && !file.eof()) {
        return fail(Code::Io, "The file cannot be read.", path.string());
    }
    return text;
}

/// Whether a JSON file is a case and not a file of arrays: it has "mask" or "masks" as a member.
bool isCase(const std::string& text)
{
    const json tree = json::parse(text, nullptr, false);
    return tree.is_object() && (tree.contains("mask") || tree.contains("masks")) &&
           !tree.contains("schema");
}

Expected<ElementType> typeOf(const std::string& name)
{
    for (const ElementType type : {ElementType::Float16, ElementType::BFloat16,
                                   ElementType::Float32, ElementType::Float64}) {
        if (name == elementTypeName(type)) {
            return type;
        }
    }
    return fail(Code::InvalidArgument,
                "Scores are computed in float16, bfloat16, float32 or float64.", "--compute-dtype");
}

/// Whether a text that is no file here was meant as one: expressions hold no such endings.
bool isFileName(const std::string& text)
{
    const std::string extension = std::filesystem::path(text).extension().string();
    constexpr std::array known = {".json", ".npy", ".npz", ".safetensors", ".csv", ".pt", ".pth"};
    return std::ranges::find(known, extension) != known.end();
}

/// Puts the options over what the file said.
Expected<void> addFacts(const MaskLintOptions& options, MaskCase& given)
{
    for (GivenMask& mask : given.masks) {
        mask.slot = options.slot.empty() ? mask.slot : options.slot;
    }
    const auto replace = [](const std::string& value, std::string& target) {
        target = value.empty() ? target : value;
    };
    replace(options.intent, given.intent);
    replace(options.window, given.window);
    if (!options.computeType.empty()) {
        const auto type = typeOf(options.computeType);
        if (!type) {
            return tl::unexpected(type.error());
        }
        given.computeType = *type;
    }
    if (!options.lengths.empty()) {
        auto lengths = parseIntegers(options.lengths, "--lengths");
        if (!lengths) {
            return tl::unexpected(lengths.error());
        }
        given.lengths = std::move(*lengths);
    }
    if (!options.padSide.empty()) {
        given.padSide = padSideOf(options.padSide);
    }
    const std::array lists = {
        std::tuple{&options.documents, "--documents", &given.documents},
        std::tuple{&options.groups, "--groups", &given.groups},
        std::tuple{&options.positionIds, "--position-ids", &given.positionIds}};
    for (const auto& [text, option, target] : lists) {
        if (text->empty()) {
            continue;
        }
        auto numbers = listsOf(*text, option);
        if (!numbers) {
            return tl::unexpected(numbers.error());
        }
        *target = std::move(*numbers);
    }
    if (!options.causalFlag.empty()) {
        given.causalFlag = options.causalFlag == "true";
    }
    if (options.past >= 0) {
        given.past = options.past;
    }
    for (const auto& [extent, target] :
         {std::pair{options.batch, &given.batch}, std::pair{options.heads, &given.heads},
          std::pair{options.queries, &given.queries}, std::pair{options.keys, &given.keys}}) {
        *target = extent > 0 ? extent : *target;
    }
    for (const auto& [path, target] :
         {std::pair{&options.scores, &given.scores}, std::pair{&options.weights, &given.weights}}) {
        if (path->empty()) {
            continue;
        }
        auto array = readMaskArray(*path, "");
        if (!array) {
            return tl::unexpected(array.error());
        }
        *target = std::move(*array);
    }
    return {};
}

Expected<LintReport> lintFile(const MaskLintOptions& options, const Execution& execution)
{
    const std::filesystem::path path(options.mask);
    MaskCase given;
    std::string text;
    if (path.extension() == ".json") {
        auto read = readText(path);
        if (!read) {
            return tl::unexpected(read.error());
        }
        text = std::move(*read);
    }
    if (isCase(text)) {
        auto read = readMaskCase(text, path.parent_path());
        if (!read) {
            return fail(read.error().code, read.error().message,
                        options.mask +
                            (read.error().context.empty() ? "" : ", " + read.error().context));
        }
        given = std::move(*read);
    } else {
        auto array = readMaskArray(path, options.array);
        if (!array) {
            return tl::unexpected(array.error());
        }
        given.masks.push_back({std::move(*array), ""});
    }
    if (auto added = addFacts(options, given); !added) {
        return tl::unexpected(added.error());
    }
    return lintMask(given, execution);
}

Expected<LintReport> lintExpression(const MaskLintOptions& options, const Execution& execution)
{
    if (!options.slot.empty() || !options.array.empty()) {
        return fail(Code::InvalidArgument,
                    "an expression has no numbers that a library could read. Leave it away, or "
                    "give a file.",
                    options.slot.empty() ? "--array" : "--slot");
    }
    MaskCase given;
    if (auto added = addFacts(options, given); !added) {
        return tl::unexpected(added.error());
    }
    MaskContext context;
    context.heads = std::max<std::int64_t>(1, options.heads);
    context.items =
        std::max<std::int64_t>({1, options.batch, static_cast<std::int64_t>(given.lengths.size())});
    context.padSide = given.padSide;
    context.keyLengths = given.lengths;
    constexpr std::int64_t standardSide = 8;
    const std::int64_t longest =
        given.lengths.empty() ? standardSide : *std::ranges::max_element(given.lengths);
    context.keys = options.keys > 0      ? options.keys
                   : options.queries > 0 ? options.queries
                                         : longest;
    context.queries = options.queries > 0 ? options.queries : context.keys;
    const auto mask = compileMask(options.mask, context, execution);
    if (!mask) {
        return tl::unexpected(mask.error());
    }
    return lintMask(*mask, given, execution);
}

std::string_view severityName(LintSeverity severity)
{
    return severity == LintSeverity::Error     ? "error"
           : severity == LintSeverity::Warning ? "warning"
                                               : "info";
}

std::string reportJson(const LintReport& report, const std::vector<MaskExplanation>& explanations)
{
    json findings = json::array();
    for (const LintFinding& finding : report.findings) {
        findings.push_back({{"rule", finding.rule},
                            {"name", finding.name},
                            {"severity", severityName(finding.severity)},
                            {"count", finding.count},
                            {"cells", finding.cells},
                            {"text", finding.text},
                            {"fix", finding.fix}});
    }
    json notChecked = json::array();
    for (const LintOmission& omission : report.notChecked) {
        notChecked.push_back({{"rule", omission.rule}, {"needs", omission.needs}});
    }
    json recognised = json::array();
    for (const MaskExplanation& one : explanations) {
        recognised.push_back(
            {{"expression", one.expression}, {"extra", one.extra}, {"missing", one.missing}});
    }
    const json whole = {{"schema", "heedmap.lint/1"},
                        {"findings", findings},
                        {"not_checked", notChecked},
                        {"recognised", recognised}};
    return whole.dump(1) + "\n";
}

/// What the mask is, for the first line.
std::string recognisedText(const std::vector<MaskExplanation>& explanations)
{
    if (explanations.empty()) {
        return "";
    }
    const MaskExplanation& first = explanations.front();
    return "The mask is " +
           (first.isExact()
                ? first.expression
                : "nearest to " + first.expression + " (" + std::to_string(first.extra) +
                      " cells more, " + std::to_string(first.missing) + " fewer)") +
           ".\n";
}

std::string reportText(const LintReport& report, const std::vector<MaskExplanation>& explanations)
{
    std::string text = recognisedText(explanations);
    for (const LintFinding& finding : report.findings) {
        text += std::string(finding.rule) + " " + std::string(severityName(finding.severity)) +
                " · " + std::string(finding.name) + " · " + std::to_string(finding.count) +
                (finding.count == 1 ? " cell\n" : " cells\n") + "    " + finding.text + "\n    " +
                finding.fix + "\n";
    }
    if (report.findings.empty()) {
        text += "Nothing found.\n";
    }
    std::map<std::string, std::string> rulesOf; // what they lack
    for (const LintOmission& omission : report.notChecked) {
        std::string& rules = rulesOf[omission.needs];
        rules += (rules.empty() ? "" : ", ") + std::string(omission.rule);
    }
    if (!rulesOf.empty()) {
        text += "Not checked, for want of\n";
    }
    for (const auto& [needs, rules] : rulesOf) {
        text.append("    ").append(needs).append(": ").append(rules).append("\n");
    }
    return text;
}

Expected<ExitCode> maskLintAction(const MaskLintOptions& options, const Console& console)
{
    EngineOptions engine;
    engine.memory = options.memory;
    const auto execution = makeExecution(engine, console);
    if (!execution) {
        return tl::unexpected(execution.error());
    }
    if (!options.slot.empty()) {
        if (const auto slot = findMaskSlot(options.slot); !slot) {
            return fail(Code::InvalidArgument, slot.error().message, "--slot");
        }
    }
    std::error_code unknown;
    const bool isFile = std::filesystem::exists(options.mask, unknown) || isFileName(options.mask);
    const auto report =
        isFile ? lintFile(options, *execution) : lintExpression(options, *execution);
    if (!report) {
        return tl::unexpected(report.error());
    }
    std::vector<MaskExplanation> explanations;
    if (report->kept != nullptr) {
        auto recognised = recogniseMask(*report->kept, *execution);
        if (!recognised) {
            return tl::unexpected(recognised.error());
        }
        explanations = std::move(*recognised);
    }
    if (auto printed = console.print(options.json ? reportJson(*report, explanations)
                                                  : reportText(*report, explanations));
        !printed) {
        return tl::unexpected(printed.error());
    }
    return finish(console, report->hasErrors() ? ExitCode::Problems : ExitCode::Fine);
}

} // namespace

void addMaskLint(CLI::App& mask, Action& chosen)
{
    const auto options = std::make_shared<MaskLintOptions>();
    CLI::App* app = mask.add_subcommand("lint", "say what is wrong with a mask");
    addText(*app, "MASK", options->mask, "MASK",
            "a case (.json), a file of one mask, or an expression")
        ->required();
    addText(*app, "--array", options->array, "NAME", "of several in the file");
    app->option_defaults()->group("Where it goes and what it ought to be");
    addText(*app, "--slot", options->slot, "NAME", "argument it goes into, such as torch.sdpa");
    addText(*app, "--intent", options->intent, "EXPR", "what it ought to be, as an expression");
    addText(*app, "--window", options->window, "EXPR", "the window that was asked for");
    addChoice(*app, "--compute-dtype", options->computeType,
              {"float16", "bfloat16", "float32", "float64"}, "type of the scores");
    addChoice(*app, "--causal-flag", options->causalFlag, {"true", "false"},
              "is_causal of the same call");
    app->option_defaults()->group("Facts");
    addText(*app, "--lengths", options->lengths, "LIST", "real tokens of each item, such as 5,3");
    addChoice(*app, "--pad-side", options->padSide, {"right", "left"},
              "where padding stands (right)");
    addInteger(*app, "--past", options->past, 0, MostSide, "N", "cached keys (S - L)");
    addText(*app, "--documents", options->documents, "LISTS",
            "document of each key; items apart by ;");
    addText(*app, "--groups", options->groups, "LISTS", "group of each key, -1 = none");
    addText(*app, "--position-ids", options->positionIds, "LISTS", "positions the model was told");
    addPath(*app, "--scores", options->scores, "FILE", "scaled scores before the mask");
    addPath(*app, "--weights", options->weights, "FILE", "weights that came of it");
    app->option_defaults()->group("Size, where nothing says it");
    addInteger(*app, "--batch", options->batch, 1, MostSide, "B", "items");
    addInteger(*app, "--heads", options->heads, 1, 65536, "H", "heads");
    addInteger(*app, "--queries", options->queries, 1, MostSide, "L", "rows");
    addInteger(*app, "--keys", options->keys, 1, MostSide, "S", "columns");
    app->option_defaults()->group("Output");
    app->add_flag("--json", options->json, "as JSON");
    addText(*app, "--memory", options->memory, "SIZE", "most memory to take: 2GiB, 500M, …");
    app->footer("Exit status 1 when a rule of severity error fires.\n"
                "Example: heedmap mask lint mask.npy --slot torch.sdpa --intent causal");
    app->callback([options, &chosen] {
        chosen = [options](const Console& console) { return maskLintAction(*options, console); };
    });
}

} // namespace heed::cli
