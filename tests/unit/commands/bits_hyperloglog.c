/* Bits of strings and HyperLogLog: the events that each command tells of, what a watcher sees, and what happens when memory for a value
 * is not to be had. */
#include "fake_host.h"

#include "base/list.h"

enum { FAILURES_MAX = 20 };

static const struct command *const families[] = {commands_string, commands_keys, commands_bitmap,
                                                 commands_hyperloglog};

static struct session *begin(void) {
    fake_begin(families, ARRAY_LENGTH(families));
    fake.settings.proto_max_bulk_bytes = 1024 * 1024;
    fake.settings.hll_sparse_max_bytes = 3000;
    return fake_session();
}

static void end(struct session *s) {
    session_free(s);
    fake_end();
}

/* ---- events; a change is a '*' */

static struct buf events;

static void note_event(struct db_hook *hook, struct db *db, char event_class, const char *event,
                       struct span key) {
    if (events.len) buf_put_char(&events, ' ');
    buf_printf(&events, "%c:%s:%.*s", event_class, event, (int)key.len, key.data);
}

static void note_change(struct db_hook *hook, struct db *db, struct span key) {
    if (events.len == 0 || events.data[events.len - 1] != '*') buf_put_char(&events, '*');
}

struct step {
    const char *command, *reply, *events;
};

static void run_steps(const struct step *steps, size_t count) {
    struct db_hook hook = {.event = note_event, .changed = note_change};
    struct session *s = begin();
    keyspace_hook(fake.host.keyspace, &hook);
    for (size_t i = 0; i < count; i++) {
        buf_clear(&events);
        struct span reply = fake_run(s, steps[i].command);
        if (!span_eq(reply, span_of(steps[i].reply)) ||
            !span_eq(buf_span(&events), span_of(steps[i].events))) {
            test_fail(__FILE__, __LINE__, "%s: got \"%.*s\", events \"%.*s\", expected \"%s\"",
                      steps[i].command, (int)reply.len, reply.data, (int)events.len, events.data,
                      steps[i].events);
        }
    }
    keyspace_unhook(fake.host.keyspace, &hook);
    end(s);
    buf_release(&events);
}

static void test_bit_events(void) {
    static const struct step steps[] = {
        {"GETBIT k 1", ":0\r\n", "m:keymiss:k"},
        {"SETBIT k 7 0", ":0\r\n", "n:new:k* $:setbit:k"},
        {"SETBIT k 7 0", ":0\r\n", ""},
        {"SETBIT k 7 1", ":0\r\n", "* $:setbit:k"},
        {"SETBIT k 8 0", ":0\r\n", "* $:setbit:k"},
        {"BITFIELD k GET u8 0", "*1\r\n:1\r\n", ""},
        {"BITFIELD k SET u8 0 1", "*1\r\n:1\r\n", ""},
        {"BITFIELD k SET u8 0 2 INCRBY u8 0 -1", "*2\r\n:1\r\n:1\r\n", "* $:setbit:k"},
        {"BITFIELD k OVERFLOW FAIL INCRBY u2 0 9", "*1\r\n$-1\r\n", ""},
        {"BITOP NOT j k", ":2\r\n", "n:new:j* $:set:j"},
        {"BITOP NOT j k", ":2\r\n", "* $:set:j"},
        {"BITOP OR j missing", ":0\r\n", "m:keymiss:missing* g:del:j"},
        {"BITOP OR j missing", ":0\r\n", "m:keymiss:missing"},
    };
    run_steps(steps, ARRAY_LENGTH(steps));
}

static void test_hyperloglog_events(void) {
    static const struct step steps[] = {
        {"PFADD k", ":1\r\n", "n:new:k* $:pfadd:k"},
        {"PFADD k", ":0\r\n", ""},
        {"PFADD k a", ":1\r\n", "* $:pfadd:k"},
        {"PFADD k a", ":0\r\n", ""},
        {"PFCOUNT k", ":1\r\n", "*"},
        {"PFCOUNT k", ":1\r\n", ""},
        {"PFCOUNT k j", ":1\r\n", "m:keymiss:j"},
        {"PFDEBUG TODENSE k", ":1\r\n", "*"},
        {"PFCOUNT k", ":1\r\n", ""},
        {"PFADD k a", ":0\r\n", ""},
        {"PFADD k b c", ":1\r\n", "* $:pfadd:k"},
        {"PFMERGE j k", "+OK\r\n", "m:keymiss:j n:new:j* $:pfadd:j"},
        {"PFMERGE j k", "+OK\r\n", "* $:pfadd:j"},
    };
    run_steps(steps, ARRAY_LENGTH(steps));
}

/* ---- refused memory: everything is as before, and the next try works */

static void check_failures(const char *setup, const char *command) {
    struct session *s = begin();
    struct buf before = {0};
    int failures = 0;
    for (uint64_t n = 1; n < FAILURES_MAX; n++) {
        fake_run(s, "DEL k d");
        fake_run(s, "SET j 0123456789");
        fake_run(s, setup);
        buf_clear(&before);
        buf_put_span(&before, fake_run(s, "GET k"));
        mem_test_fail_at(n);
        struct span reply = fake_run(s, command);
        mem_test_fail_at(0);
        if (!span_eq(reply, SPAN("-" ERROR_MEMORY_TEXT "\r\n"))) break;
        failures++;
        EXPECT_SPAN(buf_span(&before), fake_run(s, "GET k"));
        EXPECT_SPAN(SPAN("$-1\r\n"), fake_run(s, "GET d"));
    }
    if (failures == 0 || failures == FAILURES_MAX - 1) {
        test_fail(__FILE__, __LINE__, "%s: %d failures", command, failures);
    }
    buf_release(&before);
    end(s);
}

static void test_memory(void) {
    check_failures("DEL k", "SETBIT k 7 1");
    check_failures("DEL k", "SETBIT k 70000 1");
    check_failures("SET k v", "SETBIT k 70000 1");
    check_failures("DEL k", "BITFIELD k SET u8 0 1 SET u8 70000 1");
    check_failures("SET k v", "BITFIELD k GET u8 0 SET u8 70000 1");
    check_failures("SETBIT k 70000 1", "BITOP NOT d k");
    check_failures("SET k v", "BITOP NOT d k");
    check_failures("DEL k", "PFADD k a b c");
    check_failures("PFADD k a", "PFADD k b c d e f g h i j l m n o p q r s t u v w");
    check_failures("PFADD k a", "PFMERGE d k");
    check_failures("PFADD k a", "PFDEBUG TODENSE k");
}

/* ---- BITOP into the bytes of an old value that is large, which may be a source and may be held by a reply */

static void test_large_target(void) {
    struct session *s = begin();
    struct keyspace *ks = fake.host.keyspace;
    struct db *db = keyspace_db(ks, 0);
    fake_run(s, "SETBIT a 80000 1");
    fake_run(s, "SETBIT b 80001 1");
    fake_run(s, "SETBIT o 80007 1");
    fake_run(s, "EXPIRE o 1000");
    struct span key = SPAN("o");
    uint64_t hash = hash_bytes(key.data, key.len);
    struct blob *blob = entry_blob(db_find_for_write(db, key, hash));
    EXPECT_SPAN(SPAN(":10001\r\n"), fake_run(s, "BITOP OR o o a b"));
    EXPECT(entry_blob(db_find_for_write(db, key, hash)) == blob);
    EXPECT((uint8_t)blob->data[10000] == 0xc1 && blob->len == 10001);
    EXPECT_SPAN(SPAN(":-1\r\n"), fake_run(s, "TTL o"));
    blob_ref(blob);
    EXPECT_SPAN(SPAN(":10001\r\n"), fake_run(s, "BITOP XOR o a o"));
    struct blob *other = entry_blob(db_find_for_write(db, key, hash));
    EXPECT(other != blob && (uint8_t)other->data[10000] == 0x41);
    EXPECT((uint8_t)blob->data[10000] == 0xc1);
    blob_unref(blob);
    end(s);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {{"bit_events", test_bit_events},
                                        {"hyperloglog_events", test_hyperloglog_events},
                                        {"bits_memory", test_memory},
                                        {"bits_large_target", test_large_target}};
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
