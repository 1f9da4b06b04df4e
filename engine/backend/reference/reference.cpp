// The table of the reference backend. Every operation is the simplest loop that is right, in
// float64, one row after the other.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/reference/reference.h"

#include "backend/reference/referencerows.h"

#include <new>
#include <string>

struct heed_context {
    std::string description = "plain loops in float64, 1 thread";
};

namespace heed::detail {
namespace reference {
namespace {

thread_local std::string lastError; // NOLINT: the ABI asks for one message a thread

heed_status refuse(heed_status status, std::string message)
{
    lastError = std::move(message);
    return status;
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
        return survey(*reinterpret_cast<const heed_op_row_stats*>(op), control);
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

} // namespace reference

const heed_backend_api* referenceEntry(std::uint32_t /*hostAbiVersion*/)
{
    static const heed_backend_api api = {
        .struct_size = sizeof(heed_backend_api),
        .abi_version = HEED_ABI_VERSION,
        .name = "reference",
        .score = [] { return std::int32_t{1}; },
        .device_count = reference::countDevices,
        .open = reference::openReference,
        .close = [](heed_context* context) { delete context; },
        .supports = reference::supports,
        .run = reference::run,
        .last_error = [](heed_context*) { return reference::lastError.c_str(); },
        .describe = [](heed_context* context) { return context->description.c_str(); },
    };
    return &api;
}

} // namespace heed::detail
