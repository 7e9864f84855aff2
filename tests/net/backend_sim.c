#include "backend_sim.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "net/backend.h"

enum { READY_MAX = 16 };

struct piece {
    struct list link;
    size_t len;
    char *bytes; /* a block of exactly len bytes: a sanitizer sees the first one read beyond */
};

struct client {
    int number, listener;
    struct net_conn *conn; /* NULL before ACCEPTED and after CLOSED */
    bool accepted, closed, ends, paused;
    int end_status;
    struct list feed; /* of struct piece */
    struct buf output;
    size_t reads_bytes;
};

struct sim {
    struct net *net;
    struct client **clients;
    int client_count, client_capacity;
    bool listening[NET_LISTENER_MAX];
    struct list delivered; /* pieces of this turn, freed at the next */
    int ready[READY_MAX], ready_count;
    bool moves_clock;
};

static const struct net_backend net_backend_sim;

static struct sim *latest; /* for a net whose maker cannot name one: a whole server's */

struct sim *sim_new(void) {
    struct sim *sim = mem_zalloc(sizeof *sim);
    latest = sim;
    list_init(&sim->delivered);
    net_backend_register(&net_backend_sim);
    return sim;
}

static void pieces_free(struct list *pieces) {
    LIST_FOR_EACH_SAFE(node, pieces) {
        struct piece *piece = LIST_ENTRY(node, struct piece, link);
        list_remove(node);
        mem_free(piece->bytes);
        mem_free(piece);
    }
}

void sim_free(struct sim *sim) {
    for (int i = 0; i < sim->client_count; i++) {
        pieces_free(&sim->clients[i]->feed);
        buf_release(&sim->clients[i]->output);
        mem_free(sim->clients[i]);
    }
    pieces_free(&sim->delivered);
    mem_free(sim->clients);
    if (latest == sim) latest = NULL;
    mem_free(sim);
}

/* ---- the script's side */

int sim_connect(struct sim *sim, int listener) {
    struct client *client = mem_zalloc(sizeof *client);
    if (sim->client_count == sim->client_capacity) {
        sim->client_capacity = sim->client_capacity ? sim->client_capacity * 2 : 8;
        sim->clients =
            mem_realloc(sim->clients, (size_t)sim->client_capacity * sizeof(struct client *));
    }
    *client =
        (struct client){.number = sim->client_count, .listener = listener, .reads_bytes = SIZE_MAX};
    list_init(&client->feed);
    sim->clients[sim->client_count] = client;
    return sim->client_count++;
}

void sim_feed(struct sim *sim, int number, struct span bytes, size_t piece_bytes) {
    struct client *client = sim->clients[number];
    while (bytes.len) {
        size_t len = piece_bytes && piece_bytes < bytes.len ? piece_bytes : bytes.len;
        struct piece *piece = mem_alloc(sizeof *piece);
        piece->len = len;
        piece->bytes = mem_alloc(len);
        memcpy(piece->bytes, bytes.data, len);
        list_push_back(&client->feed, &piece->link);
        bytes = span_make(bytes.data + len, bytes.len - len);
    }
}

void sim_end(struct sim *sim, int number) {
    sim_break(sim, number, 0);
}

void sim_break(struct sim *sim, int number, int status) {
    sim->clients[number]->ends = true;
    sim->clients[number]->end_status = status;
}

void sim_reads(struct sim *sim, int number, size_t bytes_per_turn) {
    sim->clients[number]->reads_bytes = bytes_per_turn;
}

struct span sim_output(const struct sim *sim, int number) {
    return buf_span(&sim->clients[number]->output);
}

void sim_output_clear(struct sim *sim, int number) {
    buf_clear(&sim->clients[number]->output);
}

bool sim_accepted(const struct sim *sim, int number) {
    return sim->clients[number]->accepted;
}

bool sim_closed(const struct sim *sim, int number) {
    return sim->clients[number]->closed;
}

bool sim_paused(const struct sim *sim, int number) {
    const struct client *client = sim->clients[number];
    return client->conn && client->conn->paused;
}

size_t sim_unread(const struct sim *sim, int number) {
    size_t bytes = 0;
    LIST_FOR_EACH(node, &sim->clients[number]->feed)
    bytes += LIST_ENTRY(node, struct piece, link)->len;
    return bytes;
}

void sim_ready(struct sim *sim, int tag) {
    CHECK(sim->ready_count < READY_MAX);
    sim->ready[sim->ready_count++] = tag;
}

void sim_moves_clock(struct sim *sim, bool on) {
    sim->moves_clock = on;
}

static bool client_idle(const struct sim *sim, const struct client *client) {
    const struct net_conn *conn = client->conn;
    if (client->closed) return true;
    if (!client->accepted) return !sim->listening[client->listener];
    if (conn->state != NET_CONN_OPEN) return false;
    if (conn->sending && client->reads_bytes) return false;
    if (conn->ended && !conn->sending) return false;
    return conn->paused || conn->ended || (list_empty(&client->feed) && !client->ends);
}

bool sim_idle(const struct sim *sim) {
    bool idle = sim->ready_count == 0;
    for (int i = 0; i < sim->client_count && idle; i++) idle = client_idle(sim, sim->clients[i]);
    return idle;
}

/* ---- the backend's side */

static void conn_closed(struct sim *sim, struct client *client) {
    net_emit_closed(sim->net, client->conn);
    client->conn = NULL;
    client->closed = true;
}

static void client_accept(struct sim *sim, struct client *client) {
    if (!sim->listening[client->listener]) return;
    client->accepted = true;
    client->conn = net_conn_accepted(sim->net, client->listener, client->number);
    client->closed = client->conn == NULL;
}

/* The client reads what its window lets it; SENT when that was all. */
static void client_read(struct sim *sim, struct client *client) {
    struct net_conn *conn = client->conn;
    size_t room = client->reads_bytes;
    while (room && conn->rest_bytes) {
        struct iovec *piece = net_rest_pieces(conn);
        size_t len = MIN(room, piece->iov_len);
        buf_put(&client->output, piece->iov_base, len);
        sim->net->stats.send_bytes += len;
        net_rest_advance(conn, len);
        room -= len;
    }
    if (conn->rest_bytes == 0)
        net_emit_sent(sim->net, conn);
    else
        sim->net->stats.send_short_count++;
}

static void client_write(struct sim *sim, struct client *client) {
    struct net_conn *conn = client->conn;
    if (conn->paused || conn->ended) return;
    if (!list_empty(&client->feed)) {
        struct piece *piece = LIST_ENTRY(client->feed.next, struct piece, link);
        list_remove(&piece->link);
        list_push_back(&sim->delivered, &piece->link);
        net_emit_data(sim->net, conn, span_make(piece->bytes, piece->len));
    } else if (client->ends && client->end_status == 0) {
        conn->ended = true;
    } else if (client->ends) {
        net_conn_fail(conn, client->end_status);
    }
}

/* An ended connection closes once no send is in flight; one that was just reported as SENT may send more before. */
static void client_turn(struct sim *sim, struct client *client) {
    if (client->closed || !net_event_room(sim->net)) return;
    if (!client->accepted) {
        client_accept(sim, client);
        return;
    }
    struct net_conn *conn = client->conn;
    bool was_sending = conn->sending;
    if (conn->state == NET_CONN_OPEN && conn->ended && !was_sending) net_conn_fail(conn, 0);
    if (conn->state == NET_CONN_OPEN && was_sending) client_read(sim, client);
    if (conn->state == NET_CONN_OPEN && net_event_room(sim->net)) client_write(sim, client);
    if (conn->state == NET_CONN_CLOSING && net_event_room(sim->net)) conn_closed(sim, client);
}

static int turn(void *state, int timeout_ms) {
    struct sim *sim = state;
    pieces_free(&sim->delivered);
    while (sim->ready_count && net_event_room(sim->net))
        net_emit_ready(sim->net, sim->ready[--sim->ready_count]);
    for (int i = 0; i < sim->client_count; i++) client_turn(sim, sim->clients[i]);
    if (sim->moves_clock && sim->net->event_count == 0 && timeout_ms > 0)
        clock_advance_test(timeout_ms);
    return 0;
}

static int sim_backend_open(struct net *net, void **state, char *why, size_t why_size) {
    struct sim *sim = net->options.sim ? net->options.sim : latest;
    CHECK(sim != NULL);
    sim->net = net;
    *state = sim;
    return 0;
}

static void sim_backend_close(void *state) {
    struct sim *sim = state;
    for (int i = 0; i < sim->client_count; i++) {
        sim->clients[i]->conn = NULL;
        sim->clients[i]->closed = true;
    }
    sim->net = NULL;
}

static int listener_add(void *state, int listener, int fd) {
    struct sim *sim = state;
    sim->listening[listener] = true;
    return 0;
}

static void listener_remove(void *state, int listener, int fd) {
    struct sim *sim = state;
    sim->listening[listener] = false;
}

static int watch(void *state, int fd, int tag) {
    return 0;
}

static void unwatch(void *state, int fd) {}

static void conn_send(void *state, struct net_conn *conn, const struct iovec *iov, int count,
                      size_t bytes) {
    net_rest_set(conn, iov, count, bytes);
}

static void conn_nothing(void *state, struct net_conn *conn) {}

static const struct net_backend net_backend_sim = {
    .name = "sim",
    .kind = NET_BACKEND_SIM,
    .socketless = true,
    .open = sim_backend_open,
    .close = sim_backend_close,
    .listener_add = listener_add,
    .listener_remove = listener_remove,
    .watch = watch,
    .unwatch = unwatch,
    .turn = turn,
    .conn_open = conn_nothing,
    .conn_send = conn_send,
    .conn_pause = conn_nothing,
    .conn_close = conn_nothing,
    .conn_release = conn_nothing,
};
