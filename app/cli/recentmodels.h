// The places where checkpoints are looked for, those that the window opened lately among them.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/modelfinder.h"

namespace heed::cli {

[[nodiscard]] ModelPlaces modelPlaces();

} // namespace heed::cli
