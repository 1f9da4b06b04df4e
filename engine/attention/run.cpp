// From a source to everything attention computes with it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/run.h"

#include "attention/computedmaps.h"
#include "attention/projection.h"
#include "attention/source.h"
#include "attention/storedrun.h"

#include <algorithm>
#include <exception>
#include <new>

namespace heed {

namespace {

/// Threads for each of @p tasks that run side by side.
Execution shareOf(const Execution& execution, std::int64_t tasks)
{
    Execution share = execution;
    const std::int64_t threads = threadCount(execution);
    share.threads = static_cast<int>(std::max<std::int64_t>(1, (threads + tasks - 1) / tasks));
    share.progress = {};
    return share;
}

/// A run that computes: from text, arrays or finished projections.
class ComputedRun final : public Run {
public:
    ComputedRun(Source source, ProjectionPtr projection, ComputedMapsPtr maps, MaskPtr mask,
                float scale)
        : m_source(std::move(source))
        , m_projection(std::move(projection))
        , m_maps(std::move(maps))
        , m_mask(std::move(mask))
        , m_scale(scale)
    {
    }

    [[nodiscard]] const Source& source() const override { return m_source; }
    [[nodiscard]] const Batch& queryTokens() const override { return *m_projection->queryTokens; }
    [[nodiscard]] const Batch& keyTokens() const override { return *m_projection->keyTokens; }
    [[nodiscard]] const LayerConfig& layer() const override { return m_projection->layer; }
    [[nodiscard]] float scale() const override { return m_scale; }
    [[nodiscard]] const Tensor* x() const override { return m_projection->x.get(); }
    [[nodiscard]] const Tensor* q() const override { return m_projection->q.get(); }
    [[nodiscard]] const Tensor* k() const override { return m_projection->k.get(); }
    [[nodiscard]] const Tensor* v() const override { return m_projection->v.get(); }
    [[nodiscard]] MapsPtr maps() const override { return m_maps; }
    [[nodiscard]] MaskPtr mask() const override { return m_mask; }
    [[nodiscard]] BackendPtr backend() const override { return m_projection->backend; }
    [[nodiscard]] const ProjectionPtr& projection() const { return m_projection; }

    [[nodiscard]] Expected<Tensor> headOutput(const Execution& execution) const override
    {
        if (m_projection->v == nullptr) {
            return fail(Code::Unsupported,
                        "There are no values V, so there is no head output. Add an array \"v\" to "
                        "the file of --qkv.");
        }
        const MapsShape shape = m_maps->shape();
        const std::int64_t width = m_projection->v->extent(4);
        const Shape outShape = {1, shape.items, shape.heads, shape.queries, width};
        if (auto fits = checkBesideProjection({outShape}, "The head output", execution); !fits) {
            return tl::unexpected(fits.error());
        }
        auto result = Tensor::make(outShape);
        if (!result) {
            return result;
        }
        const std::int64_t count = shape.items * shape.heads;
        const Execution share = shareOf(execution, count);
        auto done = parallelFor(
            count, 1, execution, [&](std::int64_t begin, std::int64_t end) -> Expected<void> {
                for (std::int64_t number = begin; number < end; ++number) {
                    const MapIndex map{0, number / shape.heads, number % shape.heads};
                    if (auto head = attendHead(map, result->matrix({0, map.item, map.head}), share);
                        !head) {
                        return head;
                    }
                }
                return {};
            });
        if (!done) {
            return tl::unexpected(done.error());
        }
        return result;
    }

    [[nodiscard]] Expected<Tensor> output(const Execution& execution) const override
    {
        const auto& weights = m_projection->weights;
        if (weights == nullptr) {
            return fail(Code::Unsupported,
                        "Finished projections come without W_O, so there is no output; the head "
                        "output can be had.");
        }
        const MapsShape shape = m_maps->shape();
        const std::int64_t joinedWidth = shape.heads * m_projection->v->extent(4);
        const Shape rows = {shape.items, shape.queries, joinedWidth};
        if (auto fits = checkBesideProjection(
                {rows, rows, {shape.items, shape.queries, weights->wo.extent(0)}}, "The output",
                execution);
            !fits) {
            return tl::unexpected(fits.error());
        }
        auto heads = headOutput(execution);
        if (!heads) {
            return heads;
        }
        auto joined = joinHeads(*heads);
        if (!joined) {
            return joined;
        }
        auto out =
            applyLinear(*m_projection->backend, *joined, weights->wo, weights->bo, execution);
        if (!out) {
            return out;
        }
        Shape shaped = out->shape();
        shaped.insert(shaped.begin(), 1);
        return std::move(*out).reshaped(std::move(shaped));
    }

private:
    /// @p tensors are made while everything the run holds stays.
    [[nodiscard]] Expected<void> checkBesideProjection(std::vector<Shape> tensors,
                                                       const std::string& what,
                                                       const Execution& execution) const
    {
        for (const auto& held :
             {m_projection->x, m_projection->q, m_projection->k, m_projection->v}) {
            if (held != nullptr) {
                tensors.push_back(held->shape());
            }
        }
        tensors.push_back({m_mask->bytes() / static_cast<std::int64_t>(sizeof(float))});
        return checkTensors(tensors, what + " beside what it is computed from", execution);
    }

    [[nodiscard]] Expected<void> attendHead(const MapIndex& map, MatrixView<float> out,
                                            const Execution& execution) const
    {
        const Tensor& v = *m_projection->v;
        const std::int64_t groups = v.extent(2);
        const std::int64_t keyHead = map.head / (m_maps->shape().heads / groups);
        const std::int64_t keys = v.extent(3);
        const std::int64_t width = v.extent(4);
        const BufferMatrix values{m_projection->vBuffer.get(),
                                  (map.item * groups + keyHead) * keys * width, keys, width, width};
        return m_projection->backend->attend(m_maps->problem(map), values, out, execution);
    }

    Source m_source;
    ProjectionPtr m_projection;
    ComputedMapsPtr m_maps;
    MaskPtr m_mask;
    float m_scale;
};

Expected<MaskPtr> compileFor(const Source& source, const Projection& projection,
                             const Execution& execution)
{
    // Alone first: "none) | (none" must not slip through the parentheses it is put into.
    if (auto valid = normaliseMask(source.mask); !valid) {
        return tl::unexpected(valid.error());
    }
    const Batch& keys = *projection.keyTokens;
    MaskContext context;
    context.items = keys.size();
    context.heads = projection.layer.heads;
    context.queries = projection.queryTokens->length;
    context.keys = keys.length;
    if (projection.knowsPadding) {
        context.keyLengths = keys.lengths;
    }
    context.padSide = source.padSide;
    context.baseFolder = source.maskFolder;
    std::int64_t held = 0;
    for (const auto& tensor : {projection.x, projection.q, projection.k, projection.v}) {
        held += tensor == nullptr
                    ? 0
                    : static_cast<std::int64_t>(tensor->values().size() * sizeof(float));
    }
    return compileMask(maskExpression(source), context, execution, held);
}

Expected<RunPtr> computeRun(const Source& source, const BackendPtr& backend,
                            const Execution& execution, const RunPtr& previous)
{
    const auto kind = kindOf(source);
    if (!kind) {
        return tl::unexpected(kind.error());
    }
    if (*kind == SourceKind::Maps) {
        return openMaps(source, backend, execution);
    }
    if (backend == nullptr) {
        return fail(Code::InvalidArgument, "There is no backend to compute with.");
    }
    const auto* earlier = dynamic_cast<const ComputedRun*>(previous.get());
    auto projection = project(source, *kind, backend, execution,
                              earlier == nullptr ? nullptr : &earlier->source(),
                              earlier == nullptr ? nullptr : earlier->projection());
    if (!projection) {
        return tl::unexpected(projection.error());
    }
    const Projection& made = **projection;
    auto mask = compileFor(source, made, execution);
    if (!mask) {
        return tl::unexpected(mask.error());
    }
    const float scale = made.layer.scale();
    auto maps = ComputedMaps::make({backend, made.qBuffer, made.kBuffer, scale, {*mask}, made.q});
    if (!maps) {
        return tl::unexpected(maps.error());
    }
    return std::make_shared<const ComputedRun>(source, std::move(*projection), std::move(*maps),
                                               std::move(*mask), scale);
}

} // namespace

Expected<RunPtr> compute(const Source& source, const BackendPtr& backend,
                         const Execution& execution, const RunPtr& previous)
{
    try {
        return computeRun(source, backend, execution, previous);
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory,
                    "There is no memory for this source. Choose smaller sizes or less text.");
    } catch (const std::exception& exception) { // e.g. a path the system cannot convert
        return fail(Code::Internal, std::string("Computing failed: ") + exception.what());
    }
}

} // namespace heed
