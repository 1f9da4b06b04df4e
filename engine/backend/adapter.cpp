// Checks what comes from the engine, hands it through the C ABI, and turns statuses into errors.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/adapter.h"

#include "backend/adapterproblem.h"

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

Expected<void> checkStats(const RowStats* stats, std::int64_t rows)
{
    const auto size = static_cast<std::size_t>(rows);
    if (stats == nullptr || stats->max.size() != size || stats->sum.size() != size) {
        return fail(Code::InvalidArgument,
                    "Weights need the row statistics (max and sum) of the same map.");
    }
    return {};
}

/// A texel of that many cells covers any map; a larger one would only invite overflows.
constexpr std::int64_t LargestTexel = std::int64_t{1} << 40;

/// Room for the texels of @p rows × @p columns cells. Written so that a texel size near the largest
/// integer cannot overflow.
Expected<TileTexels> makeTexels(const char* what, std::int64_t rows, std::int64_t columns,
                                std::int64_t cellsDown, std::int64_t cellsAcross,
                                const Execution& execution)
{
    TileTexels texels;
    texels.rows = rows / cellsDown + (rows % cellsDown != 0 ? 1 : 0);
    texels.columns = columns / cellsAcross + (columns % cellsAcross != 0 ? 1 : 0);
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(texels.rows, texels.columns, &bytes) ||
        __builtin_mul_overflow(bytes, std::int64_t{2 * sizeof(float)}, &bytes)) {
        return fail(Code::OutOfMemory,
                    std::string(what) + " has more texels than memory can address.");
    }
    if (auto fits = checkMemory(bytes, what, execution); !fits) {
        return tl::unexpected(fits.error());
    }
    const auto count = static_cast<std::size_t>(texels.rows * texels.columns);
    texels.values.resize(count);
    texels.maskedShare.resize(count);
    return texels;
}

Expected<void> checkSurvey(const HeadProblem& problem, const SurveySpec& spec)
{
    const bool both = spec.cellsDown > 0 && spec.cellsAcross > 0;
    if (!both && (spec.cellsDown != 0 || spec.cellsAcross != 0)) {
        return fail(Code::InvalidArgument, "A picture cannot have texels of " +
                                               extents(spec.cellsDown, spec.cellsAcross) +
                                               " cells.");
    }
    const auto fits = [](const auto& values, std::int64_t count) {
        return values.empty() || static_cast<std::int64_t>(values.size()) == count;
    };
    const TokenRoles& tokens = spec.tokens;
    if (!fits(tokens.queries, problem.q.rows) || !fits(tokens.keys, problem.k.rows) ||
        !fits(tokens.delimiters, problem.k.rows)) {
        return fail(Code::InvalidShape, "Tokens of " + std::to_string(tokens.queries.size()) +
                                            " queries and " + std::to_string(tokens.keys.size()) +
                                            " keys, and " +
                                            std::to_string(tokens.delimiters.size()) +
                                            " delimiter flags, do not fit a map of " +
                                            extents(problem.q.rows, problem.k.rows) + ".");
    }
    return {};
}

void pointInto(heed_op_row_stats& op, RowStats& stats, std::size_t rows)
{
    for (auto* values : {&stats.max, &stats.sum, &stats.lse, &stats.entropy, &stats.distance}) {
        values->resize(rows);
    }
    stats.argmax.resize(rows);
    stats.kept.resize(rows);
    op.max = stats.max.data();
    op.sum = stats.sum.data();
    op.lse = stats.lse.data();
    op.entropy = stats.entropy.data();
    op.distance = stats.distance.data();
    op.argmax = stats.argmax.data();
    op.kept = stats.kept.data();
}

heed_row_masses pointInto(RowMasses& masses, const TokenRoles& tokens, std::size_t rows)
{
    const auto orNull = [](const auto& values) { return values.empty() ? nullptr : values.data(); };
    const auto room = [rows](std::vector<float>& values) {
        values.resize(rows);
        return values.data();
    };
    return {.struct_size = sizeof(heed_row_masses),
            .reserved = 0,
            .query_tokens = orNull(tokens.queries),
            .key_tokens = orNull(tokens.keys),
            .delimiters = orNull(tokens.delimiters),
            .previous = room(masses.previous),
            .next = room(masses.next),
            .self = room(masses.self),
            .first = room(masses.first),
            .duplicate = room(masses.duplicate),
            .induction = room(masses.induction),
            .delimiter = room(masses.delimiter),
            .top5 = room(masses.top5),
            .top10 = room(masses.top10)};
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

    [[nodiscard]] Expected<Survey> survey(const HeadProblem& problem, const SurveySpec& spec,
                                          const Execution& execution) const override
    {
        return guarded<Survey>("the row statistics",
                               [&] { return runSurvey(problem, spec, execution); });
    }

    [[nodiscard]] Expected<TileTexels> tile(const HeadProblem& problem, const RowStats* stats,
                                            const TileSpec& spec,
                                            const Execution& execution) const override
    {
        return guarded<TileTexels>("the tile",
                                   [&] { return runTile(problem, stats, spec, execution); });
    }

    [[nodiscard]] Expected<void> attend(const HeadProblem& problem, const BufferMatrix& v,
                                        MatrixView<float> out,
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
        if (execution.cancelled()) {
            return fail(Code::Cancelled, "Stopped.");
        }
        auto op = makeOp<heed_op_attend>(HEED_OP_ATTEND);
        op.problem = *cProblem;
        op.v = *cV;
        op.out = outMatrix(out);
        return m_context->run(op.head, Control(execution).c(), "attend");
    }

private:
    [[nodiscard]] Expected<Survey> runSurvey(const HeadProblem& problem, const SurveySpec& spec,
                                             const Execution& execution) const
    {
        const auto cProblem = makeProblem(*m_context, problem, 0, problem.q.rows);
        if (!cProblem) {
            return tl::unexpected(cProblem.error());
        }
        if (auto fine = checkSurvey(problem, spec); !fine) {
            return tl::unexpected(fine.error());
        }
        Survey survey;
        auto op = makeOp<heed_op_row_stats>(HEED_OP_ROW_STATS);
        op.problem = *cProblem;
        if (spec.cellsDown > 0) {
            auto picture = makeTexels("The picture", problem.q.rows, problem.k.rows, spec.cellsDown,
                                      spec.cellsAcross, execution);
            if (!picture) {
                return tl::unexpected(picture.error());
            }
            survey.picture = std::move(*picture);
            op.cells_down = std::min(spec.cellsDown, LargestTexel);
            op.cells_across = std::min(spec.cellsAcross, LargestTexel);
            op.picture = survey.picture.values.data();
            op.picture_share = survey.picture.maskedShare.data();
        }
        if (execution.cancelled()) {
            return fail(Code::Cancelled, "Stopped.");
        }
        const auto rows = static_cast<std::size_t>(problem.q.rows);
        pointInto(op, survey.stats, rows);
        heed_row_masses masses{};
        if (spec.masses) {
            masses = pointInto(survey.masses, spec.tokens, rows);
            op.masses = &masses;
        }
        if (auto done = m_context->run(op.head, Control(execution).c(), "row_stats"); !done) {
            return tl::unexpected(done.error());
        }
        return survey;
    }

    [[nodiscard]] Expected<TileTexels> runTile(const HeadProblem& problem, const RowStats* stats,
                                               const TileSpec& spec,
                                               const Execution& execution) const
    {
        const std::int64_t cellsDown = spec.texelCellsDown();
        const bool inside = spec.texelCells >= 1 && spec.cellsDown >= 0 && spec.row >= 0 &&
                            spec.column >= 0 && spec.rows >= 0 && spec.columns >= 0 &&
                            spec.row <= problem.q.rows - spec.rows &&
                            spec.column <= problem.k.rows - spec.columns &&
                            spec.row % cellsDown == 0 && spec.column % spec.texelCells == 0;
        if (!inside) {
            return fail(Code::InvalidArgument,
                        "The window of " + extents(spec.rows, spec.columns) + " cells at (" +
                            std::to_string(spec.row) + ", " + std::to_string(spec.column) +
                            ") with texels of " + extents(cellsDown, spec.texelCells) +
                            " cells does not lie on the map of " +
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
        auto texels = makeTexels("The window", spec.rows, spec.columns, cellsDown, spec.texelCells,
                                 execution);
        if (!texels) {
            return texels;
        }
        if (execution.cancelled()) {
            return fail(Code::Cancelled, "Stopped.");
        }
        if (texels->values.empty()) {
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
        op.cells_down = std::min(cellsDown, LargestTexel);
        op.cells_across = std::min(spec.texelCells, LargestTexel);
        op.values = texels->values.data();
        op.masked_share = texels->maskedShare.data();
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
