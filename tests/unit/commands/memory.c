/* Commands that replace or move values, with their first, second, ... allocation refused: each time they answer the error, and every
 * database is as it was before. */
#include "fake_host.h"

#include "commands/digest.h"

enum { FAILURES_MAX = 200 };

static const struct command *const families[] = {
    commands_string, commands_keys,        commands_list,  commands_set,
    commands_zset,   commands_hash,        commands_geo,   commands_bitmap,
    commands_sort,   commands_hyperloglog, commands_stream};

static void set_up(struct session *s) {
    static const char *const steps[] = {
        "FLUSHALL",
        "MSET s one t two",
        "SETBIT bits 80000 1",
        "SETBIT more 90000 1",
        "RPUSH l 3 1 2",
        "RPUSH l2 a b c",
        "SADD set a b c 0123456789012345678901234567890123456789012345678901234567890123456789",
        "SADD set2 b c d",
        "SADD ints 1 2 3",
        "ZADD z 1 a 2 b 3 c",
        "ZADD z2 1 b 2 c 3 d",
        "HSET h f v g w",
        "GEOADD geo 13.361389 38.115556 Palermo 15.087269 37.502669 Catania",
        "PFADD p a b c",
        "PFADD q d e f",
        "XADD x 1-1 f v",
        "SET timed v PX 100000",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(steps); i++) fake_run(s, steps[i]);
}

static void check(struct session *s, const char *command) {
    int failures = 0;
    for (uint64_t n = 1; n <= FAILURES_MAX; n++) {
        set_up(s);
        uint8_t before[DIGEST_BYTES], after[DIGEST_BYTES];
        digest_keyspace(fake.host.keyspace, before);
        mem_test_fail_at(n);
        struct span reply = fake_run(s, command);
        mem_test_fail_at(0);
        if (!span_eq(reply, SPAN("-" ERROR_MEMORY_TEXT "\r\n"))) break;
        failures++;
        digest_keyspace(fake.host.keyspace, after);
        if (memcmp(before, after, sizeof before) != 0) {
            test_fail(__FILE__, __LINE__, "%s: allocation %d refused, and keys have changed",
                      command, (int)n);
        }
    }
    if (failures == 0 || failures == FAILURES_MAX) {
        test_fail(__FILE__, __LINE__, "%s: %d failures", command, failures);
    }
}

static void test_atomic(void) {
    static const char *const commands[] = {
        "RENAME s t",
        "RENAME s set",
        "RENAME timed z",
        "RENAME set new",
        "RENAMENX z new",
        "MOVE s 1",
        "COPY s t REPLACE",
        "COPY set t REPLACE",
        "COPY bits s REPLACE",
        "COPY z l REPLACE",
        "COPY h s REPLACE",
        "COPY l set REPLACE",
        "COPY x z REPLACE",
        "COPY s new DB 1",
        "SINTERSTORE s set set2",
        "SUNIONSTORE set set set2",
        "SDIFFSTORE z set set2",
        "ZUNIONSTORE z 2 z z2",
        "ZINTERSTORE s 2 z z2",
        "ZDIFFSTORE set 2 z z2",
        "ZRANGESTORE new z 0 2",
        "SORT l STORE s",
        "SORT l2 ALPHA STORE l",
        "GEOSEARCHSTORE z geo FROMLONLAT 15 37 BYRADIUS 200 km",
        "BITOP OR s bits more",
        "BITOP NOT bits s",
        "PFMERGE new p q",
        "LMOVE l new LEFT RIGHT",
        "SMOVE set new a",
        "SET s 0123456789012345678901234567890 EX 100",
        "GETSET s 0123456789012345678901234567890123456789",
        "APPEND s 0123456789012345678901234567890123456789",
    };
    fake_begin(families, ARRAY_LENGTH(families));
    fake.settings = (struct settings){.proto_max_bulk_bytes = 1024 * 1024,
                                      .hll_sparse_max_bytes = 3000,
                                      .list_max_listpack_size = -2,
                                      .set_max_intset_entries = 512,
                                      .set_max_listpack_entries = 2,
                                      .set_max_listpack_value_bytes = 64,
                                      .zset_max_listpack_entries = 2,
                                      .zset_max_listpack_value_bytes = 64,
                                      .hash_max_listpack_entries = 1,
                                      .hash_max_listpack_value_bytes = 64,
                                      .stream_node_max_bytes = 4096,
                                      .stream_node_max_entries = 100};
    struct keyspace *ks = fake.host.keyspace;
    keyspace_register(ks, ENTRY_LIST, &list_value_ops);
    keyspace_register(ks, ENTRY_SET, &set_value_ops);
    keyspace_register(ks, ENTRY_ZSET, &zset_value_ops);
    keyspace_register(ks, ENTRY_HASH, &hash_value_ops);
    keyspace_register(ks, ENTRY_STREAM, &stream_value_ops);
    struct session *s = fake_session();
    for (size_t i = 0; i < ARRAY_LENGTH(commands); i++) check(s, commands[i]);
    session_free(s);
    fake_end();
}

int main(int argc, char **argv) {
    static const struct test tests[] = {{"memory_atomic", test_atomic}};
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
