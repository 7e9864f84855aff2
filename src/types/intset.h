/* A set of integers: sorted, side by side, in the narrowest of two, four or eight bytes that all of them fit.
 *
 *   | count 4 | width 4 | number | number | ... |
 *
 * A lookup is a binary search. The block moves when it grows or shrinks through the allocator's size classes: functions that
 * change one take the address of the pointer. Adding costs a move of what lies behind, and a rewrite when the width grows; the
 * width never shrinks. */
#ifndef TYPES_INTSET_H
#define TYPES_INTSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compat.h"

enum { INTSET_COUNT_MAX = 1 << 27 }; /* a GiB of the widest */

struct intset { /* private */
    uint32_t count;
    uint32_t width; /* bytes of a number: 2, 4 or 8 */
    unsigned char bytes[];
};

struct intset *intset_new(void); /* empty */
void intset_free(struct intset *s);
struct intset *intset_copy(const struct intset *s); /* NULL without memory */

INLINE uint32_t intset_count(const struct intset *s) {
    return s->count;
}
size_t intset_class_bytes(const struct intset *s);

/* 1: added, 0: it was there, -ENOMEM: no memory, or more than INTSET_COUNT_MAX. */
ATTR_MUST_USE int intset_add(struct intset **s, int64_t number);
bool intset_remove(struct intset **s, int64_t number); /* false: it was not there */
void intset_remove_at(struct intset **s, uint32_t index);
bool intset_has(const struct intset *s, int64_t number);
int64_t intset_at(const struct intset *s, uint32_t index); /* ascending */

/* Structure checks for tests: aborts on a broken invariant. */
void intset_check(const struct intset *s);

#endif
