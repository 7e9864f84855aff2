#include "fake_host.h"

#include "commands/redact.h"

static struct session *s;

static void begin(void) {
    static const struct command *const tables[] = {commands_server};
    fake_begin(tables, 1);
    s = fake_session();
}

static void add(const char *text, uint32_t max_len) {
    struct span argv[FAKE_ARGS_MAX];
    uint32_t argc = fake_words(text, argv);
    slowlog_add(fake.host.slowlog, s, argv, argc, 7, max_len);
}

static struct span shown(int64_t count) {
    slowlog_reply(fake.host.slowlog, &s->reply, count);
    return fake_written(s);
}

static void test_entries(void) {
    begin();
    add("get a", 10);
    s->name = mem_strdup("me");
    add("set a b", 10);
    EXPECT_INT(2, slowlog_len(fake.host.slowlog));
    EXPECT_SPAN(
        SPAN("*2\r\n*6\r\n:1\r\n:1700000000\r\n:7\r\n*3\r\n$3\r\nset\r\n$1\r\na\r\n$1\r\nb\r\n"
             "$0\r\n\r\n$2\r\nme\r\n"
             "*6\r\n:0\r\n:1700000000\r\n:7\r\n*2\r\n$3\r\nget\r\n$1\r\na\r\n$0\r\n\r\n$0\r\n\r\n"),
        shown(-1));
    EXPECT_SPAN(SPAN("*0\r\n"), shown(0));
    slowlog_reset(fake.host.slowlog);
    EXPECT_SPAN(SPAN("*0\r\n"), shown(100));
    add("get a", 10);
    EXPECT(memmem(shown(1).data, 12, ":2\r\n", 4) != NULL); /* ids are never used again */
    fake_end();
}

static void test_bounds(void) {
    begin();
    for (int i = 0; i < 5; i++) add("ping", 3);
    EXPECT_INT(3, slowlog_len(fake.host.slowlog));
    slowlog_trim(fake.host.slowlog, 1);
    EXPECT_INT(1, slowlog_len(fake.host.slowlog));
    add("ping", 0);
    EXPECT_INT(1, slowlog_len(fake.host.slowlog));
    fake_end();
}

static void test_long_requests(void) {
    char text[400];
    begin();
    int at = 0;
    for (int i = 0; i < 40; i++) at += snprintf(text + at, sizeof text - (size_t)at, "a%d ", i);
    add(text, 10);
    struct span reply = shown(1);
    EXPECT(memmem(reply.data, reply.len, "*32\r\n", 5) != NULL);
    EXPECT(memmem(reply.data, reply.len, "a30\r\n", 5) != NULL);
    EXPECT(memmem(reply.data, reply.len, "... (9 more arguments)", 22) != NULL);
    memset(text, 'x', 200);
    memcpy(text, "echo ", 5);
    text[200] = 0;
    add(text, 10);
    reply = shown(1);
    EXPECT(memmem(reply.data, reply.len, "xxx... (67 more bytes)\r\n", 24) != NULL);
    fake_end();
}

static void test_secrets(void) {
    static const struct {
        const char *text, *hidden; /* positions of what is not shown */
    } cases[] = {
        {"auth secret", "1"},
        {"AUTH user secret", "12"},
        {"hello 3 auth user secret setname me", "34"},
        {"hello 3 setname auth x y", ""},
        {"hello 3 setname me AUTH user secret", "56"},
        {"hello", ""},
        {"config set requirepass secret", "3"},
        {"CONFIG SET maxmemory 1 RequirePass secret", "5"},
        {"config get requirepass secret", ""},
        {"config set requirepass", ""},
        {"set auth secret", ""},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct span argv[FAKE_ARGS_MAX];
        uint32_t argc = fake_words(cases[i].text, argv);
        for (uint32_t at = 0; at < argc; at++) {
            bool hidden = strchr(cases[i].hidden, (int)('0' + at)) != NULL;
            if (redact_hides(argv, argc, at) != hidden)
                test_fail(__FILE__, __LINE__, "\"%s\", argument %u", cases[i].text, at);
        }
    }
    begin();
    add("auth secret", 10);
    struct span reply = shown(1);
    EXPECT(memmem(reply.data, reply.len, "secret", 6) == NULL);
    EXPECT(memmem(reply.data, reply.len, "$10\r\n(redacted)\r\n", 17) != NULL);
    fake_end();
}

static void test_command(void) {
    begin();
    add("ping", 10);
    EXPECT_SPAN(SPAN(":1\r\n"), fake_run(s, "slowlog len"));
    EXPECT_SPAN(SPAN("-ERR count should be greater than or equal to -1\r\n"),
                fake_run(s, "slowlog get -2"));
    EXPECT_SPAN(SPAN("+OK\r\n"), fake_run(s, "slowlog reset"));
    EXPECT_SPAN(SPAN("*0\r\n"), fake_run(s, "slowlog get"));
    fake_end();
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"slowlog_entries", test_entries},
        {"slowlog_bounds", test_bounds},
        {"slowlog_long_requests", test_long_requests},
        {"slowlog_secrets", test_secrets},
        {"slowlog_command", test_command},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
