// Matching in the palette, reading of cells, lines of the text field.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "dialogs/commandpalette.h"
#include "dialogs/smalldialogs.h"
#include "mainwindow/inputpanel.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QTest>

using namespace heed::ui;

class TestCommands : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void fuzzyMatching();
    void bestMatchComesFirst();
    void cellsAreRead_data();
    void cellsAreRead();
    void linesOfText();
};

void TestCommands::fuzzyMatching()
{
    QCOMPARE(fuzzyScore({}, QStringLiteral("Undo")), 0);
    QCOMPARE(fuzzyScore(QStringLiteral("x"), QStringLiteral("Undo")), -1);
    QVERIFY(fuzzyScore(QStringLiteral("gtc"), QStringLiteral("Go to cell")) >
            fuzzyScore(QStringLiteral("gtc"), QStringLiteral("Right cell")));
    QVERIFY(fuzzyScore(QStringLiteral("掩码"), QStringLiteral("因果掩码")) > 0);
    QVERIFY(fuzzyScore(QStringLiteral("go cell"), QStringLiteral("Go to cell")) > 0);
}

void TestCommands::bestMatchComesFirst()
{
    QAction copyImage(QStringLiteral("Copy &image"));
    QAction zoomIn(QStringLiteral("Zoom &in"));
    QAction open(QStringLiteral("&Open…"));
    CommandModel model;
    QAbstractItemModelTester tester(&model);
    model.setActions({&copyImage, &zoomIn, &open});
    QCOMPARE(model.rowCount(), 3);
    model.setPattern(QStringLiteral("zi"));
    QCOMPARE(model.action(0), &zoomIn);
    model.setPattern(QStringLiteral("open"));
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.index(0).data().toString(), QStringLiteral("Open"));
}

void TestCommands::cellsAreRead_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("good");
    QTest::newRow("space") << "10 2" << true;
    QTest::newRow("comma") << "10,2" << true;
    QTest::newRow("letters") << "q10 k2" << true;
    QTest::newRow("arrow") << QStringLiteral("10→2") << true;
    QTest::newRow("one number") << "10" << false;
    QTest::newRow("minus") << "-1 2" << false;
    QTest::newRow("absurd") << "99999999999999999999 1" << false;
    QTest::newRow("empty") << "" << false;
}

void TestCommands::cellsAreRead()
{
    QFETCH(QString, text);
    QFETCH(bool, good);
    const auto cell = parseCell(text);
    QCOMPARE(cell.has_value(), good);
    if (good) {
        QCOMPARE(*cell, (CellRef{10, 2}));
    }
}

void TestCommands::linesOfText()
{
    QCOMPARE(linesOf(QStringLiteral("a\r\nb\n\n")), (std::vector<std::string>{"a", "b"}));
    QVERIFY(linesOf({}).empty());
    QCOMPARE(linesOf(QStringLiteral("a\n\nb")), (std::vector<std::string>{"a", "", "b"}));
}

QTEST_MAIN(TestCommands)
#include "tst_commands.moc"
