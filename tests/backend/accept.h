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

/// Fewer numbers than this are no measure of an error: the plain loop may have none by luck.
inline constexpr std::size_t EnoughNumbers = 64;

/// Accepts when max|out − ref| <= 2 · max|plain − ref| + u · max(1, max|ref|) and the normalised
/// mean square error is at most 1e-7, or four times that of the plain loop; numbers that are not
/// finite must be the same. u is 1e-7, relative above 1 because there it is less than half a unit
/// in the last place; 5e-7 for fewer than EnoughNumbers. @param extra a wider bound, with its
/// reason at the caller.
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
    double plainSquares = 0;
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
            const double plainError = std::abs(double{plain[i]} - truth);
            allowed = std::max(allowed, plainError);
            plainSquares += plainError * plainError;
        }
        largest = std::max(largest, std::abs(truth));
        errorSquares += error * error;
        squares += truth * truth;
    }
    const double floor = (ref.size() < EnoughNumbers ? 5e-7 : 1e-7) * largest + extra;
    const double bound = 2 * allowed + floor;
    if (worst > bound) {
        return ::testing::AssertionFailure()
               << "number " << where << " is " << out[where] << ", should be " << ref[where]
               << ": error " << worst << ", the plain loop has " << allowed;
    }
    // Where the plain loop itself is worse (rows decided by rounding), it is the measure.
    if (errorSquares > std::max(1e-7 * squares, 4 * plainSquares) && worst > floor) {
        return ::testing::AssertionFailure()
               << "normalised mean square error " << errorSquares / squares;
    }
    return ::testing::AssertionSuccess();
}

} // namespace heed::test
