/* kqueue over epoll. Emulated: EVFILT_READ and EVFILT_WRITE of sockets and pipes; EV_ADD (also of what is there: a change),
 * EV_DELETE, EV_ENABLE, EV_DISABLE, EV_ONESHOT, EV_CLEAR (edge-triggered, for both filters of a descriptor), EV_RECEIPT, EV_EOF with
 * the socket's error in fflags; changes are applied before events are read; a refused change comes back with EV_ERROR when there is
 * room for it (and then no events are read in this call), else fails the call.
 *
 * Not emulated: other filters (EVFILT_USER, _SIGNAL, _TIMER, _PROC, _VNODE: EINVAL), NOTE_LOWAT, EV_DISPATCH, exact values of `data`
 * for writers and listeners, the order of events, queues inside queues, and that a queue vanishes in a forked child. A descriptor
 * that a child holds too stays known after close(2), where kqueue forgets it. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/event.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FD_MAX = 65536, EPOLL_EVENTS = 512 };

struct filter {
    bool known, enabled, oneshot, clear;
    void *udata;
};

/* One table for all queues of the process: the tests have one at a time. */
static struct {
    struct filter read, write;
    int queue; /* + 1; 0: in none */
} entries[FD_MAX];

uint64_t kqueue_emu_calls, kqueue_emu_changes, kqueue_emu_refused;
int kqueue_emu_refuse_fd = -1;

int kqueue(void) {
    memset(entries, 0, sizeof entries);
    return epoll_create1(0);
}

static uint32_t mask_of(int fd) {
    const struct filter *r = &entries[fd].read, *w = &entries[fd].write;
    uint32_t mask = 0;
    if (r->known && r->enabled) mask |= EPOLLIN | EPOLLRDHUP;
    if (w->known && w->enabled) mask |= EPOLLOUT;
    if (mask && (r->clear || w->clear)) mask |= EPOLLET;
    return mask;
}

/* Without an enabled filter the descriptor leaves the set: epoll would go on reporting errors and hang-ups. */
static int tell(int queue, int fd) {
    uint32_t mask = mask_of(fd);
    struct epoll_event event = {.events = mask, .data.fd = fd};
    if (mask == 0) {
        if (epoll_ctl(queue, EPOLL_CTL_DEL, fd, NULL) < 0 && errno != ENOENT) return errno;
        return 0;
    }
    if (epoll_ctl(queue, EPOLL_CTL_MOD, fd, &event) == 0) return 0;
    if (errno != ENOENT) return errno;
    return epoll_ctl(queue, EPOLL_CTL_ADD, fd, &event) < 0 ? errno : 0;
}

/* A descriptor that was closed and given out anew is not in the set any more: what is known of its predecessor is forgotten. */
static void forget_stale(int queue, int fd) {
    struct epoll_event event = {.events = mask_of(fd), .data.fd = fd};
    if (mask_of(fd) == 0) return;
    if (epoll_ctl(queue, EPOLL_CTL_MOD, fd, &event) < 0 && errno == ENOENT)
        memset(&entries[fd], 0, sizeof entries[fd]);
}

static int apply(int queue, const struct kevent *change) {
    int fd = (int)change->ident;
    if (change->ident >= FD_MAX) return EBADF;
    if (change->filter != EVFILT_READ && change->filter != EVFILT_WRITE) return EINVAL;
    if (fd == kqueue_emu_refuse_fd) {
        kqueue_emu_refuse_fd = -1;
        return ENOMEM;
    }
    forget_stale(queue, fd);
    struct filter *filter = change->filter == EVFILT_READ ? &entries[fd].read : &entries[fd].write;
    struct filter before = *filter;
    if (!filter->known && !(change->flags & EV_ADD)) return ENOENT;
    if (change->flags & EV_DELETE) {
        *filter = (struct filter){0};
    } else if (change->flags & EV_ADD) {
        *filter = (struct filter){true, !(change->flags & EV_DISABLE), change->flags & EV_ONESHOT,
                                  change->flags & EV_CLEAR, change->udata};
    } else {
        filter->enabled = !(change->flags & EV_DISABLE);
    }
    int error = tell(queue, fd);
    if (error) *filter = before;
    return error;
}

static struct kevent *put(struct kevent *events, int *count, const struct kevent *like, int error) {
    struct kevent *event = &events[(*count)++];
    *event = *like;
    event->flags = EV_ERROR;
    event->data = error;
    return event;
}

static void report(struct kevent *event, int fd, int filter_number, struct filter *filter,
                   uint32_t ready) {
    int bytes = 0, error = 0;
    socklen_t len = sizeof error;
    bool ended = ready & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
    if (filter_number == EVFILT_WRITE) ended = ready & (EPOLLHUP | EPOLLERR);
    if (filter_number == EVFILT_READ && ioctl(fd, FIONREAD, &bytes) < 0) bytes = 1;
    if (ready & EPOLLERR && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0) error = 0;
    *event =
        (struct kevent){.ident = (uintptr_t)fd,
                        .filter = (int16_t)filter_number,
                        .flags = (uint16_t)((ended ? EV_EOF : 0) | (filter->clear ? EV_CLEAR : 0)),
                        .fflags = (uint32_t)error,
                        .data = bytes,
                        .udata = filter->udata};
    if (filter->oneshot) *filter = (struct filter){0};
}

/* Without EV_CLEAR, what finds no room is reported by the next call. */
static int translate(int queue, const struct epoll_event *ready, struct kevent *events, int room) {
    int fd = ready->data.fd, count = 0;
    struct filter *r = &entries[fd].read, *w = &entries[fd].write;
    bool oneshot = r->oneshot || w->oneshot;
    if (r->known && r->enabled && ready->events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR) &&
        count < room) {
        report(&events[count++], fd, EVFILT_READ, r, ready->events);
    }
    if (w->known && w->enabled && ready->events & (EPOLLOUT | EPOLLHUP | EPOLLERR) &&
        count < room) {
        report(&events[count++], fd, EVFILT_WRITE, w, ready->events);
    }
    if (oneshot) (void)tell(queue, fd);
    return count;
}

static int timeout_ms_of(const struct timespec *timeout) {
    return timeout ? (int)(timeout->tv_sec * 1000 + (timeout->tv_nsec + 999999) / 1000000) : -1;
}

int kevent(int kq, const struct kevent *changes, int change_count, struct kevent *events,
           int event_count, const struct timespec *timeout) {
    struct epoll_event ready[EPOLL_EVENTS];
    int count = 0;
    kqueue_emu_calls++;
    for (int i = 0; i < change_count; i++) {
        int error = apply(kq, &changes[i]);
        kqueue_emu_changes++;
        kqueue_emu_refused += error != 0;
        if (!error && !(changes[i].flags & EV_RECEIPT)) continue;
        if (count < event_count) {
            put(events, &count, &changes[i], error);
        } else if (error) {
            errno = error;
            return -1;
        }
    }
    if (count || event_count == 0) return count;
    int wanted = event_count < EPOLL_EVENTS ? event_count : EPOLL_EVENTS;
    int n = epoll_wait(kq, ready, wanted, timeout_ms_of(timeout));
    if (n < 0) return -1;
    for (int i = 0; i < n; i++)
        count += translate(kq, &ready[i], events + count, event_count - count);
    return count;
}
