// The engine as the window uses it: one backend, opened when the first work arrives.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/engine.h"

#include <mutex>
#include <utility>

namespace heed::ui {

namespace {

class RealEngine : public Engine {
public:
    explicit RealEngine(std::string backendName)
        : m_backendName(std::move(backendName))
    {
    }

    Expected<RunPtr> compute(const Source& source, const RunPtr& previous,
                             const Execution& execution) override
    {
        const auto backend = openBackend();
        if (!backend) {
            return tl::unexpected(backend.error());
        }
        return heed::compute(source, *backend, execution, previous);
    }

    Expected<Tile> tile(const Run& run, const TileRequest& request, const Execution& execution,
                        const TileDraft& draft) override
    {
        return run.maps()->tile(request, execution, draft);
    }

    Expected<MapRow> row(const Run& run, const RowRequest& request,
                         const Execution& execution) override
    {
        return run.maps()->row(request.map, request.quantity, request.query, execution);
    }

    Expected<HeadMetrics> metrics(const Run& run, const MapIndex& map,
                                  const Execution& execution) override
    {
        return headMetrics(*run.maps(), map,
                           mapTokens(run.queryTokens(), run.keyTokens(), map.item), execution);
    }

    Expected<Speed> speed(const SpeedSpec& spec, const Execution& execution) override
    {
        const auto backend = openBackend();
        if (!backend) {
            return tl::unexpected(backend.error());
        }
        return measureSpeed(**backend, spec, execution);
    }

private:
    Expected<BackendPtr> openBackend()
    {
        const std::scoped_lock lock(m_mutex);
        if (!m_backend) {
            auto opened = BackendRegistry::instance().open(m_backendName);
            if (!opened) {
                return opened;
            }
            m_backend = *opened;
        }
        return m_backend;
    }

    std::string m_backendName;
    std::mutex m_mutex;
    BackendPtr m_backend;
};

} // namespace

std::optional<Error> measureSides(Engine& engine, SpeedSpec spec,
                                  const std::vector<std::int64_t>& sides,
                                  const Execution& execution,
                                  const std::function<void(const Speed&)>& onSpeed)
{
    for (const std::int64_t side : sides) {
        spec.side = side;
        const auto speed = engine.speed(spec, execution);
        if (!speed) {
            return speed.error();
        }
        onSpeed(*speed);
        if (speed->surveySeconds >= LongestMeasuredSeconds) {
            break;
        }
    }
    return {};
}

std::shared_ptr<Engine> makeEngine(const std::string& backendName)
{
    return std::make_shared<RealEngine>(backendName);
}

} // namespace heed::ui
