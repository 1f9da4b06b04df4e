// Lanes on one pool: a computation of the whole run, the requests for its maps, and figures.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/engineservice.h"

#include "services/workpool.h"

#include <QElapsedTimer>
#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <utility>
#include <variant>

namespace heed::ui {

namespace {

constexpr std::int64_t DefaultCacheBytes = std::int64_t{256} << 20;
constexpr int ComputeLane = 1; // above every map request in the pool's own order

using Kind = MapQuestion::Kind;
using Answer = std::variant<TilePtr, RowPtr, MetricsPtr>;

MapQuestion questionOf(const RowRequest& row)
{
    return {Kind::Row, TileRequest{.map = row.map, .quantity = row.quantity, .tileRow = row.query}};
}

RowRequest rowOf(const MapQuestion& question)
{
    return {question.request.map, question.request.quantity, question.request.tileRow};
}

/// The rows that were read last, for a pointer that goes back and forth.
class RecentRows {
public:
    void insert(const RowRequest& request, RowPtr row)
    {
        m_rows.resize(std::min(m_rows.size(), Most - 1));
        m_rows.emplace_front(request, std::move(row));
    }
    [[nodiscard]] RowPtr find(const RowRequest& request)
    {
        const auto known = std::ranges::find(m_rows, request, &Entry::first);
        if (known == m_rows.end()) {
            return nullptr;
        }
        std::rotate(m_rows.begin(), known, known + 1); // the last used comes first
        return m_rows.front().second;
    }
    void clear() { m_rows.clear(); }

private:
    using Entry = std::pair<RowRequest, RowPtr>;
    static constexpr std::size_t Most = 16; // 0.5 MB each in a map of 32768 keys
    std::deque<Entry> m_rows;
};

Expected<Answer> answer(Engine& engine, const Run& run, const MapQuestion& key,
                        const Execution& execution, const TileDraft& draft)
{
    switch (key.kind) {
    case Kind::Tile:
        return engine.tile(run, key.request, execution, draft).map([](Tile&& tile) {
            return Answer(std::make_shared<const Tile>(std::move(tile)));
        });
    case Kind::Row:
        return engine.row(run, rowOf(key), execution).map([](MapRow&& row) {
            return Answer(std::make_shared<const MapRow>(std::move(row)));
        });
    case Kind::Metrics:
        return engine.metrics(run, key.request.map, execution).map([](HeadMetrics metrics) {
            return Answer(std::make_shared<const HeadMetrics>(metrics));
        });
    }
    return fail(Code::Internal, "A request of an unknown kind.");
}

Expected<FigurePreview> paintPreview(Engine& engine, const RunPtr& run, const FigureSpec& spec,
                                     const QSize& pixels, const Execution& execution)
{
    auto figure = engine.figure(run, spec, execution);
    if (!figure) {
        return tl::unexpected(figure.error());
    }
    if (execution.cancelled()) {
        return fail(Code::Cancelled, "Stopped.");
    }
    const QSizeF inches = (*figure)->sizeMm() / 25.4;
    const double dpi = std::min(pixels.width() / inches.width(), pixels.height() / inches.height());
    const int whole = std::max(1, static_cast<int>(dpi));
    return FigurePreview{*figure, (*figure)->image(whole), whole};
}

} // namespace

struct EngineService::State {
    State(EngineService* owner, std::shared_ptr<Engine> usedEngine)
        : service(owner)
        , engine(std::move(usedEngine))
    {
        // Maps of a long text take seconds, and a zoom must not wait behind them: what is on screen
        // has more lanes than there are processors.
        const int processors = std::max(1, pool.threads());
        const int lanes = processors + 2;
        requests.setLanes(lanes, std::max(1, processors - 1));
        pool.setThreads(lanes + 3); // a row, a computation, a figure
    }

    void request(const MapQuestion& question, Priority priority)
    {
        if (run) {
            requests.ask(question, priority);
            dispatch();
        }
    }

    void dispatch()
    {
        while (const auto next = requests.startNext()) {
            start(next->question, next->stop);
        }
        announce();
    }

    void start(const MapQuestion& key, const std::stop_token& stop)
    {
        pool.start([this, key, usedEngine = engine, usedRun = run, stop, at = generation] {
            QElapsedTimer timer;
            timer.start();
            const auto tell = [this, &key, at](const Tile& tile, const PictureDraft& state) {
                QMetaObject::invokeMethod(
                    service,
                    [this, key, at, sketch = Draft{std::make_shared<const Tile>(tile), state}] {
                        takeDraft(key, at, sketch);
                    },
                    Qt::QueuedConnection);
            };
            auto result = answer(*usedEngine, *usedRun, key, {.stop = stop}, tell);
            const double ms = static_cast<double>(timer.nsecsElapsed()) / 1e6;
            QMetaObject::invokeMethod(
                service,
                [this, key, at, ms, result = std::move(result)] { finish(key, at, ms, result); },
                Qt::QueuedConnection);
        });
    }

    void takeDraft(const MapQuestion& key, quint64 at, const Draft& draft)
    {
        if (at == generation && requests.isRunning(key)) {
            drafts[key.request] = draft;
            Q_EMIT service->draftReady(key.request);
        }
    }

    void finish(const MapQuestion& key, quint64 at, double ms, const Expected<Answer>& result)
    {
        if (at != generation) {
            return; // belongs to a run that is gone; its request went with it
        }
        requests.finish(key);
        if (key.kind == Kind::Tile) {
            drafts.erase(key.request);
        }
        if (!result) {
            if (result.error().code != Code::Cancelled) {
                Q_EMIT service->failed(result.error());
            } else if (key.kind == Kind::Tile && isVisible(key.request)) {
                requests.ask(key, Priority::Visible); // stopped, then wanted again
            }
        } else if (key.kind == Kind::Tile) {
            double& longest = mapMs[{.map = key.request.map, .quantity = key.request.quantity}];
            longest = std::max(longest, ms);
            cache.insert(key.request, std::get<TilePtr>(*result));
            Q_EMIT service->tileReady(key.request, ms);
        } else if (key.kind == Kind::Row) {
            rows.insert(rowOf(key), std::get<RowPtr>(*result));
            Q_EMIT service->rowReady(rowOf(key));
        } else {
            metrics[key.request] = std::get<MetricsPtr>(*result);
            Q_EMIT service->metricsReady(key.request.map);
        }
        dispatch();
    }

    /// What is too large is refused with both numbers, before the system ends the program for it.
    std::int64_t budget() const { return memoryBudget > 0 ? memoryBudget : usualMemoryBudget(); }

    bool isVisible(const TileRequest& request) const
    {
        return std::any_of(visible.begin(), visible.end(), [&](const auto& view) {
            return std::find(view.second.begin(), view.second.end(), request) != view.second.end();
        });
    }

    /// Nothing that was asked of the present run is wanted any more.
    void dropRequests()
    {
        ++generation;
        requests.dropAll();
        drafts.clear();
    }

    void replaceRun(RunPtr next)
    {
        dropRequests();
        cache.clear();
        rows.clear();
        metrics.clear();
        mapMs.clear();
        run = std::move(next);
    }

    void stopComputing()
    {
        computeStop.request_stop();
        computeStop = std::stop_source();
        ++computation;
        computing = false;
    }

    /// Starts the preview that waits, when none is running.
    void startPreview()
    {
        if (previewing || !nextPreview) {
            return;
        }
        previewing = true;
        previewStop = std::stop_source();
        const PreviewRequest next = *std::exchange(nextPreview, std::nullopt);
        const Execution execution{.stop = previewStop.get_token(), .memoryBudget = budget()};
        pool.start([this, usedEngine = engine, next, execution] {
            auto result = paintPreview(*usedEngine, next.run, next.spec, next.pixels, execution);
            QMetaObject::invokeMethod(
                service, [this, result = std::move(result)] { finishPreview(result); },
                Qt::QueuedConnection);
        });
        announce();
    }

    void finishPreview(const Expected<FigurePreview>& result)
    {
        const bool wanted = !previewStop.stop_requested();
        previewing = false;
        startPreview();
        announce();
        if (!wanted) {
            return; // a newer one is on its way, or nobody looks
        }
        if (result) {
            Q_EMIT service->figureReady(*result);
        } else {
            Q_EMIT service->figureFailed(result.error());
        }
    }

    bool isPreviewWanted() const
    {
        return nextPreview || (previewing && !previewStop.stop_requested());
    }

    void dropPreview()
    {
        nextPreview.reset();
        previewStop.request_stop();
    }

    void write(const FigureSpec& spec, const QString& path)
    {
        ++writing;
        const Execution execution{.stop = writeStop.get_token(), .memoryBudget = budget()};
        pool.start([this, usedEngine = engine, usedRun = run, spec, path, execution] {
            const auto result = usedEngine->figure(usedRun, spec, execution)
                                    .and_then([&](const FigurePtr& figure) -> Expected<void> {
                                        if (execution.cancelled()) {
                                            return fail(Code::Cancelled, "Stopped.");
                                        }
                                        return figure->write(path);
                                    });
            QMetaObject::invokeMethod(
                service,
                [this, path, result] {
                    --writing;
                    announce();
                    if (result) {
                        Q_EMIT service->figureWritten(path);
                    } else {
                        Q_EMIT service->figureNotWritten(path, result.error());
                    }
                },
                Qt::QueuedConnection);
        });
        announce();
    }

    void stopWriting()
    {
        writeStop.request_stop();
        writeStop = std::stop_source();
    }

    void measure(const SpeedSpec& spec, const std::vector<std::int64_t>& sides)
    {
        measuring = true;
        pool.start([this, usedEngine = engine, spec, sides, at = measurement,
                    stop = measureStop.get_token()] {
            const auto error = measureSides(*usedEngine, spec, sides, {.stop = stop},
                                            [this, at](const Speed& speed) {
                                                toService([this, at, speed] {
                                                    if (at == measurement) {
                                                        Q_EMIT service->speedMeasured(speed);
                                                    }
                                                });
                                            });
            toService([this, at, error] {
                if (at == measurement) {
                    endMeasuring(error);
                }
            });
        });
        announce();
    }

    void toService(const std::function<void()>& work)
    {
        QMetaObject::invokeMethod(service, work, Qt::QueuedConnection);
    }

    void endMeasuring(const std::optional<Error>& error)
    {
        ++measurement;
        measuring = false;
        announce();
        Q_EMIT service->measuringEnded(error);
    }

    void stopMeasuring()
    {
        measureStop.request_stop();
        measureStop = std::stop_source();
        if (measuring) {
            endMeasuring(Error{Code::Cancelled, "Stopped.", {}});
        }
    }

    void announce()
    {
        Q_EMIT service->busyChanged(requests.running() + (computing ? 1 : 0) +
                                        (previewing ? 1 : 0) + writing + (measuring ? 1 : 0),
                                    requests.waiting());
    }

    EngineService* service;
    std::shared_ptr<Engine> engine;
    WorkPool pool;

    RunPtr run;
    quint64 generation = 0;  // of the run: older map results are refused
    quint64 computation = 0; // of the source: older runs are refused
    bool computing = false;
    std::stop_source computeStop;

    RequestQueue requests; // of the present run
    std::unordered_map<int, std::vector<TileRequest>> visible;
    TileCache cache{DefaultCacheBytes};
    std::unordered_map<TileRequest, Draft, TileRequestHash> drafts; // of running requests
    RecentRows rows;
    std::unordered_map<TileRequest, MetricsPtr, TileRequestHash> metrics;
    std::unordered_map<TileRequest, double, TileRequestHash> mapMs; // map and quantity count
    std::int64_t memoryBudget = 0;

    struct PreviewRequest {
        RunPtr run;
        FigureSpec spec;
        QSize pixels;
    };
    std::optional<PreviewRequest> nextPreview;
    bool previewing = false;
    std::stop_source previewStop;
    int writing = 0;
    std::stop_source writeStop;
    bool measuring = false;
    quint64 measurement = 0; // older measurements are refused
    std::stop_source measureStop;
};

EngineService::EngineService(std::shared_ptr<Engine> engine, QObject* parent)
    : QObject(parent)
    , m_state(std::make_unique<State>(this, std::move(engine)))
{
}

EngineService::~EngineService()
{
    blockSignals(true);
    m_state->stopComputing();
    m_state->dropRequests();
    m_state->dropPreview();
    m_state->stopWriting();
    m_state->stopMeasuring();
    m_state->pool.waitForDone();
}

RunPtr EngineService::current() const
{
    return m_state->run;
}

void EngineService::compute(const Source& source)
{
    m_state->stopComputing();
    m_state->computing = true;
    m_state->pool.start(
        [this, source, engine = m_state->engine, previous = m_state->run,
         stop = m_state->computeStop.get_token(), at = m_state->computation,
         budget = m_state->budget()] {
            QElapsedTimer timer;
            timer.start();
            auto result = engine->compute(source, previous, {.stop = stop, .memoryBudget = budget});
            const double ms = static_cast<double>(timer.nsecsElapsed()) / 1e6;
            QMetaObject::invokeMethod(
                this,
                [this, at, ms, result = std::move(result)] {
                    if (at != m_state->computation) {
                        return;
                    }
                    m_state->computing = false;
                    if (result) {
                        m_state->replaceRun(*result);
                        Q_EMIT runReady(*result, ms);
                    } else if (result.error().code != Code::Cancelled) {
                        Q_EMIT runFailed(result.error());
                    }
                    m_state->announce();
                },
                Qt::QueuedConnection);
        },
        ComputeLane);
    m_state->announce();
}

void EngineService::clear()
{
    m_state->stopComputing();
    m_state->dropPreview();
    m_state->replaceRun(nullptr);
    m_state->announce();
}

TilePtr EngineService::tile(const TileRequest& request, Priority priority)
{
    TilePtr found = m_state->cache.find(request);
    if (!found) {
        m_state->request({Kind::Tile, request}, priority);
    }
    return found;
}

TilePtr EngineService::cachedTile(const TileRequest& request) const
{
    return m_state->cache.find(request);
}

Draft EngineService::draft(const TileRequest& request) const
{
    const auto found = m_state->drafts.find(request);
    return found != m_state->drafts.end() ? found->second : Draft{};
}

RowPtr EngineService::row(const RowRequest& request)
{
    RowPtr known = m_state->rows.find(request);
    if (!known) {
        m_state->request(questionOf(request), Priority::Visible);
    }
    return known;
}

MetricsPtr EngineService::metrics(const MapIndex& map, Priority priority)
{
    const MapQuestion key{Kind::Metrics, TileRequest{.map = map}};
    if (const auto known = m_state->metrics.find(key.request); known != m_state->metrics.end()) {
        return known->second;
    }
    m_state->request(key, priority);
    return nullptr;
}

std::optional<double> EngineService::mapMs(const MapIndex& map, Quantity quantity) const
{
    const auto known = m_state->mapMs.find({.map = map, .quantity = quantity});
    return known != m_state->mapMs.end() ? std::optional(known->second) : std::nullopt;
}

void EngineService::setVisible(int view, const std::vector<TileRequest>& wanted)
{
    const std::vector<TileRequest> before = std::exchange(m_state->visible[view], wanted);
    TileRequestSet onScreen;
    for (const auto& [id, requests] : m_state->visible) {
        onScreen.insert(requests.begin(), requests.end());
    }
    for (const TileRequest& request : before) {
        if (onScreen.contains(request)) {
            continue;
        }
        m_state->requests.drop({Kind::Tile, request});
    }
    m_state->cache.setProtected(std::move(onScreen));
    m_state->announce();
}

void EngineService::previewFigure(const FigureSpec& spec, const QSize& pixels)
{
    m_state->dropPreview();
    if (m_state->run && !pixels.isEmpty()) {
        m_state->nextPreview = {m_state->run, spec, pixels};
        m_state->startPreview();
    }
}

void EngineService::dropPreview()
{
    m_state->dropPreview();
}

void EngineService::writeFigure(const FigureSpec& spec, const QString& path)
{
    if (m_state->run) {
        m_state->write(spec, path);
    } else {
        Q_EMIT figureNotWritten(path, {Code::NotFound, "There is nothing to draw yet.", {}});
    }
}

void EngineService::measure(const SpeedSpec& spec, const std::vector<std::int64_t>& sides)
{
    m_state->stopMeasuring();
    m_state->measure(spec, sides);
}

void EngineService::stopMeasuring()
{
    m_state->stopMeasuring();
}

bool EngineService::isMeasuring() const
{
    return m_state->measuring;
}

void EngineService::setMemoryBudget(std::int64_t bytes)
{
    m_state->memoryBudget = bytes;
}

std::int64_t EngineService::memoryBudget() const
{
    return m_state->memoryBudget;
}

void EngineService::setCacheBudget(std::int64_t bytes)
{
    m_state->cache.setBudget(bytes);
}

std::int64_t EngineService::cachedBytes() const
{
    return m_state->cache.bytes();
}

void EngineService::cancelAll()
{
    const bool wasComputing = m_state->computing;
    const bool wasPreviewing = m_state->isPreviewWanted();
    m_state->stopComputing();
    m_state->dropRequests();
    m_state->dropPreview();
    m_state->stopWriting();
    m_state->stopMeasuring();
    m_state->announce();
    if (wasComputing) {
        Q_EMIT runFailed(Error{Code::Cancelled, "Stopped.", {}});
    }
    if (wasPreviewing) {
        Q_EMIT figureFailed(Error{Code::Cancelled, "Stopped.", {}});
    }
}

} // namespace heed::ui
