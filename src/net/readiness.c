#include "net/readiness.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/sockets.h"

/* The arena is used from its start in each turn, so only as much of it gets resident as one turn brings. */
enum {
    ARENA_BYTES = 1024 * 1024,
    ARENA_READ_MIN = 4096,
    ACCEPT_MAX = 64, /* connections of one listener in one turn */
};

int readiness_init(struct readiness *r, struct net *net, void *backend,
                   int (*interest)(void *backend, struct net_conn *conn, unsigned wanted)) {
    *r = (struct readiness){.net = net, .backend = backend, .interest = interest};
    list_init(&r->dirty);
    void *arena =
        mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (arena == MAP_FAILED) return -errno;
    r->arena = arena;
    return 0;
}

void readiness_release(struct readiness *r) {
    if (r->arena) munmap(r->arena, ARENA_BYTES);
    r->arena = NULL;
}

void readiness_mark(struct readiness *r, struct net_conn *conn) {
    if (conn->dirty) return;
    conn->dirty = true;
    list_push_back(&r->dirty, &conn->link);
}

static void unmark(struct net_conn *conn) {
    conn->dirty = false;
    list_remove(&conn->link);
}

static void broken(struct readiness *r, struct net_conn *conn, int status) {
    net_conn_fail(conn, status);
    readiness_mark(r, conn);
}

/* One system call; the kernel takes what its buffer holds. */
static ssize_t write_pieces(struct net_conn *conn) {
    struct iovec *pieces = net_rest_pieces(conn);
    int count = net_rest_count(conn);
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = (size_t)count};
    if (count == 1) return send(conn->fd, pieces->iov_base, pieces->iov_len, SOCKET_SEND_FLAGS);
    return sendmsg(conn->fd, &message, SOCKET_SEND_FLAGS);
}

/* Writes what is still to go: reports SENT, or waits for room, or fails the connection. */
static void write_out(struct readiness *r, struct net_conn *conn) {
    struct net_stats *stats = &r->net->stats;
    conn->armed &= (uint16_t)~READINESS_BLOCKED;
    for (;;) {
        ssize_t n = write_pieces(conn);
        stats->syscall_count++;
        if (n >= 0) {
            stats->send_bytes += (size_t)n;
            net_rest_advance(conn, (size_t)n);
            if (conn->rest_bytes == 0) {
                net_emit_sent(r->net, conn);
                return;
            }
            stats->send_short_count++;
        } else if (errno == EINTR) {
            continue;
        } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS) {
            broken(r, conn, -errno);
            return;
        }
        conn->armed |= READINESS_BLOCKED; /* short or refused: the buffer is full */
        return;
    }
}

static unsigned interest_wanted(const struct net_conn *conn) {
    unsigned wanted = 0;
    if (conn->state != NET_CONN_OPEN) return 0;
    if (!conn->paused && !conn->ended) wanted |= READINESS_READ;
    if (conn->armed & READINESS_BLOCKED) wanted |= READINESS_WRITE;
    return wanted;
}

static void interest_apply(struct readiness *r, struct net_conn *conn) {
    unsigned wanted = interest_wanted(conn);
    bool told = wanted == (conn->armed & (READINESS_READ | READINESS_WRITE));
    if (told && conn->state == NET_CONN_OPEN) return;
    int rc = r->interest(r->backend, conn, wanted);
    if (rc < 0 && conn->state == NET_CONN_OPEN) broken(r, conn, rc);
}

/* Does what is due for one connection, with room for one event. A reported SENT gives the caller the chance to send more before
 * an ended connection is closed. */
static void settle(struct readiness *r, struct net_conn *conn) {
    unmark(conn);
    if (conn->state == NET_CONN_OPEN && conn->sending && !(conn->armed & READINESS_BLOCKED)) {
        write_out(r, conn);
        if (conn->ended && !conn->sending) readiness_mark(r, conn);
    } else if (conn->state == NET_CONN_OPEN && conn->ended && !conn->sending) {
        net_conn_fail(conn, 0);
    }
    if (conn->state == NET_CONN_CLOSING && conn->dirty)
        return; /* failed just now: reported at its next place in the list */
    interest_apply(r, conn);
    if (conn->state == NET_CONN_CLOSING && !conn->dirty) net_emit_closed(r->net, conn);
}

int readiness_begin(struct readiness *r, int timeout_ms) {
    struct list todo;
    r->arena_used = 0;
    if (list_empty(&r->dirty)) return timeout_ms;
    /* The list is taken over as a whole: what is marked meanwhile is for the next turn. */
    todo = r->dirty;
    todo.next->prev = todo.prev->next = &todo;
    list_init(&r->dirty);
    while (!list_empty(&todo) && net_event_room(r->net))
        settle(r, LIST_ENTRY(todo.next, struct net_conn, link));
    while (!list_empty(&todo)) {
        struct list *last = todo.prev;
        list_remove(last);
        list_push_front(&r->dirty, last);
    }
    return r->net->event_count || !list_empty(&r->dirty) ? 0 : timeout_ms;
}

bool readiness_room(const struct readiness *r) {
    return net_event_room(r->net) && ARENA_BYTES - r->arena_used >= ARENA_READ_MIN;
}

static void peer_ended(struct readiness *r, struct net_conn *conn) {
    conn->ended = true;
    readiness_mark(r, conn);
}

void readiness_readable(struct readiness *r, struct net_conn *conn) {
    if (conn->state != NET_CONN_OPEN || conn->paused || conn->ended) return;
    bool into = conn->into.iov_len > 0;
    size_t bytes = MIN(ARENA_BYTES - r->arena_used, r->net->options.receive_bytes);
    char *at = r->arena + r->arena_used;
    if (into) {
        at = conn->into.iov_base;
        bytes = MIN(conn->into.iov_len, (size_t)NET_RECEIVE_INTO_BYTES_MAX);
    }
    ssize_t n = recv(conn->fd, at, bytes, MSG_DONTWAIT);
    r->net->stats.syscall_count++;
    if (n > 0) {
        if (into) {
            conn->into.iov_len = 0;
        } else {
            r->arena_used += (size_t)n;
        }
        net_emit_data(r->net, conn, span_make(at, (size_t)n));
    } else if (n == 0) {
        peer_ended(r, conn);
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        broken(r, conn, -errno);
    }
}

void readiness_writable(struct readiness *r, struct net_conn *conn) {
    if (conn->state != NET_CONN_OPEN || !(conn->armed & READINESS_BLOCKED)) return;
    write_out(r, conn);
    if (!(conn->armed & READINESS_BLOCKED)) readiness_mark(r, conn);
}

void readiness_broken(struct readiness *r, struct net_conn *conn, int status) {
    socklen_t len = sizeof status;
    if (conn->state != NET_CONN_OPEN) return;
    if (status == 0 && getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &status, &len) == 0)
        status = -status;
    broken(r, conn, status);
}

void readiness_accept(struct readiness *r, int listener, const bool *accepting) {
    struct net *net = r->net;
    for (int i = 0; i < ACCEPT_MAX && accepting[listener] && net_event_room(net); i++) {
        int fd = socket_accept(net->listeners[listener].fd);
        net->stats.syscall_count++;
        if (fd >= 0) {
            (void)net_conn_accepted(net, listener, fd);
            continue;
        }
        if (fd == -EAGAIN || fd == -EWOULDBLOCK || fd == -EINTR) return;
        net_accept_failed(net, listener, -fd);
    }
}

void readiness_conn_open(void *state, struct net_conn *conn) {
    readiness_mark(state, conn);
}

void readiness_conn_send(void *state, struct net_conn *conn, const struct iovec *iov, int count,
                         size_t bytes) {
    net_rest_set(conn, iov, count, bytes);
    readiness_mark(state, conn);
}

void readiness_conn_receive_into(void *state, struct net_conn *conn) {
    (void)state;
    (void)conn; /* looked at when it is readable */
}

void readiness_conn_pause(void *state, struct net_conn *conn) {
    readiness_mark(state, conn);
}

/* Shutdown, so that the peer sees the end even while a forked child still holds a copy of the descriptor. */
void readiness_conn_close(void *state, struct net_conn *conn) {
    struct readiness *r = state;
    shutdown(conn->fd, SHUT_RDWR);
    r->net->stats.syscall_count++;
    readiness_mark(r, conn);
}

void readiness_conn_release(void *state, struct net_conn *conn) {
    struct readiness *r = state;
    close(conn->fd);
    r->net->stats.syscall_count++;
    conn->fd = -1;
}
