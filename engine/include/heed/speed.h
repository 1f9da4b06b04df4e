// How fast attention is on this machine, beside the fastest it could be.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/backend.h"
#include "heed/execution.h"

#include <cstdint>
#include <span>
#include <string>

namespace heed {

/// Does about @p count float32 multiply-adds in registers, as wide as this processor allows, on one
/// thread. @return the exact number.
std::int64_t multiplyAdds(std::int64_t count);

/// What to time: one map of n × n.
struct SpeedSpec {
    std::int64_t side = 1024; ///< n
    std::int64_t width = 64;  ///< D and Dv
    std::string mask = "none";
    std::int64_t picture = 1024; ///< most texels along a side of the picture of the whole map
    bool values = true;          ///< time weights·V too
    /// Each is repeated for at least this long, and at least this often.
    double leastSeconds = 0.1;
    int leastRepeats = 3;
    /// Seconds of the processor instead of the wall: for one thread on a machine others use too.
    bool processorTime = false;
};

/// Seconds are the shortest of the repeats, the one least disturbed by other programs.
struct Speed {
    std::int64_t side = 0;
    double keptCells = 0;
    double surveySeconds = 0; ///< row statistics, and a picture of the weights of all cells
    double tileSeconds = 0;   ///< the tile of TileSide × TileSide cells on the diagonal
    double attendSeconds = 0; ///< weights·V
    double peak = 0;          ///< multiply-adds a second in registers, measured in between

    /// How much of the peak the scores (and the values) of the kept cells are.
    double surveyShare = 0;
    double attendShare = 0;
};

/// Times one size on made-up numbers. Survey and peak take turns, so that a machine that slows down
/// slows both.
/// @return Code::InvalidArgument for sizes below 1, what compileMask() and checkMemory() say,
/// Code::Cancelled.
[[nodiscard]] Expected<Speed> measureSpeed(const Backend& backend, const SpeedSpec& spec,
                                           const Execution& execution);

/// The p of the best fit of value ~ size^p: slope of the logarithms, by least squares. NaN for
/// fewer than two sizes. Both of one length, all numbers > 0.
[[nodiscard]] double growthExponent(std::span<const double> sizes, std::span<const double> values);

} // namespace heed
