/* A growable byte buffer. Zero-initialised is valid and empty. Growth aborts the process only through mem_alloc's rule;
 * sizes that a user chose go through buf_try_reserve. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stdint.h>

#include "base/span.h"

struct buf {
    char *data;
    size_t len;      /* bytes used */
    size_t capacity; /* bytes allocated */
};

void buf_release(struct buf *b);          /* frees the storage and leaves it empty and reusable */
INLINE void buf_clear(struct buf *b) {    /* keeps the storage */
    b->len = 0;
}
INLINE struct span buf_span(const struct buf *b) {
    return span_make(b->data, b->len);
}

/* Makes room for `more` bytes after the used ones, growing by half at least. 0 or -ENOMEM (buffer unchanged). */
ATTR_MUST_USE int buf_try_reserve(struct buf *b, size_t more);
void buf_reserve(struct buf *b, size_t more);

void buf_put(struct buf *b, const void *data, size_t len);
void buf_put_span(struct buf *b, struct span s);
void buf_put_text(struct buf *b, const char *text);
void buf_put_char(struct buf *b, char c);
void buf_put_int(struct buf *b, int64_t value); /* decimal */
void buf_printf(struct buf *b, const char *format, ...) ATTR_PRINTF(2, 3);
void buf_vprintf(struct buf *b, const char *format, va_list args) ATTR_PRINTF(2, 0);

/* Removes the first `len` bytes, moving the rest down. */
void buf_consume(struct buf *b, size_t len);

/* A terminating NUL after the used bytes, not counted in len; returns data. */
const char *buf_terminate(struct buf *b);

#endif
