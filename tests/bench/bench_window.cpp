// What a person waits for: the window after the start, a typed character, a switched mask.
//
// Times are from the event to the end of the last painting it causes, all thumbnails, metrics and
// panels included, offscreen (painted in full, shown nowhere). Counters: `paint_ms` of that in
// painting (`paintings` times), `first_ms` until the large map shows the new numbers.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "benchscreen.h"
#include "mainwindow/actions.h"
#include "views/heatmapview.h"

#include <QPlainTextEdit>
#include <QProcess>
#include <QTest>
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdio>
#include <vector>

using namespace heed;
using namespace heed::ui;
using namespace heed::ui::bench;

namespace {

constexpr const char* FirstPaint = "--report-first-paint";
constexpr int PatienceMs = 20'000;

/// One event after the other, each until everything it causes is on screen.
template <typename Act>
void clockEvents(benchmark::State& state, Screen& screen, Act act)
{
    double paintMs = 0;
    double firstMs = 0;
    int paintings = 0;
    std::vector<double> seconds;
    QElapsedTimer timer;
    double shown = 0;
    RunPtr before;
    QObject context;
    QObject::connect(screen.window->heatmap(), &HeatmapView::painted, &context, [&] {
        if (shown == 0 && screen.document()->run() != before) {
            shown = static_cast<double>(timer.nsecsElapsed()) * 1e-6;
        }
    });
    for (auto _ : state) {
        application()->paintNs = 0;
        application()->paintings = 0;
        before = screen.document()->run();
        shown = 0;
        timer.start();
        act();
        if (!screen.settle()) {
            state.SkipWithError("the window did not come to rest");
            return;
        }
        const qint64 ns = timer.nsecsElapsed() - application()->lastPainted.nsecsElapsed();
        seconds.push_back(static_cast<double>(ns) * 1e-9);
        state.SetIterationTime(seconds.back());
        paintMs += static_cast<double>(application()->paintNs) * 1e-6;
        firstMs += shown;
        paintings += application()->paintings;
    }
    std::sort(seconds.begin(), seconds.end());
    state.counters["median_ms"] = seconds[seconds.size() / 2] * 1e3;
    state.counters["paint_ms"] = benchmark::Counter(paintMs, benchmark::Counter::kAvgIterations);
    state.counters["first_ms"] = benchmark::Counter(firstMs, benchmark::Counter::kAvgIterations);
    state.counters["paintings"] = benchmark::Counter(paintings, benchmark::Counter::kAvgIterations);
}

void typedCharacter(benchmark::State& state)
{
    Screen screen;
    Source source;
    source.lines = {"the quick brown fox jumps over the lazy dog while the small cat sleeps under "
                    "a warm red blanket at"};
    screen.open(source);
    auto* text = screen.window->findChild<QPlainTextEdit*>();
    if (text == nullptr) {
        state.SkipWithError("no text field");
        return;
    }
    text->setFocus();
    text->moveCursor(QTextCursor::End);
    char letter = 'a';
    clockEvents(state, screen, [&] {
        QTest::keyClick(text, letter);
        letter = letter == 'z' ? 'a' : static_cast<char>(letter + 1);
    });
}
BENCHMARK(typedCharacter)->UseManualTime()->Iterations(40)->Unit(benchmark::kMillisecond);

void toggledMask(benchmark::State& state)
{
    Screen screen;
    Source source;
    std::string line;
    for (int i = 0; i < 256; ++i) {
        line += "w" + std::to_string(i) + " ";
    }
    source.lines = {line};
    source.layer.modelWidth = 512;
    source.layer.heads = 8;
    screen.open(source);
    QAction* causal = (*screen.window->workspace().actions)[ActionId::Causal];
    clockEvents(state, screen, [&] { causal->trigger(); });
}
BENCHMARK(toggledMask)->UseManualTime()->Iterations(40)->Unit(benchmark::kMillisecond);

/// A new process each time, from its start to the first painted window.
void startToFirstPaint(benchmark::State& state)
{
    double resident = 0;
    for (auto _ : state) {
        QProcess process;
        QElapsedTimer timer;
        timer.start();
        process.start(QCoreApplication::applicationFilePath(), {QLatin1String(FirstPaint)});
        if (!process.waitForReadyRead(PatienceMs)) {
            state.SkipWithError("the window was not painted");
            return;
        }
        state.SetIterationTime(static_cast<double>(timer.nsecsElapsed()) * 1e-9);
        QTest::qWait(500); // idle
        resident = std::max(resident, residentMiB(process.processId()));
        process.kill();
        process.waitForFinished();
    }
    state.counters["resident_MiB"] = resident;
}
BENCHMARK(startToFirstPaint)->UseManualTime()->Iterations(5)->Unit(benchmark::kMillisecond);

/// The other side of startToFirstPaint().
int reportFirstPaint()
{
    Screen screen;
    while (application()->paintings == 0) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
    }
    std::puts("painted");
    std::fflush(stdout);
    return QApplication::exec();
}

} // namespace

int main(int argc, char** argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    ClockedApplication clocked(argc, argv);
    if (argc > 1 && qstrcmp(argv[1], FirstPaint) == 0) {
        return reportFirstPaint();
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 1;
    }
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
