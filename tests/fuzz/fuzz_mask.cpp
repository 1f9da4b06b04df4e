// Fuzzes the parser of mask expressions, and the compiler on a small batch.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzztarget.h"

#include "heed/mask.h"

#include <string_view>
#include <vector>

namespace {

void fuzz(std::span<const std::byte> input)
{
    const std::string_view expression(reinterpret_cast<const char*>(input.data()), input.size());
    const auto normal = heed::normaliseMask(expression);
    if (!normal) {
        heed::fuzz::require(!normal.error().message.empty(), "an error without words");
        return;
    }
    heed::fuzz::require(heed::normaliseMask(*normal).value_or("") == *normal,
                        "the normal form is its own normal form");
    if (normal->find("file(") != std::string::npos) {
        return; // would open whatever the input names
    }
    const heed::MaskContext context{
        .items = 2, .heads = 2, .queries = 5, .keys = 7, .keyLengths = {7, 3}};
    const auto mask = heed::compileMask(expression, context);
    if (!mask) {
        return;
    }
    std::vector<heed::ReasonRun> runs;
    for (std::int64_t query = 0; query < context.queries; ++query) {
        std::int64_t masked = 0;
        heed::fuzz::require((*mask)->reasonsInRow(1, 1, query, {0, 7}, runs).has_value(),
                            "a row fits");
        for (const heed::ReasonRun& run : runs) {
            heed::fuzz::require(run.reasons == (*mask)->reasons(1, 1, query, run.begin),
                                "a row has the reasons of its cells");
            masked += run.end - run.begin;
        }
        heed::fuzz::require(masked + (*mask)->keptInRow(1, 1, query) == context.keys,
                            "a key is either kept or masked");
        for (std::int64_t key = 0; key < context.keys; ++key) {
            const bool keeps = (*mask)->keeps(1, 1, query, key);
            heed::fuzz::require(keeps == ((*mask)->reasons(1, 1, query, key) == 0),
                                "a cell is kept exactly when it has no reason");
            heed::fuzz::require(
                (*mask)->classify(1, 1, query, key, 1, 1) ==
                    (keeps ? heed::BlockClass::AllKept : heed::BlockClass::AllMasked),
                "the class of a cell");
        }
    }
}

} // namespace

HEED_FUZZ_TARGET(mask, fuzz)
