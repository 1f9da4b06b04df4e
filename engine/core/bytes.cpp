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
    struct Unit {
        std::string_view name;
        double bytes;
    };
    static constexpr std::array<Unit, 11> units = {{{"", 1},
                                                    {"b", 1},
                                                    {"kb", 1e3},
                                                    {"mb", 1e6},
                                                    {"gb", 1e9},
                                                    {"tb", 1e12},
                                                    {"kib", 0x1p10},
                                                    {"mib", 0x1p20},
                                                    {"gib", 0x1p30},
                                                    {"tib", 0x1p40},
                                                    {"g", 0x1p30}}};
    if (status == std::errc{} && value >= 0) {
        for (const Unit& known : units) {
            if (unit == known.name && value * known.bytes <= 0x1p62) {
                return static_cast<std::int64_t>(value * known.bytes);
            }
        }
    }
    return fail(Code::InvalidArgument,
                "\"" + text +
                    "\" is not an amount of memory. Write a number and a unit, for "
                    "instance 2GiB or 500MB.");
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
