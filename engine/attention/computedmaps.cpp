// Attention maps recomputed from Q, K and a mask whenever they are looked at.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/computedmaps.h"

#include "attention/mapwindow.h"

#include <cmath>
#include <new>

namespace heed {

namespace {

BufferMatrix matrixOf(const Buffer& buffer, std::int64_t number)
{
    const Shape& shape = buffer.shape();
    const std::int64_t rows = shape[shape.size() - 2];
    const std::int64_t columns = shape[shape.size() - 1];
    return {&buffer, number * rows * columns, rows, columns, columns};
}

Expected<void> checkShapes(const Shape& q, const Shape& k)
{
    const bool ranks = q.size() == 5 && k.size() == 5;
    if (!ranks || q[0] != k[0] || q[1] != k[1] || q[4] != k[4] || elementCount(q).value_or(0) < 1 ||
        elementCount(k).value_or(0) < 1) {
        return fail(Code::InvalidShape,
                    "q " + toString(q) + " and k " + toString(k) +
                        " do not belong together: expected q [N, B, H, L, D] and k [N, B, Hkv, S, "
                        "D], none of them empty.");
    }
    if (q[2] % k[2] != 0) {
        return fail(Code::InvalidShape, std::to_string(q[2]) + " query heads cannot share " +
                                            std::to_string(k[2]) +
                                            " key/value heads; the first must be a multiple of "
                                            "the second.");
    }
    return {};
}

Expected<void> checkMasks(const std::vector<MaskPtr>& masks, const MapsShape& shape)
{
    const auto count = static_cast<std::int64_t>(masks.size());
    if (count != 1 && count != shape.layers) {
        return fail(Code::InvalidArgument, std::to_string(count) + " masks were given for " +
                                               std::to_string(shape.layers) +
                                               " layers; give one for all, or one for each.");
    }
    for (const MaskPtr& mask : masks) {
        if (mask == nullptr) {
            return fail(Code::InvalidArgument, "A mask is missing.");
        }
        const MaskContext& context = mask->context();
        const Shape has = {context.items, context.heads, context.queries, context.keys};
        const Shape wanted = {shape.items, shape.heads, shape.queries, shape.keys};
        if (has != wanted) {
            return fail(Code::InvalidShape,
                        "The mask was compiled for [B, H, L, S] = " + toString(has) +
                            ", the maps are " + toString(wanted) + ".");
        }
    }
    return {};
}

} // namespace

ComputedMaps::ComputedMaps(ComputedMapsInput input, const MapsShape& shape)
    : m_input(std::move(input))
    , m_shape(shape)
    , m_cache(static_cast<std::size_t>(shape.layers * shape.items * shape.heads))
{
}

Expected<ComputedMapsPtr> ComputedMaps::make(ComputedMapsInput input)
{
    if (input.backend == nullptr || input.q == nullptr || input.k == nullptr) {
        return fail(Code::InvalidArgument, "Maps need a backend, q and k.");
    }
    if (!std::isfinite(input.scale) || input.scale <= 0) {
        return fail(Code::InvalidArgument,
                    "The scale " + std::to_string(input.scale) + " is not a positive number.");
    }
    const Shape& q = input.q->shape();
    const Shape& k = input.k->shape();
    if (auto shapes = checkShapes(q, k); !shapes) {
        return tl::unexpected(shapes.error());
    }
    const MapsShape shape{q[0], q[1], q[2], q[3], k[3]};
    if (auto masks = checkMasks(input.masks, shape); !masks) {
        return tl::unexpected(masks.error());
    }
    try {
        return ComputedMapsPtr(new ComputedMaps(std::move(input), shape));
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory for the maps.");
    }
}

std::size_t ComputedMaps::mapNumber(const MapIndex& map) const
{
    return static_cast<std::size_t>((map.layer * m_shape.items + map.item) * m_shape.heads +
                                    map.head);
}

MaskPtr ComputedMaps::mask(std::int64_t layer) const
{
    if (layer < 0 || layer >= m_shape.layers) {
        return nullptr;
    }
    return m_input.masks.size() == 1 ? m_input.masks[0]
                                     : m_input.masks[static_cast<std::size_t>(layer)];
}

HeadProblem ComputedMaps::problem(const MapIndex& map) const
{
    const std::int64_t groups = m_input.k->shape()[2];
    const std::int64_t item = map.layer * m_shape.items + map.item;
    const std::int64_t keyHead = map.head / (m_shape.heads / groups);
    HeadProblem problem;
    problem.q = matrixOf(*m_input.q, item * m_shape.heads + map.head);
    problem.k = matrixOf(*m_input.k, item * groups + keyHead);
    problem.scale = m_input.scale;
    problem.mask = mask(map.layer)->plane(map.item, map.head);
    return problem;
}

Expected<std::shared_ptr<const RowStats>> ComputedMaps::rowStats(const MapIndex& map,
                                                                 const Execution& execution) const
{
    if (auto index = checkMapIndex(m_shape, map); !index) {
        return tl::unexpected(index.error());
    }
    Cached& cached = m_cache[mapNumber(map)];
    std::unique_lock lock(m_mutex);
    // Waiting for somebody else's computation ends with our own stop token too.
    if (!m_computed.wait(lock, execution.stop, [&] { return !cached.isComputing; })) {
        return fail(Code::Cancelled, "Stopped.");
    }
    if (cached.stats != nullptr) {
        return cached.stats;
    }
    cached.isComputing = true;
    lock.unlock();
    auto stats = computeRowStats(map, execution);
    lock.lock();
    cached.isComputing = false;
    if (stats) {
        cached.stats = *stats;
    }
    m_computed.notify_all();
    return stats;
}

Expected<std::shared_ptr<const RowStats>>
ComputedMaps::computeRowStats(const MapIndex& map, const Execution& execution) const
{
    try {
        auto stats = m_input.backend->rowStats(problem(map), execution);
        if (!stats) {
            return tl::unexpected(stats.error());
        }
        return std::make_shared<const RowStats>(std::move(*stats));
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory for the row statistics.");
    }
}

Expected<TileTexels> ComputedMaps::window(const MapIndex& map, const TileSpec& spec,
                                          const Execution& execution) const
{
    if (auto valid = checkWindow(*this, map, spec, execution); !valid) {
        return tl::unexpected(valid.error());
    }
    std::shared_ptr<const RowStats> stats;
    if (spec.quantity == Quantity::Weights) {
        auto computed = rowStats(map, execution);
        if (!computed) {
            return tl::unexpected(computed.error());
        }
        stats = std::move(*computed);
    }
    try {
        return m_input.backend->tile(problem(map), stats.get(), spec, execution);
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory for the window.");
    }
}

Expected<MapsPtr> makeComputedMaps(BackendPtr backend, std::shared_ptr<const Tensor> q,
                                   std::shared_ptr<const Tensor> k, float scale,
                                   std::vector<MaskPtr> masks)
{
    if (backend == nullptr || q == nullptr || k == nullptr) {
        return fail(Code::InvalidArgument, "Maps need a backend, q and k.");
    }
    if (auto shapes = checkShapes(q->shape(), k->shape()); !shapes) {
        return tl::unexpected(shapes.error());
    }
    auto queries = backend->upload(std::move(q));
    if (!queries) {
        return tl::unexpected(queries.error());
    }
    auto keys = backend->upload(std::move(k));
    if (!keys) {
        return tl::unexpected(keys.error());
    }
    return ComputedMaps::make(
        {std::move(backend), std::move(*queries), std::move(*keys), scale, std::move(masks)});
}

} // namespace heed
