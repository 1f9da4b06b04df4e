// Arrays to a file or a pipe: npz, safetensors, npy, JSON, and CSV with a cell a line.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "arrays.h"

#include <optional>

namespace heed::cli {

/// Where the result goes: a path, or "-" for standard output.
struct Destination {
    std::string path = "-";
    ArrayFormat format = ArrayFormat::Json;

    [[nodiscard]] bool isPipe() const { return path == "-"; }
};

/// @param path of -o, empty = standard output; @param format of --format, empty = by the extension,
/// JSON for standard output.
/// @return Code::InvalidArgument for an unknown extension, or for a binary format on a terminal.
[[nodiscard]] Expected<Destination>
makeDestination(const std::string& path, const std::string& format, const Console& console);

/// What is written beside the arrays.
struct Labels {
    bool withTokens = true;
    std::vector<std::pair<std::string, std::string>> metadata;
};

/// Writes everything whole or, on a pipe, in order. CSV takes one array (or the row statistics, or
/// the tokens): a line a cell, with the tokens beside their positions.
/// @return Code::InvalidArgument when CSV or npy is asked for more than one array.
[[nodiscard]] Expected<void> writeResult(const Destination& destination,
                                         const std::vector<NamedArray>& arrays, const Run& run,
                                         const Selection& selection, const Labels& labels,
                                         const Console& console);

/// @p text as a CSV field: quoted when it has to be.
[[nodiscard]] std::string csvField(const std::string& text);

/// The shortest text that reads back to the same number; "nan", "inf", "-inf".
[[nodiscard]] std::string numberText(float value);
[[nodiscard]] std::string numberText(double value);

} // namespace heed::cli
