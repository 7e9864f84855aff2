/* From a parsed request to its handler and its statistics. Hot path: dispatch_prepare, dispatch_run.
 *
 *   prepare   name -> command, first key -> hash, prefetch of the bucket     (as requests are parsed)
 *   prefetch  the key's entry                                                (once for the window)
 *   run       pause? refuse? handler, statistics                             (in order)
 *
 * Time is read once a command: its end is the next one's start. */
#include "commands/dispatch.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "commands/acl_check.h"
#include "commands/blocking.h"
#include "commands/eviction.h"
#include "commands/monitor.h"
#include "commands/push.h"
#include "commands/scripting.h"
#include "commands/slowlog.h"
#include "commands/tracking.h"
#include "commands/transaction.h"

/* ---- look-up */

void dispatch_prepare(struct host *host, struct dispatch_item *item) {
    const struct span *argv = item->request.argv;
    uint32_t argc = item->request.argc;
    struct command_entry *entry = registry_find(host->commands, argv[0]);
    item->key_hash = 0;
    if (UNLIKELY(entry && entry->subcommands) && argc > 1) {
        struct command_entry *sub = registry_find_subcommand(entry, argv[1]);
        if (sub) entry = sub;
    }
    item->entry = entry;
    if (UNLIKELY(!entry)) return;
    uint32_t key_at = (uint32_t)entry->command->keys[0].index;
    if (key_at == 0 || key_at >= argc) return;
    item->key_hash = hash_bytes(argv[key_at].data, argv[key_at].len);
    db_prefetch_bucket(item->session->db, item->key_hash);
}

void dispatch_prefetch(struct dispatch_item *item) {
    if (item->key_hash) db_prefetch_entry(item->session->db, item->key_hash);
}

void dispatch_begin_batch(struct host *host) {
    host->dispatch.ticks = clock_ticks();
}

/* ---- refusals, in Valkey's order: authentication, unknown, arity, protection, what the user may do,
 * subscriber mode, memory */

enum { UNKNOWN_ARGS_BYTES_MAX = 128 };

static void refuse_unknown(struct session *s, const struct request *request) {
    struct buf args = {0};
    for (uint32_t i = 1; i < request->argc && args.len < UNKNOWN_ARGS_BYTES_MAX; i++) {
        struct span arg = request->argv[i];
        size_t room = UNKNOWN_ARGS_BYTES_MAX - args.len;
        buf_printf(&args, "'%.*s' ", (int)MIN(arg.len, room), arg.data);
    }
    struct span name = request->argv[0];
    reply_errorf(&s->reply, "ERR unknown command '%.*s', with args beginning with: %s",
                 (int)MIN(name.len, (size_t)UNKNOWN_ARGS_BYTES_MAX), name.data,
                 buf_terminate(&args));
    buf_release(&args);
}

static void refuse_subcommand(struct session *s, const struct request *request,
                              const struct command_entry *container) {
    char upper[64];
    call_upper_name(span_of(container->command->name), upper, sizeof upper);
    struct span name = request->argv[1];
    reply_errorf(&s->reply, "ERR unknown subcommand '%.*s'. Try %s HELP.",
                 (int)MIN(name.len, (size_t)128), name.data, upper);
}

static bool arity_fits(const struct command *c, uint32_t argc) {
    return c->arity >= 0 ? argc == (uint32_t)c->arity : argc >= (uint32_t)-c->arity;
}

static bool refuse_protected(struct host *host, struct session *s) {
    int64_t allowed = host->settings->enable_debug_command;
    if (allowed == 1) return false;
    if (allowed == 2 && s->conn && net_peer_is_loopback(s->conn)) return false;
    if (s->flags & SESSION_INTERNAL) return false;
    reply_error(&s->reply,
                "ERR DEBUG command not allowed. If the enable-debug-command option is set to "
                "\"local\", you can run it from a local connection, otherwise you need to set this "
                "option in the configuration file, and then restart the server.");
    return true;
}

/* What the session's user may not do. */
static bool refuse_user(struct host *host, const struct dispatch_item *item) {
    struct session *s = item->session;
    struct acl_request request = {item->entry, item->request.argv, item->request.argc};
    enum acl_context where = s->flags & SESSION_MULTI ? ACL_CONTEXT_MULTI : ACL_CONTEXT_TOPLEVEL;
    struct acl_refusal refusal;
    struct buf text = {0};
    s->last_command = item->entry->full_name; /* ACL LOG shows the client with what was refused */
    if (acl_session_check(host, s, &request, where, &refusal)) return false;
    acl_refusal_text(acl_session_user(host, s), &request, &refusal, false, &text);
    reply_errorf(&s->reply, "NOPERM %s", buf_terminate(&text));
    buf_release(&text);
    return true;
}

static const char *const subscriber_commands[] = {"ping",         "subscribe",   "psubscribe",
                                                  "ssubscribe",   "unsubscribe", "punsubscribe",
                                                  "sunsubscribe", "quit",        "reset"};

static bool refuse_subscriber(struct session *s, const struct command_entry *e) {
    for (size_t i = 0; i < ARRAY_LENGTH(subscriber_commands); i++) {
        if (span_is(span_of(e->full_name), subscriber_commands[i])) return false;
    }
    reply_errorf(&s->reply,
                 "ERR Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / "
                 "RESET are allowed in this context",
                 e->full_name);
    return true;
}

/* EXEC is what it runs. */
static bool needs_memory(const struct host *host, const struct dispatch_item *item) {
    const struct session *s = item->session;
    const struct command *c = item->entry->command;
    uint32_t flags = dispatch_flags(host, c, &item->request);
    if (UNLIKELY(s->flags & SESSION_MULTI) && transaction_is_exec(c)) flags |= transaction_flags(s);
    return flags & COMMAND_DENYOOM;
}

static void refuse_memory(struct session *s, const struct command *c) {
    static const char text[] = "OOM command not allowed when used memory > 'maxmemory'.";
    if (transaction_is_exec(c)) {
        transaction_abort(s, text);
    } else {
        reply_error(&s->reply, text);
    }
}

/* True after an error was written: the handler must not run. */
static bool refuse(struct host *host, const struct dispatch_item *item) {
    struct session *s = item->session;
    const struct command_entry *e = item->entry;
    uint32_t argc = item->request.argc;
    if (acl_session_needs_auth(host, s) && !(e && e->command->flags & COMMAND_NO_AUTH)) {
        reply_error(&s->reply, "NOAUTH Authentication required.");
        return true;
    }
    if (UNLIKELY(!e)) {
        refuse_unknown(s, &item->request);
        return true;
    }
    const struct command *c = e->command;
    if (UNLIKELY(e->subcommands && argc > 1)) {
        refuse_subcommand(s, &item->request, e);
        return true;
    }
    if (UNLIKELY(!arity_fits(c, argc) || !c->run)) {
        reply_errorf(&s->reply, "ERR wrong number of arguments for '%s' command", e->full_name);
        return true;
    }
    if (UNLIKELY(c->flags & COMMAND_PROTECTED) && refuse_protected(host, s)) return true;
    if (UNLIKELY(host->dispatch.busy) && scripting_refuse_busy(host, s, c)) return true;
    if (UNLIKELY(s->flags & SESSION_RESTRICTED) && refuse_user(host, item)) return true;
    if (UNLIKELY(s->flags & SESSION_PUBSUB) && s->reply.protocol == 2)
        return refuse_subscriber(s, e);
    if (UNLIKELY(eviction_over_limit(host)) && needs_memory(host, item) &&
        !eviction_make_room(host)) {
        refuse_memory(s, c);
        return true;
    }
    return false;
}

/* ---- pause */

static bool held_by_pause(const struct host *host, const struct dispatch_item *item) {
    const struct sessions *all = host->sessions;
    const struct command_entry *e = item->entry;
    if (clock_mono_ms() >= all->paused_until_ms) return false;
    if (e && e->command->flags & COMMAND_RUN_PAUSED) return false;
    if (!all->paused_writes_only) return true;
    uint32_t flags = e && arity_fits(e->command, item->request.argc)
                         ? dispatch_flags(host, e->command, &item->request)
                         : 0;
    if (e && span_is(span_of(e->full_name), "exec")) flags |= transaction_flags(item->session);
    return flags & (COMMAND_WRITE | COMMAND_MAY_REPLICATE);
}

/* ---- statistics */

static void observe_slow(struct host *host, const struct call *call, uint64_t us) {
    const struct settings *settings = host->settings;
    uint32_t flags = call->command->flags;
    if (call->session->flags & SESSION_INTERNAL)
        return; /* the script that it belongs to is observed */
    bool logged = settings->slowlog_slower_than_us >= 0 &&
                  us >= (uint64_t)settings->slowlog_slower_than_us &&
                  !(flags & COMMAND_SKIP_SLOWLOG);
    if (logged) {
        slowlog_add(host->slowlog, call->session, call->argv, call->argc, us,
                    (uint32_t)settings->slowlog_max_len);
    }
    int64_t threshold_ms = settings->latency_monitor_threshold_ms;
    if (threshold_ms > 0 && us / 1000 >= (uint64_t)threshold_ms) {
        const char *event = flags & COMMAND_FAST ? "fast-command" : "command";
        latency_add(host->latency, event, (uint32_t)(us / 1000));
    }
}

/* The cheapest command takes about 100 ns: what is not even half a microsecond can only be slow for a threshold of 0. */
static void count_call(struct host *host, struct command_entry *entry, const struct call *call,
                       uint32_t errors_before) {
    uint64_t now = clock_ticks();
    uint64_t spent = now - host->dispatch.ticks;
    host->dispatch.ticks = now;
    host->dispatch.command_count++;
    call->session->request_count++;
    entry->stats.call_count++;
    entry->stats.ticks += spent;
    uint64_t us = clock_ticks_to_ns(spent) / 1000;
    if (LIKELY(host->settings->latency_tracking)) {
        if (UNLIKELY(!entry->stats.histogram)) {
            entry->stats.histogram = mem_zalloc(sizeof *entry->stats.histogram);
        }
        histogram_add(entry->stats.histogram, us);
    }
    if (UNLIKELY(call->reply->error_count != errors_before)) {
        entry->stats.failed_count++;
        /* Without a code: a script's error that was counted when its command failed. */
        if (call->reply->error_code[0])
            registry_count_error(host->commands, call->reply->error_code);
    }
    if (UNLIKELY((int64_t)us >= host->settings->slowlog_slower_than_us) ||
        UNLIKELY(us >= 1000 && host->settings->latency_monitor_threshold_ms)) {
        observe_slow(host, call, us);
    }
}

/* ---- running */

/* After the command, as Redis does: SELECT shows the database that it chose, EXEC comes behind what it ran. */
static void show_monitors(struct host *host, const struct call *call) {
    uint32_t hidden = COMMAND_SKIP_MONITOR | COMMAND_ADMIN;
    if (call->command->flags & hidden || call->flags & CALL_REPEATED) return;
    monitor_feed(host, call->session, call->argv, call->argc);
}

static void run_handler(struct host *host, struct call *call, struct command_entry *entry) {
    const struct call *outer = host->dispatch.running;
    uint32_t errors_before = call->reply->error_count;
    host->dispatch.running = call;
    call->command->run(call);
    count_call(host, entry, call, errors_before);
    if (UNLIKELY(host->sessions->monitor_count | host->sessions->tracking_count)) {
        if (host->sessions->monitor_count) show_monitors(host, call);
        if (host->sessions->tracking_count) tracking_called(host, call);
    }
    host->dispatch.running = outer;
}

/* A handler may take a blob and lose it again (SET with a time that has passed): the arguments have to last until the slow log and
 * the monitors have seen them. */
static void run_holding_blobs(struct host *host, struct call *call, struct command_entry *entry) {
    const struct request *request = call->request;
    uint32_t count = request->blob_count;
    struct blob **held = call_scratch(call, count * sizeof(struct blob *));
    for (uint32_t i = 0; i < count; i++) {
        struct blob *blob = request->blobs[i].blob;
        held[i] = blob ? blob_ref(blob) : NULL;
    }
    run_handler(host, call, entry);
    for (uint32_t i = 0; i < count; i++) {
        if (held[i]) blob_unref(held[i]);
    }
}

static void run_call(struct host *host, struct call *call, struct command_entry *entry) {
    if (UNLIKELY(call->request && call->request->blob_count)) {
        run_holding_blobs(host, call, entry);
    } else {
        run_handler(host, call, entry);
    }
}

void dispatch_call(struct host *host, struct call *call, struct command_entry *entry) {
    call->command = entry->command;
    run_call(host, call, entry);
}

static void execute(struct host *host, struct dispatch_item *item) {
    struct session *s = item->session;
    struct command_entry *entry = item->entry;
    uint32_t errors_before = s->reply.error_count;
    if (refuse(host, item)) {
        if (entry) entry->stats.rejected_count++;
        if (s->reply.error_count != errors_before) {
            registry_count_error(host->commands, s->reply.error_code);
        }
        if (s->flags & SESSION_MULTI) transaction_spoil(s);
        return;
    }
    if (UNLIKELY(s->flags & SESSION_MULTI) && transaction_queue(host, item)) return;
    struct call call = {
        .session = s,
        .host = host,
        .db = s->db,
        .reply = &s->reply,
        .argv = item->request.argv,
        .argc = item->request.argc,
        .key_hash = item->key_hash,
        .request = &item->request,
        .command = entry->command,
    };
    s->last_command = entry->full_name;
    run_call(host, &call, entry);
}

/* CLIENT REPLY OFF and SKIP: the handler writes as always, to a list that is thrown away. */
static void execute_silently(struct host *host, struct dispatch_item *item) {
    struct session *s = item->session;
    s->reply.out = &host->dispatch.muted;
    execute(host, item);
    s->reply.out = &s->output;
    chunk_list_clear(&host->dispatch.muted);
}

/* What was said for this request only is over; what was said for the next one begins. */
static void end_flags(struct session *s, const struct command_entry *entry) {
    bool next = s->flags & SESSION_REPLY_SKIP_NEXT;
    s->flags &= ~(uint32_t)(SESSION_REPLY_SKIP | SESSION_REPLY_SKIP_NEXT);
    if (next) s->flags |= SESSION_REPLY_SKIP;
    if (s->flags & SESSION_TRACKING_CACHING) tracking_request_ended(s, entry);
}

static void end_request(struct session *s, const struct command_entry *entry) {
    const uint32_t passing =
        SESSION_REPLY_SKIP | SESSION_REPLY_SKIP_NEXT | SESSION_TRACKING_CACHING;
    if (UNLIKELY(s->flags & passing)) end_flags(s, entry);
    if (UNLIKELY(s->deferred) && !(s->stop & SESSION_STOP_REPLY)) push_deliver_deferred(s);
    session_queue_output(s);
}

bool dispatch_run(struct host *host, struct dispatch_item *item) {
    struct session *s = item->session;
    if (UNLIKELY(host->sessions->paused_until_ms) && held_by_pause(host, item)) {
        session_stop(s, SESSION_STOP_PAUSED);
        return false;
    }
    /* One piece is sent with less work than two: MGET of ten 100-byte values, four in flight. */
    if (!s->output.write) chunk_expect(&s->output, s->usual_bytes);
    if (UNLIKELY(session_is_silent(s))) {
        execute_silently(host, item);
    } else {
        execute(host, item);
    }
    end_request(s, item->entry);
    if (UNLIKELY(host->dispatch.keys_ready)) blocking_serve(host);
    return true;
}
