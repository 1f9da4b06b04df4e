// Rows of texts as aligned columns.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "console.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace heed::cli {

/// @p rows, of which the first is a heading, two blanks in front and between the columns.
/// @param numbers  columns that are aligned to the right.
[[nodiscard]] std::string tableText(const std::vector<std::vector<std::string>>& rows,
                                    const std::set<std::size_t>& numbers, const Console& console);

} // namespace heed::cli
