// Fuzzes what a GGUF file says of its model and its tokenizer.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzztokens.h"

#include "heed/model.h"

namespace {

void fuzz(std::span<const std::byte> input)
{
    const auto file = heed::openArrays({input.begin(), input.end()}, "gguf");
    if (!file) {
        return;
    }
    const auto config = heed::readModelConfig(**file, "input");
    heed::fuzz::require(config || !config.error().message.empty(), "an error without words");
    if (config) {
        heed::fuzz::require(config->layers > 0 && config->heads > 0 && config->headSize > 0,
                            "a model has sizes");
        heed::fuzz::require(static_cast<std::int64_t>(config->windows.size()) == config->layers,
                            "a window for each layer");
    }
    heed::fuzz::tokenizeLines(heed::readTokenizer(**file, "input"));
}

} // namespace

HEED_FUZZ_TARGET(ggufmodel, fuzz)
