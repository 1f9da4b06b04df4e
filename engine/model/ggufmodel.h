// Checkpoints in GGUF files: their settings and names, as the families know them.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/arrayfile.h"
#include "model/families.h"

#include <string>

namespace heed::detail {

struct GgufModel {
    ModelConfig config;
    ModelFamily family; ///< with the names and the layout of this file
};

/// @param where  the file, for errors.
/// @return the errors of readModelConfig() for GGUF.
[[nodiscard]] Expected<GgufModel> readGgufModel(const ArrayFile& file, const std::string& where);

} // namespace heed::detail
