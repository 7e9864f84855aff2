/* The values of all options, plain data: filled by the config table (src/server/config.c), read by whoever needs one. Units are in
 * the names; server.conf documents each. */
#ifndef COMMANDS_SETTINGS_H
#define COMMANDS_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "session/session.h"

enum { SETTINGS_BIND_MAX = 16, SETTINGS_PERCENTILES_MAX = 8, SETTINGS_OOM_SCORES = 3 };

/* maxmemory-policy. The LFU ones change what the access clock of an entry means. */
enum maxmemory_policy {
    MAXMEMORY_NOEVICTION,
    MAXMEMORY_ALLKEYS_LRU,
    MAXMEMORY_ALLKEYS_LFU,
    MAXMEMORY_ALLKEYS_RANDOM,
    MAXMEMORY_VOLATILE_LRU,
    MAXMEMORY_VOLATILE_LFU,
    MAXMEMORY_VOLATILE_RANDOM,
    MAXMEMORY_VOLATILE_TTL,
};

enum supervised { SUPERVISED_NO, SUPERVISED_AUTO, SUPERVISED_SYSTEMD, SUPERVISED_UPSTART };
enum protected_action { PROTECTED_ACTION_NO, PROTECTED_ACTION_YES, PROTECTED_ACTION_LOCAL };
enum oom_score_adj { OOM_SCORE_ADJ_NO, OOM_SCORE_ADJ_RELATIVE, OOM_SCORE_ADJ_ABSOLUTE };

/* rename-command: before the first request, `from` becomes `to`, or goes when `to` is empty. */
struct command_rename {
    char *from, *to;
};

enum acl_pubsub_default { ACL_PUBSUB_RESETCHANNELS, ACL_PUBSUB_ALLCHANNELS };

/* A line "user NAME RULES" and where it stands: `file` NULL for the command line. */
struct settings_user {
    char *text, *file;
    uint32_t line;
};

enum busy_poll_mode { BUSY_POLL_SPIN, BUSY_POLL_HYBRID };

struct settings {
    /* network */
    char *bind[SETTINGS_BIND_MAX];
    uint32_t bind_count;
    int64_t port, tcp_backlog, tcp_keepalive_s, timeout_s, maxclients;
    char *unixsocket, *unixsocketgroup;
    int64_t unixsocketperm;
    bool protected_mode;
    int64_t net_backend;               /* enum net_backend_kind */
    int64_t net_ring_entries, net_receive_buffer_bytes, net_receive_buffer_count, net_zero_copy_bytes;
    int64_t busy_poll_usec, busy_poll_mode /* enum busy_poll_mode */, net_min_wait_usec, net_napi_usec;
    bool net_sqpoll, net_submit_and_wait, net_direct_descriptors;
    /* general */
    bool daemonize;
    int64_t supervised;
    char *pidfile, *logfile, *syslog_ident, *dir, *proc_title_template, *requirepass;
    int64_t loglevel, syslog_facility;
    bool syslog_enabled, crash_log_enabled, always_show_logo, set_proc_title;
    int64_t databases, hz, shutdown_timeout_s;
    bool dynamic_hz, disable_thp, hide_user_data_from_log;
    int64_t oom_score_adj;             /* enum oom_score_adj */
    int64_t oom_score_adj_values[SETTINGS_OOM_SCORES], oom_score_at_start;
    char *server_cpulist;
    struct command_rename *renames;
    uint32_t rename_count;
    /* limits */
    int64_t proto_max_bulk_bytes, client_query_buffer_bytes, output_pause_bytes, maxmemory_bytes;
    int64_t maxmemory_clients;         /* bytes; negative: percent of maxmemory; 0: no limit */
    int64_t maxmemory_policy /* enum maxmemory_policy */, maxmemory_samples, lfu_log_factor, lfu_decay_minutes;
    struct output_limit output_limit[SESSION_CLASS_COUNT];
    int64_t turn_request_count_max, turn_window;
    /* background */
    bool activerehashing, lazyfree_lazy_eviction, lazyfree_lazy_expire, lazyfree_lazy_server_del, lazyfree_lazy_user_del,
        lazyfree_lazy_user_flush;
    int64_t active_expire_effort;
    /* encodings: what stays in one packed block */
    int64_t hash_max_listpack_entries, hash_max_listpack_value_bytes, list_max_listpack_size, list_compress_depth;
    int64_t set_max_intset_entries, set_max_listpack_entries, set_max_listpack_value_bytes;
    int64_t zset_max_listpack_entries, zset_max_listpack_value_bytes, hll_sparse_max_bytes;
    int64_t stream_node_max_bytes, stream_node_max_entries;
    /* tracking, scripts */
    int64_t tracking_table_max_keys, busy_reply_threshold_ms, script_memory_bytes_max;
    /* observation */
    int64_t slowlog_slower_than_us, slowlog_max_len, latency_monitor_threshold_ms;
    bool latency_tracking;
    char *notify_keyspace_events;      /* class letters in Redis's order, "" for none */
    double latency_percentiles[SETTINGS_PERCENTILES_MAX];
    uint32_t latency_percentile_count;
    /* protection */
    int64_t enable_debug_command, enable_protected_configs; /* enum protected_action */
    char *aclfile;                     /* "" for none */
    int64_t acllog_max_len, acl_pubsub_default /* enum acl_pubsub_default */;
    struct settings_user *users;       /* lines of the configuration, in its order */
    uint32_t user_count;
};

static inline bool settings_policy_is_lfu(const struct settings *settings) {
    return settings->maxmemory_policy == MAXMEMORY_ALLKEYS_LFU || settings->maxmemory_policy == MAXMEMORY_VOLATILE_LFU;
}

#endif
