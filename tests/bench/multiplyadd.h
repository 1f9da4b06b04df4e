// The multiply-add peak of this machine: what every other number is measured against.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace heed::bench {

/// Does about @p count float32 multiply-adds in registers. @return the exact number done.
std::int64_t multiplyAdds(std::int64_t count, float& sink);

} // namespace heed::bench
