#include "net/net.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "net/backend.h"
#include "net/sockets.h"

/* What all backends share. A slot's life:
 *
 *     FREE -- net_conn_accepted --> OPEN -- net_close, net_conn_fail --> CLOSING -- net_emit_closed --> CLOSED
 *       ^                                                                                                 |
 *       +------------------------- the start of the next turn: generation + 1 --------------------------- +
 *
 * Free slots are reused last in, first out: their cache lines are the warm ones. */

enum {
    CONN_COUNT_MAX = 10000,
    EVENT_COUNT_MAX = 1024,
    RECEIVE_BYTES = 64 * 1024,
    BACKEND_MAX = 8,
    ACCEPT_PAUSE_MS = 100, /* after descriptors or memory ran out */
    REFUSE_MAX = 64,       /* connections refused with the reserve descriptor in one go */
    TAG_WAKE = INT_MIN,
};

/* Best first. The last places are for what tests register. */
static const struct net_backend *backends[BACKEND_MAX + 1] = {
#ifdef NET_HAVE_URING
    &net_backend_uring,
#endif
#ifdef NET_HAVE_EPOLL
    &net_backend_epoll,
#endif
#ifdef NET_HAVE_KQUEUE
    &net_backend_kqueue,
#endif
};

void net_backend_register(const struct net_backend *backend) {
    int i = 0;
    for (; backends[i]; i++) {
        if (backends[i] == backend) return;
    }
    CHECK(i < BACKEND_MAX);
    backends[i] = backend;
}

const char *const *net_backends_built(void) {
    static const char *names[BACKEND_MAX + 1];
    for (int i = 0; backends[i]; i++) names[i] = backends[i]->name;
    return names;
}

/* ---- life */

static void options_fill(struct net_options *options) {
    if (!options->conn_count_max) options->conn_count_max = CONN_COUNT_MAX;
    if (!options->event_count_max) options->event_count_max = EVENT_COUNT_MAX;
    if (!options->receive_bytes) options->receive_bytes = RECEIVE_BYTES;
}

/* Tries the candidates in order. *why becomes the last error's text, or what was found and what it was found instead of. */
static int backend_open(struct net *net, char *why, size_t why_size) {
    char detail[160] = "", refused[sizeof detail + 100] = "";
    int rc = -ENOSYS;
    enum net_backend_kind asked = net->options.backend;
    for (int i = 0; backends[i]; i++) {
        const struct net_backend *backend = backends[i];
        bool tried = asked == NET_BACKEND_AUTO ? !backend->socketless : backend->kind == asked;
        if (!tried) continue;
        detail[0] = '\0';
        net->backend = backend;
        rc = backend->open(net, &net->state, detail, sizeof detail);
        if (rc == 0) {
            snprintf(why, why_size, "%s%s%s%s%s%s", backend->name, detail[0] ? " (" : "", detail,
                     detail[0] ? ")" : "", refused[0] ? ", since " : "", refused);
            return 0;
        }
        net->state = NULL;
        if (!refused[0]) {
            snprintf(refused, sizeof refused, "%s: %s", detail[0] ? detail : backend->name,
                     strerror(-rc));
        }
    }
    snprintf(why, why_size, "%s", refused[0] ? refused : "this build has no such backend");
    return rc;
}

static int wake_open(struct net *net) {
    if (net->backend->socketless) return 0;
    if (pipe(net->wake_fds) < 0) {
        net->wake_fds[0] = net->wake_fds[1] = -1;
        return -errno;
    }
    for (int i = 0; i < 2; i++) {
        int rc = socket_set_nonblocking(net->wake_fds[i], true);
        if (rc == 0) rc = socket_set_cloexec(net->wake_fds[i]);
        if (rc < 0) return rc;
    }
    return net->backend->watch(net->state, net->wake_fds[0], TAG_WAKE);
}

int net_new(const struct net_options *options, struct net **out, char *why, size_t why_size) {
    int rc;
    struct net *net = mem_zalloc(sizeof *net);
    net->options = *options;
    options_fill(&net->options);
    net->accepting = true;
    net->reserve_fd = net->wake_fds[0] = net->wake_fds[1] = -1;
    for (int i = 0; i < NET_LISTENER_MAX; i++) net->listeners[i].fd = -1;
    list_init(&net->free);
    list_init(&net->closed);
    net->event_max = net->options.event_count_max;
    net->events = mem_alloc(net->event_max * sizeof *net->events);
    net->slot_count = net->options.conn_count_max + NET_SLOT_SPARE;
    net->conns = mmap(NULL, net->slot_count * sizeof *net->conns, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (net->conns == MAP_FAILED) {
        net->conns = NULL;
        rc = -errno;
        snprintf(why, why_size, "mmap of the connections: %s", strerror(-rc));
        goto fail;
    }
    rc = backend_open(net, why, why_size);
    if (rc < 0) goto fail;
    rc = wake_open(net);
    if (rc < 0) {
        snprintf(why, why_size, "wake pipe: %s", strerror(-rc));
        goto fail;
    }
    if (!net->backend->socketless) net->reserve_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    *out = net;
    return 0;
fail:
    net_free(net);
    return rc;
}

static void descriptor_close(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static void descriptors_close(struct net *net) {
    for (uint32_t i = 0; i < net->slot_used; i++) {
        if (net->conns[i].state != NET_CONN_FREE && !net->backend->socketless)
            descriptor_close(&net->conns[i].fd);
    }
    descriptor_close(&net->reserve_fd);
    descriptor_close(&net->wake_fds[0]);
    descriptor_close(&net->wake_fds[1]);
}

void net_free(struct net *net) {
    if (!net) return;
    for (int i = 0; i < NET_LISTENER_MAX; i++) net_unlisten(net, i);
    if (net->state) net->backend->close(net->state);
    for (uint32_t i = 0; i < net->slot_used; i++) net_rest_release(&net->conns[i]);
    descriptors_close(net);
    if (net->conns) munmap(net->conns, net->slot_count * sizeof *net->conns);
    mem_free(net->events);
    mem_free(net);
}

void net_forked(struct net *net) {
    if (net->backend->forked) net->backend->forked(net->state);
    for (int i = 0; i < NET_LISTENER_MAX; i++) descriptor_close(&net->listeners[i].fd);
    descriptors_close(net);
}

const char *net_backend_name(const struct net *net) {
    return net->backend->name;
}

/* ---- listeners */

static bool accept_wanted(const struct net *net) {
    return net->accepting && net->accept_resume_ms == 0;
}

static void listeners_apply(struct net *net) {
    bool wanted = accept_wanted(net);
    for (int i = 0; i < NET_LISTENER_MAX; i++) {
        struct net_listener *listener = &net->listeners[i];
        if (listener->fd < 0) continue;
        if (!wanted) {
            net->backend->listener_remove(net->state, i, listener->fd);
        } else if (net->backend->listener_add(net->state, i, listener->fd) < 0) {
            log_warning("Accepting on a listener failed");
        }
    }
}

static int listener_open(struct net *net, const struct net_listen_options *options,
                         struct net_listener *out) {
    bool nonblocking = !net->backend->keeps_blocking;
    if (net->backend->socketless) {
        out->fd = INT_MAX; /* never used: such a backend has no descriptors */
        out->family = AF_UNIX;
        return 0;
    }
    int rc = options->path
                 ? socket_listen_unix(options, nonblocking, out)
                 : socket_listen_tcp(options, nonblocking, net->options.tcp_keepalive_s, out);
    if (rc < 0) out->fd = -1;
    return rc;
}

int net_listen(struct net *net, const struct net_listen_options *options) {
    int number = 0;
    while (number < NET_LISTENER_MAX && net->listeners[number].fd >= 0) number++;
    if (number == NET_LISTENER_MAX) return -ENFILE;
    struct net_listener *listener = &net->listeners[number];
    *listener = (struct net_listener){.fd = -1, .tag = options->tag};
    int rc = listener_open(net, options, listener);
    if (rc < 0) return rc;
    if (accept_wanted(net)) rc = net->backend->listener_add(net->state, number, listener->fd);
    if (rc < 0) {
        net_unlisten(net, number);
        return rc;
    }
    return number;
}

void net_unlisten(struct net *net, int listener) {
    struct net_listener *l = &net->listeners[listener];
    if (l->fd < 0) return;
    net->backend->listener_remove(net->state, listener, l->fd);
    if (!net->backend->socketless) {
        /* It stops listening even while an operation or a forked child still holds it, and its port is free again. */
        shutdown(l->fd, SHUT_RDWR);
        close(l->fd);
    }
    l->fd = -1;
    if (l->path) socket_unlink_own(l);
    mem_free(l->path);
    l->path = NULL;
}

uint16_t net_listener_port(const struct net *net, int listener) {
    return net->backend->socketless ? 0 : socket_port(net->listeners[listener].fd);
}

void net_set_accepting(struct net *net, bool accepting) {
    net->accepting = accepting;
    listeners_apply(net);
}

/* ---- accepting */

static void refuse(struct net *net, int fd) {
    struct span text = net->options.refusal;
    if (net->backend->socketless) return;
    /* One try: a fresh socket's buffer takes it. */
    if (text.len && send(fd, text.data, text.len, SOCKET_SEND_FLAGS) < 0)
        net->stats.accept_error_count++;
    close(fd);
    net->stats.syscall_count += text.len ? 2 : 1;
}

static struct net_conn *slot_take(struct net *net) {
    struct net_conn *conn;
    if (!list_empty(&net->free)) {
        conn = LIST_ENTRY(net->free.next, struct net_conn, link);
        list_remove(&conn->link);
        return conn;
    }
    if (net->slot_used == net->slot_count) return NULL;
    conn = &net->conns[net->slot_used];
    conn->net = net;
    conn->slot = net->slot_used++;
    conn->generation = 1;
    list_init(&conn->link);
    return conn;
}

struct net_conn *net_conn_accepted(struct net *net, int listener, int fd) {
    struct net_conn *conn = slot_take(net);
    if (!conn) {
        net->stats.accept_error_count++;
        refuse(net, fd);
        return NULL;
    }
    conn->fd = fd;
    conn->state = NET_CONN_OPEN;
    conn->family = net->listeners[listener].family;
    conn->user = NULL;
    conn->into.iov_len = 0;
    conn->into_recent = 0;
    net->conn_count++;
    net->stats.accept_count++;
    net->accept_complained = false;
    net_event_add(net, NET_EVENT_ACCEPTED, conn)->tag = net->listeners[listener].tag;
    net->backend->conn_open(net->state, conn);
    return conn;
}

static void accept_pause(struct net *net, int error) {
    if (!net->accept_complained) {
        log_warning("Accepting connections pauses: %s", strerror(error));
        net->accept_complained = true;
    }
    net->accept_resume_ms = clock_mono_us() / 1000 + ACCEPT_PAUSE_MS;
    listeners_apply(net);
}

/* With no descriptor left, those who wait to be accepted would hang: give up the reserve one, take them in and refuse them. */
static void refuse_with_reserve(struct net *net, int listener) {
    int listener_fd = net->listeners[listener].fd;
    if (net->reserve_fd < 0) return;
    descriptor_close(&net->reserve_fd);
    if (socket_set_nonblocking(listener_fd, true) < 0) return;
    for (int i = 0; i < REFUSE_MAX; i++) {
        int fd = accept(listener_fd, NULL, NULL);
        net->stats.syscall_count++;
        if (fd < 0) break;
        refuse(net, fd);
    }
    if (net->backend->keeps_blocking && socket_set_nonblocking(listener_fd, false) < 0) return;
    net->reserve_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

void net_accept_failed(struct net *net, int listener, int error) {
    net->stats.accept_error_count++;
    switch (error) {
    case EMFILE:
    case ENFILE:
        refuse_with_reserve(net, listener);
        accept_pause(net, error);
        break;
    case ENOMEM:
    case ENOBUFS: accept_pause(net, error); break;
    default: /* the connection is gone already (ECONNABORTED, ...): accept(2) says to treat them as EAGAIN */
        break;
    }
}

/* Milliseconds that the wait may take at most, with accepting taken up again when it is time for that. */
static int accept_resume(struct net *net, int timeout_ms) {
    int64_t wait_ms = net->accept_resume_ms - clock_mono_us() / 1000;
    if (wait_ms <= 0) {
        net->accept_resume_ms = 0;
        if (net->reserve_fd < 0) net->reserve_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        listeners_apply(net);
        return timeout_ms;
    }
    return timeout_ms < 0 || wait_ms < timeout_ms ? (int)wait_ms : timeout_ms;
}

/* ---- the turn */

static void closed_release(struct net *net) {
    LIST_FOR_EACH_SAFE(node, &net->closed) {
        struct net_conn *conn = LIST_ENTRY(node, struct net_conn, link);
        net->backend->conn_release(net->state, conn);
        list_remove(&conn->link);
        uint32_t slot = conn->slot, generation = conn->generation + 1;
        *conn = (struct net_conn){.net = net, .fd = -1, .slot = slot, .generation = generation};
        list_push_front(&net->free, &conn->link);
    }
}

int net_turn(struct net *net, int timeout_ms, struct net_event **events) {
    net->event_count = 0;
    net->stats.turn_count++;
    if (!list_empty(&net->closed)) closed_release(net);
    if (UNLIKELY(net->accept_resume_ms != 0)) timeout_ms = accept_resume(net, timeout_ms);
    int rc = net->backend->turn(net->state, timeout_ms);
    *events = net->events;
    return rc < 0 ? rc : (int)net->event_count;
}

void net_emit_closed(struct net *net, struct net_conn *conn) {
    DCHECK(conn->state == NET_CONN_CLOSING && conn->in_flight == 0 && !conn->dirty);
    net_event_add(net, NET_EVENT_CLOSED, conn)->status = conn->close_status;
    conn->state = NET_CONN_CLOSED;
    conn->sending = false;
    net_rest_release(conn);
    net->conn_count--;
    list_push_back(&net->closed, &conn->link);
}

void net_emit_ready(struct net *net, int tag) {
    char bytes[64];
    if (tag != TAG_WAKE) {
        net_event_add(net, NET_EVENT_READY, NULL)->tag = tag;
        return;
    }
    do net->stats.syscall_count++;
    while (read(net->wake_fds[0], bytes, sizeof bytes) == (ssize_t)sizeof bytes);
}

int net_watch(struct net *net, int fd, int tag) {
    return net->backend->watch(net->state, fd, tag);
}

void net_unwatch(struct net *net, int fd) {
    net->backend->unwatch(net->state, fd);
}

void net_wake(struct net *net) {
    int saved = errno;
    if (net->wake_fds[1] >= 0) {
        ssize_t n = write(net->wake_fds[1], "", 1);
        (void)n; /* a full pipe wakes as well */
    }
    errno = saved;
}

/* ---- connections */

void net_set_user(struct net_conn *conn, void *user) {
    conn->user = user;
}

bool net_sending(const struct net_conn *conn) {
    return conn->sending;
}

int net_fd(const struct net_conn *conn) {
    return conn->fd;
}

void net_send(struct net *net, struct net_conn *conn, const struct iovec *iov, int iov_count,
              size_t bytes) {
    DCHECK(!conn->sending && iov_count > 0 && iov_count <= NET_SEND_PIECES_MAX && bytes > 0);
    if (UNLIKELY(conn->state != NET_CONN_OPEN))
        return; /* failed meanwhile: its CLOSED is on the way */
    conn->sending = true;
    net->backend->conn_send(net->state, conn, iov, iov_count, bytes);
}

static void set_paused(struct net *net, struct net_conn *conn, bool paused) {
    if (conn->paused == paused || conn->state != NET_CONN_OPEN) return;
    conn->paused = paused;
    net->backend->conn_pause(net->state, conn);
}

void net_pause(struct net *net, struct net_conn *conn) {
    set_paused(net, conn, true);
}

void net_resume(struct net *net, struct net_conn *conn) {
    set_paused(net, conn, false);
}

void net_receive_into(struct net *net, struct net_conn *conn, void *at, size_t len) {
    if (!net->backend->conn_receive_into || conn->state != NET_CONN_OPEN) return;
    conn->into = (struct iovec){at, len};
    net->backend->conn_receive_into(net->state, conn);
}

void net_conn_fail(struct net_conn *conn, int status) {
    DCHECK(conn->state == NET_CONN_OPEN);
    conn->state = NET_CONN_CLOSING;
    conn->close_status = status;
}

void net_close(struct net *net, struct net_conn *conn) {
    if (conn->state == NET_CONN_FREE || conn->state == NET_CONN_CLOSED) return;
    for (uint32_t i = 0; i < net->event_count; i++) {
        struct net_event *event = &net->events[i];
        if (event->conn != conn) continue;
        if (event->kind == NET_EVENT_DATA || event->kind == NET_EVENT_SENT)
            event->kind = NET_EVENT_NONE;
    }
    if (conn->state == NET_CONN_CLOSING) return;
    net_conn_fail(conn, 0);
    net->backend->conn_close(net->state, conn);
}

/* ---- the pieces of a send */

void net_rest_set(struct net_conn *conn, const struct iovec *iov, int count, size_t bytes) {
    DCHECK(!conn->pieces);
    conn->rest_bytes = bytes;
    if (LIKELY(count == 1)) {
        conn->rest = iov[0];
        return;
    }
    conn->pieces = mem_alloc((size_t)count * sizeof *iov);
    memcpy(conn->pieces, iov, (size_t)count * sizeof *iov);
    conn->piece_at = 0;
    conn->piece_count = count;
}

void net_rest_advance(struct net_conn *conn, size_t bytes) {
    DCHECK(bytes <= conn->rest_bytes);
    conn->rest_bytes -= bytes;
    struct iovec *piece = net_rest_pieces(conn);
    while (conn->pieces && bytes >= piece->iov_len && conn->piece_at + 1 < conn->piece_count) {
        bytes -= piece->iov_len;
        conn->piece_at++;
        piece++;
    }
    piece->iov_base = (char *)piece->iov_base + bytes;
    piece->iov_len -= bytes;
}

void net_rest_release(struct net_conn *conn) {
    mem_free(conn->pieces);
    conn->pieces = NULL;
    conn->rest_bytes = 0;
}

/* ---- looking */

size_t net_peer_name(const struct net_conn *conn, char *out, size_t size) {
    return socket_name(conn->fd, true, out, size);
}

size_t net_local_name(const struct net_conn *conn, char *out, size_t size) {
    return socket_name(conn->fd, false, out, size);
}

bool net_is_unix(const struct net_conn *conn) {
    return conn->family == AF_UNIX;
}

bool net_peer_is_loopback(const struct net_conn *conn) {
    return conn->family == AF_UNIX || socket_peer_is_loopback(conn->fd);
}

const struct net_stats *net_stats(const struct net *net) {
    return &net->stats;
}

void net_stats_clear(struct net *net) {
    net->stats = (struct net_stats){0};
}

uint32_t net_conn_count(const struct net *net) {
    return net->conn_count;
}
