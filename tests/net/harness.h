/* What the conformance suite stands on: one net, its server connections ("peers") and client sockets, all in one thread. The
 * harness runs turns until a condition holds, keeps what came in, and watches the contract's order of events meanwhile: nothing
 * after CLOSED, no DATA or SENT after net_close, SENT only for a send, every ACCEPTED closed once. */
#ifndef TESTS_NET_HARNESS_H
#define TESTS_NET_HARNESS_H

#include "base/buf.h"
#include "net/net.h"
#include "test.h"

enum { PEER_MAX = 8192 };

struct peer {
    struct net_conn *conn;
    int tag;
    struct buf in;        /* everything received, unless `drops` */
    size_t in_bytes;
    char *into;           /* not NULL: bytes are wished for here, in order, `in_bytes` from the start, up to into_bytes */
    size_t into_bytes, placed_bytes; /* placed: of them, those that came to their place by themselves */
    struct buf out, flying; /* echo: what is to be sent, what is being sent */
    bool echo, drops;     /* taken over from the harness's defaults at ACCEPTED */
    bool closing, closed; /* net_close was called; CLOSED was seen */
    int status, sent_count, data_count;
};

struct harness {
    enum net_backend_kind kind;
    struct net *net;
    struct peer *peers[PEER_MAX]; /* in the order of their ACCEPTED */
    int peer_count, closed_count, ready_count, ready_tag, refused_count;
    int event_count, event_count_max; /* of the last turn; the most of any */
    bool echo, drops, close_at_accept;
    struct peer *close_at_data; /* closed by the first DATA event of another connection */
    int none_count;
    int violations;
    int fd_count; /* before the net was made */
    int port, listener;
    char why[256];
};
extern struct harness h;

/* Makes the net with these options (backend filled in) and one TCP listener on a free port of 127.0.0.1. False: it failed. */
bool harness_open(struct net_options options);
/* Frees everything and checks that no descriptor was lost and the order of events was kept. */
void harness_close(void);

/* One turn, its events handled. False: net_turn failed. */
bool harness_turn(int timeout_ms);

int client_connect(void); /* to the listener; the descriptor, in non-blocking mode */
int client_connect_unix(const char *path);
bool client_send(int fd, const void *data, size_t len); /* all of it, or false */
ssize_t client_receive(int fd, void *data, size_t len); /* >= 0, or -1 with EAGAIN: nothing yet; 0: the end; -2: an error */
void client_reset(int fd); /* closes with RST */

void peer_send(struct peer *peer, const void *data, size_t len);
void peer_close(struct peer *peer);
int fd_count(void);
int64_t now_ms(void);

/* Runs turns until the condition holds; fails the test after 20 seconds. */
#define UNTIL(condition)                                                                               \
    do {                                                                                               \
        int64_t until_end_ = now_ms() + 20000;                                                         \
        while (!(condition)) {                                                                         \
            if (!harness_turn(20) || now_ms() > until_end_) {                                          \
                test_fail(__FILE__, __LINE__, "did not come to pass: %s", #condition);                 \
                return;                                                                                \
            }                                                                                          \
        }                                                                                              \
    } while (0)

/* So many turns that whatever could come would have come. */
#define QUIET_TURNS(count)                                                    \
    do {                                                                      \
        for (int quiet_ = 0; quiet_ < (count); quiet_++) EXPECT(harness_turn(2)); \
    } while (0)

int conformance_main(enum net_backend_kind kind, const struct test *more, size_t more_count, int argc, char **argv);

#endif
