/* A packed block: a small collection's elements side by side in one allocation, walked in place. Elements are byte strings;
 * canonical 64-bit integers are stored in as few bytes as they need and come back as text or number.
 *
 *   | used bytes 4 | count 3 | flags 1 | element | element | ... |
 *   element:  | encoding and length 1-5 | bytes |  [ | its size backwards 1-5 |  when PACKED_BACKWARD ]
 *
 * Forward-only blocks save a byte an element; lists and streams ask for PACKED_BACKWARD and can be walked from the end.
 * A block moves when it changes: functions that change one return its new address, or NULL without memory (then it is as it was).
 * Element addresses are valid until the next change. Limits: PACKED_BYTES_MAX a block; callers convert long before. */
#ifndef TYPES_PACKED_H
#define TYPES_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compat.h"
#include "base/num.h"
#include "base/span.h"

struct packed;
typedef const unsigned char *packed_at; /* an element's address; NULL: none */

enum { PACKED_BACKWARD = 1 };
#define PACKED_BYTES_MAX ((size_t)1 << 30)

struct packed *packed_new(unsigned flags); /* empty, as small as can be */
void packed_free(struct packed *p);
struct packed *packed_copy(const struct packed *p); /* NULL without memory */

uint32_t packed_count(const struct packed *p);
size_t packed_used_bytes(const struct packed *p);  /* header included */
size_t packed_class_bytes(const struct packed *p); /* of the allocation */

packed_at packed_first(const struct packed *p);
packed_at packed_last(const struct packed *p);                 /* O(n) on a forward-only block */
packed_at packed_next(const struct packed *p, packed_at at);   /* NULL behind the last */
packed_at packed_previous(const struct packed *p, packed_at at); /* PACKED_BACKWARD only; NULL before the first */
packed_at packed_index(const struct packed *p, int64_t index); /* negative: from the end; NULL out of range. From the nearer end when it can */

/* What an element is: bytes in place, or a number. */
struct packed_value {
    bool is_int;
    int64_t number;    /* is_int */
    struct span bytes; /* otherwise; into the block */
};
struct packed_value packed_get(packed_at at);
/* As bytes in any case: numbers are written to `text` (NUM_INT_TEXT_MAX). */
struct span packed_bytes(packed_at at, char *text);
bool packed_equals(packed_at at, struct span bytes);
/* The first element from `from` on, looking at every (skip + 1)-th, that equals `bytes`; NULL: none. Hot path: the candidate's length
 * decides before its bytes are compared; a number is compared as a number. */
packed_at packed_find(const struct packed *p, packed_at from, struct span bytes, uint32_t skip);

/* Before `at`, or at the end for NULL. *placed (may be NULL) is the new element's address. */
struct packed *packed_insert(struct packed *p, packed_at at, struct span bytes, packed_at *placed);
INLINE struct packed *packed_append(struct packed *p, struct span bytes) {
    return packed_insert(p, NULL, bytes, NULL);
}
/* Two or more at once: one allocation and one move. */
struct packed *packed_insert_many(struct packed *p, packed_at at, const struct span *bytes, uint32_t count, packed_at *placed);
struct packed *packed_replace(struct packed *p, packed_at at, struct span bytes, packed_at *placed);
/* Removes `count` elements from `at` on; *next (may be NULL) is what stands there now, NULL at the end. Never fails. */
struct packed *packed_remove(struct packed *p, packed_at at, uint32_t count, packed_at *next);
/* Moves the elements from `at` on to a block of their own. */
int packed_split(struct packed **p, packed_at at, struct packed **rest); /* 0 or -ENOMEM */
struct packed *packed_join(struct packed *a, const struct packed *b); /* a, then b's elements; b stays */

/* What one more element would take. */
size_t packed_element_bytes(const struct packed *p, struct span bytes);

#endif
