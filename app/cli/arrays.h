// The arrays of a run by the names of --what.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "arraypieces.h"

#include "heed/arrayfile.h"

#include <string>
#include <vector>

namespace heed::cli {

/// What an axis counts; the long CSV form names its columns and values after it.
enum class Axis { Layer, State, Item, Head, KvHead, Query, Key, Dim };

/// An array whose numbers are computed while they are written.
struct NamedArray {
    ArrayToWrite array;
    std::vector<Axis> axes;
};

/// Words of --what in the order they were given, each once.
/// @return Code::InvalidArgument listing the words there are.
[[nodiscard]] Expected<std::vector<std::string>> parseWhat(const std::string& text);

/// What is written when --what is not given: tokens, mask and weights, or what stored maps have of
/// these.
[[nodiscard]] std::vector<std::string> defaultWhat(const Run& run);

/// The hidden states that belong to the selected layers: what comes into each of them, and what
/// comes out of the last.
[[nodiscard]] std::vector<std::int64_t> hiddenStates(const Selection& selection);

/// Key/value heads that the selected query heads use, ascending.
[[nodiscard]] std::vector<std::int64_t> keyValueHeads(const Run& run, const Selection& selection);

/// The arrays of @p what ("tokens" is none), restricted to @p selection. `rowstats` gives lse, max,
/// entropy, argmax and kept. Nothing is computed yet; the memory budget limits what is held while
/// the arrays are written, a few bands of rows, and not their size.
/// @param run, @p selection, @p execution and @p tally must outlive the arrays.
/// @return Code::InvalidArgument for something this source does not have; Code::OutOfMemory for
/// head_output and output, which are held whole, when they are over the budget.
[[nodiscard]] Expected<std::vector<NamedArray>>
planArrays(const Run& run, const std::vector<std::string>& what, const Selection& selection,
           const Execution& execution, Tally& tally);

} // namespace heed::cli
