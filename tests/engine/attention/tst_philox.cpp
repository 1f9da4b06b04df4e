// The random generator against the vectors its authors publish.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/philox.h"

#include <gtest/gtest.h>

using namespace heed;

TEST(Philox, givesTheKnownAnswersOfRandom123)
{
    // kat_vectors of Random123, "philox4x32 10".
    constexpr std::uint32_t ones = 0xffffffff;
    EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
              (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
              (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomWords, differByEveryPartOfTheStream)
{
    const PhiloxCounter words = randomWords(1, RandomUse::Weights, 2, 3);
    EXPECT_EQ(words, randomWords(1, RandomUse::Weights, 2, 3));
    EXPECT_NE(words, randomWords(1ULL << 32, RandomUse::Weights, 2, 3));
    EXPECT_NE(words, randomWords(1, RandomUse::Tokens, 2, 3));
    EXPECT_NE(words, randomWords(1, RandomUse::Weights, 2ULL << 32, 3));
    EXPECT_NE(words, randomWords(1, RandomUse::Weights, 2, 4));
}
