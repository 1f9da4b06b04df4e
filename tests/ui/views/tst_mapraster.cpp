// Geometry without widgets: viewport, labels that thin out, pictures that lose nothing.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapraster.h"
#include "views/mapviewport.h"
#include "views/tilepool.h"
#include "views/tokenlabels.h"
#include "views/viewtext.h"

#include <QTest>
#include <cmath>

using namespace heed;
using namespace heed::ui;

namespace {

constexpr MaskReasons Causal = static_cast<MaskReasons>(MaskReason::Causal);

Tile tileOf(std::int64_t rows, std::int64_t columns, float value)
{
    Tile tile;
    const auto count = static_cast<std::size_t>(rows * columns);
    tile.texels = {rows, columns, TexelValues(count, value), TexelValues(count, 0)};
    tile.reasons.assign(count, 0);
    return tile;
}

} // namespace

class TestMapRaster : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void fittedMapIsSquareAndWhole();
    void zoomKeepsTheCellUnderTheMouse();
    void panStaysInsideTheMap();
    void visibleCellsComeBack();
    void longMapsKeepTwoSides();
    void labelsThinInPowersOfTwo();
    void importantLabelsAreNotCrowdedOut();
    void stackedScripts();
    void finestLevelWithAPixelATexel();
    void everyTexelOwnsItsPixels();
    void hatchOnlyOverMaskedTexels();
    void hatchOverValuesIsSeenOnEveryColour();
    void fineCoversCoarse();
    void coarserTilesKeepIsolatedCells();
    void sentencesOfCells();
};

void TestMapRaster::fittedMapIsSquareAndWhole()
{
    MapViewport view;
    view.setShape(15, 15);
    view.setArea(QRect(100, 50, 600, 480), 1);
    QVERIFY(view.isFitted());
    QCOMPARE(view.cellWidth(), 32.0);
    QCOMPARE(view.cellHeight(), 32.0);
    QCOMPARE(view.mapRect(), QRect(160, 50, 480, 480));
    QCOMPARE(view.cellAt(QPointF(161, 51)), (CellRef{0, 0}));
    QCOMPARE(view.cellAt(QPointF(639, 529)), (CellRef{14, 14}));
    QVERIFY(!view.cellAt(QPointF(159, 60)).isValid());
}

void TestMapRaster::zoomKeepsTheCellUnderTheMouse()
{
    MapViewport view;
    view.setShape(100, 100);
    view.setArea(QRect(0, 0, 500, 500), 1);
    const QPointF mouse(123, 321);
    const CellRef before = view.cellAt(mouse);
    view.zoomBy(3, mouse);
    QCOMPARE(view.cellAt(mouse), before);
    QVERIFY(!view.isFitted());
    view.zoomBy(0.01, mouse);
    QVERIFY(view.isFitted());
    QCOMPARE(view.visibleCells(), QRectF(0, 0, 100, 100));
}

void TestMapRaster::panStaysInsideTheMap()
{
    MapViewport view;
    view.setShape(100, 100);
    view.setArea(QRect(0, 0, 500, 500), 1);
    view.zoomBy(2, QPointF(250, 250));
    view.panBy(QPointF(1e6, 1e6));
    QCOMPARE(view.visibleCells().topLeft(), QPointF(0, 0));
    view.panBy(QPointF(-1e6, -1e6));
    QVERIFY(std::abs(view.visibleCells().right() - 100) < 1e-9);
    view.reveal({0, 99});
    QCOMPARE(view.visibleCells().top(), 0.0);
}

void TestMapRaster::visibleCellsComeBack()
{
    MapViewport view;
    view.setShape(400, 400);
    view.setArea(QRect(0, 0, 500, 500), 1);
    view.zoomBy(6, QPointF(100, 400));
    const QRectF seen = view.visibleCells();
    view.fit();
    view.setVisibleCells(seen);
    QVERIFY(std::abs(view.visibleCells().left() - seen.left()) < 1e-6);
    QVERIFY(std::abs(view.visibleCells().bottom() - seen.bottom()) < 1e-6);
    view.setVisibleCells(QRectF()); // nonsense changes nothing
    QVERIFY(std::abs(view.visibleCells().left() - seen.left()) < 1e-6);
}

void TestMapRaster::longMapsKeepTwoSides()
{
    MapViewport view;
    view.setShape(1, 3000);
    view.setArea(QRect(0, 0, 600, 500), 1);
    QVERIFY(view.mapRect().height() >= 16);
    QCOMPARE(view.mapRect().width(), 600);
    view.setShape(1, 1);
    QCOMPARE(view.cellWidth(), 88.0);
}

void TestMapRaster::labelsThinInPowersOfTwo()
{
    QCOMPARE(chooseLabels(0, 20, 20, 16, {}).step, 1);
    QCOMPARE(chooseLabels(0, 20, 20, 16, {}).indices.size(), std::size_t{20});
    const LabelChoice thinned = chooseLabels(3, 100, 2, 16, {});
    QCOMPARE(thinned.step, 8);
    QCOMPARE(thinned.indices.front(), 8);
    for (const qint64 index : thinned.indices) {
        QCOMPARE(index % 8, 0);
    }
    QVERIFY(chooseLabels(5, 5, 2, 16, {}).indices.empty());
    // A pinned token is drawn by itself; nothing comes near it.
    for (const qint64 index : chooseLabels(0, 100, 2, 16, {}, {27}).indices) {
        QVERIFY(std::abs(index - 27) >= 8);
    }
}

void TestMapRaster::importantLabelsAreNotCrowdedOut()
{
    const LabelChoice choice = chooseLabels(0, 64, 2, 16, {0, 13, 14, 63});
    QVERIFY(std::count(choice.indices.begin(), choice.indices.end(), 13) == 1);
    QVERIFY(std::count(choice.indices.begin(), choice.indices.end(), 63) == 1);
    for (std::size_t i = 1; i < choice.indices.size(); ++i) {
        QVERIFY(static_cast<double>(choice.indices[i] - choice.indices[i - 1]) * 2 >= 16);
    }
}

void TestMapRaster::stackedScripts()
{
    QVERIFY(isStacked(QStringLiteral("注意力")));
    QVERIFY(isStacked(QStringLiteral("。")));
    QVERIFY(isStacked(QStringLiteral("，")));
    QVERIFY(!isStacked(QStringLiteral("attention")));
    QVERIFY(!isStacked(QStringLiteral("C语言")));
    QVERIFY(!isStacked(QStringLiteral(",")));
    QVERIFY(!isStacked(QString()));
}

void TestMapRaster::finestLevelWithAPixelATexel()
{
    QCOMPARE(levelFor(10, 5), 0);
    QCOMPARE(levelFor(1, 5), 0);
    QCOMPARE(levelFor(0.6, 5), 1);
    QCOMPARE(levelFor(0.25, 5), 2);
    QCOMPARE(levelFor(0.001, 5), 5);
}

void TestMapRaster::everyTexelOwnsItsPixels()
{
    Tile tile = tileOf(3, 3, 0);
    for (std::size_t i = 0; i < 9; ++i) {
        tile.texels.values[i] = static_cast<float>(i) / 8;
    }
    const QImage colours = tileImage(tile, {});
    const PlacedTile placed{&tile, &colours, 0, 0, 0};
    const QImage picture = composeMap(std::span(&placed, 1), QRectF(0, 0, 3, 3), QSize(31, 31), {});
    for (int y = 0; y < 31; ++y) {
        for (int x = 0; x < 31; ++x) {
            const int column = static_cast<int>((x + 0.5) * 3 / 31);
            const int row = static_cast<int>((y + 0.5) * 3 / 31);
            QCOMPARE(picture.pixel(x, y), colours.pixel(column, row));
        }
    }
    const QImage beyond = composeMap(std::span(&placed, 1), QRectF(2, 2, 2, 2), QSize(20, 20), {});
    QCOMPARE(qAlpha(beyond.pixel(5, 5)), 255);
    QCOMPARE(qAlpha(beyond.pixel(15, 5)), 0);
}

void TestMapRaster::hatchOnlyOverMaskedTexels()
{
    Tile tile = tileOf(2, 2, 1);
    tile.texels.maskedShare[1] = 1;
    tile.reasons[1] = Causal;
    RasterStyle style;
    style.ink = 0xFF112233;
    const QImage colours = tileImage(tile, {});
    const PlacedTile placed{&tile, &colours, 0, 0, 0};
    const QRectF cells(0, 0, 2, 2);
    const QImage picture = composeMap(std::span(&placed, 1), cells, QSize(80, 80), style);
    int inked = 0;
    for (int y = 0; y < 80; ++y) {
        for (int x = 0; x < 80; ++x) {
            const bool masked = x >= 40 && y < 40;
            const QRgb pixel = picture.pixel(x, y);
            if (!masked) {
                QCOMPARE(pixel, colourTable(ColourMapId::Viridis).back());
            } else {
                inked += pixel != 0xFFFFFFFF ? 1 : 0;
            }
        }
    }
    QVERIFY(inked > 200);
    style.hatchMasked = false;
    const QImage plain = composeMap(std::span(&placed, 1), cells, QSize(80, 80), style);
    QCOMPARE(plain.pixel(60, 20), QRgb{0xFFFFFFFF});
}

void TestMapRaster::hatchOverValuesIsSeenOnEveryColour()
{
    Tile tile = tileOf(1, 1, 0);
    tile.texels.maskedShare[0] = 1;
    tile.reasons[0] = Causal;
    RasterStyle style;
    style.inkOverValues = true;
    for (const QRgb colour : {0xFFFFFFFF, 0xFFF0E020, 0xFF305090, 0xFF000000}) {
        QImage colours(1, 1, QImage::Format_RGB32);
        colours.fill(colour);
        const PlacedTile placed{&tile, &colours, 0, 0, 0};
        const QImage picture =
            composeMap(std::span(&placed, 1), QRectF(0, 0, 1, 1), QSize(40, 40), style);
        double best = 1;
        for (int x = 0; x < 40; ++x) {
            best = std::max(best, contrast(picture.pixel(x, 20), colour));
        }
        QVERIFY2(best > 2, qPrintable(QString::number(colour, 16)));
    }
}

void TestMapRaster::fineCoversCoarse()
{
    const Tile coarse = tileOf(4, 4, 0);
    const Tile fine = tileOf(8, 8, 1);
    const QImage coarseColours = tileImage(coarse, {});
    const QImage fineColours = tileImage(fine, {});
    const std::vector<PlacedTile> tiles = {{&coarse, &coarseColours, 1, 0, 0},
                                           {&fine, &fineColours, 0, 0, 0}};
    const QImage picture = composeMap(tiles, QRectF(0, 0, 8, 8), QSize(64, 64), {});
    QCOMPARE(picture.pixel(5, 5), colourTable(ColourMapId::Viridis).back());
}

void TestMapRaster::coarserTilesKeepIsolatedCells()
{
    Tile tile = tileOf(256, 256, 0.01F);
    tile.texels.values[137 * 256 + 91] = 1;
    const Tile coarse = coarserTile(tile, Pooling::Max, 2);
    QCOMPARE(coarse.texels.rows, 64);
    QCOMPARE(coarse.texels.values[34 * 64 + 22], 1.0F);
    tile.texels.values[0] = -3;
    QCOMPARE(coarserTile(tile, Pooling::AbsMax, 3).texels.values[0], -3.0F);
    QVERIFY(std::abs(coarserTile(tileOf(4, 4, 0.5F), Pooling::Mass, 1).texels.values[0] - 2) <
            1e-6);
    QVERIFY(std::abs(coarserTile(tileOf(4, 4, 0.5F), Pooling::Mean, 2).texels.values[0] - 0.5) <
            1e-6);
    Tile masked = tileOf(2, 2, 7);
    masked.texels.maskedShare = {1, 1, 1, 0};
    masked.texels.values = {9, 9, 9, 2};
    masked.reasons = {Causal, Causal, Causal, 0};
    const Tile pooled = coarserTile(masked, Pooling::Max, 1);
    QCOMPARE(pooled.texels.values[0], 2.0F);
    QCOMPARE(pooled.texels.maskedShare[0], 0.75F);
    QCOMPARE(pooled.reasons[0], Causal);
}

void TestMapRaster::sentencesOfCells()
{
    const CellRef cell{12, 3};
    const QString query = QStringLiteral("sat");
    const QString key = QStringLiteral("%1");
    QCOMPARE(cellText(cell, query, key, CellReading{0.0312F, false, 0}, Quantity::Weights),
             QStringLiteral("row 12 'sat' → key 3 '%1': 0.0312"));
    QCOMPARE(cellText({0, 6}, query, QStringLiteral("<pad>"),
                      CellReading{0, true, static_cast<MaskReasons>(MaskReason::Padding)},
                      Quantity::Weights),
             QStringLiteral("row 0 'sat' → key 6 '<pad>': masked: padding (key 6 is <pad>)"));
    QCOMPARE(resolutionText(2, Pooling::Max, {1, 1, 1, 1024, 1024}),
             QStringLiteral("4×4 max · 1024 × 1024"));
    QCOMPARE(resolutionText(0, Pooling::Max, {1, 1, 1, 15, 15}), QStringLiteral("exact · 15 × 15"));
    QCOMPARE(rangeText(Quantity::Weights, RangeMode::Unit),
             QStringLiteral("weight (linear, 0–1 locked)"));
}

QTEST_MAIN(TestMapRaster)
#include "tst_mapraster.moc"
