// The numerical rule: at most twice the error of the plain float32 loop.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

namespace heed::test {

/// Accepts when max|out − ref| <= 2 · max|plain − ref| + 1e-7 · max(1, max|ref|) and the normalised
/// mean square error is at most 1e-7; numbers that are not finite must be the same. The 1e-7 is
/// relative above 1 because there it is less than half a unit in the last place. @param extra a
/// wider bound, with its reason at the caller.
inline ::testing::AssertionResult accept(std::span<const float> out, std::span<const double> ref,
                                         std::span<const float> plain, double extra = 0)
{
    if (out.size() != ref.size()) {
        return ::testing::AssertionFailure() << out.size() << " numbers, not " << ref.size();
    }
    double worst = 0;
    double allowed = 0;
    double largest = 1;
    double errorSquares = 0;
    double squares = 0;
    std::size_t where = 0;
    for (std::size_t i = 0; i < ref.size(); ++i) {
        const double truth = ref[i];
        const double got = out[i];
        if (!std::isfinite(truth) || !std::isfinite(got)) {
            const bool same = std::isnan(truth) ? std::isnan(got) : truth == got;
            if (!same) {
                return ::testing::AssertionFailure()
                       << "number " << i << " is " << got << ", should be " << truth;
            }
            continue;
        }
        const double error = std::abs(got - truth);
        if (error > worst) {
            worst = error;
            where = i;
        }
        if (std::isfinite(plain[i])) {
            allowed = std::max(allowed, std::abs(double{plain[i]} - truth));
        }
        largest = std::max(largest, std::abs(truth));
        errorSquares += error * error;
        squares += truth * truth;
    }
    const double bound = 2 * allowed + 1e-7 * largest + extra;
    if (worst > bound) {
        return ::testing::AssertionFailure()
               << "number " << where << " is " << out[where] << ", should be " << ref[where]
               << ": error " << worst << ", the plain loop has " << allowed;
    }
    // Where the plain loop itself is worse (rows decided by rounding), the rule above decides.
    if (errorSquares > 1e-7 * squares && worst > allowed + 1e-7 + extra) {
        return ::testing::AssertionFailure()
               << "normalised mean square error " << errorSquares / squares;
    }
    return ::testing::AssertionSuccess();
}

} // namespace heed::test
