// The command line: parsing, running a subcommand or the window, and the exit code.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "command.h"
#include "openwindow.h"
#include "sourceoptions.h"

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace heed::cli {

/// The tree of subcommands and options. Knows nothing of Qt and starts nothing.
class CommandTree {
public:
    CommandTree();
    ~CommandTree();
    CommandTree(const CommandTree&) = delete;
    CommandTree& operator=(const CommandTree&) = delete;

    [[nodiscard]] CLI::App& root() { return *m_root; }
    /// The work of the subcommand that was parsed; empty for the window.
    [[nodiscard]] const Action& chosen() const { return m_chosen; }
    /// What the window shows first, for a line without a subcommand.
    /// @return what makeSource() says.
    [[nodiscard]] Expected<WindowRequest> window(const Console& console) const;
    /// The first option or file before the subcommand that belongs behind it; "" when there is
    /// none.
    [[nodiscard]] std::string misplaced() const;

private:
    [[nodiscard]] bool hasSource() const;

    std::unique_ptr<CLI::App> m_root;
    Action m_chosen;
    WindowRequest m_window;
    SourceOptions m_source;
    std::vector<const CLI::Option*> m_sourceOptions;
};

/// The program. @return the exit code.
int runProgram(int argc, char** argv);

} // namespace heed::cli
