// How the parts of a tokenizer give up; caught where the engine's callers would see it.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"

#include <string>
#include <utility>

namespace heed::detail {

/// Thrown from deep within a file or a line, and turned into a failed Expected at the edge.
struct Refusal {
    Error error;
};

[[noreturn]] inline void refuse(Code code, std::string message, std::string context = {})
{
    throw Refusal{{code, std::move(message), std::move(context)}};
}

} // namespace heed::detail
