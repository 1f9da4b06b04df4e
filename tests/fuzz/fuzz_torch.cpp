// Fuzzes the reader of torch.save() files, their pickles above all.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzzarrays.h"

namespace {

void fuzz(std::span<const std::byte> input)
{
    heed::fuzz::readArrays(input, "torch");
}

} // namespace

HEED_FUZZ_TARGET(torch, fuzz)
