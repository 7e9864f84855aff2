/* Eviction: who goes under which rule, when it ends, and that nothing else changes. */
#include "db/evict.h"

#include "support.h"

enum { START_MS = 1000000000 };
static const struct evict_rule lru = {EVICT_LEAST_RECENT, false, true, 5};

static struct keyspace *begin(bool lfu) {
    struct keyspace_options options = {
        .lfu = lfu, .lfu_log_factor = 10, .lfu_decay_minutes = 1, .seed = test_seed()};
    struct keyspace *ks = keyspace_new(&options);
    keyspace_register(ks, ENTRY_LIST, &thing_ops);
    clock_set_test(START_MS, 50);
    return ks;
}

static void fill(struct db *db, uint32_t from, uint32_t count, int64_t deadline_ms) {
    for (uint32_t i = from; i < from + count; i++) {
        set(db, span_make(&i, 4), SPAN("a value of some bytes"), deadline_ms);
    }
}

static uint32_t present(struct db *db, uint32_t from, uint32_t count) {
    uint32_t there = 0;
    for (uint32_t i = from; i < from + count; i++) {
        struct span key = span_make(&i, 4);
        there += db_exists(db, key, key_hash(key));
    }
    return there;
}

/* Until `count` keys are left in all. */
static enum evict_result evict_until(struct keyspace *ks, const struct evict_rule *rule,
                                     uint64_t count) {
    enum evict_result result = EVICT_UNFINISHED;
    for (int tries = 0; keyspace_key_count(ks) > count && tries < 1000000; tries++) {
        result = keyspace_evict(ks, rule, 1, 1);
        if (result != EVICT_UNFINISHED) break;
    }
    return result;
}

static void test_least_recent(void) {
    struct keyspace *ks = begin(false);
    struct db *db = keyspace_db(ks, 0);
    fill(db, 0, 5000, ENTRY_NO_DEADLINE);
    clock_advance_test(100 * 1000);
    fill(db, 5000, 5000, ENTRY_NO_DEADLINE);
    for (uint32_t i = 0; i < 1000; i++) find(db, span_make(&i, 4)); /* used again */
    evict_until(ks, &lru, 8000);
    EXPECT_INT(8000, keyspace_key_count(ks));
    EXPECT_INT(2000, keyspace_stats(ks)->evicted_count);
    /* One in 9 batches of samples has none of the old while all are there; the pool evens it out. */
    EXPECT(present(db, 5000, 5000) + present(db, 0, 1000) >= 5980);
    EXPECT(db_agrees(db));
    keyspace_free(ks);
}

static void test_least_frequent(void) {
    struct evict_rule rule = {EVICT_LEAST_FREQUENT, false, true, 5};
    struct keyspace *ks = begin(true);
    struct db *db = keyspace_db(ks, 0);
    fill(db, 0, 4000, ENTRY_NO_DEADLINE);
    for (uint32_t round = 0; round < 50; round++) {
        for (uint32_t i = 0; i < 2000; i++) find(db, span_make(&i, 4));
    }
    evict_until(ks, &rule, 3000);
    EXPECT(present(db, 0, 2000) >= 1980);
    EXPECT(db_agrees(db));
    keyspace_free(ks);
}

static void test_soonest(void) {
    struct evict_rule rule = {EVICT_SOONEST, true, true, 10};
    struct keyspace *ks = begin(false);
    struct db *db = keyspace_db(ks, 0);
    fill(db, 0, 1000, START_MS + 1000);
    fill(db, 1000, 2000, START_MS + 100000);
    fill(db, 3000, 1000, ENTRY_NO_DEADLINE);
    evict_until(ks, &rule, 3500);
    EXPECT(present(db, 0, 1000) <= 510);
    EXPECT_INT(1000, present(db, 3000, 1000));
    EXPECT_INT(EVICT_NOTHING_LEFT, evict_until(ks, &rule, 0));
    EXPECT_INT(1000, present(db, 3000, 1000));
    EXPECT_INT(1000, keyspace_key_count(ks));
    EXPECT(db_agrees(db));
    keyspace_free(ks);
}

static void test_random(void) {
    struct evict_rule rule = {EVICT_RANDOM, false, true, 5};
    struct keyspace *ks = begin(false);
    fill(keyspace_db(ks, 0), 0, 1000, ENTRY_NO_DEADLINE);
    fill(keyspace_db(ks, 9), 0, 1000, ENTRY_NO_DEADLINE);
    evict_until(ks, &rule, 1000);
    EXPECT_INT(500, db_count(keyspace_db(ks, 0))); /* by turns */
    EXPECT_INT(500, db_count(keyspace_db(ks, 9)));
    EXPECT(present(keyspace_db(ks, 0), 0, 500) < 400);
    evict_until(ks, &rule, 0);
    EXPECT_INT(0, keyspace_data_bytes(ks));
    EXPECT_INT(EVICT_FITS, keyspace_evict(ks, &rule, 0, 1));
    keyspace_free(ks);
}

/* Three of twenty thousand in each of two databases: the walk finds them, all of them, and the table still knows the deadlines. */
static void sparse(enum evict_order order) {
    struct evict_rule rule = {order, true, true, 5};
    struct keyspace *ks = begin(false);
    for (uint32_t number = 0; number < 4; number += 3) {
        struct db *db = keyspace_db(ks, number);
        fill(db, 0, 20000, ENTRY_NO_DEADLINE);
        fill(db, 100000, 3, START_MS + 5000);
    }
    EXPECT_INT(EVICT_UNFINISHED, evict_until(ks, &rule, 40002));
    EXPECT(db_agrees(keyspace_db(ks, 0)) && db_agrees(keyspace_db(ks, 3)));
    clock_advance_test(6000);
    while (keyspace_expire_cycle(ks, clock_real_ms(), 1000)) continue;
    EXPECT_INT(40000, keyspace_key_count(ks));
    EXPECT_INT(2, keyspace_stats(ks)->expired_count);
    EXPECT_INT(EVICT_NOTHING_LEFT, keyspace_evict(ks, &rule, 1, 100));
    fill(keyspace_db(ks, 3), 100000, 1, clock_real_ms() + 5000);
    EXPECT_INT(EVICT_NOTHING_LEFT, keyspace_evict(ks, &rule, 1, 100));
    EXPECT_INT(40000, keyspace_key_count(ks));
    EXPECT_INT(5, keyspace_stats(ks)->evicted_count);
    keyspace_free(ks);
}

static void test_sparse(void) {
    sparse(EVICT_SOONEST);
    sparse(EVICT_LEAST_RECENT);
    sparse(EVICT_RANDOM);
}

struct witness {
    struct db_hook hook;
    uint32_t changed, evicted, expired;
    struct db *db;
};

static void witness_changed(struct db_hook *hook, struct db *db, struct span key) {
    CONTAINER_OF(hook, struct witness, hook)->changed++;
}

static void witness_event(struct db_hook *hook, struct db *db, char event_class, const char *event,
                          struct span key) {
    struct witness *w = CONTAINER_OF(hook, struct witness, hook);
    w->evicted += event_class == 'e' && strcmp(event, "evicted") == 0 && key.len == 4;
    w->expired += event_class == 'x';
    w->db = db;
}

static void test_hooks_and_bounds(void) {
    struct witness w = {.hook = {.changed = witness_changed, .event = witness_event}};
    struct keyspace *ks = begin(false);
    struct db *db = keyspace_db(ks, 7);
    size_t bytes;
    fill(db, 0, 100, ENTRY_NO_DEADLINE);
    keyspace_hook(ks, &w.hook);
    EXPECT_INT(EVICT_UNFINISHED, keyspace_evict(ks, &lru, 1, 0));
    EXPECT_INT(0, w.evicted);
    EXPECT_INT(EVICT_UNFINISHED, keyspace_evict(ks, &lru, 1, 7));
    EXPECT_INT(7, w.evicted);
    EXPECT_INT(7, w.changed);
    EXPECT(w.db == db);
    bytes = keyspace_data_bytes(ks);
    EXPECT_INT(EVICT_FITS, keyspace_evict(ks, &lru, bytes, 100));
    EXPECT_INT(7, w.evicted);
    EXPECT_INT(EVICT_FITS,
               keyspace_evict(ks, &lru, bytes - 1, 100)); /* one byte too many: one key */
    EXPECT_INT(8, w.evicted);
    db_flush(db, false);
    fill(db, 0, 10, START_MS + 1);
    clock_advance_test(10);
    EXPECT_INT(EVICT_FITS, keyspace_evict(ks, &lru, 0, 100)); /* those were gone already */
    EXPECT_INT(10, w.expired);
    EXPECT_INT(8, w.evicted);
    keyspace_free(ks);
}

/* What the pool remembers is checked: keys that went, moved or were used meanwhile. */
static void test_stale_pool(void) {
    struct keyspace *ks = begin(false);
    struct db *db = keyspace_db(ks, 0), *other = keyspace_db(ks, 1);
    fill(db, 0, 40, ENTRY_NO_DEADLINE);
    clock_advance_test(10000);
    EXPECT_INT(EVICT_UNFINISHED, keyspace_evict(ks, &lru, 1, 5));
    for (uint32_t i = 0; i < 30; i++) find(db, span_make(&i, 4));
    EXPECT_INT(EVICT_UNFINISHED, keyspace_evict(ks, &lru, 1, 3));
    keyspace_swap(ks, 0, 1);
    EXPECT_INT(32, db_count(other));
    EXPECT_INT(EVICT_UNFINISHED, keyspace_evict(ks, &lru, 1, 3));
    db_flush(other, true);
    EXPECT_INT(0, keyspace_data_bytes(ks));
    fill(db, 0, 1000, ENTRY_NO_DEADLINE);
    for (uint32_t i = 0; i < 500; i++) {
        struct span key = span_make(&i, 4);
        struct entry *e = find(db, key);
        if (e) db_remove(db, e, key_hash(key), true);
        (void)!keyspace_evict(ks, &lru, 1, 1);
    }
    EXPECT(db_agrees(db) && db_agrees(other));
    EXPECT(evict_until(ks, &lru, 0) == EVICT_FITS || keyspace_key_count(ks) == 0);
    EXPECT_INT(0, keyspace_data_bytes(ks));
    keyspace_free(ks);
}

static void test_objects(void) {
    struct evict_rule rule = lru;
    struct keyspace *ks = begin(false);
    struct db *db = keyspace_db(ks, 0);
    for (uint32_t i = 0; i < 20; i++) {
        struct span key = span_make(&i, 4);
        db_put_object(db, NULL, key, key_hash(key), ENTRY_LIST, thing_new(5000, 1000),
                      ENTRY_NO_DEADLINE);
    }
    EXPECT_INT(EVICT_UNFINISHED, keyspace_evict(ks, &rule, 1, 10));
    EXPECT_INT(10, db_count(db));
    EXPECT(db_agrees(db));
    EXPECT_INT(20, thing_count); /* ten of them in the queue */
    EXPECT(keyspace_lazy_pending(ks));
    rule.lazy = false;
    EXPECT_INT(EVICT_FITS, keyspace_evict(ks, &rule, 0, 11));
    EXPECT_INT(10, thing_count);
    keyspace_free(ks);
    EXPECT_INT(0, thing_count);
}

/* Every rule in turn over a keyspace that changes: accounts and structure hold. */
static void test_long_run(void) {
    struct keyspace *ks = begin(false);
    struct random random;
    random_init(&random, test_seed());
    for (uint32_t round = 0; round < 40000; round++) {
        struct db *db = keyspace_db(ks, (uint32_t)random_below(&random, 3));
        uint32_t name = (uint32_t)random_below(&random, 3000);
        struct evict_rule rule = {(enum evict_order)random_below(&random, 4),
                                  random_below(&random, 2), true,
                                  1 + (uint32_t)random_below(&random, EVICT_SAMPLE_COUNT_MAX)};
        if (rule.order == EVICT_SOONEST) rule.volatile_only = true;
        fill(db, name, 1,
             random_below(&random, 4) ? ENTRY_NO_DEADLINE
                                      : clock_real_ms() + 1 + (int64_t)name * 10);
        if (round % 16 == 0) clock_advance_test(1);
        if (random_below(&random, 3) == 0) (void)!keyspace_evict(ks, &rule, 60000, 3);
        if (round % 1024 == 0) {
            EXPECT(db_agrees(db));
            keyspace_swap(ks, 0, 1 + (uint32_t)random_below(&random, 4));
        }
        if (round % 10000 == 9999) db_flush(db, true);
        keyspace_expire_cycle(ks, clock_real_ms(), 100);
    }
    EXPECT(keyspace_stats(ks)->evicted_count > 1000);
    keyspace_free(ks);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"evict_least_recent", test_least_recent},
        {"evict_least_frequent", test_least_frequent},
        {"evict_soonest", test_soonest},
        {"evict_random", test_random},
        {"evict_sparse", test_sparse},
        {"evict_hooks_and_bounds", test_hooks_and_bounds},
        {"evict_stale_pool", test_stale_pool},
        {"evict_objects", test_objects},
        {"evict_long_run", test_long_run},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
