/* The contract between net.c and a backend: one file per kernel interface, chosen at run time through this table. What net.h
 * promises about ownership is kept here:
 *  - received bytes live until the backend's next `turn`;
 *  - bytes given to `send` are the backend's until it reports SENT or CLOSED;
 *  - CLOSED is the last event of a connection, and nothing of it is freed or reused while an operation of it is in flight: a stale
 *    completion carries an old generation and is dropped;
 *  - readiness backends (epoll, kqueue) act out completions: they read after the wait and write before the next one.
 * net.c owns slots, generations, listeners' sockets, names and the event array; a backend owns what it told the kernel. */
#ifndef NET_BACKEND_H
#define NET_BACKEND_H

#include "base/list.h"
#include "net/net.h"

enum net_conn_state {
    NET_CONN_FREE,    /* in the free list */
    NET_CONN_OPEN,    /* accepted, usable */
    NET_CONN_CLOSING, /* net_close or an error; waits for what is in flight */
    NET_CONN_CLOSED,  /* CLOSED was reported in this turn; freed at the start of the next */
};

struct net_conn {
    struct net *net;
    void *user;
    int fd;
    uint32_t slot;
    uint32_t generation;     /* raised at each reuse of the slot */
    uint8_t state;           /* enum net_conn_state */
    uint8_t family;          /* AF_UNIX, AF_INET, AF_INET6 */
    bool paused;             /* the caller's wish */
    bool sending;            /* a send was queued or is in flight */
    int close_status;        /* for the CLOSED event */

    /* The backend's own. */
    uint32_t in_flight;      /* operations that the kernel holds (io_uring) */
    uint32_t interest;       /* what the kernel was told / armed flags */
    bool dirty;              /* queued in the backend's list of things to do before the wait */
    struct list link;        /* that list */
    struct iovec *rest;      /* the pieces still to send (heap, only after a short write or a queued send) */
    int rest_count;
    size_t send_bytes;       /* of the send in flight */
};

struct net_backend {
    const char *name;
    enum net_backend_kind kind;

    /* Makes the backend's state (*state), probing that it works for real. 0 or a negative errno; `why` gets the reason in words. */
    int (*open)(struct net *net, void **state, char *why, size_t why_size);
    void (*close)(void *state);

    int (*listener_add)(void *state, int listener, int fd); /* start accepting; accepted sockets go to net_conn_accepted */
    void (*listener_remove)(void *state, int listener, int fd);
    int (*watch)(void *state, int fd, int tag);
    void (*unwatch)(void *state, int fd);

    int (*turn)(void *state, int timeout_ms);

    void (*conn_open)(void *state, struct net_conn *conn); /* start reading */
    void (*conn_send)(void *state, struct net_conn *conn, const struct iovec *iov, int count, size_t bytes);
    void (*conn_pause)(void *state, struct net_conn *conn, bool paused);
    void (*conn_close)(void *state, struct net_conn *conn);
    void (*wake)(void *state);
};

/* What net.c offers to the backends (net_internal part of the contract). */
const struct net_options *net_options_of(const struct net *net);
struct net_stats *net_stats_of(struct net *net);
/* True when another event fits into this turn's array. Backends stop taking completions when it is full and go on next turn. */
bool net_event_room(const struct net *net);
/* A new socket came in: gives it a slot, reports ACCEPTED and calls conn_open. NULL: no slot; the socket was closed. */
struct net_conn *net_conn_accepted(struct net *net, int listener, int fd);
/* Accept failed: EMFILE and ENFILE use the reserve descriptor and pause all listeners for a while. */
void net_accept_failed(struct net *net, int listener, int error);
struct net_conn *net_conn_at(struct net *net, uint32_t slot, uint32_t generation); /* NULL: stale */
void net_emit_data(struct net *net, struct net_conn *conn, struct span data);
void net_emit_sent(struct net *net, struct net_conn *conn);
void net_emit_closed(struct net *net, struct net_conn *conn, int status); /* closes the descriptor too */
void net_emit_ready(struct net *net, int tag);

extern const struct net_backend net_backend_uring, net_backend_epoll, net_backend_kqueue;
/* Tests register the sim backend, and on Linux the emulated kqueue, here before net_new. */
void net_backend_register(const struct net_backend *backend);

#endif
