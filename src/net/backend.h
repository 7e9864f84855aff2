/* The contract between net.c and a backend: one file per kernel interface, chosen at run time through this table. What net.h
 * promises about ownership is kept here:
 *  - received bytes live until the backend's next `turn`;
 *  - bytes given to `conn_send` are the backend's until it reports SENT or CLOSED;
 *  - CLOSED is the last event of a connection, and nothing of it is freed or reused while an operation of it is in flight: a stale
 *    completion carries an old generation and is dropped;
 *  - readiness backends (epoll, kqueue; readiness.h) act out completions: they read after the wait and write before the next one.
 *
 * net.c owns slots, generations, listeners' sockets, names and the event array; a backend owns what it told the kernel.
 * `struct net` stands here, not in net.c, so that the way of one event is inlined into the backends' loops. */
#ifndef NET_BACKEND_H
#define NET_BACKEND_H

#include "base/check.h"
#include "base/list.h"
#include "net/net.h"

enum net_conn_state {
    NET_CONN_FREE,    /* in the free list */
    NET_CONN_OPEN,    /* accepted, usable */
    NET_CONN_CLOSING, /* net_close or an error; waits for what is in flight */
    NET_CONN_CLOSED,  /* CLOSED was reported in this turn; freed at the start of the next */
};

struct net_conn {
    /* What each request and reply touches: one cache line. */
    _Alignas(64) struct net *net;
    void *user;
    int fd;
    uint32_t slot;
    uint32_t generation; /* raised at each reuse of the slot */
    uint8_t state;       /* enum net_conn_state */
    uint8_t family;      /* AF_UNIX, AF_INET, AF_INET6 */
    bool paused;         /* the caller's wish */
    bool sending;        /* a send was queued or is in flight */
    bool ended;          /* the peer sends no more: closes as soon as no send is in flight */
    bool dirty;          /* in the backend's list of things to do before the wait */
    uint16_t armed;      /* the backend's: what the kernel was told, what is still to be told */
    uint32_t in_flight;  /* the backend's: operations that the kernel holds */
    size_t rest_bytes;   /* of the send: still to go, see net_rest_* below */
    struct iovec rest;   /* its only piece */

    /* The rest. */
    /* Several pieces (heap), of which those from piece_at on are still to go; NULL: only `rest`. */
    struct iovec *pieces;
    int piece_at, piece_count;
    struct iovec into;     /* net_receive_into's wish; iov_len 0: none */
    struct list link;      /* the backend's list, or net.c's free and closed lists */
    int close_status;      /* for the CLOSED event */
    int result;            /* the backend's */
    uint32_t change_at[2]; /* the backend's */
    uint32_t into_recent;  /* the backend's: receives for which a wish is still to be expected */
};

_Static_assert(offsetof(struct net_conn, pieces) == 64, "what is hot fits into one line");

struct net_backend {
    const char *name;
    enum net_backend_kind kind;
    bool keeps_blocking; /* its sockets stay in blocking mode (the kernel waits for them) */
    bool socketless; /* it has no descriptors: net.c opens no listening sockets for it (tests) */

    /* Makes the backend's state (*state), probing that it works for real. 0 or a negative errno. `why`: on success what it found,
     * such as "multishot receive", may be empty; on failure what refused, such as "io_uring_setup". */
    int (*open)(struct net *net, void **state, char *why, size_t why_size);
    void (*close)(void *state); /* the kernel lets go of everything; nothing is reported */
    /* In a forked child: drop the kernel's handle, touch nothing that the parent shares. May be NULL. */
    void (*forked)(void *state);

    int (*listener_add)(void *state, int listener, int fd);     /* start accepting; idempotent */
    void (*listener_remove)(void *state, int listener, int fd); /* idempotent */
    int (*watch)(void *state, int fd, int tag);
    void (*unwatch)(void *state, int fd);

    int (*turn)(void *state, int timeout_ms);

    void (*conn_open)(void *state, struct net_conn *conn); /* start reading */
    void (*conn_send)(void *state, struct net_conn *conn, const struct iovec *iov, int count,
                      size_t bytes);
    void (*conn_pause)(void *state, struct net_conn *conn); /* conn->paused has changed */
    void (*conn_receive_into)(void *state, struct net_conn *conn); /* conn->into has changed. NULL: wishes are not heard */
    /* The state is CLOSING already; net_emit_closed must follow. */
    void (*conn_close)(void *state, struct net_conn *conn);
    /* CLOSED was seen by the caller: close the descriptor. */
    void (*conn_release)(void *state, struct net_conn *conn);
};

enum {
    NET_LISTENER_MAX = 64,
    NET_RECEIVE_INTO_BYTES_MAX = 256 * 1024, /* of one receive into the caller's memory: fairness */
    NET_SLOT_SPARE = 64, /* slots over conn_count_max, for those that the caller refuses */
};

struct net_listener {
    int fd; /* -1: unused */
    int tag;
    uint8_t family;
    char *path; /* Unix socket: its file, and what it was when it was made */
    uint64_t device, inode;
};

struct net {
    const struct net_backend *backend;
    void *state;
    struct net_conn *conns; /* slot_count of them; pages that were never used cost nothing */
    uint32_t slot_count, slot_used, conn_count;
    uint32_t event_count, event_max;
    struct net_event *events;
    struct net_stats stats;
    struct list free, closed;
    struct net_options options; /* with the defaults filled in */
    struct net_listener listeners[NET_LISTENER_MAX];
    bool accepting;           /* the caller's wish */
    int64_t accept_resume_ms; /* 0, or when accepting starts again after descriptors ran out */
    bool accept_complained;
    int reserve_fd;
    int wake_fds[2];
};

/* What net.c offers to the backends. */

/* A new socket came in: gives it a slot, reports ACCEPTED and calls conn_open. NULL: no slot; the socket was closed. */
struct net_conn *net_conn_accepted(struct net *net, int listener, int fd);
/* Accept failed: EMFILE and ENFILE use the reserve descriptor and pause all listeners for a while. */
void net_accept_failed(struct net *net, int listener, int error);
void net_emit_ready(struct net *net, int tag);
/* Ends an open connection from the backend's side: state, status. The backend then does what its conn_close does. */
void net_conn_fail(struct net_conn *conn, int status);

/* The piece list of the send in flight. Set copies the array; advance says how much the kernel took and leaves what is still to
 * go; release forgets it. */
void net_rest_set(struct net_conn *conn, const struct iovec *iov, int count, size_t bytes);
void net_rest_advance(struct net_conn *conn, size_t bytes);
void net_rest_release(struct net_conn *conn);
INLINE struct iovec *net_rest_pieces(struct net_conn *conn) {
    return conn->pieces ? conn->pieces + conn->piece_at : &conn->rest;
}
INLINE int net_rest_count(const struct net_conn *conn) {
    return conn->pieces ? conn->piece_count - conn->piece_at : 1;
}

/* True when another event fits into this turn's array. Backends stop taking completions when it is full and go on next turn. */
INLINE bool net_event_room(const struct net *net) {
    return net->event_count < net->event_max;
}

INLINE struct net_conn *net_conn_at(struct net *net, uint32_t slot,
                                    uint32_t generation) { /* NULL: stale */
    struct net_conn *conn = &net->conns[slot];
    if (UNLIKELY(slot >= net->slot_used || conn->generation != generation)) return NULL;
    return conn->state == NET_CONN_OPEN || conn->state == NET_CONN_CLOSING ? conn : NULL;
}

INLINE struct net_event *net_event_add(struct net *net, enum net_event_kind kind,
                                       struct net_conn *conn) {
    struct net_event *event = &net->events[net->event_count++];
    DCHECK(net->event_count <= net->event_max);
    event->kind = kind;
    event->status = 0;
    event->conn = conn;
    event->user = conn ? conn->user : NULL;
    return event;
}

INLINE void net_emit_data(struct net *net, struct net_conn *conn, struct span data) {
    net->stats.receive_count++;
    net->stats.receive_bytes += data.len;
    net_event_add(net, NET_EVENT_DATA, conn)->data = data;
}

/* Everything of the send was taken. */
INLINE void net_emit_sent(struct net *net, struct net_conn *conn) {
    net->stats.send_count++;
    conn->sending = false;
    if (UNLIKELY(conn->pieces != NULL)) net_rest_release(conn);
    net_event_add(net, NET_EVENT_SENT, conn);
}

void net_emit_closed(struct net *net, struct net_conn *conn); /* with conn->close_status */

extern const struct net_backend net_backend_uring, net_backend_epoll, net_backend_kqueue;
/* Tests register the sim backend, and on Linux the emulated kqueue, here before net_new. */
void net_backend_register(const struct net_backend *backend);

#endif
