/* Strings and keys: the events that each command tells of, and what happens when memory for a value is not to be had. */
#include "fake_host.h"

#include "base/list.h"

enum { FAILURES_MAX = 20, LONG_BYTES = 5000 };

static const struct command *const families[] = {commands_string, commands_keys};

/* ---- events */

static struct buf events;

static void note_event(struct db_hook *hook, struct db *db, char event_class, const char *event,
                       struct span key) {
    (void)hook;
    if (events.len) buf_put_char(&events, ' ');
    if (db->number) buf_printf(&events, "%u", db->number);
    buf_printf(&events, "%c:%s:%.*s", event_class, event, (int)key.len, key.data);
}

struct step {
    const char *command, *reply, *events;
};

static void run_steps(const struct step *steps, size_t count) {
    struct db_hook hook = {.event = note_event};
    fake_begin(families, ARRAY_LENGTH(families));
    fake.settings.proto_max_bulk_bytes = 1024 * 1024;
    struct session *s = fake_session();
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
    session_free(s);
    fake_end();
    buf_release(&events);
}

static void test_string_events(void) {
    static const struct step steps[] = {
        {"GET k", "$-1\r\n", "m:keymiss:k"},
        {"SET k 1", "+OK\r\n", "n:new:k $:set:k"},
        {"SET k 2", "+OK\r\n", "$:set:k"},
        {"GET k", "$1\r\n2\r\n", ""},
        {"SET k 3 NX", "$-1\r\n", ""},
        {"SET k 3 EX 10", "+OK\r\n", "$:set:k g:expire:k"},
        {"SET k 3 XX KEEPTTL", "+OK\r\n", "$:set:k"},
        {"SET k 4 GET PXAT 1700000001000", "$1\r\n3\r\n", "$:set:k g:expire:k"},
        {"SET k 5 IFEQ 3", "$-1\r\n", ""},
        {"SET k 5 PXAT 1700000000000", "+OK\r\n", "x:expired:k"},
        {"SET k 5 EXAT 1", "+OK\r\n", ""},
        {"SETNX k 1", ":1\r\n", "n:new:k $:set:k"},
        {"SETEX k 10 1", "+OK\r\n", "$:set:k g:expire:k"},
        {"GETSET k 2", "$1\r\n1\r\n", "$:set:k"},
        {"GETEX k", "$1\r\n2\r\n", ""},
        {"GETEX k PERSIST", "$1\r\n2\r\n", ""},
        {"GETEX k EX 5", "$1\r\n2\r\n", "g:expire:k"},
        {"GETEX k PERSIST", "$1\r\n2\r\n", "g:persist:k"},
        {"GETEX k EXAT 1", "$1\r\n2\r\n", "x:expired:k"},
        {"INCR k", ":1\r\n", "n:new:k $:incrby:k"},
        {"DECRBY k 3", ":-2\r\n", "$:incrby:k"},
        {"INCRBYFLOAT k 1.5", "$4\r\n-0.5\r\n", "$:incrbyfloat:k"},
        {"APPEND k x", ":5\r\n", "$:append:k"},
        {"SETRANGE k 0 yy", ":5\r\n", "$:setrange:k"},
        {"GETDEL k", "$5\r\nyy.5x\r\n", "g:del:k"},
        {"APPEND k x", ":1\r\n", "n:new:k $:append:k"},
        {"DELIFEQ k y", ":0\r\n", ""},
        {"DELIFEQ k x", ":1\r\n", "g:del:k"},
        {"SETRANGE k 1 z", ":2\r\n", "n:new:k $:setrange:k"},
        {"MSET a 1 k 2", "+OK\r\n", "n:new:a $:set:a $:set:k"},
        {"MSETNX b 1 k 2", ":0\r\n", ""},
        {"MGET a x", "*2\r\n$1\r\n1\r\n$-1\r\n", "m:keymiss:x"},
        {"MSETEX 2 a 1 k 2 XX EX 9", ":1\r\n", "$:set:a g:expire:a $:set:k g:expire:k"},
        {"STRLEN x", ":0\r\n", "m:keymiss:x"},
    };
    run_steps(steps, ARRAY_LENGTH(steps));
}

static void test_key_events(void) {
    static const struct step steps[] = {
        {"MSET a 1 b 2 c 3", "+OK\r\n", "n:new:a $:set:a n:new:b $:set:b n:new:c $:set:c"},
        {"EXISTS a x", ":1\r\n", "m:keymiss:x"},
        {"TYPE x", "+none\r\n", "m:keymiss:x"},
        {"TTL x", ":-2\r\n", "m:keymiss:x"},
        {"OBJECT ENCODING x", "$-1\r\n", ""},
        {"DEL a x", ":1\r\n", "g:del:a"},
        {"RENAME b d", "+OK\r\n", "n:new:d g:rename_from:b g:rename_to:d"},
        {"RENAME d c", "+OK\r\n", "n:new:c g:rename_from:d g:rename_to:c"},
        {"RENAMENX c c", ":0\r\n", ""},
        {"COPY c e", ":1\r\n", "n:new:e g:copy_to:e"},
        {"COPY c e DB 1", ":1\r\n", "1n:new:e 1g:copy_to:e"},
        {"MOVE c 1", ":1\r\n", "1n:new:c g:move_from:c 1g:move_to:c"},
        {"EXPIRE e 10", ":1\r\n", "g:expire:e"},
        {"EXPIRE e 5 GT", ":0\r\n", ""},
        {"PERSIST e", ":1\r\n", "g:persist:e"},
        {"PERSIST e", ":0\r\n", ""},
        {"EXPIRE e -1", ":1\r\n", "x:expired:e"},
        {"EXPIRE e 10", ":0\r\n", ""},
        {"UNLINK e", ":0\r\n", ""},
    };
    run_steps(steps, ARRAY_LENGTH(steps));
}

/* ---- memory */

static char long_text[LONG_BYTES + 1];

/* Runs `command` with its first, second, ... allocation failing until it gets through: every time before that it must answer the
 * error, once, and leave the key as `setup` made it, or without it. */
static int count_failures(const char *setup, const char *command) {
    static const char error[] = "-" ERROR_MEMORY_TEXT "\r\n";
    struct session *s = fake_session();
    int failures = 0;
    for (uint64_t n = 1; n <= FAILURES_MAX; n++) {
        fake_run(s, "FLUSHALL");
        fake_run(s, setup);
        mem_test_fail_at(n);
        struct span reply = fake_run(s, command);
        mem_test_fail_at(0);
        if (!span_eq(reply, span_of(error))) break;
        failures++;
        fake_run(s, "GET k");
        fake_run(s, "DBSIZE");
    }
    session_free(s);
    return failures;
}

static void check_failures(const char *setup, const char *command) {
    int failures = count_failures(setup, command);
    if (failures == 0 || failures == FAILURES_MAX) {
        test_fail(__FILE__, __LINE__, "%.60s: %d failures", command, failures);
    }
}

/* The pattern with the long text for each '%'. */
static const char *with_long(const char *pattern) {
    static struct buf out;
    buf_clear(&out);
    if (!pattern) buf_release(&out);
    for (const char *at = pattern; at && *at; at++) {
        if (*at == '%') {
            buf_put_text(&out, long_text);
        } else {
            buf_put_char(&out, *at);
        }
    }
    return pattern ? buf_terminate(&out) : NULL;
}

static void test_memory(void) {
    memset(long_text, 'x', LONG_BYTES);
    fake_begin(families, ARRAY_LENGTH(families));
    fake.settings.proto_max_bulk_bytes = 1024 * 1024;
    check_failures("DEL k", "SET k v");
    check_failures("DEL k", with_long("SET k %"));
    check_failures("SET k v", with_long("SET k % GET"));
    check_failures("SET k v", "SET k 0123456789012345678901234567890123456789 EX 100");
    check_failures("DEL k", with_long("SETEX k 10 %"));
    check_failures("SET k v", with_long("GETSET k %"));
    check_failures("DEL k", with_long("MSET k % j %"));
    check_failures("DEL k", "MSETEX 1 k v");
    check_failures("DEL k", "INCR k");
    check_failures("DEL k", "INCRBYFLOAT k 1.5");
    check_failures("SET k v", with_long("APPEND k %"));
    check_failures("DEL k", with_long("APPEND k %"));
    check_failures("DEL k", "SETRANGE k 9000 x");
    check_failures("DEL k", "SETRANGE k 1 x");
    check_failures("SET k v", "RENAME k j");
    check_failures("SET k v", "MOVE k 1");
    check_failures("SET k v", "COPY k j");
    /* Whether a deadline has room in the entry is a matter of the allocator's classes. */
    EXPECT(count_failures("SET k 0123456789", "EXPIRE k 10000") +
               count_failures("SET k 0123456789012345678901", "EXPIRE k 10000") >
           0);
    EXPECT(count_failures("SET k 0123456789", "GETEX k EX 10000") +
               count_failures("SET k 0123456789012345678901", "GETEX k EX 10000") >
           0);
    with_long(NULL);
    fake_end();
}

int main(int argc, char **argv) {
    static const struct test tests[] = {{"string_events", test_string_events},
                                        {"key_events", test_key_events},
                                        {"memory", test_memory}};
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
