/* A backend that does one thing wrong, chosen by a macro. Plain C: the interface must be, too.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "backend_abi.h"

#include <math.h>
#include <stddef.h>

struct heed_context {
    int unused;
};

static heed_context theContext;

static int32_t score(void)
{
#ifdef FAKE_SCORE_ZERO
    return 0;
#else
    return 50;
#endif
}

static heed_status countDevices(uint32_t* count)
{
#ifdef FAKE_COUNT_FAILS
    (void)count;
    return HEED_DEVICE_LOST;
#elif defined(FAKE_NO_DEVICE)
    *count = 0;
    return HEED_OK;
#else
    *count = 1;
    return HEED_OK;
#endif
}

static heed_status openDevice(uint32_t device, const heed_host* host, heed_context** out)
{
    (void)device;
    (void)host;
#ifdef FAKE_OPEN_FAILS
    (void)out;
    return HEED_DEVICE_LOST;
#else
    *out = &theContext;
    return HEED_OK;
#endif
}

static void closeDevice(heed_context* context)
{
    (void)context;
}

#ifndef FAKE_NO_RUN
/* Answers every operation with success and numbers that are wrong, or fails. */
static heed_status run(heed_context* context, const heed_op* op, const heed_control* control)
{
    (void)context;
    (void)control;
    if (op->kind == HEED_OP_UPLOAD) {
        *((const heed_op_upload*)(const void*)op)->buffer = (heed_buffer*)&theContext;
        return HEED_OK;
    }
    if (op->kind == HEED_OP_RELEASE) {
        return HEED_OK;
    }
#ifdef FAKE_RUN_FAILS
    return HEED_BACKEND_FAILED;
#elif defined(FAKE_STRANGE_STATUS)
    return 4711;
#else
    if (op->kind == HEED_OP_LINEAR) {
        const heed_op_linear* linear = (const heed_op_linear*)(const void*)op;
        for (int64_t i = 0; i < linear->out.rows; ++i) {
            for (int64_t j = 0; j < linear->out.columns; ++j) {
                linear->out.data[i * linear->out.row_stride + j] = NAN;
            }
        }
    }
    return HEED_OK;
#endif
}
#endif

static const char* lastError(heed_context* context)
{
    (void)context;
#ifdef FAKE_SILENT
    return NULL;
#elif defined(FAKE_TWO_LINES)
    return "first line\nsecond line";
#else
    return "the fake says no";
#endif
}

static const char* describeDevice(heed_context* context)
{
    (void)context;
    return "a fake";
}

static const heed_backend_api api = {
#ifdef FAKE_SMALL_STRUCT
    .struct_size = 24,
#else
    .struct_size = sizeof(heed_backend_api),
#endif
#ifdef FAKE_OLD_ABI
    .abi_version = HEED_ABI_VERSION - 1,
#else
    .abi_version = HEED_ABI_VERSION,
#endif
#ifndef FAKE_NO_NAME
    .name = "fake",
#endif
    .score = score,
    .device_count = countDevices,
    .open = openDevice,
    .close = closeDevice,
#ifndef FAKE_NO_RUN
    .run = run,
#endif
    .last_error = lastError,
    .describe = describeDevice,
};

#ifdef FAKE_NO_SYMBOL
HEED_BACKEND_EXPORT const heed_backend_api* heed_backend_entrance(uint32_t hostAbiVersion);
const heed_backend_api* heed_backend_entrance(uint32_t hostAbiVersion)
#else
const heed_backend_api* heed_backend_entry(uint32_t hostAbiVersion)
#endif
{
    (void)hostAbiVersion;
#ifdef FAKE_NULL_TABLE
    (void)api;
    return NULL;
#else
    return &api;
#endif
}
