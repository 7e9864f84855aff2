/* Inside base/alloc only: what alloc.c asks of jemalloc. */
#ifndef BASE_ALLOC_JEMALLOC_H
#define BASE_ALLOC_JEMALLOC_H

#include <stddef.h>
#include <stdlib.h>

#include <jemalloc/jemalloc.h>

#include "base/compat.h"

/* jemalloc's size classes, computed here because nallocx(3) is a call: 8, then steps of 16 up to
 * 128, then four to each doubling. tests/unit/base/alloc.c holds it against nallocx. */
INLINE size_t allocator_class(size_t bytes) {
    size_t step;
    if (bytes <= 8) return 8;
    step = (size_t)1 << (61 - __builtin_clzll((bytes - 1) | 64));
    return (bytes + step - 1) & ~(step - 1);
}

/* The bytes given out for `p`, which was asked for with `bytes`. */
INLINE size_t allocator_given(void *p, size_t bytes) {
    (void)p;
    return allocator_class(bytes);
}

INLINE size_t allocator_usable(const void *p) {
    return sallocx(p, 0);
}

INLINE void allocator_free_sized(void *p, size_t bytes) {
    sdallocx(p, bytes, 0);
}

#endif
