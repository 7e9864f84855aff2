/* What the turn does between requests: the active expire cycle and freeing in steps. */
#include "db/db.h"

#include "support.h"

static void fill(struct db *db, uint32_t count, int64_t first_deadline_ms, int64_t step_ms) {
    for (uint32_t i = 0; i < count; i++) {
        set(db, span_make(&i, 4), SPAN("value"), first_deadline_ms + i * step_ms);
    }
}

struct counter {
    struct db_hook hook;
    uint64_t count;
};

static void count_expired(struct db_hook *hook, struct db *db, char event_class, const char *event,
                          struct span key) {
    if (event_class == 'x' && strcmp(event, "expired") == 0) ((struct counter *)hook)->count++;
}

/* Each key goes in its time: the hint says when, and nothing happens before. */
static void test_expire_in_time(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 5);
    struct counter counter = {.hook = {.event = count_expired}};
    clock_set_test(1000, 50);
    EXPECT_INT(ENTRY_NO_DEADLINE, keyspace_next_deadline_hint_ms(ks));
    EXPECT(!keyspace_expire_cycle(ks, clock_real_ms(), 1000));
    keyspace_hook(ks, &counter.hook);
    fill(db, 5000, 2000, 1);
    set(keyspace_db(ks, 2), SPAN("early"), SPAN("v"), 1500);
    EXPECT_INT(1500, keyspace_next_deadline_hint_ms(ks));
    EXPECT(!keyspace_expire_cycle(ks, clock_real_ms(), 1000));
    EXPECT_INT(5001, keyspace_key_count(ks));
    for (int64_t ms = 1001; ms < 7100; ms += 50) {
        clock_set_test(ms, ms - 950);
        EXPECT(!keyspace_expire_cycle(ks, ms, 1000));
        int64_t due = ms < 2000 ? 0 : MIN(ms - 1999, 5000);
        EXPECT_INT(5000 - due + (ms < 1500), keyspace_key_count(ks));
        EXPECT_INT(5000 - due, db->deadline_count);
    }
    EXPECT_INT(5001, keyspace_stats(ks)->expired_count);
    EXPECT_INT(5001, counter.count);
    EXPECT_INT(ENTRY_NO_DEADLINE, keyspace_next_deadline_hint_ms(ks));
    EXPECT_INT(0, keyspace_data_bytes(ks));
    keyspace_free(ks);
}

static void test_expire_off(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    clock_set_test(1000, 50);
    fill(db, 10, 1001, 0);
    clock_advance_test(10);
    keyspace_set_active_expire(ks, false);
    EXPECT(!keyspace_expire_cycle(ks, clock_real_ms(), 1000));
    EXPECT_INT(10, db_count(db));
    EXPECT(find(db, span_make("\0\0\0\0", 4)) == NULL); /* lookups go on */
    EXPECT_INT(9, db_count(db));
    keyspace_set_active_expire(ks, true);
    EXPECT(!keyspace_expire_cycle(ks, clock_real_ms(), 1000));
    EXPECT_INT(0, db_count(db));
    keyspace_free(ks);
}

/* With a real clock and next to no budget the work is done all the same, call after call, over all databases. */
static void test_expire_small_budget(void) {
    struct keyspace *ks = keyspace_new(NULL);
    uint32_t calls = 0;
    clock_init();
    for (uint32_t d = 0; d < 4; d++) {
        fill(keyspace_db(ks, d), 3000, clock_real_ms() + 1000, 0);
        set(keyspace_db(ks, d), SPAN("stays"), SPAN("v"), clock_real_ms() + 100000);
    }
    while (keyspace_expire_cycle(ks, clock_real_ms() + 1001, 1) && calls < 100000) calls++;
    EXPECT(calls > 20 && calls < 100000);
    EXPECT_INT(4, keyspace_key_count(ks));
    EXPECT_INT(12000, keyspace_stats(ks)->expired_count);
    for (uint32_t d = 0; d < 4; d++) EXPECT(db_agrees(keyspace_db(ks, d)));
    keyspace_free(ks);
}

/* A mass expiry is no reason to rest: what is due next goes at once. */
static void test_expire_goes_on_after_a_mass(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    clock_init();
    fill(db, 200000, clock_real_ms() + 1000, 0);
    while (keyspace_expire_cycle(ks, clock_real_ms() + 1000, 1000)) clock_refresh();
    EXPECT_INT(0, db_count(db));
    clock_refresh();
    EXPECT(db->expire_rest_ms - clock_mono_ms() < 100);
    keyspace_free(ks);
}

/* Deadlines that moved away leave a bound that is too early: one look, then it is exact. */
static void test_expire_hint_becomes_exact(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    struct entry *e;
    clock_set_test(1000, 50);
    e = set(db, SPAN("a"), SPAN("v"), 2000);
    e = db_set_deadline(db, e, key_hash(SPAN("a")), 9000);
    EXPECT_INT(2000, keyspace_next_deadline_hint_ms(ks));
    clock_advance_test(1500);
    EXPECT(!keyspace_expire_cycle(ks, clock_real_ms(), 1000));
    EXPECT_INT(9000, keyspace_next_deadline_hint_ms(ks));
    db_set_deadline(db, e, key_hash(SPAN("a")), ENTRY_NO_DEADLINE);
    EXPECT_INT(ENTRY_NO_DEADLINE, keyspace_next_deadline_hint_ms(ks));
    EXPECT_INT(0, db->deadline_sum_ms);
    keyspace_free(ks);
}

/* -- freeing in steps */

static void drain(struct keyspace *ks, uint32_t *steps) {
    for (*steps = 0; keyspace_lazy_pending(ks) && *steps < 1000000; (*steps)++) {
        keyspace_lazy_step(ks, 0);
    }
}

static void test_lazy_blob(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    size_t used_bytes = mem_used_bytes(), len = 9 * 1024 * 1024 + 777;
    char *bytes = malloc(len);
    struct entry *e;
    struct blob *held;
    uint32_t steps;
    clock_init();
    memset(bytes, 'x', len);
    e = set(db, SPAN("a"), span_make(bytes, len), ENTRY_NO_DEADLINE);
    db_remove(db, e, key_hash(SPAN("a")), true);
    EXPECT_INT(0, db->data_bytes);
    EXPECT_INT(1, keyspace_lazy_objects(ks));
    drain(ks, &steps);
    EXPECT(steps >= 9 && steps < 20);
    e = set(db, SPAN("a"), span_make(bytes, len), ENTRY_NO_DEADLINE);
    held = blob_ref(entry_blob(e)); /* a send in flight: the bytes stay */
    set(db, SPAN("a"), SPAN("small"), ENTRY_NO_DEADLINE);
    EXPECT(!keyspace_lazy_pending(ks));
    EXPECT_SPAN(span_make(bytes, len), blob_span(held));
    blob_unref(held);
    set(db, SPAN("a"), span_make(bytes, len), ENTRY_NO_DEADLINE);
    set(db, SPAN("a"), SPAN("small"), ENTRY_NO_DEADLINE); /* overwriting queues too */
    EXPECT_INT(1, keyspace_lazy_objects(ks));
    db_flush(db, false);
    drain(ks, &steps);
    EXPECT_INT(2, keyspace_stats(ks)->lazy_freed_count);
    EXPECT_INT(used_bytes, mem_used_bytes());
    free(bytes);
    keyspace_free(ks);
}

static void test_lazy_object(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    struct span key = SPAN("a");
    struct entry *e;
    uint32_t steps;
    keyspace_register(ks, ENTRY_LIST, &thing_ops);
    e = db_put_object(db, NULL, key, key_hash(key), ENTRY_LIST, thing_new(50, 1000),
                      ENTRY_NO_DEADLINE);
    db_remove(db, e, key_hash(key), true);
    EXPECT_INT(1, thing_count);
    drain(ks, &steps);
    EXPECT_INT(16, steps);
    EXPECT_INT(0, thing_count);
    e = db_put_object(db, NULL, key, key_hash(key), ENTRY_LIST, thing_new(50, 1000),
                      ENTRY_NO_DEADLINE);
    db_remove(db, e, key_hash(key), false);
    EXPECT_INT(0, thing_count);
    e = db_put_object(db, NULL, key, key_hash(key), ENTRY_LIST, thing_new(50, 10),
                      ENTRY_NO_DEADLINE);
    db_remove(db, e, key_hash(key), true);
    EXPECT_INT(0, thing_count); /* little effort: at once */
    keyspace_free(ks);
}

static void test_lazy_flush(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    size_t used_bytes = mem_used_bytes();
    uint32_t steps;
    clock_init();
    keyspace_register(ks, ENTRY_LIST, &thing_ops);
    fill(db, 20000, clock_real_ms() + 1000, 1);
    for (uint32_t i = 0; i < 5; i++) {
        struct span key = span_make(&i, 3);
        db_put_object(db, NULL, key, key_hash(key), ENTRY_LIST, thing_new(1, 100),
                      ENTRY_NO_DEADLINE);
    }
    db_flush(db, true);
    EXPECT_INT(0, db_count(db));
    EXPECT_INT(0, keyspace_data_bytes(ks));
    EXPECT_INT(0, db->deadline_count);
    EXPECT_INT(20005, keyspace_lazy_objects(ks));
    fill(db, 100, clock_real_ms() + 1000, 1);
    drain(ks, &steps);
    EXPECT(steps > 30);
    EXPECT_INT(0, thing_count);
    EXPECT(db_agrees(db) && db_count(db) == 100);
    keyspace_flush(ks, false);
    EXPECT_INT(used_bytes, mem_used_bytes());
    keyspace_free(ks);
}

/* Freeing the keyspace frees what waits. */
static void test_free_drains(void) {
    size_t used_bytes = mem_used_bytes(), len = 2 * 1024 * 1024;
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    char *bytes = calloc(1, len);
    keyspace_register(ks, ENTRY_LIST, &thing_ops);
    fill(db, 1000, clock_real_ms() + 1000, 1);
    set(db, SPAN("large"), span_make(bytes, len), ENTRY_NO_DEADLINE);
    db_put_object(db, NULL, SPAN("l"), key_hash(SPAN("l")), ENTRY_LIST, thing_new(1, 100),
                  ENTRY_NO_DEADLINE);
    db_flush(db, true);
    EXPECT(keyspace_lazy_pending(ks));
    fill(db, 1000, clock_real_ms() + 1000, 1);
    keyspace_free(ks);
    EXPECT_INT(0, thing_count);
    EXPECT_INT(used_bytes, mem_used_bytes());
    free(bytes);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"db_expire_in_time", test_expire_in_time},
        {"db_expire_off", test_expire_off},
        {"db_expire_small_budget", test_expire_small_budget},
        {"db_expire_goes_on_after_a_mass", test_expire_goes_on_after_a_mass},
        {"db_expire_hint_becomes_exact", test_expire_hint_becomes_exact},
        {"db_lazy_blob", test_lazy_blob},
        {"db_lazy_object", test_lazy_object},
        {"db_lazy_flush", test_lazy_flush},
        {"db_free_drains", test_free_drains},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
