// Background work: latest wins, stale results are refused, closing stops everything.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fakeengine.h"
#include "services/engineservice.h"

#include <QDirIterator>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

using namespace heed;
using namespace heed::ui;

namespace {

Source textSource(const std::string& text)
{
    Source source;
    source.lines = {text};
    return source;
}

std::shared_ptr<test::FakeEngine> fakeEngine()
{
    return std::make_shared<test::FakeEngine>(std::make_shared<test::FakeMaps>(
        MapsShape{1, 1, 2, 2000, 2000}, [](auto head, auto, auto) { return float(head); }));
}

/// Small enough to be drawn at once.
std::shared_ptr<test::FakeEngine> smallEngine()
{
    return std::make_shared<test::FakeEngine>(std::make_shared<test::FakeMaps>(
        MapsShape{1, 1, 2, 12, 12}, [](auto head, auto, auto) { return float(head); }));
}

TileRequest tileAt(std::int64_t column)
{
    TileRequest request;
    request.tileColumn = column;
    return request;
}

int callsOf(const test::FakeEngine& engine, const std::string& call)
{
    const auto calls = engine.calls();
    return static_cast<int>(std::count(calls.begin(), calls.end(), call));
}

} // namespace

class EngineServiceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theLatestComputationWins();
    void aTileArrivesOnceAndIsThenCached();
    void equalRequestsAreNotRepeated();
    void urgentRequestsOvertake();
    void tilesOfAnOlderRunAreRefused();
    void tilesThatLeftTheViewAreDropped();
    void aStoppedTileThatIsWantedAgainArrives();
    void aDraftIsThereUntilTheTileIs();
    void cancelAllStopsRunningAndQueuedWork();
    void errorsAreReportedAndCancellationIsNot();
    void destructionDuringWorkJoins();
    void rowsAreReadBesideLongWorkAndKept();
    void onlyTheLatestPreviewIsShown();
    void aFigureIsOfTheRunItWasAskedFor();
    void cancelAllStopsFigures();
    void onlyTheServiceStartsWork();
};

void EngineServiceTest::theLatestComputationWins()
{
    const auto engine = fakeEngine();
    EngineService service(engine);
    QSignalSpy ready(&service, &EngineService::runReady);
    engine->closeGate();
    service.compute(textSource("a"));
    engine->waitForCallsAtGate(1);
    service.compute(textSource("b"));
    engine->openGate();
    QTRY_COMPARE(ready.count(), 1);
    QCOMPARE(service.current()->source(), textSource("b"));
    QTest::qWait(20);
    QCOMPARE(ready.count(), 1);
}

void EngineServiceTest::aTileArrivesOnceAndIsThenCached()
{
    const auto engine = fakeEngine();
    EngineService service(engine);
    QSignalSpy tiles(&service, &EngineService::tileReady);
    QVERIFY(!service.tile(tileAt(0), Priority::Visible)); // no run yet: nothing is asked
    service.compute(textSource("a"));
    QTRY_VERIFY(service.current());
    QVERIFY(!service.tile(tileAt(0), Priority::Visible));
    QTRY_COMPARE(tiles.count(), 1);
    QVERIFY(service.tile(tileAt(0), Priority::Visible));
    QCOMPARE(service.mapMs({}, Quantity::Weights), tiles[0][1].toDouble());
    QVERIFY(!service.mapMs({}, Quantity::Scores));
    QVERIFY(!service.mapMs({0, 0, 1}, Quantity::Weights));
    QVERIFY(service.cachedBytes() > 0);
    QCOMPARE(callsOf(*engine, "tile 0/0/0"), 1);
}

void EngineServiceTest::equalRequestsAreNotRepeated()
{
    const auto engine = fakeEngine();
    EngineService service(engine);
    service.compute(textSource("a"));
    QTRY_VERIFY(service.current());
    engine->closeGate();
    for (int i = 0; i < 3; ++i) {
        QVERIFY(!service.tile(tileAt(0), Priority::Visible));
    }
    engine->openGate();
    QTRY_VERIFY(service.cachedTile(tileAt(0)));
    QCOMPARE(callsOf(*engine, "tile 0/0/0"), 1);
}

void EngineServiceTest::urgentRequestsOvertake()
{
    const auto engine = fakeEngine();
    EngineService service(engine);
    service.compute(textSource("a"));
    QTRY_VERIFY(service.current());
    engine->closeGate();
    const int thumbnails = QThread::idealThreadCount();
    for (int i = 0; i < thumbnails; ++i) {
        TileRequest request = tileAt(0);
        request.level = i;
        (void)service.tile(request, Priority::Thumbnail); // more than may run
    }
    (void)service.metrics({0, 0, 0}, Priority::Preload);
    (void)service.metrics({0, 0, 1}, Priority::Visible);
    // What is on screen has a lane although none of the others has finished.
    QTRY_COMPARE(callsOf(*engine, "metrics 1"), 1);
    QCOMPARE(callsOf(*engine, "metrics 0"), 0);
    engine->openGate();
    QTRY_COMPARE(callsOf(*engine, "metrics 0"), 1);
}

void EngineServiceTest::tilesOfAnOlderRunAreRefused()
{
    const auto engine = fakeEngine();
    EngineService service(engine);
    service.compute(textSource("a"));
    QTRY_VERIFY(service.current());
    QSignalSpy tiles(&service, &EngineService::tileReady);
    QSignalSpy runs(&service, &EngineService::runReady);
    engine->closeGate();
    (void)service.tile(tileAt(0), Priority::Visible);
    engine->waitForCallsAtGate(1);
    service.compute(textSource("b"));
    engine->openGate();
    QTRY_COMPARE(runs.count(), 1);
    QTest::qWait(20);
    QVERIFY(!service.cachedTile(tileAt(0)) || tiles.count() == 0);
    tiles.clear();
    (void)service.tile(tileAt(1), Priority::Visible);
    QTRY_COMPARE(tiles.count(), 1);
}

void EngineServiceTest::tilesThatLeftTheViewAreDropped()
{
    const auto engine = fakeEngine();
    EngineService service(engine);
    service.compute(textSource("a"));
    QTRY_VERIFY(service.current());
    engine->closeGate();
    std::vector<TileRequest> wanted;
    const int lanes = QThread::idealThreadCount() + 2;
    for (int i = 0; i < lanes + 3; ++i) {
        wanted.push_back(tileAt(i));
        wanted.back().level = i; // distinct also past the eighth column
        (void)service.tile(wanted.back(), Priority::Visible);
    }
    service.setVisible(0, wanted);
    engine->waitForCallsAtGate(lanes);
    service.setVisible(0, {});
    engine->openGate();
    QTRY_COMPARE(engine->cancelledCalls(), lanes);
    QTest::qWait(20);
    QCOMPARE(engine->calls().size(), std::size_t(lanes + 1)); // the compute, the running tiles
}

void EngineServiceTest::aStoppedTileThatIsWantedAgainArrives()
{
    const auto engine = fakeEngine();
    EngineService service(engine);
    service.compute(textSource("a"));
    QTRY_VERIFY(service.current());
    engine->closeGate();
    (void)service.tile(tileAt(0), Priority::Visible);
    service.setVisible(0, {tileAt(0)});
    engine->waitForCallsAtGate(1);
    service.setVisible(0, {});
    service.setVisible(0, {tileAt(0)});
    (void)service.tile(tileAt(0), Priority::Visible);
    engine->openGate();
    QTRY_VERIFY(service.cachedTile(tileAt(0)));
}

void EngineServiceTest::aDraftIsThereUntilTheTileIs()
{
    const auto engine = fakeEngine();
    EngineService service(engine);
    service.compute(textSource("a"));
    QTRY_VERIFY(service.current());
    QSignalSpy drafts(&service, &EngineService::draftReady);
    QSignalSpy tiles(&service, &EngineService::tileReady);
    engine->sendDrafts(7.0F);
    engine->closeGate();
    QVERIFY(!service.tile(tileAt(0), Priority::Visible));
    QTRY_COMPARE(drafts.count(), 1);
    QVERIFY(service.draft(tileAt(0)).tile);
    QCOMPARE(service.draft(tileAt(0)).tile->texels.values.front(), 7.0F);
    QCOMPARE(service.draft(tileAt(0)).state.rowStep, 16);
    QVERIFY(!service.cachedTile(tileAt(0)));
    engine->openGate();
    QTRY_COMPARE(tiles.count(), 1);
    QVERIFY(!service.draft(tileAt(0)).tile);
    QVERIFY(service.cachedTile(tileAt(0))->texels.values.front() != 7.0F);
    // A draft goes with the request it belongs to.
    engine->closeGate();
    QVERIFY(!service.tile(tileAt(1), Priority::Visible));
    QTRY_COMPARE(drafts.count(), 2);
    service.cancelAll();
    QVERIFY(!service.draft(tileAt(1)).tile);
    engine->openGate();
}

void EngineServiceTest::cancelAllStopsRunningAndQueuedWork()
{
    const auto engine = fakeEngine();
    EngineService service(engine);
    QSignalSpy failures(&service, &EngineService::runFailed);
    QSignalSpy busy(&service, &EngineService::busyChanged);
    engine->closeGate();
    service.compute(textSource("a"));
    engine->waitForCallsAtGate(1);
    service.cancelAll();
    QCOMPARE(failures.count(), 1);
    QCOMPARE(failures[0][0].value<Error>().code, Code::Cancelled);
    QTRY_COMPARE(engine->cancelledCalls(), 1);
    QCOMPARE(busy.last()[0].toInt(), 0);
}

void EngineServiceTest::errorsAreReportedAndCancellationIsNot()
{
    const auto engine = fakeEngine();
    EngineService service(engine);
    service.compute(textSource("a"));
    QTRY_VERIFY(service.current());
    QSignalSpy failures(&service, &EngineService::failed);
    engine->failWith({Code::OutOfMemory, "Too big.", {}});
    (void)service.tile(tileAt(0), Priority::Visible);
    QTRY_COMPARE(failures.count(), 1);
    QCOMPARE(failures[0][0].value<Error>().message, "Too big.");
}

void EngineServiceTest::destructionDuringWorkJoins()
{
    const auto engine = fakeEngine();
    {
        EngineService service(engine);
        service.compute(textSource("a"));
        QTRY_VERIFY(service.current());
        engine->closeGate();
        service.compute(textSource("b"));
        (void)service.tile(tileAt(0), Priority::Visible);
        engine->waitForCallsAtGate(2);
    }
    QCOMPARE(engine->cancelledCalls(), 2);
}

void EngineServiceTest::rowsAreReadBesideLongWorkAndKept()
{
    const auto engine = fakeEngine();
    EngineService service(engine);
    service.compute(textSource("a"));
    QTRY_VERIFY(service.current());
    QSignalSpy rows(&service, &EngineService::rowReady);
    engine->closeGate();
    for (int i = 0; i < QThread::idealThreadCount() + 4; ++i) {
        TileRequest request = tileAt(0);
        request.level = i;
        (void)service.tile(request, Priority::Visible); // more than there are lanes
    }
    const RowRequest row{{0, 0, 1}, Quantity::Weights, 7};
    QVERIFY(!service.row(row));
    QTRY_COMPARE(callsOf(*engine, "row 7"), 1);
    engine->openGate();
    QTRY_COMPARE(rows.count(), 1);
    QCOMPARE(rows[0][0].value<RowRequest>(), row);
    QVERIFY(service.row(row));
    QCOMPARE(service.row(row)->cells.texels.columns, std::int64_t{2000});
    service.clear();
    QVERIFY(!service.row(row));
    QVERIFY(!service.current());
}

namespace {

FigureSpec titled(const char* title)
{
    FigureSpec spec;
    spec.titleText = QString::fromLatin1(title);
    return spec;
}

} // namespace

void EngineServiceTest::onlyTheLatestPreviewIsShown()
{
    const auto engine = smallEngine();
    EngineService service(engine);
    QSignalSpy ready(&service, &EngineService::figureReady);
    QSignalSpy failures(&service, &EngineService::figureFailed);
    service.previewFigure(titled("none"), {300, 200}); // no run yet: nothing is asked
    service.compute(textSource("a"));
    QTRY_VERIFY(service.current());
    engine->closeGate();
    service.previewFigure(titled("first"), {300, 200});
    engine->waitForCallsAtGate(1);
    service.previewFigure(titled("second"), {300, 200});
    service.previewFigure(titled("third"), {300, 200});
    engine->openGate();
    QTRY_COMPARE(ready.count(), 1);
    QCOMPARE(failures.count(), 0);
    QCOMPARE(callsOf(*engine, "figure first"), 1);
    QCOMPARE(callsOf(*engine, "figure second"), 0);
    QCOMPARE(callsOf(*engine, "figure third"), 1);
    const auto preview = ready[0][0].value<FigurePreview>();
    QVERIFY(preview.picture.width() <= 300 && preview.picture.height() <= 200);
    QVERIFY(preview.picture.width() > 250 || preview.picture.height() > 160);
    service.previewFigure(titled("nobody looks"), {300, 200});
    service.dropPreview();
    QTest::qWait(50);
    QCOMPARE(ready.count(), 1);
}

void EngineServiceTest::aFigureIsOfTheRunItWasAskedFor()
{
    const auto engine = smallEngine();
    EngineService service(engine);
    const QTemporaryDir folder;
    QSignalSpy written(&service, &EngineService::figureWritten);
    QSignalSpy refused(&service, &EngineService::figureNotWritten);
    service.writeFigure({}, folder.filePath("none.svg"));
    QCOMPARE(refused.count(), 1); // there is no run
    service.compute(textSource("a"));
    QTRY_VERIFY(service.current());
    engine->closeGate();
    service.writeFigure(titled("one"), folder.filePath("one.svg"));
    service.writeFigure(titled("two"), folder.filePath("two.svg"));
    engine->waitForCallsAtGate(2);
    service.clear();
    engine->openGate();
    QTRY_COMPARE(written.count(), 2);
    QVERIFY(QFile::exists(folder.filePath("one.svg")));
    QVERIFY(QFile::exists(folder.filePath("two.svg")));
}

void EngineServiceTest::cancelAllStopsFigures()
{
    const auto engine = smallEngine();
    EngineService service(engine);
    const QTemporaryDir folder;
    QSignalSpy refused(&service, &EngineService::figureNotWritten);
    QSignalSpy failures(&service, &EngineService::figureFailed);
    QSignalSpy busy(&service, &EngineService::busyChanged);
    service.compute(textSource("a"));
    QTRY_VERIFY(service.current());
    engine->closeGate();
    service.previewFigure(titled("seen"), {300, 200});
    service.writeFigure(titled("kept"), folder.filePath("kept.svg"));
    engine->waitForCallsAtGate(2);
    service.cancelAll();
    QTRY_COMPARE(refused.count(), 1);
    QCOMPARE(refused[0][1].value<Error>().code, Code::Cancelled);
    QCOMPARE(failures.count(), 1);
    QCOMPARE(failures[0][0].value<Error>().code, Code::Cancelled);
    QVERIFY(!QFile::exists(folder.filePath("kept.svg")));
    QTRY_COMPARE(busy.last()[0].toInt(), 0);
}

void EngineServiceTest::onlyTheServiceStartsWork()
{
    const QString root = qEnvironmentVariable("HEED_SOURCE_DIR") + "/ui";
    QDirIterator files(root, {"*.h", "*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
    int read = 0;
    while (files.hasNext()) {
        QFile file(files.next());
        if (file.fileName().contains("engineservice") || file.fileName().contains("workpool")) {
            continue;
        }
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        ++read;
        for (const char* word : {"QtConcurrent", "QPromise", "QFutureWatcher", "QThreadPool",
                                 "std::thread", "std::async", "processEvents"}) {
            QVERIFY2(!text.contains(word), qPrintable(file.fileName() + " uses " + word));
        }
    }
    QVERIFY(read > 10);
}

QTEST_MAIN(EngineServiceTest) // figures need fonts
#include "tst_engineservice.moc"
