// What a backend trusts is checked here: matrices inside their buffers, masks, biases.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/adapterproblem.h"

#include <algorithm>
#include <cmath>

namespace heed::detail {
namespace {

static_assert(sizeof(KeyRange) == sizeof(heed_key_range));
static_assert(offsetof(KeyRange, end) == offsetof(heed_key_range, end));

/// Backends trust the mask, so rows [firstRow, firstRow + rows) are checked here.
Expected<void> checkMask(const MaskPlane& mask, std::int64_t queries, std::int64_t keys,
                         std::int64_t firstRow, std::int64_t rows)
{
    if (mask.queries != queries || mask.keys != keys) {
        return fail(Code::InvalidShape, "The mask is " + extents(mask.queries, mask.keys) +
                                            ", but the map is " + extents(queries, keys) + ".");
    }
    const auto broken = [](std::int64_t row) {
        return fail(Code::InvalidArgument,
                    "The mask is damaged at row " + std::to_string(row) + ".");
    };
    if (mask.isBits) {
        const bool fits = mask.wordsPerRow >= (keys + 63) / 64 &&
                          static_cast<std::int64_t>(mask.words.size()) /
                                  std::max<std::int64_t>(mask.wordsPerRow, 1) >=
                              queries;
        return fits || queries == 0 || keys == 0 ? Expected<void>{} : broken(0);
    }
    if (static_cast<std::int64_t>(mask.rowStart.size()) != queries + 1) {
        return broken(0);
    }
    const auto count = static_cast<std::int64_t>(mask.ranges.size());
    for (std::int64_t i = firstRow; i < firstRow + rows; ++i) {
        const std::int64_t begin = mask.rowStart[static_cast<std::size_t>(i)];
        const std::int64_t end = mask.rowStart[static_cast<std::size_t>(i + 1)];
        if (begin < 0 || end < begin || end > count) {
            return broken(i);
        }
        std::int64_t last = 0;
        for (std::int64_t r = begin; r < end; ++r) {
            const KeyRange& range = mask.ranges[static_cast<std::size_t>(r)];
            if (range.begin < last || range.end <= range.begin || range.end > keys) {
                return broken(i);
            }
            last = range.end;
        }
    }
    return {};
}

/// Where the rows lie in the whole map, and a bias for every distance they can have.
Expected<void> checkDistances(const HeadProblem& problem)
{
    std::int64_t needed = 0;
    if (problem.firstQuery < 0 ||
        __builtin_add_overflow(problem.firstQuery, problem.q.rows, &needed) ||
        __builtin_add_overflow(needed, problem.k.rows, &needed)) {
        return fail(Code::InvalidArgument, "Query " + std::to_string(problem.firstQuery) +
                                               " cannot be the first row of a map.");
    }
    --needed; // i − j + S − 1 of the last query and key 0, and one more
    if (!problem.distanceBias.empty() &&
        static_cast<std::int64_t>(problem.distanceBias.size()) < needed) {
        return fail(Code::InvalidShape, "A bias by distance needs " + std::to_string(needed) +
                                            " numbers for this map, not " +
                                            std::to_string(problem.distanceBias.size()) + ".");
    }
    return {};
}

Expected<heed_matrix> makeBias(const Context& context, const HeadProblem& problem)
{
    if (problem.bias.rows != problem.q.rows || problem.bias.columns != problem.k.rows) {
        return fail(Code::InvalidShape,
                    "The bias is " + extents(problem.bias.rows, problem.bias.columns) +
                        ", but the map is " + extents(problem.q.rows, problem.k.rows) + ".");
    }
    return bufferMatrix(context, problem.bias, "bias");
}

} // namespace

std::string extents(std::int64_t rows, std::int64_t columns)
{
    return "[" + std::to_string(rows) + ", " + std::to_string(columns) + "]";
}

heed_matrix hostMatrix(ConstMatrixView<float> view)
{
    heed_matrix matrix{};
    matrix.struct_size = sizeof(heed_matrix);
    matrix.element_type = HEED_FLOAT32;
    matrix.data = view.data;
    matrix.rows = view.rows;
    matrix.columns = view.columns;
    matrix.row_stride = view.rowStride;
    matrix.column_stride = 1;
    return matrix;
}

Expected<heed_matrix> bufferMatrix(const Context& context, const BufferMatrix& matrix,
                                   const char* name)
{
    const auto* buffer = dynamic_cast<const DeviceBuffer*>(matrix.buffer);
    if (buffer == nullptr || buffer->context() != &context) {
        return fail(Code::InvalidArgument, std::string(name) + " was not uploaded to the backend " +
                                               context.api().name + " that is asked to compute.");
    }
    std::int64_t last = 0; // one past the last element
    const bool fits = matrix.offset >= 0 && matrix.rows >= 0 && matrix.columns >= 0 &&
                      matrix.rowStride >= matrix.columns &&
                      !__builtin_mul_overflow(std::max<std::int64_t>(matrix.rows - 1, 0),
                                              matrix.rowStride, &last) &&
                      !__builtin_add_overflow(last, matrix.columns, &last) &&
                      !__builtin_add_overflow(last, matrix.offset, &last) && last <= buffer->size();
    if (!fits) {
        return fail(Code::InvalidShape,
                    std::string(name) + " " + extents(matrix.rows, matrix.columns) +
                        " at element " + std::to_string(matrix.offset) + ", row stride " +
                        std::to_string(matrix.rowStride) +
                        ", reaches outside its buffer of shape " + toString(buffer->shape()) + ".");
    }
    heed_matrix result = hostMatrix({nullptr, matrix.rows, matrix.columns, matrix.rowStride});
    result.buffer = buffer->handle();
    result.offset = matrix.offset;
    return result;
}

Expected<heed_problem> makeProblem(const Context& context, const HeadProblem& problem,
                                   std::int64_t firstRow, std::int64_t rows)
{
    const auto q = bufferMatrix(context, problem.q, "q");
    if (!q) {
        return tl::unexpected(q.error());
    }
    const auto k = bufferMatrix(context, problem.k, "k");
    if (!k) {
        return tl::unexpected(k.error());
    }
    if (q->columns != k->columns) {
        return fail(Code::InvalidShape, "q " + extents(q->rows, q->columns) + " and k " +
                                            extents(k->rows, k->columns) +
                                            " differ in their head size.");
    }
    if (!std::isfinite(problem.scale) || problem.scale <= 0) {
        return fail(Code::InvalidArgument, "The scale must be a finite number above zero, not " +
                                               std::to_string(problem.scale) + ".");
    }
    const MaskPlane& plane = problem.mask;
    if (auto fine = checkMask(plane, q->rows, k->rows, firstRow, rows); !fine) {
        return tl::unexpected(fine.error());
    }
    if (!std::isfinite(problem.softCap) || problem.softCap < 0) {
        return fail(Code::InvalidArgument,
                    "The soft cap must be a finite number, at least zero, not " +
                        std::to_string(problem.softCap) + ".");
    }
    if (auto fine = checkDistances(problem); !fine) {
        return tl::unexpected(fine.error());
    }
    Expected<heed_matrix> bias;
    if (problem.bias.buffer != nullptr) {
        bias = makeBias(context, problem);
        if (!bias) {
            return tl::unexpected(bias.error());
        }
    }
    heed_problem result{};
    result.struct_size = sizeof(heed_problem);
    result.scale = problem.scale;
    result.q = *q;
    result.k = *k;
    result.mask = {.struct_size = sizeof(heed_mask),
                   .is_bits = plane.isBits ? 1U : 0U,
                   .queries = plane.queries,
                   .keys = plane.keys,
                   .row_start = plane.rowStart.data(),
                   .ranges = reinterpret_cast<const heed_key_range*>(plane.ranges.data()),
                   .words = plane.words.data(),
                   .words_per_row = plane.wordsPerRow};
    result.first_query = problem.firstQuery;
    result.distance_bias = problem.distanceBias.empty() ? nullptr : problem.distanceBias.data();
    result.bias = *bias;
    result.soft_cap = problem.softCap;
    return result;
}

} // namespace heed::detail
