/* The assembly: every layer made, joined and taken apart again. */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include "commands/dispatch.h"
#include "commands/host.h"
#include "net/timers.h"
#include "server/config.h"
#include "server/metrics.h"
#include "server/turn.h"

enum {
    SERVER_LISTENERS_MAX = SETTINGS_BIND_MAX + 1,
    SERVER_CONN_COUNT_MIN = 65536, /* room for raising maxclients later: address space only */
};

struct server {
    struct settings settings;
    struct config *config;
    struct net *net;
    int64_t conn_count_max;     /* what net was made for */
    char net_why[256];          /* which backend and why, one line */
    struct keyspace *keyspace;
    struct timers timers;
    struct sessions sessions;
    struct host host;
    struct turn turn;
    char apply_error[128];      /* text of a refused change of the configuration */
    int listeners[SERVER_LISTENERS_MAX];
    uint32_t listener_count;
    struct server_stats {
        int64_t started_real_ms, started_mono_ms;
        uint64_t refused_connection_count;
        size_t startup_bytes;
        int64_t longest_cron_us;
    } stats;
    struct metrics metrics;       /* rates for INFO */
    char run_id[41], replication_id[41];
    char executable[4096];        /* argv[0] */
    int64_t next_cron_ms, next_info_ms; /* monotonic */
    int64_t next_expire_us;       /* while expiry has work left */
    bool expire_pending;
    bool stopping;                /* a shutdown was asked for and accepted */
};

/* Makes everything but the config, whose settings are already filled in: sv->settings and sv->config. Logs what fails. 0 or a
 * negative error. */
ATTR_MUST_USE int server_init(struct server *sv);
ATTR_MUST_USE int server_listen(struct server *sv);   /* all of bind, port, unixsocket; at least one must work */
void server_unlisten(struct server *sv);
/* Runs turns until a shutdown is accepted, then drains. 0 or the error that ended it. */
ATTR_MUST_USE int server_run(struct server *sv);
void server_release(struct server *sv); /* frees all that server_init made; the config is the caller's */

void server_cron(struct server *sv);    /* due work; called every turn, cheap when nothing is due */
int server_wait_ms(const struct server *sv);

/* What a start needs of the commands and users that the settings name, without starting: 0, or a negative error after the message was
 * appended to `error`. */
ATTR_MUST_USE int server_check_settings(const struct settings *settings, struct buf *error);

/* Fills host's functions for CONFIG, INFO and SHUTDOWN, and the config's apply callbacks. */
void server_bind_host(struct server *sv);

#endif
