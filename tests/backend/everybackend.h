// Every backend that can be used on this machine, two modules of the same name included.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/backend.h"

#include <string>
#include <vector>

namespace heed::test {

struct FoundBackend {
    std::string id; ///< "reference", "cpu_v3": fit for the name of a test
    BackendPtr backend;
};

/// The reference first. Loaded once.
const std::vector<FoundBackend>& everyBackend();

/// A fresh folder that holds nothing but a link to @p file.
std::string folderWithOnly(const std::string& file);

} // namespace heed::test
