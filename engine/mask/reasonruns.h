// The masked keys of one row as runs with their reasons, and their algebra.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mask/rowranges.h"

namespace heed::detail {

/// Ascending, disjoint, none empty, touching ones with different reasons; between them lie the kept
/// keys.
using ReasonRuns = std::vector<ReasonRun>;

enum class Joining { And, Or };

// Each replaces `out`, which must be none of the inputs. O(number of ranges and runs).

/// What @p kept leaves of @p keys, masked for @p reason.
void maskOthers(const RowRanges& kept, KeyRange keys, MaskReason reason, ReasonRuns& out);
/// What @p runs leave of @p keys, masked for Other; what they mask is kept.
void negate(const ReasonRuns& runs, KeyRange keys, ReasonRuns& out);
/// What either side masks for And, what both mask for Or; with the reasons of the sides that do.
void join(const ReasonRuns& a, const ReasonRuns& b, Joining joining, ReasonRuns& out);

} // namespace heed::detail
