// A map of 4096 × 4096 from a file to the screen: nothing that stands alone is lost.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/engineservice.h"
#include "views/colourmap.h"
#include "views/heatmapview.h"

#include "heed/arrayfile.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

using namespace heed;
using namespace heed::ui;

class TestLongMap : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void isolatedCellsAreAllSeenWhenTheMapIsFitted();
    void aRowIsThereLongBeforeTheMap();
};

void TestLongMap::isolatedCellsAreAllSeenWhenTheMapIsFitted()
{
    constexpr std::int64_t n = 4096;
    constexpr std::int64_t width = 64;
    constexpr std::int64_t bright = 60;
    // Query at(b) attends to one key alone; all other weights are about 1/4096, or 0.
    const auto queryOf = [](std::int64_t b) { return 31 + b * 67; };
    const auto keyOf = [](std::int64_t b) { return (17 + b * 1597) % n; };
    std::vector<float> q(static_cast<std::size_t>(n * width), 0);
    std::vector<float> k(q.size(), 0);
    for (std::int64_t b = 0; b < bright; ++b) {
        q[static_cast<std::size_t>(queryOf(b) * width + b)] = 20;
        k[static_cast<std::size_t>(keyOf(b) * width + b)] = 20;
    }
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("qk.npz")).toStdString();
    const Shape shape = {1, 1, n, width};
    const std::vector<ArrayToWrite> arrays = {
        {"q", ElementType::Float32, shape, std::as_bytes(std::span(q))},
        {"k", ElementType::Float32, shape, std::as_bytes(std::span(k))}};
    QVERIFY(writeArrays(path, arrays));

    EngineService service(makeEngine("auto"));
    SelectionModel selection;
    ViewSettingsModel settings;
    HeatmapView view(&service, &selection, &settings);
    view.resize(900, 760);
    view.show();
    Source source;
    source.qkv = path;
    service.compute(source);
    QTRY_VERIFY_WITH_TIMEOUT(service.current(), 20000);
    selection.setShape(service.current()->maps()->shape());
    view.setRun(service.current());
    QTRY_VERIFY_WITH_TIMEOUT(view.badge().startsWith(u'8') || view.badge().startsWith(u'1'), 20000);
    QTest::qWait(50);
    view.replot();
    const QImage image = view.grab().toImage();
    const QRgb brightest = colourTable(ColourMapId::Viridis)[255];
    int seen = 0;
    for (std::int64_t b = 0; b < bright; ++b) {
        const QPoint place = view.viewport().cellRect({queryOf(b), keyOf(b)}).center().toPoint();
        bool isSeen = false;
        for (int y = -3; y <= 3; ++y) {
            for (int x = -3; x <= 3; ++x) {
                isSeen = isSeen || (image.pixel(place + QPoint(x, y)) | 0xFF000000U) ==
                                       (brightest | 0xFF000000U);
            }
        }
        seen += isSeen ? 1 : 0;
    }
    QCOMPARE(seen, static_cast<int>(bright));
}

void TestLongMap::aRowIsThereLongBeforeTheMap()
{
    constexpr std::int64_t n = 16384;
    constexpr std::int64_t width = 64;
    std::vector<float> q(static_cast<std::size_t>(n * width));
    for (std::size_t i = 0; i < q.size(); ++i) {
        q[i] = static_cast<float>(i * 2654435761U % 1000) / 1000 - 0.5F;
    }
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("qk.npz")).toStdString();
    const auto bytes = std::as_bytes(std::span(q));
    const Shape shape = {1, 1, n, width};
    const std::vector<ArrayToWrite> arrays = {{"q", ElementType::Float32, shape, bytes},
                                              {"k", ElementType::Float32, shape, bytes}};
    QVERIFY(writeArrays(path, arrays));
    EngineService service(makeEngine("auto"));
    Source source;
    source.qkv = path;
    service.compute(source);
    QTRY_VERIFY_WITH_TIMEOUT(service.current(), 20000);

    const TileRequest picture{.map = {}, .level = service.current()->maps()->topLevel()};
    QSignalSpy drafts(&service, &EngineService::draftReady);
    QVERIFY(!service.tile(picture, Priority::Visible));
    QVERIFY(drafts.wait(20000)); // the survey of all rows has begun
    QSignalSpy rows(&service, &EngineService::rowReady);
    const RowRequest wanted{{}, Quantity::Weights, 9000};
    QVERIFY(!service.row(wanted));
    QTRY_VERIFY_WITH_TIMEOUT(service.row(wanted) || service.cachedTile(picture), 20000);
    QVERIFY(!service.cachedTile(picture));
    QCOMPARE(service.row(wanted)->stats.argmax.size(), std::size_t{1});
    QTRY_VERIFY_WITH_TIMEOUT(service.cachedTile(picture), 60000);
}

QTEST_MAIN(TestLongMap)
#include "tst_longmap.moc"
