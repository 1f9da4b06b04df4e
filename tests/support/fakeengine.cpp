// Fakes: maps from a function, a run around them, an engine behind a gate.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fakeengine.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed::test {

Expected<std::shared_ptr<const RowStats>> FakeMaps::rowStats(const MapIndex& map,
                                                             const Execution&) const
{
    auto stats = std::make_shared<RowStats>();
    for (std::int64_t i = 0; i < m_shape.queries; ++i) {
        float most = -std::numeric_limits<float>::infinity();
        std::int64_t best = -1;
        for (std::int64_t j = 0; j < m_shape.keys; ++j) {
            if (const float value = m_cell(map.head, i, j); value > most) {
                most = value;
                best = j;
            }
        }
        stats->max.push_back(most);
        stats->lse.push_back(most);
        stats->entropy.push_back(0);
        stats->argmax.push_back(best);
        stats->kept.push_back(m_mask ? m_mask->keptInRow(map.item, map.head, i) : m_shape.keys);
        stats->distance.push_back(0);
    }
    return stats;
}

Expected<MapRow> FakeMaps::row(const MapIndex& map, Quantity quantity, std::int64_t query,
                               const Execution& execution) const
{
    TileSpec spec;
    spec.quantity = quantity;
    spec.row = query;
    spec.rows = 1;
    spec.columns = m_shape.keys;
    return window(map, spec, execution).map([](TileTexels&& texels) {
        std::vector<MaskReasons> reasons(texels.values.size());
        return MapRow{{}, {std::move(texels), std::move(reasons)}};
    });
}

Expected<TileTexels> FakeMaps::window(const MapIndex& map, const TileSpec& spec,
                                      const Execution&) const
{
    TileTexels texels{spec.texelRows(), spec.texelColumns(), {}, {}};
    for (std::int64_t r = 0; r < texels.rows; ++r) {
        for (std::int64_t c = 0; c < texels.columns; ++c) {
            float most = -std::numeric_limits<float>::infinity();
            int cells = 0;
            int masked = 0;
            const std::int64_t lastRow =
                std::min(spec.row + (r + 1) * spec.texelCells, m_shape.queries);
            const std::int64_t lastColumn =
                std::min(spec.column + (c + 1) * spec.texelCells, m_shape.keys);
            for (std::int64_t i = spec.row + r * spec.texelCells; i < lastRow; ++i) {
                for (std::int64_t j = spec.column + c * spec.texelCells; j < lastColumn; ++j) {
                    ++cells;
                    if (m_mask && !m_mask->keeps(map.item, map.head, i, j)) {
                        ++masked;
                    } else {
                        most = std::max(most, m_cell(map.head, i, j));
                    }
                }
            }
            const bool empty = masked == cells && spec.quantity == Quantity::Weights;
            texels.values.push_back(empty ? 0.0F : most);
            texels.maskedShare.push_back(static_cast<float>(masked) / static_cast<float>(cells));
        }
    }
    return texels;
}

namespace {

Batch numberedBatch(std::int64_t items, std::int64_t length)
{
    Batch batch;
    batch.length = length;
    batch.lengths.assign(static_cast<std::size_t>(items), length);
    std::vector<Token> tokens;
    for (std::int64_t i = 0; i < length; ++i) {
        Token token;
        token.text = "t" + std::to_string(i);
        token.id = static_cast<std::uint64_t>(i);
        tokens.push_back(token);
    }
    batch.items.assign(static_cast<std::size_t>(items), tokens);
    return batch;
}

} // namespace

FakeRun::FakeRun(Source source, MapsPtr maps)
    : m_source(std::move(source))
    , m_queries(numberedBatch(maps->shape().items, maps->shape().queries))
    , m_keys(numberedBatch(maps->shape().items, maps->shape().keys))
    , m_maps(std::move(maps))
{
}

void FakeEngine::closeGate()
{
    const std::scoped_lock lock(m_mutex);
    m_open = false;
}

void FakeEngine::openGate()
{
    const std::scoped_lock lock(m_mutex);
    m_open = true;
    m_changed.notify_all();
}

void FakeEngine::letOnePass()
{
    const std::scoped_lock lock(m_mutex);
    ++m_passes;
    m_changed.notify_all();
}

void FakeEngine::waitForCallsAtGate(int count)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_waiting >= count; });
}

void FakeEngine::failWith(Error error)
{
    const std::scoped_lock lock(m_mutex);
    m_error = std::move(error);
}

std::vector<std::string> FakeEngine::calls() const
{
    const std::scoped_lock lock(m_mutex);
    return m_calls;
}

Expected<void> FakeEngine::pass(std::string call, const Execution& execution)
{
    std::unique_lock lock(m_mutex);
    m_calls.push_back(std::move(call));
    ++m_waiting;
    m_changed.notify_all();
    const bool passed =
        m_changed.wait(lock, execution.stop, [&] { return m_open || m_passes > 0; });
    m_passes -= passed && !m_open ? 1 : 0;
    --m_waiting;
    if (execution.cancelled()) {
        ++m_cancelled;
        return fail(Code::Cancelled, "Stopped.");
    }
    if (m_error) {
        return tl::unexpected(*m_error);
    }
    return {};
}

Expected<RunPtr> FakeEngine::compute(const Source& source, const RunPtr&,
                                     const Execution& execution)
{
    const std::string label = source.lines.empty() ? std::string() : source.lines.front();
    return pass("compute " + label, execution).map([&] {
        return RunPtr(std::make_shared<FakeRun>(source, m_maps));
    });
}

Expected<Tile> FakeEngine::tile(const Run& run, const TileRequest& request,
                                const Execution& execution, const TileDraft& draft)
{
    if (m_draft && draft) {
        Tile sketch = run.maps()->tile(request, {}).value();
        std::fill(sketch.texels.values.begin(), sketch.texels.values.end(), *m_draft);
        draft(sketch, {.exactRows = 0, .rowStep = 16});
    }
    const std::string label = "tile " + std::to_string(request.level) + "/" +
                              std::to_string(request.tileRow) + "/" +
                              std::to_string(request.tileColumn);
    return pass(label, execution).and_then([&] { return run.maps()->tile(request, execution); });
}

Expected<MapRow> FakeEngine::row(const Run& run, const ui::RowRequest& request,
                                 const Execution& execution)
{
    return pass("row " + std::to_string(request.query), execution).and_then([&] {
        return run.maps()->row(request.map, request.quantity, request.query, execution);
    });
}

Expected<HeadMetrics> FakeEngine::metrics(const Run&, const MapIndex& map,
                                          const Execution& execution)
{
    return pass("metrics " + std::to_string(map.head), execution).map([] { return HeadMetrics{}; });
}

Expected<ui::FigurePtr> FakeEngine::figure(const RunPtr& run, const ui::FigureSpec& spec,
                                           const Execution& execution)
{
    return pass("figure " + spec.titleText.toStdString(), execution).and_then([&] {
        return ui::makeFigure(spec, run, execution);
    });
}

} // namespace heed::test
