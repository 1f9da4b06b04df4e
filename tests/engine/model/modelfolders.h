// The checkpoints of tests/golden.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/model.h"

#include <cstdlib>
#include <filesystem>

namespace heed::test {

inline std::filesystem::path goldenFolder(const std::string& name)
{
    const char* root = std::getenv("HEED_SOURCE_DIR");
    return std::filesystem::path(root == nullptr ? "." : root) / "tests/golden" / name;
}

inline std::filesystem::path modelFolder(const std::string& name)
{
    return goldenFolder("models") / name;
}

inline std::filesystem::path ggufFolder(const std::string& name)
{
    return goldenFolder("ggufmodels") / name;
}

inline BackendPtr referenceBackend()
{
    return BackendRegistry::instance().open("reference").value_or(nullptr);
}

} // namespace heed::test
