/* Level-triggered; sends are tried when the turn begins, and what the socket did not take waits for EPOLLOUT. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "die.h"
#include "link.h"

enum { READ_BYTES = 1 << 17, EVENT_COUNT = 512, SLEEP_MS = 10 };

struct epoll_conn {
    int fd;
    const char *bytes; /* not yet sent */
    size_t len;
    bool waits; /* for EPOLLOUT */
};

struct epoll_link {
    const struct link_handler *handler;
    struct epoll_conn *conns;
    uint32_t *queue; /* connections with a send to be tried */
    uint32_t queue_count, count;
    int fd;
    char *buffer;
};

static void *epoll_open(const int *fds, uint32_t count, const struct link_handler *handler) {
    struct epoll_link *link = calloc(1, sizeof *link);
    if (!link) die("no memory");
    link->handler = handler;
    link->count = count;
    link->conns = calloc(count, sizeof *link->conns);
    link->queue = calloc(count, sizeof *link->queue);
    link->buffer = malloc(READ_BYTES);
    link->fd = epoll_create1(EPOLL_CLOEXEC);
    if (!link->conns || !link->queue || !link->buffer || link->fd < 0) die("no memory");
    for (uint32_t i = 0; i < count; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
        link->conns[i].fd = fds[i];
        fcntl(fds[i], F_SETFL, O_NONBLOCK);
        if (epoll_ctl(link->fd, EPOLL_CTL_ADD, fds[i], &event) != 0) die("epoll_ctl");
    }
    return link;
}

static void epoll_close(void *impl) {
    struct epoll_link *link = impl;
    close(link->fd);
    free(link->conns);
    free(link->queue);
    free(link->buffer);
    free(link);
}

static void want(struct epoll_link *link, uint32_t conn, bool out) {
    struct epoll_conn *c = link->conns + conn;
    struct epoll_event event = {.events = EPOLLIN | (out ? EPOLLOUT : 0u), .data.u32 = conn};
    if (c->waits == out) return;
    c->waits = out;
    if (epoll_ctl(link->fd, EPOLL_CTL_MOD, c->fd, &event) != 0) die("epoll_ctl");
}

static void try_send(struct epoll_link *link, uint32_t conn) {
    struct epoll_conn *c = link->conns + conn;
    ssize_t sent = send(c->fd, c->bytes, c->len, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) die("send: %s", strerror(errno));
    if (sent > 0) {
        c->bytes += sent;
        c->len -= (size_t)sent;
    }
    want(link, conn, c->len > 0);
    if (c->len == 0) link->handler->sent(link->handler->arg, conn);
}

static void epoll_send(void *impl, uint32_t conn, const char *bytes, size_t len) {
    struct epoll_link *link = impl;
    link->conns[conn].bytes = bytes;
    link->conns[conn].len = len;
    link->queue[link->queue_count++] = conn;
}

static void receive(struct epoll_link *link, uint32_t conn) {
    ssize_t len = recv(link->conns[conn].fd, link->buffer, READ_BYTES, 0);
    if (len < 0 && errno == EAGAIN) return;
    if (len < 0) die("recv: %s", strerror(errno));
    if (len == 0) die("the server closed a connection");
    link->handler->data(link->handler->arg, conn, link->buffer, (size_t)len);
}

static void epoll_turn(void *impl, bool sleep) {
    struct epoll_link *link = impl;
    struct epoll_event events[EVENT_COUNT];
    uint32_t queued = link->queue_count;
    int count;
    link->queue_count = 0; /* `sent` queues nothing before the turn ends */
    for (uint32_t i = 0; i < queued; i++) try_send(link, link->queue[i]);
    count = epoll_wait(link->fd, events, EVENT_COUNT, sleep ? SLEEP_MS : 0);
    for (int i = 0; i < count; i++) {
        uint32_t conn = events[i].data.u32;
        if (events[i].events & EPOLLOUT) try_send(link, conn);
        if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) receive(link, conn);
    }
}

const struct link_api link_epoll = {"epoll", epoll_open, epoll_close, epoll_send, epoll_turn};
