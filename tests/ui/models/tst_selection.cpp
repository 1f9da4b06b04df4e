// The shared selection stays inside the maps.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/selection.h"

#include <QSignalSpy>
#include <QTest>

using namespace heed;
using namespace heed::ui;

class SelectionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pinStaysWhileHoverPreviews();
    void aPinFromElsewhereEndsTheHover();
    void outsideCellsAreRefused();
    void shrinkingMapsMoveTheMapAndDropThePin();
};

void SelectionTest::pinStaysWhileHoverPreviews()
{
    SelectionModel selection;
    selection.setShape({1, 2, 4, 5, 6});
    selection.pin({1, 2});
    selection.hover({3, 4});
    QCOMPARE(selection.current(), (CellRef{3, 4}));
    QCOMPARE(selection.studied(), (CellRef{1, 2}));
    selection.hover({});
    QCOMPARE(selection.current(), (CellRef{1, 2}));
    selection.unpin();
    QVERIFY(!selection.current().isValid());
}

void SelectionTest::aPinFromElsewhereEndsTheHover()
{
    SelectionModel selection;
    selection.setShape({1, 2, 4, 5, 6});
    selection.hover({3, 4});
    QCOMPARE(selection.studied(), (CellRef{3, 4}));
    selection.pin({3, 4}); // a click
    QCOMPARE(selection.hovered(), (CellRef{3, 4}));
    selection.pin({0, 0}); // a search
    QCOMPARE(selection.current(), (CellRef{0, 0}));
}

void SelectionTest::outsideCellsAreRefused()
{
    SelectionModel selection;
    selection.setShape({1, 1, 1, 3, 3});
    QSignalSpy pins(&selection, &SelectionModel::pinChanged);
    selection.pin({3, 0});
    selection.pin({0, 3});
    QCOMPARE(pins.count(), 0);
    selection.pin({2, 2});
    selection.pin({2, 2});
    QCOMPARE(pins.count(), 1);
}

void SelectionTest::shrinkingMapsMoveTheMapAndDropThePin()
{
    SelectionModel selection;
    selection.setShape({1, 2, 8, 9, 9});
    selection.setMap({0, 1, 7});
    selection.pin({8, 0});
    selection.setShape({1, 1, 4, 3, 3});
    QCOMPARE(selection.map(), (MapIndex{0, 0, 3}));
    QVERIFY(!selection.pinned().isValid());
}

QTEST_GUILESS_MAIN(SelectionTest)
#include "tst_selection.moc"
