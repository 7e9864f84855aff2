/* Replies, written where they are sent from. One element is one room check, its bytes and a store of the new end; only what may
 * be longer than a chunk's sure room goes through chunk_put.
 *
 * Hot path: reply_ok, reply_int, reply_bulk, reply_null, the aggregates. Lengths and small integers are written from a table of
 * digit pairs, without a call. */
#include "resp/reply.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/check.h"

enum {
    HEADER_BYTES_MAX = 1 + NUM_INT_TEXT_MAX + 2, /* a type's byte, a number, the line end */
    SMALL_BYTES_MAX =
        CHUNK_SMALL_BYTES - HEADER_BYTES_MAX - 2, /* a bulk string in one room check */
    FORMAT_BYTES = 512, /* most formatted texts; longer ones are formatted twice */
    ERROR_CODE_BYTES_MAX = 31,
};

static const char digit_pairs[200] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

INLINE char *put_pair(char *at, uint32_t value) {
    memcpy(at, digit_pairs + value * 2, 2);
    return at + 2;
}

INLINE char *put_digit(char *at, uint32_t value) {
    *at = (char)('0' + value);
    return at + 1;
}

INLINE char *put_uint(char *at, uint64_t value) {
    if (value < 10) return put_digit(at, (uint32_t)value);
    if (value < 100) return put_pair(at, (uint32_t)value);
    if (LIKELY(value < 10000)) {
        uint32_t high = (uint32_t)value / 100, low = (uint32_t)value % 100;
        at = high < 10 ? put_digit(at, high) : put_pair(at, high);
        return put_pair(at, low);
    }
    return at + num_format_uint(at, value);
}

INLINE char *put_end(char *at) {
    memcpy(at, "\r\n", 2);
    return at + 2;
}

/* A type's byte, a number and the line end: HEADER_BYTES_MAX at most. */
INLINE char *put_header(char *at, char type, uint64_t number) {
    *at = type;
    return put_end(put_uint(at + 1, number));
}

INLINE void put_literal(struct reply *r, const char *text, size_t len) {
    char *at = chunk_room(r->out, len);
    memcpy(at, text, len);
    chunk_wrote(r->out, at + len);
}
#define PUT(r, literal) put_literal((r), (literal), sizeof(literal) - 1)

INLINE void write_header(struct reply *r, char type, uint64_t number) {
    char *at = chunk_room(r->out, HEADER_BYTES_MAX);
    chunk_wrote(r->out, put_header(at, type, number));
}

static void write_end(struct reply *r) {
    PUT(r, "\r\n");
}

/* ---- lines */

static bool is_line_end(char c) {
    return c == '\r' || c == '\n';
}

/* A text for a line: blanks for the line ends in it. */
static void put_line_text(struct reply *r, struct span text) {
    while (text.len) {
        size_t clean = 0;
        while (clean < text.len && !is_line_end(text.data[clean])) clean++;
        chunk_put(r->out, text.data, clean);
        if (clean == text.len) break;
        PUT(r, " ");
        text = span_make(text.data + clean + 1, text.len - clean - 1);
    }
}

static void write_line(struct reply *r, char type, struct span text) {
    put_literal(r, &type, 1);
    put_line_text(r, text);
    write_end(r);
}

void reply_ok(struct reply *r) {
    PUT(r, "+OK\r\n");
}

void reply_status(struct reply *r, const char *text) {
    write_line(r, '+', span_of(text));
}

/* The code is the word before the first blank, if it is short enough; Redis takes "ERR" otherwise. */
static void note_error(struct reply *r, struct span text) {
    const char *blank = memchr(text.data, ' ', MIN(text.len, ERROR_CODE_BYTES_MAX + 1));
    struct span code = blank ? span_make(text.data, (size_t)(blank - text.data)) : SPAN("ERR");
    memcpy(r->error_code, code.data, code.len);
    r->error_code[code.len] = '\0';
    r->error_count++;
}
_Static_assert(sizeof((struct reply *)0)->error_code > ERROR_CODE_BYTES_MAX, "with its NUL");

static void write_error(struct reply *r, struct span text) {
    while (text.len && is_line_end(text.data[0])) text = span_make(text.data + 1, text.len - 1);
    while (text.len && is_line_end(text.data[text.len - 1])) text.len--;
    note_error(r, text);
    write_line(r, '-', text);
}

void reply_error(struct reply *r, const char *text) {
    write_error(r, span_of(text));
}

/* Formats and hands the text to `write`. */
ATTR_PRINTF(3, 0)
static void format_and_write(struct reply *r, void (*write)(struct reply *r, struct span text),
                             const char *format, va_list args) {
    char text[FORMAT_BYTES];
    struct buf long_text = {0};
    va_list again;
    int len;
    va_copy(again, args);
    len = vsnprintf(text, sizeof text, format, args);
    CHECK(len >= 0);
    if ((size_t)len < sizeof text) {
        write(r, span_make(text, (size_t)len));
    } else {
        buf_vprintf(&long_text, format, again);
        write(r, buf_span(&long_text));
        buf_release(&long_text);
    }
    va_end(again);
}

void reply_errorf(struct reply *r, const char *format, ...) {
    va_list args;
    va_start(args, format);
    format_and_write(r, write_error, format, args);
    va_end(args);
}

/* ---- numbers */

void reply_int(struct reply *r, int64_t value) {
    char *at;
    if (LIKELY(value >= 0)) {
        write_header(r, ':', (uint64_t)value);
        return;
    }
    at = chunk_room(r->out, HEADER_BYTES_MAX);
    *at = ':';
    chunk_wrote(r->out, put_end(at + 1 + num_format_int(at + 1, value)));
}

void reply_bool(struct reply *r, bool value) {
    if (r->protocol == 3)
        put_literal(r, value ? "#t\r\n" : "#f\r\n", 4);
    else
        put_literal(r, value ? ":1\r\n" : ":0\r\n", 4);
}

void reply_double(struct reply *r, double value) {
    char text[NUM_DOUBLE_TEXT_MAX];
    size_t len = num_format_double(text, value);
    if (r->protocol == 3)
        write_line(r, ',', span_make(text, len));
    else
        reply_bulk(r, span_make(text, len));
}

void reply_big_number(struct reply *r, const char *digits) {
    if (r->protocol == 3)
        write_line(r, '(', span_of(digits));
    else
        reply_bulk(r, span_of(digits));
}

/* ---- strings */

static void write_long_bulk(struct reply *r, struct span bytes) {
    chunk_expect(r->out, bytes.len + HEADER_BYTES_MAX + 2);
    write_header(r, '$', bytes.len);
    chunk_put(r->out, bytes.data, bytes.len);
    write_end(r);
}

void reply_bulk(struct reply *r, struct span bytes) {
    char *at;
    if (UNLIKELY(bytes.len > SMALL_BYTES_MAX)) {
        write_long_bulk(r, bytes);
        return;
    }
    at = put_header(chunk_room(r->out, bytes.len + HEADER_BYTES_MAX + 2), '$', bytes.len);
    if (LIKELY(bytes.len)) memcpy(at, bytes.data, bytes.len);
    chunk_wrote(r->out, put_end(at + bytes.len));
}

void reply_bulk_text(struct reply *r, const char *text) {
    reply_bulk(r, span_of(text));
}

void reply_bulk_int(struct reply *r, int64_t value) {
    char text[NUM_INT_TEXT_MAX];
    reply_bulk(r, span_make(text, num_format_int(text, value)));
}

void reply_bulkf(struct reply *r, const char *format, ...) {
    va_list args;
    va_start(args, format);
    format_and_write(r, reply_bulk, format, args);
    va_end(args);
}

void reply_bulk_blob(struct reply *r, struct blob *blob) {
    reply_bulk_blob_part(r, blob, 0, blob->len);
}

void reply_bulk_blob_part(struct reply *r, struct blob *blob, size_t offset, size_t len) {
    DCHECK(offset <= blob->len && len <= blob->len - offset);
    if (len < REPLY_REFERENCE_BYTES) {
        reply_bulk(r, span_make(blob->data + offset, len));
        return;
    }
    write_header(r, '$', len);
    chunk_put_blob(r->out, blob, offset, len);
    write_end(r);
}

void reply_verbatim(struct reply *r, const char *extension, struct span text) {
    if (r->protocol != 3) {
        reply_bulk(r, text);
        return;
    }
    DCHECK(strlen(extension) == 3);
    write_header(r, '=', text.len + 4);
    put_literal(r, extension, 3);
    PUT(r, ":");
    chunk_put(r->out, text.data, text.len);
    write_end(r);
}

/* ---- nothing */

void reply_null(struct reply *r) {
    if (r->protocol == 3)
        PUT(r, "_\r\n");
    else
        PUT(r, "$-1\r\n");
}

void reply_null_array(struct reply *r) {
    if (r->protocol == 3)
        PUT(r, "_\r\n");
    else
        PUT(r, "*-1\r\n");
}

/* ---- aggregates. RESP2 has arrays only: of both halves, for pairs. */

struct aggregate {
    char type;
    uint64_t count;
};

INLINE struct aggregate aggregate_of(const struct reply *r, char type, uint64_t count) {
    return r->protocol == 3 ? (struct aggregate){type, count} : (struct aggregate){'*', count};
}

INLINE struct aggregate pairs_of(const struct reply *r, char type, uint64_t pairs) {
    return r->protocol == 3 ? (struct aggregate){type, pairs} : (struct aggregate){'*', pairs * 2};
}

INLINE void write_aggregate(struct reply *r, struct aggregate a) {
    write_header(r, a.type, a.count);
}

static void fill(struct reply *r, struct chunk *mark, struct aggregate a) {
    char text[HEADER_BYTES_MAX];
    char *end = put_header(text, a.type, a.count);
    chunk_fill_mark(r->out, mark, text, (size_t)(end - text));
}
_Static_assert((int)HEADER_BYTES_MAX <= (int)CHUNK_MARK_BYTES, "a header fits a mark");

void reply_array(struct reply *r, uint64_t count) {
    write_header(r, '*', count);
}

void reply_map(struct reply *r, uint64_t pairs) {
    write_aggregate(r, pairs_of(r, '%', pairs));
}

void reply_set(struct reply *r, uint64_t count) {
    write_aggregate(r, aggregate_of(r, '~', count));
}

void reply_push(struct reply *r, uint64_t count) {
    write_aggregate(r, aggregate_of(r, '>', count));
}

void reply_attribute(struct reply *r, uint64_t pairs) {
    DCHECK(r->protocol == 3);
    write_header(r, '|', pairs);
}

void reply_raw(struct reply *r, struct span bytes) {
    chunk_put(r->out, bytes.data, bytes.len);
}

struct chunk *reply_mark(struct reply *r) {
    return chunk_mark(r->out);
}

void reply_fill_array(struct reply *r, struct chunk *mark, uint64_t count) {
    fill(r, mark, (struct aggregate){'*', count});
}

void reply_fill_map(struct reply *r, struct chunk *mark, uint64_t pairs) {
    fill(r, mark, pairs_of(r, '%', pairs));
}

void reply_fill_set(struct reply *r, struct chunk *mark, uint64_t count) {
    fill(r, mark, aggregate_of(r, '~', count));
}
