// The known name a mistyped one was probably meant to be.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/nearestname.h"

#include <algorithm>
#include <vector>

namespace heed::detail {
namespace {

// Names are short; a longer word is no slip of one of them and would cost quadratic time.
constexpr std::size_t longestSlip = 40;

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b)
{
    const std::size_t width = b.size() + 1;
    std::vector<std::size_t> table((a.size() + 1) * width);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        table[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        table[i * width] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            std::size_t best = table[(i - 1) * width + j - 1] + (same ? 0 : 1);
            best = std::min(best, table[(i - 1) * width + j] + 1);
            best = std::min(best, table[i * width + j - 1] + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1])) {
                best = std::min(best, table[(i - 2) * width + j - 2] + 1);
            }
            table[i * width + j] = best;
        }
    }
    return table.back();
}

} // namespace

std::string_view nearestName(std::string_view name, std::span<const std::string_view> known)
{
    if (name.empty() || name.size() > longestSlip) {
        return {};
    }
    std::string_view nearest;
    std::size_t nearestDistance = 0;
    for (const std::string_view candidate : known) {
        // A third of the letters may be wrong, at least one.
        const std::size_t allowed = std::max<std::size_t>(1, candidate.size() / 3);
        const std::size_t d = distance(name, candidate);
        if (d <= allowed && d < candidate.size() && (nearest.empty() || d < nearestDistance)) {
            nearest = candidate;
            nearestDistance = d;
        }
    }
    return nearest;
}

std::string listNames(std::span<const std::string_view> known)
{
    std::string list;
    for (const std::string_view name : known) {
        list += list.empty() ? "" : ", ";
        list += name;
    }
    return list;
}

std::string inQuotes(std::string_view text, std::size_t limit)
{
    const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
    std::size_t end = std::min(limit, text.size());
    while (end > 0 && end < text.size() && continues(text[end])) {
        --end;
    }
    std::string result = "'";
    for (const char c : text.substr(0, end)) {
        const auto byte = static_cast<unsigned char>(c);
        result += byte < 0x20U || byte == 0x7FU ? '?' : c;
    }
    result += end < text.size() ? "…'" : "'";
    return result;
}

} // namespace heed::detail
