// What a checkpoint is, for people and as JSON.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "console.h"

#include "heed/modelfinder.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace heed::cli {

/// "22.7 M"; "" for 0.
[[nodiscard]] std::string countText(std::int64_t count);

/// "BERT", or the model_type of one that is not known; "" where even that is not to be had.
[[nodiscard]] std::string familyText(const ModelFacts& facts);

/// Lines "name: value", indented.
[[nodiscard]] std::string modelText(const ModelFacts& facts);

[[nodiscard]] nlohmann::json modelJson(const ModelFacts& facts);

} // namespace heed::cli
