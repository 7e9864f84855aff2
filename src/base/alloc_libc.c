/* libc's allocator: what mem_stats and mem_purge can do with it. */
#include "base/alloc.h"

#include <malloc.h>

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
    struct mallinfo2 info = mallinfo2();
    *out = (struct mem_stats){
        .allocated_bytes = info.uordblks + info.hblkhd,
        .active_bytes = info.arena + info.hblkhd,
        .resident_bytes = mem_resident_bytes(),
    };
}

void mem_purge(void) {
    malloc_trim(0);
}
