// Fuzzes the reader of .json.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzzarrays.h"

namespace {

void fuzz(std::span<const std::byte> input)
{
    heed::fuzz::readArrays(input, "json");
}

} // namespace

HEED_FUZZ_TARGET(json, fuzz)
