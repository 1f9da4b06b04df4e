// weights·V of all heads of a layer.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/computedmaps.h"

#include <algorithm>

namespace heed {

Expected<Tensor> attendHeads(const ComputedMaps& maps, std::int64_t layer, const Buffer& v,
                             const Backend& backend, const Execution& execution)
{
    const MapsShape shape = maps.shape();
    const std::int64_t groups = v.shape()[1];
    const std::int64_t keys = v.shape()[2];
    const std::int64_t width = v.shape()[3];
    auto result = Tensor::make({shape.items, shape.heads, shape.queries, width});
    if (!result) {
        return result;
    }
    const std::int64_t count = shape.items * shape.heads;
    const std::int64_t threads = threadCount(execution);
    Execution share = execution; // of the threads, for each head
    share.threads = static_cast<int>(std::max<std::int64_t>(1, (threads + count - 1) / count));
    share.progress = {};
    auto done = parallelFor(
        count, 1, execution, [&](std::int64_t begin, std::int64_t end) -> Expected<void> {
            for (std::int64_t number = begin; number < end; ++number) {
                const MapIndex map{layer, number / shape.heads, number % shape.heads};
                const std::int64_t keyHead = map.head / (shape.heads / groups);
                const BufferMatrix values{&v, (map.item * groups + keyHead) * keys * width, keys,
                                          width, width};
                if (auto head = backend.attend(maps.problem(map), values,
                                               result->matrix({map.item, map.head}), share);
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

} // namespace heed
