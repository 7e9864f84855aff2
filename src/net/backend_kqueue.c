/* kqueue(2) of the BSDs and macOS. All changes of interest of a turn's connections go in the same kevent call that waits, so a turn
 * costs one call beside its reads and writes.
 *
 * Each pending change has a known place: net_conn.change_at[filter] is its index + 1 in `changes`. A wish that is taken back before
 * the call takes its change out again, and a connection that closes takes out all of its own: the kernel never hears of a descriptor
 * that is gone, or of one that was given out anew under the same number. What the kernel itself was told vanishes with close(2).
 *
 * A change that the kernel refuses comes back as an event with EV_ERROR and ends that connection. For all of those there must be
 * room: `events` is as long as `changes` at least. */
#include <sys/types.h>

#include <errno.h>
#include <stdint.h>
#include <sys/event.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "net/backend.h"
#include "net/readiness.h"
#include "net/sockets.h"

enum { READY_MAX = 512, CHANGES_MIN = 64, WATCH_MAX = 32 };

/* kevent.udata: what kind of thing in the top byte, its number below, the generation in the low half. */
enum kind { KIND_CONN, KIND_LISTENER, KIND_WATCH };

_Static_assert(sizeof(uintptr_t) == 8, "udata carries 64 bits");

struct watch {
    bool used;
    int fd, tag;
};

struct kqueue {
    struct readiness ready; /* first: readiness_conn_* take the state for it */
    struct net *net;
    int fd;
    struct kevent *changes, *events;
    int change_count, change_capacity, event_capacity;
    int at, count; /* what is left of `events` */
    struct watch watches[WATCH_MAX];
    bool accepting[NET_LISTENER_MAX];
};

static void *name_of(enum kind kind, uint32_t number, uint32_t generation) {
    return (void *)(uintptr_t)((uint64_t)kind << 56 | (uint64_t)number << 32 | generation);
}

static enum kind kind_of(const struct kevent *event) {
    return (enum kind)((uint64_t)(uintptr_t)event->udata >> 56);
}

static uint32_t number_of(const struct kevent *event) {
    return (uint32_t)((uint64_t)(uintptr_t)event->udata >> 32) & 0xffffff;
}

static uint32_t generation_of(const struct kevent *event) {
    return (uint32_t)(uintptr_t)event->udata;
}

/* ---- changes */

static uint32_t *place_of(struct net_conn *conn, int filter) {
    return &conn->change_at[filter == EVFILT_WRITE];
}

static void change_add(struct kqueue *k, int fd, int filter, int flags, void *name) {
    if (k->change_count == k->change_capacity) {
        k->change_capacity = k->change_capacity ? k->change_capacity * 2 : CHANGES_MIN;
        k->changes = mem_realloc(k->changes, (size_t)k->change_capacity * sizeof *k->changes);
    }
    struct kevent *change = &k->changes[k->change_count++];
    EV_SET(change, (uintptr_t)fd, (int16_t)filter, (uint16_t)flags, 0, 0, name);
}

/* The last change moves into the gap; its connection learns its new place. */
static void change_remove(struct kqueue *k, int index) {
    struct kevent *gap = &k->changes[index], *last = &k->changes[--k->change_count];
    if (gap == last) return;
    *gap = *last;
    *place_of(&k->net->conns[number_of(gap)], gap->filter) = (uint32_t)index + 1;
}

static void conn_change_drop(struct kqueue *k, struct net_conn *conn, int filter) {
    uint32_t *place = place_of(conn, filter);
    if (*place == 0) return;
    change_remove(k, (int)*place - 1);
    *place = 0;
}

/* The opposite of a pending change takes that one back: the kernel is as wanted already. */
static void conn_change(struct kqueue *k, struct net_conn *conn, int filter, bool on) {
    uint32_t *place = place_of(conn, filter);
    if (*place) {
        conn_change_drop(k, conn, filter);
        return;
    }
    change_add(k, conn->fd, filter, on ? EV_ADD : EV_DELETE,
               name_of(KIND_CONN, conn->slot, conn->generation));
    *place = (uint32_t)k->change_count;
}

static int interest(void *backend, struct net_conn *conn, unsigned wanted) {
    struct kqueue *k = backend;
    unsigned changed = (conn->armed ^ wanted) & (READINESS_READ | READINESS_WRITE);
    if (conn->state == NET_CONN_CLOSING) {
        conn_change_drop(k, conn, EVFILT_READ);
        conn_change_drop(k, conn, EVFILT_WRITE);
    } else {
        if (changed & READINESS_READ) conn_change(k, conn, EVFILT_READ, wanted & READINESS_READ);
        if (changed & READINESS_WRITE) conn_change(k, conn, EVFILT_WRITE, wanted & READINESS_WRITE);
    }
    conn->armed = (uint16_t)((conn->armed & READINESS_BLOCKED) | wanted);
    return 0;
}

/* Handed over: the places are the kernel's now. */
static void changes_clear(struct kqueue *k) {
    for (int i = 0; i < k->change_count; i++) {
        const struct kevent *change = &k->changes[i];
        if (kind_of(change) == KIND_CONN)
            *place_of(&k->net->conns[number_of(change)], change->filter) = 0;
    }
    k->net->stats.submission_count += (uint64_t)k->change_count;
    k->change_count = 0;
}

/* Listeners and watches are few and change seldom: the kernel is told at once, so that their caller gets the error, and nothing of
 * them is pending when their descriptor is closed. */
static int tell_now(struct kqueue *k, int fd, bool on, void *name) {
    struct timespec none = {0};
    struct kevent change;
    EV_SET(&change, (uintptr_t)fd, EVFILT_READ, on ? EV_ADD : EV_DELETE, 0, 0, name);
    k->net->stats.syscall_count++;
    k->net->stats.submission_count++;
    return kevent(k->fd, &change, 1, NULL, 0, &none) < 0 ? -errno : 0;
}

static int listener_add(void *state, int listener, int fd) {
    struct kqueue *k = state;
    if (k->accepting[listener]) return 0;
    int rc = tell_now(k, fd, true, name_of(KIND_LISTENER, (uint32_t)listener, (uint32_t)fd));
    k->accepting[listener] = rc == 0;
    return rc;
}

static void listener_remove(void *state, int listener, int fd) {
    struct kqueue *k = state;
    if (!k->accepting[listener]) return;
    k->accepting[listener] = false;
    (void)tell_now(k, fd, false, name_of(KIND_LISTENER, (uint32_t)listener, (uint32_t)fd));
}

static int watch(void *state, int fd, int tag) {
    struct kqueue *k = state;
    uint32_t i = 0;
    while (i < WATCH_MAX && k->watches[i].used) i++;
    if (i == WATCH_MAX) return -ENOSPC;
    int rc = tell_now(k, fd, true, name_of(KIND_WATCH, i, (uint32_t)fd));
    if (rc == 0) k->watches[i] = (struct watch){true, fd, tag};
    return rc;
}

static void unwatch(void *state, int fd) {
    struct kqueue *k = state;
    for (uint32_t i = 0; i < WATCH_MAX; i++) {
        if (!k->watches[i].used || k->watches[i].fd != fd) continue;
        k->watches[i].used = false;
        (void)tell_now(k, fd, false, name_of(KIND_WATCH, i, (uint32_t)fd));
    }
}

/* ---- events */

/* With EV_EOF what is left to read comes first, then the end; fflags is the error that it ended with, if it did. */
static void conn_ready(struct kqueue *k, struct net_conn *conn, const struct kevent *event) {
    if (event->flags & EV_ERROR) {
        readiness_broken(&k->ready, conn, -(int)event->data); /* a refused change */
    } else if (event->filter == EVFILT_WRITE) {
        readiness_writable(&k->ready, conn);
    } else if (conn->armed & READINESS_READ) {
        bool broken = event->flags & EV_EOF && event->data == 0 && event->fflags;
        if (broken)
            readiness_broken(&k->ready, conn, -(int)event->fflags);
        else
            readiness_readable(&k->ready, conn);
    }
}

static void dispatch(struct kqueue *k, const struct kevent *event) {
    uint32_t number = number_of(event), generation = generation_of(event);
    switch (kind_of(event)) {
    case KIND_LISTENER:
        if (k->accepting[number]) readiness_accept(&k->ready, (int)number, k->accepting);
        break;
    case KIND_WATCH:
        if (k->watches[number].used && k->watches[number].fd == (int)generation)
            net_emit_ready(k->net, k->watches[number].tag);
        break;
    case KIND_CONN: {
        struct net_conn *conn = net_conn_at(k->net, number, generation);
        if (conn) conn_ready(k, conn, event);
        break;
    }
    }
}

static int wait(struct kqueue *k, int timeout_ms) {
    struct net_stats *stats = &k->net->stats;
    struct timespec timeout = {.tv_sec = timeout_ms / 1000,
                               .tv_nsec = timeout_ms % 1000 * 1000000l};
    int capacity = MAX(READY_MAX, k->change_count);
    if (capacity > k->event_capacity) {
        k->events = mem_realloc(k->events, (size_t)capacity * sizeof *k->events);
        k->event_capacity = capacity;
    }
    k->at = k->count = 0;
    int n = kevent(k->fd, k->changes, k->change_count, k->events, k->event_capacity,
                   timeout_ms < 0 ? NULL : &timeout);
    stats->syscall_count++;
    stats->wait_count += timeout_ms != 0;
    changes_clear(k); /* applied before an interrupted wait too */
    if (n < 0) return errno == EINTR ? 0 : -errno;
    stats->completion_count += (uint64_t)n;
    k->count = n;
    return 0;
}

static int turn(void *state, int timeout_ms) {
    struct kqueue *k = state;
    timeout_ms = readiness_begin(&k->ready, timeout_ms);
    if (k->at == k->count) {
        int rc = wait(k, timeout_ms);
        if (rc < 0) return rc;
    }
    while (k->at < k->count && readiness_room(&k->ready)) dispatch(k, &k->events[k->at++]);
    return 0;
}

/* ---- life */

static int kqueue_open(struct net *net, void **state, char *why, size_t why_size) {
    struct kqueue *k = mem_zalloc(sizeof *k);
    k->net = net;
    k->fd = kqueue();
    int rc = k->fd < 0 ? -errno : socket_set_cloexec(k->fd);
    if (rc == 0) rc = readiness_init(&k->ready, net, k, interest);
    if (rc < 0) {
        if (k->fd >= 0) close(k->fd);
        mem_free(k);
        return rc;
    }
    *state = k;
    return 0;
}

static void kqueue_release(void *state) {
    struct kqueue *k = state;
    readiness_release(&k->ready);
    close(k->fd);
    mem_free(k->changes);
    mem_free(k->events);
    mem_free(k);
}

/* The queue itself is not inherited by a child (kqueue(2)): there is nothing to drop. */
const struct net_backend net_backend_kqueue = {
    .name = "kqueue",
    .kind = NET_BACKEND_KQUEUE,
    .open = kqueue_open,
    .close = kqueue_release,
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
