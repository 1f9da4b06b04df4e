// Figures: exact size, text as text, lossless cells, right colours, everything to reproduce them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure/figure.h"
#include "figure/figurepainter.h"
#include "heed/arrayfile.h"
#include "views/colourmap.h"

#include <QBuffer>
#include <QDir>
#include <QGuiApplication>
#include <QImageReader>
#include <QPainter>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <cmath>

using namespace heed;
using namespace heed::ui;

namespace {

Source exampleSource()
{
    Source source;
    source.lines = {"I like eating apple", "我 喜欢"};
    source.layer.heads = 4;
    source.padding = true;
    source.causal = true;
    return source;
}

/// A map of @p queries × @p keys.
Source crossSource(int queries, int keys)
{
    const auto words = [](int count) {
        return QStringList(QList<QString>(count, "w")).join(' ').toStdString();
    };
    Source source;
    source.lines = {words(queries)};
    source.contextLines = {words(keys)};
    source.layer.heads = 1;
    source.layer.modelWidth = 8;
    return source;
}

RunPtr runOf(const Source& source)
{
    const auto backend = BackendRegistry::instance().open("reference");
    if (!backend) {
        return nullptr;
    }
    const auto run = compute(source, *backend, {.threads = 1});
    return run ? *run : nullptr;
}

FigureSpec heatmapSpec(std::int64_t item = 0, std::int64_t head = 1)
{
    FigureSpec spec;
    spec.maps = {{0, item, head}};
    spec.commandLine = "heedmap render --text 'I like eating apple' -o f.png";
    return spec;
}

FigureSpec gridSpec()
{
    FigureSpec spec = heatmapSpec();
    spec.view = FigureView::Grid;
    spec.maps = {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 0, 3}};
    return spec;
}

QByteArray output(const QString& program, const QStringList& arguments)
{
    QProcess process;
    process.start(program, arguments);
    return process.waitForFinished() && process.exitCode() == 0 ? process.readAllStandardOutput()
                                                                : QByteArray();
}

int pixelsOf(const QImage& picture, QRgb wanted)
{
    int count = 0;
    for (int y = 0; y < picture.height(); ++y) {
        for (int x = 0; x < picture.width(); ++x) {
            count += picture.pixel(x, y) == wanted ? 1 : 0;
        }
    }
    return count;
}

} // namespace

class FigureTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void pngHasTheAskedSizeAndResolution();
    void cellsHaveTheirColoursAtTheirCentres();
    void svgKeepsTextAndMillimetres();
    void svgIsWellFormedWhateverTheTitle();
    void pdfIsLosslessWithEmbeddedFonts();
    void aLargeMapIsOneLosslessPicture();
    void aStripIsReadable();
    void aPooledMapNamesAndDrawsItsTexels();
    void theLastTexelCoversItsCellsOnly();
    void gridShowsEveryHead();
    void aGridOfItemsNamesAndLabelsEach();
    void aGridOfLayersIsATable();
    void maskedCellsAreHatchedAndExplained();
    void hatchOverValuesStandsOutInGrey();
    void theColourBarIsAsLongAsTheMaps_data();
    void theColourBarIsAsLongAsTheMaps();
    void metadataReproducesTheFigure();
    void nonsenseIsRefusedWithTheWayOut();
    void awkwardShapesFit_data();
    void awkwardShapesFit();
    void aFailedWriteLeavesTheOldFile();

private:
    RunPtr m_run;
};

void FigureTest::initTestCase()
{
    m_run = runOf(exampleSource());
    QVERIFY(m_run);
}

void FigureTest::pngHasTheAskedSizeAndResolution()
{
    FigureSpec spec = heatmapSpec();
    spec.widthMm = 89;
    spec.dpi = 300;
    const auto figure = makeFigure(spec, m_run, {.threads = 1});
    QVERIFY(figure);
    const auto bytes = (*figure)->encode("png");
    QVERIFY(bytes);
    const QImage picture = QImage::fromData(*bytes, "PNG");
    QCOMPARE(picture.width(), 1051); // 89 / 25.4 · 300 = 1051.2
    QCOMPARE(qRound(picture.dotsPerMeterX() * 0.0254), 300);
    QVERIFY(std::abs((*figure)->sizeMm().width() - 89) < 1e-9);
}

void FigureTest::cellsHaveTheirColoursAtTheirCentres()
{
    // Labels, bar and title off: the cells fill the page but for the margins, so centres are known.
    FigureSpec spec = heatmapSpec();
    spec.title = false;
    spec.tokenLabels = false;
    spec.colourBar = false;
    spec.settings.cellNumbers = false;
    const auto figure = makeFigure(spec, m_run, {.threads = 1});
    QVERIFY(figure);
    const QImage picture = (*figure)->image(300);
    TileSpec whole;
    whole.rows = 4;
    whole.columns = 4;
    const auto weights = m_run->maps()->window({0, 0, 1}, whole, {.threads = 1});
    QVERIFY(weights);
    const double margin = 300 / 25.4;
    const double cell = (picture.width() - 2 * margin) / 4;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j <= i; ++j) {
            const QRgb seen =
                picture.pixel(qRound(margin + (j + 0.5) * cell), qRound(margin + (i + 0.5) * cell));
            const float value = weights->values[static_cast<std::size_t>(i * 4 + j)];
            QCOMPARE(seen, colourOf(colourTable(ColourMapId::Viridis), double(value), {0, 1}));
        }
    }
}

void FigureTest::svgIsWellFormedWhateverTheTitle()
{
    FigureSpec spec = heatmapSpec(1);
    spec.titleText = QStringLiteral("Q & A <b>") + QChar(1) + QChar(0xFFFE);
    spec.commandLine = QStringLiteral("heedmap render --mask 'causal & window(3)'");
    const auto figure = makeFigure(spec, m_run, {.threads = 1});
    QVERIFY(figure);
    const auto bytes = (*figure)->encode("svg");
    QVERIFY(bytes);
    QXmlStreamReader xml(*bytes);
    QStringList names{"title", "desc"};
    QStringList texts;
    while (!xml.atEnd()) {
        xml.readNext();
        if (xml.isStartElement() && names.contains(xml.name())) {
            texts << xml.readElementText();
        }
    }
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    QCOMPARE(texts, (QStringList{QStringLiteral("Q & A <b>\uFFFD\uFFFD"), spec.commandLine}));
}

void FigureTest::svgKeepsTextAndMillimetres()
{
    const auto figure = makeFigure(heatmapSpec(1), m_run, {.threads = 1});
    QVERIFY(figure);
    const auto bytes = (*figure)->encode("svg");
    QVERIFY(bytes);
    QXmlStreamReader xml(*bytes);
    QString text;
    bool sized = false;
    while (!xml.atEnd()) {
        xml.readNext();
        if (xml.isStartElement() && xml.name() == u"svg") {
            const QString width = xml.attributes().value("width").toString();
            QVERIFY2(width.endsWith("mm"), qPrintable(width));
            QVERIFY(std::abs(width.chopped(2).toDouble() - 89) < 0.05);
            sized = true;
        }
        if (xml.isCharacters()) {
            text += xml.text();
        }
    }
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    QVERIFY(sized);
    for (const char* token : {"我", "喜", "欢", "Head 1", "<pad>"}) {
        QVERIFY2(text.contains(QString::fromUtf8(token)), token);
    }
}

void FigureTest::pdfIsLosslessWithEmbeddedFonts()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("f.pdf");
    const auto figure = makeFigure(heatmapSpec(1), m_run, {.threads = 1});
    QVERIFY(figure);
    QVERIFY((*figure)->write(path));

    const QString info = output("pdfinfo", {path});
    const auto size = QRegularExpression("Page size:\\s+([0-9.]+) x ([0-9.]+) pts").match(info);
    QVERIFY2(size.hasMatch(), qPrintable(info));
    QVERIFY(std::abs(size.captured(1).toDouble() / 72 * 25.4 - 89) < 0.1);
    QVERIFY(std::abs(size.captured(2).toDouble() / 72 * 25.4 - (*figure)->sizeMm().height()) < 0.2);
    QVERIFY(info.contains("Pages:           1"));

    const QString fonts = output("pdffonts", {path});
    QVERIFY2(!fonts.contains("Type 3"), qPrintable(fonts));
    const QStringList lines = fonts.split('\n', Qt::SkipEmptyParts).mid(2);
    QVERIFY(!lines.isEmpty());
    for (const QString& line : lines) {
        QVERIFY2(line.contains(QRegularExpression("yes (yes|no)\\s+(yes|no)")), qPrintable(line));
    }
    // Two lines of table head and no picture: the cells are vectors.
    QVERIFY(output("pdfimages", {"-list", path}).count('\n') <= 2);
    QVERIFY(QString::fromUtf8(output("pdftotext", {path, "-"})).contains("weights"));
}

void FigureTest::aLargeMapIsOneLosslessPicture()
{
    Source source;
    std::string line;
    for (int i = 0; i < 300; ++i) {
        line += "w" + std::to_string(i % 50) + " ";
    }
    source.lines = {line};
    source.layer.heads = 2;
    const RunPtr run = runOf(source);
    QVERIFY(run);
    QTemporaryDir folder;
    const QString path = folder.filePath("f.pdf");
    const auto figure = makeFigure(heatmapSpec(), run, {.threads = 1});
    QVERIFY(figure);
    QVERIFY((*figure)->write(path));
    const QString images = output("pdfimages", {"-list", path});
    QVERIFY2(images.contains("image"), qPrintable(images));
    QVERIFY2(!images.contains("jpeg"), qPrintable(images));
    const auto size = QRegularExpression("image\\s+(\\d+)\\s+(\\d+)").match(images);
    QVERIFY(size.hasMatch());
    QCOMPARE(size.captured(1).toInt() % 300, 0); // enlarged by a whole factor
    QVERIFY(!(*figure)->warnings().isEmpty());   // labels were thinned, and it says so
}

void FigureTest::aStripIsReadable()
{
    const auto sizeOf = [&](int queries, int keys) {
        const RunPtr run = runOf(crossSource(queries, keys));
        FigureSpec spec = heatmapSpec(0, 0);
        spec.tokenLabels = spec.colourBar = spec.title = false;
        const auto figure =
            run ? makeFigure(spec, run, {.threads = 1}) : Expected<std::shared_ptr<const Figure>>();
        return figure && *figure ? (*figure)->sizeMm() : QSizeF();
    };
    QVERIFY(sizeOf(1, 1000).height() >= 2 + 4); // with the margins
    QVERIFY(sizeOf(1000, 1).height() < 89 * 3);
    QCOMPARE(qRound(sizeOf(4, 4).height()), 89);
}

void FigureTest::aPooledMapNamesAndDrawsItsTexels()
{
    // 2049 keys: level 1, 1025 texels, of which the last covers one key.
    const RunPtr run = runOf(crossSource(1, 2049));
    QVERIFY(run);
    FigureSpec spec = heatmapSpec(0, 0);
    spec.tokenLabels = false;
    spec.isRaster = false;
    const auto named = makeFigure(spec, run, {.threads = 1});
    QVERIFY(named);
    QVERIFY(QString::fromUtf8(*(*named)->encode("svg")).contains(QString::fromUtf8("1×2 max")));
    // Twice the pixels: every key has a texel.
    spec.widthMm = 183;
    spec.dpi = 600;
    const auto exact = makeFigure(spec, run, {.threads = 1});
    QVERIFY(exact);
    QVERIFY(!QString::fromUtf8(*(*exact)->encode("svg")).contains(QString::fromUtf8("×2 max")));
}

void FigureTest::theLastTexelCoversItsCellsOnly()
{
    FigureLayout layout;
    FigureMap map;
    map.level = 2;
    map.queries = 1;
    map.keys = 5;
    map.tile.texels.rows = 1;
    map.tile.texels.columns = 2; // four keys and one
    map.tile.texels.values = {0, 1};
    map.tile.texels.maskedShare = {0, 0};
    map.tile.reasons = {0, 0};
    FigurePanel panel;
    panel.map = &map;
    panel.area = QRectF(0, 0, 1000, 100);
    layout.panels = {panel};
    layout.size = QSizeF(1000, 100);
    QImage picture(1000, 100, QImage::Format_RGB32);
    picture.fill(Qt::white);
    QPainter painter(&picture);
    TileStyle style;
    style.quantity = Quantity::Weights;
    paintFigure(painter, layout, style);
    painter.end();
    QCOMPARE(picture.pixel(790, 50), picture.pixel(10, 50));
    QVERIFY(picture.pixel(810, 50) != picture.pixel(790, 50));
}

void FigureTest::gridShowsEveryHead()
{
    const auto figure = makeFigure(gridSpec(), m_run, {.threads = 1});
    QVERIFY(figure);
    const QString svg = QString::fromUtf8(*(*figure)->encode("svg"));
    for (const char* head : {">H0<", ">H1<", ">H2<", ">H3<"}) {
        QVERIFY2(svg.contains(head), head);
    }
}

void FigureTest::aGridOfItemsNamesAndLabelsEach()
{
    FigureSpec spec = gridSpec();
    spec.maps = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}};
    spec.widthMm = 183;
    spec.settings.rangeMode = RangeMode::Map;
    const auto figure = makeFigure(spec, m_run, {.threads = 1});
    QVERIFY(figure);
    const QString svg = QString::fromUtf8(*(*figure)->encode("svg"));
    for (const char* text : {">Item 0 · H0<", ">Item 0 · H1<", ">Item 1 · H0<", ">Item 1 · H1<",
                             ">Layer 0 · 2 heads · 2 items · weights<", "shared by 4 maps"}) {
        QVERIFY2(svg.contains(QString::fromUtf8(text)), text);
    }
    // The queries of an item once at its row, its keys above each of its two panels.
    QCOMPARE(svg.count(">apple<"), 3);
    QCOMPARE(svg.count(QString::fromUtf8(">欢<")), 3);
}

void FigureTest::aGridOfLayersIsATable()
{
    const QTemporaryDir folder;
    Source source;
    source.maps = folder.filePath("maps.npy").toStdString();
    const Tensor numbers({6, 1, 12, 5, 5});
    const std::vector<ArrayToWrite> arrays = {
        {"", ElementType::Float32, numbers.shape(), std::as_bytes(numbers.values())}};
    QVERIFY(writeArrays(source.maps, arrays));
    const RunPtr run = runOf(source);
    QVERIFY(run != nullptr);
    FigureSpec spec = gridSpec();
    spec.maps.clear();
    for (std::int64_t map = 0; map < 72; ++map) {
        spec.maps.push_back({map / 12, 0, map % 12});
    }
    const auto figure = makeFigure(spec, run, {.threads = 1});
    QVERIFY2(figure, figure ? "" : figure.error().message.c_str());
    QCOMPARE((*figure)->warnings().size(), 1); // a column of a journal has no room for labels
    const QString svg = QString::fromUtf8(*(*figure)->encode("svg"));
    for (const char* name : {">L0<", ">L5<", ">H0<", ">H11<"}) {
        QCOMPARE(svg.count(name), 1);
    }
    // What the refusal says is enough is enough.
    spec.widthMm = 20;
    const auto refused = makeFigure(spec, run, {.threads = 1});
    QVERIFY(!refused);
    const QRegularExpression enough(R"((\d+) mm is enough)");
    spec.widthMm =
        enough.match(QString::fromStdString(refused.error().message)).captured(1).toDouble();
    QVERIFY(makeFigure(spec, run, {.threads = 1}));
}

void FigureTest::maskedCellsAreHatchedAndExplained()
{
    const auto hatched = makeFigure(heatmapSpec(1), m_run, {.threads = 1});
    QVERIFY(hatched);
    const QString svg = QString::fromUtf8(*(*hatched)->encode("svg"));
    QVERIFY(svg.contains("masked: padding"));
    QVERIFY(svg.contains("masked: causal"));
    FigureSpec plain = heatmapSpec(1);
    plain.settings.hatchMasked = false;
    const auto bare = makeFigure(plain, m_run, {.threads = 1});
    QVERIFY(bare);
    QVERIFY(!QString::fromUtf8(*(*bare)->encode("svg")).contains("masked:"));
    // Without the hatch masked cells stay paper: they must not pass for zero.
    const QRgb paper = qRgb(255, 255, 255);
    QVERIFY(pixelsOf((*bare)->image(150), paper) > pixelsOf((*hatched)->image(150), paper) + 1000);
}

void FigureTest::hatchOverValuesStandsOutInGrey()
{
    FigureSpec spec = heatmapSpec();
    spec.title = false;
    spec.tokenLabels = false;
    spec.colourBar = false;
    spec.settings.cellNumbers = false;
    for (const Quantity quantity : {Quantity::Scores, Quantity::Scaled}) {
        spec.settings.quantity = quantity;
        const auto figure = makeFigure(spec, m_run, {.threads = 1});
        QVERIFY(figure);
        const QImage picture = (*figure)->image(300);
        const double margin = 300 / 25.4;
        const double cell = (picture.width() - 2 * margin) / 4;
        for (int row = 0; row < 4; ++row) {
            for (int column = row + 1; column < 4; ++column) { // masked, a value below the hatch
                int darkest = 255;
                int lightest = 0;
                for (int i = 0; i < qRound(cell) - 4; ++i) {
                    const int grey = qGray(picture.pixel(qRound(margin + column * cell) + 2 + i,
                                                         qRound(margin + (row + 0.5) * cell)));
                    darkest = std::min(darkest, grey);
                    lightest = std::max(lightest, grey);
                }
                QVERIFY2(
                    lightest - darkest > 90,
                    qPrintable(QString("%1,%2: %3").arg(row).arg(column).arg(lightest - darkest)));
            }
        }
    }
}

void FigureTest::theColourBarIsAsLongAsTheMaps_data()
{
    QTest::addColumn<bool>("grid");
    QTest::addColumn<double>("widthMm");
    QTest::newRow("heatmap") << false << 89.0;
    QTest::newRow("large heatmap") << false << 183.0;
    QTest::newRow("grid") << true << 183.0;
}

void FigureTest::theColourBarIsAsLongAsTheMaps()
{
    QFETCH(bool, grid);
    QFETCH(double, widthMm);
    FigureSpec spec = grid ? gridSpec() : heatmapSpec();
    spec.widthMm = widthMm;
    spec.settings.hatchMasked = false; // no legend: the maps end a margin above the edge
    const auto figure = makeFigure(spec, m_run, {.threads = 1});
    QVERIFY(figure);
    const QImage picture = (*figure)->image(300);
    const QRgb lowest = colourOf(colourTable(ColourMapId::Viridis), 0.004, {0, 1});
    int bottom = 0; // of the darkest colour in the right quarter, where only the bar has it
    for (int y = 0; y < picture.height(); ++y) {
        for (int x = picture.width() * 7 / 8; x < picture.width(); ++x) {
            bottom = picture.pixel(x, y) == lowest ? y : bottom;
        }
    }
    const double margin = 300 / 25.4;
    QVERIFY2(std::abs(bottom - (picture.height() - margin)) < 4,
             qPrintable(QString("%1 of %2").arg(bottom).arg(picture.height())));
}

void FigureTest::metadataReproducesTheFigure()
{
    const FigureSpec spec = heatmapSpec();
    const auto figure = makeFigure(spec, m_run, {.threads = 1});
    QVERIFY(figure);
    const QImage picture = QImage::fromData(*(*figure)->encode("png"), "PNG");
    QCOMPARE(picture.text("Description"), spec.commandLine);
    QVERIFY(picture.text("Software").startsWith("Heedmap "));
    QVERIFY(QString::fromUtf8(*(*figure)->encode("svg")).contains("heedmap render --text"));
    QVERIFY((*figure)->encode("pdf")->contains("command-line.txt"));
}

void FigureTest::nonsenseIsRefusedWithTheWayOut()
{
    const auto refusal = [&](auto change) {
        FigureSpec spec = heatmapSpec();
        change(spec);
        const auto figure = makeFigure(spec, m_run, {.threads = 1});
        return figure ? QString() : QString::fromStdString(figure.error().message);
    };
    QVERIFY(refusal([](FigureSpec& s) { s.widthMm = 0; }).contains("20 mm"));
    QVERIFY(refusal([](FigureSpec& s) { s.widthMm = std::nan(""); }).contains("20 mm"));
    QVERIFY(refusal([](FigureSpec& s) { s.fontPt = 1000; }).contains("72 pt"));
    QVERIFY(refusal([](FigureSpec& s) { s.dpi = 1; }).contains("dpi"));
    QVERIFY(refusal([](FigureSpec& s) { s.maps = {}; }).contains("one head"));
    QVERIFY(refusal([](FigureSpec& s) { s.maps = {{0, 0, 9}}; }).contains("head 9"));
    QVERIFY(refusal([](FigureSpec& s) {
                s.widthMm = 20;
                s.fontPt = 40;
            }).contains("no room"));
    const auto figure = makeFigure(heatmapSpec(), m_run, {.threads = 1});
    QVERIFY(QString::fromStdString((*figure)->encode("gif").error().message)
                .contains("png, svg or pdf"));
}

void FigureTest::awkwardShapesFit_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("context");
    QTest::newRow("one token") << "a"
                               << "";
    QTest::newRow("a very long token") << QString(400, 'x') + " b c"
                                       << "";
    QTest::newRow("many queries, one key") << QString("w ").repeated(200) << "k";
    QTest::newRow("one query, many keys") << "q" << QString("w ").repeated(200);
    QTest::newRow("Chinese") << "注意力机制让每个词看见其他词"
                             << "";
}

void FigureTest::awkwardShapesFit()
{
    QFETCH(QString, text);
    QFETCH(QString, context);
    Source source;
    source.lines = {text.toStdString()};
    if (!context.isEmpty()) {
        source.contextLines = {context.toStdString()};
    }
    const RunPtr run = runOf(source);
    QVERIFY(run);
    for (const bool grid : {false, true}) {
        FigureSpec spec = heatmapSpec();
        if (grid) {
            spec.view = FigureView::Grid;
            spec.maps = {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}};
        }
        const auto figure = makeFigure(spec, run, {.threads = 1});
        QVERIFY2(figure, figure ? "" : figure.error().message.c_str());
        const QSizeF size = (*figure)->sizeMm();
        QVERIFY(size.height() > 5 && size.height() < 3.5 * size.width());
        const QImage picture = (*figure)->image(100);
        for (int y = 0; y < picture.height(); ++y) { // nothing runs over the edge
            QCOMPARE(picture.pixel(0, y), qRgb(255, 255, 255));
            QCOMPARE(picture.pixel(picture.width() - 1, y), qRgb(255, 255, 255));
        }
    }
}

void FigureTest::aFailedWriteLeavesTheOldFile()
{
    const auto figure = makeFigure(heatmapSpec(), m_run, {.threads = 1});
    QVERIFY(figure);
    const auto written = (*figure)->write("/nonexistent-folder/f.png");
    QVERIFY(!written);
    QCOMPARE(written.error().code, Code::Io);
    QTemporaryDir folder;
    QVERIFY(!(*figure)->write(folder.filePath("f.bmp")));
    QVERIFY(QDir(folder.path()).isEmpty());
}

QTEST_MAIN(FigureTest)
#include "tst_figure.moc"
