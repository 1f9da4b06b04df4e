// A table of C functions seen as heed::Backend.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/backend_abi.h"
#include "heed/backend.h"

namespace heed::detail {

/// Opens device 0 of @p api. @param api a table that passed checkTable(); never unloaded.
/// @return the backend's own error, with its name in front.
[[nodiscard]] Expected<BackendPtr> openBackend(const heed_backend_api& api);

} // namespace heed::detail
