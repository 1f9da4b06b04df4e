// The one place where the command line starts the window.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/run.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heed::cli {

/// What the window shows first.
struct WindowRequest {
    std::vector<std::string> files;
    std::optional<Source> source;
    std::string backend = "auto";
    std::int64_t threads = 0;                      ///< 0 = the usual number
    std::int64_t memoryBudget = 0;                 ///< for this run; 0 = the setting
    std::optional<std::int64_t> layer, item, head; ///< of the map shown first
    std::string language;                          ///< "" = the system's
    std::string theme;                             ///< "" = the setting
    std::string configDir;                         ///< "" = the standard place
    bool example = false;
};

/// Opens the window and returns when it closes. @return the exit code.
int openWindow(char** argv, const WindowRequest& request);

} // namespace heed::cli
