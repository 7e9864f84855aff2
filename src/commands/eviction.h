/* maxmemory: when keys are evicted, and the verdict on commands that need memory.
 *
 * Counted is the memory of data (keyspace_data_bytes). Before a command that needs memory runs over the limit, a few keys are evicted
 * without looking at the clock: in the usual case, a limit just crossed, one is enough. More than that is bounded by time: a budget
 * a turn, and a turn that ends over the limit leads to the next at once. Meanwhile commands run, as in Redis; only what grows while
 * keys are evicted is paid for by the commands that make it grow. CLIENT PAUSE stops all of it, as in Redis. */
#ifndef COMMANDS_EVICTION_H
#define COMMANDS_EVICTION_H

#include "commands/host.h"
#include "db/db.h"

/* What the keyspace takes without a key: a limit below that is always exceeded, as in Redis. */
enum { EVICTION_OWN_BYTES = 256 };

/* Hot path: one comparison, and another with a limit. */
INLINE bool eviction_over_limit(const struct host *host) {
    int64_t limit_bytes = host->settings->maxmemory_bytes;
    return UNLIKELY(limit_bytes != 0) &&
           keyspace_data_bytes(host->keyspace) + EVICTION_OWN_BYTES > (size_t)limit_bytes;
}

/* Over the limit, before a command that needs memory: evicts. False: nothing may go, refuse the command. */
bool eviction_make_room(struct host *host);
/* The limit or the policy was changed: evicts for a turn's budget at once. */
void eviction_limit_changed(struct host *host);
/* Once a turn: goes on with what is left, keeps the accounts of time over the limit. */
void eviction_turn(struct host *host);
/* Keys are left to evict: do not wait in the next turn. */
INLINE bool eviction_pending(const struct host *host) {
    return host->dispatch.eviction.pending;
}
/* For INFO: how long the limit has been exceeded, in all and since when it last was; 0 when it is not. */
uint64_t eviction_exceeded_us(const struct host *host);
uint64_t eviction_exceeded_now_us(const struct host *host);

#endif
