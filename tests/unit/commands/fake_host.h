/* A host without a server: keyspace, sessions without connections and the families' tables; commands are run as dispatch would and
 * their replies read as text. */
#ifndef TESTS_UNIT_COMMANDS_FAKE_HOST_H
#define TESTS_UNIT_COMMANDS_FAKE_HOST_H

#include "test.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "commands/acl_check.h"
#include "commands/command.h"
#include "commands/host.h"
#include "commands/registry.h"
#include "commands/slowlog.h"
#include "resp/window.h"

enum { FAKE_ARGS_MAX = 64 };

static struct fake {
    struct host host;
    struct settings settings;
    struct sessions sessions;
    struct timers timers;
    struct buf written;
} fake;

static size_t fake_startup_bytes(void *server) {
    return 1000;
}

static void fake_begin(const struct command *const *tables, uint32_t table_count) {
    hash_seed_set(1, 2);
    clock_set_test(1700000000000, 5000000);
    struct keyspace_options keyspace_options = {.seed = 1};
    fake.host = (struct host){
        .settings = &fake.settings,
        .keyspace = keyspace_new(&keyspace_options),
        .sessions = &fake.sessions,
        .timers = &fake.timers,
        .commands = registry_new(tables, table_count),
        .slowlog = slowlog_new(),
        .latency = latency_new(),
        .window = window_memory_new(),
        .redis_version = "7.2.4",
        .version = "0.0.0",
        .startup_bytes = fake_startup_bytes,
    };
    fake.host.acl = acl_new(acl_catalogue_of(fake.host.commands));
    timers_init(&fake.timers);
    struct sessions_options options = {.keyspace = fake.host.keyspace, .timers = &fake.timers};
    sessions_init(&fake.sessions, &options);
}

static void fake_end(void) {
    sessions_release(&fake.sessions);
    window_memory_free(fake.host.window);
    latency_free(fake.host.latency);
    slowlog_free(fake.host.slowlog);
    acl_free(fake.host.acl);
    registry_free(fake.host.commands);
    timers_release(&fake.timers);
    keyspace_free(fake.host.keyspace);
    buf_release(&fake.written);
    fake = (struct fake){0};
}

/* A session that CLIENT LIST would show, although it has no connection. */
static ATTR_UNUSED struct session *fake_session(void) {
    struct session *s = session_new(&fake.sessions, NULL);
    s->flags &= ~(uint32_t)SESSION_INTERNAL;
    list_push_back(&fake.sessions.all, &s->link);
    table_insert(&fake.sessions.by_id, sessions_hash(s->id), s);
    fake.sessions.count++;
    return s;
}

/* Splits at blanks; words live in `text`. */
static uint32_t ATTR_UNUSED fake_words(const char *text, struct span *argv) {
    uint32_t argc = 0;
    for (const char *at = text; *at && argc < FAKE_ARGS_MAX;) {
        size_t len = strcspn(at, " ");
        argv[argc++] = span_make(at, len);
        at += len;
        while (*at == ' ') at++;
    }
    return argc;
}

/* What was written to the session and not taken yet. */
static struct span ATTR_UNUSED fake_written(struct session *s) {
    struct chunk_chain chain;
    struct iovec iov[16];
    int count;
    buf_clear(&fake.written);
    while ((count = chunk_list_take(&s->output, &chain, iov, 16, SIZE_MAX)) > 0) {
        for (int i = 0; i < count; i++) buf_put(&fake.written, iov[i].iov_base, iov[i].iov_len);
        chunk_chain_release(&chain, &fake.sessions.chunks);
    }
    return buf_span(&fake.written);
}

/* Runs a command whose words have no blanks in them; the reply as it would be sent, valid until the next run. */
static struct span ATTR_UNUSED fake_run(struct session *s, const char *text) {
    struct span argv[FAKE_ARGS_MAX];
    struct request request = {.argv = argv, .argc = fake_words(text, argv)};
    struct command_entry *e = registry_find(fake.host.commands, argv[0]);
    if (e && e->subcommand_count && request.argc > 1) e = registry_find_subcommand(e, argv[1]);
    if (!e) return SPAN("no such command");
    struct call call = {
        .session = s,
        .host = &fake.host,
        .db = s->db,
        .reply = &s->reply,
        .argv = argv,
        .argc = request.argc,
        .request = &request,
        .command = e->command,
    };
    if (request.argc > 1) call.key_hash = hash_bytes(argv[1].data, argv[1].len);
    e->command->run(&call);
    window_memory_clear(fake.host.window);
    return fake_written(s);
}

#endif
