// Options of the command line with checked values and errors that say what would be right.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace heed::cli {

/// An option with one value; the last one given counts. The values arrive exactly as typed: the
/// library's own reading of "[a,b]" and "{}" as lists is not used. An empty value is refused, here
/// and below, unless the placeholder is LINE or TEXT.
CLI::Option* addText(CLI::App& app, const std::string& name, std::string& target,
                     const std::string& placeholder, const std::string& help);
CLI::Option* addPath(CLI::App& app, const std::string& name, std::filesystem::path& target,
                     const std::string& placeholder, const std::string& help);
/// The same, kept in order each time it is given.
CLI::Option* addTexts(CLI::App& app, const std::string& name, std::vector<std::string>& target,
                      const std::string& placeholder, const std::string& help);
/// A whole number in minimum…maximum.
CLI::Option* addInteger(CLI::App& app, const std::string& name, std::int64_t& target,
                        std::int64_t minimum, std::int64_t maximum, const std::string& placeholder,
                        const std::string& help);
CLI::Option* addSeed(CLI::App& app, const std::string& name, std::uint64_t& target,
                     const std::string& placeholder, const std::string& help);
/// One of @p choices. The placeholder lists them: "a|b|c".
CLI::Option* addChoice(CLI::App& app, const std::string& name, std::string& target,
                       const std::vector<std::string>& choices, const std::string& help);

/// The choices of an option made by addChoice(), empty for others. For the shell completions.
[[nodiscard]] std::vector<std::string> choicesOf(const CLI::Option& option);

/// The name of @p names nearest to @p wanted by edit distance, or "" when none is near.
[[nodiscard]] std::string nearestName(std::string_view wanted, std::span<const std::string> names);

/// "a, b or c".
[[nodiscard]] std::string joined(std::span<const std::string> names);

/// Splits "a,b,c" at the commas; blanks around the parts go.
[[nodiscard]] std::vector<std::string> splitList(std::string_view text);

/// Reads "0,3-5" as positions in 0…count−1, ascending and unique; empty text = all.
/// @param option for the message, e.g. "--head"; @param thing "head".
/// @return Code::InvalidArgument naming the part that is wrong and what there is.
[[nodiscard]] Expected<std::vector<std::int64_t>> parsePositions(const std::string& text,
                                                                 std::int64_t count,
                                                                 const std::string& option,
                                                                 const std::string& thing);

/// Reads "5,3" as whole numbers. @return Code::InvalidArgument naming the part that is wrong.
[[nodiscard]] Expected<std::vector<std::int64_t>> parseIntegers(const std::string& text,
                                                                const std::string& option);

} // namespace heed::cli
