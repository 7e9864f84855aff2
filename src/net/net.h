/* Connections in completions. The caller names what is to happen (listen, send, pause, close); one call, net_turn, hands all of
 * that to the kernel, waits, and returns what has happened as an array of events. Nothing enters the kernel between two turns.
 *
 * Ownership:
 *  - The bytes of a DATA event belong to the backend and stay valid until the next net_turn.
 *  - Bytes given to net_send belong to the backend until that connection's SENT or CLOSED event. One send per connection is in
 *    flight at most.
 *  - CLOSED is the last event of a connection. It comes once for every ACCEPTED, whoever ended it, and not before everything in
 *    flight on it has ended. The struct net_conn is valid until the net_turn after that.
 *
 * Errors are negative errno. Single-threaded; net_wake alone may be called from a signal handler. */
#ifndef NET_NET_H
#define NET_NET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/span.h"

struct net;
struct net_conn;

enum net_backend_kind {
    NET_BACKEND_AUTO,
    NET_BACKEND_URING,
    NET_BACKEND_EPOLL,
    NET_BACKEND_KQUEUE,
    NET_BACKEND_SIM
};

/* Zero is the default everywhere. */
struct net_options {
    enum net_backend_kind backend;
    /* Connections at once; 0: 10000. Some more are accepted, so that the caller can refuse them in its own words; beyond those
     * they are refused here. */
    uint32_t conn_count_max;
    uint32_t event_count_max; /* events of one turn at most; 0: 1024 */
    /* Bytes of one connection in one turn at most (fairness); 0: 64 KiB. io_uring before Linux 6.17 cannot be told, and may bring
     * up to 32 receive buffers of one connection. */
    uint32_t receive_bytes;
    uint32_t receive_buffer_bytes; /* one receive buffer; 0: the backend's measured choice */
    uint32_t receive_buffer_count; /* 0: the backend's measured choice */
    bool whole_receive_buffers; /* io_uring: a buffer per receive, even where they can be shared */
    uint32_t ring_entries;      /* io_uring submission entries; 0: measured choice */
    uint32_t zero_copy_bytes;   /* io_uring: zero-copy sends from this size on; 0: never */
    uint32_t busy_poll_us; /* io_uring: spin for completions this long before sleeping; 0: never */
    bool busy_poll_hybrid; /* sleeps half of the usual gap before it spins */
    bool sqpoll;           /* io_uring: a kernel thread submits; needs a spare core */
    bool submit_apart;     /* io_uring: one call submits, another one waits */
    bool direct_descriptors; /* io_uring: sockets get numbers in the ring's own table */
    uint32_t min_wait_us; /* io_uring: so long a wait is for a batch of the usual size; 0: never */
    uint32_t napi_us;     /* io_uring: so long a wait polls the network devices; 0: never */
    int tcp_keepalive_s;  /* 0: off */
    /* Written to connections that get no slot or no descriptor before they are closed. Borrowed until net_free. */
    struct span refusal;
    void *sim; /* NET_BACKEND_SIM: the script's state (tests) */
};

enum net_event_kind {
    NET_EVENT_ACCEPTED, /* a new connection; set its user pointer */
    NET_EVENT_DATA,     /* bytes came in */
    NET_EVENT_SENT,     /* everything of the send in flight was taken by the kernel */
    NET_EVENT_CLOSED,   /* the last; status 0: the peer's or our orderly end, else negative errno */
    NET_EVENT_READY,    /* a watched descriptor can be read; tag names it */
    NET_EVENT_NONE,     /* nothing to do: net_close was called on its connection meanwhile */
};

struct net_event {
    enum net_event_kind kind;
    int status;
    struct net_conn *conn; /* NULL for READY */
    void *user;            /* the connection's user pointer */
    struct span data;      /* DATA */
    int tag;               /* ACCEPTED: the listener's; READY: the watch's */
};

/* Makes the chosen backend, or with AUTO the best one that really works here: each candidate is probed with a real operation. On
 * success *why is a line such as "io_uring (multishot receive, 6.18)" or "epoll, since io_uring_setup: Operation not permitted".
 * 0, or a negative errno when the asked-for backend is refused (then *why says by what). */
ATTR_MUST_USE int net_new(const struct net_options *options, struct net **out, char *why,
                          size_t why_size);
void net_free(struct net *net); /* closes everything still open, without events; NULL is fine */
/* In a child made by fork: closes every descriptor of this layer without disturbing the parent. No other call may follow, and
 * the bytes of DATA events are not there: receive buffers are not inherited. */
void net_forked(struct net *net);
const char *net_backend_name(const struct net *net); /* "io_uring", "epoll", "kqueue", "sim" */

struct net_listen_options {
    /* TCP: a numeric IPv4 or IPv6 address, "*" (or NULL) for all IPv4, "::*" for all IPv6. */
    const char *address;
    uint16_t port;    /* TCP; 0: a free one, see net_listener_port */
    const char *path; /* not NULL: a Unix socket; an existing socket file there is replaced */
    uint32_t mode;    /* permissions of the socket file, 0: as umask leaves it */
    int backlog;      /* 0: 511 */
    int tag;          /* returned with each ACCEPTED */
};
/* A listener number >= 0, or a negative errno (-EADDRINUSE, -EADDRNOTAVAIL, -EAFNOSUPPORT, ...). */
ATTR_MUST_USE int net_listen(struct net *net, const struct net_listen_options *options);
void net_unlisten(struct net *net, int listener); /* also removes a Unix socket's file */
uint16_t net_listener_port(const struct net *net, int listener);
/* Accepting stops when connections or descriptors run out and starts again by itself; this is the caller's own switch. */
void net_set_accepting(struct net *net, bool accepting);

/* Readiness of a foreign descriptor (self-pipe, signalfd): READY events with `tag`, level-triggered. 0, -ENOSPC beyond 31 of
 * them, or what the kernel says of a descriptor that cannot be waited for. */
ATTR_MUST_USE int net_watch(struct net *net, int fd, int tag);
void net_unwatch(struct net *net, int fd);

/* Makes the running or next net_turn return soon. Async-signal-safe. */
void net_wake(struct net *net);

/* The turn. Hands over what was queued, waits at most timeout_ms (-1: no bound; 0: not at all) for something to happen, and
 * returns the number of events, possibly 0; *events is valid until the next turn. Interrupted waits return 0. */
ATTR_MUST_USE int net_turn(struct net *net, int timeout_ms, struct net_event **events);

/* The pointer that each of the connection's events carries. A connection's first DATA comes in a later turn than its ACCEPTED, so
 * one set while that turn's events are handled is in all of them. */
void net_set_user(struct net_conn *conn, void *user);

/* Queues one send of `iov_count` pieces (1..NET_SEND_PIECES_MAX), `bytes` in all (> 0). The iovec array is copied, the bytes are
 * borrowed. Must not be called while a send is in flight, nor after net_close. */
enum { NET_SEND_PIECES_MAX = 64 };
void net_send(struct net *net, struct net_conn *conn, const struct iovec *iov, int iov_count,
              size_t bytes);
bool net_sending(const struct net_conn *conn);

/* Stops and restarts reading: that is how back-pressure reaches the client. Bytes that were already received when pausing are
 * still delivered. Idempotent. A paused connection still reports CLOSED when its end is noticed. */
void net_pause(struct net *net, struct net_conn *conn);
void net_resume(struct net *net, struct net_conn *conn);

/* A wish: the next bytes of the connection, `len` at most, are to be written to `at` rather than to a receive buffer. Their DATA event
 * then has the span {at, n}; the wish is over with it. What was on its way before still comes as usual: the caller looks at
 * where each event's bytes lie, and renews or withdraws (len 0) the wish after each. The memory is the backend's until such an event, the
 * withdrawal's next DATA, or CLOSED. For large values whose place is known: it saves a copy. */
void net_receive_into(struct net *net, struct net_conn *conn, void *at, size_t len);

/* Ends the connection: what is in flight is cancelled, no DATA or SENT follows (those that this turn's array still holds become
 * NONE), CLOSED comes. Idempotent. When it is the peer that ends (or half-closes) the connection, what it sent before is delivered
 * first, and CLOSED waits while a send is in flight: a reply queued in answer to the last DATA still goes out. */
void net_close(struct net *net, struct net_conn *conn);

/* "127.0.0.1:6379", "[::1]:6379" or "/path/of/unix.sock:0", as CLIENT LIST shows them. Returns the length. */
enum { NET_NAME_MAX = 128 };
size_t net_peer_name(const struct net_conn *conn, char *out, size_t size);
size_t net_local_name(const struct net_conn *conn, char *out, size_t size);
bool net_is_unix(const struct net_conn *conn);
bool net_peer_is_loopback(const struct net_conn *conn); /* also true for Unix sockets */
int net_fd(const struct net_conn *conn);                /* the descriptor, for display */

/* Counted since net_new or net_stats_clear. */
struct net_stats {
    uint64_t turn_count;
    uint64_t syscall_count;    /* every system call that this layer made */
    uint64_t submission_count; /* ring entries submitted / epoll_ctl calls / kevent changes */
    uint64_t completion_count; /* ring completions / readiness events */
    uint64_t accept_count, accept_error_count;
    uint64_t receive_count, receive_bytes;
    uint64_t send_count, send_bytes, send_short_count;
    uint64_t zero_copy_count;        /* zero-copy sends */
    uint64_t zero_copy_copied_count; /* those that the kernel copied after all */
    uint64_t no_buffer_count;        /* receives that found no buffer */
    uint64_t rearm_count;            /* multishot operations armed again */
    uint64_t cancel_count;
    uint64_t overflow_count; /* completion queue overflows seen */
    uint64_t wait_count;     /* turns that went to sleep */
};
const struct net_stats *net_stats(const struct net *net);
void net_stats_clear(struct net *net);
uint32_t net_conn_count(const struct net *net); /* connections whose CLOSED has not been reported */

/* The backends of this build, best first, as a NULL-terminated list of names. */
const char *const *net_backends_built(void);

#endif
