// The checkpoints of tests/golden/models.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/model.h"

#include <cstdlib>
#include <filesystem>

namespace heed::test {

inline std::filesystem::path modelFolder(const std::string& name)
{
    const char* root = std::getenv("HEED_SOURCE_DIR");
    return std::filesystem::path(root == nullptr ? "." : root) / "tests/golden/models" / name;
}

inline BackendPtr referenceBackend()
{
    return BackendRegistry::instance().open("reference").value_or(nullptr);
}

} // namespace heed::test
