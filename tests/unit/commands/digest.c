#include "fake_host.h"

#include "commands/digest.h"

static void begin(void) {
    static const struct command *const tables[] = {commands_connection};
    fake_begin(tables, 1);
}

static void set(uint32_t db_number, const char *key, const char *value, int64_t deadline_ms) {
    struct db *db = keyspace_db(fake.host.keyspace, db_number);
    struct span name = span_of(key);
    db_set_string(db, name, hash_bytes(name.data, name.len), span_of(value), NULL, deadline_ms);
}

static struct span digest(void) {
    static uint8_t bytes[2][DIGEST_BYTES];
    static int turn;
    turn ^= 1;
    digest_keyspace(fake.host.keyspace, bytes[turn]);
    return span_make(bytes[turn], DIGEST_BYTES);
}

static void test_empty(void) {
    static const uint8_t zero[DIGEST_BYTES];
    begin();
    EXPECT_SPAN(span_make(zero, DIGEST_BYTES), digest());
    fake_end();
}

/* Every change shows, and undoing it brings the old fingerprint back. */
static void test_changes(void) {
    static const struct {
        uint32_t db;
        const char *key, *value;
        int64_t deadline_ms;
    } changes[] = {
        {0, "a", "2", ENTRY_NO_DEADLINE}, {0, "b", "1", ENTRY_NO_DEADLINE},
        {1, "a", "1", ENTRY_NO_DEADLINE}, {0, "a", "1", 1800000000000},
        {0, "", "", ENTRY_NO_DEADLINE},   {0, "a1", "", ENTRY_NO_DEADLINE},
    };
    uint8_t before[DIGEST_BYTES];
    begin();
    set(0, "a", "1", ENTRY_NO_DEADLINE);
    memcpy(before, digest().data, DIGEST_BYTES);
    for (size_t i = 0; i < ARRAY_LENGTH(changes); i++) {
        set(changes[i].db, changes[i].key, changes[i].value, changes[i].deadline_ms);
        EXPECT(!span_eq(span_make(before, DIGEST_BYTES), digest()));
        db_flush(keyspace_db(fake.host.keyspace, changes[i].db), false);
        set(0, "a", "1", ENTRY_NO_DEADLINE);
        EXPECT_SPAN(span_make(before, DIGEST_BYTES), digest());
    }
    fake_end();
}

static void test_order(void) {
    uint8_t forward[DIGEST_BYTES];
    char key[16];
    begin();
    for (int i = 0; i < 1000; i++) {
        snprintf(key, sizeof key, "key:%d", i);
        set(0, key, "value", ENTRY_NO_DEADLINE);
    }
    memcpy(forward, digest().data, DIGEST_BYTES);
    fake_end();
    begin();
    hash_seed_set(77, 78); /* another process */
    for (int i = 999; i >= 0; i--) {
        snprintf(key, sizeof key, "key:%d", i);
        set(0, key, "value", ENTRY_NO_DEADLINE);
    }
    EXPECT_SPAN(span_make(forward, DIGEST_BYTES), digest());
    fake_end();
}

/* The same values in other encodings and orders. */
static void fill(struct session *s, int64_t limit, bool backward) {
    char line[64];
    fake.settings.list_max_listpack_size = limit;
    fake.settings.set_max_intset_entries = fake.settings.set_max_listpack_entries = limit;
    fake.settings.hash_max_listpack_entries = fake.settings.zset_max_listpack_entries = limit;
    fake.settings.set_max_listpack_value_bytes = fake.settings.hash_max_listpack_value_bytes = 64;
    fake.settings.zset_max_listpack_value_bytes = 64;
    fake.settings.stream_node_max_entries = limit;
    for (int i = 0; i < 100; i++) {
        int n = backward ? 99 - i : i;
        snprintf(line, sizeof line, "rpush list %d", i);
        fake_run(s, line);
        snprintf(line, sizeof line, "sadd set m%d", n);
        fake_run(s, line);
        snprintf(line, sizeof line, "sadd numbers %d", n);
        fake_run(s, line);
        snprintf(line, sizeof line, "hset hash f%d v%d", n, n);
        fake_run(s, line);
        snprintf(line, sizeof line, "xadd stream %d-1 f%d v", i + 1, i % 3);
        fake_run(s, line);
        snprintf(line, sizeof line, "zadd zset %d m%d", n % 7, n);
        fake_run(s, line);
    }
}

static void test_types(void) {
    static const struct command *const tables[] = {commands_list, commands_set, commands_hash,
                                                   commands_zset, commands_stream};
    static const char *const changes[] = {
        "lset list 5 x",         "rpop list",       "srem set m5",
        "sadd set more",         "srem numbers 5",  "hset hash f5 other",
        "hdel hash f6",          "zadd zset 50 m5", "zrem zset m6",
        "xadd stream 500-1 f v", "xdel stream 7-1",
    };
    uint8_t small[DIGEST_BYTES], last[DIGEST_BYTES];
    fake_begin(tables, ARRAY_LENGTH(tables));
    keyspace_register(fake.host.keyspace, ENTRY_LIST, &list_value_ops);
    keyspace_register(fake.host.keyspace, ENTRY_SET, &set_value_ops);
    keyspace_register(fake.host.keyspace, ENTRY_HASH, &hash_value_ops);
    keyspace_register(fake.host.keyspace, ENTRY_ZSET, &zset_value_ops);
    keyspace_register(fake.host.keyspace, ENTRY_STREAM, &stream_value_ops);
    struct session *s = fake_session();
    fill(s, 1000, false);
    memcpy(small, digest().data, DIGEST_BYTES);
    keyspace_flush(fake.host.keyspace, false);
    fill(s, 4, true);
    EXPECT_SPAN(span_make(small, DIGEST_BYTES), digest());
    for (size_t i = 0; i < ARRAY_LENGTH(changes); i++) {
        memcpy(last, digest().data, DIGEST_BYTES);
        EXPECT(fake_run(s, changes[i]).data[0] != '-');
        EXPECT(!span_eq(span_make(last, DIGEST_BYTES), digest()));
    }
    fake_end();
}

int main(int argc, char **argv) {
    static const struct test tests[] = {{"digest_empty", test_empty},
                                        {"digest_changes", test_changes},
                                        {"digest_order", test_order},
                                        {"digest_types", test_types}};
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
