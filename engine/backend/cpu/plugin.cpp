// The function table of the CPU module. Compiled for the plainest processor, because score() must
// be able to say no on one that lacks the instructions of the rest.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "context.h"

#include <exception>
#include <new>
#include <thread>

namespace heed::cpu {
namespace {

thread_local const char* lastError = "";
thread_local std::string lastMessage; // NOLINT: keeps what lastError points to, when it is made

heed_status refuse(heed_status status, const char* message)
{
    lastError = message;
    return status;
}

/// Whether the processor has what the inner loops were compiled for.
std::int32_t score()
{
#if HEED_CPU_LEVEL > 1
    __builtin_cpu_init();
#endif
#if HEED_CPU_LEVEL >= 2
    if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("ssse3") ||
        !__builtin_cpu_supports("popcnt")) {
        lastError = "this processor lacks SSSE3, SSE4.2 or POPCNT";
        return 0;
    }
#endif
#if HEED_CPU_LEVEL >= 3
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi2")) {
        lastError = "this processor lacks AVX2, FMA or BMI2";
        return 0;
    }
#endif
#if HEED_CPU_LEVEL >= 4
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl")) {
        lastError = "this processor lacks AVX-512 (F, BW, CD, DQ or VL)";
        return 0;
    }
#endif
    return 100 * HEED_CPU_LEVEL;
}

heed_status countDevices(std::uint32_t* count)
{
    *count = 1;
    return HEED_OK;
}

heed_status openDevice(std::uint32_t device, const heed_host* host, heed_context** out)
{
    if (device != 0) {
        return refuse(HEED_NOT_FOUND, "There is one CPU, device 0.");
    }
    try {
        auto context = std::make_unique<heed_context>();
        const auto offered = static_cast<int>(std::thread::hardware_concurrency());
        context->threads = host->threads > 0 ? host->threads : std::max(1, offered);
        context->description = "CPU " HEED_CPU_WORDS;
        *out = context.release();
        return HEED_OK;
    } catch (const std::exception&) {
        return refuse(HEED_OUT_OF_MEMORY, "There is no memory for the backend.");
    }
}

bool plain(const heed_matrix& matrix)
{
    return matrix.element_type == HEED_FLOAT32 && matrix.column_stride == 1;
}

bool plain(const heed_problem& problem)
{
    return plain(problem.q) && plain(problem.k) &&
           (problem.bias.struct_size == 0 || plain(problem.bias));
}

heed_status supports(heed_context* /*context*/, const heed_op* op)
{
    bool fine = false;
    switch (op->kind) {
    case HEED_OP_UPLOAD:
        fine = reinterpret_cast<const heed_op_upload*>(op)->element_type == HEED_FLOAT32;
        break;
    case HEED_OP_RELEASE:
        fine = true;
        break;
    case HEED_OP_LINEAR: {
        const auto& linearOp = *reinterpret_cast<const heed_op_linear*>(op);
        fine = plain(linearOp.x) && plain(linearOp.w) && linearOp.out.column_stride == 1;
        break;
    }
    case HEED_OP_ROW_STATS:
        fine = plain(reinterpret_cast<const heed_op_row_stats*>(op)->problem);
        break;
    case HEED_OP_TILE:
        fine = plain(reinterpret_cast<const heed_op_tile*>(op)->problem);
        break;
    case HEED_OP_ATTEND: {
        const auto& attendOp = *reinterpret_cast<const heed_op_attend*>(op);
        fine = plain(attendOp.problem) && plain(attendOp.v) && attendOp.out.column_stride == 1;
        break;
    }
    default:
        break;
    }
    return fine ? HEED_OK
                : refuse(HEED_UNSUPPORTED,
                         "The CPU backend computes float32 matrices with adjacent columns only.");
}

heed_status dispatch(const heed_op* op, Call& call)
{
    switch (op->kind) {
    case HEED_OP_UPLOAD: {
        const auto& uploadOp = *reinterpret_cast<const heed_op_upload*>(op);
        *uploadOp.buffer =
            new heed_buffer{static_cast<const float*>(uploadOp.data), uploadOp.count};
        return HEED_OK;
    }
    case HEED_OP_RELEASE:
        delete reinterpret_cast<const heed_op_release*>(op)->buffer;
        return HEED_OK;
    case HEED_OP_LINEAR:
        return linear(*reinterpret_cast<const heed_op_linear*>(op), call);
    case HEED_OP_ROW_STATS:
        return rowStats(*reinterpret_cast<const heed_op_row_stats*>(op), call);
    case HEED_OP_TILE:
        return tile(*reinterpret_cast<const heed_op_tile*>(op), call);
    case HEED_OP_ATTEND:
        return attend(*reinterpret_cast<const heed_op_attend*>(op), call);
    default:
        return HEED_UNSUPPORTED; // supports() refused it already
    }
}

heed_status run(heed_context* context, const heed_op* op, const heed_control* control)
{
    const heed_status supported = supports(context, op);
    if (supported != HEED_OK) {
        return supported;
    }
    try {
        Call call(context->arenas, control, context->threads);
        const heed_status status = dispatch(op, call);
        return status == HEED_CANCELLED ? refuse(status, "Stopped.") : status;
    } catch (const std::bad_alloc&) {
        return refuse(HEED_OUT_OF_MEMORY, "There is no memory to compute in.");
    } catch (const std::exception& exception) {
        try {
            lastMessage = exception.what();
            return refuse(HEED_BACKEND_FAILED, lastMessage.c_str());
        } catch (...) {
            return refuse(HEED_OUT_OF_MEMORY, "There is no memory for an error message.");
        }
    } catch (...) {
        return refuse(HEED_BACKEND_FAILED, "A library threw something unknown.");
    }
}

const heed_backend_api api = {
    .struct_size = sizeof(heed_backend_api),
    .abi_version = HEED_ABI_VERSION,
    .name = HEED_CPU_NAME,
    .score = score,
    .device_count = countDevices,
    .open = openDevice,
    .close = [](heed_context* context) { delete context; },
    .supports = supports,
    .run = run,
    .last_error = [](heed_context*) { return lastError; },
    .describe = [](heed_context* context) { return context->description.c_str(); },
};

} // namespace
} // namespace heed::cpu

extern "C" const heed_backend_api* heed_backend_entry(std::uint32_t hostAbiVersion)
{
    return hostAbiVersion == HEED_ABI_VERSION ? &heed::cpu::api : nullptr;
}
