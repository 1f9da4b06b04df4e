// Texels to colours: masked is not zero, not a number is neither.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tileimage.h"

#include <QTest>
#include <limits>

using namespace heed;
using namespace heed::ui;

namespace {

constexpr MaskReasons Padding = static_cast<MaskReasons>(MaskReason::Padding);
constexpr MaskReasons Causal = static_cast<MaskReasons>(MaskReason::Causal);

// Row 0: 1, 0.5, masked causal. Row 1: 0, NaN, masked both. Row 2: 0.25 (half masked), inf, causal.
Tile sample()
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    Tile tile;
    tile.texels.rows = 3;
    tile.texels.columns = 3;
    tile.texels.values = {1, 0.5F, 0, 0, nan, 0, 0.25F, infinity, 0};
    tile.texels.maskedShare = {0, 0, 1, 0, 0, 1, 0.5F, 0, 1};
    tile.reasons = {0, 0, Causal, 0, 0, Causal | Padding, Padding, 0, Causal};
    return tile;
}

} // namespace

class TestTileImage : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void statesOfTexels();
    void onePixelATexel();
    void scoresShowTheirValueUnderTheHatch();
    void maskedAreasCoverMaskedTexels();
    void equalNeighboursBecomeOneArea();
    void contentsForTheLegend();
    void maskWithoutReasonIsStillHatched();
};

void TestTileImage::statesOfTexels()
{
    const Tile tile = sample();
    const std::vector<TexelState> expected = {
        TexelState::Value,        TexelState::Value,      TexelState::Masked,
        TexelState::Zero,         TexelState::NotANumber, TexelState::Masked,
        TexelState::PartlyMasked, TexelState::NotANumber, TexelState::Masked};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        QCOMPARE(texelState(tile, i, Quantity::Weights), expected[i]);
    }
    QCOMPARE(texelState(tile, 3, Quantity::Scores), TexelState::Value);
}

void TestTileImage::onePixelATexel()
{
    const ColourTable& table = colourTable(ColourMapId::Viridis);
    const QImage image = tileImage(sample(), {.paper = 0xFFABCDEF});
    QCOMPARE(image.size(), QSize(3, 3));
    QCOMPARE(image.pixel(0, 0), table.back());
    QCOMPARE(image.pixel(1, 0), table[128]);
    QCOMPARE(image.pixel(2, 0), QRgb{0xFFABCDEF});
    QCOMPARE(image.pixel(0, 1), table.front());
    QCOMPARE(image.pixel(1, 1), NotANumberColour);
    QCOMPARE(image.pixel(0, 2), table[64]);
    QCOMPARE(image.pixel(1, 2), NotANumberColour);
}

void TestTileImage::scoresShowTheirValueUnderTheHatch()
{
    TileStyle style{.quantity = Quantity::Scaled, .paper = 0xFFABCDEF};
    QCOMPARE(tileImage(sample(), style).pixel(2, 0), colourTable(ColourMapId::Viridis).front());
    style.quantity = Quantity::Masked;
    QCOMPARE(tileImage(sample(), style).pixel(2, 0), QRgb{0xFFABCDEF});
}

void TestTileImage::maskedAreasCoverMaskedTexels()
{
    const Tile tile = sample();
    std::vector<int> hits(9, 0);
    for (const HatchArea& area : maskedAreas(tile)) {
        for (int r = static_cast<int>(area.area.top()); r < area.area.bottom(); ++r) {
            for (int c = static_cast<int>(area.area.left()); c < area.area.right(); ++c) {
                const auto i = static_cast<std::size_t>(r * 3 + c);
                ++hits[i];
                QCOMPARE(area.reasons, tile.reasons[i]);
                QCOMPARE(area.partly, tile.texels.maskedShare[i] < 1);
            }
        }
    }
    QCOMPARE(hits, (std::vector<int>{0, 0, 1, 0, 0, 1, 1, 0, 1}));
}

void TestTileImage::equalNeighboursBecomeOneArea()
{
    Tile tile;
    tile.texels.rows = 200;
    tile.texels.columns = 100;
    tile.texels.values.assign(20000, 0);
    tile.texels.maskedShare.assign(20000, 0);
    tile.reasons.assign(20000, 0);
    for (std::size_t i = 0; i < 20000; ++i) {
        if (i % 100 >= 90) {
            tile.texels.maskedShare[i] = 1;
            tile.reasons[i] = Padding;
        }
    }
    const auto areas = maskedAreas(tile);
    QCOMPARE(areas.size(), std::size_t{1});
    QCOMPARE(areas[0].area, QRectF(90, 0, 10, 200));
}

void TestTileImage::contentsForTheLegend()
{
    const TileContents contents = tileContents(sample(), Quantity::Weights);
    QVERIFY(contents.masked && contents.zero && contents.notANumber);
    QCOMPARE(contents.reasons, MaskReasons(Padding | Causal));
    QVERIFY(!tileContents(Tile{}, Quantity::Weights).masked);
}

void TestTileImage::maskWithoutReasonIsStillHatched()
{
    Tile tile = sample();
    tile.reasons.clear();
    QCOMPARE(texelReasons(tile, 2), static_cast<MaskReasons>(MaskReason::Other));
    QCOMPARE(texelReasons(tile, 0), MaskReasons{0});
}

QTEST_MAIN(TestTileImage)
#include "tst_tileimage.moc"
