// The backend that is always there: plain loops, float64 accumulation, the oracle of the others.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/backend_abi.h"

#include <cstdint>

namespace heed::detail {

/// Same form as the entry of a module, but linked in.
[[nodiscard]] const heed_backend_api* referenceEntry(std::uint32_t hostAbiVersion);

} // namespace heed::detail
