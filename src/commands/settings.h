/* The values of all options, plain data: filled by the config table (src/server/config.c), read by whoever needs one. Units are in
 * the names; server.conf documents each. */
#ifndef COMMANDS_SETTINGS_H
#define COMMANDS_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "session/session.h"

enum { SETTINGS_BIND_MAX = 16 };

struct settings {
    /* network */
    char *bind[SETTINGS_BIND_MAX];
    uint32_t bind_count;
    int64_t port, tcp_backlog, tcp_keepalive_s, timeout_s, maxclients;
    char *unixsocket;
    int64_t unixsocketperm;
    bool protected_mode;
    int64_t net_backend;               /* enum net_backend_kind */
    int64_t net_ring_entries, net_receive_buffer_bytes, net_receive_buffer_count, net_zero_copy_bytes, busy_poll_usec;
    bool net_sqpoll;
    /* general */
    bool daemonize;
    int64_t supervised;
    char *pidfile, *logfile, *syslog_ident, *dir, *proc_title_template, *requirepass;
    int64_t loglevel, syslog_facility;
    bool syslog_enabled, crash_log_enabled, always_show_logo, set_proc_title;
    int64_t databases, hz;
    bool dynamic_hz;
    /* limits */
    int64_t proto_max_bulk_bytes, client_query_buffer_bytes, maxmemory_bytes, maxmemory_clients;
    int64_t maxmemory_policy, maxmemory_samples, lfu_log_factor, lfu_decay_minutes;
    struct output_limit output_limit[SESSION_CLASS_COUNT];
    int64_t turn_request_count_max, turn_window;
    /* background */
    bool activerehashing, lazyfree_lazy_eviction, lazyfree_lazy_expire, lazyfree_lazy_server_del, lazyfree_lazy_user_del,
        lazyfree_lazy_user_flush;
    int64_t active_expire_effort;
    /* observation */
    int64_t slowlog_slower_than_us, slowlog_max_len, latency_monitor_threshold_ms;
    bool latency_tracking;
    char *notify_keyspace_events;
    double latency_percentiles[8];
    uint32_t latency_percentile_count;
    /* protection */
    int64_t enable_debug_command, enable_protected_configs; /* 0 no, 1 yes, 2 local */
};

#endif
