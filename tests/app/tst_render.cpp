// heedmap render: figures with no display, to files and to pipes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include "heed/arrayfile.h"

#include <QDir>
#include <QElapsedTimer>
#include <QImage>
#include <QTemporaryDir>
#include <QTest>

class TestRender : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void formats_data();
    void formats();
    void widthAndResolution();
    void noCellIsLostBetweenPixels_data();
    void noCellIsLostBetweenPixels();
    void severalMapsAreAGrid();
    void aHeatmapOfSeveralMapsIsRefused();
    void pipe();
    void stopsWhileItEncodes();
    void figureTellsItsCommand();
    void saysNothingWithoutASession();
};

namespace {

const QStringList Causal = {"render", "--text", "I like eating apple", "--heads", "4", "--causal"};

Outcome render(const QStringList& arguments)
{
    QProcessEnvironment environment = bareEnvironment(); // render chooses its own platform
    return runProgram(Causal + arguments, {}, {}, environment);
}

} // namespace

void TestRender::formats_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("magic");
    QTest::newRow("png") << "a.png" << QByteArray("\x89PNG");
    QTest::newRow("svg") << "a.svg" << QByteArray("<?xml");
    QTest::newRow("pdf") << "a.pdf" << QByteArray("%PDF-");
}

void TestRender::formats()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, magic);
    const QTemporaryDir folder;
    const QString path = folder.filePath(name);
    const Outcome outcome = render({"--head", "1", "-o", path});
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().startsWith(magic));
}

void TestRender::widthAndResolution()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.png");
    const Outcome outcome =
        render({"--head", "0", "--width", "50.8mm", "--dpi", "100", "-o", path});
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    QVERIFY(std::abs(QImage(path).width() - 200) <= 1);
    const Outcome inches = render({"--head", "0", "--width", "2in", "--dpi", "100", "-o", path});
    QVERIFY2(inches.exitCode == 0, inches.errors.constData());
    QVERIFY(std::abs(QImage(path).width() - 200) <= 1);
}

void TestRender::noCellIsLostBetweenPixels_data()
{
    QTest::addColumn<int>("keys");
    QTest::addColumn<int>("dpi");
    QTest::newRow("more cells than pixels") << 1100 << 300;
    QTest::newRow("twice as many") << 2000 << 300;
    QTest::newRow("pooled") << 3000 << 300;
    QTest::newRow("few pixels") << 500 << 60;
}

void TestRender::noCellIsLostBetweenPixels()
{
    QFETCH(int, keys);
    QFETCH(int, dpi);
    constexpr int queries = 48;
    const QTemporaryDir folder;
    for (int key = keys / 3; key < keys / 3 + 5; ++key) {
        heed::Tensor weights(heed::Shape{1, 1, queries, keys});
        for (int query = 0; query < queries; ++query) {
            weights.data()[query * keys + key] = 1;
        }
        const std::filesystem::path maps = folder.filePath("maps.npy").toStdString();
        const std::vector<heed::ArrayToWrite> arrays = {
            {"", heed::ElementType::Float32, weights.shape(), std::as_bytes(weights.values())}};
        QVERIFY(heed::writeArrays(maps, arrays));
        const QString path = folder.filePath("a.png");
        const Outcome outcome = runProgram({"render", "--maps", folder.filePath("maps.npy"),
                                            "--no-bar", "--dpi", QString::number(dpi), "-o", path},
                                           {}, {}, bareEnvironment());
        QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
        const QImage image(path);
        bool found = false;
        for (int y = 0; y < image.height() && !found; ++y) {
            for (int x = 0; x < image.width() && !found; ++x) {
                const QColor colour = image.pixelColor(x, y);
                found = colour.red() > 240 && colour.green() > 220 && colour.blue() < 60; // viridis
            }
        }
        QVERIFY2(found, qPrintable(QStringLiteral("key %1").arg(key)));
    }
}

void TestRender::severalMapsAreAGrid()
{
    const QTemporaryDir folder;
    const Outcome automatic = render({"-o", folder.filePath("a.png")});
    QVERIFY2(automatic.exitCode == 0, automatic.errors.constData());
    const Outcome grid = render({"--view", "grid", "-o", folder.filePath("b.png")});
    QVERIFY2(grid.exitCode == 0, grid.errors.constData());
    QCOMPARE(QImage(folder.filePath("a.png")), QImage(folder.filePath("b.png")));
    const Outcome single =
        render({"--view", "heatmap", "--head", "1", "-o", folder.filePath("c.png")});
    QVERIFY2(single.exitCode == 0, single.errors.constData());
    QVERIFY(QImage(folder.filePath("c.png")) != QImage(folder.filePath("b.png")));
}

void TestRender::aHeatmapOfSeveralMapsIsRefused()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.png");
    for (const QStringList& chosen :
         {QStringList{}, QStringList{"--head", "0,1"}, QStringList{"--item", "0"}}) {
        const Outcome outcome = render(QStringList{"--view", "heatmap", "-o", path} + chosen);
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.errors.contains("shows one map"), outcome.errors.constData());
        QVERIFY(!QFile::exists(path));
    }
}

void TestRender::pipe()
{
    const Outcome outcome = render({"--head", "0", "-o", "-", "--format", "png"});
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    QVERIFY(!QImage::fromData(outcome.output, "PNG").isNull());
}

void TestRender::stopsWhileItEncodes()
{
    // 100 million pixels: more seconds than it gets, and then the two that work has to stop in.
    const QTemporaryDir folder;
    QElapsedTimer timer;
    timer.start();
    const Outcome outcome = runInShell("timeout --preserve-status -s INT 1 \"$HEEDMAP\" render "
                                       "--text 'a b' --heads 1 --dpi 2400 --width 120mm -o f.png",
                                       folder.path());
    QCOMPARE(outcome.exitCode, 130);
    QVERIFY2(timer.elapsed() < 2800, qPrintable(QString::number(timer.elapsed())));
    QVERIFY(QDir(folder.path()).isEmpty());
}

void TestRender::figureTellsItsCommand()
{
    const Outcome outcome = render({"--head", "2", "-o", "-", "--format", "svg"});
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    QVERIFY(outcome.output.contains("heedmap render"));
    QVERIFY(outcome.output.contains("--head 2"));
}

void TestRender::saysNothingWithoutASession()
{
    QProcessEnvironment environment = bareEnvironment();
    environment.remove("XDG_RUNTIME_DIR");
    const Outcome outcome =
        runProgram(Causal + QStringList{"--head", "0", "-o", "-"}, {}, {}, environment);
    QCOMPARE(outcome.exitCode, 0);
    QCOMPARE(outcome.errors, QByteArray());
}

QTEST_GUILESS_MAIN(TestRender)
#include "tst_render.moc"
