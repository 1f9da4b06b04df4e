// Session files (.heed): everything needed to open the same view again, as JSON.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/run.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// How the maps were shown. Names as on the command line; "" = the default of the quantity.
struct SessionView {
    Quantity quantity = Quantity::Weights;
    std::string pooling;
    std::string colourMap;
    std::string range; ///< "unit", "map", "heads", "manual"
    double low = 0;
    double high = 1;
    bool hatchMasked = true;
    bool cellNumbers = true;
    std::string headOrder;  ///< metric the grid of heads is sorted by; "" = by number
    std::string headBar;    ///< metric under each thumbnail; "" = none
    std::string headColour; ///< metric in the frame of each thumbnail; "" = none
    MapIndex map;
    std::int64_t pinnedQuery = -1; ///< -1 = nothing pinned
    std::int64_t pinnedKey = -1;
    /// Visible cells: first row, first column, rows, columns.
    std::optional<std::array<double, 4>> cells;
    bool operator==(const SessionView&) const = default;
};

/// A file a session refers to, as it was when the session was written.
struct FileStamp {
    std::string option; ///< which path of the source: "weights", "input", …
    std::int64_t bytes = 0;
    std::uint64_t hash = 0; ///< FNV-1a, 64 bits, over the whole file
    bool operator==(const FileStamp&) const = default;
};

struct Session {
    Source source;
    SessionView view;
    std::vector<FileStamp> stamps;
    bool operator==(const Session&) const = default;
};

/// JSON text, schema "heedmap.session/1". Paths below @p folder are written relative to it.
[[nodiscard]] std::string formatSession(const Session& session,
                                        const std::filesystem::path& folder);

/// Relative paths are resolved against @p folder. Unknown members are ignored, missing ones keep
/// their defaults.
/// @return Code::BadFormat naming the member and what was expected; Code::UnsupportedVersion for a
/// newer
///         schema. @param name of the file, for messages.
[[nodiscard]] Expected<Session>
parseSession(std::string_view json, const std::filesystem::path& folder, const std::string& name);

/// Reads and parses a file of at most 64 MiB. @return also Code::NotFound and Code::Io.
[[nodiscard]] Expected<Session> readSession(const std::filesystem::path& path);
/// Takes stamps of the referenced files and writes, whole or not at all.
[[nodiscard]] Expected<void> writeSession(const std::filesystem::path& path, Session session);

/// Referenced files that are missing or differ from their stamps, one sentence each. @complexity
/// reads them.
[[nodiscard]] std::vector<std::string> changedFiles(const Session& session);

/// The options that give the same source on the command line, e.g. {"--text", "I like it",
/// "--heads", "4"}. Defaults are left out.
[[nodiscard]] std::vector<std::string> sourceArguments(const Source& source);

/// Joins arguments into one line a POSIX shell reads back unchanged.
[[nodiscard]] std::string shellCommand(const std::vector<std::string>& arguments);

} // namespace heed
