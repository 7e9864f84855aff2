/* The access clock: 24 bits in each entry's head.
 *
 *   LRU: seconds of Unix time, as Redis's LRU clock of 1 s resolution; wraps after 194 days
 *   LFU: | minutes of Unix time: 16 | logarithmic counter: 8 |
 *
 * The counter and its decay are those of Redis (https://redis.io/docs/latest/develop/reference/eviction/): an access counts with a
 * probability of 1 / ((counter - 5) * log factor + 1); every decay period without access takes one off. */
#include "db/keyspace.h"

enum {
    CLOCK_MASK = 0xffffff,
    LFU_COUNTER_NEW = 5,
    LFU_COUNTER_MAX = 255,
    LFU_MINUTES_MASK = 0xffff
};

void access_refresh(struct keyspace *ks, int64_t now_ms) {
    ks->clock_ms = now_ms;
    ks->lru_clock = (uint32_t)(now_ms / 1000) & CLOCK_MASK;
    ks->lfu_minutes = (uint32_t)(now_ms / 60000) & LFU_MINUTES_MASK;
}

uint32_t access_clock_new(struct keyspace *ks) {
    if (UNLIKELY(ks->clock_ms != clock_real_ms())) access_refresh(ks, clock_real_ms());
    return ks->options.lfu ? ks->lfu_minutes << 8 | LFU_COUNTER_NEW : ks->lru_clock;
}

static uint32_t lfu_decayed(const struct keyspace *ks, uint32_t clock, uint32_t now_minutes) {
    uint32_t counter = clock & LFU_COUNTER_MAX, periods;
    if (ks->options.lfu_decay_minutes == 0) return counter;
    periods = ((now_minutes - (clock >> 8)) & LFU_MINUTES_MASK) / ks->options.lfu_decay_minutes;
    return periods > counter ? 0 : counter - periods;
}

void access_touch_lfu(struct keyspace *ks, struct entry *e) {
    uint32_t counter = lfu_decayed(ks, entry_access_clock(e), ks->lfu_minutes);
    uint32_t above = counter > LFU_COUNTER_NEW ? counter - LFU_COUNTER_NEW : 0;
    if (counter < LFU_COUNTER_MAX &&
        random_below(&ks->random, (uint64_t)above * ks->options.lfu_log_factor + 1) == 0) {
        counter++;
    }
    entry_set_access_clock(e, ks->lfu_minutes << 8 | counter);
}

uint64_t entry_idle_s(const struct keyspace *ks, const struct entry *e) {
    (void)ks;
    return ((uint32_t)(clock_real_ms() / 1000) - entry_access_clock(e)) & CLOCK_MASK;
}

uint32_t entry_frequency(const struct keyspace *ks, const struct entry *e) {
    uint32_t now_minutes = (uint32_t)(clock_real_ms() / 60000) & LFU_MINUTES_MASK;
    return lfu_decayed(ks, entry_access_clock(e), now_minutes);
}

void entry_set_idle_s(struct entry *e, uint64_t idle_s) {
    uint32_t idle = idle_s > CLOCK_MASK ? CLOCK_MASK : (uint32_t)idle_s;
    entry_set_access_clock(e, ((uint32_t)(clock_real_ms() / 1000) - idle) & CLOCK_MASK);
}

void entry_set_frequency(struct entry *e, uint32_t counter) {
    uint32_t now_minutes = (uint32_t)(clock_real_ms() / 60000) & LFU_MINUTES_MASK;
    if (counter > LFU_COUNTER_MAX) counter = LFU_COUNTER_MAX;
    entry_set_access_clock(e, now_minutes << 8 | counter);
}
