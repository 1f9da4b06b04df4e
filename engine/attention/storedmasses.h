// How much stored weight lies in places with a meaning.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/backend.h"

namespace heed {

/// @return Code::InvalidShape naming the numbers, unless each list is empty or as long as its axis.
[[nodiscard]] Expected<void> checkTokens(const TokenRoles& tokens, std::int64_t queries,
                                         std::int64_t keys);

void resizeMasses(RowMasses& masses, std::size_t rows);

/// The masses of row @p query, as sums of @p weights, which need not sum to 1.
/// @pre resizeMasses() made room. @complexity O(S).
void fillMasses(std::span<const float> weights, const TokenRoles& tokens, std::int64_t query,
                RowMasses& masses);

} // namespace heed
