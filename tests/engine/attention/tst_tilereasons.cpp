// The reasons of a tile against those of its cells.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/tilereasons.h"

#include <gtest/gtest.h>

using namespace heed;

namespace {

MaskPtr compiled(const std::string& expression, std::int64_t queries, std::int64_t keys)
{
    auto mask = compileMask(expression, {.items = 2,
                                         .heads = 2,
                                         .queries = queries,
                                         .keys = keys,
                                         .keyLengths = {keys, keys - keys / 3}});
    EXPECT_TRUE(mask) << describe(mask.error());
    return mask.value_or(nullptr);
}

constexpr MapIndex map = {0, 1, 1};

std::vector<float> maskedShare(const CompiledMask& mask, const TileSpec& spec)
{
    std::vector<float> shares;
    for (std::int64_t r = 0; r < spec.texelRows(); ++r) {
        for (std::int64_t c = 0; c < spec.texelColumns(); ++c) {
            const std::int64_t row = r * spec.texelCells;
            const std::int64_t column = c * spec.texelCells;
            const BlockClass kind =
                mask.classify(map.item, map.head, spec.row + row, spec.column + column,
                              std::min(spec.texelCells, spec.rows - row),
                              std::min(spec.texelCells, spec.columns - column));
            shares.push_back(kind == BlockClass::AllKept ? 0.0F : 0.5F);
        }
    }
    return shares;
}

std::vector<MaskReasons> reasonsOfCells(const CompiledMask& mask, const TileSpec& spec)
{
    std::vector<MaskReasons> reasons(
        static_cast<std::size_t>(spec.texelRows() * spec.texelColumns()));
    for (std::int64_t i = 0; i < spec.rows; ++i) {
        for (std::int64_t j = 0; j < spec.columns; ++j) {
            const std::int64_t texel =
                i / spec.texelCells * spec.texelColumns() + j / spec.texelCells;
            reasons[static_cast<std::size_t>(texel)] |=
                mask.reasons(map.item, map.head, spec.row + i, spec.column + j);
        }
    }
    return reasons;
}

TileSpec specOf(std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns,
                std::int64_t texelCells)
{
    TileSpec spec;
    spec.row = row;
    spec.column = column;
    spec.rows = rows;
    spec.columns = columns;
    spec.texelCells = texelCells;
    return spec;
}

} // namespace

TEST(TileReasons, areThoseOfEveryCellInSmallTexels)
{
    const std::vector<TileSpec> specs = {specOf(0, 0, 60, 75, 1), specOf(16, 8, 40, 50, 1),
                                         specOf(16, 32, 44, 43, 4), specOf(0, 0, 60, 75, 8)};
    for (const char* expression : {"none", "causal & padding", "causal & (window(7) | sink(3))",
                                   "~(strided(5) & padding)", "documents([20, 30, 25]) & prefix(4)",
                                   "dilated(3, 4) | padding(side=left, lengths=[9, 5])"}) {
        const MaskPtr mask = compiled(expression, 60, 75);
        for (const TileSpec& spec : specs) {
            const auto reasons = reasonsOfTile(*mask, map, spec, maskedShare(*mask, spec), {});
            ASSERT_TRUE(reasons) << describe(reasons.error());
            EXPECT_EQ(*reasons, reasonsOfCells(*mask, spec))
                << expression << ", texels of " << spec.texelCells;
        }
    }
}

TEST(TileReasons, seeEveryKeyOfALargeTexel)
{
    // All keys from 1000 on are masked; key 1000, amid its texel, for one more reason.
    const MaskPtr mask = compiled("documents([1000, 24]) & ~(sink(1001) & ~sink(1000))", 256, 1024);
    const TileSpec spec = specOf(0, 0, 256, 1024, 64);
    const auto reasons = reasonsOfTile(*mask, map, spec, maskedShare(*mask, spec), {});
    ASSERT_TRUE(reasons) << describe(reasons.error());
    EXPECT_EQ(*reasons, reasonsOfCells(*mask, spec));
}

TEST(TileReasons, areNeverMissingHoweverFewCellsAreMasked)
{
    // Only cell (5, 5) is masked, in a row that lies between those asked first.
    const MaskPtr mask = compiled("~window(1) | sink(5) | ~sink(6)", 64, 64);
    const TileSpec spec = specOf(0, 0, 64, 64, 32);
    const auto reasons = reasonsOfTile(*mask, map, spec, maskedShare(*mask, spec), {});
    ASSERT_TRUE(reasons) << describe(reasons.error());
    constexpr auto other = static_cast<MaskReasons>(MaskReason::Other);
    EXPECT_EQ(*reasons, (std::vector<MaskReasons>{other, 0, 0, 0}));
}

TEST(TileReasons, canBeStopped)
{
    const MaskPtr mask = compiled("causal", 64, 64);
    const TileSpec spec = specOf(0, 0, 64, 64, 1);
    std::stop_source stop;
    stop.request_stop();
    const auto reasons =
        reasonsOfTile(*mask, map, spec, maskedShare(*mask, spec), {.stop = stop.get_token()});
    ASSERT_FALSE(reasons);
    EXPECT_EQ(reasons.error().code, Code::Cancelled);
}
