// The text of --help: one screen a command, options in groups.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>

namespace heed::cli {

/// A group whose options work and are completed, but have no line in --help.
inline constexpr const char* UnlistedGroup = "Unlisted";

class HelpFormatter : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override;
};

/// "heedmap mask show": the words that call @p app.
[[nodiscard]] std::string commandPath(const CLI::App& app);

/// The subcommands people are told about, in the order of their definition.
[[nodiscard]] std::vector<const CLI::App*> visibleCommands(const CLI::App& app);

} // namespace heed::cli
