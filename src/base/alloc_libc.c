/* libc's allocator: the little that mem_stats and mem_purge can do with it. */
#include "base/alloc.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
static void purge(void) {
    malloc_trim(0);
}
#else
static void purge(void) {}
#endif

/* Read by AddressSanitizer when the build has it: a size beyond its bounds is to be a NULL like any
 * other. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1";
}

const char *mem_allocator(void) {
    return "libc";
}

void mem_stats_get(struct mem_stats *out) {
    *out = (struct mem_stats){
        .allocated_bytes = mem_used_bytes(),
        .resident_bytes = mem_resident_bytes(),
    };
}

void mem_purge_in_background(void) {
    /* libc gives pages back when the top of its heap is free: there is nothing to hand over. */
}

void mem_purge(void) {
    purge();
}
