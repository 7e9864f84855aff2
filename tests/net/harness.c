#include "harness.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

struct harness h;

int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int fd_count(void) {
    int count = 0;
    for (int fd = 0; fd < 65536; fd++) count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

bool harness_open(struct net_options options) {
    enum net_backend_kind kind = h.kind;
    struct net_listen_options listen = {.address = "127.0.0.1", .tag = 7};
    h = (struct harness){.kind = kind, .fd_count = fd_count()};
    options.backend = kind;
    if (net_new(&options, &h.net, h.why, sizeof h.why) < 0) return false;
    h.listener = net_listen(h.net, &listen);
    if (h.listener < 0) return false;
    h.port = net_listener_port(h.net, h.listener);
    return true;
}

static void peer_free(struct peer *peer) {
    buf_release(&peer->in);
    buf_release(&peer->out);
    buf_release(&peer->flying);
    mem_free(peer);
}

void harness_close(void) {
    net_free(h.net);
    h.net = NULL;
    for (int i = 0; i < h.peer_count; i++) peer_free(h.peers[i]);
    h.peer_count = 0;
    EXPECT_INT(0, h.violations);
    EXPECT_INT(h.fd_count, fd_count());
}

static void violation(const char *what, int kind) {
    printf("# contract broken: %s (event %d)\n", what, kind);
    h.violations++;
}

static void accepted(const struct net_event *event) {
    struct peer *peer = mem_zalloc(sizeof *peer);
    peer->conn = event->conn;
    peer->tag = event->tag;
    peer->echo = h.echo;
    peer->drops = h.drops;
    if (event->user) violation("a new connection has a user pointer", event->kind);
    net_set_user(event->conn, peer);
    if (h.peer_count < PEER_MAX) h.peers[h.peer_count++] = peer;
    if (h.close_at_accept) peer_close(peer);
}

/* What came elsewhere is copied to its place; the wish is renewed, or withdrawn when the place is full. */
static void place(struct peer *peer, struct span bytes) {
    size_t at = peer->in_bytes, room = peer->into_bytes > at ? peer->into_bytes - at : 0;
    if (room && bytes.data == peer->into + at) {
        peer->placed_bytes += bytes.len;
        if (bytes.len > room) violation("more than was wished for", NET_EVENT_DATA);
    } else if (room) {
        memcpy(peer->into + at, bytes.data, MIN(bytes.len, room));
    }
    at += bytes.len;
    room = peer->into_bytes > at ? peer->into_bytes - at : 0;
    net_receive_into(h.net, peer->conn, peer->into + at, room);
}

static void data(struct peer *peer, const struct net_event *event) {
    if (peer->into) place(peer, event->data);
    peer->data_count++;
    peer->in_bytes += event->data.len;
    if (event->data.len == 0) violation("no bytes", event->kind);
    if (!peer->drops) buf_put_span(&peer->in, event->data);
    if (peer->echo) buf_put_span(&peer->out, event->data);
    if (h.close_at_data && h.close_at_data != peer) {
        peer_close(h.close_at_data);
        h.close_at_data = NULL;
    }
}

static void closed(struct peer *peer, const struct net_event *event) {
    peer->closed = true;
    peer->status = event->status;
    h.closed_count++;
}

static void handle(const struct net_event *event) {
    struct peer *peer = event->user;
    if (event->kind == NET_EVENT_READY) {
        h.ready_count++;
        h.ready_tag = event->tag;
        return;
    }
    if (event->kind == NET_EVENT_ACCEPTED) {
        accepted(event);
        return;
    }
    if (!peer || peer->conn != event->conn) {
        violation("event of an unknown connection", event->kind);
        return;
    }
    if (peer->closed) violation("event after CLOSED", event->kind);
    switch (event->kind) {
    case NET_EVENT_DATA:
        if (peer->closing) violation("DATA after net_close", event->kind);
        data(peer, event);
        break;
    case NET_EVENT_SENT:
        if (peer->closing) violation("SENT after net_close", event->kind);
        if (net_sending(peer->conn)) violation("SENT, but still sending", event->kind);
        peer->sent_count++;
        buf_clear(&peer->flying);
        break;
    case NET_EVENT_CLOSED: closed(peer, event); break;
    case NET_EVENT_NONE: h.none_count++; break;
    case NET_EVENT_ACCEPTED:
    case NET_EVENT_READY: break;
    }
}

static void echo(struct peer *peer) {
    struct iovec piece;
    if (!peer->out.len || peer->closing || peer->closed || net_sending(peer->conn)) return;
    struct buf swap = peer->flying;
    peer->flying = peer->out;
    peer->out = swap;
    buf_clear(&peer->out);
    piece = (struct iovec){peer->flying.data, peer->flying.len};
    net_send(h.net, peer->conn, &piece, 1, piece.iov_len);
}

bool harness_turn(int timeout_ms) {
    struct net_event *events;
    int count = net_turn(h.net, timeout_ms, &events);
    if (count < 0) {
        printf("# net_turn: %s\n", strerror(-count));
        return false;
    }
    h.event_count = count;
    h.event_count_max = MAX(h.event_count_max, count);
    for (int i = 0; i < count; i++) handle(&events[i]);
    for (int i = 0; i < count; i++) {
        if (events[i].kind == NET_EVENT_DATA || events[i].kind == NET_EVENT_SENT)
            echo(events[i].user);
    }
    return true;
}

void peer_send(struct peer *peer, const void *bytes, size_t len) {
    buf_clear(&peer->flying);
    buf_put(&peer->flying, bytes, len);
    struct iovec piece = {peer->flying.data, len};
    net_send(h.net, peer->conn, &piece, 1, len);
}

void peer_close(struct peer *peer) {
    peer->closing = true;
    net_close(h.net, peer->conn);
}

/* ---- clients */

static int connected(int fd, const void *address, socklen_t len) {
    if (fd < 0) return -1;
    if (connect(fd, address, len) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

int client_connect(void) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)h.port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return connected(socket(AF_INET, SOCK_STREAM, 0), &address, sizeof address);
}

int client_connect_unix(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    return connected(socket(AF_UNIX, SOCK_STREAM, 0), &address, sizeof address);
}

bool client_send(int fd, const void *bytes, size_t len) {
    return send(fd, bytes, len, MSG_NOSIGNAL) == (ssize_t)len;
}

ssize_t client_receive(int fd, void *bytes, size_t len) {
    ssize_t n = recv(fd, bytes, len, MSG_DONTWAIT);
    if (n >= 0) return n;
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? -1 : -2;
}

void client_reset(int fd) {
    struct linger hard = {.l_onoff = 1, .l_linger = 0};
    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    close(fd);
}
