// Fuzzes the reader of .csv.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzzarrays.h"

namespace {

void fuzz(std::span<const std::byte> input)
{
    heed::fuzz::readArrays(input, "csv");
}

} // namespace

HEED_FUZZ_TARGET(csv, fuzz)
