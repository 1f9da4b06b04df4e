// The panel of costs: the same numbers as the engine's, and a measurement that can be stopped.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "dialogs/smalldialogs.h"
#include "mainwindow/costpanel.h"
#include "mainwindow/panels.h"
#include "views/costplot.h"
#include "views/heatmapview.h"
#include "widgets/theme.h"
#include "windowbench.h"

#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <cmath>

using namespace heed;
using namespace heed::ui;

class TestCostPanel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { m_theme = new Theme(*qApp); }
    void saysWhatTheRunCosts();
    void followsTheRun();
    void measuresInTheBackground();
    void stopsWhenAsked();
    void hasNothingToMeasureOfFinishedMaps();
    void comesToTheFront();
    void aRefusalNamesTheWayOut();
    void theBudgetIsChosenInTheWindow();

private:
    static QStringList wordsOf(const QWidget* panel)
    {
        QStringList words;
        for (const QLabel* label : panel->findChildren<QLabel*>()) {
            words += label->text();
        }
        return words;
    }
    static QWidget* openPanel(Bench& bench)
    {
        bench.action(ActionId::Example)->trigger();
        if (!QTest::qWaitFor([&] { return bench.settled(); })) {
            return nullptr;
        }
        return bench.window->panels()->bring(PanelId::Cost);
    }
    static void edit(Bench& bench, const std::function<void(Source&)>& change)
    {
        editSource(bench.window->workspace(), QStringLiteral("edit"), change);
    }

    Theme* m_theme = nullptr;
};

void TestCostPanel::saysWhatTheRunCosts()
{
    Bench bench(m_theme);
    QWidget* panel = openPanel(bench);
    QVERIFY(panel != nullptr);
    const auto run = bench.document()->run();
    const MapsShape shape = run->maps()->shape();
    const std::int64_t stored = shape.items * shape.heads * shape.queries * shape.keys * 4;
    QTRY_VERIFY2(wordsOf(panel).contains(QString::fromStdString(formatBytes(stored))),
                 qPrintable(wordsOf(panel).join('|')));
    const std::int64_t projections =
        (run->q(0)->size() + run->k(0)->size() + run->v(0)->size()) * 4;
    QVERIFY(wordsOf(panel).contains(QString::fromStdString(formatBytes(projections))));
    QTRY_COMPARE(static_cast<QScrollArea*>(panel)->verticalScrollBar()->maximum(), 0); // all seen
    // The run is not its maps.
    QVERIFY(wordsOf(panel).contains(QStringLiteral("Computing q, k and v")));
    const auto ofMap = [&] {
        return *bench.engine.mapMs(bench.selection()->map(), Quantity::Weights) / 1e3;
    };
    QTRY_VERIFY2(wordsOf(panel).contains(timeText(ofMap())), // grows with a later tile
                 qPrintable(wordsOf(panel).join('|')));
}

void TestCostPanel::followsTheRun()
{
    Bench bench(m_theme);
    QWidget* panel = openPanel(bench);
    QVERIFY(panel != nullptr);
    edit(bench, [](Source& source) {
        source.lines = {"a"};
        source.padTo = 64;
        source.layer.heads = 4;
    });
    QTRY_VERIFY(bench.settled());
    QTRY_VERIFY2(wordsOf(panel).contains(QStringLiteral("64 KiB")), // 4·64²·4
                 qPrintable(wordsOf(panel).join('|')));
}

void TestCostPanel::measuresInTheBackground()
{
    Bench bench(m_theme);
    QWidget* panel = openPanel(bench);
    QVERIFY(panel != nullptr);
    auto* button = panel->findChild<QPushButton*>();
    auto* plot = panel->findChild<CostPlot*>();
    QSignalSpy ended(&bench.engine, &EngineService::measuringEnded);
    QVERIFY(std::isnan(plot->exponent()));
    button->click();
    QVERIFY(bench.engine.isMeasuring());
    QCOMPARE(button->text(), QStringLiteral("&Stop"));
    QVERIFY(ended.wait(60'000));
    QCOMPARE(button->text(), QStringLiteral("&Measure"));
    if (std::isfinite(plot->exponent())) { // one size may take too long for a second
        QVERIFY(wordsOf(panel).join('|').contains(QStringLiteral("n^")));
    }
    QVERIFY(plot->graph(3)->dataCount() > 0);
}

void TestCostPanel::stopsWhenAsked()
{
    Bench bench(m_theme);
    QWidget* panel = openPanel(bench);
    QVERIFY(panel != nullptr);
    auto* button = panel->findChild<QPushButton*>();
    QSignalSpy ended(&bench.engine, &EngineService::measuringEnded);
    button->click();
    button->click();
    QCOMPARE(ended.count(), 1);
    QCOMPARE(ended[0][0].value<std::optional<Error>>()->code, Code::Cancelled);
    QVERIFY(!bench.engine.isMeasuring());
    QVERIFY(wordsOf(panel).contains(QStringLiteral("Stopped.")));
    button->click();
    bench.engine.cancelAll(); // the Cancel of the status bar
    QVERIFY(!bench.engine.isMeasuring());
    button->click(); // the window closes meanwhile
}

void TestCostPanel::hasNothingToMeasureOfFinishedMaps()
{
    Bench bench(m_theme);
    QWidget* panel = openPanel(bench);
    QVERIFY(panel != nullptr);
    const std::vector<float> weights = {1, 0, 0.5, 0.5};
    const ArrayToWrite arrays[] = {
        {"weights", ElementType::Float32, {2, 2}, std::as_bytes(std::span(weights))}};
    const QString path = bench.folder.filePath(QStringLiteral("maps.npz"));
    QVERIFY(writeArrays(path.toStdString(), arrays).has_value());
    edit(bench, [&](Source& source) {
        source = {};
        source.maps = path.toStdString();
    });
    QTRY_VERIFY(bench.settled() && bench.document()->run()->q(0) == nullptr);
    QTRY_VERIFY(!panel->findChild<QPushButton*>()->isEnabled());
    QVERIFY(wordsOf(panel).contains(QStringLiteral("16 B")));
}

void TestCostPanel::comesToTheFront()
{
    Bench bench(m_theme);
    QVERIFY(openPanel(bench) != nullptr);
    bench.window->panels()->bring(PanelId::Table);
    PanelDock* dock = bench.window->panels()->dock(PanelId::Cost);
    dock->close();
    dock->toggleViewAction()->trigger();
    QTRY_VERIFY(!dock->visibleRegion().isEmpty());
}

void TestCostPanel::aRefusalNamesTheWayOut()
{
    Bench bench(m_theme);
    bench.action(ActionId::Example)->trigger();
    QTRY_VERIFY(bench.settled());
    edit(bench, [](Source& source) { // more than a terabyte of vectors
        source.layer.modelWidth = 65536;
        source.padTo = 1 << 20;
        source.lines = {"a"};
    });
    QTRY_VERIFY(bench.document()->error().has_value());
    QCOMPARE(bench.document()->error()->code, Code::OutOfMemory);
    QStringList buttons;
    for (const QPushButton* button : bench.window->heatmap()->findChildren<QPushButton*>()) {
        buttons += button->text();
    }
    QVERIFY2(buttons.contains(QStringLiteral("Use d_model 64")), qPrintable(buttons.join('|')));
    QVERIFY(buttons.contains(QStringLiteral("Pad to the longest line")));
    QVERIFY(buttons.contains(QStringLiteral("Memory budget…")));
}

void TestCostPanel::theBudgetIsChosenInTheWindow()
{
    constexpr std::int64_t most = std::int64_t{1} << 29;
    Bench bench(m_theme);
    bench.settings.setMemoryBudget(most);
    bench.open(m_theme); // it is in force from the start
    bench.action(ActionId::Example)->trigger();
    QTRY_VERIFY(bench.settled());
    edit(bench, [](Source& source) { // 3 · 1 GiB of q, k and v
        source.layer.modelWidth = 1024;
        source.padTo = 1 << 18;
        source.lines = {"a"};
    });
    QTRY_VERIFY(bench.document()->error().has_value());
    QVERIFY2(QString::fromStdString(bench.document()->error()->message)
                 .contains(QString::fromStdString(formatBytes(most))),
             qPrintable(QString::fromStdString(bench.document()->error()->message)));
    const auto choose = [&](auto change) {
        QTimer::singleShot(0, bench.window.get(), [change] {
            auto* dialog = qobject_cast<MemoryDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog != nullptr);
            change(dialog);
            dialog->accept();
        });
        bench.action(ActionId::MemoryBudget)->trigger();
    };
    QSignalSpy refusals(&bench.engine, &EngineService::runFailed);
    choose([&](MemoryDialog* dialog) {
        QCOMPARE(dialog->budget(), most);
        dialog->findChild<QDoubleSpinBox*>()->setValue(0.1);
    });
    QTRY_COMPARE(refusals.count(), 1); // tried again
    QCOMPARE(bench.settings.memoryBudget(), static_cast<std::int64_t>(0.1 * (1 << 30)));
    choose([](MemoryDialog* dialog) { dialog->findChildren<QRadioButton*>().first()->click(); });
    QCOMPARE(bench.settings.memoryBudget(), std::int64_t{0}); // the usual one
    bench.document()->undoStack()->clear();
}

QTEST_MAIN(TestCostPanel)
#include "tst_costpanel.moc"
