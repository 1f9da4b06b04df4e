// Colour maps against the published tables.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/colourmap.h"

#include <QFile>
#include <QTest>
#include <algorithm>
#include <limits>

using namespace heed;
using namespace heed::ui;

class TestColourMap : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void namesReadBack();
    void equalsPublishedColours();
    void notANumberIsInNoTable();
    void emptyRangeGivesLowestColour();
    void numbersAreReadable();
};

void TestColourMap::namesReadBack()
{
    QCOMPARE(colourMaps().size(), std::size_t{6});
    for (const ColourMapId id : colourMaps()) {
        const auto parsed = parseColourMap(colourMapName(id));
        QVERIFY(parsed.has_value());
        QCOMPARE(*parsed, id);
    }
    QCOMPARE(parseColourMap("gray").value(), ColourMapId::Grey);
    const auto refused = parseColourMap("jet");
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, Code::InvalidArgument);
    QVERIFY(refused.error().message.find("viridis") != std::string::npos);
}

// The file holds what matplotlib answers for every 1/255 and for values between and outside.
void TestColourMap::equalsPublishedColours()
{
    QFile file(qEnvironmentVariable("HEED_SOURCE_DIR") +
               QStringLiteral("/tests/ui/views/colourmaps.txt"));
    QVERIFY2(file.open(QIODevice::ReadOnly | QIODevice::Text), qPrintable(file.fileName()));
    int lines = 0;
    while (!file.atEnd()) {
        const QByteArray line = file.readLine().trimmed();
        if (line.isEmpty() || line.startsWith('#')) {
            continue;
        }
        const QList<QByteArray> parts = line.split(' ');
        QCOMPARE(parts.size(), 5);
        const std::string name = parts[0] == "RdBu_r" ? "diverging" : parts[0].toStdString();
        const auto id = parseColourMap(name);
        QVERIFY(id.has_value());
        const QRgb expected = qRgb(parts[2].toInt(), parts[3].toInt(), parts[4].toInt());
        const QRgb got = colourOf(colourTable(*id), parts[1].toDouble(), {0, 1});
        QVERIFY2(got == expected, line.constData());
        ++lines;
    }
    QCOMPARE(lines, 6 * 268);
}

void TestColourMap::notANumberIsInNoTable()
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    for (const ColourMapId id : colourMaps()) {
        const ColourTable& table = colourTable(id);
        QCOMPARE(std::count(table.begin(), table.end(), NotANumberColour), 0);
        QCOMPARE(colourOf(table, nan, {0, 1}), NotANumberColour);
        QCOMPARE(colourOf(table, infinity, {0, 1}), NotANumberColour);
        QCOMPARE(colourOf(table, -infinity, {0, 1}), NotANumberColour);
    }
}

void TestColourMap::emptyRangeGivesLowestColour()
{
    const ColourTable& table = colourTable(ColourMapId::Viridis);
    QCOMPARE(colourOf(table, 3, {3, 3}), table.front());
    QCOMPARE(colourOf(table, 3, {5, 1}), table.front());
    QCOMPARE(colourOf(table, 1e300, {-1e308, 1e308}), table[128]);
}

void TestColourMap::numbersAreReadable()
{
    for (const ColourMapId id : colourMaps()) {
        for (const QRgb colour : colourTable(id)) {
            QVERIFY(contrast(colour, textColourOn(colour)) >= 4.2);
        }
    }
    QVERIFY(std::abs(contrast(0xFF000000, 0xFFFFFFFF) - 21) < 1e-9);
}

QTEST_MAIN(TestColourMap)
#include "tst_colourmap.moc"
