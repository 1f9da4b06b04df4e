// The arithmetic in the inspector agrees with the engine, masked and unmasked.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/cellstory.h"
#include "mainwindow/maskfacts.h"

#include "heed/metrics.h"

#include <QTest>
#include <cmath>

using namespace heed;
using namespace heed::ui;

class TestCellStory : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyCellAgreesWithTheEngine_data();
    void everyCellAgreesWithTheEngine();
    void ranksCountKeptKeys();
    void hintsNameEmptyRows();
    void outsideIsNothing();

private:
    static RunPtr run(const Source& source);
};

RunPtr TestCellStory::run(const Source& source)
{
    const auto backend = BackendRegistry::instance().open("reference");
    const auto result = compute(source, backend.value(), {.threads = 1});
    return result ? *result : nullptr;
}

namespace {

Source groupedSource()
{
    Source source;
    source.lines = {"I like eating apple", "Hi"};
    source.layer.modelWidth = 16;
    source.layer.heads = 4;
    source.layer.kvHeads = 2;
    source.padding = true;
    source.causal = true;
    return source;
}

} // namespace

void TestCellStory::everyCellAgreesWithTheEngine_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("layer");
    QTest::newRow("sandbox") << QString() << 0;
    QTest::newRow("capped scores, a window") << QStringLiteral("gemma2") << 2;
    QTest::newRow("numbers by distance") << QStringLiteral("t5") << 1;
}

void TestCellStory::everyCellAgreesWithTheEngine()
{
    QFETCH(QString, model);
    QFETCH(int, layer);
    Source source = groupedSource();
    if (!model.isEmpty()) {
        source = {};
        source.model = (qEnvironmentVariable("HEED_SOURCE_DIR") +
                        QStringLiteral("/tests/golden/models/") + model)
                           .toStdString();
        source.ids = {{3, 4, 5, 6, 7, 8}, {9, 10}};
    }
    const RunPtr made = run(source);
    QVERIFY(made != nullptr);
    const MapsShape shape = made->maps()->shape();
    for (std::int64_t item = 0; item < shape.items; ++item) {
        for (std::int64_t head = 0; head < shape.heads; ++head) {
            const MapIndex map{layer, item, head};
            const auto tile = made->maps()->tile({.map = map}, {});
            QVERIFY(tile.has_value());
            for (qint64 i = 0; i < shape.queries; ++i) {
                const auto row = made->maps()->row(map, Quantity::Weights, i, {});
                QVERIFY(row.has_value());
                for (qint64 j = 0; j < shape.keys; ++j) {
                    const auto story = cellStory(*made, row->stats, map, {i, j});
                    QVERIFY(story.has_value());
                    const float weight =
                        tile->texels.values[static_cast<std::size_t>(i * shape.keys + j)];
                    QVERIFY(std::abs(story->weight - double{weight}) < 1e-5);
                    QCOMPARE(story->reasons, made->mask(layer)->reasons(item, head, i, j));
                    double sum = 0;
                    for (const double product : story->products) {
                        sum += product;
                    }
                    QCOMPARE(sum, story->dot);
                }
            }
        }
    }
}

void TestCellStory::ranksCountKeptKeys()
{
    const RunPtr made = run(groupedSource());
    QVERIFY(made != nullptr);
    const MapIndex map{0, 0, 1};
    const RowStats stats = made->maps()->row(map, Quantity::Weights, 3, {}).value().stats;
    const std::int64_t best = stats.argmax.front();
    const auto rank = cellRank(*made, stats, map, {3, best});
    QVERIFY(rank.has_value());
    QCOMPARE(rank->rank, std::int64_t{1});
    const auto story = cellStory(*made, stats, map, {3, best});
    QVERIFY(std::abs(rank->topShare - story->weight) < 1e-5);
    QVERIFY(!cellRank(*made, stats, map, {0, 3}).has_value()); // masked: no rank
}

void TestCellStory::hintsNameEmptyRows()
{
    Source source = groupedSource();
    source.padSide = PadSide::Left;
    RunPtr made = run(source);
    QVERIFY(made != nullptr);
    QVERIFY(maskHint(*made, {0, 0, 0}).isEmpty());
    // Padding at the left and causal: the padded rows of "Hi" see nothing.
    QVERIFY(maskHint(*made, {0, 1, 0}).contains(QStringLiteral("0, 1, 2")));
    source.padding = false;
    source.padSide = PadSide::Right;
    source.causal = false;
    made = run(source);
    QVERIFY(maskHint(*made, {0, 1, 0}).contains(QStringLiteral("<pad>")));
    QVERIFY(maskHint(*made, {0, 0, 0}).isEmpty());
}

void TestCellStory::outsideIsNothing()
{
    const RunPtr made = run(groupedSource());
    QVERIFY(made != nullptr);
    const RowStats stats = made->maps()->row({}, Quantity::Weights, 0, {}).value().stats;
    QVERIFY(!cellStory(*made, stats, {}, {}).has_value());
    QVERIFY(!cellStory(*made, stats, {}, {99, 0}).has_value());
    QVERIFY(!cellStory(*made, stats, {0, 0, 99}, {0, 0}).has_value());
}

QTEST_MAIN(TestCellStory)
#include "tst_cellstory.moc"
