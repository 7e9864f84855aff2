/* The options that Rondo has. Names, bounds and defaults are Valkey's where it has the option. server.conf describes each in full;
 * a test holds the two against each other. */
#include "server/options.h"

#include <limits.h>
#include <stddef.h>
#include <syslog.h>

#include "base/log.h"
#include "net/net.h"
#include "server/title.h"

/* An offset that compiles quietly only when the field has the kind's type. */
#define FIELD(type, field)                        \
    (uint16_t)(offsetof(struct settings, field) + \
               0 * sizeof(1 ? &((struct settings *)0)->field : (type *)0))
#define BOOL(name_, field, initial_) \
    .name = (name_), .kind = OPTION_BOOL, .at = FIELD(bool, field), .initial = (initial_)
#define INT(name_, field, low_, high_, initial_)                                     \
    .name = (name_), .kind = OPTION_INT, .at = FIELD(int64_t, field), .low = (low_), \
    .high = (high_), .initial = (initial_)
#define ENUM(name_, field, names_, initial_)                                              \
    .name = (name_), .kind = OPTION_ENUM, .at = FIELD(int64_t, field), .names = (names_), \
    .initial = (initial_)
#define TEXT(name_, field, initial_) \
    .name = (name_), .kind = OPTION_TEXT, .at = FIELD(char *, field), .initial = (initial_)
#define SPECIAL(name_, special_, initial_)                                                 \
    .name = (name_), .kind = OPTION_SPECIAL, .at = OPTION_NOWHERE, .special = &(special_), \
    .initial = (initial_)

static const struct option_name backends[] = {
    {"auto", NET_BACKEND_AUTO},   {"io_uring", NET_BACKEND_URING}, {"uring", NET_BACKEND_URING},
    {"epoll", NET_BACKEND_EPOLL}, {"kqueue", NET_BACKEND_KQUEUE},  {NULL, 0}};
static const struct option_name poll_modes[] = {
    {"spin", BUSY_POLL_SPIN}, {"hybrid", BUSY_POLL_HYBRID}, {NULL, 0}};
static const struct option_name supervisions[] = {{"upstart", SUPERVISED_UPSTART},
                                                  {"systemd", SUPERVISED_SYSTEMD},
                                                  {"auto", SUPERVISED_AUTO},
                                                  {"no", SUPERVISED_NO},
                                                  {NULL, 0}};
static const struct option_name log_levels[] = {
    {"debug", LOG_LEVEL_DEBUG},     {"verbose", LOG_LEVEL_VERBOSE}, {"notice", LOG_LEVEL_NOTICE},
    {"warning", LOG_LEVEL_WARNING}, {"nothing", LOG_LEVEL_NOTHING}, {NULL, 0}};
static const struct option_name facilities[] = {{"user", LOG_USER},     {"local0", LOG_LOCAL0},
                                                {"local1", LOG_LOCAL1}, {"local2", LOG_LOCAL2},
                                                {"local3", LOG_LOCAL3}, {"local4", LOG_LOCAL4},
                                                {"local5", LOG_LOCAL5}, {"local6", LOG_LOCAL6},
                                                {"local7", LOG_LOCAL7}, {NULL, 0}};
static const struct option_name policies[] = {{"volatile-lru", MAXMEMORY_VOLATILE_LRU},
                                              {"volatile-lfu", MAXMEMORY_VOLATILE_LFU},
                                              {"volatile-random", MAXMEMORY_VOLATILE_RANDOM},
                                              {"volatile-ttl", MAXMEMORY_VOLATILE_TTL},
                                              {"allkeys-lru", MAXMEMORY_ALLKEYS_LRU},
                                              {"allkeys-lfu", MAXMEMORY_ALLKEYS_LFU},
                                              {"allkeys-random", MAXMEMORY_ALLKEYS_RANDOM},
                                              {"noeviction", MAXMEMORY_NOEVICTION},
                                              {NULL, 0}};
static const struct option_name protected_actions[] = {{"no", PROTECTED_ACTION_NO},
                                                       {"yes", PROTECTED_ACTION_YES},
                                                       {"local", PROTECTED_ACTION_LOCAL},
                                                       {NULL, 0}};
static const struct option_name channel_defaults[] = {{"resetchannels", ACL_PUBSUB_RESETCHANNELS},
                                                      {"allchannels", ACL_PUBSUB_ALLCHANNELS},
                                                      {NULL, 0}};
static const struct option_name oom_modes[] = {{"no", OOM_SCORE_ADJ_NO},
                                               {"yes", OOM_SCORE_ADJ_RELATIVE},
                                               {"relative", OOM_SCORE_ADJ_RELATIVE},
                                               {"absolute", OOM_SCORE_ADJ_ABSOLUTE},
                                               {NULL, 0}};

static const char *check_title(const struct span *words, uint32_t count) {
    if (count == 1 && title_is_valid(words[0])) return NULL;
    return "template format is invalid or contains unknown variables";
}

const struct option options_own[] = {
    /* ---- network */
    {SPECIAL("bind", option_bind, "* -::*"), .flags = OPTION_MULTI, .apply = APPLY_BIND,
     .doc = "addresses to listen on"},
    {INT("port", port, 0, 65535, "6379"), .apply = APPLY_LISTEN, .doc = "TCP port; 0: none"},
    {INT("tcp-backlog", tcp_backlog, 0, INT_MAX, "511"), .flags = OPTION_IMMUTABLE,
     .doc = "connections that wait to be accepted"},
    {TEXT("unixsocket", unixsocket, ""), .flags = OPTION_IMMUTABLE | OPTION_EMPTY_IS_NONE,
     .doc = "path of the Unix socket"},
    {TEXT("unixsocketgroup", unixsocketgroup, ""), .flags = OPTION_IMMUTABLE | OPTION_EMPTY_IS_NONE,
     .doc = "group of the Unix socket"},
    {INT("unixsocketperm", unixsocketperm, 0, 0777, "0"), .flags = OPTION_IMMUTABLE | OPTION_OCTAL,
     .doc = "permissions of the Unix socket, octal; 0: as umask leaves them"},
    {INT("timeout", timeout_s, 0, INT_MAX, "0"), .apply = APPLY_SESSIONS,
     .doc = "seconds after which an idle client is closed; 0: never"},
    {INT("tcp-keepalive", tcp_keepalive_s, 0, INT_MAX, "300"),
     .doc = "seconds between keep-alive probes; 0: none"},
    {BOOL("protected-mode", protected_mode, "yes"),
     .doc = "without a password serve only clients of this machine"},
    {INT("maxclients", maxclients, 1, UINT_MAX, "10000"), .apply = APPLY_MAXCLIENTS,
     .doc = "clients at once"},
    {ENUM("net-backend", net_backend, backends, "auto"), .flags = OPTION_IMMUTABLE,
     .doc = "kernel interface: the best that works, or one of them"},
    {INT("net-ring-entries", net_ring_entries, 0, 32768, "0"), .flags = OPTION_IMMUTABLE,
     .doc = "io_uring submission entries; 0: the server's choice"},
    {INT("net-receive-buffer-bytes", net_receive_buffer_bytes, 0, 1 << 24, "0"),
     .flags = OPTION_IMMUTABLE | OPTION_MEMORY,
     .doc = "one receive buffer; 0: the server's choice"},
    {INT("net-receive-buffer-count", net_receive_buffer_count, 0, 32768, "0"),
     .flags = OPTION_IMMUTABLE, .doc = "receive buffers; 0: the server's choice"},
    {INT("net-zero-copy-bytes", net_zero_copy_bytes, 0, 1 << 30, "0"),
     .flags = OPTION_IMMUTABLE | OPTION_MEMORY,
     .doc = "io_uring: sends from this size on without copying; 0: never"},
    {BOOL("net-sqpoll", net_sqpoll, "no"), .flags = OPTION_IMMUTABLE,
     .doc = "io_uring: a kernel thread submits; needs a spare core"},
    {INT("busy-poll-usec", busy_poll_usec, 0, 1000000, "0"), .flags = OPTION_IMMUTABLE,
     .doc = "io_uring: microseconds of spinning before sleeping"},
    {ENUM("busy-poll-mode", busy_poll_mode, poll_modes, "spin"), .flags = OPTION_IMMUTABLE,
     .doc = "spin, or sleep half of the usual gap first"},
    {BOOL("net-submit-and-wait", net_submit_and_wait, "yes"), .flags = OPTION_IMMUTABLE,
     .doc = "io_uring: one call submits and waits"},
    {BOOL("net-direct-descriptors", net_direct_descriptors, "no"), .flags = OPTION_IMMUTABLE,
     .doc = "io_uring: sockets in the ring's own table"},
    {INT("net-min-wait-usec", net_min_wait_usec, 0, 100000, "0"), .flags = OPTION_IMMUTABLE,
     .doc = "io_uring: microseconds of waiting for a whole batch"},
    {INT("net-napi-usec", net_napi_usec, 0, 100000, "0"), .flags = OPTION_IMMUTABLE,
     .doc = "io_uring: microseconds of polling the network device"},
    {INT("turn-request-count-max", turn_request_count_max, 1, 1 << 20, "4096"),
     .apply = APPLY_SESSIONS, .doc = "requests of one client in one turn"},
    {INT("turn-window", turn_window, 1, 128, "64"), .apply = APPLY_SESSIONS,
     .doc = "requests prefetched side by side"},

    /* ---- general */
    {BOOL("daemonize", daemonize, "no"), .flags = OPTION_IMMUTABLE,
     .doc = "go into the background"},
    {ENUM("supervised", supervised, supervisions, "no"), .flags = OPTION_IMMUTABLE,
     .doc = "tell upstart or systemd when ready"},
    {TEXT("pidfile", pidfile, ""), .flags = OPTION_IMMUTABLE | OPTION_EMPTY_IS_NONE,
     .doc = "file for the process id"},
    {ENUM("loglevel", loglevel, log_levels, "notice"), .apply = APPLY_LOG,
     .doc = "least important line that is logged"},
    {TEXT("logfile", logfile, ""), .flags = OPTION_IMMUTABLE,
     .doc = "log file; empty: standard output"},
    {BOOL("syslog-enabled", syslog_enabled, "no"), .flags = OPTION_IMMUTABLE,
     .doc = "log to syslog as well"},
    {TEXT("syslog-ident", syslog_ident, "rondo"), .flags = OPTION_IMMUTABLE,
     .doc = "name in syslog"},
    {ENUM("syslog-facility", syslog_facility, facilities, "local0"), .flags = OPTION_IMMUTABLE,
     .doc = "facility in syslog"},
    {BOOL("crash-log-enabled", crash_log_enabled, "yes"), .apply = APPLY_CRASH_LOG,
     .doc = "report on a crash"},
    {BOOL("hide-user-data-from-log", hide_user_data_from_log, "yes"),
     .doc = "no keys and values in the crash report"},
    {INT("databases", databases, 1, 65535, "16"), .flags = OPTION_IMMUTABLE,
     .doc = "databases, numbered from 0"},
    {BOOL("always-show-logo", always_show_logo, "no"), .flags = OPTION_IMMUTABLE,
     .doc = "a logo in the log"},
    {BOOL("set-proc-title", set_proc_title, "yes"), .flags = OPTION_IMMUTABLE,
     .doc = "show more in ps and top"},
    {TEXT("proc-title-template", proc_title_template, "{title} {listen-addr} {server-mode}"),
     .apply = APPLY_TITLE, .check = check_title, .doc = "what is shown in ps and top"},
    {SPECIAL("dir", option_dir, "."), .flags = OPTION_PROTECTED | OPTION_DENY_LOADING,
     .doc = "working directory"},
    {INT("hz", hz, 1, 500, "10"), .flags = OPTION_CLAMPED, .apply = APPLY_HZ,
     .doc = "background rounds a second, 1 to 500"},
    {BOOL("dynamic-hz", dynamic_hz, "yes"), .doc = "more rounds with many clients"},
    {INT("shutdown-timeout", shutdown_timeout_s, 0, INT_MAX, "10"),
     .doc = "seconds that replies may take to drain at shutdown"},
    {ENUM("oom-score-adj", oom_score_adj, oom_modes, "no"), .apply = APPLY_OOM_SCORE,
     .doc = "Linux: set the process's out-of-memory score"},
    {SPECIAL("oom-score-adj-values", option_oom_scores, "0 200 800"), .flags = OPTION_MULTI,
     .apply = APPLY_OOM_SCORE, .doc = "the scores: the first is used"},
    {BOOL("disable-thp", disable_thp, "yes"), .flags = OPTION_IMMUTABLE,
     .doc = "Linux: no transparent huge pages"},
    {TEXT("server-cpulist", server_cpulist, ""), .alias = "server_cpulist",
     .flags = OPTION_IMMUTABLE | OPTION_EMPTY_IS_NONE, .doc = "processors to run on, as 0,2-3"},

    /* ---- protection */
    {TEXT("requirepass", requirepass, ""), .flags = OPTION_SENSITIVE | OPTION_EMPTY_IS_NONE,
     .apply = APPLY_PASSWORD, .doc = "password of the default user"},
    {TEXT("aclfile", aclfile, ""), .flags = OPTION_IMMUTABLE, .doc = "file with the users"},
    {INT("acllog-max-len", acllog_max_len, 0, INT64_MAX, "128"), .apply = APPLY_USERS,
     .doc = "entries of ACL LOG"},
    {ENUM("acl-pubsub-default", acl_pubsub_default, channel_defaults, "resetchannels"),
     .apply = APPLY_USERS, .doc = "channels of a new user: resetchannels or allchannels"},
    {ENUM("enable-protected-configs", enable_protected_configs, protected_actions, "no"),
     .flags = OPTION_IMMUTABLE, .doc = "who may set protected options"},
    {ENUM("enable-debug-command", enable_debug_command, protected_actions, "no"),
     .flags = OPTION_IMMUTABLE, .doc = "who may use DEBUG"},

    /* ---- limits */
    {INT("proto-max-bulk-len", proto_max_bulk_bytes, 1024 * 1024, INT64_MAX, "512mb"),
     .flags = OPTION_MEMORY, .apply = APPLY_SESSIONS, .doc = "longest argument"},
    {INT("client-query-buffer-limit", client_query_buffer_bytes, 1024 * 1024, INT64_MAX, "1gb"),
     .flags = OPTION_MEMORY, .apply = APPLY_SESSIONS, .doc = "unexecuted bytes of one client"},
    {INT("output-pause-bytes", output_pause_bytes, 0, INT64_MAX, "64mb"), .flags = OPTION_MEMORY,
     .apply = APPLY_SESSIONS,
     .doc = "unsent bytes above which a client's next requests wait; 0: never"},
    {SPECIAL("client-output-buffer-limit", option_output_limits,
             "normal 0 0 0 slave 256mb 64mb 60 pubsub 32mb 8mb 60"),
     .flags = OPTION_MULTI, .apply = APPLY_SESSIONS, .doc = "unsent bytes of one client, by class"},
    {INT("maxmemory", maxmemory_bytes, 0, INT64_MAX, "0"), .flags = OPTION_MEMORY,
     .apply = APPLY_MAXMEMORY, .doc = "memory for data; 0: no limit"},
    {INT("maxmemory-clients", maxmemory_clients, -100, INT64_MAX, "0"),
     .flags = OPTION_MEMORY | OPTION_PERCENT, .apply = APPLY_SESSIONS,
     .doc = "memory for all clients, or percent of maxmemory; 0: no limit"},
    {ENUM("maxmemory-policy", maxmemory_policy, policies, "noeviction"), .apply = APPLY_KEYSPACE,
     .doc = "what goes when maxmemory is reached"},
    {INT("maxmemory-samples", maxmemory_samples, 1, 64, "5"), .apply = APPLY_MAXMEMORY,
     .doc = "keys compared to find one to evict"},
    {INT("lfu-log-factor", lfu_log_factor, 0, INT_MAX, "10"), .apply = APPLY_KEYSPACE,
     .doc = "how slowly the use counter grows"},
    {INT("lfu-decay-time", lfu_decay_minutes, 0, INT_MAX, "1"), .apply = APPLY_KEYSPACE,
     .doc = "minutes after which the use counter falls by one; 0: never"},

    /* ---- background */
    {BOOL("activerehashing", activerehashing, "yes"),
     .doc = "tables grow in place: kept for compatibility"},
    {INT("active-expire-effort", active_expire_effort, 1, 10, "1"), .apply = APPLY_EXPIRE,
     .doc = "time for removing expired keys"},
    {BOOL("lazyfree-lazy-eviction", lazyfree_lazy_eviction, "yes"),
     .doc = "free evicted values in steps"},
    {BOOL("lazyfree-lazy-expire", lazyfree_lazy_expire, "yes"),
     .doc = "free expired values in steps"},
    {BOOL("lazyfree-lazy-server-del", lazyfree_lazy_server_del, "yes"),
     .doc = "free replaced values in steps"},
    {BOOL("lazyfree-lazy-user-del", lazyfree_lazy_user_del, "yes"), .doc = "DEL frees in steps"},
    {BOOL("lazyfree-lazy-user-flush", lazyfree_lazy_user_flush, "yes"),
     .doc = "FLUSHALL and FLUSHDB free in steps"},

    /* ---- encodings */
    {INT("hash-max-listpack-entries", hash_max_listpack_entries, 0, INT64_MAX, "512"),
     .alias = "hash-max-ziplist-entries", .doc = "fields of a packed hash"},
    {INT("hash-max-listpack-value", hash_max_listpack_value_bytes, 0, INT64_MAX, "64"),
     .flags = OPTION_MEMORY, .alias = "hash-max-ziplist-value",
     .doc = "longest field or value of a packed hash"},
    {INT("list-max-listpack-size", list_max_listpack_size, INT_MIN, INT_MAX, "-2"),
     .alias = "list-max-ziplist-size", .doc = "a list's block: elements, or -1 to -5: 4 to 64 kB"},
    {INT("list-compress-depth", list_compress_depth, 0, INT_MAX, "0"),
     .doc = "kept for compatibility"},
    {INT("set-max-intset-entries", set_max_intset_entries, 0, INT64_MAX, "512"),
     .doc = "members of a set of integers"},
    {INT("set-max-listpack-entries", set_max_listpack_entries, 0, INT64_MAX, "128"),
     .doc = "members of a packed set"},
    {INT("set-max-listpack-value", set_max_listpack_value_bytes, 0, INT64_MAX, "64"),
     .flags = OPTION_MEMORY, .doc = "longest member of a packed set"},
    {INT("zset-max-listpack-entries", zset_max_listpack_entries, 0, INT64_MAX, "128"),
     .alias = "zset-max-ziplist-entries", .doc = "members of a packed sorted set"},
    {INT("zset-max-listpack-value", zset_max_listpack_value_bytes, 0, INT64_MAX, "64"),
     .flags = OPTION_MEMORY, .alias = "zset-max-ziplist-value",
     .doc = "longest member of a packed sorted set"},
    {INT("hll-sparse-max-bytes", hll_sparse_max_bytes, 0, INT64_MAX, "3000"),
     .flags = OPTION_MEMORY, .doc = "largest sparse HyperLogLog"},
    {INT("stream-node-max-bytes", stream_node_max_bytes, 0, INT64_MAX, "4kb"),
     .flags = OPTION_MEMORY, .doc = "a stream's block; 0: no limit"},
    {INT("stream-node-max-entries", stream_node_max_entries, 0, INT64_MAX, "100"),
     .doc = "entries of a stream's block; 0: no limit"},

    /* ---- tracking, scripts */
    {INT("tracking-table-max-keys", tracking_table_max_keys, 0, INT64_MAX, "1000000"),
     .apply = APPLY_TRACKING, .doc = "keys that clients cache, remembered; 0: no limit"},
    {INT("busy-reply-threshold", busy_reply_threshold_ms, 0, INT64_MAX, "5000"),
     .alias = "lua-time-limit", .doc = "milliseconds after which a script makes the server busy"},
    {INT("script-memory-max", script_memory_bytes_max, 0, INT64_MAX, "512mb"),
     .flags = OPTION_MEMORY, .apply = APPLY_SCRIPTS,
     .doc = "memory of the interpreter of scripts; 0: no limit"},

    /* ---- observation */
    {INT("slowlog-log-slower-than", slowlog_slower_than_us, -1, INT64_MAX, "10000"),
     .alias = "commandlog-execution-slower-than",
     .doc = "microseconds; 0: everything, -1: nothing"},
    {INT("slowlog-max-len", slowlog_max_len, 0, INT64_MAX, "128"),
     .alias = "commandlog-slow-execution-max-len", .apply = APPLY_SLOWLOG,
     .doc = "entries of the slow log"},
    {INT("latency-monitor-threshold", latency_monitor_threshold_ms, 0, INT64_MAX, "0"),
     .doc = "milliseconds from which an event is kept; 0: off"},
    {BOOL("latency-tracking", latency_tracking, "yes"), .doc = "a histogram for each command"},
    {SPECIAL("latency-tracking-info-percentiles", option_percentiles, "50 99 99.9"),
     .flags = OPTION_MULTI, .doc = "percentiles in INFO latencystats"},
    {SPECIAL("notify-keyspace-events", option_events, ""), .apply = APPLY_NOTIFY,
     .doc = "events published to subscribers, by class letters"},
};
const uint32_t options_own_count = ARRAY_LENGTH(options_own);
