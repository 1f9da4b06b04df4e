// The options that say for which extents a mask is, the same for every mask command.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/execution.h"
#include "heed/mask.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace heed::cli {

struct MaskSizeOptions {
    std::vector<std::string> text;
    std::string tokenizer = "words";
    std::string lengths;
    std::string padSide = "right";
    std::int64_t padTo = 0;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t heads = 0;
};
/// Adds the groups Size and Size from text. @p options must outlive the parsing.
void addMaskSizeOptions(CLI::App& app, MaskSizeOptions& options);

struct MaskSize {
    MaskContext context;
    std::optional<Batch> tokens; ///< when the size is that of a text
};

/// @return Code::InvalidArgument naming the option and what to give instead; the tokenizer's error.
[[nodiscard]] Expected<MaskSize> maskSizeOf(const MaskSizeOptions& options,
                                            const Execution& execution);

} // namespace heed::cli
