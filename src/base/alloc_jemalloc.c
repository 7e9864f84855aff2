/* jemalloc: its options, statistics and purge. https://jemalloc.net/jemalloc.3.html */
#include "base/alloc.h"

#include <stdbool.h>
#include <stdio.h>

#include <jemalloc/jemalloc.h>

/* Read by jemalloc before main; the environment's MALLOC_CONF comes after it and wins.
 *  narenas:1                one thread allocates: more arenas only spread the pages
 *  background_thread:false  not yet: the process may still fork; see mem_purge_in_background
 *  dirty_decay_ms:5000      freed pages wait this long for their reuse: shorter means page faults
 *                           under a steady load of writes, longer means memory held after a large
 *                           delete
 *  muzzy_decay_ms:0         then straight back to the system (MADV_DONTNEED): the resident set is
 *                           what is really used
 *  oversize_threshold:0     no arena apart for blocks from 8 MiB on, which would give their pages
 *                           back at every free
 *  metadata_thp:disabled    huge pages for bookkeeping buy nothing for one arena and are resident
 * The page more with each block from 16 KiB on (cache_oblivious) cannot be turned off here: 5.3.0
 * does not read the option. */
const char *malloc_conf = "narenas:1,background_thread:false,dirty_decay_ms:5000,muzzy_decay_ms:0,"
                          "oversize_threshold:0,metadata_thp:disabled";

const char *mem_allocator(void) {
    static char name[32];
    if (!name[0]) {
        snprintf(name, sizeof name, "jemalloc-%d.%d.%d", JEMALLOC_VERSION_MAJOR,
                 JEMALLOC_VERSION_MINOR, JEMALLOC_VERSION_BUGFIX);
    }
    return name;
}

static size_t read_stat(const char *name) {
    size_t value = 0, size = sizeof value;
    return mallctl(name, &value, &size, NULL, 0) == 0 ? value : 0;
}

void mem_stats_get(struct mem_stats *out) {
    uint64_t epoch = 1;
    size_t size = sizeof epoch;
    mallctl("epoch", &epoch, &size, &epoch,
            size); /* jemalloc's figures are those of its last epoch */
    *out = (struct mem_stats){
        .allocated_bytes = read_stat("stats.allocated"),
        .active_bytes = read_stat("stats.active"),
        .resident_bytes = read_stat("stats.resident"),
        .retained_bytes = read_stat("stats.retained"),
        .muzzy_bytes = read_stat("stats.arenas.0.pmuzzy") * read_stat("arenas.page"),
    };
}

void mem_purge_in_background(void) {
    size_t one = 1;
    bool on = true;
    /* A jemalloc built without the thread refuses: pages are then given back as before. */
    if (mallctl("max_background_threads", NULL, NULL, &one, sizeof one) != 0) return;
    (void)mallctl("background_thread", NULL, NULL, &on, sizeof on);
}

void mem_purge(void) {
    char name[32];
    mallctl("thread.tcache.flush", NULL, NULL, NULL, 0);
    snprintf(name, sizeof name, "arena.%u.purge", (unsigned)MALLCTL_ARENAS_ALL);
    mallctl(name, NULL, NULL, NULL, 0);
}
