/* Requests out of bytes: RESP arrays of bulk strings, and inline commands, incremental at any split.
 * https://redis.io/docs/latest/develop/reference/protocol-spec/
 *
 * A request that lies whole in the bytes at hand is parsed where it lies: its arguments are spans into them and nothing is
 * copied. Only an incomplete request at the end is taken into the reader's own memory and continued with the next bytes; the work
 * is linear in the bytes however they are split, and the memory follows what has come, not what was announced. A bulk string of
 * READER_BLOB_BYTES or more in an incomplete request goes into a blob of its final size as soon as READER_BLOB_COME_BYTES of it have
 * come; the command may take the blob as the value. What can be received straight into it (reader_receiving) is not copied again. */
#ifndef RESP_READER_H
#define RESP_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/span.h"
#include "resp/window.h"

enum {
    READER_BLOB_BYTES = 16 * 1024,
    READER_BLOB_COME_BYTES = 4 * 1024, /* of them, before memory is taken for all */
    READER_LENGTH_LINE_MAX = 64 * 1024, /* of an inline request, and of a "*N" or "$N" line without its end */
    READER_UNAUTHENTICATED_ARG_COUNT_MAX = 10,
    READER_UNAUTHENTICATED_BULK_BYTES_MAX = 16 * 1024,
};

struct reader_limits {
    uint64_t bulk_bytes_max; /* proto-max-bulk-len */
    uint32_t arg_count_max;  /* INT32_MAX in Redis 7 */
    bool unauthenticated;    /* the two limits above apply as well, with their own errors */
};

/* An argument that lies in a blob of its own. */
struct request_blob {
    struct blob *blob; /* one reference, or NULL once it was taken */
    uint32_t arg;
};

struct request {
    const struct span *argv;
    uint32_t argc;              /* 0: nothing to do (an empty line, "*0"): skip it silently */
    uint32_t blob_count;
    struct request_blob *blobs; /* by rising argument; what is not taken is the window's and released with it */
    size_t wire_bytes;          /* bytes that the request took on the wire */
};

/* Gives the caller the reference of the blob behind argument `at`, if there is one and was not taken before: its bytes are the
 * whole argument, and the value can be kept without copying. NULL otherwise. The argument's span stays valid as long as
 * the blob. */
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

/* One client's parser. Zero-initialised is ready; between requests it owns nothing. */
struct reader {
    struct buf partial;         /* the finished arguments' bytes side by side, then the unfinished line or argument; no blobs' */
    size_t *arg_ends;           /* where each finished argument ends in `partial`; one in a blob takes no bytes there */
    uint32_t arg_done, arg_capacity;
    uint32_t arg_count;         /* of the request being read */
    uint8_t state;              /* enum reader_state of reader.c */
    uint8_t skip;               /* bytes of a line end to be taken unseen */
    char unexpected;            /* the byte of READER_ERROR_EXPECTED_BULK */
    uint32_t blob_count, blob_capacity;
    struct request_blob *blobs; /* the last one may be the unfinished argument's */
    size_t blob_bytes;          /* memory of all of them */
    size_t bulk_len;            /* of the argument being read */
    size_t missing;             /* bytes of it still to come */
    size_t wire_bytes;          /* taken so far */
};

void reader_release(struct reader *reader); /* drops an incomplete request; the reader is ready again */
size_t reader_held_bytes(const struct reader *reader); /* memory, blobs included */

/* Where the next bytes belong when a blob is being received: their number and *at, into the blob; 0 otherwise. Who can have them
 * written there does so and hands reader_next the span of them: it copies nothing then. */
size_t reader_receiving(const struct reader *reader, char **at);

/* Takes the next request from *data and moves *data behind it. READER_REQUEST, READER_MORE (data is then empty), or a negative
 * reader_error, after which the connection is to be answered and closed, and the reader can only be released. The request's spans
 * are valid as long as the bytes of `data` and the window. Hot path. */
int reader_next(struct reader *reader, struct span *data, const struct reader_limits *limits,
                struct window_memory *memory, struct request *out);

/* The text after "-ERR " for a negative code, e.g. "Protocol error: invalid bulk length"; into `out` (128 bytes). */
const char *reader_error_text(const struct reader *reader, int code, char *out);

#endif
