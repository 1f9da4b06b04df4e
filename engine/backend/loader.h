// From a file on disk to a backend that may be used, or to the line that says why not.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/backend_abi.h"
#include "heed/backend.h"

#include <string>
#include <vector>

namespace heed::detail {

struct Candidate {
    BackendReport report;
    BackendPtr backend; ///< null when refused
};

/// Steps after the table is there: version and size → score → device count → open → self-test.
/// @param reference what the self-test compares with; null for the reference itself.
[[nodiscard]] Candidate admit(const heed_backend_api* api, const std::string& path,
                              const Backend* reference);

/// Opens the module at @p path and admits it. The module stays loaded, whatever the outcome.
[[nodiscard]] Candidate loadModule(const std::string& path, const Backend& reference);

/// The modules of @p folder, by name. @param missingIsWorthALine a folder somebody asked for.
/// @return paths; a folder that cannot be read gives a refusal in @p refusals.
[[nodiscard]] std::vector<std::string>
modulesIn(const std::string& folder, bool missingIsWorthALine, std::vector<Candidate>& refusals);

/// <folder of the program>/../lib…/heedmap/backends, for the build and the install layouts.
[[nodiscard]] std::vector<std::string> defaultFolders();

/// One tiny problem through every operation, compared with @p reference.
/// @return Code::BackendFailed naming the operation and the two numbers.
[[nodiscard]] Expected<void> selfTest(const Backend& backend, const Backend& reference);

} // namespace heed::detail
