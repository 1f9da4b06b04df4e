// What is shown comes back from its session.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/sessionfile.h"

#include <QTest>

using namespace heed;
using namespace heed::ui;

class SessionFileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theViewComesBack();
    void defaultsStayDefaults();
    void unknownNamesFallBack();
};

void SessionFileTest::theViewComesBack()
{
    ViewSettings settings;
    settings.quantity = Quantity::Masked;
    settings.pooling = Pooling::Mean;
    settings.colourMap = ColourMapId::Cividis;
    settings.rangeMode = RangeMode::Manual;
    settings.low = -2;
    settings.high = 3;
    settings.cellNumbers = false;
    settings.headOrder = "induction";
    settings.headBar = "entropy";
    settings.headColour = "self";
    SelectionModel selection;
    selection.setShape({1, 2, 8, 9, 9});
    selection.setMap({0, 1, 5});
    selection.pin({4, 2});
    const QRectF cells(1, 2, 3, 4);

    const RestoredView view = restoredView(makeSession({}, settings, selection, cells).view);
    QCOMPARE(view.settings, settings);
    QCOMPARE(view.map, selection.map());
    QCOMPARE(view.pinned, selection.pinned());
    QVERIFY(view.cells.has_value());
    QCOMPARE(*view.cells, cells);
}

void SessionFileTest::defaultsStayDefaults()
{
    SelectionModel selection;
    const Session session = makeSession({}, {}, selection, {});
    QCOMPARE(session, Session{});
    QCOMPARE(restoredView(session.view).settings, ViewSettings{});
}

void SessionFileTest::unknownNamesFallBack()
{
    SessionView view;
    view.colourMap = "turbo";
    view.pooling = "median";
    view.range = "log";
    view.headOrder = view.headBar = view.headColour = "charm";
    QCOMPARE(restoredView(view).settings, ViewSettings{});
}

QTEST_GUILESS_MAIN(SessionFileTest)
#include "tst_sessionfile.moc"
