/* Inside base/alloc only: what alloc.c asks of libc's allocator. What libc gives for a request
 * depends on more than its size, so a block is always measured. */
#ifndef BASE_ALLOC_LIBC_H
#define BASE_ALLOC_LIBC_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/compat.h"

/* The same function by three names. */
#if defined(__APPLE__)
#include <malloc/malloc.h>
#define LIBC_USABLE_SIZE malloc_size
#elif defined(__FreeBSD__)
#include <malloc_np.h>
#define LIBC_USABLE_SIZE malloc_usable_size
#else
#include <malloc.h>
#define LIBC_USABLE_SIZE malloc_usable_size
#endif

INLINE size_t allocator_usable(const void *p) {
    return LIBC_USABLE_SIZE((void *)(uintptr_t)p);
}

/* The bytes given out for `p`, which was asked for with `bytes`. */
INLINE size_t allocator_given(void *p, size_t bytes) {
    (void)bytes;
    return allocator_usable(p);
}

INLINE void allocator_free_sized(void *p, size_t bytes) {
    (void)bytes;
    free(p);
}

/* glibc's: a word of header, 16-byte steps, 24 bytes at least. Blocks may come out larger. */
INLINE size_t allocator_class(size_t bytes) {
    size_t total = (bytes + sizeof(size_t) + 15) & ~(size_t)15;
    return MAX(total, 32) - sizeof(size_t);
}

#endif
