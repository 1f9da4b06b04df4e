// The text of --help: one screen a command, options in groups.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "help.h"

#include "console.h"

namespace heed::cli {

namespace {

constexpr int NameColumns = 28;

std::string line(const std::string& name, const std::string& description)
{
    return "  " + padRight(name, NameColumns - 4) + "  " + description + "\n";
}

std::string optionName(const CLI::Option& option)
{
    std::string name = option.get_name(false, true);
    for (std::size_t comma = name.find(','); comma != std::string::npos;
         comma = name.find(',', comma + 2)) {
        name.insert(comma + 1, " ");
    }
    const std::string placeholder = option.get_type_size() == 0 ? "" : option.get_type_name();
    return placeholder.empty() ? name : name + " " + placeholder;
}

} // namespace

std::string commandPath(const CLI::App& app)
{
    return app.get_parent() == nullptr ? app.get_name()
                                       : commandPath(*app.get_parent()) + " " + app.get_name();
}

std::vector<const CLI::App*> visibleCommands(const CLI::App& app)
{
    return app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const
{
    const auto positionals =
        app->get_options([](const CLI::Option* option) { return option->get_positional(); });
    const auto commands = visibleCommands(*app);

    std::string text = "Usage: " + commandPath(*app);
    for (const CLI::Option* positional : positionals) {
        const std::string name = positional->get_name(true, false);
        const bool many = positional->get_items_expected_max() > 1;
        text += " " + (positional->get_required() ? name : "[" + name + (many ? "…" : "") + "]");
    }
    text += commands.empty() ? " [options]\n" : positionals.empty() ? " COMMAND\n" : "\n";
    if (!commands.empty() && !positionals.empty()) {
        text += "       " + commandPath(*app) + " COMMAND [options]\n";
    }
    text += app->get_description() + "\n";

    if (!commands.empty()) {
        text += "\nCommands:\n";
        for (const CLI::App* command : commands) {
            text += line(command->get_name(), command->get_description());
        }
    }
    for (const CLI::Option* positional : positionals) {
        if (!positional->get_description().empty()) {
            text += "\n" + line(positional->get_name(true, false), positional->get_description());
        }
    }
    for (const std::string& group : app->get_groups()) {
        const auto options = app->get_options([&group](const CLI::Option* option) {
            return option->get_group() == group && option->nonpositional();
        });
        if (group.empty() || group == UnlistedGroup || options.empty()) {
            continue;
        }
        text += group + ":\n";
        for (std::size_t i = 0; i < options.size(); ++i) {
            std::string names = optionName(*options[i]);
            // Neighbours that are described by the same words share a line.
            while (i + 1 < options.size() &&
                   options[i + 1]->get_description() == options[i]->get_description()) {
                names += ", " + optionName(*options[++i]);
            }
            text += line(names, options[i]->get_description());
        }
    }
    return app->get_footer().empty() ? text : text + app->get_footer() + "\n";
}

} // namespace heed::cli
