// Long texts and many heads in the window: when something is there, when it is exact, and whether
// the hand feels the work in the background.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "benchscreen.h"
#include "mainwindow/actions.h"
#include "views/heatmapview.h"

#include "heed/arrayfile.h"

#include <QTest>
#include <QWheelEvent>
#include <algorithm>
#include <benchmark/benchmark.h>
#include <random>

using namespace heed;
using namespace heed::ui;
using namespace heed::ui::bench;

namespace {

constexpr std::int64_t Width = 64;

/// q and k of @p heads maps of n × n, as a file that the window opens.
Source projections(const QTemporaryDir& folder, std::int64_t heads, std::int64_t n)
{
    std::mt19937 random(1);
    std::uniform_real_distribution<float> number(-1.5F, 1.5F);
    const Shape shape = {1, heads, n, Width};
    std::vector<float> q(static_cast<std::size_t>(heads * n * Width));
    std::vector<float> k(q.size());
    std::generate(q.begin(), q.end(), [&] { return number(random); });
    std::generate(k.begin(), k.end(), [&] { return number(random); });
    std::vector<ArrayToWrite> arrays(2);
    arrays[0] = {"q", ElementType::Float32, shape, std::as_bytes(std::span(q))};
    arrays[1] = {"k", ElementType::Float32, shape, std::as_bytes(std::span(k))};
    const std::string path = folder.filePath(QStringLiteral("qk.npz")).toStdString();
    const auto written = writeArrays(path, arrays);
    Source source;
    source.qkv = written ? path : std::string();
    return source;
}

double milliseconds(const QElapsedTimer& timer)
{
    return static_cast<double>(timer.nsecsElapsed()) * 1e-6;
}

/// The causal mask switched on and off: until the first picture of the new map is painted, the
/// exact one, and (the time itself) everything the panels tell.
void longMaskToggle(benchmark::State& state)
{
    Screen screen;
    const Source source = projections(screen.folder, 1, state.range(0));
    screen.open(source);
    HeatmapView* heatmap = screen.window->heatmap();
    QAction* causal = (*screen.window->workspace().actions)[ActionId::Causal];
    double first = 0;
    double exact = 0;
    RunPtr before;
    QElapsedTimer timer;
    QObject context;
    QObject::connect(heatmap, &HeatmapView::painted, &context, [&] {
        const bool isNew = heatmap->shownMap().run != before;
        if (first == 0 && isNew) {
            first = milliseconds(timer);
        }
        if (exact == 0 && isNew && heatmap->isExact()) {
            exact = milliseconds(timer);
        }
    });
    double firstSum = 0;
    double exactSum = 0;
    double worstFirst = 0;
    for (auto _ : state) {
        before = screen.document()->run();
        first = 0;
        exact = 0;
        timer.start();
        causal->trigger();
        if (!screen.settle()) {
            state.SkipWithError("the window did not come to rest");
            return;
        }
        const qint64 ns = timer.nsecsElapsed() - application()->lastPainted.nsecsElapsed();
        state.SetIterationTime(static_cast<double>(ns) * 1e-9);
        firstSum += first;
        exactSum += exact;
        worstFirst = std::max(worstFirst, first);
    }
    state.counters["first_ms"] = benchmark::Counter(firstSum, benchmark::Counter::kAvgIterations);
    state.counters["exact_ms"] = benchmark::Counter(exactSum, benchmark::Counter::kAvgIterations);
    state.counters["worst_first_ms"] = worstFirst;
    state.counters["resident_MiB"] = residentMiB(QCoreApplication::applicationPid());
}
BENCHMARK(longMaskToggle)
    ->ArgName("n")
    ->Arg(32768)
    ->UseManualTime()
    ->Iterations(6)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(longMaskToggle)
    ->ArgName("n")
    ->Arg(131072)
    ->UseManualTime()
    ->Iterations(2)
    ->Unit(benchmark::kMillisecond);

/// The time of each frame of a gesture: from the event to the end of the painting it causes.
class Gesture {
public:
    explicit Gesture(QWidget* target)
        : m_target(target)
    {
    }
    void step(QEvent& event)
    {
        const int before = application()->paintings;
        QElapsedTimer timer;
        timer.start();
        QCoreApplication::sendEvent(m_target, &event);
        while (application()->paintings == before && timer.elapsed() < 200) {
            QCoreApplication::processEvents(QEventLoop::AllEvents);
        }
        m_frames.push_back(milliseconds(timer));
        // The hand moves 60 times a second; tiles arrive meanwhile.
        while (timer.elapsed() < 16) {
            QCoreApplication::processEvents(QEventLoop::AllEvents, 1);
        }
    }
    void wheel(const QPointF& at, int delta)
    {
        QWheelEvent event(at, m_target->mapToGlobal(at), {}, {0, delta}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        step(event);
    }
    void mouse(QEvent::Type type, const QPointF& at)
    {
        QMouseEvent event(type, at, m_target->mapToGlobal(at), Qt::MiddleButton, Qt::MiddleButton,
                          Qt::NoModifier);
        step(event);
    }
    [[nodiscard]] double percentile(double share)
    {
        std::sort(m_frames.begin(), m_frames.end());
        return m_frames[static_cast<std::size_t>(share * static_cast<double>(m_frames.size() - 1))];
    }
    [[nodiscard]] double count() const { return static_cast<double>(m_frames.size()); }

private:
    QWidget* m_target;
    std::vector<double> m_frames;
};

/// In, about, and out again, while the tiles of every place and level are computed.
void longMapGesture(benchmark::State& state)
{
    Screen screen;
    const Source source = projections(screen.folder, 1, state.range(0));
    for (auto _ : state) {
        screen.document()->reset(source);
        QTest::qWait(150); // the map is on its way
        HeatmapView* heatmap = screen.window->heatmap();
        Gesture gesture(heatmap);
        const QPointF centre = QRectF(heatmap->rect()).center();
        for (int i = 0; i < 40; ++i) {
            gesture.wheel(centre, 60);
        }
        for (int i = 0; i < 120; ++i) {
            if (i % 40 == 0) {
                gesture.mouse(QEvent::MouseButtonPress, centre);
            }
            gesture.mouse(QEvent::MouseMove, centre + QPointF(3.0 * (i % 40), -2.0 * (i % 40)));
            if (i % 40 == 39) {
                gesture.mouse(QEvent::MouseButtonRelease, centre + QPointF(120, -80));
            }
        }
        for (int i = 0; i < 40; ++i) {
            gesture.wheel(centre, -60);
        }
        state.counters["median_ms"] = gesture.percentile(0.5);
        state.counters["p95_ms"] = gesture.percentile(0.95);
        state.counters["worst_ms"] = gesture.percentile(1);
        state.counters["frames"] = gesture.count();
    }
    screen.engine.cancelAll();
}
BENCHMARK(longMapGesture)
    ->ArgName("n")
    ->Arg(32768)
    ->Arg(131072)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

/// A file with many heads, until every thumbnail is exact.
void manyHeads(benchmark::State& state)
{
    Screen screen;
    const Source source = projections(screen.folder, state.range(0), state.range(1));
    for (auto _ : state) {
        QElapsedTimer timer;
        timer.start();
        screen.open(source);
        const qint64 ns = timer.nsecsElapsed() - application()->lastPainted.nsecsElapsed();
        state.SetIterationTime(static_cast<double>(ns) * 1e-9);
    }
    state.counters["resident_MiB"] = residentMiB(QCoreApplication::applicationPid());
}
BENCHMARK(manyHeads)
    ->ArgNames({"heads", "n"})
    ->Args({144, 4096})
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

} // namespace
