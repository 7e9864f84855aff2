/* Requests out of bytes, in two ways that give the same arguments:
 *
 *  - parse_whole, the hot path: an array of bulk strings that lies whole in the bytes at hand. It knows only the usual form, and
 *    anything else (incomplete, inline, an error, an odd length) it leaves to
 *  - the state machine, which takes each byte into the reader's memory once and can stop after any of them.
 *
 * An incomplete request in the reader:
 *
 *   partial:   | GET | key:1 | unfinished line or argument        (line ends and lengths are not kept)
 *                    ^       ^
 *   arg_ends:        3       8    3 means: argument 0 is partial[0..3)
 *   blobs:     {blob, 2}, ...     argument 2 lies in a blob: it has no bytes in partial
 *
 * Invariants:
 *  - arg_done <= arg_count. The bytes behind the last finished argument's end are the unfinished line's or argument's.
 *  - of the blobs, all but the last belong to finished arguments. The last one's arg is arg_done while it is being received.
 *  - memory is reserved for bytes that are there, never for announced ones; the one exception is a blob's, whose pages are
 *    touched only as its bytes come.
 * When the request is complete, all of this moves to the window's memory and the reader is zero again.
 *
 * The rules of numbers and errors are Redis 7.2's: a length has no leading zeros and no plus sign; the byte after a '\r' and the
 * two after a bulk string are taken without a look at them. One step is earlier than there: a line counts as whole with its '\r',
 * so an error in it is answered without waiting for the next byte.
 *
 * Hot path: parse_whole. */
#include "resp/reader.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/num.h"
#include "resp/inline.h"

enum reader_state {
    STATE_IDLE,      /* between requests: the reader is zero */
    STATE_INLINE,    /* in a line that does not begin with '*' */
    STATE_COUNT,     /* in the line "*N" */
    STATE_BULK_LINE, /* in a line "$N" */
    STATE_BULK,      /* in a bulk string's bytes */
    STATE_DONE,      /* everything is there */
};

/* What a step of the state machine returns beside the values of enum reader_error. */
enum { STEP_ON = 2 };

enum {
    ARG_WIRE_BYTES_MIN = 6, /* "$0\r\n\r\n" */
    REQUEST_WIRE_BYTES_MIN = 4 + ARG_WIRE_BYTES_MIN,
    PARTIAL_BYTES_MIN =
        128, /* first allocation: a small request in two pieces is one, not four (205 to 170 ns) */
};

/* ---- limits */

INLINE uint64_t arg_count_max(const struct reader_limits *limits) {
    uint32_t max = limits->arg_count_max;
    return limits->unauthenticated ? MIN(max, READER_UNAUTHENTICATED_ARG_COUNT_MAX) : max;
}

INLINE uint64_t bulk_bytes_max(const struct reader_limits *limits) {
    uint64_t max = limits->bulk_bytes_max;
    return limits->unauthenticated ? MIN(max, READER_UNAUTHENTICATED_BULK_BYTES_MAX) : max;
}

/* ---- the hot path */

/* More than two digits, at[1] and at[2]; see parse_length. */
static const char *parse_long_length(const char *at, const char *end, uint32_t *value) {
    uint32_t sum = (uint32_t)(at[1] - '0') * 10 + (uint32_t)(at[2] - '0');
    end = MIN(end - 1, at + 10); /* nine digits fit, and more are not the usual form */
    for (at += 3; at < end; at++) {
        uint32_t digit = (uint8_t)*at - (uint32_t)'0';
        if (digit > 9) {
            *value = sum;
            return *at == '\r' ? at + 2 : NULL;
        }
        sum = sum * 10 + digit;
    }
    return NULL;
}

/* A line "*N" or "$N" in its usual form: where it ends, NULL otherwise. At least four bytes must be there. */
INLINE const char *parse_length(const char *at, const char *end, uint32_t *value) {
    uint32_t first = (uint8_t)at[1] - (uint32_t)'0', second = (uint8_t)at[2] - (uint32_t)'0';
    if (UNLIKELY(first > 9)) return NULL;
    if (at[2] == '\r') {
        *value = first;
        return at + 4;
    }
    if (UNLIKELY(second > 9 || first == 0)) return NULL;
    if (at[3] == '\r') {
        *value = first * 10 + second;
        return at + 5;
    }
    return parse_long_length(at, end, value);
}

/* The request that lies whole at the beginning of `data`: its length, 0 when there is none of the usual form. */
INLINE size_t parse_whole(struct span data, const struct reader_limits *limits,
                          struct window_memory *memory, struct request *out) {
    const char *at = data.data, *end = data.data + data.len;
    uint64_t bulk_max = bulk_bytes_max(limits);
    struct span *argv;
    uint32_t count;
    if (data.len < REQUEST_WIRE_BYTES_MIN || *at != '*') return 0;
    at = parse_length(at, end, &count);
    if (UNLIKELY(!at || count == 0 || count > arg_count_max(limits))) return 0;
    if (UNLIKELY(count > (size_t)(end - at) / ARG_WIRE_BYTES_MIN)) return 0;
    argv = (struct span *)(void *)window_memory_try_room(memory, count * sizeof *argv);
    if (UNLIKELY(!argv)) return 0; /* the state machine finds no memory either, and says so */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t len;
        if (UNLIKELY(end - at < ARG_WIRE_BYTES_MIN || *at != '$')) return 0;
        at = parse_length(at, end, &len);
        if (UNLIKELY(!at || len > bulk_max)) return 0;
        if (UNLIKELY(end - at < (ptrdiff_t)len + 2)) return 0;
        argv[i] = span_make(at, len);
        at += (size_t)len + 2;
    }
    window_memory_took(memory, count * sizeof *argv);
    *out = (struct request){.argv = argv, .argc = count, .wire_bytes = (size_t)(at - data.data)};
    return out->wire_bytes;
}

/* ---- what an incomplete request holds */

/* A completed request's share of the window. */
struct split_request {
    struct window_deferred deferred;
    struct buf bytes;
    struct request_blob *blobs;
    uint32_t blob_count;
};

static void blobs_free(struct request_blob *blobs, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (blobs[i].blob) blob_unref(blobs[i].blob);
    }
    mem_free(blobs);
}

static void split_request_release(struct window_deferred *deferred) {
    struct split_request *split = CONTAINER_OF(deferred, struct split_request, deferred);
    buf_release(&split->bytes);
    blobs_free(split->blobs, split->blob_count);
}

void reader_release(struct reader *reader) {
    buf_release(&reader->partial);
    mem_free(reader->arg_ends);
    blobs_free(reader->blobs, reader->blob_count);
    *reader = (struct reader){0};
}

size_t reader_held_bytes(const struct reader *reader) {
    return reader->partial.capacity + reader->arg_capacity * sizeof *reader->arg_ends +
           reader->blob_capacity * sizeof *reader->blobs + reader->blob_bytes;
}

/* Room for one more item in an array that doubles: the array, NULL without memory. */
static void *array_try_grow(void *items, uint32_t count, uint32_t *capacity, size_t item_bytes) {
    uint32_t grown = *capacity ? *capacity * 2 : 4;
    if (LIKELY(count < *capacity)) return items;
    items = mem_try_realloc(items, grown * item_bytes);
    if (items) *capacity = grown;
    return items;
}

static size_t args_end(const struct reader *reader) {
    return reader->arg_done ? reader->arg_ends[reader->arg_done - 1] : 0;
}

static struct span take(struct span *data, size_t len) {
    struct span taken = span_make(data->data, len);
    data->data += len;
    data->len -= len;
    return taken;
}

static int keep(struct reader *reader, struct span bytes) {
    size_t more = reader->partial.data ? bytes.len : MAX(bytes.len, PARTIAL_BYTES_MIN);
    if (bytes.len == 0) return STEP_ON;
    if (buf_try_reserve(&reader->partial, more) < 0) return READER_ERROR_MEMORY;
    buf_put_span(&reader->partial, bytes);
    return STEP_ON;
}

/* ---- the state machine. Each step returns STEP_ON, READER_MORE when `data` is used up, READER_REQUEST, or an error. */

/* A line up to `last`, which is taken and left out. The line is valid until the next step. */
static int take_line(struct reader *reader, struct span *data, char last, int too_big,
                     struct span *line) {
    size_t begin = args_end(reader), kept = reader->partial.len - begin;
    size_t window = MIN(data->len, READER_LENGTH_LINE_MAX + 1 - kept);
    const char *found = window ? memchr(data->data, last, window) : NULL;
    size_t len = found ? (size_t)(found - data->data) : window;
    if (!found && kept + len > READER_LENGTH_LINE_MAX) return too_big;
    if (found && kept == 0) {
        *line = take(data, len);
    } else {
        if (keep(reader, take(data, len)) < 0) return READER_ERROR_MEMORY;
        if (!found) return READER_MORE;
        *line = span_make(reader->partial.data + begin, kept + len);
        reader->partial.len = begin;
    }
    take(data, 1);
    return STEP_ON;
}

/* Moves what the request owns to the window. The reader is to be zeroed. */
static struct split_request *hand_over(struct reader *reader, struct window_memory *memory) {
    struct split_request *split = window_memory_try_alloc(memory, sizeof *split);
    if (!split) return NULL;
    split->bytes = reader->partial;
    split->blobs = reader->blobs;
    split->blob_count = reader->blob_count;
    window_memory_defer(memory, &split->deferred, split_request_release);
    mem_free(reader->arg_ends);
    *reader = (struct reader){.wire_bytes = reader->wire_bytes};
    return split;
}

static int read_inline(struct reader *reader, struct span *data, struct window_memory *memory,
                       struct request *out) {
    struct span line;
    int step = take_line(reader, data, '\n', READER_ERROR_INLINE_TOO_BIG, &line);
    if (step != STEP_ON) return step;
    if (reader->partial.data && !hand_over(reader, memory)) return READER_ERROR_MEMORY;
    if (line.len && line.data[line.len - 1] == '\r') line.len--;
    return inline_split(line, memory, out);
}

static int read_count(struct reader *reader, struct span *data,
                      const struct reader_limits *limits) {
    struct span line;
    int64_t count;
    int step = take_line(reader, data, '\r', READER_ERROR_COUNT_LINE_TOO_BIG, &line);
    if (step != STEP_ON) return step;
    if (!num_parse_int(span_make(line.data + 1, line.len - 1), &count)) return READER_ERROR_COUNT;
    if (count > INT32_MAX || count > (int64_t)limits->arg_count_max) return READER_ERROR_COUNT;
    if (count > (int64_t)arg_count_max(limits)) return READER_ERROR_COUNT_UNAUTHENTICATED;
    reader->arg_count = count > 0 ? (uint32_t)count : 0;
    reader->state = count > 0 ? STATE_BULK_LINE : STATE_DONE;
    reader->skip = 1;
    return STEP_ON;
}

static int read_bulk_line(struct reader *reader, struct span *data,
                          const struct reader_limits *limits) {
    struct span line;
    int64_t len;
    int step = take_line(reader, data, '\r', READER_ERROR_BULK_LINE_TOO_BIG, &line);
    if (step != STEP_ON) return step;
    if (line.len == 0 || line.data[0] != '$') {
        reader->unexpected = line.len ? line.data[0] : '\r';
        return READER_ERROR_EXPECTED_BULK;
    }
    if (!num_parse_int(span_make(line.data + 1, line.len - 1), &len)) return READER_ERROR_BULK;
    if (len < 0 || (uint64_t)len > limits->bulk_bytes_max) return READER_ERROR_BULK;
    if ((uint64_t)len > bulk_bytes_max(limits)) return READER_ERROR_BULK_UNAUTHENTICATED;
    reader->bulk_len = reader->missing = (size_t)len;
    reader->state = STATE_BULK;
    reader->skip = 1;
    return STEP_ON;
}

/* The blob that the unfinished argument is received into, if it is in one. */
static struct blob *receiving_blob(const struct reader *reader) {
    const struct request_blob *last;
    if (reader->blob_count == 0) return NULL;
    last = &reader->blobs[reader->blob_count - 1];
    return last->arg == reader->arg_done ? last->blob : NULL;
}

size_t reader_receiving(const struct reader *reader, char **at) {
    struct blob *blob = reader->state == STATE_BULK ? receiving_blob(reader) : NULL;
    if (!blob) return 0;
    *at = blob->data + blob->len;
    return reader->missing;
}

/* A blob of the argument's final size, with what partial has of it. NULL without memory. */
static struct blob *begin_blob(struct reader *reader) {
    size_t begin = args_end(reader);
    struct blob *blob;
    void *blobs = array_try_grow(reader->blobs, reader->blob_count, &reader->blob_capacity,
                                 sizeof *reader->blobs);
    if (!blobs) return NULL;
    reader->blobs = blobs;
    blob = blob_try_new(reader->bulk_len);
    if (!blob) return NULL;
    reader->blobs[reader->blob_count++] = (struct request_blob){blob, reader->arg_done};
    reader->blob_bytes += blob_class_bytes(blob);
    blob->len = reader->partial.len - begin;
    if (blob->len) memcpy(blob->data, reader->partial.data + begin, blob->len);
    reader->partial.len = begin;
    return blob;
}

static int read_bulk(struct reader *reader, struct span *data) {
    struct blob *blob = receiving_blob(reader);
    size_t come = reader->bulk_len - reader->missing + data->len;
    struct span bytes;
    void *ends;
    if (!blob && reader->bulk_len >= READER_BLOB_BYTES && come >= READER_BLOB_COME_BYTES) {
        blob = begin_blob(reader);
        if (!blob) return READER_ERROR_MEMORY;
    }
    bytes = take(data, MIN(reader->missing, data->len));
    if (!blob) {
        if (keep(reader, bytes) < 0) return READER_ERROR_MEMORY;
    } else if (bytes.len) {
        if (bytes.data != blob->data + blob->len)
            memcpy(blob->data + blob->len, bytes.data, bytes.len);
        blob->len += bytes.len;
    }
    reader->missing -= bytes.len;
    if (reader->missing) return READER_MORE;
    ends = array_try_grow(reader->arg_ends, reader->arg_done, &reader->arg_capacity,
                          sizeof *reader->arg_ends);
    if (!ends) return READER_ERROR_MEMORY;
    reader->arg_ends = ends;
    reader->arg_ends[reader->arg_done++] = reader->partial.len;
    reader->state = reader->arg_done == reader->arg_count ? STATE_DONE : STATE_BULK_LINE;
    reader->skip = 2;
    return STEP_ON;
}

static int finish(struct reader *reader, struct window_memory *memory, struct request *out) {
    const char *bytes = reader->partial.data ? reader->partial.data : "";
    size_t begin = 0;
    struct span *argv;
    struct split_request *split;
    *out = (struct request){.argc = reader->arg_count};
    if (reader->arg_count == 0)
        return READER_REQUEST; /* nothing but lines: the reader owns nothing but its buffer */
    argv = window_memory_try_alloc(memory, reader->arg_count * sizeof *argv);
    if (!argv) return READER_ERROR_MEMORY;
    for (uint32_t i = 0; i < reader->arg_count; i++) {
        argv[i] = span_make(bytes + begin, reader->arg_ends[i] - begin);
        begin = reader->arg_ends[i];
    }
    for (uint32_t i = 0; i < reader->blob_count; i++)
        argv[reader->blobs[i].arg] = blob_span(reader->blobs[i].blob);
    split = hand_over(reader, memory);
    if (!split) return READER_ERROR_MEMORY;
    out->argv = argv;
    out->blobs = split->blobs;
    out->blob_count = split->blob_count;
    return READER_REQUEST;
}

static int run_states(struct reader *reader, struct span *data, const struct reader_limits *limits,
                      struct window_memory *memory, struct request *out) {
    int step = STEP_ON;
    while (step == STEP_ON) {
        size_t skipped = MIN(reader->skip, data->len);
        take(data, skipped);
        reader->skip -= (uint8_t)skipped;
        if (reader->skip) return READER_MORE;
        switch ((enum reader_state)reader->state) {
        case STATE_IDLE:
            if (data->len == 0) return READER_MORE;
            reader->state = *data->data == '*' ? STATE_COUNT : STATE_INLINE;
            break;
        case STATE_INLINE: step = read_inline(reader, data, memory, out); break;
        case STATE_COUNT: step = read_count(reader, data, limits); break;
        case STATE_BULK_LINE: step = read_bulk_line(reader, data, limits); break;
        case STATE_BULK: step = read_bulk(reader, data); break;
        case STATE_DONE: step = finish(reader, memory, out); break;
        }
    }
    return step;
}

NOINLINE static int read_split(struct reader *reader, struct span *data,
                               const struct reader_limits *limits, struct window_memory *memory,
                               struct request *out) {
    const char *begin = data->data;
    int result;
    if (data->len == 0) return READER_MORE;
    result = run_states(reader, data, limits, memory, out);
    reader->wire_bytes += (size_t)(data->data - begin);
    if (result == READER_REQUEST) {
        out->wire_bytes = reader->wire_bytes;
        reader_release(reader); /* what was not handed over, and the counters */
    }
    return result;
}

/* ---- public */

int reader_next(struct reader *reader, struct span *data, const struct reader_limits *limits,
                struct window_memory *memory, struct request *out) {
    if (LIKELY(reader->state == STATE_IDLE)) {
        size_t len = parse_whole(*data, limits, memory, out);
        if (LIKELY(len)) {
            take(data, len);
            return READER_REQUEST;
        }
    }
    return read_split(reader, data, limits, memory, out);
}

struct blob *request_take_blob(struct request *request, uint32_t at) {
    uint32_t low = 0, high = request->blob_count;
    struct blob *blob;
    while (low < high) { /* a request of many large values would be quadratic otherwise */
        uint32_t middle = low + (high - low) / 2;
        if (request->blobs[middle].arg < at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == request->blob_count || request->blobs[low].arg != at) return NULL;
    blob = request->blobs[low].blob;
    request->blobs[low].blob = NULL;
    return blob;
}

const char *reader_error_text(const struct reader *reader, int code, char *out) {
    enum { OUT_BYTES = 128 };
    static const char *const texts[] = {
        [-READER_ERROR_INLINE_TOO_BIG] = "too big inline request",
        [-READER_ERROR_UNBALANCED_QUOTES] = "unbalanced quotes in request",
        [-READER_ERROR_COUNT_LINE_TOO_BIG] = "too big mbulk count string",
        [-READER_ERROR_COUNT] = "invalid multibulk length",
        [-READER_ERROR_COUNT_UNAUTHENTICATED] = "unauthenticated multibulk length",
        [-READER_ERROR_BULK_LINE_TOO_BIG] = "too big bulk count string",
        [-READER_ERROR_EXPECTED_BULK] = "expected '$', got '",
        [-READER_ERROR_BULK] = "invalid bulk length",
        [-READER_ERROR_BULK_UNAUTHENTICATED] = "unauthenticated bulk length",
        [-READER_ERROR_MEMORY] = "out of memory for this request",
    };
    CHECK(code < 0 && (size_t)-code < ARRAY_LENGTH(texts));
    if (code == READER_ERROR_EXPECTED_BULK)
        snprintf(out, OUT_BYTES, "Protocol error: %s%c'", texts[-code], reader->unexpected);
    else
        snprintf(out, OUT_BYTES, "Protocol error: %s", texts[-code]);
    return out;
}
