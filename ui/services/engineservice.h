// The only door to background work: requests in, results out, the latest wins.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "services/engine.h"
#include "services/requestqueue.h"

#include <QImage>
#include <QObject>
#include <QSize>
#include <memory>
#include <optional>
#include <vector>

namespace heed::ui {

using RowPtr = std::shared_ptr<const MapRow>;
using MetricsPtr = std::shared_ptr<const HeadMetrics>;

/// A figure as it will be, and a picture of it for the screen.
struct FigurePreview {
    FigurePtr figure;
    QImage picture;
    int dpi = 0; ///< of the picture
};

/// A tile that is not finished: what it shows so far.
struct Draft {
    TilePtr tile;
    PictureDraft state;
};

/// Lives in the GUI thread. Work runs on a pool of its own; results come back queued. A result
/// whose run was replaced meanwhile is dropped here, in the GUI thread. A request equal to one that
/// is waiting or running is not repeated (a more urgent priority is taken over).
class EngineService : public QObject {
    Q_OBJECT
public:
    explicit EngineService(std::shared_ptr<Engine> engine, QObject* parent = nullptr);
    /// Requests stop on everything, then joins.
    ~EngineService() override;

    /// Computes @p source; a computation still running for an older source is stopped. When the
    /// result is there it becomes current() and requests for older runs are dropped.
    void compute(const Source& source);
    /// Forgets the current run and stops everything.
    void clear();
    [[nodiscard]] RunPtr current() const;

    /// A tile of the current run: at once from the cache, or null and tileReady() later.
    TilePtr tile(const TileRequest& request, Priority priority);
    /// The cached tile, never asking for it.
    [[nodiscard]] TilePtr cachedTile(const TileRequest& request) const;
    /// What a running request for a tile has found so far; no tile when it has not told yet.
    [[nodiscard]] Draft draft(const TileRequest& request) const;
    /// A query row of the current run: at once, or null and rowReady() very soon, however long the
    /// map takes. Of several that wait only the latest is read: who hears of another asks again.
    RowPtr row(const RowRequest& request);
    /// Metrics of a head: at once, or null and metricsReady() later.
    MetricsPtr metrics(const MapIndex& map, Priority priority);
    /// The longest that a tile of the map took, in milliseconds: tiles of a long map come from one
    /// pass. Nothing before one is there.
    [[nodiscard]] std::optional<double> mapMs(const MapIndex& map, Quantity quantity) const;
    /// The tiles on screen of one view (@p view: any stable number, one a view). Waiting tile
    /// requests of that view's earlier set that no view wants any more are dropped, running ones
    /// stopped; wanted tiles are never evicted.
    void setVisible(int view, const std::vector<TileRequest>& wanted);

    /// Lays out a figure of the current run and paints it as large as fits into @p pixels:
    /// figureReady() or figureFailed() later. Of several that wait only the latest is made.
    void previewFigure(const FigureSpec& spec, const QSize& pixels);
    /// Nobody waits for a preview any more.
    void dropPreview();
    /// Writes a figure of the run that is current now, also when another replaces it meanwhile:
    /// figureWritten() or figureNotWritten() later, once for each call.
    void writeFigure(const FigureSpec& spec, const QString& path);

    /// Times maps as @p spec says, one of @p sides after the other until one takes
    /// LongestMeasuredSeconds: speedMeasured() after each, then measuringEnded(). One that still
    /// runs is stopped. At most one lane is used, but the work takes every thread.
    void measure(const SpeedSpec& spec, const std::vector<std::int64_t>& sides);
    /// measuringEnded() follows when there was something to stop.
    void stopMeasuring();
    [[nodiscard]] bool isMeasuring() const;

    /// What a run or a figure may take; 0 = usualMemoryBudget() of the moment. Counts from the next
    /// one on.
    void setMemoryBudget(std::int64_t bytes);
    [[nodiscard]] std::int64_t memoryBudget() const; ///< as set; 0 = the usual one
    void setCacheBudget(std::int64_t bytes);
    [[nodiscard]] std::int64_t cachedBytes() const;
    /// Stops all work in progress (the Cancel of the status bar). A computation of the run that was
    /// stopped so is reported by runFailed() with Code::Cancelled.
    void cancelAll();

Q_SIGNALS:
    void runReady(const heed::RunPtr& run, double milliseconds);
    void runFailed(const heed::Error& error);
    void tileReady(const heed::TileRequest& request, double milliseconds);
    void draftReady(const heed::TileRequest& request); ///< draft() has something better
    void rowReady(const heed::ui::RowRequest& request);
    void metricsReady(const heed::MapIndex& map);
    void failed(const heed::Error& error); ///< a tile, a row or metrics
    void figureReady(const heed::ui::FigurePreview& preview);
    void figureFailed(const heed::Error& error); ///< the latest preview
    void figureWritten(const QString& path);
    void figureNotWritten(const QString& path, const heed::Error& error);
    void speedMeasured(const heed::Speed& speed);
    /// @param error Code::Cancelled when it was stopped; none when all is measured.
    void measuringEnded(const std::optional<heed::Error>& error);
    void busyChanged(int running, int queued);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace heed::ui
