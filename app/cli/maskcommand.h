// The commands below `heedmap mask`.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "command.h"

namespace heed::cli {

/// The argument that is an expression or a file of a mask.
inline constexpr const char* MaskOrFile = "EXPR|FILE";

// Each adds one command to @p mask; parsing it stores its work in @p chosen.
void addMaskShow(CLI::App& mask, Action& chosen);
void addMaskLint(CLI::App& mask, Action& chosen);
void addMaskRecognise(CLI::App& mask, Action& chosen);

} // namespace heed::cli
