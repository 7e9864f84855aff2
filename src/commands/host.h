/* What commands ask of the assembly above them, as a table of functions: the server fills it in, tests can fake it. */
#ifndef COMMANDS_HOST_H
#define COMMANDS_HOST_H

#include "base/buf.h"
#include "commands/settings.h"
#include "session/session.h"

struct acl;
struct command_registry;
struct slowlog;
struct latency_monitor;
struct watch_registry;
struct pubsub;
struct tracking;
struct notifier;
struct blocking;
struct scripting;
struct long_replies;

/* What dispatch keeps between requests. */
struct dispatch_state {
    uint64_t ticks;               /* when the last command ended: the next one's start */
    uint64_t command_count;       /* executed, INFO's total_commands_processed */
    const struct call *running;   /* for the crash report; NULL between commands */
    struct chunk_list muted;      /* where silent sessions' replies go */
    const struct session *script_caller; /* whose script runs; NULL: none */
    bool busy;                    /* a script has been running for too long: others are answered BUSY */
    bool keys_ready;              /* keys that somebody waits for have changed: blocking_serve is due */
    struct eviction {             /* see eviction.h */
        int64_t spent_us;         /* in this turn */
        size_t floor_bytes;       /* the least that was used since the limit was crossed; 0: it is not crossed */
        int64_t exceeded_since_us, exceeded_us; /* monotonic, 0: fits; time over the limit before that */
        bool pending;             /* over the limit with keys left to evict: the next turn goes on */
    } eviction;
};

struct host {
    struct dispatch_state dispatch;
    struct settings *settings;           /* current values of all options; change them through config_set only */
    struct keyspace *keyspace;
    struct sessions *sessions;
    struct net *net;
    struct timers *timers;
    struct command_registry *commands;
    struct acl *acl;                     /* all users */
    struct slowlog *slowlog;
    struct latency_monitor *latency;
    struct watch_registry *watches;
    struct pubsub *pubsub;
    struct tracking *tracking;
    struct notifier *notifier;
    struct blocking *blocking;           /* who waits on which keys */
    struct scripting *scripting;
    struct long_replies *long_replies;
    struct window_memory *window;        /* call_scratch */
    const char *redis_version, *version; /* the one that clients may count on; Rondo's own */
    void *server;                        /* the functions' first argument */

    /* CONFIG. Patterns and names are the arguments; each writes the whole reply. */
    void (*config_get)(void *server, struct reply *reply, const struct span *patterns, uint32_t count);
    void (*config_set)(void *server, struct reply *reply, const struct span *pairs, uint32_t count);
    void (*config_rewrite)(void *server, struct reply *reply);
    void (*config_reset_stats)(void *server);
    /* INFO: the sections asked for (count 0: the default ones), appended to out. */
    void (*info)(void *server, const struct span *sections, uint32_t count, struct buf *out);
    /* SHUTDOWN: false when it is refused, with the error written. */
    bool (*shutdown)(void *server, struct reply *reply, bool now, bool force, bool abort);
    /* While a script has been running for too long: serves the other clients for a moment. True: the server is about to end. */
    bool (*serve_while_busy)(void *server);
    /* Statistics for MEMORY STATS and INFO. */
    int64_t (*uptime_s)(void *server);
    size_t (*startup_bytes)(void *server);
};

#endif
