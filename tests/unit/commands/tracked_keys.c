#include "test.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/random.h"
#include "commands/tracked_keys.h"

static struct tracked_keys keys;
static uint32_t living_from; /* readers below are gone */

static bool is_alive(uint32_t reader, void *context) {
    return reader >= *(const uint32_t *)context;
}

static void begin(void) {
    hash_seed_set(1, 2);
    living_from = 0;
    tracked_keys_init(&keys, is_alive, &living_from);
}

static uint64_t hash_of(struct span name) {
    return hash_bytes(name.data, name.len);
}

static int add(const char *name, uint32_t reader) {
    return tracked_keys_add(&keys, span_of(name), hash_of(span_of(name)), reader);
}

static struct tracked_key *take(const char *name) {
    return tracked_keys_take(&keys, span_of(name), hash_of(span_of(name)));
}

static void test_readers(void) {
    begin();
    EXPECT_INT(1, add("k", 7));
    EXPECT_INT(0, add("k", 7));
    EXPECT_INT(1, add("k", 3));
    EXPECT_INT(1, add("k", 9));
    EXPECT_INT(1, add("", 3));
    EXPECT_INT(2, keys.table.count);
    EXPECT_INT(4, keys.reader_count);
    EXPECT(take("none") == NULL);
    struct tracked_key *k = take("k");
    EXPECT_SPAN(SPAN("k"), tracked_key_name(k));
    EXPECT_INT(3, k->count);
    EXPECT_INT(3, k->readers[0]);
    EXPECT_INT(7, k->readers[1]);
    EXPECT_INT(9, k->readers[2]);
    mem_free(k);
    EXPECT(take("k") == NULL);
    EXPECT_INT(1, keys.reader_count);
    tracked_keys_release(&keys);
}

/* Many readers of one key, in any order: each once, ascending. */
static void test_many_readers(void) {
    enum { COUNT = 5000 };
    struct random random;
    begin();
    random_init(&random, test_seed());
    bool added[COUNT] = {false};
    uint32_t different = 0;
    for (int i = 0; i < 3 * COUNT; i++) {
        uint32_t reader = (uint32_t)random_below(&random, COUNT);
        EXPECT_INT(!added[reader], add("key", reader));
        different += !added[reader];
        added[reader] = true;
    }
    EXPECT_INT(different, keys.reader_count);
    struct tracked_key *k = take("key");
    EXPECT_INT(different, k->count);
    for (uint32_t i = 0; i < k->count; i++) {
        EXPECT(added[k->readers[i]]);
        EXPECT(i == 0 || k->readers[i - 1] < k->readers[i]);
    }
    mem_free(k);
    tracked_keys_release(&keys);
}

/* Readers come and go: those that are gone take no more room than as many living ones. */
static void test_stale(void) {
    begin();
    for (uint32_t reader = 0; reader < 100000; reader++) {
        EXPECT_INT(1, add("key", reader));
        if (reader >= 10) living_from = reader - 9;
    }
    EXPECT(keys.reader_count <= 64);
    struct tracked_key *k = take("key");
    EXPECT(k->capacity <= 64);
    EXPECT_INT(99999, k->readers[k->count - 1]);
    EXPECT_INT(0, keys.reader_count);
    mem_free(k);
    tracked_keys_release(&keys);
}

static void test_random_and_forget(void) {
    struct random random;
    char name[16];
    begin();
    random_init(&random, test_seed());
    EXPECT(tracked_keys_take_random(&keys, &random) == NULL);
    for (int i = 0; i < 20000; i++) {
        snprintf(name, sizeof name, "key:%d", i);
        EXPECT_INT(1, add(name, 1));
    }
    for (int i = 0; i < 10000; i++) {
        struct tracked_key *k = tracked_keys_take_random(&keys, &random);
        EXPECT(k != NULL);
        mem_free(k);
    }
    EXPECT_INT(10000, keys.table.count);
    EXPECT_INT(10000, keys.reader_count);
    EXPECT(!tracked_keys_pending(&keys));
    tracked_keys_forget(&keys);
    EXPECT_INT(0, keys.table.count);
    EXPECT_INT(0, keys.reader_count);
    EXPECT_INT(1, add("key:1", 2));
    tracked_keys_forget(&keys);
    EXPECT_INT(1, add("key:1", 3));
    EXPECT(tracked_keys_pending(&keys));
    while (tracked_keys_free_step(&keys)) continue;
    EXPECT(!tracked_keys_pending(&keys));
    struct tracked_key *k = take("key:1");
    EXPECT_INT(1, k->count);
    EXPECT_INT(3, k->readers[0]);
    mem_free(k);
    tracked_keys_release(&keys);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {{"tracked_keys_readers", test_readers},
                                        {"tracked_keys_many_readers", test_many_readers},
                                        {"tracked_keys_stale", test_stale},
                                        {"tracked_keys_random_and_forget", test_random_and_forget}};
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
