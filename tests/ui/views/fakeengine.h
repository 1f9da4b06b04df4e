// An engine whose maps are formulas, and which answers when it is allowed to.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "services/engine.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace heed::ui::test {

/// One cell of a fake map.
struct FakeCell {
    float value = 0;
    MaskReasons reasons = 0;
};
using CellFunction = std::function<FakeCell(const MapIndex&, std::int64_t query, std::int64_t key)>;

class FakeMaps : public AttentionMaps {
public:
    FakeMaps(MapsShape shape, CellFunction cell)
        : m_shape(shape)
        , m_cell(std::move(cell))
    {
    }
    [[nodiscard]] MapsShape shape() const override { return m_shape; }
    [[nodiscard]] bool offers(Quantity) const override { return true; }
    [[nodiscard]] MaskPtr mask(std::int64_t) const override { return nullptr; }
    [[nodiscard]] Expected<std::shared_ptr<const RowStats>>
    rowStats(const MapIndex&, const Execution&) const override
    {
        return std::make_shared<const RowStats>();
    }
    [[nodiscard]] Expected<RowFacts> rowFacts(const MapIndex&, const TokenRoles&,
                                              const Execution&) const override
    {
        return fail(Code::Unsupported, "Fake maps have tiles only.");
    }
    [[nodiscard]] Expected<MapRow> row(const MapIndex& map, Quantity, std::int64_t query,
                                       const Execution&) const override
    {
        MapRow row;
        row.cells.texels.rows = 1;
        row.cells.texels.columns = m_shape.keys;
        for (std::int64_t key = 0; key < m_shape.keys; ++key) {
            const FakeCell cell = m_cell(map, query, key);
            row.cells.texels.values.push_back(cell.value);
            row.cells.texels.maskedShare.push_back(cell.reasons != 0 ? 1 : 0);
            row.cells.reasons.push_back(cell.reasons);
        }
        return row;
    }
    [[nodiscard]] Expected<TileTexels> window(const MapIndex&, const TileSpec&,
                                              const Execution&) const override
    {
        return fail(Code::Unsupported, "Fake maps have tiles only.");
    }
    [[nodiscard]] Tile pooled(const TileRequest& request) const
    {
        const std::int64_t cells = std::int64_t{1} << request.level;
        const std::int64_t row = request.tileRow * TileSide * cells;
        const std::int64_t column = request.tileColumn * TileSide * cells;
        const auto texels = [cells](std::int64_t from, std::int64_t all) {
            return std::min(TileSide, (all - from + cells - 1) / cells);
        };
        Tile tile;
        tile.texels.rows = texels(row, m_shape.queries);
        tile.texels.columns = texels(column, m_shape.keys);
        for (std::int64_t r = 0; r < tile.texels.rows; ++r) {
            for (std::int64_t c = 0; c < tile.texels.columns; ++c) {
                addTexel(tile, request, row + r * cells, column + c * cells, cells);
            }
        }
        return tile;
    }

private:
    void addTexel(Tile& tile, const TileRequest& request, std::int64_t row, std::int64_t column,
                  std::int64_t cells) const
    {
        int masked = 0;
        int all = 0;
        MaskReasons reasons = 0;
        float value = 0;
        bool first = true;
        for (std::int64_t q = row; q < std::min(row + cells, m_shape.queries); ++q) {
            for (std::int64_t k = column; k < std::min(column + cells, m_shape.keys); ++k) {
                const FakeCell cell = m_cell(request.map, q, k);
                ++all;
                reasons |= cell.reasons;
                const bool keepsValue =
                    request.quantity == Quantity::Scores || request.quantity == Quantity::Scaled;
                masked += cell.reasons != 0 ? 1 : 0;
                if (cell.reasons != 0 && !keepsValue) {
                    continue;
                }
                const bool larger = request.pooling == Pooling::AbsMax
                                        ? std::abs(cell.value) > std::abs(value)
                                        : cell.value > value;
                if (first || larger || std::isnan(cell.value)) {
                    value = cell.value;
                    first = false;
                }
            }
        }
        tile.texels.values.push_back(value);
        tile.texels.maskedShare.push_back(static_cast<float>(masked) / static_cast<float>(all));
        tile.reasons.push_back(reasons);
    }

    MapsShape m_shape;
    CellFunction m_cell;
};

class FakeRun : public Run {
public:
    FakeRun(MapsShape shape, CellFunction cell, std::vector<std::string> words = {})
        : m_maps(std::make_shared<FakeMaps>(shape, std::move(cell)))
        , m_queries(tokens(shape.items, shape.queries, words))
        , m_keys(tokens(shape.items, shape.keys, words))
    {
    }
    [[nodiscard]] const Source& source() const override { return m_source; }
    [[nodiscard]] const Batch& queryTokens() const override { return m_queries; }
    [[nodiscard]] const Batch& keyTokens() const override { return m_keys; }
    [[nodiscard]] const LayerConfig& layer() const override { return m_source.layer; }
    [[nodiscard]] float scale(std::int64_t) const override { return 0.5F; }
    [[nodiscard]] const Tensor* x() const override { return nullptr; }
    [[nodiscard]] const Tensor* q(std::int64_t) const override { return nullptr; }
    [[nodiscard]] const Tensor* k(std::int64_t) const override { return nullptr; }
    [[nodiscard]] const Tensor* v(std::int64_t) const override { return nullptr; }
    [[nodiscard]] MapsPtr maps() const override { return m_maps; }
    [[nodiscard]] BackendPtr backend() const override { return nullptr; }
    [[nodiscard]] Expected<Tensor> headOutput(std::int64_t, const Execution&) const override
    {
        return fail(Code::Unsupported, "Fake.");
    }
    [[nodiscard]] Expected<Tensor> output(std::int64_t, const Execution&) const override
    {
        return fail(Code::Unsupported, "Fake.");
    }
    [[nodiscard]] const FakeMaps& fake() const { return *m_maps; }

private:
    static Batch tokens(std::int64_t items, std::int64_t count,
                        const std::vector<std::string>& words)
    {
        Batch batch;
        batch.length = count;
        std::vector<Token> line;
        for (std::int64_t i = 0; i < count; ++i) {
            Token token;
            const auto at = static_cast<std::size_t>(i);
            token.text = at < words.size() ? words[at] : "w" + std::to_string(i);
            token.isPadding = token.text == "<pad>";
            token.isSpecial = token.isPadding;
            line.push_back(token);
        }
        batch.items.assign(static_cast<std::size_t>(items), line);
        batch.lengths.assign(static_cast<std::size_t>(items), count);
        return batch;
    }

    Source m_source;
    std::shared_ptr<FakeMaps> m_maps;
    Batch m_queries;
    Batch m_keys;
};

/// compute() hands out the run that was put in last.
class FakeEngine : public Engine {
public:
    void setNext(std::shared_ptr<const FakeRun> run)
    {
        const std::lock_guard lock(m_mutex);
        m_next = std::move(run);
    }
    /// While closed, tiles of @p level and finer wait.
    void closeGate(int level = 100)
    {
        const std::lock_guard lock(m_mutex);
        m_gateLevel = level;
    }
    void openGate()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_gateLevel = -1;
        }
        m_opened.notify_all();
    }
    /// Every following tile has a draft before it stands at the gate: all its texels are 0.25.
    void sendDrafts() { m_sendsDrafts = true; }
    /// The entropy of a head is its number times @p sign.
    void setEntropySign(int sign) { m_entropySign = sign; }
    [[nodiscard]] int tilesComputed() const { return m_tiles; }
    /// The maps of the tiles, in the order in which they were finished.
    [[nodiscard]] std::vector<MapIndex> tileOrder()
    {
        const std::lock_guard lock(m_mutex);
        return m_order;
    }

    [[nodiscard]] Expected<RunPtr> compute(const Source&, const RunPtr&, const Execution&) override
    {
        const std::lock_guard lock(m_mutex);
        return RunPtr(m_next);
    }
    [[nodiscard]] Expected<Tile> tile(const Run& run, const TileRequest& request,
                                      const Execution& execution, const TileDraft& draft) override
    {
        if (m_sendsDrafts && draft) {
            Tile sketch = static_cast<const FakeRun&>(run).fake().pooled(request);
            std::fill(sketch.texels.values.begin(), sketch.texels.values.end(), 0.25F);
            draft(sketch, {.exactRows = 0, .rowStep = 16});
        }
        std::unique_lock lock(m_mutex);
        while (request.level <= m_gateLevel && !execution.cancelled()) {
            m_opened.wait_for(lock, std::chrono::milliseconds(5));
        }
        if (execution.cancelled()) {
            return fail(Code::Cancelled, "Stopped.");
        }
        m_order.push_back(request.map);
        lock.unlock();
        ++m_tiles;
        return static_cast<const FakeRun&>(run).fake().pooled(request);
    }
    [[nodiscard]] Expected<MapRow> row(const Run& run, const RowRequest& request,
                                       const Execution& execution) override
    {
        return run.maps()->row(request.map, request.quantity, request.query, execution);
    }
    [[nodiscard]] Expected<HeadMetrics> metrics(const Run&, const MapIndex& map,
                                                const Execution&) override
    {
        HeadMetrics metrics;
        metrics.entropy = m_entropySign * static_cast<double>(map.head);
        return metrics;
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_opened;
    std::shared_ptr<const FakeRun> m_next;
    int m_gateLevel = -1;
    std::atomic<int> m_entropySign = 1;
    std::vector<MapIndex> m_order;
    std::atomic<int> m_tiles = 0;
    std::atomic<bool> m_sendsDrafts = false;
};

} // namespace heed::ui::test
