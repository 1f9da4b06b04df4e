// Activations against their definitions in float64.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/activations.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace heed::detail;

namespace {

constexpr float Infinity = std::numeric_limits<float>::infinity();
constexpr float NotANumber = std::numeric_limits<float>::quiet_NaN();

double exactGelu(double x)
{
    return x * 0.5 * std::erfc(-x / std::sqrt(2.0));
}

double exactSigmoid(double x)
{
    return 1 / (1 + std::exp(-x));
}

double exactGeluTanh(double x)
{
    constexpr double pi = 3.14159265358979323846;
    return x * exactSigmoid(2 * std::sqrt(2 / pi) * (x + 0.044715 * x * x * x));
}

/// The largest of error / (|exact| + 1e-9) over -20…20.
double worst(Four (*function)(Four), double (*exact)(double))
{
    double largest = 0;
    for (int i = -200000; i <= 200000; ++i) {
        const float x = static_cast<float>(i) * 1e-4F;
        const double wanted = exact(static_cast<double>(x));
        largest = std::max(largest, std::abs(static_cast<double>(function(fourOf(x))[0]) - wanted) /
                                        (std::abs(wanted) + 1e-9));
    }
    return largest;
}

} // namespace

TEST(Activations, followTheirDefinitions)
{
    // What the argument of an exponential loses in float32 grows with it.
    EXPECT_LT(worst(gelu, exactGelu), 5e-6);
    EXPECT_LT(worst(geluTanh, exactGeluTanh), 3e-6);
    EXPECT_LT(worst(silu, [](double x) { return x * exactSigmoid(x); }), 1e-6);
    EXPECT_LT(worst(quickGelu, [](double x) { return x * exactSigmoid(1.702 * x); }), 2e-6);
    EXPECT_LT(worst(fastExp, [](double x) { return std::exp(x); }), 3e-7);
}

TEST(Activations, haveTheirLimits)
{
    for (Four (*function)(Four) : {gelu, geluTanh, silu, quickGelu}) {
        const Four finite = function(Four{0, 100, -100, 0});
        EXPECT_EQ(finite[0], 0);
        EXPECT_EQ(finite[1], 100);
        EXPECT_NEAR(finite[2], 0, 1e-30);
        const Four other = function(Four{Infinity, NotANumber, 0, 0});
        EXPECT_EQ(other[0], Infinity);
        EXPECT_TRUE(std::isnan(other[1]));
        EXPECT_EQ(other[2], 0); // lanes do not touch each other
    }
    const Four powers = fastExp(Four{-Infinity, 0, NotANumber, 1000});
    EXPECT_EQ(powers[0], 0);
    EXPECT_EQ(powers[1], 1);
    EXPECT_TRUE(std::isnan(powers[2]));
    EXPECT_GT(powers[3], 1e38F);
}
