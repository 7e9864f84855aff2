/* Inside base/alloc only: what alloc.c asks of libc's allocator. What libc gives for a request
 * depends on more than its size, so a block is always measured. */
#ifndef BASE_ALLOC_LIBC_H
#define BASE_ALLOC_LIBC_H

#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/compat.h"

/* The bytes given out for `p`, which was asked for with `bytes` (only a hint: saves a look-up where
 * that is known). */
INLINE size_t allocator_given(void *p, size_t bytes) {
    return malloc_usable_size(p);
}

INLINE void allocator_free_sized(void *p, size_t bytes) {
    free(p);
}

/* glibc: a word of header, 16-byte steps, 24 bytes at least. Blocks may come out one step
 * larger. */
INLINE size_t allocator_class(size_t bytes) {
    size_t total = (bytes + sizeof(size_t) + 15) & ~(size_t)15;
    return MAX(total, 32) - sizeof(size_t);
}

#endif
