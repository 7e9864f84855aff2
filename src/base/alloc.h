/* The allocator: jemalloc when the build has it, libc otherwise. Every byte is counted as what the allocator gives out for
 * it (its size class), so that limits and INFO tell the truth. Single-threaded: the counters are plain.
 *
 * mem_alloc and its kin never return NULL: out of memory for the server's own small needs ends the process with a message.
 * Sizes that a user chose go through mem_try_*, which return NULL, and the request is answered with an error. */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compat.h"

ATTR_MALLOC void *mem_alloc(size_t bytes);
ATTR_MALLOC void *mem_zalloc(size_t bytes);
ATTR_MALLOC void *mem_alloc_aligned(size_t alignment, size_t bytes); /* alignment: a power of two; freed with mem_free */
void *mem_realloc(void *p, size_t bytes);
ATTR_MALLOC void *mem_try_alloc(size_t bytes);
void *mem_try_realloc(void *p, size_t bytes); /* NULL: p is untouched */
void mem_free(void *p);                       /* NULL is fine */
char *mem_strdup(const char *text);

/* Sized free: the caller knows the size that it asked for; saves the allocator's own look-up. p is not NULL, nor from
 * mem_alloc_aligned. */
void mem_free_sized(void *p, size_t bytes);

/* Bytes that the allocator really gives out for a request of `bytes` (its size class; an estimate with libc), and for an
 * existing block. To use them all, ask for them: mem_alloc(mem_class_bytes(n)). */
size_t mem_class_bytes(size_t bytes);
size_t mem_usable_bytes(const void *p);

size_t mem_used_bytes(void);       /* given out and not freed, in class bytes */
size_t mem_peak_bytes(void);
size_t mem_resident_bytes(void);   /* resident set of the process, from /proc; elsewhere its peak */
const char *mem_allocator(void);   /* "jemalloc-5.3.0" or "libc" */

struct mem_stats {
    size_t allocated_bytes, active_bytes, resident_bytes, retained_bytes, muzzy_bytes; /* of the allocator; 0 unknown */
};
void mem_stats_get(struct mem_stats *out);
/* From here on the allocator gives pages back from a thread of its own, where it has one: call after the last fork. What the thread
 * that serves would do in bursts of up to milliseconds is then none of its turns' time. */
void mem_purge_in_background(void);
void mem_purge(void); /* give unused pages back to the system */

/* For tests: the n-th following try-allocation fails (1 is the next), 0 turns it off. */
void mem_test_fail_at(uint64_t n);

#endif
