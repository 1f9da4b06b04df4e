// What a source says: which kind it is, what excludes what, and its arrays.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/cost.h"
#include "heed/run.h"

#include <memory>
#include <string>
#include <vector>

namespace heed {

enum class SourceKind { Text, Input, Projections, Maps, Model };

/// The kind of @p source. @return Code::InvalidArgument naming both options that exclude each
/// other, or saying that there is nothing to compute.
[[nodiscard]] Expected<SourceKind> kindOf(const Source& source);

/// What a file looked like when it was read, to notice that it changed since.
struct FileState {
    std::filesystem::path path;
    std::filesystem::file_time_type time = {};
    std::uintmax_t size = 0;
    bool operator==(const FileState&) const = default;
};
[[nodiscard]] FileState stateOf(const std::filesystem::path& path);

/// The one array of the file, or the one of @p names it has (the first that matches).
/// @return Code::NotFound listing what there is; errors carry the file's name.
[[nodiscard]] Expected<std::string> chooseArray(const ArrayFile& file,
                                                const std::filesystem::path& path,
                                                const std::vector<std::string>& names);

/// Reads array @p name with @p rank axes, named @p axes in messages. One axis less is read as B =
/// 1; more are accepted when the surplus leading ones are 1.
/// @return Code::NotFound; Code::InvalidShape naming file and array, also for an empty array;
/// Code::OutOfMemory before anything is read.
[[nodiscard]] Expected<Tensor> readArray(const ArrayFile& file, const std::filesystem::path& path,
                                         const std::string& name, std::size_t rank,
                                         std::string_view axes, const Execution& execution);

/// @p error with the file's name in front of its context.
[[nodiscard]] Error inFile(Error error, const std::filesystem::path& path);

/// A batch that stands for rows of an array: tokens "0", "1", …, nothing padded.
/// @return Code::OutOfMemory.
[[nodiscard]] Expected<Batch> numberedTokens(std::int64_t items, std::int64_t length,
                                             const Execution& execution);

/// Floats of a token and of a row of statistics, for checkTensors().
inline constexpr std::int64_t TokenFloats = sizeof(Token) / sizeof(float);
inline constexpr std::int64_t RowStatsFloats = RowStatsBytes / std::int64_t{sizeof(float)};

/// checkMemory(), and without a budget: refuses what this machine's memory cannot hold, before
/// the system stops the program for it. @param tensors shapes of float32 arrays that are held at
/// one time.
[[nodiscard]] Expected<void> checkTensors(const std::vector<Shape>& tensors,
                                          const std::string& what, const Execution& execution);

} // namespace heed
