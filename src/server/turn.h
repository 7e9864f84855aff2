/* The turn: one call into the kernel, the requests that it brought, in windows, and their replies queued for the next call. */
#ifndef SERVER_TURN_H
#define SERVER_TURN_H

#include "commands/dispatch.h"
#include "net/net.h"
#include "resp/reader.h"

enum {
    TURN_WINDOW_MAX = 128,           /* requests parsed before they are executed */
    TURN_WINDOW_DEFAULT = 64,
    TURN_SESSION_REQUESTS_DEFAULT = 4096, /* of one session in one turn */
};

struct turn_stats {
    uint64_t request_count, window_count, kept_count, protocol_error_count;
    uint64_t longest_us;             /* the longest turn's work, waiting not counted */
};

struct turn {
    struct host *host;
    struct reader_limits limits;
    struct dispatch_item *items;     /* the window */
    uint32_t item_count, window_size;
    uint32_t session_request_max;    /* fairness: more of one session wait for the next turn */
    uint32_t number;                 /* of the running turn; wraps */
    struct turn_stats stats;
    /* What the assembly does with a new connection: a session, or NULL after it was refused. */
    struct session *(*accept)(void *context, struct net_conn *conn, int tag);
    void *accept_context;

    /* What a script that runs for too long finds on the stack above it; see turn_serve_others. */
    const struct net_event *events;
    int event_at, event_count;
    uint32_t running_at;             /* of items: what is being executed */
    struct session *parsing;         /* whose bytes are being taken, and what is left of them */
    struct span *parsing_rest;
    uint32_t held_count;             /* how often a turn was interrupted so */
    bool held;
    struct session *closed[2];       /* gone, but on the stack: freed at the turn's end */
    struct turn *inner;              /* what serves the others, made when it is first needed */
    struct turn *outer;              /* of an inner one */
    struct window_memory *window;    /* an inner one's own */
};

void turn_init(struct turn *t, struct host *host);
void turn_release(struct turn *t);

/* One turn, waiting at most timeout_ms. 0 or a negative errno that the backend cannot recover from. */
ATTR_MUST_USE int turn_run(struct turn *t, int timeout_ms);

/* From within a command that has been running for too long: one turn without waiting for all sessions but the command's own. What the
 * interrupted turn has not executed yet is kept with its sessions first, since the kernel's buffers are good until the next call only.
 * Time stands still meanwhile. */
void turn_serve_others(struct turn *t);

/* True when sessions have requests of their own to go on with: the next turn must not wait. */
bool turn_has_waiting(const struct turn *t);

#endif
