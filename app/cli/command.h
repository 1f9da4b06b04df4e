// What a subcommand is: options added to the tree, and an action to run once the line is parsed.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "console.h"

#include <functional>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace heed::cli {

/// The work of a subcommand. An Error becomes a message and an exit code.
using Action = std::function<Expected<ExitCode>(const Console&)>;

// Each adds one subcommand to @p root; parsing it stores its work in @p chosen.
void addCompute(CLI::App& root, Action& chosen);
void addRender(CLI::App& root, Action& chosen);
void addStats(CLI::App& root, Action& chosen);
void addPredict(CLI::App& root, Action& chosen);
void addModels(CLI::App& root, Action& chosen);
void addMask(CLI::App& root, Action& chosen);
void addInfo(CLI::App& root, Action& chosen);
void addBackends(CLI::App& root, Action& chosen);
void addBench(CLI::App& root, Action& chosen);
void addCompletions(CLI::App& root, Action& chosen);

/// The last step of every subcommand: what was printed is handed to the system.
[[nodiscard]] Expected<ExitCode> finish(const Console& console, ExitCode code = ExitCode::Fine);

} // namespace heed::cli
