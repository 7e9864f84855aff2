/* How settings reach the layers, and what commands may ask of the assembly. */
#include "server/host.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "commands/acl_check.h"
#include "commands/blocking.h"
#include "commands/eviction.h"
#include "commands/notify.h"
#include "commands/pubsub.h"
#include "commands/scripting.h"
#include "commands/slowlog.h"
#include "commands/tracking.h"
#include "commands/watch.h"
#include "server/accept.h"
#include "server/crash.h"
#include "server/daemon.h"
#include "server/info.h"
#include "server/signals.h"
#include "server/title.h"
#include "server/users.h"

/* ---- settings to options */

struct keyspace_options server_keyspace_options(const struct server *sv) {
    const struct settings *settings = &sv->settings;
    return (struct keyspace_options){
        .db_count = (uint32_t)settings->databases,
        .lfu = settings->maxmemory_policy == MAXMEMORY_ALLKEYS_LFU ||
               settings->maxmemory_policy == MAXMEMORY_VOLATILE_LFU,
        .lfu_log_factor = (uint8_t)settings->lfu_log_factor,
        .lfu_decay_minutes = (uint32_t)settings->lfu_decay_minutes,
    };
}

int server_open_log(const struct settings *settings) {
    struct log_options options = {
        .level = (enum log_level)settings->loglevel,
        .file = settings->logfile,
        .syslog = settings->syslog_enabled,
        .syslog_ident = settings->syslog_ident,
        .syslog_facility = (int)settings->syslog_facility,
    };
    return log_open(&options);
}

void server_show_title(const struct server *sv) {
    title_set(&sv->settings, sv->executable, config_file(sv->config));
}

struct sessions_options server_sessions_options(struct server *sv) {
    const struct settings *settings = &sv->settings;
    struct sessions_options options = {
        .net = sv->net,
        .keyspace = sv->keyspace,
        .timers = &sv->timers,
        .query_buffer_max = (uint64_t)settings->client_query_buffer_bytes,
        .output_pause_bytes = (uint64_t)settings->output_pause_bytes,
        .timeout_s = (uint32_t)settings->timeout_s,
    };
    for (int i = 0; i < SESSION_CLASS_COUNT; i++)
        options.output_limit[i] = settings->output_limit[i];
    return options;
}

void server_apply_turn(struct server *sv) {
    sv->turn.limits.bulk_bytes_max = (uint64_t)sv->settings.proto_max_bulk_bytes;
    sv->turn.limits.arg_count_max = INT32_MAX;
    int64_t window = sv->settings.turn_window, share = sv->settings.turn_request_count_max;
    sv->turn.window_size = window ? (uint32_t)MIN(window, TURN_WINDOW_MAX) : TURN_WINDOW_DEFAULT;
    sv->turn.session_request_max = share ? (uint32_t)share : TURN_SESSION_REQUESTS_DEFAULT;
}

/* ---- changes at run time */

static const char *apply_sessions(struct server *sv) {
    sv->sessions.options = server_sessions_options(sv);
    server_apply_turn(sv);
    return NULL;
}

static const char *apply_listen(struct server *sv, const char *problem) {
    server_unlisten(sv);
    return server_listen(sv) < 0 ? problem : NULL;
}

static const char *apply_keyspace(struct server *sv) {
    struct keyspace_options options = server_keyspace_options(sv);
    keyspace_set_options(sv->keyspace, &options);
    eviction_limit_changed(&sv->host); /* another policy may find what to evict */
    return NULL;
}

static const char *apply_maxmemory(struct server *sv) {
    int64_t limit = sv->settings.maxmemory_bytes, used = (int64_t)keyspace_data_bytes(sv->keyspace);
    if (limit > 0 && limit < used) {
        log_warning("WARNING: the new maxmemory value set via CONFIG SET (%lld) is smaller than "
                    "the current memory usage "
                    "(%lld). This will result in key eviction and/or the inability to accept new "
                    "write commands depending "
                    "on the maxmemory-policy.",
                    (long long)limit, (long long)used);
    }
    eviction_limit_changed(&sv->host);
    return NULL;
}

static const char *apply_password(struct server *sv) {
    const char *password = sv->settings.requirepass;
    acl_user_set_password(sv->host.acl->default_user, span_of(password ? password : ""));
    acl_refresh_sessions(&sv->host);
    return NULL;
}

static const char *apply_slowlog(struct server *sv) {
    slowlog_trim(sv->host.slowlog, (uint32_t)sv->settings.slowlog_max_len);
    return NULL;
}

static const char *apply_log(struct server *sv) {
    return server_open_log(&sv->settings) < 0 ? "Can't write the log file" : NULL;
}

static const char *apply_maxclients(struct server *sv) {
    int64_t asked = sv->settings.maxclients;
    if (daemon_limits(&sv->settings) < 0 || sv->settings.maxclients < asked) {
        snprintf(sv->apply_error, sizeof sv->apply_error,
                 "The operating system is not able to handle the specified number of clients, try "
                 "with %lld",
                 (long long)sv->settings.maxclients);
        return sv->apply_error;
    }
    if (asked > sv->conn_count_max) return "More clients than this process was started for";
    return NULL;
}

static const char *on_apply(void *context, enum option_apply id) {
    struct server *sv = context;
    switch (id) {
    case APPLY_NOTIFY:
        notifier_set(sv->host.notifier, sv->settings.notify_keyspace_events);
        return NULL;
    case APPLY_LISTEN: return apply_listen(sv, "Unable to listen on this port. Check server logs.");
    case APPLY_BIND: return apply_listen(sv, "Failed to bind to specified addresses.");
    case APPLY_SESSIONS: return apply_sessions(sv);
    case APPLY_KEYSPACE: return apply_keyspace(sv);
    case APPLY_PASSWORD: return apply_password(sv);
    case APPLY_USERS: sv->host.acl->all_channels = sv->settings.acl_pubsub_default; return NULL;
    case APPLY_SLOWLOG: return apply_slowlog(sv);
    case APPLY_MAXMEMORY: return apply_maxmemory(sv);
    case APPLY_LOG: return apply_log(sv);
    case APPLY_MAXCLIENTS: return apply_maxclients(sv);
    case APPLY_TITLE: server_show_title(sv); return NULL;
    case APPLY_OOM_SCORE: return daemon_oom_score(&sv->settings);
    case APPLY_CRASH_LOG: crash_enable(sv->settings.crash_log_enabled); return NULL;
    case APPLY_SCRIPTS:
        scripting_set_memory_max(&sv->host, (size_t)sv->settings.script_memory_bytes_max);
        return NULL;
    case APPLY_HZ:
    case APPLY_EXPIRE:
    case APPLY_TRACKING:
    case APPLY_NONE:
    case OPTION_APPLY_COUNT: return NULL; /* read from settings where they are used */
    }
    return NULL;
}

/* ---- what commands ask for */

static void host_config_get(void *server, struct reply *reply, const struct span *patterns,
                            uint32_t count) {
    struct server *sv = server;
    config_get(sv->config, reply, patterns, count);
}

static void host_config_set(void *server, struct reply *reply, const struct span *pairs,
                            uint32_t count) {
    struct server *sv = server;
    const struct call *call = sv->host.dispatch.running;
    const struct session *s = call ? call->session : NULL;
    struct config_set_options options = {
        .local_client = !s || !s->conn || net_peer_is_loopback(s->conn),
    };
    config_set(sv->config, reply, pairs, count, &options);
}

static void host_config_rewrite(void *server, struct reply *reply) {
    struct server *sv = server;
    config_rewrite_reply(sv->config, reply);
}

static void host_config_reset_stats(void *server) {
    struct server *sv = server;
    registry_reset_stats(sv->host.commands);
    net_stats_clear(sv->net);
    *keyspace_stats(sv->keyspace) = (struct keyspace_stats){0};
    sv->sessions.stats = (struct sessions_stats){0};
    sv->turn.stats = (struct turn_stats){0};
    sv->host.dispatch.command_count = 0;
    memset(sv->host.acl->denied_count, 0, sizeof sv->host.acl->denied_count);
    sv->host.dispatch.eviction.exceeded_us = 0;
    sv->stats.refused_connection_count = 0;
    metrics_reset(&sv->metrics);
}

static void info_counts(void *server, struct info_counts *counts) {
    const struct server *sv = server;
    struct blocking_counts blocking = blocking_counts(&sv->host);
    struct pubsub_counts pubsub = pubsub_counts(sv->host.pubsub);
    counts->pubsub_channels = pubsub.channels;
    counts->pubsub_patterns = pubsub.patterns;
    counts->pubsub_shard_channels = pubsub.shard_channels;
    struct tracking_counts tracking = tracking_counts(sv->host.tracking);
    counts->tracking_keys = tracking.keys;
    counts->tracking_items = tracking.readers;
    counts->tracking_prefixes = tracking.prefixes;
    counts->watched_keys = watch_key_count(sv->host.watches);
    struct scripting_counts scripts = scripting_counts(&sv->host);
    counts->script_bytes = scripts.vm_bytes;
    counts->script_cache_bytes = scripts.cache_bytes;
    counts->script_count = scripts.script_count;
    counts->script_evicted_count = scripts.evicted_count;
    counts->function_vm_bytes = scripts.functions_vm_bytes;
    counts->function_bytes = scripts.functions_bytes;
    counts->function_count = scripts.function_count;
    counts->library_count = scripts.library_count;
    counts->rejected_connections = sv->stats.refused_connection_count;
    counts->blocking_keys = blocking.keys;
    counts->blocking_keys_on_no_key = blocking.any_change_keys;
    counts->eviction_exceeded_us = eviction_exceeded_us(&sv->host);
    counts->eviction_exceeded_now_us = eviction_exceeded_now_us(&sv->host);
}

static void host_info(void *server, const struct span *sections, uint32_t count, struct buf *out) {
    const struct server *sv = server;
    struct info_source source = {
        .host = &sv->host,
        .metrics = &sv->metrics,
        .run_id = sv->run_id,
        .replication_id = sv->replication_id,
        .executable = sv->executable,
        .config_file = config_file(sv->config),
        .backend_why = sv->net_why,
        .started_s = sv->stats.started_real_ms / 1000,
        .counts = info_counts,
    };
    info_write(&source, sections, count, out);
}

/* Nothing is saved, so nothing can fail but a cancelling: there is never a shutdown under way that ABORT could stop. */
static bool host_shutdown(void *server, struct reply *reply, bool now, bool force, bool abort) {
    struct server *sv = server;
    if (abort) {
        reply_error(reply, "ERR No shutdown in progress.");
        return false;
    }
    sv->stopping = true;
    return true;
}

/* Who asks for the server's end meanwhile gets it. */
static bool host_serve_while_busy(void *server) {
    struct server *sv = server;
    turn_serve_others(&sv->turn);
    return sv->stopping || signals_shutdown();
}

static int64_t host_uptime_s(void *server) {
    const struct server *sv = server;
    return (clock_mono_ms() - sv->stats.started_mono_ms) / 1000;
}

static size_t host_startup_bytes(void *server) {
    const struct server *sv = server;
    return sv->stats.startup_bytes;
}

static void put_users(void *server, struct buf *out) {
    const struct server *sv = server;
    users_put_config(sv->host.acl, &sv->settings, out);
}

void server_bind_host(struct server *sv) {
    struct host *host = &sv->host;
    host->config_get = host_config_get;
    host->config_set = host_config_set;
    host->config_rewrite = host_config_rewrite;
    host->config_reset_stats = host_config_reset_stats;
    host->info = host_info;
    host->shutdown = host_shutdown;
    host->uptime_s = host_uptime_s;
    host->serve_while_busy = host_serve_while_busy;
    host->startup_bytes = host_startup_bytes;
    config_on_rewrite(sv->config, put_users, sv);
    for (int id = APPLY_NONE + 1; id < OPTION_APPLY_COUNT; id++) {
        config_on_apply(sv->config, (enum option_apply)id, on_apply, sv);
    }
}
