/* The slow log. An entry is one allocation:
 *
 *   | struct slow_entry | argument spans | bytes of the arguments, the peer's name, the client's name |
 *
 * The newest is first in the list. */
#include "commands/slowlog.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/list.h"
#include "commands/families.h"
#include "commands/host.h"
#include "commands/redact.h"

struct slow_entry {
    struct list link;
    uint64_t id;
    int64_t time_s;
    uint64_t us;
    uint32_t argc;
    struct span peer, name;
    struct span argv[];
};

struct slowlog {
    struct list entries;
    uint32_t count;
    uint64_t next_id;
};

struct slowlog *slowlog_new(void) {
    struct slowlog *log = mem_zalloc(sizeof *log);
    list_init(&log->entries);
    return log;
}

void slowlog_free(struct slowlog *log) {
    slowlog_reset(log);
    mem_free(log);
}

void slowlog_trim(struct slowlog *log, uint32_t max_len) {
    while (log->count > max_len) {
        struct slow_entry *oldest = LIST_ENTRY(log->entries.prev, struct slow_entry, link);
        list_remove(&oldest->link);
        mem_free(oldest);
        log->count--;
    }
}

void slowlog_reset(struct slowlog *log) {
    slowlog_trim(log, 0);
}

uint32_t slowlog_len(const struct slowlog *log) {
    return log->count;
}

/* ---- adding */

/* One argument as it is kept. `more` arguments follow the last one that is. */
static void put_argument(struct buf *out, const struct span *argv, uint32_t argc, uint32_t at,
                         uint32_t kept) {
    struct span arg = argv[at];
    if (at == kept - 1 && kept < argc) {
        buf_printf(out, "... (%u more arguments)", argc - kept + 1);
    } else if (redact_hides(argv, argc, at)) {
        buf_put_text(out, REDACTED_TEXT);
    } else if (arg.len > SLOWLOG_ARG_BYTES_MAX) {
        buf_put(out, arg.data, SLOWLOG_ARG_BYTES_MAX);
        buf_printf(out, "... (%zu more bytes)", arg.len - SLOWLOG_ARG_BYTES_MAX);
    } else {
        buf_put_span(out, arg);
    }
}

static struct slow_entry *entry_from(const struct buf *bytes, const size_t *ends, uint32_t argc) {
    size_t head = sizeof(struct slow_entry) + argc * sizeof(struct span), begin = 0;
    struct slow_entry *e = mem_alloc(head + bytes->len);
    char *data = (char *)e + head;
    memcpy(data, bytes->data, bytes->len);
    *e = (struct slow_entry){.argc = argc};
    for (uint32_t i = 0; i < argc; i++) {
        e->argv[i] = span_make(data + begin, ends[i] - begin);
        begin = ends[i];
    }
    e->peer = span_make(data + begin, ends[argc] - begin);
    e->name = span_make(data + ends[argc], bytes->len - ends[argc]);
    return e;
}

void slowlog_add(struct slowlog *log, struct session *session, const struct span *argv,
                 uint32_t argc, uint64_t us, uint32_t max_len) {
    uint32_t kept = MIN(argc, (uint32_t)SLOWLOG_ARGS_MAX);
    size_t ends[SLOWLOG_ARGS_MAX + 1];
    char peer[NET_NAME_MAX];
    struct buf bytes = {0};
    if (max_len == 0) return;
    for (uint32_t i = 0; i < kept; i++) {
        put_argument(&bytes, argv, argc, i, kept);
        ends[i] = bytes.len;
    }
    buf_put(&bytes, peer, session_peer_name(session, peer, sizeof peer));
    ends[kept] = bytes.len;
    if (session->name) buf_put_text(&bytes, session->name);
    struct slow_entry *e = entry_from(&bytes, ends, kept);
    buf_release(&bytes);
    e->id = log->next_id++;
    e->time_s = clock_real_ms() / 1000;
    e->us = us;
    list_push_front(&log->entries, &e->link);
    log->count++;
    slowlog_trim(log, max_len);
}

/* ---- showing */

static void reply_entry(struct reply *reply, const struct slow_entry *e) {
    reply_array(reply, 6);
    reply_int(reply, (int64_t)e->id);
    reply_int(reply, e->time_s);
    reply_int(reply, (int64_t)e->us);
    reply_array(reply, e->argc);
    for (uint32_t i = 0; i < e->argc; i++) reply_bulk(reply, e->argv[i]);
    reply_bulk(reply, e->peer);
    reply_bulk(reply, e->name);
}

void slowlog_reply(const struct slowlog *log, struct reply *reply, int64_t count) {
    if (count < 0 || count > log->count) count = log->count;
    reply_array(reply, (uint64_t)count);
    for (struct list *it = log->entries.next; count > 0; it = it->next, count--) {
        reply_entry(reply, LIST_ENTRY(it, struct slow_entry, link));
    }
}

/* ---- SLOWLOG */

static void get(struct call *call) {
    int64_t count = 10;
    if (call->argc > 3) {
        call_subcommand_error(call);
        return;
    }
    if (call->argc == 3 &&
        !call_int_range(call, 2, -1, INT64_MAX, "ERR count should be greater than or equal to -1",
                        &count)) {
        return;
    }
    slowlog_reply(call->host->slowlog, call->reply, count);
}

static void len(struct call *call) {
    reply_int(call->reply, slowlog_len(call->host->slowlog));
}

static void reset(struct call *call) {
    slowlog_reset(call->host->slowlog);
    reply_ok(call->reply);
}

static void help(struct call *call) {
    static const char *const lines[] = {
        "GET [<count>]",
        "    Return top <count> entries from the slowlog (default: 10, -1 mean all).",
        "    Entries are made of:",
        "    id, timestamp, time in microseconds, arguments array, client IP and port,",
        "    client name",
        "LEN",
        "    Return the length of the slowlog.",
        "RESET",
        "    Reset the slowlog.",
        NULL,
    };
    call_help(call, lines);
}

const struct command slowlog_subcommands[] = {
    {.name = "get",
     .run = get,
     .arity = -2,
     .group = GROUP_SERVER,
     .flags = COMMAND_ADMIN | COMMAND_LOADING | COMMAND_STALE,
     .since = "2.2.12",
     .summary = "Returns the slow log's entries.",
     .complexity = "O(N) where N is the number of entries returned",
     .arguments = "[count:integer]",
     .tips = (const char *const[]){"request_policy:all_nodes", "nondeterministic_output", NULL}},
    {.name = "help",
     .run = help,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .since = "6.2.0",
     .summary = "Shows helpful text about the different subcommands.",
     .complexity = "O(1)"},
    {.name = "len",
     .run = len,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = COMMAND_ADMIN | COMMAND_LOADING | COMMAND_STALE,
     .since = "2.2.12",
     .summary = "Returns the number of entries in the slow log.",
     .complexity = "O(1)",
     .tips = (const char *const[]){"request_policy:all_nodes", "response_policy:agg_sum",
                                   "nondeterministic_output", NULL}},
    {.name = "reset",
     .run = reset,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = COMMAND_ADMIN | COMMAND_LOADING | COMMAND_STALE,
     .since = "2.2.12",
     .summary = "Clears all entries from the slow log.",
     .complexity = "O(N) where N is the number of entries in the slowlog",
     .tips =
         (const char *const[]){"request_policy:all_nodes", "response_policy:all_succeeded", NULL}},
    {.name = NULL},
};
