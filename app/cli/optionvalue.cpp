// Options of the command line with checked values and errors that say what would be right.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "optionvalue.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

namespace heed::cli {

namespace {

constexpr std::size_t NearEnough = 3; // edits; more is another word, not a slip

template <typename Number>
std::optional<Number> parseNumber(std::string_view text)
{
    Number value{};
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

/// A line of text or a title may be empty. Anything else that is empty comes from a variable that
/// is not set, and going on as if the option were not there would give other numbers.
void refuseEmpty(const std::string& name, const std::string& placeholder, const std::string& value)
{
    if (value.empty() && placeholder != "LINE" && placeholder != "TEXT") {
        throw CLI::ValidationError(name, "needs a value (" + placeholder +
                                             "); the one given is empty (an unset variable?)");
    }
}

template <typename Store>
CLI::Option* addValue(CLI::App& app, const std::string& name, const std::string& placeholder,
                      const std::string& help, Store store)
{
    const CLI::callback_t callback = [=](const CLI::results_t& results) {
        refuseEmpty(name, placeholder, results.front());
        store(results.front());
        return true;
    };
    return app.add_option(name, callback, help)
        ->type_name(placeholder)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row.back();
}

std::string inQuotes(std::string_view text)
{
    return "\"" + std::string(text) + "\"";
}

} // namespace

CLI::Option* addText(CLI::App& app, const std::string& name, std::string& target,
                     const std::string& placeholder, const std::string& help)
{
    return addValue(app, name, placeholder, help,
                    [&target](const std::string& text) { target = text; });
}

CLI::Option* addPath(CLI::App& app, const std::string& name, std::filesystem::path& target,
                     const std::string& placeholder, const std::string& help)
{
    return addValue(app, name, placeholder, help,
                    [&target](const std::string& text) { target = text; });
}

CLI::Option* addTexts(CLI::App& app, const std::string& name, std::vector<std::string>& target,
                      const std::string& placeholder, const std::string& help)
{
    const CLI::callback_t callback = [=, &target](const CLI::results_t& results) {
        for (const std::string& value : results) {
            refuseEmpty(name, placeholder, value);
        }
        target = results;
        return true;
    };
    return app.add_option(name, callback, help)
        ->type_name(placeholder)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

CLI::Option* addInteger(CLI::App& app, const std::string& name, std::int64_t& target,
                        std::int64_t minimum, std::int64_t maximum, const std::string& placeholder,
                        const std::string& help)
{
    return addValue(app, name, placeholder, help, [=, &target](const std::string& text) {
        const auto value = parseNumber<std::int64_t>(text);
        if (!value || *value < minimum || *value > maximum) {
            throw CLI::ValidationError(
                name, "takes a whole number from " + std::to_string(minimum) + " to " +
                          std::to_string(maximum) + ", not " + inQuotes(text));
        }
        target = *value;
    });
}

CLI::Option* addSeed(CLI::App& app, const std::string& name, std::uint64_t& target,
                     const std::string& placeholder, const std::string& help)
{
    return addValue(app, name, placeholder, help, [name, &target](const std::string& text) {
        const auto value = parseNumber<std::uint64_t>(text);
        if (!value) {
            throw CLI::ValidationError(
                name, "takes a whole number from 0 to 18446744073709551615, not " + inQuotes(text));
        }
        target = *value;
    });
}

CLI::Option* addChoice(CLI::App& app, const std::string& name, std::string& target,
                       const std::vector<std::string>& choices, const std::string& help)
{
    return addValue(app, name, CLI::detail::join(choices, "|"), help,
                    [name, choices, &target](const std::string& text) {
                        if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
                            throw CLI::ValidationError(name, "takes " + joined(choices) + ", not " +
                                                                 inQuotes(text));
                        }
                        target = text;
                    });
}

std::vector<std::string> choicesOf(const CLI::Option& option)
{
    const std::string placeholder = option.get_type_name();
    if (placeholder.find('|') == std::string::npos) {
        return {};
    }
    return CLI::detail::split(placeholder, '|');
}

std::string nearestName(std::string_view wanted, std::span<const std::string> names)
{
    std::string best;
    std::size_t bestDistance = NearEnough + 1;
    for (const std::string& name : names) {
        const std::size_t distance = editDistance(wanted, name);
        // A name of three letters is within three edits of everything.
        if (distance < bestDistance && distance * 2 <= std::max(wanted.size(), name.size())) {
            best = name;
            bestDistance = distance;
        }
    }
    return best;
}

std::string joined(std::span<const std::string> names)
{
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) {
            text += i + 1 == names.size() ? " or " : ", ";
        }
        text += names[i];
    }
    return text;
}

std::vector<std::string> splitList(std::string_view text)
{
    std::vector<std::string> parts;
    while (true) {
        const std::size_t comma = text.find(',');
        std::string part(text.substr(0, comma));
        parts.push_back(CLI::detail::trim(part));
        if (comma == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(comma + 1);
    }
}

Expected<std::vector<std::int64_t>> parsePositions(const std::string& text, std::int64_t count,
                                                   const std::string& option,
                                                   const std::string& thing)
{
    std::vector<std::int64_t> positions;
    if (text.empty()) {
        positions.resize(static_cast<std::size_t>(count));
        std::iota(positions.begin(), positions.end(), std::int64_t{0});
        return positions;
    }
    for (const std::string& part : splitList(text)) {
        const std::size_t dash = part.find('-');
        const auto first = parseNumber<std::int64_t>(std::string_view(part).substr(0, dash));
        const auto last = dash == std::string::npos
                              ? first
                              : parseNumber<std::int64_t>(std::string_view(part).substr(dash + 1));
        if (!first || !last || *first < 0 || *first > *last) {
            return fail(Code::InvalidArgument,
                        inQuotes(part) + " is no selection. Write numbers and ranges, for instance "
                                         "0,3-5.",
                        option);
        }
        if (*last >= count) {
            return fail(Code::InvalidArgument,
                        "there is no " + thing + " " + std::to_string(*last) + "; " +
                            (count == 1 ? "the only " + thing + " is 0"
                                        : "they run from 0 to " + std::to_string(count - 1)) +
                            ".",
                        option);
        }
        for (std::int64_t position = *first; position <= *last; ++position) {
            positions.push_back(position);
        }
    }
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    return positions;
}

Expected<std::vector<std::int64_t>> parseIntegers(const std::string& text,
                                                  const std::string& option)
{
    std::vector<std::int64_t> values;
    for (const std::string& part : splitList(text)) {
        const auto value = parseNumber<std::int64_t>(part);
        if (!value) {
            return fail(Code::InvalidArgument,
                        inQuotes(part) + " is no whole number. Write a list such as 5,3.", option);
        }
        values.push_back(*value);
    }
    return values;
}

} // namespace heed::cli
