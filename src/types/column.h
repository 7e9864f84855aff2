/* Words side by side, in what registers the machine has: operators of C work on all of them at once. Wider than the least that x86
 * has, so that what ATTR_CLONES makes for newer processors takes all of theirs; compilers split it in two elsewhere. Passed by
 * address: how such a value is passed depends on the processor. */
#ifndef TYPES_COLUMN_H
#define TYPES_COLUMN_H

#include <stdint.h>
#include <string.h>

#include "base/compat.h"

typedef uint64_t column ATTR_VECTOR(32); /* a typedef: C has no other way to name a vector */
enum { COLUMN_WORDS = sizeof(column) / sizeof(uint64_t) };

INLINE void column_load(column *c, const void *at) {
    memcpy(c, at, sizeof *c);
}
INLINE void column_store(void *at, const column *c) {
    memcpy(at, c, sizeof *c);
}

#endif
