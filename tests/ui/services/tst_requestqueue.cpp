// What is on screen comes first, and nothing is worked on twice.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/requestqueue.h"

#include <QTest>

using namespace heed;
using namespace heed::ui;

namespace {

using Kind = MapQuestion::Kind;

MapQuestion tileAt(std::int64_t column)
{
    TileRequest request;
    request.tileColumn = column;
    return {Kind::Tile, request};
}

const MapQuestion Metrics{Kind::Metrics, {}};
const MapQuestion OtherMetrics{Kind::Metrics, TileRequest{.map = {.head = 1}}};

MapQuestion rowAt(std::int64_t query)
{
    return {Kind::Row, TileRequest{.map = {}, .tileRow = query}};
}

/// Nothing when nothing may start.
std::optional<MapQuestion> start(RequestQueue& queue)
{
    const auto started = queue.startNext();
    return started ? std::optional(started->question) : std::nullopt;
}

} // namespace

class RequestQueueTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void startsTheMostUrgentFirstAndTheOldestAmongEquals();
    void keepsALaneFreeFromTheBackground();
    void factsWaitForTheTilesOnScreen();
    void aRunningTileThatComesOnScreenCountsAsVisible();
    void aRowWaitsForNothingButARow();
    void asksOnlyOnce();
    void whatIsDroppedIsStoppedOrForgotten();
};

void RequestQueueTest::startsTheMostUrgentFirstAndTheOldestAmongEquals()
{
    RequestQueue queue;
    queue.setLanes(9, 9);
    queue.ask(tileAt(1), Priority::Preload);
    queue.ask(tileAt(2), Priority::Visible);
    queue.ask(tileAt(3), Priority::Visible);
    queue.ask(tileAt(4), Priority::Margin);
    queue.ask(tileAt(1), Priority::Thumbnail); // more urgent than before
    queue.ask(tileAt(5), Priority::Thumbnail);
    for (const int column : {2, 3, 4, 1, 5}) {
        QVERIFY(start(queue) == tileAt(column));
    }
    QVERIFY(!start(queue));
}

void RequestQueueTest::keepsALaneFreeFromTheBackground()
{
    RequestQueue queue;
    queue.setLanes(2, 1);
    queue.ask(tileAt(1), Priority::Thumbnail);
    queue.ask(tileAt(2), Priority::Thumbnail);
    QVERIFY(start(queue) == tileAt(1));
    QVERIFY(!start(queue));
    queue.ask(tileAt(3), Priority::Visible);
    QVERIFY(start(queue) == tileAt(3));
    queue.ask(tileAt(4), Priority::Visible);
    QVERIFY(!start(queue)); // no lane is left
    queue.finish(tileAt(3));
    QVERIFY(start(queue) == tileAt(4));
    queue.finish(tileAt(1));
    QVERIFY(start(queue) == tileAt(2));
    QCOMPARE(queue.running(), 2);
    QCOMPARE(queue.waiting(), 0);
}

void RequestQueueTest::factsWaitForTheTilesOnScreen()
{
    RequestQueue queue;
    queue.setLanes(9, 9);
    queue.ask(Metrics, Priority::Visible);
    queue.ask(OtherMetrics, Priority::Thumbnail);
    queue.ask(tileAt(1), Priority::Visible);
    queue.ask(tileAt(2), Priority::Thumbnail);
    QVERIFY(start(queue) == Metrics); // nothing is on its way yet
    QVERIFY(start(queue) == tileAt(1));
    QVERIFY(start(queue) == tileAt(2));
    QVERIFY(!start(queue));
    queue.finish(tileAt(1));
    QVERIFY(start(queue) == OtherMetrics);
}

void RequestQueueTest::aRunningTileThatComesOnScreenCountsAsVisible()
{
    RequestQueue queue;
    queue.setLanes(9, 1);
    queue.ask(tileAt(1), Priority::Thumbnail);
    QVERIFY(start(queue) == tileAt(1));
    queue.ask(tileAt(1), Priority::Visible);
    queue.ask(Metrics, Priority::Visible);
    QVERIFY(!start(queue));
    queue.ask(tileAt(2), Priority::Thumbnail);
    QVERIFY(start(queue) == tileAt(2)); // the background has its lane back
}

void RequestQueueTest::aRowWaitsForNothingButARow()
{
    RequestQueue queue;
    queue.setLanes(1, 1);
    queue.ask(tileAt(1), Priority::Visible);
    queue.ask(tileAt(2), Priority::Visible);
    QVERIFY(start(queue) == tileAt(1));
    QVERIFY(!start(queue)); // no lane is left
    queue.ask(rowAt(1), Priority::Visible);
    QVERIFY(start(queue) == rowAt(1));
    queue.ask(rowAt(2), Priority::Visible);
    queue.ask(rowAt(3), Priority::Visible);
    QVERIFY(!start(queue));
    QCOMPARE(queue.waiting(), 2); // the second tile, and the latest row
    queue.finish(rowAt(1));
    QVERIFY(start(queue) == rowAt(3));
    queue.finish(tileAt(1));
    QVERIFY(start(queue) == tileAt(2)); // the row takes nobody's lane
}

void RequestQueueTest::asksOnlyOnce()
{
    RequestQueue queue;
    queue.setLanes(9, 9);
    queue.ask(tileAt(1), Priority::Visible);
    queue.ask(tileAt(1), Priority::Visible);
    QCOMPARE(queue.waiting(), 1);
    QVERIFY(start(queue) == tileAt(1));
    queue.ask(tileAt(1), Priority::Visible);
    QCOMPARE(queue.waiting(), 0);
    QVERIFY(queue.isRunning(tileAt(1)));
}

void RequestQueueTest::whatIsDroppedIsStoppedOrForgotten()
{
    RequestQueue queue;
    queue.setLanes(1, 1);
    queue.ask(tileAt(1), Priority::Visible);
    queue.ask(tileAt(2), Priority::Visible);
    const auto running = queue.startNext();
    QVERIFY(running);
    queue.drop(tileAt(1));
    queue.drop(tileAt(2));
    QVERIFY(running->stop.stop_requested());
    QVERIFY(queue.isRunning(tileAt(1))); // until it has ended
    QCOMPARE(queue.waiting(), 0);
    queue.finish(tileAt(1));
    QVERIFY(!start(queue));

    queue.ask(tileAt(3), Priority::Visible);
    queue.ask(tileAt(4), Priority::Visible);
    const auto other = queue.startNext();
    QVERIFY(other);
    queue.dropAll();
    QVERIFY(other->stop.stop_requested());
    QCOMPARE(queue.running(), 0);
    QVERIFY(!start(queue));
}

QTEST_GUILESS_MAIN(RequestQueueTest)
#include "tst_requestqueue.moc"
