/* Making and joining the layers, lowest first, and taking them apart in the reverse order. */
#include "server/server.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/random.h"
#include "base/words.h"
#include "commands/acl_check.h"
#include "commands/blocking.h"
#include "commands/long_reply.h"
#include "commands/notify.h"
#include "commands/pubsub.h"
#include "commands/scripting.h"
#include "commands/slowlog.h"
#include "commands/tracking.h"
#include "commands/transaction.h"
#include "commands/watch.h"
#include "resp/window.h"
#include "server/accept.h"
#include "server/daemon.h"
#include "server/host.h"
#include "server/signals.h"
#include "server/users.h"
#include "server/version.h"

enum { DRAIN_MS_MAX = 2000 }; /* a shutdown waits this long for clients to take their replies */

static const struct command *const command_tables[] = {
    commands_connection, commands_string,      commands_keys,   commands_list,
    commands_server,     commands_transaction, commands_pubsub, commands_zset,
    commands_set,        commands_hash,        commands_geo,    commands_stream,
    commands_bitmap,     commands_hyperloglog, commands_sort,   commands_scripting,
    commands_functions,
};

static struct net_options net_options_from(const struct settings *settings) {
    return (struct net_options){
        .backend = (enum net_backend_kind)settings->net_backend,
        .conn_count_max = (uint32_t)MAX(settings->maxclients, SERVER_CONN_COUNT_MIN),
        .receive_buffer_bytes = (uint32_t)settings->net_receive_buffer_bytes,
        .receive_buffer_count = (uint32_t)settings->net_receive_buffer_count,
        .ring_entries = (uint32_t)settings->net_ring_entries,
        .zero_copy_bytes = (uint32_t)settings->net_zero_copy_bytes,
        .busy_poll_us = (uint32_t)settings->busy_poll_usec,
        .busy_poll_hybrid = settings->busy_poll_mode == BUSY_POLL_HYBRID,
        .sqpoll = settings->net_sqpoll,
        .submit_apart = !settings->net_submit_and_wait,
        .direct_descriptors = settings->net_direct_descriptors,
        .min_wait_us = (uint32_t)settings->net_min_wait_usec,
        .napi_us = (uint32_t)settings->net_napi_usec,
        .tcp_keepalive_s = (int)settings->tcp_keepalive_s,
    };
}

static int init_net(struct server *sv) {
    struct net_options options = net_options_from(&sv->settings);
    int rc = net_new(&options, &sv->net, sv->net_why, sizeof sv->net_why);
    if (rc < 0) {
        log_warning("No network backend: %s", sv->net_why);
        return rc;
    }
    sv->conn_count_max = options.conn_count_max;
    log_notice("Network: %s", sv->net_why);
    return 0;
}

static void init_host(struct server *sv) {
    sv->host = (struct host){
        .settings = &sv->settings,
        .keyspace = sv->keyspace,
        .sessions = &sv->sessions,
        .net = sv->net,
        .timers = &sv->timers,
        .commands = registry_new(command_tables, ARRAY_LENGTH(command_tables)),
        .slowlog = slowlog_new(),
        .latency = latency_new(),
        .window = window_memory_new(),
        .redis_version = RONDO_REDIS_VERSION,
        .version = RONDO_VERSION,
        .server = sv,
    };
    sv->host.acl = acl_new(acl_catalogue_of(sv->host.commands));
    sv->host.blocking = blocking_new(&sv->host);
    sv->host.long_replies = long_replies_new();
    sv->host.scripting = scripting_new(&sv->host);
    sv->host.watches = watch_new(sv->keyspace);
    sv->host.pubsub = pubsub_new();
    sv->host.tracking = tracking_new(&sv->host);
    sv->host.notifier = notifier_new(&sv->host);
    notifier_set(sv->host.notifier, sv->settings.notify_keyspace_events);
    chunk_list_init(&sv->host.dispatch.muted, &sv->sessions.chunks,
                    &sv->sessions.stats.copied_bytes, &sv->sessions.stats.referenced_bytes);
    server_bind_host(sv);
}

/* A command that was to be taken away and is not would be a hole: a name that is wrong stops the start. */
static int rename_commands(struct command_registry *commands, const struct settings *settings,
                           struct buf *error) {
    for (uint32_t i = 0; i < settings->rename_count; i++) {
        const struct command_rename *rename = &settings->renames[i];
        int rc = registry_rename(commands, span_of(rename->from), span_of(rename->to));
        if (rc == 0) continue;
        buf_printf(error, "rename-command %s \"%s\": %s\n", rename->from, rename->to,
                   rc == -EEXIST ? "Target command name already exists"
                                 : "No such command in rename-command");
        return rc;
    }
    return 0;
}

int server_check_settings(const struct settings *settings, struct buf *error) {
    struct command_registry *commands = registry_new(command_tables, ARRAY_LENGTH(command_tables));
    struct acl *acl = acl_new(acl_catalogue_of(commands));
    int rc = rename_commands(commands, settings, error);
    if (rc == 0) rc = users_load(acl, settings, error);
    acl_free(acl);
    registry_free(commands);
    return rc;
}

/* Commands by their names, and who may use them. */
static int init_access(struct server *sv) {
    struct buf error = {0};
    int rc = rename_commands(sv->host.commands, &sv->settings, &error);
    if (rc == 0) rc = users_load(sv->host.acl, &sv->settings, &error);
    if (rc < 0) {
        struct span text = span_trim(buf_span(&error));
        log_warning("%.*s", (int)text.len, text.data);
    } else {
        users_warn(sv->host.acl, &sv->settings);
    }
    buf_release(&error);
    return rc;
}

int server_init(struct server *sv) {
    int rc = init_net(sv);
    if (rc < 0) return rc;
    struct keyspace_options keyspace_options = server_keyspace_options(sv);
    sv->keyspace = keyspace_new(&keyspace_options);
    keyspace_register(sv->keyspace, ENTRY_LIST, &list_value_ops);
    keyspace_register(sv->keyspace, ENTRY_ZSET, &zset_value_ops);
    keyspace_register(sv->keyspace, ENTRY_SET, &set_value_ops);
    keyspace_register(sv->keyspace, ENTRY_HASH, &hash_value_ops);
    keyspace_register(sv->keyspace, ENTRY_STREAM, &stream_value_ops);
    timers_init(&sv->timers);
    struct sessions_options sessions_options = server_sessions_options(sv);
    sessions_init(&sv->sessions, &sessions_options);
    init_host(sv);
    turn_init(&sv->turn, &sv->host);
    sv->turn.accept = server_accept;
    sv->turn.accept_context = sv;
    server_apply_turn(sv);
    random_hex(sv->run_id, 40);
    random_hex(sv->replication_id, 40);
    sv->stats.started_real_ms = clock_real_ms();
    sv->stats.started_mono_ms = clock_mono_ms();
    sv->stats.startup_bytes = mem_used_bytes();
    rc = init_access(sv);
    if (rc < 0) server_release(sv);
    return rc;
}

void server_release(struct server *sv) {
    turn_release(&sv->turn);
    scripting_free(sv->host.scripting);
    sessions_release(&sv->sessions);
    notifier_free(sv->host.notifier);
    pubsub_free(sv->host.pubsub);
    tracking_free(sv->host.tracking);
    watch_free(sv->host.watches);
    blocking_free(sv->host.blocking);
    long_replies_free(sv->host.long_replies);
    window_memory_free(sv->host.window);
    latency_free(sv->host.latency);
    slowlog_free(sv->host.slowlog);
    acl_free(sv->host.acl);
    registry_free(sv->host.commands);
    timers_release(&sv->timers);
    keyspace_free(sv->keyspace);
    net_free(sv->net);
}

/* ---- running */

static bool draining(const struct server *sv) {
    LIST_FOR_EACH(it, &sv->sessions.all) {
        const struct session *s = LIST_ENTRY(it, struct session, link);
        if (s->conn && session_output_bytes(s) > 0) return true;
    }
    return false;
}

/* Replies that were promised go out; nothing new is accepted, and who does not read does not hold up the end. */
static int drain(struct server *sv) {
    int64_t end_ms = clock_mono_ms() + MIN(DRAIN_MS_MAX, sv->settings.shutdown_timeout_s * 1000);
    server_unlisten(sv);
    while (draining(sv) && clock_mono_ms() < end_ms) {
        int rc = turn_run(&sv->turn, 10);
        if (rc < 0) return rc;
    }
    return 0;
}

static void heed_signals(struct server *sv) {
    int signal_number = signals_shutdown();
    if (!signal_number || sv->stopping) return;
    log_warning("Received %s scheduling shutdown...", signal_number == 2 ? "SIGINT" : "SIGTERM");
    sv->stopping = true;
}

int server_run(struct server *sv) {
    while (!sv->stopping) {
        int rc = turn_run(&sv->turn, server_wait_ms(sv));
        if (rc < 0) return rc;
        server_cron(sv);
        heed_signals(sv);
    }
    log_warning("User requested shutdown...");
    daemon_stopping(&sv->settings);
    int rc = drain(sv);
    log_warning("Rondo is now ready to exit, bye bye...");
    return rc;
}
