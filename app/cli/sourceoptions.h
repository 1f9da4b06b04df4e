// The options that say what to compute, the same for every subcommand, and the run they describe.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "console.h"

#include "heed/run.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace heed::cli {

/// How to compute: --backend, --threads, --memory.
struct EngineOptions {
    std::string backend = "auto";
    std::int64_t threads = 0;
    std::string memory;
};
void addEngineOptions(CLI::App& app, EngineOptions& options);

/// --model of one attention layer, where no checkpoint is read.
inline constexpr std::string_view Sandbox = "sandbox";

/// Headings of options that go with any source.
inline constexpr const char* SelectionGroup = "Selection";
inline constexpr const char* EngineGroup = "Engine";

/// What was typed; makeSource() turns it into the engine's value.
struct SourceOptions {
    Source source;
    std::string textFile;
    std::vector<std::string> ids, targetIds;
    std::string attention; ///< "" = as the target tells
    std::string model{Sandbox};
    std::string tokenizer = "words";
    std::string positions = "sinusoidal";
    std::string padSide = "right";
    std::string layers, items, heads;
    EngineOptions engine;
    bool needsAllLayers = false;   ///< of a model, whatever --layer says
    const CLI::App* app = nullptr; ///< where the options stand, to see which were given
};
/// Adds the groups Input, Layer, Mask, Selection and Engine. @p options must outlive the parsing.
void addSourceOptions(CLI::App& app, SourceOptions& options);

/// Checks what can be checked without computing, and reads --text-file.
/// @return Code::InvalidArgument naming the option and what to give instead.
[[nodiscard]] Expected<Source> makeSource(const SourceOptions& options, const Console& console);

/// The variables that stand for options are checked like them.
/// @return Code::InvalidArgument naming the variable.
[[nodiscard]] Expected<void> checkEnvironment();

/// Threads, memory budget and stop token. Without --memory the budget is three quarters of the
/// memory that is free, so that an absurd size is refused and not tried.
[[nodiscard]] Expected<Execution> makeExecution(const EngineOptions& options,
                                                const Console& console);

/// @return Code::InvalidArgument for an unknown name; Code::BackendFailed with the reason for one
/// that is known and cannot be used here.
[[nodiscard]] Expected<BackendPtr> openBackend(const std::string& name);

/// The maps to look at; ascending positions.
struct Selection {
    std::vector<std::int64_t> layers, items, heads;
};

using FirstSelected = std::tuple<std::optional<std::int64_t>, std::optional<std::int64_t>,
                                 std::optional<std::int64_t>>;
/// The first layer, item and head of the lists that were given, before it is known what there is.
/// @return Code::InvalidArgument for what is no list of positions.
[[nodiscard]] Expected<FirstSelected> firstSelected(const SourceOptions& options);

/// A source that has been computed.
struct ComputedSource {
    RunPtr run;
    Selection selection;
    Execution execution;
};
/// makeSource, openBackend, compute and the selection in one; shows progress and notes on standard
/// error.
[[nodiscard]] Expected<ComputedSource> computeSource(const SourceOptions& options,
                                                     const Console& console);

[[nodiscard]] PadSide padSideOf(const std::string& name);

/// All of standard input. Stops with Code::Cancelled when the token fires while it waits.
[[nodiscard]] Expected<std::string> readStandardInput(const Console& console);

} // namespace heed::cli
