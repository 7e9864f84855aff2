/* Eviction: keys go that nobody removed, until the data fits a limit.
 *
 * Which key goes is found by sampling, as in Redis: of a few keys picked at random the best ones stay in a pool, and the pool's
 * best goes. A key that was used, or got a later deadline, since it came into the pool is passed over. Counted is what
 * keyspace_data_bytes counts, so replies and buffers never evict data. */
#ifndef DB_EVICT_H
#define DB_EVICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/db.h"

enum evict_order {
    EVICT_LEAST_RECENT,
    EVICT_LEAST_FREQUENT, /* the access clock must be LFU's: keyspace_options.lfu */
    EVICT_SOONEST,        /* by deadline; volatile_only */
    EVICT_RANDOM,
};

struct evict_rule {
    enum evict_order order;
    bool volatile_only;    /* only keys with a deadline */
    bool lazy;             /* large values are freed in steps */
    uint32_t sample_count; /* of each database, for one eviction */
};

enum { EVICT_SAMPLE_COUNT_MAX = 64 };

enum evict_result {
    EVICT_FITS,         /* at most limit_bytes are used */
    EVICT_UNFINISHED,   /* more are, and there are keys left that may go */
    EVICT_NOTHING_LEFT, /* more are, and no key may go */
};

/* At most round_max rounds, each of which evicts one key, rarely none. A round takes about a microsecond; where keys with deadlines
 * are looked for and are few, up to some 100. */
enum evict_result keyspace_evict(struct keyspace *ks, const struct evict_rule *rule,
                                 size_t limit_bytes, uint32_t round_max);

#endif
