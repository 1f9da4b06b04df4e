// Rows of texts as aligned columns.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "table.h"

#include <algorithm>

namespace heed::cli {

std::string tableText(const std::vector<std::vector<std::string>>& rows,
                      const std::set<std::size_t>& numbers, const Console& console)
{
    std::vector<int> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t column = 0; column < row.size(); ++column) {
            widths[column] = std::max(widths[column], displayWidth(row[column]));
        }
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line = "  ";
        for (std::size_t column = 0; column < row.size(); ++column) {
            line += numbers.contains(column) ? padLeft(row[column], widths[column])
                                             : padRight(row[column], widths[column]);
            line += "  ";
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += (&row == &rows.front() ? console.heading(line) : line) + "\n";
    }
    return text;
}

} // namespace heed::cli
