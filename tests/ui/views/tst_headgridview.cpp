// The grid of heads and the row profile: painting, selection, keys.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/colourmap.h"
#include "views/headgridview.h"
#include "views/profileview.h"
#include "views/viewcolours.h"

#include "fakeengine.h"

#include "heed/model.h"

#include <QApplication>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <memory>

using namespace heed;
using namespace heed::ui;
using namespace heed::ui::test;

namespace {

/// Head h is one colour: h eighths.
FakeCell cellOf(const MapIndex& map, std::int64_t, std::int64_t key)
{
    return {static_cast<float>(map.head) / 8,
            key == 9 ? static_cast<MaskReasons>(MaskReason::Padding) : MaskReasons{0}};
}

/// A model whose heads share keys by twos and whose layers share weights by threes; layer 1 sees a
/// window.
class SharingRun : public FakeRun {
public:
    explicit SharingRun(MapsShape shape)
        : FakeRun(shape, cellOf)
        , m_k({1, shape.heads / 2, shape.keys, 1})
    {
        m_model.causal = true;
        m_model.layers = shape.layers;
        m_model.layerGroups = shape.layers / 3;
        m_model.windows.assign(static_cast<std::size_t>(shape.layers), 0);
        m_model.windows[1] = 4;
    }
    [[nodiscard]] const Tensor* k(std::int64_t) const override { return &m_k; }
    [[nodiscard]] const ModelConfig* model() const override { return &m_model; }

private:
    Tensor m_k;
    ModelConfig m_model;
};

struct Fixture {
    explicit Fixture(MapsShape shape)
        : Fixture(shape, std::make_shared<const FakeRun>(shape, cellOf))
    {
    }
    Fixture(MapsShape shape, const std::shared_ptr<const FakeRun>& run)
        : engine(std::make_shared<FakeEngine>())
        , service(engine)
    {
        engine->setNext(run);
        QSignalSpy spy(&service, &EngineService::runReady);
        service.compute({});
        if (spy.wait(5000)) {
            selection.setShape(shape);
        }
    }
    std::shared_ptr<FakeEngine> engine;
    EngineService service;
    SelectionModel selection;
    ViewSettingsModel settings;
};

} // namespace

class TestHeadGridView : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void thumbnailsShowTheirHeads();
    void clickSelectsAndDoubleClickOpens();
    void arrowsMoveInTheBlock();
    void layersAndHeadsMakeATable();
    void allHeadsAreSeenWhenTheyCanBe();
    void smallThumbnailsAskForSmallTiles();
    void aThumbnailShowsADraftMeanwhile();
    void whatIsShownIsSaidUntilTheNextIsThere();
    void thumbnailsThatAreSeenComeFirst();
    void aMetricSortsTheHeads();
    void sortedLayersAreOneBlock();
    void theOrderDoesNotChangeUnderThePointer();
    void aBarShowsAMetric();
    void aFrameHasTheColourOfAMetric();
    void labelsHaveRoomForTheirNumbers();
    void headsThatShareKeysStandTogether();
    void whatIsSharedIsMarked();
    void profileFollowsTheSelection();
    void profileOfANewRunArrivesWhoeverHearsOfItFirst();
    void profileBarsSelect();
};

void TestHeadGridView::thumbnailsShowTheirHeads()
{
    Fixture f({1, 1, 8, 8, 8});
    HeadGridView grid(&f.service, &f.selection, &f.settings);
    grid.resize(280, 400);
    grid.show();
    grid.setRun(f.service.current());
    const ColourTable& table = colourTable(ColourMapId::Viridis);
    for (int head = 0; head < 8; ++head) {
        const QPoint middle = grid.thumbnailRect(0, head).center().toPoint();
        QVERIFY(grid.rect().contains(middle));
        QTRY_COMPARE(grid.grab().toImage().pixel(middle), colourOf(table, head / 8.0, {0, 1}));
    }
    QVERIFY(grid.thumbnailRect(0, 8).isEmpty());
    QVERIFY(grid.heightForWidth(280) >= grid.thumbnailRect(0, 7).bottom());
}

void TestHeadGridView::clickSelectsAndDoubleClickOpens()
{
    Fixture f({1, 2, 8, 8, 8});
    f.selection.setMap({0, 1, 0});
    HeadGridView grid(&f.service, &f.selection, &f.settings);
    grid.resize(280, 400);
    grid.show();
    grid.setRun(f.service.current());
    QTest::mouseClick(&grid, Qt::LeftButton, Qt::NoModifier,
                      grid.thumbnailRect(0, 5).center().toPoint());
    QCOMPARE(f.selection.map(), (MapIndex{0, 1, 5}));
    QSignalSpy opened(&grid, &HeadGridView::opened);
    QTest::mouseDClick(&grid, Qt::LeftButton, Qt::NoModifier,
                       grid.thumbnailRect(0, 2).center().toPoint());
    QCOMPARE(opened.count(), 1);
    QCOMPARE(f.selection.map().head, 2);
    QTest::keyClick(&grid, Qt::Key_Return);
    QCOMPARE(opened.count(), 2);
    QVERIFY(grid.accessibleDescription().contains(QStringLiteral("head 2")));
}

void TestHeadGridView::arrowsMoveInTheBlock()
{
    Fixture f({1, 1, 8, 8, 8});
    HeadGridView grid(&f.service, &f.selection, &f.settings);
    grid.resize(280, 400);
    grid.show();
    grid.setRun(f.service.current());
    QTest::keyClick(&grid, Qt::Key_Left);
    QCOMPARE(f.selection.map().head, 0);
    QTest::keyClick(&grid, Qt::Key_Right);
    QCOMPARE(f.selection.map().head, 1);
    QTest::keyClick(&grid, Qt::Key_Down);
    const std::int64_t below = f.selection.map().head;
    QVERIFY(below > 1);
    QVERIFY(grid.thumbnailRect(0, below).top() > grid.thumbnailRect(0, 1).top());
    QCOMPARE(grid.thumbnailRect(0, below).left(), grid.thumbnailRect(0, 1).left());
    QTest::keyClick(&grid, Qt::Key_End);
    QCOMPARE(f.selection.map().head, 7);
    QTest::keyClick(&grid, Qt::Key_Down);
    QCOMPARE(f.selection.map().head, 7);
}

void TestHeadGridView::layersAndHeadsMakeATable()
{
    Fixture f({3, 1, 5, 8, 8});
    HeadGridView grid(&f.service, &f.selection, &f.settings);
    grid.resize(300, 400);
    grid.show();
    grid.setRun(f.service.current());
    QCOMPARE(grid.thumbnailRect(0, 2).left(), grid.thumbnailRect(0, 0).left());
    QCOMPARE(grid.thumbnailRect(2, 1).top(), grid.thumbnailRect(0, 1).top());
    QTest::keyClick(&grid, Qt::Key_Right);
    QCOMPARE(f.selection.map(), (MapIndex{1, 0, 0}));
    QTest::keyClick(&grid, Qt::Key_Down);
    QCOMPARE(f.selection.map(), (MapIndex{1, 0, 1}));
}

void TestHeadGridView::smallThumbnailsAskForSmallTiles()
{
    Fixture f({12, 12, 12, 600, 600});
    HeadGridView grid(&f.service, &f.selection, &f.settings);
    grid.resize(280, 400);
    grid.show();
    grid.setRun(f.service.current());
    const double pixels = grid.thumbnailRect(0, 0).width() * grid.devicePixelRatioF();
    QVERIFY(pixels < 75);
    TileRequest request;
    const auto tileAt = [&](int level) {
        request.level = level;
        return f.service.cachedTile(request);
    };
    const int top = f.service.current()->maps()->topLevel();
    QTRY_VERIFY(tileAt(top + 1) || tileAt(top + 2) || tileAt(top + 3));
    QVERIFY(!tileAt(top));
    // No isolated cell is lost: there is a texel for each pixel.
    for (int level = top + 1; level <= top + 3; ++level) {
        if (const TilePtr tile = tileAt(level)) {
            QVERIFY(static_cast<double>(tile->texels.columns) >= pixels);
        }
    }
}

void TestHeadGridView::aThumbnailShowsADraftMeanwhile()
{
    Fixture f({1, 1, 2, 8, 8});
    f.engine->sendDrafts(); // all its texels are 0.25
    f.engine->closeGate();
    HeadGridView grid(&f.service, &f.selection, &f.settings);
    grid.resize(280, 400);
    grid.show();
    grid.setRun(f.service.current());
    const QPoint place = grid.thumbnailRect(0, 0).center().toPoint();
    const auto colour = [&] { return grid.grab().toImage().pixel(place); };
    QTRY_COMPARE(colour(), colourTable(ColourMapId::Viridis)[64]);
    // In its corner, and for those who ask.
    const auto isMarked = [&] {
        const QRect rect = grid.thumbnailRect(0, 0).toAlignedRect();
        return grid.grab().toImage().pixel(rect.bottomRight() - QPoint(6, 4)) != colour();
    };
    QVERIFY(isMarked());
    QVERIFY(grid.shown().hasDrafts);
    f.engine->openGate();
    QTRY_COMPARE(colour(), colourTable(ColourMapId::Viridis)[0]); // head 0 is all 0
    QVERIFY(!isMarked());
    QTRY_VERIFY(!grid.shown().hasDrafts);
}

void TestHeadGridView::whatIsShownIsSaidUntilTheNextIsThere()
{
    Fixture f({1, 1, 2, 8, 8});
    HeadGridView grid(&f.service, &f.selection, &f.settings);
    grid.resize(280, 400);
    grid.show();
    grid.setRun(f.service.current());
    QTRY_COMPARE(f.engine->tilesComputed(), 2);
    QSignalSpy changes(&grid, &HeadGridView::shownChanged);
    f.engine->closeGate();
    ViewSettings settings = f.settings.settings();
    settings.quantity = Quantity::Scores;
    f.settings.setSettings(settings);
    QCOMPARE(grid.shown().quantities, std::vector{Quantity::Weights});
    const QPoint place = grid.thumbnailRect(0, 1).center().toPoint();
    const QRgb eighth = colourOf(colourTable(ColourMapId::Viridis), 1 / 8.0, {0, 1});
    QCOMPARE(grid.grab().toImage().pixel(place), eighth); // in the colours of the weights
    f.engine->openGate();
    QTRY_COMPARE(grid.shown().quantities, std::vector{Quantity::Scores});
    QVERIFY(changes.count() > 0);
}

void TestHeadGridView::thumbnailsThatAreSeenComeFirst()
{
    Fixture f({1, 1, 64, 8, 8});
    auto* grid = new HeadGridView(&f.service, &f.selection, &f.settings);
    QScrollArea area;
    area.setWidget(grid);
    area.resize(300, 200);
    area.show();
    grid->resize(280, 4000);
    area.ensureVisible(0, 4000);
    f.engine->closeGate();
    grid->setRun(f.service.current());
    grid->resize(280, grid->heightForWidth(280));
    area.ensureVisible(0, grid->height());
    QTest::qWait(50); // it has been painted
    f.engine->openGate();
    QTRY_COMPARE(f.engine->tileOrder().size(), std::size_t{64});
    const std::vector<MapIndex> order = f.engine->tileOrder();
    const auto placeOf = [&](std::int64_t head) {
        return std::find_if(order.begin(), order.end(),
                            [head](const MapIndex& map) { return map.head == head; });
    };
    QVERIFY(placeOf(63) < placeOf(20));
}

void TestHeadGridView::aMetricSortsTheHeads()
{
    Fixture f({1, 1, 8, 8, 8}); // head h has an entropy of h
    HeadGridView grid(&f.service, &f.selection, &f.settings);
    grid.resize(280, 400);
    grid.show();
    grid.setRun(f.service.current());
    const QRectF first = grid.thumbnailRect(0, 0);
    ViewSettings settings;
    settings.headOrder = "entropy";
    QSignalSpy rearranged(&grid, &HeadGridView::rearranged);
    f.settings.setSettings(settings);
    QTRY_COMPARE(grid.thumbnailRect(0, 7).topLeft(), first.topLeft());
    QVERIFY(rearranged.count() > 0);
    QVERIFY(grid.accessibleDescription().contains(QStringLiteral("sorted by entropy in nats")));
    f.selection.setMap({0, 0, 7});
    QTest::keyClick(&grid, Qt::Key_Right);
    QCOMPARE(f.selection.map().head, 6);
    QTest::keyClick(&grid, Qt::Key_End);
    QCOMPARE(f.selection.map().head, 0);
    QTest::mouseClick(&grid, Qt::LeftButton, Qt::NoModifier,
                      grid.thumbnailRect(0, 5).center().toPoint());
    QCOMPARE(f.selection.map().head, 5);
    // Ties keep the order of the heads; so does what no head has.
    settings.headOrder = "self";
    f.settings.setSettings(settings);
    QTRY_COMPARE(grid.thumbnailRect(0, 0).topLeft(), first.topLeft());
    settings.headOrder.clear();
    f.settings.setSettings(settings);
    QCOMPARE(grid.thumbnailRect(0, 0), first);
}

void TestHeadGridView::sortedLayersAreOneBlock()
{
    Fixture f({2, 1, 3, 8, 8});
    ViewSettings settings;
    settings.headOrder = "entropy";
    f.settings.setSettings(settings);
    HeadGridView grid(&f.service, &f.selection, &f.settings);
    grid.resize(500, 400);
    grid.show();
    grid.setRun(f.service.current());
    // Entropies 0 1 2 in both layers: L0 H2, L1 H2, L0 H1, …
    QTRY_VERIFY(grid.thumbnailRect(0, 2).left() < grid.thumbnailRect(1, 2).left());
    QCOMPARE(grid.thumbnailRect(0, 2).top(), grid.thumbnailRect(1, 2).top());
    f.selection.setMap({0, 0, 2});
    QTest::keyClick(&grid, Qt::Key_Right);
    QCOMPARE(f.selection.map(), (MapIndex{1, 0, 2}));
}

void TestHeadGridView::theOrderDoesNotChangeUnderThePointer()
{
    Fixture f({1, 1, 4, 8, 8});
    ViewSettings settings;
    settings.headOrder = "entropy";
    f.settings.setSettings(settings);
    HeadGridView grid(&f.service, &f.selection, &f.settings);
    grid.resize(280, 400);
    grid.show();
    grid.setRun(f.service.current());
    QTRY_VERIFY(grid.thumbnailRect(0, 3).left() < grid.thumbnailRect(0, 2).left());
    const QRectF best = grid.thumbnailRect(0, 3);
    grid.setAttribute(Qt::WA_UnderMouse);
    f.engine->setEntropySign(-1); // from now on the opposite order
    f.engine->setNext(std::make_shared<const FakeRun>(
        MapsShape{1, 1, 4, 8, 8},
        [](const MapIndex&, std::int64_t, std::int64_t) { return FakeCell{}; }));
    QSignalSpy ready(&f.service, &EngineService::runReady);
    QSignalSpy metrics(&f.service, &EngineService::metricsReady);
    f.service.compute({});
    QVERIFY(ready.wait(5000));
    grid.setRun(f.service.current());
    QTRY_COMPARE(metrics.count(), 4);
    QCOMPARE(grid.thumbnailRect(0, 3), best);
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&grid, &leave);
    QCOMPARE(grid.thumbnailRect(0, 0), best);
}

void TestHeadGridView::aBarShowsAMetric()
{
    Fixture f({1, 1, 4, 8, 8});
    HeadGridView grid(&f.service, &f.selection, &f.settings);
    grid.resize(280, 400);
    grid.show();
    grid.setRun(f.service.current());
    const int before = grid.heightForWidth(280);
    ViewSettings settings;
    settings.headBar = "entropy";
    f.settings.setSettings(settings);
    QVERIFY(grid.heightForWidth(280) > before);
    // Head 3 has the largest entropy: its bar is full, in the last colour.
    const QRectF rect = grid.thumbnailRect(0, 3);
    const QPoint end(static_cast<int>(rect.right()) - 2, static_cast<int>(rect.bottom()) + 5);
    QTRY_COMPARE(grid.grab().toImage().pixel(end), colourTable(ColourMapId::Viridis)[255]);
    QVERIFY(grid.accessibleDescription().contains(QStringLiteral("entropy in nats 0.00")));
}

void TestHeadGridView::aFrameHasTheColourOfAMetric()
{
    Fixture f({1, 1, 4, 8, 8});
    HeadGridView grid(&f.service, &f.selection, &f.settings);
    grid.resize(280, 400);
    grid.show();
    grid.setRun(f.service.current());
    f.selection.setMap({0, 0, 1});
    QPalette palette = grid.palette();
    palette.setColor(QPalette::Base, Qt::white);
    palette.setColor(QPalette::BrightText, QColor(0xa84c08));
    grid.setPalette(palette);
    QVERIFY(!grid.frameRange());
    ViewSettings settings;
    settings.headColour = "entropy";
    f.settings.setSettings(settings);
    const ViewColours colours = viewColours(grid.palette());
    const auto frameOf = [&](std::int64_t head) {
        const QRectF rect = grid.thumbnailRect(0, head);
        return grid.grab().toImage().pixel(static_cast<int>(rect.center().x()),
                                           static_cast<int>(rect.top()) - 1);
    };
    // The entropy of the fixture grows with the head.
    QTRY_COMPARE(frameOf(3), metricColour(colours, 1, {0, 1}).rgb());
    QCOMPARE(frameOf(0), metricColour(colours, 0, {0, 1}).rgb());
    QVERIFY(grid.frameRange().has_value());
    QVERIFY(grid.frameRange()->low < grid.frameRange()->high);
    QVERIFY(grid.accessibleDescription().contains(QStringLiteral("entropy in nats")));
    // By lightness alone, in either theme.
    for (const bool dark : {false, true}) {
        ViewColours theme;
        theme.surface = dark ? Qt::black : Qt::white;
        theme.warn = dark ? QColor(0xe0a13c) : QColor(0xa84c08);
        double before = theme.surface.lightnessF();
        for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
            const double lightness = metricColour(theme, share, {0, 1}).lightnessF();
            QVERIFY(dark ? lightness > before : lightness < before);
            before = lightness;
        }
    }
}

void TestHeadGridView::labelsHaveRoomForTheirNumbers()
{
    const HeadGridLayout plain({1, 1, 64, 8, 8}, 280, 480);
    const HeadGridLayout wide({1, 1, 64, 8, 8}, 280, 480, {.leastWidth = 60, .below = 7});
    QVERIFY(plain.rect(0, 1).left() - plain.rect(0, 0).left() < 60);
    QVERIFY(wide.rect(0, 1).left() - wide.rect(0, 0).left() >= 60);
    QVERIFY(wide.totalHeight() > plain.totalHeight());
}

void TestHeadGridView::allHeadsAreSeenWhenTheyCanBe()
{
    const auto made = [](int heads, int width, int room) {
        return HeadGridLayout({1, 1, heads, 8, 8}, width, room);
    };
    QCOMPARE(made(2, 280, 480).rect(0, 0).width(), 116.0); // as large as they get
    QCOMPARE(made(12, 280, 480).columns(), 3);             // two would not fit
    const HeadGridLayout sixteen = made(16, 280, 480);
    QVERIFY(sixteen.totalHeight() <= 480);
    QVERIFY(sixteen.rect(0, 0).width() > 58);
    const HeadGridLayout thirty = made(30, 280, 480);
    QVERIFY(thirty.totalHeight() <= 480);
    QVERIFY(thirty.rect(0, 0).width() >= 40);
    // Too many: as small as is still readable, then it scrolls.
    const HeadGridLayout many = made(64, 280, 480);
    QCOMPARE(many.columns(), 5);
    QVERIFY(many.totalHeight() > 480);
}

void TestHeadGridView::headsThatShareKeysStandTogether()
{
    for (const MapsShape& shape : {MapsShape{6, 1, 4, 8, 8}, MapsShape{3, 1, 4, 8, 8}}) {
        const HeadGridLayout layout(shape, 300, 0, {.headsOfGroup = 2});
        const HeadGridLayout plain(shape, 300, 0);
        const auto gap = [](const HeadGridLayout& of, std::int64_t head) {
            const QPointF apart = of.rect(0, head + 1).topLeft() - of.rect(0, head).bottomRight();
            return std::max(apart.x(), apart.y());
        };
        QCOMPARE(gap(layout, 0), gap(plain, 0));
        QCOMPARE(gap(layout, 1), gap(plain, 1) + HeadGridLayout::GroupGap);
        QCOMPARE(gap(layout, 2), gap(plain, 2));
        QVERIFY(layout.rect(5 % shape.layers, 3).right() <= 300);
        QVERIFY(layout.rect(shape.layers - 1, 3).bottom() <= layout.totalHeight());
    }
}

void TestHeadGridView::whatIsSharedIsMarked()
{
    const MapsShape shape{6, 1, 4, 8, 8};
    Fixture f(shape, std::make_shared<const SharingRun>(shape));
    HeadGridView grid(&f.service, &f.selection, &f.settings);
    grid.resize(300, 400);
    grid.show();
    grid.setRun(f.service.current());
    f.selection.setMap({1, 0, 2});
    for (const char* said : {"heads 2–3 share keys and values", "layers 0–2 share weights",
                             "window: the last 4 tokens"}) {
        QVERIFY2(grid.accessibleDescription().contains(QString::fromUtf8(said)), said);
    }
    const QImage image = grid.grab().toImage();
    const auto markOf = [&](std::int64_t layer, std::int64_t head, bool above) {
        const QRectF rect = grid.thumbnailRect(layer, head);
        const QPointF at = above ? QPointF(rect.right() + 1, rect.top() - 5)
                                 : QPointF(rect.left() - 5, rect.bottom() + 1);
        return image.pixelColor(at.toPoint());
    };
    // Six layers run down, four heads across; a line goes on over the gap inside a group.
    const QColor background = image.pixelColor(1, 1);
    QVERIFY(markOf(0, 0, true) != background);
    QCOMPARE(markOf(0, 1, true), background);
    QVERIFY(markOf(0, 2, true) != background);
    QVERIFY(markOf(0, 2, true) != markOf(0, 0, true)); // the chosen one is in it
    QVERIFY(markOf(0, 0, false) != background);
    QVERIFY(markOf(1, 0, false) != background);
    QCOMPARE(markOf(2, 0, false), background);
}

void TestHeadGridView::profileFollowsTheSelection()
{
    Fixture f({1, 1, 8, 10, 10});
    f.selection.setMap({0, 0, 4});
    ProfileView profile(&f.service, &f.selection, &f.settings);
    profile.resize(260, 112);
    profile.show();
    profile.setRun(f.service.current());
    QCOMPARE(profile.query(), -1);
    f.selection.pin({6, 2});
    QTRY_COMPARE(profile.query(), 6);
    f.selection.hover({3, 2}); // the pinned row stays
    QTest::qWait(20);
    QCOMPARE(profile.query(), 6);
    f.selection.unpin();
    QTRY_COMPARE(profile.query(), 3);
    f.selection.pin({6, 2});
    QTRY_COMPARE(profile.query(), 6);
    const QImage image = profile.grab().toImage();
    const QRgb accent = profile.palette().color(QPalette::Active, QPalette::Highlight).rgb();
    QCOMPARE(image.pixel(260 * 5 / 20, 60), accent);
    f.selection.unpin();
    QTRY_COMPARE(profile.query(), -1);
}

void TestHeadGridView::profileOfANewRunArrivesWhoeverHearsOfItFirst()
{
    Fixture f({1, 1, 8, 10, 10});
    f.selection.pin({6, 2});
    ProfileView* view = nullptr;
    connect(&f.service, &EngineService::runReady, &f.service,
            [&](const RunPtr& run) { view->setRun(run); }); // before the profile itself hears
    ProfileView profile(&f.service, &f.selection, &f.settings);
    view = &profile;
    f.service.compute({});
    QTRY_COMPARE(profile.query(), 6);
}

void TestHeadGridView::profileBarsSelect()
{
    Fixture f({1, 1, 8, 10, 10});
    f.selection.setMap({0, 0, 4});
    ProfileView profile(&f.service, &f.selection, &f.settings);
    profile.resize(260, 112);
    profile.show();
    profile.setRun(f.service.current());
    f.selection.pin({6, 2});
    QTRY_COMPARE(profile.query(), 6);
    QTest::mouseClick(&profile, Qt::LeftButton, Qt::NoModifier, QPoint(260 * 15 / 20, 50));
    QCOMPARE(f.selection.pinned(), (CellRef{6, 7}));
    SignedBars bars;
    bars.setValues({1, -2, 0.5F});
    QVERIFY(bars.accessibleDescription().contains(QStringLiteral("−0.5")));
}

QTEST_MAIN(TestHeadGridView)
#include "tst_headgridview.moc"
