/* A borrowed run of bytes: not owned, not terminated, any byte value. Valid as long as what it points into. */
#ifndef BASE_SPAN_H
#define BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/compat.h"

struct span {
    const char *data;
    size_t len; /* bytes */
};

/* A span over a string literal. */
#define SPAN(literal) ((struct span){(literal), sizeof(literal) - 1})

INLINE struct span span_make(const void *data, size_t len) {
    return (struct span){data, len};
}

INLINE struct span span_of(const char *text) {
    return (struct span){text, strlen(text)};
}

INLINE bool span_eq(struct span a, struct span b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* Byte order, then length, as memcmp(3) and Redis sort: negative, 0 or positive. */
int span_compare(struct span a, struct span b);

/* Equality that takes A-Z and a-z as the same (ASCII only, whatever the locale). */
bool span_eq_nocase(struct span a, struct span b);

/* The same against a terminated text: the usual way to recognise an option. */
bool span_is(struct span a, const char *text);

#endif
