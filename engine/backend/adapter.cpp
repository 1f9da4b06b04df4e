// Checks what comes from the engine, hands it through the C ABI, and turns statuses into errors.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/adapter.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <new>

namespace heed::detail {
namespace {

static_assert(static_cast<int>(Code::InvalidArgument) + 1 == HEED_INVALID_ARGUMENT);
static_assert(static_cast<int>(Code::OutOfMemory) + 1 == HEED_OUT_OF_MEMORY);
static_assert(static_cast<int>(Code::Cancelled) + 1 == HEED_CANCELLED);
static_assert(static_cast<int>(Code::Internal) + 1 == HEED_INTERNAL);
static_assert(static_cast<std::uint32_t>(Quantity::Weights) == HEED_WEIGHTS);
static_assert(static_cast<std::uint32_t>(Pooling::Mean) == HEED_MEAN);
static_assert(sizeof(KeyRange) == sizeof(heed_key_range));
static_assert(offsetof(KeyRange, end) == offsetof(heed_key_range, end));

template <typename Op>
Op makeOp(std::uint32_t kind)
{
    Op op{};
    op.head = {sizeof(Op), kind};
    return op;
}

/// The device, closed when the last buffer and backend are gone.
class Context {
public:
    Context(const heed_backend_api& api, heed_context* context)
        : m_api(api)
        , m_context(context)
    {
    }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context() { m_api.close(m_context); }

    [[nodiscard]] const heed_backend_api& api() const { return m_api; }
    [[nodiscard]] std::string description() const
    {
        const char* text = m_api.describe(m_context);
        return text != nullptr ? text : "";
    }
    [[nodiscard]] Expected<void> check(heed_status status, const char* operation) const
    {
        if (status == HEED_OK) {
            return {};
        }
        // A status that is not in the list is the backend's mistake.
        const bool known = status >= HEED_INVALID_ARGUMENT && status <= HEED_INTERNAL;
        const Code code = known ? static_cast<Code>(status - 1) : Code::BackendFailed;
        if (code == Code::Cancelled) {
            return fail(code, "Stopped.");
        }
        const char* reason = m_api.last_error(m_context);
        const bool told = reason != nullptr && *reason != '\0';
        return fail(code,
                    told ? std::string(reason)
                         : "The backend gave no reason (status " + std::to_string(status) + ").",
                    std::string("backend ") + m_api.name + ", " + operation);
    }
    [[nodiscard]] Expected<void> run(const heed_op& op, const heed_control* control,
                                     const char* operation) const
    {
        if (m_api.supports != nullptr) {
            if (auto supported = check(m_api.supports(m_context, &op), operation); !supported) {
                return supported;
            }
        }
        return check(m_api.run(m_context, &op, control), operation);
    }

private:
    const heed_backend_api& m_api;
    heed_context* m_context;
};
using ContextPtr = std::shared_ptr<const Context>;

class DeviceBuffer final : public Buffer {
public:
    DeviceBuffer(ContextPtr context, std::shared_ptr<const Tensor> tensor, heed_buffer* handle)
        : m_context(std::move(context))
        , m_tensor(std::move(tensor))
        , m_handle(handle)
    {
    }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    ~DeviceBuffer() override
    {
        auto op = makeOp<heed_op_release>(HEED_OP_RELEASE);
        op.buffer = m_handle;
        (void)m_context->run(op.head, nullptr, "release"); // nobody is left to hear of a failure
    }
    [[nodiscard]] const Shape& shape() const override { return m_tensor->shape(); }
    [[nodiscard]] const Context* context() const { return m_context.get(); }
    [[nodiscard]] const heed_buffer* handle() const { return m_handle; }
    [[nodiscard]] std::int64_t size() const { return m_tensor->size(); }

private:
    ContextPtr m_context;
    std::shared_ptr<const Tensor> m_tensor; ///< kept: the backend may only remember its address
    heed_buffer* m_handle;
};

/// The execution, as the C side sees it. Lives as long as the call.
class Control {
public:
    explicit Control(const Execution& execution)
        : m_execution(execution)
        , m_control{.struct_size = sizeof(heed_control),
                    .threads = threadCount(execution),
                    .user = this,
                    .should_stop = shouldStop,
                    .progress = execution.progress ? progress : nullptr}
    {
    }
    [[nodiscard]] const heed_control* c() const { return &m_control; }

private:
    static std::int32_t shouldStop(void* user)
    {
        return static_cast<Control*>(user)->m_execution.cancelled() ? 1 : 0;
    }
    static void progress(void* user, std::int64_t done, std::int64_t total)
    {
        try {
            static_cast<Control*>(user)->m_execution.progress(done, total);
        } catch (...) { // must not run through C; progress is not worth failing for
        }
    }

    const Execution& m_execution;
    heed_control m_control;
};

std::string extents(std::int64_t rows, std::int64_t columns)
{
    return "[" + std::to_string(rows) + ", " + std::to_string(columns) + "]";
}

template <typename View>
Expected<void> checkView(const View& view, const char* name)
{
    if (view.rows < 0 || view.columns < 0 || view.rowStride < view.columns ||
        (view.data == nullptr && view.rows > 0 && view.columns > 0)) {
        return fail(Code::InvalidShape,
                    std::string(name) + " is not a matrix: " + extents(view.rows, view.columns) +
                        ", row stride " + std::to_string(view.rowStride) + ".");
    }
    return {};
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

heed_matrix_out outMatrix(MatrixView<float> view)
{
    return {.struct_size = sizeof(heed_matrix_out),
            .reserved = 0,
            .data = view.data,
            .rows = view.rows,
            .columns = view.columns,
            .row_stride = view.rowStride,
            .column_stride = 1};
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
    return result;
}

Expected<void> checkStats(const RowStats* stats, std::int64_t rows)
{
    const auto size = static_cast<std::size_t>(rows);
    if (stats == nullptr || stats->max.size() != size || stats->sum.size() != size) {
        return fail(Code::InvalidArgument,
                    "Weights need the row statistics (max and sum) of the same map.");
    }
    return {};
}

/// Runs @p body, which allocates results of a size the caller chose.
template <typename T, typename Body>
Expected<T> guarded(const char* what, Body body)
{
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, std::string("There is no memory for ") + what + ".");
    } catch (const std::length_error&) {
        return fail(Code::OutOfMemory, std::string("There is no memory for ") + what + ".");
    }
}

class AbiBackend final : public Backend {
public:
    explicit AbiBackend(ContextPtr context)
        : m_context(std::move(context))
    {
    }
    [[nodiscard]] std::string name() const override { return m_context->api().name; }
    [[nodiscard]] std::string description() const override { return m_context->description(); }

    [[nodiscard]] Expected<BufferPtr> upload(std::shared_ptr<const Tensor> tensor) const override
    {
        if (tensor == nullptr) {
            return fail(Code::InvalidArgument, "There is no tensor to upload.");
        }
        heed_buffer* handle = nullptr;
        auto op = makeOp<heed_op_upload>(HEED_OP_UPLOAD);
        op.element_type = HEED_FLOAT32;
        op.data = tensor->data();
        op.count = tensor->size();
        op.buffer = &handle;
        if (auto done = m_context->run(op.head, nullptr, "upload"); !done) {
            return tl::unexpected(done.error());
        }
        return guarded<BufferPtr>("a buffer", [&]() -> Expected<BufferPtr> {
            return std::make_shared<DeviceBuffer>(m_context, std::move(tensor), handle);
        });
    }

    [[nodiscard]] Expected<void> linear(ConstMatrixView<float> x, ConstMatrixView<float> w,
                                        std::span<const float> bias, MatrixView<float> out,
                                        const Execution& execution) const override
    {
        for (auto fine : {checkView(x, "x"), checkView(w, "w"), checkView(out, "out")}) {
            if (!fine) {
                return fine;
            }
        }
        if (x.columns != w.columns || out.rows != x.rows || out.columns != w.rows ||
            (!bias.empty() && static_cast<std::int64_t>(bias.size()) != w.rows)) {
            return fail(Code::InvalidShape,
                        "x " + extents(x.rows, x.columns) + " times w " +
                            extents(w.rows, w.columns) + " transposed, plus a bias of " +
                            std::to_string(bias.size()) + ", does not give out " +
                            extents(out.rows, out.columns) + ".");
        }
        if (execution.cancelled()) {
            return fail(Code::Cancelled, "Stopped.");
        }
        if (out.rows == 0 || out.columns == 0) {
            return {};
        }
        auto op = makeOp<heed_op_linear>(HEED_OP_LINEAR);
        op.x = hostMatrix(x);
        op.w = hostMatrix(w);
        op.bias = bias.empty() ? nullptr : bias.data();
        op.out = outMatrix(out);
        return m_context->run(op.head, Control(execution).c(), "linear");
    }

    [[nodiscard]] Expected<RowStats> rowStats(const HeadProblem& problem,
                                              const Execution& execution) const override
    {
        return guarded<RowStats>("the row statistics",
                                 [&] { return runStats(problem, execution); });
    }

    [[nodiscard]] Expected<TileTexels> tile(const HeadProblem& problem, const RowStats* stats,
                                            const TileSpec& spec,
                                            const Execution& execution) const override
    {
        return guarded<TileTexels>("the tile",
                                   [&] { return runTile(problem, stats, spec, execution); });
    }

    [[nodiscard]] Expected<void> attend(const HeadProblem& problem, const RowStats& stats,
                                        const BufferMatrix& v, MatrixView<float> out,
                                        const Execution& execution) const override
    {
        const auto cProblem = makeProblem(*m_context, problem, 0, problem.q.rows);
        if (!cProblem) {
            return tl::unexpected(cProblem.error());
        }
        const auto cV = bufferMatrix(*m_context, v, "v");
        if (!cV) {
            return tl::unexpected(cV.error());
        }
        if (auto fine = checkView(out, "out"); !fine) {
            return fine;
        }
        if (v.rows != problem.k.rows || out.rows != problem.q.rows || out.columns != v.columns) {
            return fail(Code::InvalidShape, "v " + extents(v.rows, v.columns) + " and out " +
                                                extents(out.rows, out.columns) +
                                                " do not fit a map of " +
                                                extents(problem.q.rows, problem.k.rows) + ".");
        }
        if (auto fine = checkStats(&stats, problem.q.rows); !fine) {
            return fine;
        }
        if (execution.cancelled()) {
            return fail(Code::Cancelled, "Stopped.");
        }
        auto op = makeOp<heed_op_attend>(HEED_OP_ATTEND);
        op.problem = *cProblem;
        op.row_max = stats.max.data();
        op.row_sum = stats.sum.data();
        op.v = *cV;
        op.out = outMatrix(out);
        return m_context->run(op.head, Control(execution).c(), "attend");
    }

private:
    [[nodiscard]] Expected<RowStats> runStats(const HeadProblem& problem,
                                              const Execution& execution) const
    {
        const auto cProblem = makeProblem(*m_context, problem, 0, problem.q.rows);
        if (!cProblem) {
            return tl::unexpected(cProblem.error());
        }
        if (execution.cancelled()) {
            return fail(Code::Cancelled, "Stopped.");
        }
        RowStats stats;
        const auto rows = static_cast<std::size_t>(problem.q.rows);
        for (auto* values : {&stats.max, &stats.sum, &stats.lse, &stats.entropy, &stats.distance}) {
            values->resize(rows);
        }
        stats.argmax.resize(rows);
        stats.kept.resize(rows);
        auto op = makeOp<heed_op_row_stats>(HEED_OP_ROW_STATS);
        op.problem = *cProblem;
        op.max = stats.max.data();
        op.sum = stats.sum.data();
        op.lse = stats.lse.data();
        op.entropy = stats.entropy.data();
        op.distance = stats.distance.data();
        op.argmax = stats.argmax.data();
        op.kept = stats.kept.data();
        if (auto done = m_context->run(op.head, Control(execution).c(), "row_stats"); !done) {
            return tl::unexpected(done.error());
        }
        return stats;
    }

    [[nodiscard]] Expected<TileTexels> runTile(const HeadProblem& problem, const RowStats* stats,
                                               const TileSpec& spec,
                                               const Execution& execution) const
    {
        const bool inside = spec.texelCells >= 1 && spec.row >= 0 && spec.column >= 0 &&
                            spec.rows >= 0 && spec.columns >= 0 &&
                            spec.row <= problem.q.rows - spec.rows &&
                            spec.column <= problem.k.rows - spec.columns &&
                            spec.row % spec.texelCells == 0 && spec.column % spec.texelCells == 0;
        if (!inside) {
            return fail(Code::InvalidArgument,
                        "The window of " + extents(spec.rows, spec.columns) + " cells at (" +
                            std::to_string(spec.row) + ", " + std::to_string(spec.column) +
                            ") with texels of " + std::to_string(spec.texelCells) +
                            " does not lie on the map of " +
                            extents(problem.q.rows, problem.k.rows) + ".");
        }
        const auto cProblem = makeProblem(*m_context, problem, spec.row, spec.rows);
        if (!cProblem) {
            return tl::unexpected(cProblem.error());
        }
        if (spec.quantity == Quantity::Weights) {
            if (auto fine = checkStats(stats, problem.q.rows); !fine) {
                return tl::unexpected(fine.error());
            }
        }
        TileTexels texels;
        // Written so that a texel size near the largest integer cannot overflow.
        texels.rows = spec.rows / spec.texelCells + (spec.rows % spec.texelCells != 0 ? 1 : 0);
        texels.columns =
            spec.columns / spec.texelCells + (spec.columns % spec.texelCells != 0 ? 1 : 0);
        std::int64_t bytes = 0;
        if (__builtin_mul_overflow(texels.rows, texels.columns, &bytes) ||
            __builtin_mul_overflow(bytes, std::int64_t{2 * sizeof(float)}, &bytes)) {
            return fail(Code::OutOfMemory, "The window has more texels than memory can address.");
        }
        if (auto fits = checkMemory(bytes, "The window", execution); !fits) {
            return tl::unexpected(fits.error());
        }
        if (execution.cancelled()) {
            return fail(Code::Cancelled, "Stopped.");
        }
        const auto count = static_cast<std::size_t>(texels.rows * texels.columns);
        texels.values.resize(count);
        texels.maskedShare.resize(count);
        if (count == 0) {
            return texels;
        }
        auto op = makeOp<heed_op_tile>(HEED_OP_TILE);
        op.problem = *cProblem;
        op.row_max = spec.quantity == Quantity::Weights ? stats->max.data() : nullptr;
        op.row_sum = spec.quantity == Quantity::Weights ? stats->sum.data() : nullptr;
        op.quantity = static_cast<std::uint32_t>(spec.quantity);
        op.pooling = static_cast<std::uint32_t>(spec.pooling);
        op.row = spec.row;
        op.column = spec.column;
        op.rows = spec.rows;
        op.columns = spec.columns;
        // One texel of that size covers any map; a larger one would only invite overflows.
        op.texel_cells = std::min(spec.texelCells, std::int64_t{1} << 40);
        op.values = texels.values.data();
        op.masked_share = texels.maskedShare.data();
        if (auto done = m_context->run(op.head, Control(execution).c(), "tile"); !done) {
            return tl::unexpected(done.error());
        }
        return texels;
    }

    ContextPtr m_context;
};

} // namespace

Expected<BackendPtr> openBackend(const heed_backend_api& api)
{
    const heed_host host{.struct_size = sizeof(heed_host),
                         .abi_version = HEED_ABI_VERSION,
                         .threads = threadCount({}),
                         .reserved = 0};
    heed_context* context = nullptr;
    const heed_status status = api.open(0, &host, &context);
    if (status != HEED_OK || context == nullptr) {
        const char* reason = api.last_error(nullptr);
        return fail(Code::BackendFailed,
                    reason != nullptr && *reason != '\0'
                        ? std::string(reason)
                        : "no reason given (status " + std::to_string(status) + ")",
                    std::string("backend ") + api.name);
    }
    return guarded<BackendPtr>("the backend", [&]() -> Expected<BackendPtr> {
        return std::make_shared<AbiBackend>(std::make_shared<Context>(api, context));
    });
}

} // namespace heed::detail
