/* epoll(7), level-triggered. What is left of an array of readiness events when the turn's event array or arena is full waits for
 * the next turn, before the kernel is asked again: so nobody at the array's end is passed over. */
#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/alloc.h"
#include "net/backend.h"
#include "net/readiness.h"

enum {
    READY_MAX = 512, /* readiness events of one wait */
    WATCH_MAX = 32,
};

/* epoll_data.u64: what kind of thing in the top two bits of the high half, its number below, the generation in the low half. */
#define KIND_LISTENER 0x80000000u
#define KIND_WATCH 0xC0000000u
#define KIND_MASK 0xC0000000u

struct watch {
    bool used;
    int fd, tag;
};

struct epoll {
    struct readiness ready; /* first: readiness_conn_* take the state for it */
    struct net *net;
    int fd;
    int at, count; /* what is left of `events` */
    struct epoll_event events[READY_MAX];
    struct watch watches[WATCH_MAX];
    bool accepting[NET_LISTENER_MAX];
};

static int control(struct epoll *e, int operation, int fd, uint32_t events, uint32_t high,
                   uint32_t low) {
    struct epoll_event event = {.events = events, .data.u64 = (uint64_t)high << 32 | low};
    e->net->stats.syscall_count++;
    e->net->stats.submission_count++;
    return epoll_ctl(e->fd, operation, fd, &event) < 0 ? -errno : 0;
}

/* A connection that wants nothing stays registered: the kernel still reports that it broke. It is taken out when it closes:
 * close(2) alone would not do, as long as a forked child holds the same socket. */
static int interest(void *backend, struct net_conn *conn, unsigned wanted) {
    struct epoll *e = backend;
    bool known = conn->in_flight != 0;
    uint32_t events =
        (wanted & READINESS_READ ? EPOLLIN : 0) | (wanted & READINESS_WRITE ? EPOLLOUT : 0);
    int operation = known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (conn->state == NET_CONN_CLOSING) operation = EPOLL_CTL_DEL;
    if (!known && operation == EPOLL_CTL_DEL) return 0;
    int rc = control(e, operation, conn->fd, events, conn->slot, conn->generation);
    conn->armed = (uint16_t)((conn->armed & READINESS_BLOCKED) | wanted);
    conn->in_flight = rc == 0 && operation != EPOLL_CTL_DEL;
    return rc;
}

static int epoll_open(struct net *net, void **state, char *why, size_t why_size) {
    struct epoll *e = mem_zalloc(sizeof *e);
    e->net = net;
    e->fd = epoll_create1(EPOLL_CLOEXEC);
    int rc = e->fd < 0 ? -errno : readiness_init(&e->ready, net, e, interest);
    if (rc < 0) {
        if (e->fd >= 0) close(e->fd);
        mem_free(e);
        return rc;
    }
    *state = e;
    return 0;
}

static void epoll_release(void *state) {
    struct epoll *e = state;
    readiness_release(&e->ready);
    close(e->fd);
    mem_free(e);
}

static void epoll_forked(void *state) {
    struct epoll *e = state;
    close(e->fd);
}

static int listener_add(void *state, int listener, int fd) {
    struct epoll *e = state;
    if (e->accepting[listener]) return 0;
    int rc =
        control(e, EPOLL_CTL_ADD, fd, EPOLLIN, KIND_LISTENER | (uint32_t)listener, (uint32_t)fd);
    e->accepting[listener] = rc == 0;
    return rc;
}

static void listener_remove(void *state, int listener, int fd) {
    struct epoll *e = state;
    if (!e->accepting[listener]) return;
    e->accepting[listener] = false;
    (void)control(e, EPOLL_CTL_DEL, fd, 0, 0, 0);
}

static int watch(void *state, int fd, int tag) {
    struct epoll *e = state;
    uint32_t i = 0;
    while (i < WATCH_MAX && e->watches[i].used) i++;
    if (i == WATCH_MAX) return -ENOSPC;
    int rc = control(e, EPOLL_CTL_ADD, fd, EPOLLIN, KIND_WATCH | i, (uint32_t)fd);
    if (rc == 0) e->watches[i] = (struct watch){true, fd, tag};
    return rc;
}

static void unwatch(void *state, int fd) {
    struct epoll *e = state;
    for (int i = 0; i < WATCH_MAX; i++) {
        if (!e->watches[i].used || e->watches[i].fd != fd) continue;
        e->watches[i].used = false;
        (void)control(e, EPOLL_CTL_DEL, fd, 0, 0, 0);
    }
}

static void watch_ready(struct epoll *e, uint32_t number, int fd) {
    struct watch *w = &e->watches[number];
    if (w->used && w->fd == fd) net_emit_ready(e->net, w->tag);
}

/* At most one event: what is due beyond it (readable after writable) is due again at the next wait. */
static void conn_ready(struct epoll *e, struct net_conn *conn, uint32_t events) {
    uint32_t count = e->net->event_count;
    bool broken = events & (EPOLLERR | EPOLLHUP);
    if (broken || events & EPOLLOUT) readiness_writable(&e->ready, conn);
    if (e->net->event_count != count || !(broken || events & EPOLLIN)) return;
    if (conn->armed & READINESS_READ) {
        readiness_readable(&e->ready, conn);
    } else if (broken) {
        readiness_broken(&e->ready, conn, 0);
    }
}

static void dispatch(struct epoll *e, const struct epoll_event *event) {
    uint32_t high = (uint32_t)(event->data.u64 >> 32), low = (uint32_t)event->data.u64;
    if ((high & KIND_MASK) == KIND_LISTENER) {
        readiness_accept(&e->ready, (int)(high & ~KIND_MASK), e->accepting);
    } else if ((high & KIND_MASK) == KIND_WATCH) {
        watch_ready(e, high & ~KIND_MASK, (int)low);
    } else {
        struct net_conn *conn = net_conn_at(e->net, high, low);
        if (conn) conn_ready(e, conn, event->events);
    }
}

static int turn(void *state, int timeout_ms) {
    struct epoll *e = state;
    struct net_stats *stats = &e->net->stats;
    timeout_ms = readiness_begin(&e->ready, timeout_ms);
    if (e->at == e->count) {
        e->at = e->count = 0;
        int n = epoll_wait(e->fd, e->events, READY_MAX, timeout_ms);
        stats->syscall_count++;
        stats->wait_count += timeout_ms != 0;
        if (n < 0) return errno == EINTR ? 0 : -errno;
        e->count = n;
        stats->completion_count += (uint64_t)n;
    }
    while (e->at < e->count && readiness_room(&e->ready)) dispatch(e, &e->events[e->at++]);
    return 0;
}

const struct net_backend net_backend_epoll = {
    .name = "epoll",
    .kind = NET_BACKEND_EPOLL,
    .open = epoll_open,
    .close = epoll_release,
    .forked = epoll_forked,
    .listener_add = listener_add,
    .listener_remove = listener_remove,
    .watch = watch,
    .unwatch = unwatch,
    .turn = turn,
    .conn_open = readiness_conn_open,
    .conn_send = readiness_conn_send,
    .conn_pause = readiness_conn_pause,
    .conn_receive_into = readiness_conn_receive_into,
    .conn_close = readiness_conn_close,
    .conn_release = readiness_conn_release,
};
