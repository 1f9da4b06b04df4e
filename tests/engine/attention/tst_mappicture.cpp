// A picture of a whole map that is pooled again for every tile.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/mappicture.h"

#include <atomic>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <thread>

using namespace heed;

namespace {

constexpr std::int64_t Queries = 300;
constexpr std::int64_t Keys = 203;
constexpr std::int64_t Cells = 4;

/// Weights of a causal map, and which of its cells are masked.
struct Matrix {
    Matrix()
    {
        std::mt19937 random(7);
        std::uniform_real_distribution<float> number(0.0F, 1.0F);
        for (std::int64_t i = 0; i < Queries; ++i) {
            for (std::int64_t j = 0; j < Keys; ++j) {
                masked.push_back(j > i ? 1 : 0);
                values.push_back(j > i ? 0.0F : number(random));
            }
        }
    }

    /// Every cell looked at, texel by texel.
    [[nodiscard]] TileTexels pooled(const TileSpec& spec) const
    {
        TileTexels texels;
        texels.rows = spec.texelRows();
        texels.columns = spec.texelColumns();
        for (std::int64_t r = 0; r < texels.rows; ++r) {
            for (std::int64_t c = 0; c < texels.columns; ++c) {
                float most = 0;
                double hidden = 0;
                double all = 0;
                const std::int64_t top = spec.row + r * spec.texelCellsDown();
                const std::int64_t left = spec.column + c * spec.texelCells;
                for (std::int64_t i = top;
                     i < std::min(top + spec.texelCellsDown(), spec.row + spec.rows); ++i) {
                    for (std::int64_t j = left;
                         j < std::min(left + spec.texelCells, spec.column + spec.columns); ++j) {
                        const auto at = static_cast<std::size_t>(i * Keys + j);
                        most = std::isnan(most) ? most : std::fmax(most, values[at]);
                        most = std::isnan(values[at]) ? values[at] : most;
                        hidden += masked[at];
                        ++all;
                    }
                }
                texels.values.push_back(most);
                texels.maskedShare.push_back(static_cast<float>(hidden / all));
            }
        }
        return texels;
    }

    [[nodiscard]] MapPicture::Compute compute() const
    {
        return [this](std::int64_t begin, std::int64_t end) -> Expected<TileTexels> {
            return pooled(rowsOf(begin, end, Cells));
        };
    }

    [[nodiscard]] static TileSpec rowsOf(std::int64_t begin, std::int64_t end, std::int64_t cells)
    {
        TileSpec spec;
        spec.row = begin;
        spec.rows = end - begin;
        spec.columns = Keys;
        spec.texelCells = cells;
        return spec;
    }

    std::vector<float> values;
    std::vector<int> masked;
};

void expectEqual(const TileTexels& got, const TileTexels& wanted)
{
    ASSERT_EQ(got.rows, wanted.rows);
    ASSERT_EQ(got.columns, wanted.columns);
    for (std::size_t t = 0; t < wanted.values.size(); ++t) {
        ASSERT_TRUE(got.values[t] == wanted.values[t] ||
                    (std::isnan(got.values[t]) && std::isnan(wanted.values[t])))
            << t;
        ASSERT_FLOAT_EQ(got.maskedShare[t], wanted.maskedShare[t]) << t;
    }
}

bool serves(const TileSpec& spec, std::int64_t cells)
{
    return MapPicture::serves(spec, Queries, Keys, cells);
}

Expected<void> requireAll(MapPicture& picture, const MapPicture::Compute& compute)
{
    return picture.require(0, Queries, 128, {}, compute);
}

} // namespace

TEST(MapPicture, poolsWhatTheWholeMatrixPools)
{
    Matrix matrix;
    matrix.values[static_cast<std::size_t>(150 * Keys + 30)] =
        std::numeric_limits<float>::quiet_NaN();
    MapPicture picture(Queries, Keys, Cells);
    ASSERT_TRUE(requireAll(picture, matrix.compute()));
    for (const std::int64_t cells : {4, 8, 32, 512}) {
        const TileSpec whole = Matrix::rowsOf(0, Queries, cells);
        expectEqual(picture.pooled(whole), matrix.pooled(whole));
        EXPECT_EQ(picture.exactRows(whole), whole.texelRows());
    }
    TileSpec part = Matrix::rowsOf(64, 220, 8); // rows 64 to 283: the last texel is cut
    part.column = 24;
    part.columns = 100;
    part.cellsDown = 16;
    ASSERT_TRUE(serves(part, Cells));
    const TileTexels got = picture.pooled(part);
    EXPECT_EQ(picture.exactRows(part), got.rows);
    expectEqual(got, matrix.pooled(part));
}

TEST(MapPicture, servesTilesOfWholeTexelsOnly)
{
    TileSpec spec = Matrix::rowsOf(0, 64, 8);
    EXPECT_TRUE(serves(spec, 4));
    EXPECT_TRUE(serves(spec, 8));
    EXPECT_FALSE(serves(spec, 16));
    spec.pooling = Pooling::Mass;
    EXPECT_FALSE(serves(spec, 4));
    spec.pooling = Pooling::AbsMax; // weights have no sign
    EXPECT_TRUE(serves(spec, 4));
    spec.quantity = Quantity::Masked;
    EXPECT_FALSE(serves(spec, 4));
    spec.quantity = Quantity::Weights;
    spec.column = 4;
    spec.columns = Keys - 4;
    EXPECT_TRUE(serves(spec, 4));
    EXPECT_FALSE(serves(spec, 8));
    spec.columns = 97;
    EXPECT_FALSE(serves(spec, 4)) << "ends inside a texel";
}

TEST(MapPicture, neverPutsASketchOverWhatIsExact)
{
    const Matrix matrix;
    MapPicture picture(Queries, Keys, Cells);
    EXPECT_EQ(picture.sketchStep(), 0);
    ASSERT_TRUE(picture.require(0, 128, 128, {}, matrix.compute()));
    TileTexels sketch;
    sketch.rows = (Queries + 31) / 32;
    sketch.columns = (Keys + Cells - 1) / Cells;
    sketch.values.assign(static_cast<std::size_t>(sketch.rows * sketch.columns), 0.125F);
    sketch.maskedShare.assign(sketch.values.size(), 0.0F);
    int calls = 0;
    for (int twice = 0; twice < 2; ++twice) {
        ASSERT_TRUE(picture.sketch(32, {}, [&]() -> Expected<TileTexels> {
            ++calls;
            return sketch;
        }));
    }
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(picture.sketchStep(), 32);
    const TileSpec whole = Matrix::rowsOf(0, Queries, 8);
    const std::int64_t exact = picture.exactRows(whole);
    const TileTexels got = picture.pooled(whole);
    const TileTexels wanted = matrix.pooled(whole);
    EXPECT_EQ(exact, 16); // 128 rows
    for (std::size_t t = 0; t < got.values.size(); ++t) {
        const bool isExact = static_cast<std::int64_t>(t) < exact * got.columns;
        ASSERT_EQ(got.values[t], isExact ? wanted.values[t] : 0.125F);
    }
    ASSERT_TRUE(requireAll(picture, matrix.compute()));
    expectEqual(picture.pooled(whole), wanted);
}

TEST(MapPicture, isComputedOnceByAllWhoWantIt)
{
    const Matrix matrix;
    MapPicture picture(Queries, Keys, Cells);
    std::atomic<std::int64_t> rows = 0;
    const auto compute = [&](std::int64_t begin, std::int64_t end) {
        rows += end - begin;
        return matrix.compute()(begin, end);
    };
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] { EXPECT_TRUE(requireAll(picture, compute)); });
    }
    threads.clear();
    EXPECT_EQ(rows, Queries);
    expectEqual(picture.pooled(Matrix::rowsOf(0, Queries, 8)),
                matrix.pooled(Matrix::rowsOf(0, Queries, 8)));
}

TEST(MapPicture, nothingSticksWhenAComputationFails)
{
    const Matrix matrix;
    MapPicture picture(Queries, Keys, Cells);
    const auto failed = requireAll(picture, [](std::int64_t, std::int64_t) -> Expected<TileTexels> {
        return fail(Code::OutOfMemory, "No.");
    });
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, Code::OutOfMemory);
    EXPECT_THROW((void)requireAll(picture,
                                  [](std::int64_t, std::int64_t) -> Expected<TileTexels> {
                                      throw std::bad_alloc();
                                  }),
                 std::bad_alloc);
    ASSERT_TRUE(requireAll(picture, matrix.compute()));
    expectEqual(picture.pooled(Matrix::rowsOf(0, Queries, 4)),
                matrix.pooled(Matrix::rowsOf(0, Queries, 4)));
}
