// What the tests of the contract share: one test a backend and case, and the oracles of a case.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cases.h"
#include "everybackend.h"
#include "oracle.h"

#include <gtest/gtest.h>
#include <span>
#include <string>
#include <tuple>

namespace heed::test {

/// Runs for every backend on every case.
class OnEveryCase : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {
protected:
    [[nodiscard]] static const Backend& backend()
    {
        return *everyBackend()[std::get<0>(GetParam())].backend;
    }
    [[nodiscard]] static const Case& row() { return allCases()[std::get<1>(GetParam())]; }
};

/// All pairs of a backend and a case, and "cpu_v3_sentence" for one of them.
inline auto everyPair()
{
    return ::testing::Combine(::testing::Range(std::size_t{0}, everyBackend().size()),
                              ::testing::Range(std::size_t{0}, allCases().size()));
}
std::string pairName(const ::testing::TestParamInfo<std::tuple<std::size_t, std::size_t>>& pair);

/// Runs once a backend, for what does not depend on the case.
class EachBackend : public ::testing::TestWithParam<std::size_t> {
protected:
    [[nodiscard]] static const Backend& backend() { return *everyBackend()[GetParam()].backend; }
};

inline auto everyOne()
{
    return ::testing::Range(std::size_t{0}, everyBackend().size());
}
inline std::string backendName(const ::testing::TestParamInfo<std::size_t>& one)
{
    return everyBackend()[one.param].id;
}

/// Both oracles of a case. The same for every backend, so made once.
struct Oracles {
    Oracle<double> truth;
    Oracle<float> plain;
};
const Oracles& oraclesOf(const Case& testCase, const Inputs& inputs);

/// The largest error of the plain loop in a cell of the map. Pooling by a maximum chooses few
/// cells, and those may have no error by luck; a backend may err in them by twice this.
double cellError(const Oracles& oracles, Quantity quantity);

/// The same bits; a NaN is like any other.
::testing::AssertionResult sameBits(std::span<const float> a, std::span<const float> b);
/// The same bits in every statistic from row @p first of @p whole on.
::testing::AssertionResult sameStats(const RowStats& part, const RowStats& whole,
                                     std::int64_t first = 0);
::testing::AssertionResult sameMasses(const RowMasses& part, const RowMasses& whole,
                                      std::int64_t first = 0);

/// The members of RowMasses, in the order of Mass.
inline constexpr std::array massMembers = {
    &RowMasses::previous,  &RowMasses::next,      &RowMasses::self,
    &RowMasses::first,     &RowMasses::duplicate, &RowMasses::induction,
    &RowMasses::delimiter, &RowMasses::top5,      &RowMasses::top10};
static_assert(massMembers.size() == MassCount);

} // namespace heed::test
