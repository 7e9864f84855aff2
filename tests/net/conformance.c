/* What net.h promises, the same for every backend: the programs conformance_uring, _epoll and _kqueue run this suite. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "harness.h"

enum { LIMIT_S = 110, BIG = 8 * 1024 * 1024 };

static const struct net_options defaults;

/* Bytes that tell where they belong. */
static char pattern(size_t at) {
    return (char)(at * 31 + (at >> 8) * 7 + (at >> 16));
}

static char *pattern_new(size_t len) {
    char *bytes = mem_alloc(len);
    for (size_t i = 0; i < len; i++) bytes[i] = pattern(i);
    return bytes;
}

/* Reads what is there; -1: nothing more for now. Checks the pattern from *at on. */
static bool pattern_receive(int fd, size_t *at, bool *ended) {
    char bytes[65536];
    ssize_t n = client_receive(fd, bytes, sizeof bytes);
    if (n == 0 || n == -2) *ended = true;
    for (ssize_t i = 0; i < n; i++) {
        if (bytes[i] != pattern((*at)++)) return false;
    }
    return true;
}

/* The client has got exactly these bytes. */
static bool client_got(int fd, struct buf *got, struct span wanted) {
    char bytes[4096];
    ssize_t n = client_receive(fd, bytes, sizeof bytes);
    if (n > 0) buf_put(got, bytes, (size_t)n);
    return span_eq(buf_span(got), wanted);
}

/* The connection ended at the client; what came before is thrown away. */
static bool client_ended(int fd) {
    char bytes[65536];
    ssize_t n;
    do n = client_receive(fd, bytes, sizeof bytes);
    while (n > 0);
    return n == 0 || n == -2;
}

/* ---- bytes in, bytes out */

static void test_echo(void) {
    struct buf got = {0};
    EXPECT(harness_open(defaults));
    h.echo = true;
    int fd = client_connect();
    EXPECT(client_send(fd, "hello", 5));
    UNTIL(client_got(fd, &got, SPAN("hello")));
    EXPECT_INT(1, h.peer_count);
    EXPECT_INT(7, h.peers[0]->tag);
    EXPECT(!net_is_unix(h.peers[0]->conn));
    EXPECT(net_peer_is_loopback(h.peers[0]->conn));
    EXPECT(net_fd(h.peers[0]->conn) >= 0);
    close(fd);
    UNTIL(h.closed_count == 1);
    EXPECT_INT(0, h.peers[0]->status);
    const struct net_stats *stats = net_stats(h.net);
    EXPECT_INT(1, stats->accept_count);
    EXPECT_INT(5, stats->receive_bytes);
    EXPECT_INT(5, stats->send_bytes);
    EXPECT_INT(1, stats->send_count);
    EXPECT_INT(0, net_conn_count(h.net));
    buf_release(&got);
    harness_close();
}

static void test_split_reads(void) {
    EXPECT(harness_open(defaults));
    int fd = client_connect();
    UNTIL(h.peer_count == 1);
    for (size_t i = 0; i < 200; i++) {
        char byte = pattern(i);
        EXPECT(client_send(fd, &byte, 1));
        UNTIL(h.peers[0]->in.len == i + 1);
    }
    for (size_t i = 0; i < 200; i++) EXPECT(h.peers[0]->in.data[i] == pattern(i));
    close(fd);
    UNTIL(h.closed_count == 1);
    harness_close();
}

/* A reader that is slow, or does not read at all, must not hold up the others. */
static void large_send(int piece_count) {
    struct iovec pieces[NET_SEND_PIECES_MAX];
    struct buf got = {0};
    size_t at = 0, each = BIG / (size_t)piece_count;
    bool ended = false;
    char *bytes = pattern_new(BIG);
    EXPECT(harness_open(defaults));
    int fd = client_connect();
    UNTIL(h.peer_count == 1);
    for (int i = 0; i < piece_count; i++)
        pieces[i] = (struct iovec){bytes + (size_t)i * each, each};
    net_send(h.net, h.peers[0]->conn, pieces, piece_count, BIG);
    memset(pieces, 0, sizeof pieces); /* the array was copied */
    h.echo = true;
    int other = client_connect();
    EXPECT(client_send(other, "ping", 4));
    UNTIL(client_got(other, &got, SPAN("ping")));
    EXPECT_INT(0, h.peers[0]->sent_count);
    EXPECT(net_sending(h.peers[0]->conn));
    while (at < BIG) {
        EXPECT(pattern_receive(fd, &at, &ended) && !ended);
        EXPECT(harness_turn(0));
    }
    UNTIL(h.peers[0]->sent_count == 1);
    EXPECT_INT(BIG + 4, net_stats(h.net)->send_bytes);
    close(fd);
    close(other);
    UNTIL(h.closed_count == 2);
    buf_release(&got);
    mem_free(bytes);
    harness_close();
}

static void test_large_send(void) {
    large_send(1);
}

static void test_large_send_pieces(void) {
    large_send(NET_SEND_PIECES_MAX);
}

static void test_large_receive(void) {
    char *bytes = pattern_new(BIG);
    size_t sent = 0;
    EXPECT(harness_open(defaults));
    int fd = client_connect();
    UNTIL(h.peer_count == 1);
    while (h.peers[0]->in.len < BIG) {
        ssize_t n = send(fd, bytes + sent, BIG - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n > 0) sent += (size_t)n;
        EXPECT(harness_turn(sent == BIG ? 20 : 0));
    }
    EXPECT(memcmp(h.peers[0]->in.data, bytes, BIG) == 0);
    close(fd);
    UNTIL(h.closed_count == 1);
    mem_free(bytes);
    harness_close();
}

/* Sends `bytes` while turns run until all of them have come in. */
static bool receive_all(int fd, const char *bytes, size_t len) {
    size_t sent = 0, begin = h.peers[0]->in_bytes;
    int64_t end = now_ms() + 20000;
    while (h.peers[0]->in_bytes - begin < len && now_ms() < end) {
        ssize_t n = send(fd, bytes + sent, len - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n > 0) sent += (size_t)n;
        if (!harness_turn(sent == len ? 20 : 0)) return false;
    }
    return h.peers[0]->in_bytes - begin == len;
}

/* The first bytes come as usual, and with them the place of the rest is known: twice as much is sent as is wished for. */
static void test_receive_into(void) {
    char *bytes = pattern_new(BIG), *place = mem_zalloc(BIG / 2);
    EXPECT(harness_open(defaults));
    int fd = client_connect();
    UNTIL(h.peer_count == 1);
    struct peer *peer = h.peers[0];
    EXPECT(receive_all(fd, bytes, 100));
    peer->in_bytes = 0;
    buf_clear(&peer->in);
    peer->into = place;
    peer->into_bytes = BIG / 2;
    EXPECT(receive_all(fd, bytes, BIG));
    EXPECT(memcmp(place, bytes, BIG / 2) == 0);
    EXPECT(memcmp(peer->in.data, bytes, BIG) == 0);
    EXPECT(peer->placed_bytes > BIG / 4);
    /* Without a wish it goes on as before. */
    EXPECT(receive_all(fd, bytes, BIG));
    close(fd);
    UNTIL(h.closed_count == 1);
    mem_free(bytes);
    mem_free(place);
    harness_close();
}

/* A wish that waits for bytes does not keep the connection from being paused, resumed and closed, nor from noticing its peer's end. */
static void test_receive_into_ends(void) {
    static char place[BIG];
    EXPECT(harness_open(defaults));
    int first = client_connect(), second = client_connect();
    UNTIL(h.peer_count == 2);
    for (int i = 0; i < 2; i++) {
        h.peers[i]->into = place;
        h.peers[i]->into_bytes = BIG;
        net_receive_into(h.net, h.peers[i]->conn, place, BIG);
    }
    QUIET_TURNS(3);
    EXPECT(client_send(first, "abc", 3));
    EXPECT(client_send(second, "abc", 3));
    QUIET_TURNS(3);
    net_pause(h.net, h.peers[0]->conn);
    QUIET_TURNS(3);
    net_resume(h.net, h.peers[0]->conn);
    EXPECT(client_send(first, "def", 3));
    shutdown(first, SHUT_WR);
    UNTIL(h.peers[0]->closed);
    EXPECT_SPAN(SPAN("abcdef"), buf_span(&h.peers[0]->in));
    peer_close(h.peers[1]);
    UNTIL(h.peers[1]->closed);
    close(first);
    close(second);
    harness_close();
}

/* Many sends one after the other on many connections: replies stay in order and whole. */
static void test_many_sends(void) {
    enum { CLIENTS = 20, ROUNDS = 200 };
    int fds[CLIENTS];
    struct buf got[CLIENTS] = {0};
    EXPECT(harness_open(defaults));
    h.echo = true;
    for (int i = 0; i < CLIENTS; i++) fds[i] = client_connect();
    for (int round = 0; round < ROUNDS; round++) {
        char text[32];
        int len = snprintf(text, sizeof text, "round %d;", round);
        for (int i = 0; i < CLIENTS; i++) EXPECT(client_send(fds[i], text, (size_t)len));
        for (int i = 0; i < CLIENTS; i++) {
            buf_clear(&got[i]);
            UNTIL(client_got(fds[i], &got[i], span_make(text, (size_t)len)));
        }
    }
    for (int i = 0; i < CLIENTS; i++) {
        close(fds[i]);
        buf_release(&got[i]);
    }
    UNTIL(h.closed_count == CLIENTS);
    harness_close();
}

/* ---- pausing */

static void test_pause_resume(void) {
    EXPECT(harness_open(defaults));
    int fd = client_connect();
    UNTIL(h.peer_count == 1);
    struct peer *peer = h.peers[0];
    QUIET_TURNS(2);
    net_pause(h.net, peer->conn);
    net_pause(h.net, peer->conn);
    QUIET_TURNS(3);
    EXPECT(client_send(fd, "later", 5));
    QUIET_TURNS(10);
    EXPECT_INT(0, peer->in_bytes);
    net_resume(h.net, peer->conn);
    net_resume(h.net, peer->conn);
    UNTIL(peer->in_bytes == 5);
    for (int i = 0; i < 50; i++) { /* back and forth within one turn, and over turns */
        net_pause(h.net, peer->conn);
        if (i % 3 == 0) EXPECT(harness_turn(0));
        net_resume(h.net, peer->conn);
        if (i % 2 == 0) EXPECT(harness_turn(0));
        EXPECT(client_send(fd, "x", 1));
    }
    UNTIL(peer->in_bytes == 55);
    close(fd);
    UNTIL(h.closed_count == 1);
    harness_close();
}

static void test_pause_at_accept(void) {
    EXPECT(harness_open(defaults));
    int fd = client_connect();
    EXPECT(client_send(fd, "early", 5));
    while (h.peer_count == 0) EXPECT(harness_turn(20));
    net_pause(h.net, h.peers[0]->conn);
    QUIET_TURNS(10);
    EXPECT_INT(0, h.peers[0]->in_bytes);
    net_resume(h.net, h.peers[0]->conn);
    UNTIL(h.peers[0]->in_bytes == 5);
    close(fd);
    UNTIL(h.closed_count == 1);
    harness_close();
}

static void test_send_while_paused(void) {
    struct buf got = {0};
    EXPECT(harness_open(defaults));
    int fd = client_connect();
    UNTIL(h.peer_count == 1);
    net_pause(h.net, h.peers[0]->conn);
    peer_send(h.peers[0], "pushed", 6);
    UNTIL(client_got(fd, &got, SPAN("pushed")));
    UNTIL(h.peers[0]->sent_count == 1);
    EXPECT(client_send(fd, "answer", 6));
    QUIET_TURNS(5);
    net_resume(h.net, h.peers[0]->conn);
    UNTIL(h.peers[0]->in_bytes == 6);
    close(fd);
    UNTIL(h.closed_count == 1);
    buf_release(&got);
    harness_close();
}

/* Back-pressure reaches the client: its send buffer fills while the connection is paused. */
static void test_pause_holds_back(void) {
    char *bytes = pattern_new(BIG);
    size_t sent = 0;
    EXPECT(harness_open(defaults));
    int fd = client_connect();
    UNTIL(h.peer_count == 1);
    net_pause(h.net, h.peers[0]->conn);
    QUIET_TURNS(2);
    for (ssize_t n; (n = send(fd, bytes + sent, BIG - sent, MSG_DONTWAIT | MSG_NOSIGNAL)) > 0;) {
        sent += (size_t)n;
        EXPECT(harness_turn(0));
        EXPECT(sent < BIG);
    }
    EXPECT_INT(0, h.peers[0]->in_bytes);
    net_resume(h.net, h.peers[0]->conn);
    UNTIL(h.peers[0]->in_bytes == sent);
    EXPECT(memcmp(h.peers[0]->in.data, bytes, sent) == 0);
    close(fd);
    UNTIL(h.closed_count == 1);
    mem_free(bytes);
    harness_close();
}

/* ---- ends */

static void test_close_with_bytes_in_flight(void) {
    char *bytes = pattern_new(BIG);
    EXPECT(harness_open(defaults));
    int fd = client_connect();
    UNTIL(h.peer_count == 1);
    struct iovec piece = {bytes, BIG};
    net_send(h.net, h.peers[0]->conn, &piece, 1, BIG);
    QUIET_TURNS(3);
    EXPECT(client_send(fd, "unread", 6));
    peer_close(h.peers[0]);
    peer_close(h.peers[0]);
    UNTIL(h.closed_count == 1);
    mem_free(bytes); /* ours again */
    UNTIL(client_ended(fd));
    close(fd);
    harness_close();
}

static void test_close_at_once(void) {
    EXPECT(harness_open(defaults));
    h.close_at_accept = true;
    for (int i = 0; i < 50; i++) {
        int fd = client_connect();
        EXPECT(client_send(fd, "never read", 10));
        UNTIL(h.closed_count == i + 1);
        UNTIL(client_ended(fd));
        close(fd);
    }
    harness_close();
}

/* A send queued and its connection closed before the turn: neither sent nor leaked. */
static void test_close_after_queueing(void) {
    EXPECT(harness_open(defaults));
    int fd = client_connect();
    UNTIL(h.peer_count == 1);
    peer_send(h.peers[0], "gone", 4);
    peer_close(h.peers[0]);
    UNTIL(h.closed_count == 1);
    UNTIL(client_ended(fd));
    close(fd);
    harness_close();
}

static void test_peer_reset(void) {
    char *bytes = pattern_new(BIG);
    EXPECT(harness_open(defaults));
    int idle = client_connect(), busy = client_connect();
    UNTIL(h.peer_count == 2);
    struct iovec piece = {bytes, BIG};
    QUIET_TURNS(2);
    net_send(h.net, h.peers[1]->conn, &piece, 1, BIG);
    QUIET_TURNS(3);
    client_reset(idle);
    client_reset(busy);
    UNTIL(h.closed_count == 2);
    EXPECT(h.peers[0]->status == -ECONNRESET);
    EXPECT(h.peers[1]->status == -ECONNRESET || h.peers[1]->status == -EPIPE);
    mem_free(bytes);
    harness_close();
}

/* The client says all that it has and shuts its side: it still gets its answer, then the end. */
static void test_half_close(void) {
    struct buf got = {0};
    EXPECT(harness_open(defaults));
    h.echo = true;
    for (int i = 0; i < 20; i++) {
        int fd = client_connect();
        buf_clear(&got);
        EXPECT(client_send(fd, "last words", 10));
        EXPECT(shutdown(fd, SHUT_WR) == 0);
        UNTIL(client_got(fd, &got, SPAN("last words")));
        UNTIL(client_ended(fd));
        UNTIL(h.closed_count == i + 1);
        EXPECT_INT(0, h.peers[i]->status);
        close(fd);
    }
    buf_release(&got);
    harness_close();
}

static void test_half_close_large(void) {
    char *bytes = pattern_new(BIG);
    size_t at = 0;
    bool ended = false;
    EXPECT(harness_open(defaults));
    int fd = client_connect();
    UNTIL(h.peer_count == 1);
    struct iovec piece = {bytes, BIG};
    net_send(h.net, h.peers[0]->conn, &piece, 1, BIG);
    EXPECT(shutdown(fd, SHUT_WR) == 0);
    QUIET_TURNS(5);
    EXPECT_INT(0, h.closed_count);
    while (!ended) {
        EXPECT(pattern_receive(fd, &at, &ended));
        EXPECT(harness_turn(0));
    }
    EXPECT_INT(BIG, at);
    UNTIL(h.closed_count == 1);
    EXPECT_INT(1, h.peers[0]->sent_count);
    close(fd);
    mem_free(bytes);
    harness_close();
}

/* Slots are reused under stale completions: each connection gets its own bytes and nobody else's. */
static void test_slot_reuse(void) {
    enum { ROUNDS = 1500, WIDTH = 4 };
    EXPECT(harness_open(defaults));
    for (int round = 0; round < ROUNDS; round++) {
        int fds[WIDTH], first = h.peer_count;
        for (int i = 0; i < WIDTH; i++) {
            char text[16];
            fds[i] = client_connect();
            EXPECT(fds[i] >= 0);
            snprintf(text, sizeof text, "%07d", first + i);
            EXPECT(client_send(fds[i], text, 7));
        }
        UNTIL(h.peer_count == first + WIDTH);
        if (round % 3 == 0) {
            for (int i = 0; i < WIDTH; i++) peer_close(h.peers[first + i]);
        } else {
            for (int i = 0; i < WIDTH; i++) UNTIL(h.peers[first + i]->in_bytes == 7);
        }
        for (int i = 0; i < WIDTH; i++) {
            if (round % 3 == 1)
                client_reset(fds[i]);
            else
                close(fds[i]);
        }
        UNTIL(h.closed_count == first + WIDTH);
    }
    for (int i = 0; i < h.peer_count; i++) {
        char text[16];
        snprintf(text, sizeof text, "%07d", i);
        if (h.peers[i]->in.len) EXPECT_SPAN(span_of(text), buf_span(&h.peers[i]->in));
    }
    harness_close();
}

/* Two connections have DATA in one turn; the handler of the first closes the second: its event becomes NONE. */
static void test_close_under_queued_events(void) {
    EXPECT(harness_open(defaults));
    int a = client_connect(), b = client_connect();
    UNTIL(h.peer_count == 2);
    QUIET_TURNS(2);
    for (int i = 0; i < 2; i++) EXPECT(client_send(i ? b : a, "same turn", 9));
    h.close_at_data = h.peers[1];
    UNTIL(h.peers[0]->in_bytes == 9 && h.closed_count == 1);
    EXPECT(h.peers[1]->closed);
    EXPECT_INT(0, h.violations);
    UNTIL(client_ended(b));
    close(a);
    close(b);
    UNTIL(h.closed_count == 2);
    harness_close();
}

static void test_free_with_everything_open(void) {
    static char bytes[1 << 20];
    struct iovec piece = {bytes, sizeof bytes};
    int fds[30], pipe_fds[2];
    EXPECT(harness_open(defaults));
    EXPECT(pipe(pipe_fds) == 0);
    EXPECT_INT(0, net_watch(h.net, pipe_fds[0], 1));
    for (size_t i = 0; i < ARRAY_LENGTH(fds); i++) fds[i] = client_connect();
    UNTIL(h.peer_count == (int)ARRAY_LENGTH(fds));
    for (size_t i = 0; i < ARRAY_LENGTH(fds); i++) {
        if (i % 2) net_send(h.net, h.peers[i]->conn, &piece, 1, sizeof bytes);
        if (i % 4 == 3) EXPECT(harness_turn(0));
        if (i % 5 == 0) net_pause(h.net, h.peers[i]->conn);
        if (i % 7 == 0) peer_close(h.peers[i]);
        if (i % 3 == 0) EXPECT(client_send(fds[i], "more", 4));
    }
    h.fd_count += (int)ARRAY_LENGTH(fds) + 2;
    harness_close();
    for (size_t i = 0; i < ARRAY_LENGTH(fds); i++) close(fds[i]);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
}

/* ---- bounds */

static void test_thousand_connections(void) {
    enum { COUNT = 1000 };
    static int fds[COUNT];
    struct rlimit limit;
    EXPECT(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    if (limit.rlim_max < COUNT * 2 + 100) {
        printf("# skipped: only %llu descriptors\n", (unsigned long long)limit.rlim_max);
        return;
    }
    limit.rlim_cur = limit.rlim_max < 65536 ? limit.rlim_max : 65536;
    EXPECT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    EXPECT(harness_open(defaults));
    h.echo = true;
    for (int i = 0; i < COUNT; i++) {
        fds[i] = client_connect();
        EXPECT(fds[i] >= 0);
        if (i % 100 == 99) UNTIL(h.peer_count == i + 1);
    }
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++) EXPECT(client_send(fds[i], &i, sizeof i));
        for (int i = 0; i < COUNT; i++) {
            struct buf got = {0};
            UNTIL(client_got(fds[i], &got, span_make(&i, sizeof i)));
            buf_release(&got);
        }
    }
    for (int i = 0; i < COUNT; i++) close(fds[i]);
    UNTIL(h.closed_count == COUNT);
    harness_close();
}

/* Descriptors run out: those who wait are refused with the message, and accepting comes back by itself. */
static void test_descriptors_run_out(void) {
    enum { COUNT = 12 };
    struct rlimit before, low;
    struct buf got = {0};
    int fds[COUNT], refused = 0;
    EXPECT(getrlimit(RLIMIT_NOFILE, &before) == 0);
    EXPECT(harness_open((struct net_options){.refusal = SPAN("-ERR full\r\n")}));
    h.echo = true;
    for (int i = 0; i < COUNT; i++) fds[i] = client_connect();
    low = (struct rlimit){.rlim_cur = (rlim_t)fds[COUNT - 1] + 5, .rlim_max = before.rlim_max};
    EXPECT(setrlimit(RLIMIT_NOFILE, &low) == 0);
    UNTIL(net_stats(h.net)->accept_error_count > 0);
    QUIET_TURNS(20);
    EXPECT(h.peer_count < COUNT);
    for (int i = 0; i < COUNT; i++) {
        char text[32];
        if (client_receive(fds[i], text, sizeof text) == 11 &&
            memcmp(text, "-ERR full\r\n", 11) == 0)
            refused++;
    }
    EXPECT(refused > 0);
    EXPECT_INT(COUNT, refused + h.peer_count);
    EXPECT(setrlimit(RLIMIT_NOFILE, &before) == 0);
    int fd = client_connect();
    EXPECT(client_send(fd, "again", 5));
    UNTIL(client_got(fd, &got, SPAN("again")));
    for (int i = 0; i < COUNT; i++) close(fds[i]);
    close(fd);
    UNTIL(h.closed_count == h.peer_count);
    buf_release(&got);
    harness_close();
}

static void test_slots_run_out(void) {
    enum { COUNT = 80 };
    int fds[COUNT], ended = 0;
    struct net_options options = {.conn_count_max = 1, .refusal = SPAN("-ERR full\r\n")};
    EXPECT(harness_open(options));
    for (int i = 0; i < COUNT; i++) fds[i] = client_connect();
    UNTIL(net_stats(h.net)->accept_count + net_stats(h.net)->accept_error_count == COUNT);
    EXPECT(h.peer_count < COUNT);
    for (int i = 0; i < COUNT; i++) ended += client_ended(fds[i]);
    EXPECT_INT(COUNT - h.peer_count, ended);
    for (int i = 0; i < COUNT; i++) close(fds[i]);
    UNTIL(h.closed_count == h.peer_count);
    harness_close();
}

static void test_event_array_full(void) {
    enum { COUNT = 60 };
    int fds[COUNT];
    struct net_options options = {.event_count_max = 4};
    EXPECT(harness_open(options));
    h.echo = true;
    for (int i = 0; i < COUNT; i++) fds[i] = client_connect();
    for (int i = 0; i < COUNT; i++) EXPECT(client_send(fds[i], "abc", 3));
    for (int i = 0; i < COUNT; i++) {
        struct buf got = {0};
        UNTIL(client_got(fds[i], &got, SPAN("abc")));
        buf_release(&got);
    }
    EXPECT(h.event_count_max <= 4);
    for (int i = 0; i < COUNT; i++) close(fds[i]);
    UNTIL(h.closed_count == COUNT);
    EXPECT(h.event_count_max <= 4);
    harness_close();
}

static void all_at_once(struct net_options options, int count, size_t bytes) {
    int *fds = mem_alloc((size_t)count * sizeof *fds);
    char *message = pattern_new(bytes);
    EXPECT(harness_open(options));
    h.echo = true;
    for (int i = 0; i < count; i++) fds[i] = client_connect();
    UNTIL(h.peer_count == count);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < count; i++) EXPECT(client_send(fds[i], message, bytes));
        for (int i = 0; i < count; i++) {
            size_t at = 0;
            bool ended = false;
            while (at < bytes) {
                EXPECT(pattern_receive(fds[i], &at, &ended) && !ended);
                if (at < bytes) EXPECT(harness_turn(at ? 0 : 1));
            }
        }
    }
    for (int i = 0; i < count; i++) close(fds[i]);
    UNTIL(h.closed_count == count);
    mem_free(fds);
    mem_free(message);
    harness_close();
}

static void test_receive_buffers_run_out(void) {
    all_at_once((struct net_options){.receive_buffer_bytes = 4096, .receive_buffer_count = 2}, 64,
                20000);
}

static void test_tiny_ring(void) {
    all_at_once((struct net_options){.ring_entries = 2}, 100, 300);
    all_at_once((struct net_options){.ring_entries = 1, .event_count_max = 8}, 30, 5000);
}

static void test_whole_receive_buffers(void) {
    struct net_options options = {.whole_receive_buffers = true};
    all_at_once(options, 50, 20000);
    options.receive_buffer_bytes = 512;
    options.receive_buffer_count = 2;
    all_at_once(options, 20, 5000);
}

/* A kernel thread submits, if there may be one here. */
static void test_sqpoll(void) {
    struct net_options options = {.sqpoll = true, .backend = h.kind};
    char why[128];
    if (net_new(&options, &h.net, why, sizeof why) < 0) {
        printf("# skipped: %s\n", why);
        return;
    }
    net_free(h.net);
    all_at_once(options, 20, 1000);
    options.ring_entries = 2;
    all_at_once(options, 20, 1000);
}

static void test_busy_poll(void) {
    all_at_once((struct net_options){.busy_poll_us = 50}, 10, 100);
    all_at_once((struct net_options){.busy_poll_us = 50, .busy_poll_hybrid = true}, 10, 100);
}

static void test_submit_apart(void) {
    all_at_once((struct net_options){.submit_apart = true}, 50, 20000);
}

/* The wait for a whole batch ends, though none comes. */
static void test_min_wait(void) {
    all_at_once((struct net_options){.min_wait_us = 200}, 50, 20000);
    all_at_once((struct net_options){.min_wait_us = 200, .ring_entries = 2}, 1, 100);
}

/* A slot that is used again must name its new socket in the ring's own table. */
static void test_direct_descriptors(void) {
    struct net_options options = {.direct_descriptors = true};
    all_at_once(options, 50, 20000);
    all_at_once((struct net_options){.direct_descriptors = true, .ring_entries = 1}, 20, 1000);
    EXPECT(harness_open(options));
    h.echo = true;
    for (int i = 0; i < 50; i++) {
        struct buf got = {0};
        int fd = client_connect();
        EXPECT(client_send(fd, &i, sizeof i));
        UNTIL(client_got(fd, &got, span_make((const char *)&i, sizeof i)));
        buf_release(&got);
        close(fd);
        UNTIL(h.closed_count == i + 1);
    }
    harness_close();
}

static void test_napi(void) {
    all_at_once((struct net_options){.napi_us = 20}, 10, 1000);
}

static void test_zero_copy(void) {
    all_at_once((struct net_options){.zero_copy_bytes = 4096}, 4, 100000);
}

/* One that always has more must not keep another waiting, nor bring more than its share in one turn. */
static void test_fairness(void) {
    enum { SHARE = 16384 };
    struct net_options options = {.receive_bytes = SHARE};
    char *bytes = pattern_new(1 << 20);
    EXPECT(harness_open(options));
    h.drops = true;
    int flood = client_connect(), small = client_connect();
    UNTIL(h.peer_count == 2);
    QUIET_TURNS(2);
    for (int i = 0; i < 100; i++) {
        while (send(flood, bytes, 1 << 20, MSG_DONTWAIT | MSG_NOSIGNAL) > 0) continue;
        size_t before = h.peers[1]->in_bytes, at = 0;
        EXPECT(client_send(small, "x", 1));
        for (int turns = 0; h.peers[1]->in_bytes == before; turns++) {
            at = h.peers[0]->in_bytes;
            EXPECT(turns < 8);
            EXPECT(harness_turn(10));
            EXPECT(h.peers[0]->in_bytes - at <= SHARE);
        }
    }
    close(flood);
    close(small);
    UNTIL(h.closed_count == 2);
    mem_free(bytes);
    harness_close();
}

/* ---- waiting */

static void test_timeouts(void) {
    EXPECT(harness_open(defaults));
    QUIET_TURNS(3);
    int64_t start = now_ms();
    EXPECT(harness_turn(0));
    EXPECT_INT(0, h.event_count);
    start = now_ms();
    EXPECT(harness_turn(50));
    EXPECT_INT(0, h.event_count);
    EXPECT(now_ms() - start >= 49);
    harness_close();
}

static void test_watch(void) {
    int pipe_fds[2];
    EXPECT(harness_open(defaults));
    EXPECT(pipe(pipe_fds) == 0);
    EXPECT_INT(0, net_watch(h.net, pipe_fds[0], 42));
    QUIET_TURNS(3);
    EXPECT_INT(0, h.ready_count);
    EXPECT(write(pipe_fds[1], "!", 1) == 1);
    UNTIL(h.ready_count == 1);
    EXPECT_INT(42, h.ready_tag);
    UNTIL(h.ready_count >= 3); /* level-triggered: not read yet */
    char byte;
    EXPECT(read(pipe_fds[0], &byte, 1) == 1);
    QUIET_TURNS(3);
    int count = h.ready_count;
    QUIET_TURNS(3);
    EXPECT_INT(count, h.ready_count);
    net_unwatch(h.net, pipe_fds[0]);
    EXPECT(write(pipe_fds[1], "!", 1) == 1);
    QUIET_TURNS(3);
    EXPECT_INT(count, h.ready_count);
    EXPECT_INT(0, net_watch(h.net, pipe_fds[0], 43));
    UNTIL(h.ready_count > count);
    EXPECT_INT(43, h.ready_tag);
    net_unwatch(h.net, pipe_fds[0]);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
    harness_close();
}

static void on_signal(int number) {
    (void)number;
    net_wake(h.net);
}

/* A child signals until it is told that the turn has returned. */
static void test_wake(void) {
    int pipe_fds[2], status;
    EXPECT(harness_open(defaults));
    signal(SIGUSR1, on_signal);
    net_wake(h.net);
    EXPECT(harness_turn(-1));
    EXPECT(pipe(pipe_fds) == 0);
    pid_t child = fork();
    if (child == 0) {
        char byte;
        EXPECT(fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK) == 0);
        while (read(pipe_fds[0], &byte, 1) < 0) {
            kill(getppid(), SIGUSR1);
            usleep(1000);
        }
        _exit(0);
    }
    for (int i = 0; i < 20; i++) EXPECT(harness_turn(-1));
    EXPECT(write(pipe_fds[1], "!", 1) == 1);
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    signal(SIGUSR1, SIG_DFL);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
    harness_close();
}

/* ---- listeners */

static void test_unix_socket(void) {
    char path[64], name[NET_NAME_MAX], expected[80];
    struct stat st;
    struct buf got = {0};
    EXPECT(harness_open(defaults));
    h.echo = true;
    snprintf(path, sizeof path, "/tmp/rondo-net-%d.sock", (int)getpid());
    struct net_listen_options listen = {.path = path, .mode = 0700, .tag = 9};
    int first = net_listen(h.net, &listen);
    EXPECT(first >= 0);
    int second = net_listen(h.net, &listen); /* replaces the file */
    EXPECT(second >= 0);
    net_unlisten(h.net, first); /* which is not its own any more */
    EXPECT(stat(path, &st) == 0 && (st.st_mode & 0777) == 0700);
    int fd = client_connect_unix(path);
    EXPECT(client_send(fd, "local", 5));
    UNTIL(client_got(fd, &got, SPAN("local")));
    EXPECT_INT(9, h.peers[0]->tag);
    EXPECT(net_is_unix(h.peers[0]->conn) && net_peer_is_loopback(h.peers[0]->conn));
    size_t len = net_peer_name(h.peers[0]->conn, name, sizeof name);
    snprintf(expected, sizeof expected, "%s:0", path);
    EXPECT_SPAN(span_of(expected), span_make(name, len));
    close(fd);
    UNTIL(h.closed_count == 1);
    net_unlisten(h.net, second);
    EXPECT(stat(path, &st) < 0);
    int file = open(path, O_CREAT | O_WRONLY, 0600); /* not a socket: not ours to remove */
    EXPECT(file >= 0);
    close(file);
    EXPECT(net_listen(h.net, &listen) < 0);
    EXPECT(stat(path, &st) == 0);
    unlink(path);
    buf_release(&got);
    harness_close();
}

static void test_unix_zero_copy(void) {
    char path[64];
    size_t at = 0;
    bool ended = false;
    char *bytes = pattern_new(100000);
    struct net_options options = {.zero_copy_bytes = 1000};
    EXPECT(harness_open(options));
    snprintf(path, sizeof path, "/tmp/rondo-net-%d.sock", (int)getpid());
    struct net_listen_options listen = {.path = path};
    EXPECT(net_listen(h.net, &listen) >= 0);
    int fd = client_connect_unix(path);
    UNTIL(h.peer_count == 1);
    peer_send(h.peers[0], bytes, 100000); /* such sockets cannot: it goes the usual way */
    while (at < 100000) {
        EXPECT(pattern_receive(fd, &at, &ended) && !ended);
        EXPECT(harness_turn(0));
    }
    UNTIL(h.peers[0]->sent_count == 1);
    close(fd);
    UNTIL(h.closed_count == 1);
    mem_free(bytes);
    harness_close();
}

static void test_names(void) {
    char name[NET_NAME_MAX], expected[64];
    struct sockaddr_storage address;
    socklen_t len = sizeof address;
    EXPECT(harness_open(defaults));
    int fd = client_connect();
    UNTIL(h.peer_count == 1);
    EXPECT(getsockname(fd, (struct sockaddr *)&address, &len) == 0);
    unsigned port = ntohs(((struct sockaddr_in *)(void *)&address)->sin_port);
    snprintf(expected, sizeof expected, "127.0.0.1:%u", port);
    EXPECT_SPAN(span_of(expected),
                span_make(name, net_peer_name(h.peers[0]->conn, name, sizeof name)));
    snprintf(expected, sizeof expected, "127.0.0.1:%d", h.port);
    EXPECT_SPAN(span_of(expected),
                span_make(name, net_local_name(h.peers[0]->conn, name, sizeof name)));
    close(fd);
    UNTIL(h.closed_count == 1);
    harness_close();
}

static void test_ipv6(void) {
    char name[NET_NAME_MAX];
    EXPECT(harness_open(defaults));
    struct net_listen_options listen = {.address = "::1", .tag = 6};
    int listener = net_listen(h.net, &listen);
    if (listener < 0) {
        printf("# skipped: no IPv6 here\n");
        harness_close();
        return;
    }
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    address.sin6_port = htons(net_listener_port(h.net, listener));
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    EXPECT(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    UNTIL(h.peer_count == 1);
    EXPECT_INT(6, h.peers[0]->tag);
    EXPECT(net_peer_is_loopback(h.peers[0]->conn));
    EXPECT(net_peer_name(h.peers[0]->conn, name, sizeof name) > 6 &&
           memcmp(name, "[::1]:", 6) == 0);
    close(fd);
    UNTIL(h.closed_count == 1);
    /* All of IPv6 leaves IPv4's port alone. */
    struct net_listen_options all6 = {.address = "::*"}, all4 = {.address = "*"};
    int six = net_listen(h.net, &all6);
    EXPECT(six >= 0);
    all4.port = net_listener_port(h.net, six);
    int four = net_listen(h.net, &all4);
    EXPECT(four >= 0 || four == -EADDRINUSE); /* somebody else may have it */
    harness_close();
}

static void test_listen_errors(void) {
    EXPECT(harness_open(defaults));
    struct net_listen_options taken = {.address = "127.0.0.1", .port = (uint16_t)h.port};
    struct net_listen_options nonsense = {.address = "not an address"};
    struct net_listen_options nowhere = {.path = "/nonexistent/folder/x.sock"};
    EXPECT_INT(-EADDRINUSE, net_listen(h.net, &taken));
    EXPECT_INT(-EADDRNOTAVAIL, net_listen(h.net, &nonsense));
    EXPECT_INT(-ENOENT, net_listen(h.net, &nowhere));
    harness_close();
}

static void test_unlisten(void) {
    EXPECT(harness_open(defaults));
    QUIET_TURNS(2);
    for (int i = 0; i < 20; i++) {
        net_unlisten(h.net, h.listener);
        if (i % 2) EXPECT(harness_turn(0));
        EXPECT(i % 2 == 0 || client_connect() < 0);
        struct net_listen_options again = {.address = "127.0.0.1", .port = (uint16_t)h.port};
        h.listener = net_listen(h.net, &again);
        EXPECT(h.listener >= 0);
        int fd = client_connect();
        EXPECT(fd >= 0);
        UNTIL(h.peer_count == i + 1);
        close(fd);
        UNTIL(h.closed_count == i + 1);
    }
    harness_close();
}

static void test_set_accepting(void) {
    EXPECT(harness_open(defaults));
    QUIET_TURNS(2);
    net_set_accepting(h.net, false);
    QUIET_TURNS(2);
    int fd = client_connect(); /* the kernel's backlog takes it */
    QUIET_TURNS(5);
    EXPECT_INT(0, h.peer_count);
    net_set_accepting(h.net, true);
    UNTIL(h.peer_count == 1);
    close(fd);
    UNTIL(h.closed_count == 1);
    harness_close();
}

static void test_accepted_options(void) {
    int value = 0;
    socklen_t len = sizeof value;
    EXPECT(harness_open((struct net_options){.tcp_keepalive_s = 60}));
    int fd = client_connect();
    UNTIL(h.peer_count == 1);
    EXPECT(getsockopt(net_fd(h.peers[0]->conn), IPPROTO_TCP, TCP_NODELAY, &value, &len) == 0 &&
           value);
    value = 0;
    EXPECT(getsockopt(net_fd(h.peers[0]->conn), SOL_SOCKET, SO_KEEPALIVE, &value, &len) == 0 &&
           value);
    EXPECT(fcntl(net_fd(h.peers[0]->conn), F_GETFD) & FD_CLOEXEC);
    close(fd);
    UNTIL(h.closed_count == 1);
    harness_close();
}

/* ---- fork */

static void test_forked(void) {
    struct buf got = {0};
    int status, gate[2];
    EXPECT(harness_open(defaults));
    h.echo = true;
    int fd = client_connect();
    UNTIL(h.peer_count == 1);
    QUIET_TURNS(2);
    EXPECT(pipe(gate) == 0);
    pid_t child = fork();
    if (child == 0) {
        char byte;
        close(gate[1]);
        int before = fd_count();
        net_forked(h.net);
        bool fewer = fd_count() < before;
        while (read(gate[0], &byte, 1) > 0) continue;
        _exit(fewer ? 0 : 1);
    }
    close(gate[0]);
    EXPECT(client_send(fd, "still here", 10));
    UNTIL(client_got(fd, &got, SPAN("still here")));
    peer_close(h.peers[0]); /* the end reaches the client while the child lives */
    UNTIL(h.closed_count == 1);
    UNTIL(client_ended(fd));
    close(gate[1]);
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    close(fd);
    buf_release(&got);
    harness_close();
}

int conformance_main(enum net_backend_kind kind, const struct test *more, size_t more_count,
                     int argc, char **argv) {
    static const struct test tests[] = {
        {"echo", test_echo},
        {"split_reads", test_split_reads},
        {"large_send", test_large_send},
        {"large_send_pieces", test_large_send_pieces},
        {"large_receive", test_large_receive},
        {"receive_into", test_receive_into},
        {"receive_into_ends", test_receive_into_ends},
        {"many_sends", test_many_sends},
        {"pause_resume", test_pause_resume},
        {"pause_at_accept", test_pause_at_accept},
        {"send_while_paused", test_send_while_paused},
        {"pause_holds_back", test_pause_holds_back},
        {"close_with_bytes_in_flight", test_close_with_bytes_in_flight},
        {"close_at_once", test_close_at_once},
        {"close_after_queueing", test_close_after_queueing},
        {"close_under_queued_events", test_close_under_queued_events},
        {"peer_reset", test_peer_reset},
        {"half_close", test_half_close},
        {"half_close_large", test_half_close_large},
        {"slot_reuse", test_slot_reuse},
        {"free_with_everything_open", test_free_with_everything_open},
        {"thousand_connections", test_thousand_connections},
        {"descriptors_run_out", test_descriptors_run_out},
        {"slots_run_out", test_slots_run_out},
        {"event_array_full", test_event_array_full},
        {"receive_buffers_run_out", test_receive_buffers_run_out},
        {"tiny_ring", test_tiny_ring},
        {"whole_receive_buffers", test_whole_receive_buffers},
        {"busy_poll", test_busy_poll},
        {"submit_apart", test_submit_apart},
        {"min_wait", test_min_wait},
        {"direct_descriptors", test_direct_descriptors},
        {"napi", test_napi},
        {"sqpoll", test_sqpoll},
        {"zero_copy", test_zero_copy},
        {"fairness", test_fairness},
        {"timeouts", test_timeouts},
        {"watch", test_watch},
        {"wake", test_wake},
        {"unix_socket", test_unix_socket},
        {"unix_zero_copy", test_unix_zero_copy},
        {"names", test_names},
        {"ipv6", test_ipv6},
        {"listen_errors", test_listen_errors},
        {"unlisten", test_unlisten},
        {"set_accepting", test_set_accepting},
        {"accepted_options", test_accepted_options},
        {"forked", test_forked},
    };
    signal(SIGPIPE, SIG_IGN);
    alarm(LIMIT_S);
    h.kind = kind;
    int failed = test_main(tests, ARRAY_LENGTH(tests), argc, argv);
    if (more_count) failed |= test_main(more, more_count, argc, argv);
    return failed;
}
