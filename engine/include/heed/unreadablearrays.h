// What a file holds beside the arrays that are read.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/arrayfile.h"

namespace heed {

/// The arrays of @p file that are there but of a kind that is not read (8-bit floats, complex
/// numbers, Python objects): their names, ascending, and what ArrayFile::read() answers for them.
[[nodiscard]] std::vector<std::pair<std::string, Error>> unreadableArrays(const ArrayFile& file);

} // namespace heed
