/* What epoll and kqueue share: completions acted out over readiness. Writes of a turn go out together before its wait, reads
 * after it go into one arena, packed densely, so that the bytes of many small requests share few cache lines and pages. */
#ifndef NET_READINESS_H
#define NET_READINESS_H

#include "net/backend.h"

/* Bits of net_conn.armed. */
enum {
    READINESS_READ = 1,    /* the kernel was told to report readability */
    READINESS_WRITE = 2,   /* and writability */
    READINESS_BLOCKED = 4, /* the socket's buffer was full: no write before it is writable */
};

struct readiness {
    struct net *net;
    struct list
        dirty; /* connections with a send to start, an interest to change or an end to report */
    char *arena;
    size_t arena_used;
    void *backend;
    /* Tells the kernel what is wanted: READINESS_READ | READINESS_WRITE; differs from conn->armed, which it updates. Negative
     * errno: refused, and the connection fails by it. */
    int (*interest)(void *backend, struct net_conn *conn, unsigned wanted);
};

ATTR_MUST_USE int readiness_init(struct readiness *r, struct net *net, void *backend,
                                 int (*interest)(void *backend, struct net_conn *conn,
                                                 unsigned wanted));
void readiness_release(struct readiness *r);

void readiness_mark(
    struct readiness *r,
    struct net_conn *conn); /* something is to be done for it before the next wait */

/* Starts a turn: sends what is queued, reports ends, changes interests. The bytes of the last turn end here. Returns the time that
 * the wait may take: 0 when there are events already or work was left for want of room. */
int readiness_begin(struct readiness *r, int timeout_ms);

/* Room for another event and for bytes in the arena. */
bool readiness_room(const struct readiness *r);

/* The kernel says: readable; writable; ended or broken (status: a negative errno, or 0 to look it up). */
void readiness_readable(struct readiness *r, struct net_conn *conn);
void readiness_writable(struct readiness *r, struct net_conn *conn);
void readiness_broken(struct readiness *r, struct net_conn *conn, int status);

/* A listener is readable: takes in what waits there, a bounded number, as long as accepting[listener] (it may be switched off on
 * the way, when descriptors run out). */
void readiness_accept(struct readiness *r, int listener, const bool *accepting);

/* The backend table's entries that are the same for both; `r` is the state's first member. */
void readiness_conn_open(void *state, struct net_conn *conn);
void readiness_conn_send(void *state, struct net_conn *conn, const struct iovec *iov, int count,
                         size_t bytes);
void readiness_conn_pause(void *state, struct net_conn *conn);
void readiness_conn_receive_into(void *state, struct net_conn *conn);
void readiness_conn_close(void *state, struct net_conn *conn);
void readiness_conn_release(void *state, struct net_conn *conn);

#endif
