// Names, oracles and comparisons of the tests of the contract.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "contract.h"

#include <bit>
#include <cmath>
#include <map>
#include <memory>

namespace heed::test {

std::string pairName(const ::testing::TestParamInfo<std::tuple<std::size_t, std::size_t>>& pair)
{
    return everyBackend()[std::get<0>(pair.param)].id + "_" +
           allCases()[std::get<1>(pair.param)].name;
}

const Oracles& oraclesOf(const Case& testCase, const Inputs& inputs)
{
    static std::map<std::string, std::pair<Inputs, std::unique_ptr<Oracles>>> made;
    auto& [kept, oracles] = made[testCase.name];
    if (oracles == nullptr) {
        kept = inputs;
        oracles = std::make_unique<Oracles>(Oracles{Oracle<double>(kept), Oracle<float>(kept)});
    }
    return *oracles;
}

double cellError(const Oracles& oracles, Quantity quantity)
{
    const std::vector<double>& truth = oracles.truth.quantity(quantity).cells;
    const std::vector<float>& plain = oracles.plain.quantity(quantity).cells;
    double worst = 0;
    for (std::size_t n = 0; n < truth.size(); ++n) {
        const double error = std::abs(double{plain[n]} - truth[n]);
        worst = std::isfinite(error) ? std::max(worst, error) : worst;
    }
    return worst;
}

::testing::AssertionResult sameBits(std::span<const float> a, std::span<const float> b)
{
    if (a.size() != b.size()) {
        return ::testing::AssertionFailure() << a.size() << " numbers, not " << b.size();
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        const bool same = std::isnan(a[i]) ? std::isnan(b[i])
                                           : std::bit_cast<std::uint32_t>(a[i]) ==
                                                 std::bit_cast<std::uint32_t>(b[i]);
        if (!same) {
            return ::testing::AssertionFailure()
                   << "number " << i << " is " << a[i] << ", not " << b[i];
        }
    }
    return ::testing::AssertionSuccess();
}

::testing::AssertionResult sameStats(const RowStats& part, const RowStats& whole,
                                     std::int64_t first)
{
    const auto at = static_cast<std::size_t>(first);
    const std::size_t rows = part.max.size();
    for (const auto member : {&RowStats::max, &RowStats::sum, &RowStats::lse, &RowStats::entropy,
                              &RowStats::distance}) {
        if (auto same = sameBits(part.*member, std::span(whole.*member).subspan(at, rows)); !same) {
            return same << " in a statistic of a row";
        }
    }
    for (const auto member : {&RowStats::argmax, &RowStats::kept}) {
        if (!std::ranges::equal(part.*member, std::span(whole.*member).subspan(at, rows))) {
            return ::testing::AssertionFailure() << "other strongest or kept keys";
        }
    }
    return ::testing::AssertionSuccess();
}

::testing::AssertionResult sameMasses(const RowMasses& part, const RowMasses& whole,
                                      std::int64_t first)
{
    for (std::size_t mass = 0; mass < massMembers.size(); ++mass) {
        const auto& numbers = part.*massMembers[mass];
        const auto wanted = std::span(whole.*massMembers[mass])
                                .subspan(static_cast<std::size_t>(first), numbers.size());
        if (auto same = sameBits(numbers, wanted); !same) {
            return same << " in mass " << mass;
        }
    }
    return ::testing::AssertionSuccess();
}

} // namespace heed::test
