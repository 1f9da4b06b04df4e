// The arrays of a run by the names of --what, ready to be written.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sourceoptions.h"

#include "heed/arrayfile.h"

#include <cstddef>
#include <string>
#include <vector>

namespace heed::cli {

/// What an axis counts; the long CSV form names its columns and values after it.
enum class Axis { Layer, Item, Head, KvHead, Query, Key, Dim };

struct NamedArray {
    std::string name;
    ElementType type = ElementType::Float32;
    Shape shape;
    std::vector<Axis> axes;
    std::vector<std::byte> bytes; ///< C order
};

/// Words of --what in the order they were given, each once.
/// @return Code::InvalidArgument listing the words there are.
[[nodiscard]] Expected<std::vector<std::string>> parseWhat(const std::string& text);

/// What is written when --what is not given: tokens, mask and weights, or what stored maps have of
/// these.
[[nodiscard]] std::vector<std::string> defaultWhat(const Run& run);

/// Key/value heads that the selected query heads use, ascending.
[[nodiscard]] std::vector<std::int64_t> keyValueHeads(const Run& run, const Selection& selection);

/// Computes the arrays of @p what ("tokens" is none), restricted to @p selection. `rowstats` gives
/// lse, max, entropy, argmax and kept.
/// @return Code::InvalidArgument for something this source does not have; Code::OutOfMemory before
/// anything is allocated when all of it together is over the budget.
[[nodiscard]] Expected<std::vector<NamedArray>> collectArrays(const Run& run,
                                                              const std::vector<std::string>& what,
                                                              const Selection& selection,
                                                              const Execution& execution);

/// Cells of float arrays that are NaN.
[[nodiscard]] std::int64_t countNan(const std::vector<NamedArray>& arrays);

} // namespace heed::cli
