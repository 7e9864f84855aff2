/* A packed block: a small collection's elements side by side in one allocation, walked in place. Elements are byte strings;
 * canonical 64-bit integers are stored in as few bytes as they need and come back as text or number.
 *
 *   | used bytes 4 | count 3 | flags 1 | element | element | ... |
 *   element:  | head 1-5 | bytes |  [ | its size backwards 1-5 |  when PACKED_BACKWARD ]
 *
 *   head:     0lllllll                       that many bytes follow
 *             10nnnnnn                       the number n: 0 to 63
 *             110nnnnn nnnnnnnn              the number n - 4096: -4096 to 4095
 *             1110llll llllllll              that many bytes follow: 128 to 4095
 *             11110sss and s + 1 bytes       a number, two's complement, low byte first
 *             11111000 and four bytes        the length, low byte first; that many bytes follow
 *   size backwards: of head and bytes, seven bits a byte, the lowest in the last; the high bit says that another precedes.
 *
 * An element has exactly one form, the shortest: equal elements are equal bytes. Forward-only blocks save a byte an element; those
 * with PACKED_BACKWARD can be walked from the end. A block moves when it changes: functions that change one return its new
 * address, or NULL without memory or above PACKED_BYTES_MAX or PACKED_COUNT_MAX (then it is as it was). The allocation is of
 * the size class of the used bytes. Element addresses are valid until the next change. Spans given must not point into the block. */
#ifndef TYPES_PACKED_H
#define TYPES_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compat.h"
#include "base/num.h"
#include "base/span.h"

typedef const unsigned char *packed_at; /* an element's address; NULL: none */

enum { PACKED_BACKWARD = 1 };
#define PACKED_BYTES_MAX ((size_t)1 << 30)
#define PACKED_COUNT_MAX ((uint32_t)0xffffff)

struct packed { /* private */
    uint32_t used_bytes;
    uint32_t count_and_flags; /* count << 8 | flags */
    unsigned char bytes[];
};

struct packed *packed_new(unsigned flags);          /* empty, as small as can be; never NULL */
void packed_free(struct packed *p);                 /* NULL is fine */
struct packed *packed_copy(const struct packed *p); /* NULL without memory */
/* The same elements with or without backward sizes, in the same or the opposite order; frees p. */
struct packed *packed_convert(struct packed *p, unsigned flags, bool reverse);

INLINE uint32_t packed_count(const struct packed *p) {
    return p->count_and_flags >> 8;
}
INLINE unsigned packed_flags(const struct packed *p) {
    return p->count_and_flags & 0xff;
}
INLINE size_t packed_used_bytes(const struct packed *p) { /* header included */
    return p->used_bytes;
}
size_t packed_class_bytes(const struct packed *p); /* of the allocation */

/* -- parts of the walk below */
/* Head and bytes of the element, without its backward size. */
INLINE size_t packed_body_bytes(packed_at at) {
    unsigned head = at[0];
    if (LIKELY(head < 0x80)) return 1 + head;
    if (head < 0xc0) return 1;
    if (head < 0xe0) return 2;
    if (head < 0xf0) return 2 + ((head & 15u) << 8 | at[1]);
    if (head < 0xf8) return 2 + (head & 7);
    return 5 + ((size_t)at[1] | (size_t)at[2] << 8 | (size_t)at[3] << 16 | (size_t)at[4] << 24);
}
INLINE size_t packed_backward_bytes(size_t body) {
    return LIKELY(body < 1 << 7) ? 1
           : body < 1 << 14      ? 2
           : body < 1 << 21      ? 3
           : body < 1 << 28      ? 4
                                 : 5;
}
INLINE packed_at
packed_end(const struct packed *p) { /* behind the last element: no element's address */
    return (packed_at)p + p->used_bytes;
}
INLINE packed_at packed_behind(const struct packed *p,
                               packed_at at) { /* the next's address, or packed_end */
    size_t body = packed_body_bytes(at);
    return at + body + (p->count_and_flags & PACKED_BACKWARD ? packed_backward_bytes(body) : 0);
}

INLINE packed_at packed_first(const struct packed *p) {
    return packed_count(p) ? p->bytes : NULL;
}
INLINE packed_at packed_next(const struct packed *p, packed_at at) { /* NULL behind the last */
    packed_at next = packed_behind(p, at);
    return next < packed_end(p) ? next : NULL;
}
packed_at packed_last(const struct packed *p); /* O(n) on a forward-only block */
packed_at packed_previous(const struct packed *p,
                          packed_at at); /* NULL before the first; PACKED_BACKWARD only */
/* Negative: from the end; NULL out of range. From the nearer end when it can. */
packed_at packed_index(const struct packed *p, int64_t index);

/* What an element is: bytes in place, or a number. */
struct packed_value {
    bool is_int;
    int64_t number;    /* is_int */
    struct span bytes; /* otherwise; into the block */
};
int64_t packed_number(packed_at at); /* of an element that is one */
INLINE struct packed_value packed_get(packed_at at) {
    unsigned head = at[0];
    if (LIKELY(head < 0x80)) return (struct packed_value){.bytes = span_make(at + 1, head)};
    if (head >= 0xf8)
        return (struct packed_value){.bytes = span_make(at + 5, packed_body_bytes(at) - 5)};
    if (head >= 0xe0 && head < 0xf0)
        return (struct packed_value){.bytes = span_make(at + 2, packed_body_bytes(at) - 2)};
    return (struct packed_value){.is_int = true, .number = packed_number(at)};
}
/* A value as bytes in any case: numbers are written to `text` (NUM_INT_TEXT_MAX). */
INLINE struct span packed_value_bytes(const struct packed_value *value, char *text) {
    if (LIKELY(!value->is_int)) return value->bytes;
    return span_make(text, num_format_int(text, value->number));
}
/* As bytes in any case: numbers are written to `text` (NUM_INT_TEXT_MAX). */
INLINE struct span packed_bytes(packed_at at, char *text) {
    struct packed_value value = packed_get(at);
    if (LIKELY(!value.is_int)) return value.bytes;
    return span_make(text, num_format_int(text, value.number));
}
bool packed_equals(packed_at at, struct span bytes);
/* The first element from `from` on (NULL: none), looking at every (skip + 1)-th, that equals `bytes`; NULL: none. Hot path: the
 * candidate's head decides before its bytes are compared; a number is compared in its packed form. */
packed_at packed_find(const struct packed *p, packed_at from, struct span bytes, uint32_t skip);
/* The same, counting the elements that were passed over: *index goes from `from`'s place to the found one's. */
packed_at packed_find_index(const struct packed *p, packed_at from, struct span bytes,
                            uint32_t *index);

/* Before `at`, or at the end for NULL. *placed (may be NULL) is the new element's address. */
struct packed *packed_insert(struct packed *p, packed_at at, struct span bytes, packed_at *placed);
INLINE struct packed *packed_append(struct packed *p, struct span bytes) {
    return packed_insert(p, NULL, bytes, NULL);
}
/* Two or more at once: one allocation and one move. *placed is the first one's address. */
struct packed *packed_insert_many(struct packed *p, packed_at at, const struct span *bytes,
                                  uint32_t count, packed_at *placed);
struct packed *packed_replace(struct packed *p, packed_at at, struct span bytes, packed_at *placed);
/* Removes `count` elements from `at` on (fewer when there are fewer); *next (may be NULL) is what stands there now, NULL at the
 * end. Never fails. */
struct packed *packed_remove(struct packed *p, packed_at at, uint32_t count, packed_at *next);
/* Moves the elements from `at` on to a block of their own, of the same flags. 0 or -ENOMEM. */
ATTR_MUST_USE int packed_split(struct packed **p, packed_at at, struct packed **rest);
/* a, then b's elements; b stays. Both of the same flags. */
struct packed *packed_join(struct packed *a, const struct packed *b);

/* Writes `bytes` as an element without a backward size: for blocks of another layout, which read it with packed_get and
 * packed_body_bytes. It takes at most bytes.len + PACKED_WRITE_EXTRA bytes at `out`; returns what is behind it. */
enum { PACKED_WRITE_EXTRA = 5 };
unsigned char *packed_write(unsigned char *out, struct span bytes);

/* What one more element would take. */
size_t packed_element_bytes(const struct packed *p, struct span bytes);

/* Structure checks for tests: aborts on a broken invariant. */
void packed_check(const struct packed *p);

#endif
