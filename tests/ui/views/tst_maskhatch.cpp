// The hatch: patterns differ by reason, lines stay inside, neighbours join, pixels agree with
// lines. SPDX-License-Identifier: GPL-3.0-or-later
#include "views/maskhatch.h"

#include <QImage>
#include <QPainter>
#include <QTest>
#include <cmath>
#include <set>

using namespace heed;
using namespace heed::ui;

namespace {

MaskReasons bits(MaskReason reason)
{
    return static_cast<MaskReasons>(reason);
}

int slopeSign(const QLineF& line)
{
    const double product = line.dx() * line.dy();
    return product > 1e-9 ? 1 : product < -1e-9 ? -1 : 0;
}

QByteArray picture(MaskReasons reasons)
{
    QImage image(48, 48, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    const HatchArea area{QRectF(0, 0, 48, 48), reasons, false};
    paintHatch(painter, std::span(&area, 1), {.paper = Qt::white, .ink = Qt::black});
    painter.end();
    return QByteArray(reinterpret_cast<const char*>(image.constBits()),
                      static_cast<int>(image.sizeInBytes()));
}

} // namespace

class TestMaskHatch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void paddingFallsAndCausalRises();
    void everyReasonLooksDifferent();
    void linesStayInsideTheirArea();
    void spacingIsKept();
    void neighboursJoin();
    void absurdExtentsStayBounded();
    void rasterAgreesWithLines();
    void keptCellsHaveNoHatch();
};

void TestMaskHatch::paddingFallsAndCausalRises()
{
    const QRectF area(3, 5, 40, 30);
    for (const QLineF& line : hatchLines(area, bits(MaskReason::Padding), 6)) {
        QCOMPARE(slopeSign(line), 1); // y grows downwards
    }
    for (const QLineF& line : hatchLines(area, bits(MaskReason::Causal), 6)) {
        QCOMPARE(slopeSign(line), -1);
    }
    std::set<int> both;
    for (const QLineF& line :
         hatchLines(area, bits(MaskReason::Padding) | bits(MaskReason::Causal), 6)) {
        both.insert(slopeSign(line));
    }
    QCOMPARE(both, (std::set<int>{-1, 1}));
}

void TestMaskHatch::everyReasonLooksDifferent()
{
    std::set<QByteArray> pictures;
    for (const HatchFamily& family : hatchFamilies()) {
        pictures.insert(picture(bits(family.reason)));
    }
    pictures.insert(picture(bits(MaskReason::Padding) | bits(MaskReason::Causal)));
    pictures.insert(picture(0));
    QCOMPARE(pictures.size(), hatchFamilies().size() + 2);
}

void TestMaskHatch::linesStayInsideTheirArea()
{
    const QRectF area(-7.5, 2.25, 33, 18);
    const QRectF slack = area.adjusted(-1e-6, -1e-6, 1e-6, 1e-6);
    for (const HatchFamily& family : hatchFamilies()) {
        const auto lines = hatchLines(area, bits(family.reason), 4, QPointF(1, 2));
        QVERIFY(!lines.empty());
        for (const QLineF& line : lines) {
            QVERIFY(slack.contains(line.p1()) && slack.contains(line.p2()));
        }
    }
}

void TestMaskHatch::spacingIsKept()
{
    for (const HatchFamily& family : hatchFamilies()) {
        const auto lines = hatchLines(QRectF(0, 0, 60, 60), bits(family.reason), 5);
        const double norm = std::hypot(family.across, family.down);
        double before = 0;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const double at =
                (family.across * lines[i].p1().x() + family.down * lines[i].p1().y()) / norm;
            if (i > 0) {
                QVERIFY(std::abs(at - before - 5) < 1e-9);
            }
            before = at;
        }
    }
}

void TestMaskHatch::neighboursJoin()
{
    const MaskReasons causal = bits(MaskReason::Causal);
    std::vector<HatchArea> cells;
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c) {
            cells.push_back({QRectF(c * 10, r * 10, 10, 10), causal, false});
        }
    }
    QCOMPARE(hatchLines(cells, 6).size(), hatchLines(QRectF(0, 0, 40, 40), causal, 6).size());
}

void TestMaskHatch::absurdExtentsStayBounded()
{
    QVERIFY(hatchLines(QRectF(0, 0, 1e9, 1e9), 0x7F, 0.001).size() < 20000);
    QVERIFY(hatchLines(QRectF(0, 0, 10, 10), 0x7F, 0).empty());
    QVERIFY(hatchLines(QRectF(), 0x7F, 5).empty());
}

void TestMaskHatch::rasterAgreesWithLines()
{
    const HatchRaster raster(6, 1);
    for (const HatchFamily& family : hatchFamilies()) {
        const MaskReasons reasons = bits(family.reason);
        long long covered = 0;
        for (int y = 0; y < 240; ++y) {
            for (int x = 0; x < 240; ++x) {
                covered += raster.coverage(x, y, reasons);
            }
        }
        // Lines one pixel wide, about six apart (whole pixels, and soft edges).
        const double share = static_cast<double>(covered) / (255.0 * 240 * 240);
        QVERIFY2(std::abs(share - 1.0 / 6) < 0.04, qPrintable(QString::number(share)));
    }
    QCOMPARE(raster.coverage(0, 0, bits(MaskReason::Causal)), 255);
    QCOMPARE(raster.coverage(-3, 3, bits(MaskReason::Causal)), 255);
}

void TestMaskHatch::keptCellsHaveNoHatch()
{
    QVERIFY(hatchLines(QRectF(0, 0, 40, 40), 0, 6).empty());
    QCOMPARE(HatchRaster(6, 1).coverage(0, 0, 0), 0);
}

QTEST_MAIN(TestMaskHatch)
#include "tst_maskhatch.moc"
