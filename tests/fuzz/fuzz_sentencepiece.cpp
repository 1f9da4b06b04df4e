// Fuzzes the reader of SentencePiece models, and what it read on a few lines.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzztokens.h"

namespace {

void fuzz(std::span<const std::byte> input)
{
    const std::string_view bytes(reinterpret_cast<const char*>(input.data()), input.size());
    heed::fuzz::tokenizeLines(heed::readSentencePiece(bytes, "input"));
}

} // namespace

HEED_FUZZ_TARGET(sentencepiece, fuzz)
