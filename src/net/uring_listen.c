#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/uring.h"

/* Each listener has one multishot accept in the kernel, each watch one poll. What is to be armed or cancelled is found by looking at
 * all of them: there are few, and it happens seldom. */

static bool listener_arm(struct uring *u, int number) {
    struct io_uring_sqe *sqe = uring_entry(u);
    struct uring_listener *l = &u->listeners[number];
    if (!sqe) return false;
    sqe->opcode = IORING_OP_ACCEPT;
    sqe->fd = l->fd;
    sqe->ioprio = IORING_ACCEPT_MULTISHOT;
    sqe->accept_flags = SOCK_CLOEXEC;
    sqe->user_data = uring_name(URING_OP_ACCEPT, (uint32_t)number, l->generation);
    l->armed = true;
    return true;
}

/* One shot each: armed anew after each report, the poll looks at the state again, which makes it level-triggered. */
static bool watch_arm(struct uring *u, uint32_t number) {
    struct io_uring_sqe *sqe = uring_entry(u);
    struct uring_watch *w = &u->watches[number];
    if (!sqe) return false;
    sqe->opcode = IORING_OP_POLL_ADD;
    sqe->fd = w->fd;
    sqe->poll32_events = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? POLLIN : POLLIN << 16;
    sqe->user_data = uring_name(URING_OP_POLL, number, w->generation);
    w->armed = true;
    return true;
}

static void cancel_stale(struct uring *u, uint64_t *stale) {
    if (*stale && uring_cancel(u, *stale)) *stale = 0;
    if (*stale) u->listen_dirty = true;
}

void uring_listen_arm(struct uring *u) {
    u->listen_dirty = false;
    for (int i = 0; i < NET_LISTENER_MAX; i++) {
        struct uring_listener *l = &u->listeners[i];
        cancel_stale(u, &l->stale);
        if (l->wanted && !l->armed && !l->stale && !listener_arm(u, i)) u->listen_dirty = true;
    }
    for (uint32_t i = 0; i < URING_WATCH_MAX; i++) {
        struct uring_watch *w = &u->watches[i];
        cancel_stale(u, &w->stale);
        if (w->used && !w->armed && !watch_arm(u, i)) u->listen_dirty = true;
    }
}

int uring_listener_add(void *state, int listener, int fd) {
    struct uring *u = state;
    struct uring_listener *l = &u->listeners[listener];
    if (l->wanted) return 0;
    l->wanted = true;
    l->fd = fd;
    u->listen_dirty = true;
    return 0;
}

/* The next generation tells its late completions from those of the accept that may follow. */
void uring_listener_remove(void *state, int listener, int fd) {
    struct uring *u = state;
    struct uring_listener *l = &u->listeners[listener];
    l->wanted = false;
    if (!l->armed) return;
    l->stale = uring_name(URING_OP_ACCEPT, (uint32_t)listener, l->generation);
    u->listen_dirty = true;
    l->generation++;
    l->armed = false;
}

int uring_watch(void *state, int fd, int tag) {
    struct uring *u = state;
    int i = 0;
    while (i < URING_WATCH_MAX && (u->watches[i].used || u->watches[i].stale)) i++;
    if (i == URING_WATCH_MAX) return -ENOSPC;
    struct uring_watch *w = &u->watches[i];
    *w = (struct uring_watch){.used = true, .generation = w->generation + 1, .fd = fd, .tag = tag};
    u->listen_dirty = true;
    return 0;
}

void uring_unwatch(void *state, int fd) {
    struct uring *u = state;
    for (uint32_t i = 0; i < URING_WATCH_MAX; i++) {
        struct uring_watch *w = &u->watches[i];
        if (!w->used || w->fd != fd) continue;
        if (w->armed) w->stale = uring_name(URING_OP_POLL, i, w->generation);
        u->listen_dirty = true;
        w->used = w->armed = false;
        w->generation++;
    }
}

void uring_accepted(struct uring *u, const struct io_uring_cqe *cqe, uint32_t number,
                    uint32_t generation) {
    struct uring_listener *l = &u->listeners[number];
    bool current = l->generation == generation;
    if (current && !(cqe->flags & IORING_CQE_F_MORE)) {
        l->armed = false;
        u->listen_dirty = true;
        u->net->stats.rearm_count++;
    }
    if (cqe->res >= 0 && u->net->listeners[number].fd < 0) {
        close(cqe->res);
    } else if (cqe->res >= 0) {
        (void)net_conn_accepted(u->net, (int)number, cqe->res);
    } else if (current && cqe->res != -ECANCELED) {
        net_accept_failed(u->net, (int)number, -cqe->res);
    }
}

void uring_polled(struct uring *u, const struct io_uring_cqe *cqe, uint32_t number,
                  uint32_t generation) {
    struct uring_watch *w = &u->watches[number];
    if (!w->used || w->generation != generation) return;
    w->armed = false;
    if (cqe->res < 0) {
        w->used = false; /* it cannot be polled, such as a closed descriptor */
        return;
    }
    u->listen_dirty = true;
    net_emit_ready(u->net, w->tag);
}
