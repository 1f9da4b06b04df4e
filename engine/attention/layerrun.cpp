// A run of one attention layer: from text, arrays or finished projections.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/layerrun.h"

#include "attention/computedmaps.h"
#include "attention/projection.h"

namespace heed {

namespace {

class ComputedRun final : public Run {
public:
    ComputedRun(Source source, ProjectionPtr projection, ComputedMapsPtr maps)
        : m_source(std::move(source))
        , m_projection(std::move(projection))
        , m_maps(std::move(maps))
    {
    }

    [[nodiscard]] const Source& source() const override { return m_source; }
    [[nodiscard]] const Batch& queryTokens() const override { return *m_projection->queryTokens; }
    [[nodiscard]] const Batch& keyTokens() const override { return *m_projection->keyTokens; }
    [[nodiscard]] const LayerConfig& layer() const override { return m_projection->layer; }
    [[nodiscard]] const Tensor* x() const override { return m_projection->x.get(); }
    [[nodiscard]] MapsPtr maps() const override { return m_maps; }
    [[nodiscard]] BackendPtr backend() const override { return m_projection->backend; }
    [[nodiscard]] float scale(std::int64_t /*layer*/) const override
    {
        return m_projection->layer.scale();
    }
    [[nodiscard]] const Tensor* q(std::int64_t layer) const override
    {
        return layer == 0 ? m_projection->q.get() : nullptr;
    }
    [[nodiscard]] const Tensor* k(std::int64_t layer) const override
    {
        return layer == 0 ? m_projection->k.get() : nullptr;
    }
    [[nodiscard]] const Tensor* v(std::int64_t layer) const override
    {
        return layer == 0 ? m_projection->v.get() : nullptr;
    }
    [[nodiscard]] const ProjectionPtr& projection() const { return m_projection; }

    [[nodiscard]] Expected<Tensor> headOutput(std::int64_t /*layer*/,
                                              const Execution& execution) const override
    {
        if (m_projection->v == nullptr) {
            return fail(Code::Unsupported,
                        "There are no values V, so there is no head output. Add an array \"v\" to "
                        "the file of --qkv.");
        }
        const MapsShape shape = m_maps->shape();
        if (auto fits = checkBesideProjection(
                {{shape.items, shape.heads, shape.queries, m_projection->v->extent(3)}},
                "The head output", execution);
            !fits) {
            return tl::unexpected(fits.error());
        }
        return attendHeads(*m_maps, 0, *m_projection->vBuffer, *m_projection->backend, execution);
    }

    [[nodiscard]] Expected<Tensor> output(std::int64_t layer,
                                          const Execution& execution) const override
    {
        const auto& weights = m_projection->weights;
        if (weights == nullptr) {
            return fail(Code::Unsupported,
                        "Finished projections come without W_O, so there is no output; the head "
                        "output can be had.");
        }
        const MapsShape shape = m_maps->shape();
        const std::int64_t joinedWidth = shape.heads * m_projection->v->extent(3);
        const Shape rows = {shape.items, shape.queries, joinedWidth};
        if (auto fits = checkBesideProjection(
                {rows, rows, {shape.items, shape.queries, weights->wo.extent(0)}}, "The output",
                execution);
            !fits) {
            return tl::unexpected(fits.error());
        }
        auto heads = headOutput(layer, execution);
        if (!heads) {
            return heads;
        }
        auto joined = joinHeads(*heads);
        if (!joined) {
            return joined;
        }
        return applyLinear(*m_projection->backend, *joined, weights->wo, weights->bo, execution);
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
        const std::int64_t maskBytes = m_maps->mask(0)->bytes();
        tensors.push_back({maskBytes / static_cast<std::int64_t>(sizeof(float))});
        return checkTensors(tensors, what + " beside what it is computed from", execution);
    }

    Source m_source;
    ProjectionPtr m_projection;
    ComputedMapsPtr m_maps;
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

} // namespace

Expected<RunPtr> computeLayer(const Source& source, SourceKind kind, const BackendPtr& backend,
                              const Execution& execution, const RunPtr& previous)
{
    const auto* earlier = dynamic_cast<const ComputedRun*>(previous.get());
    auto projection =
        project(source, kind, backend, execution, earlier == nullptr ? nullptr : &earlier->source(),
                earlier == nullptr ? nullptr : earlier->projection());
    if (!projection) {
        return tl::unexpected(projection.error());
    }
    const Projection& made = **projection;
    auto mask = compileFor(source, made, execution);
    if (!mask) {
        return tl::unexpected(mask.error());
    }
    auto maps = ComputedMaps::make({backend,
                                    {{.q = made.qBuffer,
                                      .k = made.kBuffer,
                                      .mask = std::move(*mask),
                                      .scale = made.layer.scale(),
                                      .queries = made.q}}});
    if (!maps) {
        return tl::unexpected(maps.error());
    }
    return std::make_shared<const ComputedRun>(source, std::move(*projection), std::move(*maps));
}

} // namespace heed
