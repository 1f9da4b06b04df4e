// The range of an array in a file, with its exact numbers.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/arrayfile.h"
#include "heed/execution.h"

#include <cstdint>
#include <string>

namespace heed::cli {

struct ArraySummary {
    bool known = false; ///< false: too large for the memory budget, or empty
    std::string least;  ///< exact text: integers whole, floats shortest; "" when all are NaN
    std::string largest;
    std::int64_t nan = 0;
    std::int64_t infinite = 0;
};

/// Reads the numbers of @p info. An array over the memory budget is not read and is `known =
/// false`.
/// @return the reader's error.
[[nodiscard]] Expected<ArraySummary> summarise(const ArrayFile& file, const ArrayInfo& info,
                                               const Execution& execution);

} // namespace heed::cli
