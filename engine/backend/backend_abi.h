/* The C interface between the engine and what computes for it. One page of rules: docs/backends.md.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef HEED_BACKEND_ABI_H
#define HEED_BACKEND_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a struct below changes its meaning. Appending members does not raise it: struct_size
 * tells how many there are, and a member that is not there counts as zero. */
#define HEED_ABI_VERSION 2u

#if defined(_WIN32)
#define HEED_BACKEND_EXPORT __declspec(dllexport)
#else
#define HEED_BACKEND_EXPORT __attribute__((visibility("default")))
#endif

/* heed::Code shifted by one, so that zero is success. */
typedef int32_t heed_status;
enum {
    HEED_OK = 0,
    HEED_INVALID_ARGUMENT = 1,
    HEED_INVALID_SHAPE = 2,
    HEED_NOT_FOUND = 3,
    HEED_IO = 4,
    HEED_BAD_FORMAT = 5,
    HEED_UNSUPPORTED_VERSION = 6,
    HEED_UNSUPPORTED = 7,
    HEED_OUT_OF_MEMORY = 8,
    HEED_DEVICE_LOST = 9,
    HEED_BACKEND_FAILED = 10,
    HEED_CANCELLED = 11,
    HEED_INTERNAL = 12
};

typedef struct heed_context heed_context; /* one opened device; made and freed by the backend */
typedef struct heed_buffer heed_buffer;   /* numbers where the backend computes; likewise */

/* What the engine tells a backend about itself. */
typedef struct heed_host {
    uint32_t struct_size;
    uint32_t abi_version;
    int32_t threads; /* threads a call uses when its control says 0; at least 1 */
    int32_t reserved;
} heed_host;

/* How a call runs. Both functions may be called from any thread; progress never concurrently. */
typedef struct heed_control {
    uint32_t struct_size;
    int32_t threads; /* at least 1; 0 = heed_host.threads */
    void* user;
    int32_t (*should_stop)(void* user); /* non-zero: return HEED_CANCELLED soon. May be NULL. */
    void (*progress)(void* user, int64_t done, int64_t total); /* May be NULL. */
} heed_control;

enum { HEED_FLOAT32 = 1, HEED_FLOAT16 = 2, HEED_BFLOAT16 = 3 };

/* Element (r, c) is at offset + r * row_stride + c * column_stride, counted in elements, in the
 * memory of the host (`data`) or, when `buffer` is not NULL, in that buffer. */
typedef struct heed_matrix {
    uint32_t struct_size;
    uint32_t element_type;
    const void* data;
    const heed_buffer* buffer;
    int64_t offset;
    int64_t rows, columns;
    int64_t row_stride, column_stride;
} heed_matrix;

/* A float32 matrix of the host that receives a result. */
typedef struct heed_matrix_out {
    uint32_t struct_size;
    uint32_t reserved;
    float* data;
    int64_t rows, columns;
    int64_t row_stride, column_stride;
} heed_matrix_out;

/* Keys begin … end-1 are kept. */
typedef struct heed_key_range {
    int32_t begin, end;
} heed_key_range;

/* Which keys each query may attend to. Ranges (is_bits 0): row i keeps ranges[row_start[i]] …
 * ranges[row_start[i + 1] - 1], ascending, disjoint, inside [0, keys). Bits (is_bits 1): bit j % 64
 * of words[i * words_per_row + j / 64] set = key j kept; bits past `keys` mean nothing. */
typedef struct heed_mask {
    uint32_t struct_size;
    uint32_t is_bits;
    int64_t queries, keys;
    const int64_t* row_start;
    const heed_key_range* ranges;
    const uint64_t* words;
    int64_t words_per_row;
} heed_mask;

/* One attention map or some of its rows: q [L, D], k [S, D]. A cell that the mask keeps is
 * masked = soft_cap(scale * q k^T) + distance_bias + bias, where soft_cap(s) = c tanh(s / c). */
typedef struct heed_problem {
    uint32_t struct_size;
    float scale; /* finite, > 0 */
    heed_matrix q, k;
    heed_mask mask;             /* L x S */
    int64_t first_query;        /* what row 0 is among the queries of the whole map, i below */
    const float* distance_bias; /* at [i - j + S - 1]; host memory; NULL = none */
    heed_matrix bias;           /* L x S; struct_size 0 = none */
    float soft_cap;             /* c; 0 = none */
    uint32_t reserved;
} heed_problem;

enum {
    HEED_OP_UPLOAD = 1,
    HEED_OP_RELEASE = 2,
    HEED_OP_LINEAR = 3,
    HEED_OP_ROW_STATS = 4,
    HEED_OP_TILE = 5,
    HEED_OP_ATTEND = 6
};

/* Every operation begins with this; struct_size is the size of the whole operation. */
typedef struct heed_op {
    uint32_t struct_size;
    uint32_t kind;
} heed_op;

/* Brings `count` numbers to the device. The host keeps `data` unchanged and alive until the buffer
 * is released, so a backend may copy or only remember the address. */
typedef struct heed_op_upload {
    heed_op head;
    uint32_t element_type;
    uint32_t reserved;
    const void* data;
    int64_t count;
    heed_buffer** buffer; /* result */
} heed_op_upload;

typedef struct heed_op_release {
    heed_op head;
    heed_buffer* buffer; /* NULL is allowed */
} heed_op_release;

/* out = x w^T + bias; x [M, K], w [N, K], bias N values or NULL, out [M, N]. */
typedef struct heed_op_linear {
    heed_op head;
    heed_matrix x, w;
    const float* bias;
    heed_matrix_out out;
} heed_op_linear;

/* Weight in places with a meaning, L values each in memory of the host: heed::RowMasses. Token
 * numbers and flags may be NULL; then there is no such place. */
typedef struct heed_row_masses {
    uint32_t struct_size;
    uint32_t reserved;
    const int32_t *query_tokens, *key_tokens; /* L, S */
    const uint8_t* delimiters;                /* S; 1 = one */
    float *previous, *next, *self, *first, *duplicate, *induction, *delimiter, *top5, *top10;
} heed_row_masses;

/* One pass over all cells. Per row of the map, L values each, all in memory of the host. The
 * meaning of every number, and of rows with nothing allowed or with NaN, is that of heed::RowStats
 * (heed/backend.h). */
typedef struct heed_op_row_stats {
    heed_op head;
    heed_problem problem;
    float *max, *sum, *lse, *entropy, *distance;
    int64_t *argmax, *kept;
    heed_row_masses* masses; /* NULL = not wanted */
    /* A max-pooled picture of the weights in texels of so many cells, ceil(L / cells_down) x
     * ceil(S / cells_across) numbers each, row-major; picture NULL = not wanted. */
    int64_t cells_down, cells_across;
    float *picture, *picture_share;
} heed_op_row_stats;

enum { HEED_SCORES = 0, HEED_SCALED = 1, HEED_MASKED = 2, HEED_WEIGHTS = 3 };
enum { HEED_MAX = 0, HEED_ABS_MAX = 1, HEED_MASS = 2, HEED_MEAN = 3 };

/* The window [row, row + rows) x [column, column + columns) inside the map, pooled into texels of
 * cells_down x cells_across cells; row and column are multiples of them. values and masked_share
 * hold ceil(rows / cells_down) x ceil(columns / cells_across) numbers, row-major. */
typedef struct heed_op_tile {
    heed_op head;
    heed_problem problem;
    const float *row_max,
        *row_sum; /* of heed_op_row_stats, L each; may be NULL except for weights */
    uint32_t quantity, pooling;
    int64_t row, column, rows, columns, cells_down, cells_across;
    float *values, *masked_share;
} heed_op_tile;

/* out = weights v; v [S, Dv], out [L, Dv]. */
typedef struct heed_op_attend {
    heed_op head;
    heed_problem problem;
    heed_matrix v;
    heed_matrix_out out;
} heed_op_attend;

/* The functions of a backend. Everything may be called from several threads at once. No exception
 * and no signal leaves a function. Members may be NULL where it says so. */
typedef struct heed_backend_api {
    uint32_t struct_size, abi_version;
    const char* name; /* lower case, "cpu" */
    /* 0 = unusable on this machine (last_error(NULL) says why); higher is better. */
    int32_t (*score)(void);
    heed_status (*device_count)(uint32_t* count);
    heed_status (*open)(uint32_t device, const heed_host* host, heed_context** out);
    void (*close)(heed_context* context);
    /* HEED_OK when run() would take the operation. NULL: it takes every one. */
    heed_status (*supports)(heed_context* context, const heed_op* op);
    heed_status (*run)(heed_context* context, const heed_op* op, const heed_control* control);
    /* The reason of the last failure in this thread; NULL context: of score, device_count or open.
     * Valid until the next call in this thread. */
    const char* (*last_error)(heed_context* context);
    /* "CPU x86-64-v3"; valid until close. */
    const char* (*describe)(heed_context* context);
} heed_backend_api;

/* The one symbol a backend module exports. Returns a table that lives until the process ends, or
 * NULL when it cannot speak to a host of that version. */
HEED_BACKEND_EXPORT const heed_backend_api* heed_backend_entry(uint32_t host_abi_version);
typedef const heed_backend_api* (*heed_backend_entry_function)(uint32_t host_abi_version);
#define HEED_BACKEND_ENTRY_NAME "heed_backend_entry"

#ifdef __cplusplus
}
#endif

#endif
