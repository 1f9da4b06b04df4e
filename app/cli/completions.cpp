// Shell completions made from the tree of options, so that they cannot disagree with it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "completions.h"

#include "command.h"
#include "help.h"
#include "maskcommand.h"
#include "optionvalue.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace heed::cli {

namespace {

constexpr const char* Notice =
    "# Made by `heedmap completions`; change the options in app/cli, then make it again.\n"
    "# SPDX-License-Identifier: GPL-3.0-or-later\n";

struct Command {
    std::string path; ///< "mask show"
    const CLI::App* app = nullptr;
};

void collect(const CLI::App& app, const std::string& path, std::vector<Command>& commands)
{
    commands.push_back({path, &app});
    for (const CLI::App* sub : visibleCommands(app)) {
        collect(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name(), commands);
    }
}

std::vector<Command> allCommands(const CLI::App& root)
{
    std::vector<Command> commands;
    collect(root, "", commands);
    return commands;
}

std::vector<std::string> namesOf(const CLI::Option& option)
{
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) {
        names.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        names.push_back("--" + name);
    }
    return names;
}

std::vector<const CLI::Option*> optionsOf(const CLI::App& app)
{
    return app.get_options([](const CLI::Option* option) {
        return option->nonpositional() && !option->get_group().empty();
    });
}

bool takesFile(const CLI::Option& option)
{
    const std::string placeholder = option.get_type_name();
    return placeholder == "FILE" || placeholder == "X.npy";
}

bool hasPositionalFile(const CLI::App& app)
{
    const auto files = app.get_options([](const CLI::Option* option) {
        const std::string name = option->get_name(true, false);
        return option->get_positional() && (name == "FILE" || name == MaskOrFile);
    });
    return !files.empty();
}

std::string subcommandWords(const CLI::App& app)
{
    std::string words;
    for (const CLI::App* sub : visibleCommands(app)) {
        words += (words.empty() ? "" : " ") + sub->get_name();
    }
    return words;
}

/// The options whose values are known or are files, once for all commands.
std::string bashValues(const std::vector<Command>& commands)
{
    std::vector<std::string> done;
    std::string files;
    std::string text;
    std::string others;
    for (const Command& command : commands) {
        for (const CLI::Option* option : optionsOf(*command.app)) {
            const std::string pattern = CLI::detail::join(namesOf(*option), "|");
            if (option->get_type_size() == 0 ||
                std::find(done.begin(), done.end(), pattern) != done.end()) {
                continue;
            }
            done.push_back(pattern);
            const auto choices = choicesOf(*option);
            if (!choices.empty()) {
                text += "        " + pattern + ") COMPREPLY=($(compgen -W \"" +
                        CLI::detail::join(choices, " ") + "\" -- \"$current\")); return ;;\n";
            } else if (takesFile(*option)) {
                files += (files.empty() ? "" : "|") + pattern;
            } else {
                others += (others.empty() ? "" : "|") + pattern;
            }
        }
    }
    if (!files.empty()) {
        text += "        " + files + ") COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n";
    }
    if (!others.empty()) {
        text += "        " + others + ") return ;;\n";
    }
    return text;
}

/// The case that goes from a command to the one below it: "mask show" after "mask".
std::string bashEnters(const std::string& path)
{
    const std::size_t blank = path.rfind(' ');
    const std::string parent = blank == std::string::npos ? "" : path.substr(0, blank);
    const std::string word = blank == std::string::npos ? path : path.substr(blank + 1);
    return "            \"" + parent + " " + word + "\") command=\"" + path + "\" ;;\n";
}

/// What zsh's _arguments wants: special characters of a description escaped.
std::string zshText(const std::string& text)
{
    std::string escaped;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') {
            escaped += '\\';
        }
        escaped += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return escaped;
}

std::string zshOption(const CLI::Option& option)
{
    const auto names = namesOf(option);
    const bool repeats = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll &&
                         option.get_type_size() != 0;
    std::string value;
    if (option.get_type_size() != 0) {
        const auto choices = choicesOf(option);
        value = ":" + zshText(choices.empty() ? option.get_type_name() : "value") + ":";
        value += !choices.empty()    ? "(" + CLI::detail::join(choices, " ") + ")"
                 : takesFile(option) ? "_files"
                                     : "";
    }
    const std::string description = "[" + zshText(option.get_description()) + "]" + value;
    std::string text;
    for (const std::string& name : names) {
        const std::string others =
            names.size() > 1 && !repeats ? "(" + CLI::detail::join(names, " ") + ")" : "";
        text += " \\\n            '";
        text += repeats ? "*" : others;
        text += name;
        text += description;
        text += "'";
    }
    return text;
}

std::string zshFunction(const Command& command)
{
    std::string name = "_heedmap";
    for (const char c : command.path) {
        name += c == ' ' ? '_' : c;
    }
    if (!command.path.empty()) {
        name.insert(8, "_");
    }
    const auto subs = visibleCommands(*command.app);
    std::string text = name + "() {\n";
    if (!subs.empty()) {
        text += "    local -a commands=(\n";
        for (const CLI::App* sub : subs) {
            text += "        '" + sub->get_name() + ":" + zshText(sub->get_description()) + "'\n";
        }
        text += "    )\n    local context state line\n    typeset -A opt_args\n";
    }
    text += "    _arguments" + std::string(subs.empty() ? " -s" : " -C");
    for (const CLI::Option* option : optionsOf(*command.app)) {
        text += zshOption(*option);
    }
    if (!subs.empty()) {
        text += " \\\n            '1:command:->command' \\\n            '*::argument:->argument'\n";
        text += "    case $state in\n        command) _describe command commands";
        text += hasPositionalFile(*command.app) ? "; _files ;;\n" : " ;;\n";
        text += "        argument)\n            case $line[1] in\n";
        for (const CLI::App* sub : subs) {
            text += "                " + sub->get_name() + ") " +
                    (command.path.empty() ? "_heedmap_" : name + "_") + sub->get_name() + " ;;\n";
        }
        text += hasPositionalFile(*command.app) ? "                *) _files ;;\n" : "";
        text += "            esac ;;\n    esac\n";
    } else {
        text += hasPositionalFile(*command.app) ? " \\\n            '1:file:_files'\n" : "\n";
    }
    return text + "}\n\n";
}

} // namespace

std::string bashCompletion(const CLI::App& root)
{
    const auto commands = allCommands(root);
    std::string text = Notice;
    text += "_heedmap() {\n"
            "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
            "    local command= word\n"
            "    COMPREPLY=()\n"
            "    case $previous in\n" +
            bashValues(commands) +
            "    esac\n"
            "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
            "        case \"$command $word\" in\n";
    for (const Command& command : commands) {
        if (!command.path.empty()) {
            text += bashEnters(command.path);
        }
    }
    text += "        esac\n    done\n    case $command in\n";
    for (const Command& command : commands) {
        std::string words = subcommandWords(*command.app);
        for (const CLI::Option* option : optionsOf(*command.app)) {
            for (const std::string& name : namesOf(*option)) {
                words += (words.empty() ? "" : " ") + name;
            }
        }
        text += "        \"" + command.path + "\") COMPREPLY=($(compgen -W \"" + words +
                "\" -- \"$current\"))\n";
        text += hasPositionalFile(*command.app)
                    ? "            [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- "
                      "\"$current\")) ;;\n"
                    : "            ;;\n";
    }
    text += "    esac\n}\ncomplete -o filenames -F _heedmap heedmap\n";
    return text;
}

std::string zshCompletion(const CLI::App& root)
{
    std::string text = std::string("#compdef heedmap\n") + Notice + "\n";
    for (const Command& command : allCommands(root)) {
        text += zshFunction(command);
    }
    return text + "_heedmap \"$@\"\n";
}

void addCompletions(CLI::App& root, Action& chosen)
{
    const auto shell = std::make_shared<std::string>();
    CLI::App* app = root.add_subcommand("completions", "print a completion script for a shell");
    app->group(""); // for packagers; people get the installed files
    addChoice(*app, "SHELL", *shell, {"bash", "zsh"}, "bash or zsh")->required();
    app->callback([shell, &root, &chosen] {
        chosen = [shell, &root](const Console& console) -> Expected<ExitCode> {
            const std::string text = *shell == "zsh" ? zshCompletion(root) : bashCompletion(root);
            if (auto printed = console.print(text); !printed) {
                return tl::unexpected(printed.error());
            }
            return finish(console);
        };
    });
}

} // namespace heed::cli
