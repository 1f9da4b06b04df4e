// The map view: what is painted, how mouse and keys move, what is copied and read aloud.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/heatmapview.h"

#include "fakeengine.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <memory>

using namespace heed;
using namespace heed::ui;
using namespace heed::ui::test;

namespace {

constexpr MaskReasons Padding = static_cast<MaskReasons>(MaskReason::Padding);
constexpr MaskReasons Causal = static_cast<MaskReasons>(MaskReason::Causal);

struct Fixture {
    Fixture(MapsShape shape, CellFunction cell, std::vector<std::string> words = {})
        : engine(std::make_shared<FakeEngine>())
        , service(std::make_unique<EngineService>(engine))
        , view(std::make_unique<HeatmapView>(service.get(), &selection, &settings))
    {
        view->resize(640, 700);
        view->show();
        replace(std::make_shared<const FakeRun>(shape, std::move(cell), std::move(words)));
    }
    void replace(std::shared_ptr<const FakeRun> run)
    {
        engine->setNext(run);
        QSignalSpy spy(service.get(), &EngineService::runReady);
        service->compute({});
        if (!spy.wait(5000)) {
            return;
        }
        selection.setShape(run->maps()->shape());
        view->setRun(service->current());
    }
    bool settled()
    {
        return QTest::qWaitFor([this] { return !view->badge().contains(u'…'); }, 20000);
    }
    QImage grab()
    {
        view->replot(); // replots are queued; the picture must not be the one before
        return view->grab().toImage().convertToFormat(QImage::Format_RGB32);
    }
    QPoint centre(const CellRef& cell) const
    {
        return view->viewport().cellRect(cell).center().toPoint();
    }
    void wheel(double notches, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        const QPointF at = view->viewport().mapRect().center();
        QWheelEvent event(at, view->mapToGlobal(at), QPoint(),
                          QPoint(0, static_cast<int>(notches * 120)), Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(view.get(), &event);
    }

    std::shared_ptr<FakeEngine> engine;
    std::unique_ptr<EngineService> service;
    SelectionModel selection;
    ViewSettingsModel settings;
    std::unique_ptr<HeatmapView> view;
};

FakeCell ramp(const MapIndex& map, std::int64_t query, std::int64_t key)
{
    return {static_cast<float>((query * 8 + key + map.head) % 64) / 63, 0};
}

FakeCell causalRamp(const MapIndex& map, std::int64_t query, std::int64_t key)
{
    FakeCell cell = ramp(map, query, key);
    cell.reasons = static_cast<MaskReasons>((key > query ? Causal : 0) | (key >= 6 ? Padding : 0));
    cell.value = cell.reasons != 0 ? 0 : cell.value;
    return cell;
}

} // namespace

class TestHeatmapView : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void isolatedCellsSurviveZoomingOut();
    void coloursAtCellCentres();
    void maskedCellsAreHatched();
    void rangeComesFromKeptCells();
    void oldMapStaysUntilTheNextIsThere();
    void labelsHaveRoomForTheLastOfManyTokens();
    void aDraftIsShownAndNamedUntilTheMapIsExact();
    void hoverPreviewsAndClickPins();
    void wheelZoomsAndShiftPans();
    void dragPansAndDoubleClickFits();
    void keysMoveCellHeadAndLayer();
    void controlKeysZoom();
    void visibleCellsRoundTrip();
    void messageTakesThePlaceOfTheMap();
    void copiesCellRowAndMatrix();
    void largeMatricesAreRefused();
    void isATableForScreenReaders();
    void contextMenuNamesTheCell();
};

void TestHeatmapView::isolatedCellsSurviveZoomingOut()
{
    std::vector<CellRef> hits;
    for (qint64 i = 0; i < 60; ++i) {
        hits.push_back({(i * 997 + 13) % 2048, (i * 631 + 7) % 2048});
    }
    const auto isHit = [hits](std::int64_t q, std::int64_t k) {
        return std::find(hits.begin(), hits.end(), CellRef{q, k}) != hits.end();
    };
    // Asking 60 cells for each of four million would take the time of the whole test.
    std::vector<bool> bright(2048 * 2048, false);
    for (const CellRef& hit : hits) {
        bright[static_cast<std::size_t>(hit.query * 2048 + hit.key)] = true;
    }
    QVERIFY(isHit(hits[0].query, hits[0].key));
    Fixture f({1, 1, 1, 2048, 2048}, [bright](const MapIndex&, std::int64_t q, std::int64_t k) {
        return FakeCell{bright[static_cast<std::size_t>(q * 2048 + k)] ? 1.0F : 0.0F, 0};
    });
    QVERIFY(f.settled());
    QVERIFY(f.view->badge().contains(QStringLiteral("max")));
    const QImage image = f.grab();
    const QRgb brightest = colourTable(ColourMapId::Viridis).back();
    for (const CellRef& hit : hits) {
        const QPoint at = f.centre(hit);
        bool found = false;
        for (int y = at.y() - 2; y <= at.y() + 2 && !found; ++y) {
            for (int x = at.x() - 2; x <= at.x() + 2 && !found; ++x) {
                found = image.valid(x, y) && image.pixel(x, y) == brightest;
            }
        }
        QVERIFY2(found, qPrintable(QStringLiteral("%1 %2").arg(hit.query).arg(hit.key)));
    }
}

void TestHeatmapView::coloursAtCellCentres()
{
    Fixture f({1, 1, 1, 8, 8}, ramp);
    ViewSettings settings;
    settings.cellNumbers = false;
    f.settings.setSettings(settings);
    QVERIFY(f.settled());
    const QImage image = f.grab();
    const ColourTable& table = colourTable(ColourMapId::Viridis);
    for (qint64 q = 0; q < 8; ++q) {
        for (qint64 k = 0; k < 8; ++k) {
            // Beside the middle, where an exact zero has its dot.
            const QPoint at = f.centre({q, k}) + QPoint(6, 6);
            QCOMPARE(image.pixel(at),
                     colourOf(table, static_cast<double>(ramp({}, q, k).value), {0, 1}));
        }
    }
    settings.colourMap = ColourMapId::Magma;
    f.settings.setSettings(settings);
    QCOMPARE(f.grab().pixel(f.centre({7, 7}) + QPoint(6, 6)),
             colourTable(ColourMapId::Magma).back());
}

void TestHeatmapView::maskedCellsAreHatched()
{
    Fixture f({1, 1, 1, 8, 8}, causalRamp);
    QVERIFY(f.settled());
    const auto colours = [&](const CellRef& cell) {
        const QImage image = f.grab();
        const QRect box = f.view->viewport().cellRect(cell).toRect().adjusted(2, 2, -2, -2);
        QSet<QRgb> found;
        for (int y = box.top(); y <= box.bottom(); ++y) {
            for (int x = box.left(); x <= box.right(); ++x) {
                found.insert(image.pixel(x, y));
            }
        }
        return found;
    };
    const QRgb paper = f.view->palette().color(QPalette::Window).rgb();
    QVERIFY(colours({0, 3}).contains(paper));
    QVERIFY(colours({0, 3}).size() > 1);
    QVERIFY(!colours({5, 2}).contains(paper));
    ViewSettings plain;
    plain.hatchMasked = false;
    f.settings.setSettings(plain);
    QCOMPARE(colours({0, 3}).size(), 1);
}

void TestHeatmapView::rangeComesFromKeptCells()
{
    Fixture f({1, 1, 2, 8, 8}, [](const MapIndex& map, std::int64_t q, std::int64_t k) {
        return FakeCell{k == 7          ? 99.0F
                        : map.head == 0 ? -2.0F
                                        : static_cast<float>(q), // 0…7
                        k == 7 ? Padding : MaskReasons{0}};
    });
    QCOMPARE(f.view->valueRange(), (ValueRange{0, 1}));
    ViewSettings settings;
    settings.quantity = Quantity::Scaled;
    f.settings.setSettings(settings);
    QTRY_COMPARE(f.view->valueRange(), (ValueRange{-2, 2}));
    settings.rangeMode = RangeMode::Heads;
    f.settings.setSettings(settings);
    QTRY_COMPARE(f.view->valueRange(), (ValueRange{-7, 7}));
    settings.rangeMode = RangeMode::Manual;
    settings.low = -1;
    settings.high = 3;
    f.settings.setSettings(settings);
    QTRY_COMPARE(f.view->valueRange(), (ValueRange{-1, 3}));
}

void TestHeatmapView::oldMapStaysUntilTheNextIsThere()
{
    Fixture f({1, 1, 2, 8, 8}, ramp);
    QVERIFY(f.settled());
    const QRgb before = f.grab().pixel(f.centre({7, 7}) + QPoint(6, 6));
    f.engine->closeGate();
    f.replace(std::make_shared<const FakeRun>(MapsShape{1, 1, 2, 6, 6},
                                              [](const MapIndex&, std::int64_t, std::int64_t) {
                                                  return FakeCell{0.5F, 0};
                                              }));
    QCOMPARE(f.view->viewport().queries(), 8);
    QVERIFY(f.view->badge().contains(u'…') || f.view->shownMap().shape().queries == 8);
    QCOMPARE(f.grab().pixel(f.centre({7, 7}) + QPoint(6, 6)), before);
    f.engine->openGate();
    QTRY_COMPARE(f.view->viewport().queries(), 6);
    QVERIFY(f.settled());
    QCOMPARE(f.grab().pixel(f.centre({5, 5}) + QPoint(12, 12)),
             colourTable(ColourMapId::Viridis)[128]);
}

void TestHeatmapView::labelsHaveRoomForTheLastOfManyTokens()
{
    std::vector<Token> tokens(20000);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        tokens[i].text = std::to_string(i);
    }
    TokenLabels labels;
    labels.setTokens(std::make_shared<const std::vector<Token>>(tokens));
    const QFont font = QApplication::font();
    const double needed = QFontMetricsF(font).horizontalAdvance(QStringLiteral("19999"));
    QVERIFY(labels.rowExtent(font, 500) > needed);
    QVERIFY(labels.columnExtent(font, 500) > needed);
}

void TestHeatmapView::aDraftIsShownAndNamedUntilTheMapIsExact()
{
    Fixture f({1, 1, 2, 8, 8}, ramp);
    QVERIFY(f.settled());
    f.engine->sendDrafts();
    f.engine->closeGate();
    f.replace(std::make_shared<const FakeRun>(MapsShape{1, 1, 2, 6, 6},
                                              [](const MapIndex&, std::int64_t, std::int64_t) {
                                                  return FakeCell{0.5F, 0};
                                              }));
    // Without waiting for the exact map, which takes long.
    QTRY_COMPARE(f.view->viewport().queries(), 6);
    QTRY_COMPARE(f.grab().pixel(f.centre({5, 5}) + QPoint(12, 12)),
                 colourTable(ColourMapId::Viridis)[64]);
    QVERIFY2(f.view->badge().contains("1 of 16"), qPrintable(f.view->badge()));
    // A cell is read by its row, which takes no time.
    QTRY_VERIFY(f.view->reading({3, 4}).has_value());
    QCOMPARE(f.view->reading({3, 4})->value, 0.5F);
    f.engine->openGate();
    QTRY_VERIFY2(!f.view->badge().contains("1 of 16"), qPrintable(f.view->badge()));
    QCOMPARE(f.grab().pixel(f.centre({5, 5}) + QPoint(12, 12)),
             colourTable(ColourMapId::Viridis)[128]);
}

void TestHeatmapView::hoverPreviewsAndClickPins()
{
    Fixture f({1, 1, 1, 8, 8}, ramp);
    QVERIFY(f.settled());
    QTest::mouseMove(f.view.get(), f.centre({3, 4}));
    QTRY_COMPARE(f.selection.hovered(), (CellRef{3, 4}));
    QVERIFY(!f.selection.pinned().isValid());
    QTest::mouseClick(f.view.get(), Qt::LeftButton, Qt::NoModifier, f.centre({2, 5}));
    QCOMPARE(f.selection.pinned(), (CellRef{2, 5}));
    QTest::mouseClick(f.view.get(), Qt::LeftButton, Qt::NoModifier, QPoint(5, 5));
    QCOMPARE(f.selection.pinned(), (CellRef{2, 5}));
    QTest::keyClick(f.view.get(), Qt::Key_Escape);
    QVERIFY(!f.selection.pinned().isValid());
    QTRY_COMPARE(f.view->cellSentence({2, 5}), QStringLiteral("row 2 'w2' → key 5 'w5': 0.3333"));
}

void TestHeatmapView::wheelZoomsAndShiftPans()
{
    Fixture f({1, 1, 1, 200, 200}, ramp);
    QVERIFY(f.settled());
    QSignalSpy changed(f.view.get(), &HeatmapView::viewChanged);
    f.wheel(4);
    QVERIFY(f.view->visibleCells().width() < 120);
    QVERIFY(changed.count() >= 1);
    const QRectF before = f.view->visibleCells();
    f.wheel(-1, Qt::ShiftModifier);
    QVERIFY(f.view->visibleCells().left() > before.left());
    QCOMPARE(f.view->visibleCells().top(), before.top());
    f.wheel(0);
    f.wheel(2, Qt::ControlModifier);
    QVERIFY(f.view->visibleCells().width() < before.width());
    f.wheel(-100);
    QVERIFY(f.view->isFitted());
}

void TestHeatmapView::dragPansAndDoubleClickFits()
{
    Fixture f({1, 1, 1, 200, 200}, ramp);
    QVERIFY(f.settled());
    f.wheel(6);
    const QPoint middle = f.view->viewport().mapRect().center();
    QRectF before = f.view->visibleCells();
    const auto drag = [&](Qt::MouseButton button) {
        QTest::mousePress(f.view.get(), button, Qt::NoModifier, middle);
        QTest::mouseMove(f.view.get(), middle + QPoint(-60, -40));
        QTest::mouseRelease(f.view.get(), button, Qt::NoModifier, middle + QPoint(-60, -40));
    };
    drag(Qt::MiddleButton);
    QVERIFY(f.view->visibleCells().left() > before.left());
    QVERIFY(f.view->visibleCells().top() > before.top());
    before = f.view->visibleCells();
    drag(Qt::LeftButton);
    QCOMPARE(f.view->visibleCells(), before);
    QTest::keyPress(f.view.get(), Qt::Key_Space);
    drag(Qt::LeftButton);
    QTest::keyRelease(f.view.get(), Qt::Key_Space);
    QVERIFY(f.view->visibleCells() != before);
    QVERIFY(!f.selection.pinned().isValid());
    QTest::mouseDClick(f.view.get(), Qt::LeftButton, Qt::NoModifier, middle);
    QVERIFY(f.view->isFitted());
    // The first click of the two pinned nothing for good.
    QVERIFY(!f.selection.pinned().isValid());
    f.selection.pin({1, 1});
    QTest::mouseClick(f.view.get(), Qt::LeftButton, Qt::NoModifier, middle);
    QVERIFY(f.selection.pinned() != (CellRef{1, 1}));
    QTest::mouseDClick(f.view.get(), Qt::LeftButton, Qt::NoModifier, middle);
    QCOMPARE(f.selection.pinned(), (CellRef{1, 1}));
}

void TestHeatmapView::keysMoveCellHeadAndLayer()
{
    Fixture f({3, 1, 4, 8, 8}, ramp);
    QVERIFY(f.settled());
    QCOMPARE(f.view->focusPolicy(), Qt::StrongFocus);
    QTest::keyClick(f.view.get(), Qt::Key_Right);
    QCOMPARE(f.selection.hovered(), (CellRef{0, 0}));
    QTest::keyClick(f.view.get(), Qt::Key_Right);
    QTest::keyClick(f.view.get(), Qt::Key_Down);
    QCOMPARE(f.selection.hovered(), (CellRef{1, 1}));
    QTest::keyClick(f.view.get(), Qt::Key_End);
    QCOMPARE(f.selection.hovered(), (CellRef{1, 7}));
    QTest::keyClick(f.view.get(), Qt::Key_Right);
    QCOMPARE(f.selection.hovered(), (CellRef{1, 7}));
    QTest::keyClick(f.view.get(), Qt::Key_Home);
    QCOMPARE(f.selection.hovered(), (CellRef{1, 0}));
    QTest::keyClick(f.view.get(), Qt::Key_Return);
    QCOMPARE(f.selection.pinned(), (CellRef{1, 0}));
    QTest::keyClick(f.view.get(), Qt::Key_PageDown);
    QCOMPARE(f.selection.map().head, 1);
    QTest::keyClick(f.view.get(), Qt::Key_PageUp);
    QTest::keyClick(f.view.get(), Qt::Key_PageUp);
    QCOMPARE(f.selection.map().head, 0);
    QTest::keyClick(f.view.get(), Qt::Key_PageDown, Qt::ControlModifier);
    QCOMPARE(f.selection.map().layer, 1);
    QTest::keyClick(f.view.get(), Qt::Key_Escape);
    QVERIFY(!f.selection.current().isValid());
}

void TestHeatmapView::controlKeysZoom()
{
    Fixture f({1, 1, 1, 200, 200}, ramp);
    QVERIFY(f.settled());
    QTest::keyClick(f.view.get(), Qt::Key_Plus, Qt::ControlModifier);
    QTest::keyClick(f.view.get(), Qt::Key_Equal, Qt::ControlModifier);
    const double near = f.view->visibleCells().width();
    QVERIFY(near < 150);
    QTest::keyClick(f.view.get(), Qt::Key_Minus, Qt::ControlModifier);
    QVERIFY(f.view->visibleCells().width() > near);
    QTest::keyClick(f.view.get(), Qt::Key_0, Qt::ControlModifier);
    QVERIFY(f.view->isFitted());
}

void TestHeatmapView::visibleCellsRoundTrip()
{
    Fixture f({1, 1, 1, 300, 300}, ramp);
    QVERIFY(f.settled());
    f.view->goToCell({250, 10});
    QCOMPARE(f.selection.pinned(), (CellRef{250, 10}));
    f.view->setVisibleCells(QRectF(20, 200, 40, 40));
    QVERIFY(f.view->visibleCells().contains(QRectF(21, 201, 38, 38)));
    f.view->goToCell({5, 290});
    QVERIFY(f.view->visibleCells().contains(QPointF(290.5, 5.5)));
}

void TestHeatmapView::messageTakesThePlaceOfTheMap()
{
    Fixture f({1, 1, 1, 8, 8}, ramp);
    QVERIFY(!f.view->hasMessage());
    f.view->setMessage(QStringLiteral("It cannot be split"), QStringLiteral("Use 40 heads."),
                       {QStringLiteral("Use 40"), QStringLiteral("Use 50")});
    QVERIFY(f.view->hasMessage());
    QSignalSpy clicked(f.view.get(), &HeatmapView::messageButtonClicked);
    const auto buttons = f.view->findChildren<QPushButton*>();
    QCOMPARE(buttons.size(), 2);
    buttons[1]->click();
    QCOMPARE(clicked.count(), 1);
    QCOMPARE(clicked[0][0].toInt(), 1);
    f.view->clearMessage();
    QVERIFY(!f.view->hasMessage());
}

void TestHeatmapView::copiesCellRowAndMatrix()
{
    Fixture f({1, 1, 1, 8, 8}, causalRamp);
    QVERIFY(f.settled());
    QSignalSpy copied(f.view.get(), &HeatmapView::copied);
    QSignalSpy refused(f.view.get(), &HeatmapView::copyRefused);
    f.view->copyCell();
    QCOMPARE(refused.count(), 1);
    f.selection.pin({5, 3});
    f.view->copyCell();
    QTRY_COMPARE(copied.count(), 1);
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("row 5 'w5' → key 3 'w3': 0.6825"));
    f.view->copyRow();
    QTRY_COMPARE(copied.count(), 2);
    const QStringList lines = QApplication::clipboard()->text().split(u'\n');
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines[0].split(u'\t').size(), 9);
    QCOMPARE(lines[1].split(u'\t')[0], QStringLiteral("w5"));
    QCOMPARE(lines[1].split(u'\t')[4].toFloat(), causalRamp({}, 5, 3).value);
    QCOMPARE(lines[1].split(u'\t')[8], QStringLiteral("masked"));
    f.view->copyMatrix(CopyFormat::Json);
    QTRY_COMPARE(copied.count(), 3);
    const QJsonObject json =
        QJsonDocument::fromJson(QApplication::clipboard()->text().toUtf8()).object();
    QCOMPARE(json[QStringLiteral("rows")].toArray().size(), 8);
    const QJsonObject row = json[QStringLiteral("rows")].toArray()[2].toObject();
    QCOMPARE(static_cast<float>(row[QStringLiteral("values")].toArray()[1].toDouble()),
             causalRamp({}, 2, 1).value);
    QVERIFY(row[QStringLiteral("masked")].toArray()[5].toBool());
    f.view->copyImage();
    QCOMPARE(copied.count(), 4);
    QVERIFY(!QApplication::clipboard()->image().isNull());
}

void TestHeatmapView::largeMatricesAreRefused()
{
    Fixture f({1, 1, 1, 4000, 4000}, [](const MapIndex&, std::int64_t, std::int64_t) {
        return FakeCell{0, 0};
    });
    QSignalSpy refused(f.view.get(), &HeatmapView::copyRefused);
    f.view->copyMatrix();
    QCOMPARE(refused.count(), 1);
    QVERIFY(refused[0][0].toString().contains(QStringLiteral("16.0 million")));
}

void TestHeatmapView::isATableForScreenReaders()
{
    Fixture f({1, 1, 2, 8, 8}, causalRamp,
              {"[CLS]", "the", "animal", "it", "was", "tired", "<pad>", "<pad>"});
    QVERIFY(f.settled());
    QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(f.view.get());
    QVERIFY(interface);
    QCOMPARE(interface->role(), QAccessible::Table);
    QCOMPARE(interface->text(QAccessible::Name),
             QStringLiteral("Attention map, layer 0 head 0, weights"));
    QAccessibleTableInterface* table = interface->tableInterface();
    QVERIFY(table);
    QCOMPARE(table->rowCount(), 8);
    QCOMPARE(table->columnCount(), 8);
    QCOMPARE(table->rowDescription(3), QStringLiteral("query it"));
    QCOMPARE(table->columnDescription(2), QStringLiteral("key animal"));
    QAccessibleInterface* cell = table->cellAt(3, 2);
    QVERIFY(cell);
    QCOMPARE(cell, table->cellAt(3, 2));
    QCOMPARE(cell->text(QAccessible::Name), QStringLiteral("query it, key animal, weight 0.4127"));
    QCOMPARE(table->cellAt(0, 7)->text(QAccessible::Name),
             QStringLiteral("query [CLS], key <pad>, masked: padding + causal"));
    QVERIFY(!table->cellAt(8, 0));
    QCOMPARE(interface->indexOfChild(cell), 3 * 8 + 2);
    QCOMPARE(cell->tableCellInterface()->rowIndex(), 3);
    QVERIFY(!cell->rect().isEmpty());
    f.selection.pin({3, 2});
    QVERIFY(cell->tableCellInterface()->isSelected());
    QCOMPARE(f.view->accessibleDescription(),
             QStringLiteral("row 3 'it': highest weight 0.4286 on key 3 'it'; 4 key(s) masked: "
                            "padding + causal"));
}

void TestHeatmapView::contextMenuNamesTheCell()
{
    Fixture f({1, 1, 1, 8, 8}, ramp);
    QVERIFY(f.settled());
    QSignalSpy asked(f.view.get(), &HeatmapView::cellMenuRequested);
    QContextMenuEvent event(QContextMenuEvent::Mouse, f.centre({6, 1}),
                            f.view->mapToGlobal(f.centre({6, 1})));
    QApplication::sendEvent(f.view.get(), &event);
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked[0][1].value<CellRef>(), (CellRef{6, 1}));
}

QTEST_MAIN(TestHeatmapView)
#include "tst_heatmapview.moc"
