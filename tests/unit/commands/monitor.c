#include "fake_host.h"

#include "commands/monitor.h"

static struct session *s, *m;

static void begin(void) {
    static const struct command *const tables[] = {commands_server, commands_connection};
    fake_begin(tables, 2);
    s = fake_session();
    m = fake_session();
}

/* Behind "+seconds.microseconds ". */
static struct span shown(const struct span *argv, uint32_t argc) {
    monitor_feed(&fake.host, s, argv, argc);
    struct span line = fake_written(m);
    if (line.len == 0) return line;
    const char *blank = memchr(line.data, ' ', line.len);
    return span_make(blank + 1, line.len - (size_t)(blank + 1 - line.data));
}

static void test_lines(void) {
    begin();
    struct span argv[] = {SPAN("GET"), SPAN("a\"\\\n\r\t\a\b\0\x7f\xff ~")};
    EXPECT_INT(0, shown(argv, 2).len); /* nobody asked */
    EXPECT_SPAN(SPAN("+OK\r\n"), fake_run(m, "monitor"));
    EXPECT_INT(1, fake.sessions.monitor_count);
    EXPECT_SPAN(SPAN(""), fake_run(m, "monitor"));
    EXPECT_INT(1, fake.sessions.monitor_count);
    EXPECT_SPAN(SPAN("[0 ] \"GET\" \"a\\\"\\\\\\n\\r\\t\\a\\b\\x00\\x7f\\xff ~\"\r\n"),
                shown(argv, 2));
    s->db = keyspace_db(fake.host.keyspace, 5);
    struct span secret[] = {SPAN("auth"), SPAN("secret")};
    EXPECT_SPAN(SPAN("[5 ] \"auth\" \"(redacted)\"\r\n"), shown(secret, 2));
    s->flags |= SESSION_INTERNAL;
    EXPECT_SPAN(SPAN("[5 lua] \"GET\"\r\n"), shown(argv, 1));
    s->flags &= ~(uint32_t)SESSION_INTERNAL;
    fake_end();
}

static void test_silence(void) {
    begin();
    struct span argv[] = {SPAN("PING")};
    fake_run(m, "monitor");
    m->flags |= SESSION_REPLY_OFF;
    EXPECT_INT(0, shown(argv, 1).len);
    m->flags &= ~(uint32_t)SESSION_REPLY_OFF;
    m->stop |= SESSION_STOP_CLOSING;
    EXPECT_INT(0, shown(argv, 1).len);
    fake_end();
}

/* Large lines are the same bytes, whether copied or referred to. */
static void test_large(void) {
    begin();
    struct session *second = fake_session();
    char *value = malloc(100000);
    memset(value, 'x', 100000);
    value[500] = '\n';
    struct span argv[] = {SPAN("SET"), SPAN("k"), span_make(value, 100000)};
    fake_run(m, "monitor");
    fake_run(second, "monitor");
    struct span line = shown(argv, 3);
    EXPECT_INT(5 + strlen("\"SET\" \"k\" \"\"\r\n") + 100001, line.len);
    EXPECT(memcmp(line.data + line.len - 5, "xx\"\r\n", 5) == 0);
    line = fake_written(second);
    EXPECT(line.len > 100000);
    free(value);
    fake_end();
}

int main(int argc, char **argv) {
    static const struct test tests[] = {{"monitor_lines", test_lines},
                                        {"monitor_silence", test_silence},
                                        {"monitor_large", test_large}};
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
