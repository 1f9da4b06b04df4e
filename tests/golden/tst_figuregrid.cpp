// Figures of many heads: nothing is read or kept that the page does not show.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure/figure.h"
#include "figure/figuredata.h"

#include <QTest>
#include <stop_token>

using namespace heed;
using namespace heed::ui;

namespace {

FigureSpec manyHeads(std::int64_t heads)
{
    FigureSpec spec;
    spec.view = FigureView::Grid;
    spec.maps.clear();
    for (std::int64_t head = 0; head < heads; ++head) {
        spec.maps.push_back({0, 0, head});
    }
    spec.widthMm = 100;
    spec.colourBar = false;
    spec.tokenLabels = false;
    return spec;
}

/// Maps of @p side².
RunPtr longRun(int heads, int side)
{
    Source source;
    source.lines = {QStringList(QList<QString>(side, "w")).join(' ').toStdString()};
    source.layer.heads = heads;
    source.layer.modelWidth = heads;
    const auto backend = BackendRegistry::instance().open("reference");
    const auto run = backend ? compute(source, *backend, {.threads = 1}) : RunPtr();
    return run ? *run : nullptr;
}

} // namespace

class FigureGridTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aPageWithoutRoomIsRefusedBeforeItIsComputed();
    void aGridReadsWhatThePageShows();
    void aLargeGridIsMadeOfPictures();
};

void FigureGridTest::aPageWithoutRoomIsRefusedBeforeItIsComputed()
{
    const RunPtr run = longRun(16, 40);
    FigureSpec spec = manyHeads(16);
    spec.widthMm = 20;
    std::stop_source stopped;
    stopped.request_stop(); // whatever is computed is cancelled
    const auto refused = makeFigure(spec, run, {.stop = stopped.get_token()});
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, Code::InvalidArgument);
    QVERIFY(refused.error().message.find("leaves no room") != std::string::npos);
}

void FigureGridTest::aGridReadsWhatThePageShows()
{
    const RunPtr run = longRun(16, 400);
    FigureSpec spec = manyHeads(16);
    spec.dpi = 50; // five columns of some 30 pixels: 25 texels of 16 cells
    const std::int64_t bytes = 16 * figureMapBytes(run->maps()->shape(), 4);
    QVERIFY(makeFigure(spec, run, {.threads = 1, .memoryBudget = bytes}).has_value());
    const auto refused = makeFigure(spec, run, {.threads = 1, .memoryBudget = bytes - 1});
    QVERIFY(!refused); // all maps together
    QCOMPARE(refused.error().code, Code::OutOfMemory);
}

void FigureGridTest::aLargeGridIsMadeOfPictures()
{
    FigureSpec spec = manyHeads(16);
    spec.isRaster = false;
    const auto figure = makeFigure(spec, longRun(16, 100), {.threads = 1});
    QVERIFY(figure.has_value());
    const auto svg = (*figure)->encode(QStringLiteral("svg"));
    QVERIFY(svg.has_value());
    QCOMPARE(svg->count("<image "), 16); // 160,000 rectangles are more than viewers like
}

QTEST_MAIN(FigureGridTest)
#include "tst_figuregrid.moc"
