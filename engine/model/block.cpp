// One transformer layer: projections, positions, attention, MLP, and the norms around them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/pass.h"
#include "model/rowwise.h"

#include <algorithm>

namespace heed::detail {

namespace {

/// Where the heads of Q, K or V lie in a row of the fused projection.
struct HeadPlaces {
    std::int64_t heads;
    std::int64_t first;  ///< column of head 0
    std::int64_t stride; ///< columns from head to head
};

struct Projections {
    HeadPlaces q, k, v;
};

Projections placesIn(const ModelConfig& config, QkvLayout layout)
{
    const std::int64_t size = config.headSize;
    if (layout == QkvLayout::PerHead) {
        return {{config.heads, 0, 3 * size},
                {config.heads, size, 3 * size},
                {config.heads, 2 * size, 3 * size}};
    }
    const std::int64_t keys = config.heads * size;
    return {{config.heads, 0, size},
            {config.kvHeads, keys, size},
            {config.kvHeads, keys + config.kvHeads * size, size}};
}

MatrixView<float> columnsOf(MatrixView<float> x, std::int64_t first, std::int64_t count)
{
    return {x.data + first, x.rows, count, x.rowStride};
}

/// x through several matrices, their outputs beside each other: [B, L, sum of widths].
Expected<Tensor> applyBeside(const Pass& pass, const std::vector<Linear>& linears,
                             ConstMatrixView<float> x)
{
    std::int64_t width = 0;
    for (const Linear& linear : linears) {
        width += linear.weight.matrix().rows;
    }
    auto made = Tensor::make({pass.items, pass.length, width});
    if (!made) {
        return made;
    }
    std::int64_t column = 0;
    for (const Linear& linear : linears) {
        const std::int64_t count = linear.weight.matrix().rows;
        if (auto done = apply(pass, linear, x, columnsOf(rowsOf(*made), column, count)); !done) {
            return tl::unexpected(done.error());
        }
        column += count;
    }
    return made;
}

/// The heads of the fused projection as a tensor of their own, [B, heads, L, D].
Expected<Tensor> gatherHeads(const Pass& pass, const Tensor& fused, const HeadPlaces& places)
{
    const std::int64_t size = pass.config.headSize;
    auto made = Tensor::make({pass.items, places.heads, pass.length, size});
    if (!made) {
        return made;
    }
    const ConstMatrixView<float> rows = rowsOf(fused);
    float* to = made->data();
    for (std::int64_t item = 0; item < pass.items; ++item) {
        for (std::int64_t head = 0; head < places.heads; ++head) {
            for (std::int64_t token = 0; token < pass.length; ++token) {
                const auto row = rows.row(item * pass.length + token);
                to = std::copy_n(row.data() + places.first + head * places.stride, size, to);
            }
        }
    }
    return made;
}

/// Puts heads where the capture has them, on the host and the backend.
Expected<void> keep(const Pass& pass, Tensor heads, std::shared_ptr<const Tensor>& tensor,
                    BufferPtr& buffer)
{
    tensor = std::make_shared<const Tensor>(std::move(heads));
    auto uploaded = pass.backend.upload(tensor);
    if (!uploaded) {
        return tl::unexpected(uploaded.error());
    }
    buffer = std::move(*uploaded);
    return {};
}

/// Q, K and V of a layer with their norms and positions.
Expected<LayerCapture> project(const Pass& pass, const BlockWeights& weights,
                               const RotaryTable* rotary, ConstMatrixView<float> x)
{
    const auto fused = applyBeside(pass, weights.qkv, x);
    if (!fused) {
        return tl::unexpected(fused.error());
    }
    struct Part {
        HeadPlaces places;
        const Norm* norm;
        const RotaryTable* rotary;
        std::shared_ptr<const Tensor>& tensor;
        BufferPtr& buffer;
    };
    LayerCapture made;
    const Projections places = placesIn(pass.config, pass.family.layout);
    const Norm none;
    for (const Part& part : {Part{places.q, &weights.queryNorm, rotary, made.q, made.qBuffer},
                             Part{places.k, &weights.keyNorm, rotary, made.k, made.kBuffer},
                             Part{places.v, &none, nullptr, made.v, made.vBuffer}}) {
        auto heads = gatherHeads(pass, *fused, part.places);
        if (!heads) {
            return tl::unexpected(heads.error());
        }
        if (part.norm->exists()) {
            if (auto done = normalise(rowsOf(*heads), pass.config.norm, *part.norm,
                                      pass.config.normEpsilon, pass.execution);
                !done) {
                return tl::unexpected(done.error());
            }
        }
        if (part.rotary != nullptr) {
            part.rotary->rotate(*heads);
        }
        if (auto kept = keep(pass, std::move(*heads), part.tensor, part.buffer); !kept) {
            return tl::unexpected(kept.error());
        }
    }
    return made;
}

/// Q of a layer of a decoder, and K and V of what the encoder gave.
Expected<LayerCapture> projectAcross(const Pass& pass, const BlockWeights& weights,
                                     const Tensor& states, ConstMatrixView<float> x)
{
    Pass source = pass; // whose rows are tokens of the other text
    source.length = states.extent(1);
    const auto query = apply(pass, weights.crossQuery, x);
    const auto keyValue = applyBeside(source, weights.crossKeyValue, rowsOf(states));
    if (!query || !keyValue) {
        return tl::unexpected(query ? keyValue.error() : query.error());
    }
    const ModelConfig& config = pass.config;
    const std::int64_t size = config.headSize;
    LayerCapture made;
    struct Part {
        const Pass& rows;
        const Tensor& fused;
        HeadPlaces places;
        std::shared_ptr<const Tensor>& tensor;
        BufferPtr& buffer;
    };
    for (const Part& part :
         {Part{pass, *query, {config.heads, 0, size}, made.q, made.qBuffer},
          Part{source, *keyValue, {config.kvHeads, 0, size}, made.k, made.kBuffer},
          Part{source,
               *keyValue,
               {config.kvHeads, config.kvHeads * size, size},
               made.v,
               made.vBuffer}}) {
        auto heads = gatherHeads(part.rows, part.fused, part.places);
        if (!heads) {
            return tl::unexpected(heads.error());
        }
        if (auto kept = keep(pass, std::move(*heads), part.tensor, part.buffer); !kept) {
            return tl::unexpected(kept.error());
        }
    }
    return made;
}

/// weights·V of every head, beside each other: [B, L, H·D].
Expected<Tensor> attendAll(const Pass& pass, const LayerCapture& layer)
{
    const std::int64_t heads = pass.config.heads;
    const std::int64_t size = pass.config.headSize;
    const std::int64_t group = heads / pass.config.kvHeads;
    const std::int64_t keys = layer.k->extent(2);
    auto joined = Tensor::make({pass.items, pass.length, heads * size});
    if (!joined) {
        return joined;
    }
    const std::int64_t maps = pass.items * heads;
    Execution share = pass.execution;
    const std::int64_t threads = threadCount(pass.execution);
    share.threads = static_cast<int>(std::max<std::int64_t>(1, (threads + maps - 1) / maps));
    auto done = parallelFor(
        maps, 1, pass.execution, [&](std::int64_t begin, std::int64_t end) -> Expected<void> {
            for (std::int64_t map = begin; map < end; ++map) {
                const std::int64_t item = map / heads;
                const std::int64_t head = map % heads;
                const std::int64_t keyHead = item * pass.config.kvHeads + head / group;
                const BufferMatrix values{layer.vBuffer.get(), keyHead * keys * size, keys, size,
                                          size};
                const MatrixView<float> out{joined->data() +
                                                (item * pass.length * heads + head) * size,
                                            pass.length, size, heads * size};
                if (auto attended =
                        pass.backend.attend(layer.problem(item, head), values, out, share);
                    !attended) {
                    return attended;
                }
            }
            return {};
        });
    if (!done) {
        return tl::unexpected(done.error());
    }
    return joined;
}

/// x normalised, or x where there is no norm.
Expected<Tensor> normalised(const Pass& pass, const Norm& norm, const Tensor& x)
{
    Tensor result = x;
    if (norm.exists()) {
        if (auto done = normalise(rowsOf(result), pass.config.norm, norm, pass.config.normEpsilon,
                                  pass.execution);
            !done) {
            return tl::unexpected(done.error());
        }
    }
    return result;
}

/// From Q, K and V to what attention adds to its input.
Expected<Tensor> attend(const Pass& pass, const Linear& output, std::int64_t layer, MaskPtr mask,
                        LayerCapture& capture)
{
    capture.mask = std::move(mask);
    capture.scale = pass.config.scoreScale(layer);
    capture.softCap = static_cast<float>(pass.config.softCap);
    const auto joined = attendAll(pass, capture);
    return joined ? apply(pass, output, rowsOf(*joined)) : joined;
}

Expected<Tensor> attention(const Pass& pass, const BlockWeights& weights, std::int64_t layer,
                           const Surroundings& around, const Tensor& x, LayerCapture& capture)
{
    auto projected = project(pass, weights, around.rotary, rowsOf(x));
    if (!projected) {
        return tl::unexpected(projected.error());
    }
    capture = std::move(*projected);
    capture.distanceBias = around.distanceBias;
    return attend(pass, weights.output, layer, around.mask, capture);
}

Expected<Tensor> crossAttention(const Pass& pass, const BlockWeights& weights, std::int64_t layer,
                                const Memory& memory, const Tensor& x, LayerCapture& capture)
{
    auto projected = projectAcross(pass, weights, memory.states, rowsOf(x));
    if (!projected) {
        return tl::unexpected(projected.error());
    }
    capture = std::move(*projected);
    return attend(pass, weights.crossOutput, layer, memory.mask, capture);
}

Expected<Tensor> mlp(const Pass& pass, const BlockWeights& weights, const Tensor& x)
{
    auto inner = applyBeside(pass, weights.up, rowsOf(x));
    if (!inner) {
        return inner;
    }
    const MatrixView<float> rows = rowsOf(*inner);
    auto done = pass.config.gatedMlp ? activateGate(rows, pass.config.activation, pass.execution)
                                     : activate(rows, pass.config.activation, pass.execution);
    if (!done) {
        return tl::unexpected(done.error());
    }
    return apply(pass, weights.down, columnsOf(rows, 0, pass.config.mlpWidth));
}

/// One half of a block, x + f(x), with its norms where the family has them.
Expected<void> addBranch(const Pass& pass, const Norm& norm, const Norm& outNorm, Tensor& x,
                         const std::function<Expected<Tensor>(const Tensor&)>& f)
{
    const bool isPost = pass.config.normPlace == NormPlace::Post;
    auto in = isPost ? Expected<Tensor>(x) : normalised(pass, norm, x);
    auto branch = in ? f(*in) : in;
    if (branch && outNorm.exists()) {
        branch = normalised(pass, outNorm, *branch);
    }
    if (!branch) {
        return tl::unexpected(branch.error());
    }
    addTo(x.values(), branch->values());
    if (!isPost) {
        return {};
    }
    return normalise(rowsOf(x), pass.config.norm, norm, pass.config.normEpsilon, pass.execution);
}

} // namespace

Expected<BlockCapture> runBlock(const Pass& pass, const BlockWeights& weights, std::int64_t layer,
                                const Surroundings& around, Tensor& x)
{
    BlockCapture capture;
    const bool isParallel = pass.config.normPlace == NormPlace::Parallel;
    Tensor before = isParallel ? x : Tensor();
    auto done =
        addBranch(pass, weights.attentionNorm, weights.attentionOutNorm, x, [&](const Tensor& in) {
            return attention(pass, weights, layer, around, in, capture.self);
        });
    if (done && around.memory != nullptr) {
        done = addBranch(pass, weights.crossNorm, {}, x, [&](const Tensor& in) {
            return crossAttention(pass, weights, layer, *around.memory, in, capture.cross);
        });
    }
    if (done && isParallel) {
        // Both branches start from what came into the layer.
        const auto in = normalised(pass, weights.mlpNorm, before);
        const auto branch = in ? mlp(pass, weights, *in) : in;
        if (!branch) {
            return tl::unexpected(branch.error());
        }
        addTo(x.values(), branch->values());
    } else if (done) {
        done = addBranch(pass, weights.mlpNorm, weights.mlpOutNorm, x,
                         [&](const Tensor& in) { return mlp(pass, weights, in); });
    }
    if (!done) {
        return tl::unexpected(done.error());
    }
    return capture;
}

MatrixView<float> rowsOf(Tensor& x)
{
    const std::int64_t columns = x.extent(x.rank() - 1);
    return {x.data(), x.size() / columns, columns, columns};
}

ConstMatrixView<float> rowsOf(const Tensor& x)
{
    const std::int64_t columns = x.extent(x.rank() - 1);
    return {x.data(), x.size() / columns, columns, columns};
}

Expected<void> apply(const Pass& pass, const Linear& linear, ConstMatrixView<float> x,
                     MatrixView<float> out)
{
    return pass.backend.linear(x, linear.weight.matrix(), linear.bias.values(), out,
                               pass.execution);
}

Expected<Tensor> apply(const Pass& pass, const Linear& linear, ConstMatrixView<float> x)
{
    auto out = Tensor::make({pass.items, pass.length, linear.weight.matrix().rows});
    if (out) {
        if (auto done = apply(pass, linear, x, rowsOf(*out)); !done) {
            return tl::unexpected(done.error());
        }
    }
    return out;
}

} // namespace heed::detail
