// Amounts of memory: printed, read and refused.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/execution.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string_view>

namespace heed {

std::string formatBytes(std::int64_t bytes)
{
    constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    std::array<char, 32> text{};
    const bool whole = unit == 0 || value >= 100 || value == std::floor(value);
    std::snprintf(text.data(), text.size(), whole ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return text.data();
}

Expected<std::int64_t> parseBytes(const std::string& text)
{
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, status] = std::from_chars(text.data(), end, value);
    std::string unit;
    for (const char* c = rest; c != end; ++c) {
        if (*c != ' ') {
            unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
        }
    }
    // As in GNU tools: K and KiB are 1024, KB is 1000.
    double factor = 1;
    bool isKnown = unit.empty() || unit == "b";
    if (const std::size_t power = std::string_view("kmgt").find(unit.substr(0, 1));
        !unit.empty() && power != std::string_view::npos) {
        const std::string_view kind = std::string_view(unit).substr(1);
        isKnown = kind.empty() || kind == "b" || kind == "ib";
        factor = std::pow(kind == "b" ? 1000.0 : 1024.0, static_cast<double>(power + 1));
    }
    if (status == std::errc{} && isKnown && value >= 0 && value * factor <= 0x1p62) {
        return static_cast<std::int64_t>(value * factor);
    }
    return fail(
        Code::InvalidArgument,
        "\"" + text +
            "\" is not an amount of memory. Write a number and a unit (K, M, G or T; KB for 1000, "
            "KiB for 1024), for instance 2GiB or 500MB.");
}

Expected<void> checkMemory(std::int64_t bytes, const std::string& what, const Execution& execution,
                           const std::string& wayOut)
{
    if (execution.memoryBudget > 0 && bytes > execution.memoryBudget) {
        return fail(Code::OutOfMemory, what + " needs " + formatBytes(bytes) +
                                           ", more than the memory budget of " +
                                           formatBytes(execution.memoryBudget) +
                                           ". Raise it with --memory, or " + wayOut + ".");
    }
    return {};
}

std::int64_t usualMemoryBudget()
{
    std::ifstream info("/proc/meminfo");
    std::string name;
    std::int64_t kibibytes = 0;
    std::string unit;
    while (info >> name >> kibibytes) {
        std::getline(info, unit);
        if (name == "MemAvailable:") {
            return kibibytes * 1024 / 4 * 3;
        }
    }
    return 0;
}

} // namespace heed
