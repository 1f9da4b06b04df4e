// The command line: parsing, running a subcommand or the window, and the exit code.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "commandline.h"

#include "help.h"
#include "interrupt.h"
#include "optionvalue.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <tuple>

namespace heed::cli {

namespace {

/// Adds --help again behind the options of its last group: it costs no heading of its own.
void moveHelpToTheEnd(CLI::App& app)
{
    for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; })) {
        sub->set_help_flag();
        const auto options = sub->get_options();
        const std::string group = options.empty() ? "Options" : options.back()->get_group();
        sub->set_help_flag("-h,--help", "show this help")->group(group);
        moveHelpToTheEnd(*sub);
    }
}

void addWindowOptions(CLI::App& root, WindowRequest& window)
{
    root.add_option("FILE", CLI::callback_t([&window](const CLI::results_t& results) {
                        window.files = results;
                        return true;
                    }),
                    "sessions, arrays or texts to open")
        ->expected(0, CLI::detail::expected_max_vector_size)
        ->allow_extra_args();
    root.option_defaults()->group("Window");
    root.add_flag("--example", window.example, "open the worked example");
    addChoice(root, "--language", window.language, {"en", "zh_CN"}, "(the system's)");
    addChoice(root, "--theme", window.theme, {"light", "dark"}, "(as set, or the system's)");
    addText(root, "--config-dir", window.configDir, "DIR", "where settings are kept");
}

/// Whether an option says what is computed; the others go with a file as well.
bool describesSource(const CLI::Option& option)
{
    return option.get_group() != SelectionGroup && option.get_group() != EngineGroup;
}

int status(ExitCode code)
{
    return static_cast<int>(code);
}

/// "--text=" means an empty value; the parser would take the next argument instead.
std::vector<std::string> separatedArguments(int argc, char** argv)
{
    std::vector<std::string> arguments;
    for (int i = 1; i < argc; ++i) {
        std::string argument = argv[i];
        const bool isEmptyValue = argument.size() > 3 && argument.compare(0, 2, "--") == 0 &&
                                  argument.find('=') == argument.size() - 1;
        if (isEmptyValue) {
            argument.pop_back();
        }
        arguments.push_back(std::move(argument));
        if (isEmptyValue) {
            arguments.emplace_back();
        }
    }
    return arguments;
}

/// The subcommand the user was in when the parser stopped.
const CLI::App& deepestParsed(const CLI::App& app)
{
    const auto parsed = app.get_subcommands();
    return parsed.empty() ? app : deepestParsed(*parsed.back());
}

std::vector<std::string> optionNames(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    return names;
}

std::vector<std::string> commandNames(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::App* command : visibleCommands(app)) {
        names.push_back(command->get_name());
    }
    return names;
}

std::string suggestion(std::string_view wanted, const std::vector<std::string>& names)
{
    const std::string nearest = nearestName(wanted, names);
    return nearest.empty() ? "" : " Did you mean " + nearest + "?";
}

std::string unknownArgument(const CLI::App& root)
{
    const CLI::App& app = deepestParsed(root);
    const auto extras = root.remaining(true);
    const std::string extra = extras.empty() ? "" : extras.front();
    const std::string name = extra.substr(0, extra.find('='));
    const std::string help = " See " + commandPath(app) + " --help.";
    if (!name.empty() && name.front() == '-') {
        return "unknown option " + name + "." + suggestion(name, optionNames(app)) + help;
    }
    return "unexpected argument \"" + extra + "\"." + suggestion(extra, commandNames(app)) + help;
}

int reportParseError(const CLI::App& root, const CLI::ParseError& error, const Console& console)
{
    const std::string help = " See " + commandPath(deepestParsed(root)) + " --help.";
    const bool lacksCommand = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
                              !visibleCommands(deepestParsed(root)).empty();
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
        (lacksCommand && !root.remaining(true).empty())) { // "mask shwo": a slip, not a lack
        console.error(unknownArgument(root));
    } else if (lacksCommand) {
        console.error("a command is missing: " + joined(commandNames(deepestParsed(root))) + "." +
                      help);
    } else {
        console.error(std::string(error.what()) + "." + help);
    }
    return status(ExitCode::Usage);
}

int printOut(const std::string& text)
{
    const Console console;
    auto printed = console.print(text);
    if (printed) {
        printed = console.flush();
    }
    if (!printed) {
        console.error(describe(printed.error()));
        return status(exitCodeOf(printed.error().code));
    }
    return status(ExitCode::Fine);
}

int run(const Action& action)
{
    const Interrupt interrupt;
    const Console console(interrupt.token(), [&interrupt] { interrupt.leave(); });
    const auto code = action(console);
    console.endProgress();
    if (code) {
        return status(*code);
    }
    if (code.error().code == Code::Cancelled) {
        return interrupt.exitStatus();
    }
    console.error(describe(code.error()));
    return status(exitCodeOf(code.error().code));
}

std::string neitherCommandNorFile(const std::string& word, const std::string& command)
{
    return "\"" + word + "\" is neither a command nor a file. Did you mean " + command +
           "? See heedmap --help.";
}

/// Files that are not there are told before a window opens.
std::optional<ExitCode> missingFile(const std::vector<std::string>& files, const CLI::App& root,
                                    const Console& console)
{
    for (const std::string& file : files) {
        std::error_code error;
        if (std::filesystem::exists(file, error)) {
            continue;
        }
        // A bare word that is no file was most likely meant as a command.
        const std::string command = nearestName(file, commandNames(root));
        if (!command.empty()) {
            console.error(neitherCommandNorFile(file, command));
            return ExitCode::Usage;
        }
        console.error(file + ": There is no such file.");
        return ExitCode::Input;
    }
    return std::nullopt;
}

int runWindow(char** argv, CommandTree& tree)
{
    const Console console;
    const auto request = tree.window(console);
    if (!request) {
        console.error(describe(request.error()));
        return status(exitCodeOf(request.error().code));
    }
    if (const auto code = missingFile(request->files, tree.root(), console)) {
        return status(*code);
    }
    return openWindow(argv, *request);
}

int parseAndRun(int argc, char** argv)
{
    CommandTree tree;
    try {
        std::vector<std::string> arguments = separatedArguments(argc, argv);
        std::reverse(arguments.begin(), arguments.end()); // as the parser wants them
        tree.root().parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
        return printOut(deepestParsed(tree.root()).help());
    } catch (const CLI::CallForVersion&) {
        return printOut("heedmap " HEED_VERSION "\n");
    } catch (const CLI::ParseError& error) {
        return reportParseError(tree.root(), error, Console());
    }
    if (const auto environment = checkEnvironment(); !environment) {
        Console().error(describe(environment.error()));
        return status(ExitCode::Usage);
    }
    if (!tree.chosen()) {
        return runWindow(argv, tree);
    }
    if (const std::string misplaced = tree.misplaced(); !misplaced.empty()) {
        Console().error(misplaced + " stands before the command. Write it behind.");
        return status(ExitCode::Usage);
    }
    return run(tree.chosen());
}

} // namespace

Expected<ExitCode> finish(const Console& console, ExitCode code)
{
    if (auto flushed = console.flush(); !flushed) {
        return tl::unexpected(flushed.error());
    }
    return code;
}

CommandTree::CommandTree()
    : m_root(std::make_unique<CLI::App>(
          "Shows what attention does: in a window, in figures and as numbers.", "heedmap"))
{
    CLI::App& root = *m_root;
    root.formatter(std::make_shared<HelpFormatter>());
    root.require_subcommand(0, 1);
    root.set_help_flag("-h,--help", "show this help");
    root.set_version_flag("--version", "heedmap " HEED_VERSION, "show the version");
    addWindowOptions(root, m_window);

    // The window opens on a source too; its options are hidden here, they fill a screen of their
    // own.
    const auto before = root.get_options();
    addSourceOptions(root, m_source);
    for (CLI::Option* option : root.get_options()) {
        if (std::find(before.begin(), before.end(), option) == before.end()) {
            if (describesSource(*option)) {
                m_sourceOptions.push_back(option);
            }
            option->group(UnlistedGroup);
        }
    }

    addCompute(root, m_chosen);
    addRender(root, m_chosen);
    addStats(root, m_chosen);
    addPredict(root, m_chosen);
    addMask(root, m_chosen);
    addInfo(root, m_chosen);
    addModels(root, m_chosen);
    addBackends(root, m_chosen);
    addBench(root, m_chosen);
    addCompletions(root, m_chosen);
    moveHelpToTheEnd(root);
    // Last, because a subcommand takes over the footer that stands when it is added.
    root.footer("\nWithout a command the window opens, also on the source options of compute:\n"
                "  heedmap --text \"I like eating apple\" --heads 4 --causal\n"
                "The options of a command: heedmap COMMAND --help\n\n"
                "Exit status: 0 fine, 1 a check found problems, 2 wrong usage,\n"
                "3 unreadable input, 4 memory or device, 130 interrupted.");
}

CommandTree::~CommandTree() = default;

bool CommandTree::hasSource() const
{
    return std::any_of(m_sourceOptions.begin(), m_sourceOptions.end(),
                       [](const CLI::Option* option) { return option->count() > 0; });
}

Expected<WindowRequest> CommandTree::window(const Console& console) const
{
    WindowRequest request = m_window;
    request.backend = m_source.engine.backend;
    request.threads = m_source.engine.threads;
    if (!m_source.engine.memory.empty()) {
        const auto execution = makeExecution(m_source.engine, console);
        if (!execution) {
            return tl::unexpected(execution.error());
        }
        request.memoryBudget = execution->memoryBudget;
    }
    auto first = firstSelected(m_source);
    if (!first) {
        return tl::unexpected(first.error());
    }
    std::tie(request.layer, request.item, request.head) = *first;
    if (hasSource()) {
        auto source = makeSource(m_source, console);
        if (!source) {
            return tl::unexpected(source.error());
        }
        request.source = std::move(*source);
    }
    return request;
}

std::string CommandTree::misplaced() const
{
    for (const CLI::Option* option : m_root->get_options()) {
        if (option->count() > 0) {
            return option->get_positional() ? option->results().front() : option->get_name();
        }
    }
    return {};
}

int runProgram(int argc, char** argv)
{
    // A file over the limit of the system (ulimit -f) is then an error of its write, like a full
    // disk, and not the end of the program.
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        return parseAndRun(argc, argv);
    } catch (const std::bad_alloc&) {
        Console().error("There is not enough memory for this. Ask for less, or set a limit with "
                        "--memory to be told beforehand.");
    } catch (const std::exception& error) {
        Console().error(std::string("Something unexpected happened: ") + error.what());
    }
    return status(ExitCode::Resources);
}

} // namespace heed::cli
