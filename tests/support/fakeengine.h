// An engine that answers when the test says so.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "services/engine.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace heed::test {

/// Maps whose cell (i, j) of head h has the value @p cell(h, i, j) for every quantity.
class FakeMaps : public AttentionMaps {
public:
    using Cell = std::function<float(std::int64_t head, std::int64_t query, std::int64_t key)>;
    FakeMaps(MapsShape shape, Cell cell, MaskPtr mask = nullptr)
        : m_shape(shape)
        , m_cell(std::move(cell))
        , m_mask(std::move(mask))
    {
    }
    MapsShape shape() const override { return m_shape; }
    bool offers(Quantity) const override { return true; }
    MaskPtr mask(std::int64_t) const override { return m_mask; }
    Expected<std::shared_ptr<const RowStats>> rowStats(const MapIndex& map,
                                                       const Execution& execution) const override;
    Expected<RowFacts> rowFacts(const MapIndex&, const TokenRoles&, const Execution&) const override
    {
        return fail(Code::Unsupported, "Fake maps have no masses.");
    }
    Expected<MapRow> row(const MapIndex& map, Quantity quantity, std::int64_t query,
                         const Execution& execution) const override;
    Expected<TileTexels> window(const MapIndex& map, const TileSpec& spec,
                                const Execution& execution) const override;

private:
    MapsShape m_shape;
    Cell m_cell;
    MaskPtr m_mask;
};

/// A run around maps, with tokens "t0", "t1", … and nothing else.
class FakeRun : public Run {
public:
    FakeRun(Source source, MapsPtr maps);
    const Source& source() const override { return m_source; }
    const Batch& queryTokens() const override { return m_queries; }
    const Batch& keyTokens() const override { return m_keys; }
    const LayerConfig& layer() const override { return m_source.layer; }
    float scale(std::int64_t) const override { return m_source.layer.scale(); }
    const Tensor* x() const override { return nullptr; }
    const Tensor* q(std::int64_t) const override { return nullptr; }
    const Tensor* k(std::int64_t) const override { return nullptr; }
    const Tensor* v(std::int64_t) const override { return nullptr; }
    MapsPtr maps() const override { return m_maps; }
    BackendPtr backend() const override { return nullptr; }
    Expected<Tensor> headOutput(std::int64_t, const Execution&) const override
    {
        return fail(Code::Unsupported, "A fake run has no values.");
    }
    Expected<Tensor> output(std::int64_t, const Execution&) const override
    {
        return fail(Code::Unsupported, "A fake run has no values.");
    }

private:
    Source m_source;
    Batch m_queries;
    Batch m_keys;
    MapsPtr m_maps;
};

/// Counts calls; with the gate closed every call waits until it is opened or its work is cancelled.
class FakeEngine : public ui::Engine {
public:
    explicit FakeEngine(MapsPtr maps)
        : m_maps(std::move(maps))
    {
    }

    void closeGate();
    void openGate();
    /// Lets one call through the closed gate.
    void letOnePass();
    /// Blocks until @p count calls stand at the gate.
    void waitForCallsAtGate(int count);
    /// Every following call fails so.
    void failWith(Error error);
    [[nodiscard]] std::vector<std::string>
    calls() const; ///< "compute a", "tile 0/1/2", in order of arrival
    [[nodiscard]] int cancelledCalls() const { return m_cancelled; }

    Expected<RunPtr> compute(const Source& source, const RunPtr& previous,
                             const Execution& execution) override;
    Expected<Tile> tile(const Run& run, const TileRequest& request, const Execution& execution,
                        const TileDraft& draft) override;
    /// Every following tile has a draft before it stands at the gate: its texels, all of @p value.
    void sendDrafts(float value) { m_draft = value; }
    Expected<MapRow> row(const Run& run, const ui::RowRequest& request,
                         const Execution& execution) override;
    Expected<HeadMetrics> metrics(const Run& run, const MapIndex& map,
                                  const Execution& execution) override;
    Expected<ui::FigurePtr> figure(const RunPtr& run, const ui::FigureSpec& spec,
                                   const Execution& execution) override;

private:
    Expected<void> pass(std::string call, const Execution& execution);

    MapsPtr m_maps;
    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    bool m_open = true;
    int m_passes = 0;
    int m_waiting = 0;
    std::atomic<int> m_cancelled = 0;
    std::optional<Error> m_error;
    std::optional<float> m_draft;
    std::vector<std::string> m_calls;
};

} // namespace heed::test
