/* Deadlines of an object's elements: the cycle removes them in time, and the accounts follow the object wherever it goes. */
#include "db/db.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "test.h"

/* An object of elements that are nothing but deadlines, in ascending order. */
enum { BAG_MAX = 1000 };
struct bag {
    int64_t earliest_ms; /* as the keyspace wants it: first */
    uint32_t count, first;
    int64_t deadlines_ms[BAG_MAX];
};

static int64_t bag_earliest_ms(const struct bag *bag) {
    return bag->count ? bag->deadlines_ms[bag->first] : ENTRY_NO_DEADLINE;
}
static struct bag *bag_new(uint32_t count, int64_t first_ms, int64_t step_ms) {
    struct bag *bag = mem_zalloc(sizeof *bag);
    bag->count = count;
    for (uint32_t i = 0; i < count; i++) bag->deadlines_ms[i] = first_ms + i * step_ms;
    bag->earliest_ms = bag_earliest_ms(bag);
    return bag;
}
static void bag_free(void *object) {
    mem_free(object);
}
static void *bag_try_copy(const void *object) {
    return memcpy(mem_alloc(sizeof(struct bag)), object, sizeof(struct bag));
}
static size_t bag_memory_bytes(const void *object) {
    return sizeof *(const struct bag *)object;
}
static uint64_t bag_expire_step(void **object, int64_t now_ms, uint64_t max, int64_t *earliest_ms,
                                bool *empty) {
    struct bag *bag = *object;
    uint64_t removed = 0;
    while (removed < max && bag->count > 0 && bag->deadlines_ms[bag->first] <= now_ms) {
        bag->first++;
        bag->count--;
        removed++;
    }
    *earliest_ms = bag->earliest_ms = bag_earliest_ms(bag);
    *empty = bag->count == 0;
    return removed;
}
static const struct value_ops bag_ops = {
    .free = bag_free,
    .try_copy = bag_try_copy,
    .memory_bytes = bag_memory_bytes,
    .expire_step = bag_expire_step,
    .expire_event = "bag expired",
};

static uint64_t key_hash(struct span key) {
    return hash_bytes(key.data, key.len);
}
static struct entry *find(struct db *db, struct span key) {
    return db_find(db, key, key_hash(key), 0);
}
static void put(struct db *db, struct span key, struct bag *bag) {
    int64_t earliest_ms = bag->earliest_ms;
    struct entry *old = find(db, key);
    struct entry *e =
        db_put_object(db, old, key, key_hash(key), ENTRY_HASH, bag, ENTRY_NO_DEADLINE);
    db_note_inner_deadline(db, e, key_hash(key), earliest_ms);
}
static uint32_t bag_count(struct db *db, struct span key) {
    struct entry *e = find(db, key);
    return e ? ((struct bag *)entry_object(e))->count : 0;
}

struct log {
    struct db_hook hook;
    uint32_t event_count, del_count, changed_count;
};
static void log_event(struct db_hook *hook, struct db *db, char event_class, const char *event,
                      struct span key) {
    struct log *log = (struct log *)hook;
    if (event_class == 'x' && strcmp(event, "bag expired") == 0) log->event_count++;
    if (event_class == 'g' && strcmp(event, "del") == 0) log->del_count++;
}
static void log_changed(struct db_hook *hook, struct db *db, struct span key) {
    ((struct log *)hook)->changed_count++;
}

static void test_inner_in_time(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 1);
    struct log log = {.hook = {.event = log_event, .changed = log_changed}};
    clock_set_test(1000, 50);
    keyspace_register(ks, ENTRY_HASH, &bag_ops);
    put(db, SPAN("a"), bag_new(10, 2000, 100));
    put(db, SPAN("endless"), bag_new(0, 0, 0));
    keyspace_hook(ks, &log.hook);
    EXPECT_INT(1, db->inner_count);
    EXPECT_INT(2000, keyspace_next_deadline_hint_ms(ks));
    EXPECT(!keyspace_expire_cycle(ks, clock_real_ms(), 1000));
    EXPECT_INT(10, bag_count(db, SPAN("a")));
    for (uint32_t i = 0; i < 10; i++) {
        clock_advance_test(i == 0 ? 1000 : 100);
        while (keyspace_expire_cycle(ks, clock_real_ms(), 1000)) continue;
        EXPECT_INT(9 - i, bag_count(db, SPAN("a")));
        table_check(&db->table);
    }
    EXPECT(!find(db, SPAN("a")) && find(db, SPAN("endless")));
    EXPECT_INT(0, db->inner_count);
    EXPECT_INT(10, log.event_count);
    EXPECT_INT(10, log.changed_count);
    EXPECT_INT(1, log.del_count);
    EXPECT_INT(10, keyspace_stats(ks)->expired_field_count);
    EXPECT_INT(ENTRY_NO_DEADLINE, keyspace_next_deadline_hint_ms(ks));
    keyspace_free(ks);
}

/* Many objects with much that is due: all of it goes, part by part. */
static void test_inner_mass(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    uint32_t rounds = 0;
    clock_set_test(1000, 50);
    keyspace_register(ks, ENTRY_HASH, &bag_ops);
    for (uint32_t i = 0; i < 300; i++) {
        put(db, span_make(&i, sizeof i), bag_new(BAG_MAX, i % 2 ? 2000 : 3000, 0));
    }
    EXPECT_INT(300, db->inner_count);
    clock_advance_test(1500);
    while (keyspace_expire_cycle(ks, clock_real_ms(), 100) && rounds < 1000000) rounds++;
    EXPECT_INT(150, db_count(db));
    EXPECT_INT(150 * BAG_MAX, keyspace_stats(ks)->expired_field_count);
    EXPECT(rounds > 10);
    table_check(&db->table);
    keyspace_free(ks);
}

static void test_inner_follows_object(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0), *other = keyspace_db(ks, 1);
    clock_set_test(1000, 50);
    keyspace_register(ks, ENTRY_HASH, &bag_ops);
    put(db, SPAN("a"), bag_new(5, 2000, 100));
    struct db_place copy = {.db = other, SPAN("copy"), key_hash(SPAN("copy"))};
    struct db_place b = {.db = db, SPAN("b"), key_hash(SPAN("b"))};
    EXPECT(db_copy(db, find(db, SPAN("a")), &copy));
    EXPECT_INT(1, other->inner_count);
    EXPECT(db_move(db, find(db, SPAN("a")), key_hash(SPAN("a")), &b));
    EXPECT_INT(1, db->inner_count);
    /* the entry's own deadline makes it move in memory */
    EXPECT(db_set_deadline(db, find(db, SPAN("b")), key_hash(SPAN("b")), 9000));
    EXPECT_INT(1, db->inner_count);
    EXPECT_INT(2000, entry_inner_deadline_ms(find(db, SPAN("b"))));
    table_check(&db->table);
    clock_advance_test(1150);
    while (keyspace_expire_cycle(ks, clock_real_ms(), 1000)) continue;
    EXPECT_INT(3, bag_count(db, SPAN("b")));
    EXPECT_INT(3, bag_count(other, SPAN("copy")));
    put(db, SPAN("b"), bag_new(2, 5000, 100));
    EXPECT_INT(1, db->inner_count);
    EXPECT_INT(ENTRY_NO_DEADLINE, entry_deadline_ms(find(db, SPAN("b"))));
    EXPECT(
        db_set_string(db, SPAN("b"), key_hash(SPAN("b")), SPAN("text"), NULL, ENTRY_NO_DEADLINE));
    EXPECT_INT(0, db->inner_count);
    EXPECT_INT(ENTRY_NO_DEADLINE, entry_inner_deadline_ms(find(db, SPAN("b"))));
    keyspace_swap(ks, 0, 1);
    EXPECT_INT(1, db->inner_count);
    db_note_inner_deadline(db, find(db, SPAN("copy")), key_hash(SPAN("copy")), ENTRY_NO_DEADLINE);
    EXPECT_INT(0, db->inner_count);
    put(db, SPAN("c"), bag_new(2, 5000, 100));
    db_remove(db, find(db, SPAN("c")), key_hash(SPAN("c")), true);
    EXPECT_INT(0, db->inner_count);
    put(db, SPAN("d"), bag_new(2, 5000, 100));
    db_flush(db, false);
    EXPECT_INT(0, db->inner_count);
    keyspace_free(ks);
}

/* A key that expires takes its elements with it. */
static void test_inner_and_outer(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    clock_set_test(1000, 50);
    keyspace_register(ks, ENTRY_HASH, &bag_ops);
    put(db, SPAN("a"), bag_new(5, 2000, 0));
    EXPECT(db_set_deadline(db, find(db, SPAN("a")), key_hash(SPAN("a")), 1500));
    clock_advance_test(2000);
    while (keyspace_expire_cycle(ks, clock_real_ms(), 1000)) continue;
    EXPECT_INT(0, db_count(db));
    EXPECT_INT(0, db->inner_count);
    EXPECT_INT(0, db->deadline_count);
    EXPECT_INT(1, keyspace_stats(ks)->expired_count);
    EXPECT_INT(0, keyspace_stats(ks)->expired_field_count);
    keyspace_free(ks);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"inner_in_time", test_inner_in_time},
        {"inner_mass", test_inner_mass},
        {"inner_follows_object", test_inner_follows_object},
        {"inner_and_outer", test_inner_and_outer},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
