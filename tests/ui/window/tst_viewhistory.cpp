// Back and forward through places.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/viewhistory.h"

#include <QTest>

using namespace heed;
using namespace heed::ui;

class TestViewHistory : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void goesBackAndForward();
    void quickChangesAreOneStep();
    void aNewPlaceCutsTheWayForward();
};

namespace {

/// A history over a place that is a plain variable.
struct World {
    ViewPlace now;
    ViewHistory history{[this] { return now; }, [this](const ViewPlace& place) { now = place; }, 0};

    void visit(std::int64_t head)
    {
        now.map.head = head;
        history.touch();
        QTest::qWait(5);
    }
};

} // namespace

void TestViewHistory::goesBackAndForward()
{
    World world;
    world.visit(0);
    world.visit(1);
    world.visit(2);
    QVERIFY(world.history.canGoBack());
    world.history.back();
    QCOMPARE(world.now.map.head, std::int64_t{1});
    world.history.back();
    QCOMPARE(world.now.map.head, std::int64_t{0});
    QVERIFY(!world.history.canGoBack());
    world.history.back(); // nowhere to go
    QCOMPARE(world.now.map.head, std::int64_t{0});
    world.history.forward();
    world.history.forward();
    QCOMPARE(world.now.map.head, std::int64_t{2});
    QVERIFY(!world.history.canGoForward());
}

void TestViewHistory::quickChangesAreOneStep()
{
    World world;
    world.visit(0);
    for (int head = 1; head < 6; ++head) {
        world.now.map.head = head;
        world.history.touch();
    }
    world.history.back(); // what was not settled yet counts as one place
    QCOMPARE(world.now.map.head, std::int64_t{0});
    world.history.forward();
    QCOMPARE(world.now.map.head, std::int64_t{5});
}

void TestViewHistory::aNewPlaceCutsTheWayForward()
{
    World world;
    world.visit(0);
    world.visit(1);
    world.history.back();
    world.visit(7);
    QVERIFY(!world.history.canGoForward());
    world.history.back();
    QCOMPARE(world.now.map.head, std::int64_t{0});
}

QTEST_MAIN(TestViewHistory)
#include "tst_viewhistory.moc"
