/* A growable byte buffer over mem_*. The capacity is always a whole size class, so no byte that the
 * allocator gave is lost and the storage can be freed by size. */
#include "base/buf.h"

#include <errno.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/num.h"

void buf_release(struct buf *b) {
    if (b->data) mem_free_sized(b->data, b->capacity);
    *b = (struct buf){0};
}

/* The capacity to ask for, 0 when the sum does not fit a size_t. */
static size_t grown_capacity(const struct buf *b, size_t more) {
    size_t need, grown;
    if (__builtin_add_overflow(b->len, more, &need) || need > PTRDIFF_MAX) return 0;
    grown = b->capacity + b->capacity / 2;
    return mem_class_bytes(MAX(need, grown));
}

int buf_try_reserve(struct buf *b, size_t more) {
    size_t capacity;
    char *data;
    if (LIKELY(b->capacity - b->len >= more)) return 0;
    capacity = grown_capacity(b, more);
    if (capacity == 0) return -ENOMEM;
    data = mem_try_realloc(b->data, capacity);
    if (!data) return -ENOMEM;
    b->data = data;
    b->capacity = capacity;
    return 0;
}

void buf_reserve(struct buf *b, size_t more) {
    size_t capacity;
    if (LIKELY(b->capacity - b->len >= more)) return;
    capacity = grown_capacity(b, more);
    CHECK(capacity != 0);
    b->data = mem_realloc(b->data, capacity);
    b->capacity = capacity;
}

void buf_put(struct buf *b, const void *data, size_t len) {
    if (len == 0) return;
    buf_reserve(b, len);
    memcpy(b->data + b->len, data, len);
    b->len += len;
}

void buf_put_span(struct buf *b, struct span s) {
    buf_put(b, s.data, s.len);
}

void buf_put_text(struct buf *b, const char *text) {
    buf_put(b, text, strlen(text));
}

void buf_put_char(struct buf *b, char c) {
    buf_reserve(b, 1);
    b->data[b->len++] = c;
}

void buf_put_int(struct buf *b, int64_t value) {
    buf_reserve(b, NUM_INT_TEXT_MAX);
    b->len += num_format_int(b->data + b->len, value);
}

void buf_printf(struct buf *b, const char *format, ...) {
    va_list args;
    va_start(args, format);
    buf_vprintf(b, format, args);
    va_end(args);
}

void buf_vprintf(struct buf *b, const char *format, va_list args) {
    va_list again;
    size_t room = b->capacity - b->len;
    int len;
    va_copy(again, args);
    len = vsnprintf(b->data ? b->data + b->len : NULL, room, format, args);
    CHECK(len >= 0);
    if ((size_t)len >= room) {
        buf_reserve(b, (size_t)len + 1); /* vsnprintf wants room for its NUL */
        len = vsnprintf(b->data + b->len, (size_t)len + 1, format, again);
    }
    va_end(again);
    b->len += (size_t)len;
}

void buf_consume(struct buf *b, size_t len) {
    DCHECK(len <= b->len);
    b->len -= len;
    if (len != 0 && b->len != 0) memmove(b->data, b->data + len, b->len);
}

const char *buf_terminate(struct buf *b) {
    buf_reserve(b, 1);
    b->data[b->len] = '\0';
    return b->data;
}
