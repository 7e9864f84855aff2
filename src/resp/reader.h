/* Requests out of bytes: RESP arrays of bulk strings, and inline commands, incremental at any split.
 * https://redis.io/docs/latest/develop/reference/protocol-spec/
 *
 * A request that lies whole in the bytes at hand is parsed where it lies: its arguments are spans into them and nothing is
 * copied. Only an incomplete request at the end is taken into the reader's own memory and continued with the next bytes; the work
 * is linear in the bytes however they are split. An incomplete bulk string of READER_BLOB_BYTES or more is received straight
 * into a blob of its final size, which the command may take as the value: one copy from the receive buffer, none after it. */
#ifndef RESP_READER_H
#define RESP_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/span.h"

enum {
    READER_BLOB_BYTES = 16 * 1024,
    READER_LENGTH_LINE_MAX = 64 * 1024, /* of an inline request, and of a "*N" or "$N" line without its end */
};

struct reader_limits {
    uint64_t bulk_bytes_max; /* proto-max-bulk-len */
    uint32_t arg_count_max;  /* INT32_MAX in Redis 7; 10 and a bulk of 16384 before authentication */
    bool unauthenticated;    /* changes the texts of the two errors above */
};

/* Memory of the requests parsed in one window: argument arrays, unescaped inline arguments, and what a completed split request
 * owned. Everything is valid until window_clear. Bump allocation; blocks are kept between windows. */
struct window_memory;
struct window_memory *window_memory_new(void);
void window_memory_free(struct window_memory *memory);
void window_memory_clear(struct window_memory *memory);
void *window_memory_alloc(struct window_memory *memory, size_t bytes); /* 8-byte aligned */

struct request {
    const struct span *argv;
    uint32_t argc;        /* 0: nothing to do (an empty line, "*0"): skip it silently */
    uint32_t blob_arg;    /* index of the argument whose bytes lie in `blob` */
    struct blob *blob;    /* NULL or held by the window's memory; see request_take_blob */
    size_t wire_bytes;    /* bytes that the request took on the wire */
};

/* Gives the caller the reference of the blob behind argument `at`, if there is one and its bytes are the whole argument: the value
 * can be kept without copying. NULL otherwise. */
struct blob *request_take_blob(struct request *request, uint32_t at);

enum reader_error {
    READER_MORE = 0,     /* everything was taken in; the request is not complete */
    READER_REQUEST = 1,  /* *out is a request */
    READER_ERROR_INLINE_TOO_BIG = -1,
    READER_ERROR_UNBALANCED_QUOTES = -2,
    READER_ERROR_COUNT_LINE_TOO_BIG = -3,
    READER_ERROR_COUNT = -4,            /* invalid multibulk length */
    READER_ERROR_COUNT_UNAUTHENTICATED = -5,
    READER_ERROR_BULK_LINE_TOO_BIG = -6,
    READER_ERROR_EXPECTED_BULK = -7,    /* expected '$', got ... */
    READER_ERROR_BULK = -8,             /* invalid bulk length */
    READER_ERROR_BULK_UNAUTHENTICATED = -9,
    READER_ERROR_MEMORY = -10,
};

/* One client's parser. Zero-initialised is ready. `held_bytes` is what it holds of an incomplete request. */
struct reader {
    struct buf partial;         /* the incomplete request's bytes so far (without the blob's) */
    struct reader_part *parts;  /* where its finished arguments lie in `partial` */
    uint32_t part_count, part_capacity;
    uint32_t arg_count;         /* of the request being read; 0: its first line is not whole yet */
    struct blob *blob;          /* the bulk string being received, or received in this request */
    uint32_t blob_arg;
    size_t blob_missing;        /* bytes of it still to come */
    size_t scan;                /* where parsing goes on in `partial` */
    size_t wire_bytes;
    char unexpected;            /* the byte of READER_ERROR_EXPECTED_BULK */
};

void reader_release(struct reader *reader);
size_t reader_held_bytes(const struct reader *reader); /* memory, blob included */

/* Takes the next request from *data and moves *data behind it. READER_REQUEST, READER_MORE (data is then empty), or a negative
 * reader_error, after which the connection is to be answered and closed. Hot path. */
int reader_next(struct reader *reader, struct span *data, const struct reader_limits *limits,
                struct window_memory *memory, struct request *out);

/* The text after "-ERR " for a negative code, e.g. "Protocol error: invalid bulk length"; into `out` (128 bytes). */
const char *reader_error_text(const struct reader *reader, int code, char *out);

#endif
