/* A PING server over net.h alone: what the net layer costs without anything above it. Each '*' that comes in is answered with
 * +PONG, as the requests of a load generator are counted.
 *
 *     net_ping [-b uring|epoll|kqueue] [-p PORT] [-r RING_ENTRIES] [-s BUFFER_BYTES] [-n BUFFER_COUNT] [-y BUSY_POLL_US] [-q] [-w]
 *
 * Prints the backend and, on SIGTERM, its counters. */
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "net/net.h"

enum { PONGS_MAX = 8192, PONG_BYTES = 7 };

struct client {
    char *out, *flying; /* the one being filled, the one being sent */
    size_t out_len;
};

static struct net *net;
static volatile sig_atomic_t stopping;

static void stop(int signal_number) {
    stopping = signal_number;
    net_wake(net);
}

static void send_out(struct net_conn *conn, struct client *c) {
    struct iovec piece = {c->out, c->out_len};
    char *swap = c->flying;
    net_send(net, conn, &piece, 1, c->out_len);
    c->flying = c->out;
    c->out = swap;
    c->out_len = 0;
}

static void answer(struct client *c, struct span data) {
    const char *end = data.data + data.len;
    for (const char *p = data.data; (p = memchr(p, '*', (size_t)(end - p))); p++) {
        if (c->out_len + PONG_BYTES > PONGS_MAX * PONG_BYTES) return;
        memcpy(c->out + c->out_len, "+PONG\r\n", PONG_BYTES);
        c->out_len += PONG_BYTES;
    }
}

static struct client *client_new(void) {
    struct client *c = mem_zalloc(sizeof *c);
    c->out = mem_alloc(PONGS_MAX * PONG_BYTES);
    c->flying = mem_alloc(PONGS_MAX * PONG_BYTES);
    return c;
}

static void handle(const struct net_event *event) {
    struct client *c = event->user;
    switch (event->kind) {
    case NET_EVENT_ACCEPTED: net_set_user(event->conn, client_new()); break;
    case NET_EVENT_DATA: answer(c, event->data); break;
    case NET_EVENT_SENT: break;
    case NET_EVENT_CLOSED:
        mem_free(c->out);
        mem_free(c->flying);
        mem_free(c);
        break;
    case NET_EVENT_READY:
    case NET_EVENT_NONE: break;
    }
}

static void flush(const struct net_event *event) {
    struct client *c = event->user;
    if (event->kind != NET_EVENT_DATA && event->kind != NET_EVENT_SENT) return;
    if (c->out_len && !net_sending(event->conn)) send_out(event->conn, c);
}

static void show(const struct net_stats *s) {
    printf("turns %" PRIu64 " calls %" PRIu64 " submitted %" PRIu64 " completed %" PRIu64
           " received %" PRIu64 " no-buffer %" PRIu64 " rearmed %" PRIu64 " short %" PRIu64
           " overflow %" PRIu64 " waits %" PRIu64 " resident %zu\n",
           s->turn_count, s->syscall_count, s->submission_count, s->completion_count,
           s->receive_count, s->no_buffer_count, s->rearm_count, s->send_short_count,
           s->overflow_count, s->wait_count, mem_resident_bytes());
}

static enum net_backend_kind kind_of(const char *name) {
    if (!strcmp(name, "uring")) return NET_BACKEND_URING;
    if (!strcmp(name, "epoll")) return NET_BACKEND_EPOLL;
    if (!strcmp(name, "kqueue")) return NET_BACKEND_KQUEUE;
    return NET_BACKEND_AUTO;
}

int main(int argc, char **argv) {
    struct net_options options = {0};
    struct net_listen_options listen = {.address = "127.0.0.1", .port = 7000};
    char why[256];
    for (int o; (o = getopt(argc, argv, "b:p:r:s:n:y:qw")) != -1;) {
        uint32_t number = optarg ? (uint32_t)strtoul(optarg, NULL, 10) : 0;
        switch (o) {
        case 'b': options.backend = kind_of(optarg); break;
        case 'p': listen.port = (uint16_t)number; break;
        case 'r': options.ring_entries = number; break;
        case 's': options.receive_buffer_bytes = number; break;
        case 'n': options.receive_buffer_count = number; break;
        case 'y': options.busy_poll_us = number; break;
        case 'q': options.sqpoll = true; break;
        case 'w': options.whole_receive_buffers = true; break;
        default: return 2;
        }
    }
    if (net_new(&options, &net, why, sizeof why) < 0 || net_listen(net, &listen) < 0) {
        fprintf(stderr, "net_ping: %s\n", why);
        return 1;
    }
    printf("%s\n", why);
    signal(SIGTERM, stop);
    while (!stopping) {
        struct net_event *events;
        int count = net_turn(net, -1, &events);
        if (count < 0) break;
        for (int i = 0; i < count; i++) handle(&events[i]);
        for (int i = 0; i < count; i++) flush(&events[i]);
    }
    show(net_stats(net));
    net_free(net);
    return 0;
}
