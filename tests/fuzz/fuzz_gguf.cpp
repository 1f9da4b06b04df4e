// Fuzzes the reader of .gguf: tensors, and every conversion of every value.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzzarrays.h"

#include "heed/gguf.h"

namespace {

template <typename List>
void requireList(const heed::GgufValue& value, const List& list)
{
    heed::fuzz::require(!list || list->size() == value.size(), "a list has its length");
}

void fuzz(std::span<const std::byte> input)
{
    heed::fuzz::readArrays(input, "gguf");
    const auto file = heed::openArrays({input.begin(), input.end()}, "gguf");
    if (!file) {
        return;
    }
    const heed::GgufMetadata* metadata = heed::ggufMetadata(**file);
    heed::fuzz::require(metadata != nullptr, "a GGUF file has values, if none");
    for (const heed::GgufValue& value : metadata->values()) {
        heed::fuzz::require(metadata->find(value.name()) == &value, "a listed value is found");
        const int scalars = int{value.integer().has_value() || value.number().has_value()} +
                            int{value.boolean().has_value()} + int{value.text().has_value()};
        heed::fuzz::require(scalars == (value.type() == heed::GgufType::List ? 0 : 1),
                            "a value is of one kind");
        requireList(value, value.integers());
        requireList(value, value.numbers());
        requireList(value, value.booleans());
        requireList(value, value.texts());
    }
    heed::fuzz::require((*file)->metadata().size() == metadata->values().size(),
                        "every value has a text");
}

} // namespace

HEED_FUZZ_TARGET(gguf, fuzz)
