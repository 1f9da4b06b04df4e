// What the window asks of the engine, as an interface that tests can replace.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "figure/figure.h"

#include "heed/metrics.h"
#include "heed/run.h"
#include "heed/speed.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heed::ui {

using FigurePtr = std::shared_ptr<const Figure>;

/// A query row of a map.
struct RowRequest {
    MapIndex map;
    Quantity quantity = Quantity::Weights;
    std::int64_t query = 0;
    bool operator==(const RowRequest&) const = default;
};

/// Synchronous and re-entrant; called on worker threads only.
class Engine {
public:
    virtual ~Engine() = default;
    [[nodiscard]] virtual Expected<RunPtr> compute(const Source& source, const RunPtr& previous,
                                                   const Execution& execution) = 0;
    /// @param draft called while a tile that takes long is on its way.
    [[nodiscard]] virtual Expected<Tile> tile(const Run& run, const TileRequest& request,
                                              const Execution& execution,
                                              const TileDraft& draft) = 0;
    [[nodiscard]] virtual Expected<MapRow> row(const Run& run, const RowRequest& request,
                                               const Execution& execution) = 0;
    [[nodiscard]] virtual Expected<HeadMetrics> metrics(const Run& run, const MapIndex& map,
                                                        const Execution& execution) = 0;
    /// Times a map of made-up numbers, see measureSpeed().
    [[nodiscard]] virtual Expected<Speed> speed(const SpeedSpec& /*spec*/,
                                                const Execution& /*execution*/)
    {
        return fail(Code::Unsupported, "This engine cannot be timed.");
    }
    /// makeFigure() for everybody; a test may hold it up.
    [[nodiscard]] virtual Expected<FigurePtr> figure(const RunPtr& run, const FigureSpec& spec,
                                                     const Execution& execution)
    {
        return makeFigure(spec, run, execution);
    }
};

/// A survey that takes longer is the last that is measured.
inline constexpr double LongestMeasuredSeconds = 0.25;
/// Times one of @p sides after the other, as @p spec says, until one takes LongestMeasuredSeconds.
/// @param onSpeed called after each, on this thread.
/// @return what stopped it early.
[[nodiscard]] std::optional<Error> measureSides(Engine& engine, SpeedSpec spec,
                                                const std::vector<std::int64_t>& sides,
                                                const Execution& execution,
                                                const std::function<void(const Speed&)>& onSpeed);

/// The real one. @param backendName as BackendRegistry::open takes it.
[[nodiscard]] std::shared_ptr<Engine> makeEngine(const std::string& backendName = "auto");

} // namespace heed::ui
