// Every operation as the simplest loop that is right, in float64, one row after the other.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/reference/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <string>
#include <vector>

struct heed_context {
    std::string description = "plain loops in float64, 1 thread";
};

struct heed_buffer {
    const float* data = nullptr;
    std::int64_t count = 0;
};

namespace heed::detail {
namespace {

constexpr double Infinity = std::numeric_limits<double>::infinity();
constexpr double NotANumber = std::numeric_limits<double>::quiet_NaN();

thread_local std::string lastError; // NOLINT: the ABI asks for one message a thread

heed_status refuse(heed_status status, std::string message)
{
    lastError = std::move(message);
    return status;
}

bool shouldStop(const heed_control* control)
{
    return control != nullptr && control->should_stop != nullptr &&
           control->should_stop(control->user) != 0;
}

void report(const heed_control* control, std::int64_t done, std::int64_t total)
{
    if (control != nullptr && control->progress != nullptr) {
        control->progress(control->user, done, total);
    }
}

heed_status stopped()
{
    return refuse(HEED_CANCELLED, "Stopped.");
}

/// A float32 matrix, wherever it lies.
struct Matrix {
    const float* data;
    std::int64_t rowStride;
    std::int64_t columnStride;

    explicit Matrix(const heed_matrix& matrix)
        : data((matrix.buffer != nullptr ? matrix.buffer->data
                                         : static_cast<const float*>(matrix.data)) +
               matrix.offset)
        , rowStride(matrix.row_stride)
        , columnStride(matrix.column_stride)
    {
    }
    [[nodiscard]] double at(std::int64_t row, std::int64_t column) const
    {
        return data[row * rowStride + column * columnStride];
    }
};

/// The kept flags of row @p i of @p mask into @p kept, one a key.
void readMaskRow(const heed_mask& mask, std::int64_t i, std::vector<char>& kept)
{
    kept.assign(static_cast<std::size_t>(mask.keys), 0);
    if (mask.is_bits != 0) {
        const std::uint64_t* words = mask.words + i * mask.words_per_row;
        for (std::int64_t j = 0; j < mask.keys; ++j) {
            kept[static_cast<std::size_t>(j)] = ((words[j / 64] >> (j % 64)) & 1U) != 0;
        }
        return;
    }
    for (std::int64_t r = mask.row_start[i]; r < mask.row_start[i + 1]; ++r) {
        std::fill(kept.begin() + mask.ranges[r].begin, kept.begin() + mask.ranges[r].end, char{1});
    }
}

/// q·k for row i and key j.
double dot(const Matrix& q, const Matrix& k, std::int64_t i, std::int64_t j, std::int64_t width)
{
    double sum = 0;
    for (std::int64_t d = 0; d < width; ++d) {
        sum += q.at(i, d) * k.at(j, d);
    }
    return sum;
}

heed_status upload(const heed_op_upload& op)
{
    *op.buffer = new heed_buffer{static_cast<const float*>(op.data), op.count};
    return HEED_OK;
}

heed_status linear(const heed_op_linear& op, const heed_control* control)
{
    const Matrix x(op.x);
    const Matrix w(op.w);
    for (std::int64_t m = 0; m < op.x.rows; ++m) {
        if (shouldStop(control)) {
            return stopped();
        }
        for (std::int64_t n = 0; n < op.w.rows; ++n) {
            const double sum =
                dot(x, w, m, n, op.x.columns) + (op.bias != nullptr ? double{op.bias[n]} : 0.0);
            op.out.data[m * op.out.row_stride + n * op.out.column_stride] = static_cast<float>(sum);
        }
        report(control, m + 1, op.x.rows);
    }
    return HEED_OK;
}

/// One row of the masked scores, and what its softmax needs.
struct Row {
    std::vector<char> kept;
    std::vector<double> masked;
    double max = -Infinity;
    std::int64_t argmax = -1;
    std::int64_t keptCount = 0;
    bool broken = false; ///< NaN or +inf among the kept scores

    void read(const heed_problem& problem, std::int64_t i)
    {
        const Matrix q(problem.q);
        const Matrix k(problem.k);
        readMaskRow(problem.mask, i, kept);
        masked.assign(kept.size(), -Infinity);
        max = -Infinity;
        argmax = -1;
        keptCount = 0;
        broken = false;
        for (std::int64_t j = 0; j < problem.k.rows; ++j) {
            const auto at = static_cast<std::size_t>(j);
            if (kept[at] == 0) {
                continue;
            }
            ++keptCount;
            // A score past the range of float32 is infinite, as it is for every backend.
            const double exact = problem.scale * dot(q, k, i, j, problem.q.columns);
            const auto rounded = static_cast<float>(exact);
            masked[at] = std::isfinite(rounded) ? exact : double{rounded};
            if (!broken && !(masked[at] < Infinity)) {
                broken = true;
                max = NotANumber;
                argmax = j;
            } else if (masked[at] > max) { // false for every score once max is NaN
                max = masked[at];
                argmax = j;
            }
        }
        // The sums are taken around the maximum that is handed out, which is float32.
        max = static_cast<float>(max);
    }
};

heed_status rowStats(const heed_op_row_stats& op, const heed_control* control)
{
    Row row;
    const std::int64_t rows = op.problem.q.rows;
    for (std::int64_t i = 0; i < rows; ++i) {
        if (shouldStop(control)) {
            return stopped();
        }
        row.read(op.problem, i);
        double sum = 0;
        double entropySum = 0;
        double distanceSum = 0;
        if (row.broken) {
            sum = entropySum = distanceSum = NotANumber;
        } else if (row.max > -Infinity) {
            for (std::int64_t j = 0; j < op.problem.k.rows; ++j) {
                const double t = row.masked[static_cast<std::size_t>(j)] - row.max;
                const double e = std::exp(t);
                if (e > 0) {
                    sum += e;
                    entropySum -= e * t;
                    distanceSum += e * static_cast<double>(std::abs(i - j));
                }
            }
        }
        const bool none = sum == 0;
        op.max[i] = static_cast<float>(row.max);
        op.sum[i] = static_cast<float>(sum);
        op.lse[i] = static_cast<float>(none ? -Infinity : row.max + std::log(sum));
        // Rounding can leave a little less than nothing where one key has all the weight; a NaN
        // stays.
        op.entropy[i] =
            static_cast<float>(none ? 0 : std::max(std::log(sum) + entropySum / sum, 0.0));
        op.distance[i] = static_cast<float>(none ? 0 : distanceSum / sum);
        op.argmax[i] = row.argmax;
        op.kept[i] = row.keptCount;
        report(control, i + 1, rows);
    }
    return HEED_OK;
}

/// The value of one cell of the window; `takesPart` false for a masked cell that must be left out.
struct Cell {
    double value = 0;
    bool kept = false;
    bool takesPart = false;
};

Cell cellOf(const heed_op_tile& op, const std::vector<char>& kept, std::int64_t i, std::int64_t j)
{
    Cell cell;
    cell.kept = kept[static_cast<std::size_t>(j)] != 0;
    cell.takesPart = cell.kept || op.quantity == HEED_SCORES || op.quantity == HEED_SCALED;
    if (!cell.takesPart) {
        return cell;
    }
    const double score =
        dot(Matrix(op.problem.q), Matrix(op.problem.k), i, j, op.problem.q.columns);
    const double scaled = score * op.problem.scale;
    if (op.quantity == HEED_SCORES) {
        cell.value = score;
    } else if (op.quantity != HEED_WEIGHTS) {
        cell.value = scaled;
    } else if (op.row_sum[i] == 0) {
        cell.value = 0;
    } else {
        cell.value = std::exp(scaled - double{op.row_max[i]}) / double{op.row_sum[i]};
    }
    return cell;
}

/// What a texel has seen so far.
struct Texel {
    double best = -Infinity;
    double sum = 0;
    std::int64_t cells = 0;
    std::int64_t parts = 0;
    std::int64_t masked = 0;

    void add(const Cell& cell, std::uint32_t pooling)
    {
        ++cells;
        masked += cell.kept ? 0 : 1;
        if (!cell.takesPart) {
            return;
        }
        sum += cell.value;
        const bool first = parts++ == 0;
        if (std::isnan(best)) {
            return;
        }
        bool better = first || std::isnan(cell.value) || cell.value > best;
        if (pooling == HEED_ABS_MAX && !first && !std::isnan(cell.value)) {
            const double now = std::abs(cell.value);
            better = now > std::abs(best) || (now == std::abs(best) && cell.value > best);
        }
        if (better) {
            best = cell.value;
        }
    }
    [[nodiscard]] double value(std::uint32_t quantity, std::uint32_t pooling) const
    {
        if (parts == 0) {
            return quantity == HEED_WEIGHTS ? 0 : -Infinity;
        }
        if (pooling == HEED_MASS) {
            return sum;
        }
        return pooling == HEED_MEAN ? sum / static_cast<double>(parts) : best;
    }
};

heed_status tile(const heed_op_tile& op, const heed_control* control)
{
    const std::int64_t texelColumns = (op.columns + op.texel_cells - 1) / op.texel_cells;
    std::vector<Texel> texels(static_cast<std::size_t>(texelColumns));
    std::vector<char> kept;
    for (std::int64_t r = 0; r < op.rows; ++r) {
        if (shouldStop(control)) {
            return stopped();
        }
        readMaskRow(op.problem.mask, op.row + r, kept);
        for (std::int64_t c = 0; c < op.columns; ++c) {
            texels[static_cast<std::size_t>(c / op.texel_cells)].add(
                cellOf(op, kept, op.row + r, op.column + c), op.pooling);
        }
        if ((r + 1) % op.texel_cells == 0 || r + 1 == op.rows) {
            const std::int64_t first = r / op.texel_cells * texelColumns;
            for (std::int64_t t = 0; t < texelColumns; ++t) {
                const Texel& texel = texels[static_cast<std::size_t>(t)];
                op.values[first + t] = static_cast<float>(texel.value(op.quantity, op.pooling));
                op.masked_share[first + t] = static_cast<float>(static_cast<double>(texel.masked) /
                                                                static_cast<double>(texel.cells));
            }
            std::fill(texels.begin(), texels.end(), Texel{});
        }
        report(control, r + 1, op.rows);
    }
    return HEED_OK;
}

heed_status attend(const heed_op_attend& op, const heed_control* control)
{
    const Matrix q(op.problem.q);
    const Matrix k(op.problem.k);
    const Matrix v(op.v);
    std::vector<char> kept;
    std::vector<double> sums;
    for (std::int64_t i = 0; i < op.problem.q.rows; ++i) {
        if (shouldStop(control)) {
            return stopped();
        }
        readMaskRow(op.problem.mask, i, kept);
        sums.assign(static_cast<std::size_t>(op.v.columns), 0.0);
        for (std::int64_t j = 0; j < op.problem.k.rows && op.row_sum[i] != 0; ++j) {
            if (kept[static_cast<std::size_t>(j)] == 0) {
                continue;
            }
            const double s = op.problem.scale * dot(q, k, i, j, op.problem.q.columns);
            const double weight = std::exp(s - double{op.row_max[i]}) / double{op.row_sum[i]};
            for (std::int64_t d = 0; d < op.v.columns; ++d) {
                sums[static_cast<std::size_t>(d)] += weight * v.at(j, d);
            }
        }
        for (std::int64_t d = 0; d < op.v.columns; ++d) {
            op.out.data[i * op.out.row_stride + d * op.out.column_stride] =
                static_cast<float>(sums[static_cast<std::size_t>(d)]);
        }
        report(control, i + 1, op.problem.q.rows);
    }
    return HEED_OK;
}

bool isFloat32(const heed_matrix& matrix)
{
    return matrix.element_type == HEED_FLOAT32;
}

heed_status supports(heed_context* /*context*/, const heed_op* op)
{
    bool fine = false;
    switch (op->kind) {
    case HEED_OP_UPLOAD:
        fine = reinterpret_cast<const heed_op_upload*>(op)->element_type == HEED_FLOAT32;
        break;
    case HEED_OP_LINEAR: {
        const auto& linearOp = *reinterpret_cast<const heed_op_linear*>(op);
        fine = isFloat32(linearOp.x) && isFloat32(linearOp.w);
        break;
    }
    case HEED_OP_RELEASE:
    case HEED_OP_ROW_STATS:
    case HEED_OP_TILE:
    case HEED_OP_ATTEND:
        fine = true; // their matrices are buffers, and upload took float32 only
        break;
    default:
        break;
    }
    return fine ? HEED_OK
                : refuse(HEED_UNSUPPORTED, "The reference backend computes float32 only.");
}

heed_status dispatch(const heed_op* op, const heed_control* control)
{
    switch (op->kind) {
    case HEED_OP_UPLOAD:
        return upload(*reinterpret_cast<const heed_op_upload*>(op));
    case HEED_OP_RELEASE:
        delete reinterpret_cast<const heed_op_release*>(op)->buffer;
        return HEED_OK;
    case HEED_OP_LINEAR:
        return linear(*reinterpret_cast<const heed_op_linear*>(op), control);
    case HEED_OP_ROW_STATS:
        return rowStats(*reinterpret_cast<const heed_op_row_stats*>(op), control);
    case HEED_OP_TILE:
        return tile(*reinterpret_cast<const heed_op_tile*>(op), control);
    case HEED_OP_ATTEND:
        return attend(*reinterpret_cast<const heed_op_attend*>(op), control);
    default:
        return refuse(HEED_UNSUPPORTED, "The reference backend does not know this operation.");
    }
}

heed_status run(heed_context* context, const heed_op* op, const heed_control* control)
{
    const heed_status supported = supports(context, op);
    if (supported != HEED_OK) {
        return supported;
    }
    try {
        return dispatch(op, control);
    } catch (const std::bad_alloc&) {
        return refuse(HEED_OUT_OF_MEMORY, "There is no memory for the rows being computed.");
    }
}

heed_status openReference(std::uint32_t /*device*/, const heed_host* /*host*/, heed_context** out)
{
    *out = new (std::nothrow) heed_context;
    return *out != nullptr ? HEED_OK : HEED_OUT_OF_MEMORY;
}

heed_status countDevices(std::uint32_t* count)
{
    *count = 1;
    return HEED_OK;
}

} // namespace

const heed_backend_api* referenceEntry(std::uint32_t /*hostAbiVersion*/)
{
    static const heed_backend_api api = {
        .struct_size = sizeof(heed_backend_api),
        .abi_version = HEED_ABI_VERSION,
        .name = "reference",
        .score = [] { return std::int32_t{1}; },
        .device_count = countDevices,
        .open = openReference,
        .close = [](heed_context* context) { delete context; },
        .supports = supports,
        .run = run,
        .last_error = [](heed_context*) { return lastError.c_str(); },
        .describe = [](heed_context* context) { return context->description.c_str(); },
    };
    return &api;
}

} // namespace heed::detail
