/* INFO: sections of fields. A section is a row of a table; adding one is a row and a function. Names and forms are Redis's, since
 * dashboards and exporters parse them; fields of features that Rondo does not have are there when clients are known to ask for
 * them, with the value that says so. */
#ifndef SERVER_INFO_H
#define SERVER_INFO_H

#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "commands/host.h"
#include "server/metrics.h"

/* What features above the keyspace count; see info_source.counts. */
struct info_counts {
    uint64_t pubsub_channels, pubsub_patterns, pubsub_shard_channels;
    uint64_t tracking_keys, tracking_items, tracking_prefixes;
    uint64_t watching_clients, watched_keys, blocking_keys, blocking_keys_on_no_key;
    uint64_t rejected_connections, evicted_clients;
    uint64_t script_bytes, script_cache_bytes, script_evicted_count, script_count;
    uint64_t function_vm_bytes, function_bytes, function_count, library_count;
    uint64_t eviction_exceeded_us, eviction_exceeded_now_us;
};

/* Everything INFO is made of. Borrowed. */
struct info_source {
    const struct host *host;
    const struct metrics *metrics;
    const char *run_id, *replication_id; /* 40 hex digits */
    const char *executable, *config_file;
    const char *backend_why;             /* net_new's line */
    int64_t started_s;                   /* Unix time */
    /* Fills in what it knows of *counts (zeroed). May be NULL. */
    void (*counts)(void *server, struct info_counts *counts);
};

/* Appends the sections that were asked for, in the table's order, separated by an empty line; none asked: the default ones.
 * "default", "all" and "everything" stand for several. Unknown names add nothing. */
void info_write(const struct info_source *source, const struct span *sections, uint32_t count, struct buf *out);

/* "1.50M", as Redis writes sizes for people. At least 32 bytes at `out`; returns it. */
const char *info_human_bytes(uint64_t bytes, char *out, size_t size);

#endif
