// The tokenizer inside a GGUF file.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/gguf.h"
#include "text/subword/pipeline.h"

#include <string>

namespace heed::detail {

/// @throws Refusal: no tokenizer, an unknown kind, or a value that is wrong, named.
[[nodiscard]] PipelineParts readGgufTokenizer(const GgufMetadata& metadata,
                                              const std::string& file);

} // namespace heed::detail
