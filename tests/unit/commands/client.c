#include "fake_host.h"

#include "commands/client_filter.h"

static struct session *a, *b;
static char secret[] = "secret";

static void begin(void) {
    static const struct command *const tables[] = {commands_connection};
    fake_begin(tables, 1);
    a = fake_session();
    b = fake_session();
}

/* Which of the two clients fit: a is the one that asks, and is 100 s old and 20 s idle; b has a name and database 3. */
static const char *who_fits(const char *options) {
    static char found[4];
    struct span argv[FAKE_ARGS_MAX];
    struct client_filter filter;
    struct call call = {.session = a, .host = &fake.host, .reply = &a->reply, .argv = argv};
    call.argc = fake_words(options, argv);
    client_filter_init(&filter);
    found[0] = 0;
    if (!client_filter_parse(&call, 0, &filter)) {
        fake_written(a);
        return "error";
    }
    if (client_filter_matches(&filter, a, a)) memcpy(found, "a", 2);
    if (client_filter_matches(&filter, b, a)) memcpy(found + strlen(found), "b", 2);
    return found;
}

static void test_filters(void) {
    static const struct {
        const char *options, *fits;
    } cases[] = {
        {"", "ab"},
        {"ID 1", "a"},
        {"ID 2 1", "ab"},
        {"ID 2 ID 1", "ab"},
        {"ID 7", ""},
        {"ID", ""},
        {"NOT-ID 1", "b"},
        {"not-id", "ab"},
        {"ID 1 2 NOT-ID 2", "a"},
        {"SKIPME yes", "b"},
        {"SKIPME no", "ab"},
        {"MAXAGE 100", "a"},
        {"MAXAGE 101", ""},
        {"IDLE 20", "a"},
        {"IDLE 21", ""},
        {"NAME bee", "b"},
        {"NOT-NAME bee", "a"},
        {"NAME Bee", ""},
        {"LIB-NAME lib", "b"},
        {"NOT-LIB-NAME lib", "a"},
        {"LIB-VER 1.0", "b"},
        {"NOT-LIB-VER 1.0", "a"},
        {"DB 3", "b"},
        {"NOT-DB 3", "a"},
        {"DB 3 NOT-NAME bee", ""},
        {"USER default", "ab"},
        {"NOT-USER default", ""},
        {"TYPE normal", "a"},
        {"TYPE pubsub", "b"},
        {"TYPE replica", ""},
        {"TYPE slave", ""},
        {"TYPE primary", ""},
        {"NOT-TYPE master", "ab"},
        {"NOT-TYPE pubsub", "a"},
        {"FLAGS P", "b"},
        {"FLAGS PT", "b"},
        {"FLAGS PTb", ""},
        {"NOT-FLAGS P", "a"},
        {"FLAGS N", "a"},
        {"NOT-FLAGS N", "b"},
        {"FLAGS S", ""},
        {"CAPA r", "b"},
        {"NOT-CAPA r", "a"},
        {"IP 127.0.0.1", ""},
        {"NOT-IP 127.0.0.1", "ab"},
        {"ADDR 127.0.0.1:1", ""},
        {"LADDR 127.0.0.1:1", ""},
        {"ID 1 bar", "error"},
        {"ID 0", "error"},
        {"NOT-ID -1", "error"},
        {"MAXAGE 0", "error"},
        {"MAXAGE x", "error"},
        {"IDLE -1", "error"},
        {"SKIPME maybe", "error"},
        {"NOT-SKIPME yes", "error"},
        {"NOT-MAXAGE 1", "error"},
        {"TYPE x", "error"},
        {"USER bob", "error"},
        {"FLAGS Q", "error"},
        {"CAPA x", "error"},
        {"DB 16", "error"},
        {"DB -1", "error"},
        {"NAME", "error"},
        {"NOT-NAME", "error"},
        {"foo", "error"},
        {"foo bar", "error"},
    };
    begin();
    a->created_ms -= 100000;
    a->active_ms -= 20000;
    b->name = mem_strdup("bee");
    b->lib_name = mem_strdup("lib");
    b->lib_version = mem_strdup("1.0");
    b->flags |= SESSION_PUBSUB | SESSION_NO_TOUCH | SESSION_CAPA_REDIRECT;
    b->db = keyspace_db(fake.host.keyspace, 3);
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        const char *fits = who_fits(cases[i].options);
        if (strcmp(fits, cases[i].fits) != 0)
            test_fail(__FILE__, __LINE__, "\"%s\": expected \"%s\", got \"%s\"", cases[i].options,
                      cases[i].fits, fits);
    }
    session_close(b);
    EXPECT_INT(0, strcmp("a", who_fits("")));
    fake_end();
}

static int unblock_calls;
static enum session_unblock_reason unblock_reason;
static void on_unblock(struct session *s, enum session_unblock_reason reason) {
    unblock_calls++;
    unblock_reason = reason;
}

static void test_unblock(void) {
    begin();
    unblock_calls = 0;
    EXPECT_SPAN(SPAN(":0\r\n"), fake_run(a, "client unblock 2"));
    EXPECT_SPAN(SPAN(":0\r\n"), fake_run(a, "client unblock 99"));
    session_block(b, 0, NULL, on_unblock);
    EXPECT_SPAN(SPAN(":1\r\n"), fake_run(a, "client unblock 2"));
    EXPECT_INT(SESSION_UNBLOCK_TIMEOUT, unblock_reason);
    session_block(b, 0, NULL, on_unblock);
    EXPECT_SPAN(SPAN(":1\r\n"), fake_run(a, "client unblock 2 error"));
    EXPECT_INT(SESSION_UNBLOCK_ERROR, unblock_reason);
    EXPECT_INT(2, unblock_calls);
    fake_end();
}

static void test_kill(void) {
    begin();
    unblock_calls = 0;
    session_block(b, 0, NULL, on_unblock);
    EXPECT_SPAN(SPAN(":1\r\n"), fake_run(a, "client kill id 2"));
    EXPECT(b->stop & SESSION_STOP_CLOSING);
    EXPECT_INT(1, unblock_calls); /* nobody gives it anything any more */
    EXPECT_INT(SESSION_UNBLOCK_CLOSED, unblock_reason);
    EXPECT_SPAN(SPAN(":0\r\n"), fake_run(a, "client kill id 2"));
    EXPECT_SPAN(SPAN(":0\r\n"), fake_run(a, "client kill id 1"));
    EXPECT(!a->stop);
    EXPECT_SPAN(SPAN(":1\r\n"), fake_run(a, "client kill id 1 skipme no"));
    EXPECT(a->flags & SESSION_CLOSE_AFTER_REPLY);
    fake_end();
}

static void test_pause(void) {
    begin();
    struct sessions *all = &fake.sessions;
    int64_t now_ms = clock_mono_ms();
    EXPECT_SPAN(SPAN("+OK\r\n"), fake_run(a, "client pause 100 write"));
    EXPECT_INT(now_ms + 100, all->paused_until_ms);
    EXPECT(all->paused_writes_only);
    fake_run(a, "client pause 50 all");
    EXPECT_INT(now_ms + 100, all->paused_until_ms); /* not shorter */
    EXPECT(!all->paused_writes_only);
    fake_run(a, "client pause 200 write");
    EXPECT_INT(now_ms + 200, all->paused_until_ms);
    EXPECT(!all->paused_writes_only); /* not weaker */
    clock_advance_test(200);
    fake_run(a, "client pause 10 write");
    EXPECT(all->paused_writes_only);
    fake_run(a, "client unpause");
    EXPECT(all->paused_until_ms <= clock_mono_ms());
    fake_end();
}

static void set_password(const char *password) {
    acl_user_set_password(fake.host.acl->default_user, span_of(password));
}

static void test_reset(void) {
    begin();
    set_password(secret);
    a->name = mem_strdup("x");
    a->lib_name = mem_strdup("lib");
    a->db = keyspace_db(fake.host.keyspace, 3);
    a->reply.protocol = 3;
    a->flags |= SESSION_MONITOR | SESSION_NO_TOUCH | SESSION_NO_EVICT | SESSION_AUTHENTICATED;
    fake.sessions.monitor_count = 1;
    EXPECT_SPAN(SPAN("+RESET\r\n"), fake_run(a, "reset"));
    EXPECT(a->name == NULL && a->lib_name != NULL);
    EXPECT_INT(0, a->db->number);
    EXPECT_INT(2, a->reply.protocol);
    EXPECT_INT(SESSION_RESTRICTED, a->flags);
    EXPECT_INT(0, fake.sessions.monitor_count);
    set_password("");
    fake_run(a, "reset");
    EXPECT_INT(SESSION_AUTHENTICATED, a->flags);
    fake_end();
}

static void test_auth(void) {
    const char *wrong = "-WRONGPASS invalid username-password pair or user is disabled.\r\n";
    begin();
    a->flags = 0;
    EXPECT_SPAN(SPAN("+OK\r\n"), fake_run(a, "auth default whatever"));
    set_password(secret);
    acl_session_reset(&fake.host, a);
    EXPECT(acl_session_needs_auth(&fake.host, a));
    static const char *const bad[] = {"auth secre", "auth secrett",    "auth Secret",
                                      "auth s",     "auth bob secret", "auth default secretsecret"};
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        EXPECT_SPAN(span_of(wrong), fake_run(a, bad[i]));
        EXPECT(!(a->flags & SESSION_AUTHENTICATED));
    }
    EXPECT_SPAN(SPAN("+OK\r\n"), fake_run(a, "auth secret"));
    EXPECT(a->flags & SESSION_AUTHENTICATED);
    EXPECT_SPAN(span_of(wrong), fake_run(a, "auth bad"));
    EXPECT(a->flags & SESSION_AUTHENTICATED); /* as before */
    fake_end();
}

static void test_hello(void) {
    begin();
    EXPECT_SPAN(
        SPAN("%7\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$5\r\n7.2.4\r\n$5\r\nproto\r\n:"
             "3\r\n"
             "$2\r\nid\r\n:1\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n"
             "$7\r\nmodules\r\n*0\r\n"),
        fake_run(a, "hello 3 setname me"));
    EXPECT_INT(0, strcmp("me", a->name));
    EXPECT_SPAN(SPAN("-NOPROTO unsupported protocol version\r\n"), fake_run(a, "hello 4"));
    EXPECT_INT(3, a->reply.protocol);
    EXPECT_INT('*', fake_run(a, "hello 2").data[0]);
    /* A part that fails changes nothing. */
    set_password(secret);
    EXPECT_INT('-', fake_run(a, "hello 3 auth default bad setname you").data[0]);
    EXPECT_INT(2, a->reply.protocol);
    EXPECT_INT(0, strcmp("me", a->name));
    fake_end();
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"client_filters", test_filters}, {"client_unblock", test_unblock},
        {"client_kill", test_kill},       {"client_pause", test_pause},
        {"client_reset", test_reset},     {"client_auth", test_auth},
        {"client_hello", test_hello},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
