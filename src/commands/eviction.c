/* Policies to rules, and how much is evicted when. */
#include "commands/eviction.h"

#include "base/clock.h"
#include "commands/slowlog.h"
#include "db/evict.h"

enum {
    ROUNDS_FREE = 8,  /* before a command, without a look at the clock: some 8 us */
    ROUNDS_BATCH = 8, /* between two looks */
    TURN_BUDGET_US = 500,
    COMMAND_BUDGET_US = 500, /* of a command that lets memory grow over the limit */
    LAZY_BUDGET_US = 100,    /* evicted values that wait to be freed are not to pile up */
    GROWTH_SHARE =
        16, /* of the limit: what may be written over the floor before commands pay for it */
};

struct policy {
    enum evict_order order;
    bool volatile_only;
};

static const struct policy policies[] = {
    [MAXMEMORY_ALLKEYS_LRU] = {EVICT_LEAST_RECENT, false},
    [MAXMEMORY_ALLKEYS_LFU] = {EVICT_LEAST_FREQUENT, false},
    [MAXMEMORY_ALLKEYS_RANDOM] = {EVICT_RANDOM, false},
    [MAXMEMORY_VOLATILE_LRU] = {EVICT_LEAST_RECENT, true},
    [MAXMEMORY_VOLATILE_LFU] = {EVICT_LEAST_FREQUENT, true},
    [MAXMEMORY_VOLATILE_RANDOM] = {EVICT_RANDOM, true},
    [MAXMEMORY_VOLATILE_TTL] = {EVICT_SOONEST, true},
};

/* What is left for data. */
static size_t limit_of(const struct host *host) {
    size_t limit_bytes = (size_t)host->settings->maxmemory_bytes;
    return limit_bytes - MIN(limit_bytes, EVICTION_OWN_BYTES);
}

static enum evict_result evict_to(struct host *host, size_t bytes, uint32_t round_max) {
    const struct settings *settings = host->settings;
    const struct policy *policy = &policies[settings->maxmemory_policy];
    struct evict_rule rule = {
        .order = policy->order,
        .volatile_only = policy->volatile_only,
        .lazy = settings->lazyfree_lazy_eviction,
        .sample_count = (uint32_t)MIN(settings->maxmemory_samples, EVICT_SAMPLE_COUNT_MAX),
    };
    enum evict_result result = EVICT_NOTHING_LEFT;
    if (settings->maxmemory_policy != MAXMEMORY_NOEVICTION) {
        result = keyspace_evict(host->keyspace, &rule, bytes, round_max);
    } else if (keyspace_data_bytes(host->keyspace) <= bytes) {
        result = EVICT_FITS;
    }
    return result == EVICT_FITS && bytes == 0 ? EVICT_NOTHING_LEFT : result;
}

/* Stops when another batch as long as the longest so far would not fit the budget. */
static enum evict_result evict_for(struct host *host, size_t bytes, int64_t budget_us) {
    int64_t start_us = clock_mono_us(), now_us = start_us, longest_us = 0;
    int64_t threshold_ms = host->settings->latency_monitor_threshold_ms;
    enum evict_result result;
    do {
        int64_t before_us = now_us;
        result = evict_to(host, bytes, ROUNDS_BATCH);
        now_us = clock_mono_us();
        longest_us = MAX(longest_us, now_us - before_us);
    } while (result == EVICT_UNFINISHED && now_us - start_us + longest_us < budget_us);
    host->dispatch.eviction.spent_us += now_us - start_us;
    if (threshold_ms > 0 && now_us - start_us >= threshold_ms * 1000) {
        latency_add(host->latency, "eviction-cycle", (uint32_t)((now_us - start_us) / 1000));
    }
    return result;
}

/* -- accounts */

static void note_fits(struct eviction *state) {
    if (state->exceeded_since_us) state->exceeded_us += clock_mono_us() - state->exceeded_since_us;
    state->exceeded_since_us = 0;
    state->floor_bytes = 0;
    state->pending = false;
}

static void note(struct host *host, enum evict_result result) {
    struct eviction *state = &host->dispatch.eviction;
    if (result == EVICT_FITS) {
        if (UNLIKELY(state->exceeded_since_us)) note_fits(state);
        return;
    }
    if (!state->exceeded_since_us) state->exceeded_since_us = MAX(clock_mono_us(), 1);
    state->floor_bytes = MIN(state->floor_bytes, keyspace_data_bytes(host->keyspace));
    state->pending = result == EVICT_UNFINISHED;
}

uint64_t eviction_exceeded_now_us(const struct host *host) {
    int64_t since_us = host->dispatch.eviction.exceeded_since_us;
    return since_us ? (uint64_t)(clock_mono_us() - since_us) : 0;
}

uint64_t eviction_exceeded_us(const struct host *host) {
    return (uint64_t)host->dispatch.eviction.exceeded_us + eviction_exceeded_now_us(host);
}

/* -- when */

static bool is_paused(const struct host *host) {
    int64_t until_ms = host->sessions->paused_until_ms;
    return UNLIKELY(until_ms != 0) && clock_mono_ms() < until_ms;
}

/* What more than the few rounds is worth: the turn's budget for coming down, the command's own against growing. */
static enum evict_result press_on(struct host *host, size_t limit_bytes) {
    const struct eviction *state = &host->dispatch.eviction;
    size_t growth_max = MAX(state->floor_bytes, limit_bytes) + limit_bytes / GROWTH_SHARE;
    enum evict_result result = EVICT_UNFINISHED;
    if (state->spent_us < TURN_BUDGET_US) {
        result = evict_for(host, limit_bytes, TURN_BUDGET_US - state->spent_us);
    }
    if (result == EVICT_UNFINISHED && keyspace_data_bytes(host->keyspace) > growth_max) {
        (void)evict_for(host, growth_max, COMMAND_BUDGET_US);
    }
    return result;
}

bool eviction_make_room(struct host *host) {
    size_t limit_bytes = limit_of(host);
    enum evict_result result;
    if (is_paused(host)) return true;
    result = evict_to(host, limit_bytes, ROUNDS_FREE);
    if (UNLIKELY(result == EVICT_UNFINISHED)) result = press_on(host, limit_bytes);
    if (UNLIKELY(keyspace_lazy_pending(host->keyspace))) {
        keyspace_lazy_step(host->keyspace, LAZY_BUDGET_US);
    }
    note(host, result);
    return result != EVICT_NOTHING_LEFT;
}

static void evict_in_turn(struct host *host) {
    if (is_paused(host)) return;
    note(host, evict_for(host, limit_of(host), TURN_BUDGET_US));
}

/* What is there now is no growth. */
void eviction_limit_changed(struct host *host) {
    host->dispatch.eviction.floor_bytes = keyspace_data_bytes(host->keyspace);
    if (eviction_over_limit(host)) evict_in_turn(host);
}

void eviction_turn(struct host *host) {
    struct eviction *state = &host->dispatch.eviction;
    state->spent_us = 0;
    if (UNLIKELY(eviction_over_limit(host))) {
        evict_in_turn(host);
        state->spent_us = 0; /* the next turn's own */
    } else if (UNLIKELY(state->exceeded_since_us)) {
        note_fits(state);
    }
}
