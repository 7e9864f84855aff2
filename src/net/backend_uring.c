/* io_uring: one multishot accept per listener, one multishot receive per connection into provided buffers, one send per connection,
 * and one system call per turn, which submits everything and waits. Listeners and watches are in uring_listen.c; see also
 * uring_wait.c (how a turn waits), uring_ring.h, uring_buffers.h, uring_files.h, uring_probe.h.
 *
 * Invariants:
 *  - conn->in_flight counts what will still complete: CLOSED waits until it is 0, so a slot is never reused under an operation.
 *    Cancels are not counted: they name their target by user_data, which no later operation has.
 *  - a completion without F_MORE ends a multishot operation: `armed` loses its bit, and settle() arms it again if it is wanted.
 *  - what could not be queued, for want of entries or of room for its event, has its connection in the dirty list.
 *
 * Hot path: turn, drain, received, sent, conn_send. */
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/alloc.h"
#include "net/uring.h"

enum {
    RING_ENTRIES = 1024,
    CQ_FACTOR = 4,            /* completion entries per submission entry */
    BUFFER_BYTES = 64 * 1024, /* incremental */
    BUFFER_COUNT = 64,
    PLAIN_BUFFER_BYTES = 4 * 1024, /* not incremental */
    PLAIN_BUFFER_COUNT = 1024,
    BUFFER_IN_USE_BYTES = 512 * 1024,
    BUFFER_COUNT_MAX = 32768, /* the kernel's */
    ENTER_AGAIN_MAX = 2,      /* calls without waiting that make a batch whole */
    SEND_BYTES_MAX = 1 << 30, /* of one entry */
    ONCE_BYTES =
        8 *
        1024, /* of such a receive: enough to see how long the value is, little that is copied */
    INTO_RECENT =
        8, /* receives one by one after one into the caller's memory: likely another comes */
    QUIESCE_MS = 10, /* at the end, for what is in flight: so long a turn, so many turns */
    QUIESCE_TURNS = 200,
};

/* Bits of net_conn.armed. */
enum {
    ARMED_RECEIVE = 1,        /* the multishot receive is in the kernel */
    ARMED_SEND = 2,           /* a send is */
    ARMED_CANCEL_RECEIVE = 4, /* its cancel was queued */
    ARMED_CANCEL_SEND = 8,
    ARMED_NO_ZERO_COPY = 16, /* the kernel copied after all: not worth it here */
    ARMED_NOTIFY = 32,       /* a zero-copy send has its result and awaits its notification */
    ARMED_INTO = 64,         /* with ARMED_RECEIVE: one receive into the caller's memory */
    ARMED_NEW = 128,         /* its socket is still to get a number in the ring's own table */
    ARMED_DIRECT = 256,      /* its socket has a number in the ring's own table: its slot's */
};

/* ---- entries */

struct io_uring_sqe *uring_entry(struct uring *u) {
    struct io_uring_sqe *sqe = uring_ring_sqe(&u->ring);
    if (LIKELY(sqe != NULL)) return sqe;
    (void)!uring_enter_now(u, URING_ENTER_SUBMIT); /* a refusal leaves no room */
    return uring_ring_sqe(&u->ring);
}

bool uring_cancel(struct uring *u, uint64_t target) {
    struct io_uring_sqe *sqe = uring_entry(u);
    if (!sqe) return false;
    sqe->opcode = IORING_OP_ASYNC_CANCEL;
    sqe->fd = -1;
    sqe->addr = target;
    sqe->user_data = uring_name(URING_OP_NONE, 0, 0);
    u->net->stats.cancel_count++;
    return true;
}

static void mark(struct uring *u, struct net_conn *conn) {
    if (conn->dirty) return;
    conn->dirty = true;
    list_push_back(&u->dirty, &conn->link);
}

static void name_socket(struct io_uring_sqe *sqe, const struct net_conn *conn) {
    bool direct = conn->armed & ARMED_DIRECT;
    sqe->fd = direct ? (int)conn->slot : conn->fd;
    if (direct) sqe->flags |= IOSQE_FIXED_FILE;
}

/* Should the kernel refuse it, the receive behind it fails, and with that the connection. */
static bool direct_arm(struct uring *u, struct net_conn *conn) {
    struct io_uring_sqe *sqe = uring_entry(u);
    if (!sqe) return false;
    uring_files_prepare(&u->files, sqe, conn->slot, conn->fd);
    sqe->user_data = uring_name(URING_OP_NONE, 0, 0);
    conn->armed |= ARMED_DIRECT;
    return true;
}

/* MSG_WAITALL: one completion for the whole rest of a value, not one for each of its segments. */
static void prepare_into(struct io_uring_sqe *sqe, struct net_conn *conn) {
    sqe->opcode = IORING_OP_RECV;
    sqe->addr = (uint64_t)(uintptr_t)conn->into.iov_base;
    sqe->len = (uint32_t)MIN(conn->into.iov_len, (size_t)NET_RECEIVE_INTO_BYTES_MAX);
    sqe->msg_flags = MSG_WAITALL;
    conn->armed |= ARMED_INTO;
    conn->into_recent = INTO_RECENT;
}

/* A client that sends large values is received from one by one: a multishot receive would have to be cancelled each time before the
 * next can go into the caller's memory. */
static bool receive_arm(struct uring *u, struct net_conn *conn) {
    struct io_uring_sqe *sqe = uring_entry(u);
    if (!sqe) return false;
    if (UNLIKELY(conn->into.iov_len)) {
        prepare_into(sqe, conn);
    } else if (UNLIKELY(conn->into_recent)) {
        conn->into_recent--;
        uring_prepare_receive_once(sqe, -1, ONCE_BYTES);
    } else {
        uring_prepare_receive(sqe, -1, u->receive_limit);
    }
    name_socket(sqe, conn);
    sqe->user_data = uring_name(URING_OP_RECEIVE, conn->slot, conn->generation);
    conn->armed |= ARMED_RECEIVE;
    conn->in_flight++;
    return true;
}

/* MSG_WAITALL: the kernel goes on by itself when the socket's buffer was full, and completes when all is sent or it broke. */
static bool send_arm(struct uring *u, struct net_conn *conn) {
    struct io_uring_sqe *sqe = uring_entry(u);
    if (!sqe) return false;
    uint32_t zero_copy = u->net->options.zero_copy_bytes;
    bool copies = !zero_copy || conn->rest_bytes < zero_copy || conn->armed & ARMED_NO_ZERO_COPY;
    if (LIKELY(!conn->pieces)) {
        sqe->opcode = copies ? IORING_OP_SEND : IORING_OP_SEND_ZC;
        sqe->addr = (uint64_t)(uintptr_t)conn->rest.iov_base;
        sqe->len = (uint32_t)MIN(conn->rest.iov_len, (size_t)SEND_BYTES_MAX);
    } else {
        struct msghdr *message = &u->messages[uring_ring_index(&u->ring, sqe)];
        *message = (struct msghdr){.msg_iov = net_rest_pieces(conn),
                                   .msg_iovlen = (size_t)net_rest_count(conn)};
        sqe->opcode = copies ? IORING_OP_SENDMSG : IORING_OP_SENDMSG_ZC;
        sqe->addr = (uint64_t)(uintptr_t)message;
        sqe->len = 1;
    }
    if (!copies) {
        sqe->ioprio = URING_SEND_ZC_REPORT_USAGE;
        u->net->stats.zero_copy_count++;
    }
    name_socket(sqe, conn);
    sqe->msg_flags = MSG_WAITALL | MSG_NOSIGNAL;
    sqe->user_data = uring_name(URING_OP_SEND, conn->slot, conn->generation);
    conn->armed |= ARMED_SEND;
    conn->in_flight++;
    return true;
}

static bool conn_cancel(struct uring *u, struct net_conn *conn, enum uring_op op, uint16_t armed,
                        uint16_t cancelled) {
    if (!(conn->armed & armed) || conn->armed & cancelled) return true;
    if (!uring_cancel(u, uring_name(op, conn->slot, conn->generation))) return false;
    conn->armed |= cancelled;
    return true;
}

/* ---- what is due for a connection; false: no entry was to be had, it stays in the dirty list */

static bool settle_closing(struct uring *u, struct net_conn *conn) {
    if (!conn_cancel(u, conn, URING_OP_RECEIVE, ARMED_RECEIVE, ARMED_CANCEL_RECEIVE)) return false;
    /* A zero-copy send that has its result only waits for its pages: nothing to cancel. */
    if (conn->armed & ARMED_NOTIFY) return true;
    return conn_cancel(u, conn, URING_OP_SEND, ARMED_SEND, ARMED_CANCEL_SEND);
}

static bool settle_open(struct uring *u, struct net_conn *conn) {
    bool receive = !conn->paused && !conn->ended;
    if (UNLIKELY(conn->armed & ARMED_NEW)) {
        if (!direct_arm(u, conn)) return false;
        conn->armed &= (uint16_t)~ARMED_NEW;
    }
    if (conn->sending && !(conn->armed & ARMED_SEND) && !send_arm(u, conn)) return false;
    if (!receive)
        return conn_cancel(u, conn, URING_OP_RECEIVE, ARMED_RECEIVE, ARMED_CANCEL_RECEIVE);
    /* The multishot receive gives way to one into the caller's memory. */
    if (UNLIKELY(conn->into.iov_len) &&
        (conn->armed & (ARMED_RECEIVE | ARMED_INTO)) == ARMED_RECEIVE)
        return conn_cancel(u, conn, URING_OP_RECEIVE, ARMED_RECEIVE, ARMED_CANCEL_RECEIVE);
    /* An armed one that is being cancelled is armed again when its last completion has come. */
    return conn->armed & ARMED_RECEIVE || receive_arm(u, conn);
}

static bool settle(struct uring *u, struct net_conn *conn) {
    if (conn->state == NET_CONN_OPEN && conn->ended && !conn->sending) net_conn_fail(conn, 0);
    if (conn->state == NET_CONN_OPEN ? !settle_open(u, conn) : !settle_closing(u, conn))
        return false;
    if (conn->state == NET_CONN_CLOSING && conn->in_flight == 0) {
        if (!net_event_room(u->net)) return false;
        conn->dirty = false;
        list_remove(&conn->link);
        net_emit_closed(u->net, conn);
        return true;
    }
    conn->dirty = false;
    list_remove(&conn->link);
    return true;
}

static void settle_all(struct uring *u) {
    while (!list_empty(&u->dirty)) {
        if (!settle(u, LIST_ENTRY(u->dirty.next, struct net_conn, link))) return;
    }
}

static void broken(struct uring *u, struct net_conn *conn, int status) {
    if (conn->state == NET_CONN_OPEN) net_conn_fail(conn, status);
    mark(u, conn);
}

/* ---- completions */

/* The multishot receive has ended, whether by what happened to the connection or for want of something. */
static void receive_ended(struct uring *u, struct net_conn *conn, int res) {
    conn->armed &= (uint16_t) ~(ARMED_RECEIVE | ARMED_CANCEL_RECEIVE | ARMED_INTO);
    conn->in_flight--;
    mark(u, conn);
    if (conn->state != NET_CONN_OPEN) return;
    if (res > 0 || res == -ECANCELED || res == -EINTR) {
        u->net->stats.rearm_count++;
    } else if (res == -ENOBUFS) {
        u->net->stats.no_buffer_count++;
        u->net->stats.rearm_count++;
        uring_buffers_starved(&u->buffers);
    } else if (res == 0) {
        conn->ended = true; /* settle() closes it when what was received is answered */
    } else {
        broken(u, conn, res);
    }
}

/* While it is armed nothing else brings bytes, so the wish still says where they lie. */
static void received_into(struct uring *u, const struct io_uring_cqe *cqe, struct net_conn *conn) {
    if (cqe->res > 0 && conn->state == NET_CONN_OPEN)
        net_emit_data(u->net, conn, span_make(conn->into.iov_base, (size_t)cqe->res));
    conn->into.iov_len = 0;
    receive_ended(u, conn, cqe->res);
}

static void received(struct uring *u, const struct io_uring_cqe *cqe, struct net_conn *conn) {
    if (UNLIKELY(conn->armed & ARMED_INTO)) {
        received_into(u, cqe, conn);
        return;
    }
    if (LIKELY(cqe->flags & IORING_CQE_F_BUFFER)) {
        struct span bytes = uring_buffers_take(&u->buffers, cqe);
        if (LIKELY(conn->state == NET_CONN_OPEN && bytes.len)) net_emit_data(u->net, conn, bytes);
    }
    if (UNLIKELY(!(cqe->flags & IORING_CQE_F_MORE))) receive_ended(u, conn, cqe->res);
}

/* Not every socket and kernel has zero-copy sends (Unix sockets: EOPNOTSUPP): such a connection goes on without. */
static bool send_again(const struct uring *u, struct net_conn *conn, int res) {
    if (res == -EINTR || res == -EAGAIN) return true;
    if (res != -EOPNOTSUPP && res != -EINVAL) return false;
    if (!u->net->options.zero_copy_bytes || conn->armed & ARMED_NO_ZERO_COPY) return false;
    conn->armed |= ARMED_NO_ZERO_COPY;
    return true;
}

/* The send has left the kernel with `res`. Short ones go on with the rest; the error, if there is one, comes with that. */
static void send_ended(struct uring *u, struct net_conn *conn, int res) {
    struct net_stats *stats = &u->net->stats;
    conn->armed &= (uint16_t) ~(ARMED_SEND | ARMED_CANCEL_SEND | ARMED_NOTIFY);
    conn->in_flight--;
    if (UNLIKELY(conn->state != NET_CONN_OPEN)) {
        mark(u, conn);
        return;
    }
    if (UNLIKELY(res < 0)) {
        if (send_again(u, conn, res))
            mark(u, conn);
        else
            broken(u, conn, res);
        return;
    }
    stats->send_bytes += (size_t)res;
    if (UNLIKELY((size_t)res < conn->rest_bytes)) {
        stats->send_short_count++;
        net_rest_advance(conn, (size_t)res);
        mark(u, conn);
        return;
    }
    net_emit_sent(u->net, conn);
    if (UNLIKELY(conn->ended)) mark(u, conn);
}

static void sent(struct uring *u, const struct io_uring_cqe *cqe, struct net_conn *conn) {
    if (UNLIKELY(cqe->flags & IORING_CQE_F_NOTIF)) {
        send_ended(u, conn, conn->result); /* first: it looks whether zero copy was on */
        if ((uint32_t)cqe->res & URING_NOTIF_USAGE_ZC_COPIED) {
            conn->armed |= ARMED_NO_ZERO_COPY;
            u->net->stats.zero_copy_copied_count++;
        }
    } else if (UNLIKELY(cqe->flags & IORING_CQE_F_MORE)) {
        conn->armed |= ARMED_NOTIFY; /* zero copy: the bytes are borrowed until the notification */
        conn->result = cqe->res;
    } else {
        send_ended(u, conn, cqe->res);
    }
}

/* At most one event per completion. */
static void complete(struct uring *u, const struct io_uring_cqe *cqe) {
    enum uring_op op = (enum uring_op)(cqe->user_data >> 56);
    uint32_t slot = (uint32_t)(cqe->user_data >> 32) & 0xffffff,
             generation = (uint32_t)cqe->user_data;
    struct net_conn *conn;
    switch (op) {
    case URING_OP_RECEIVE:
        conn = net_conn_at(u->net, slot, generation);
        if (LIKELY(conn != NULL)) received(u, cqe, conn);
        break;
    case URING_OP_SEND:
        conn = net_conn_at(u->net, slot, generation);
        if (LIKELY(conn != NULL)) sent(u, cqe, conn);
        break;
    case URING_OP_ACCEPT: uring_accepted(u, cqe, slot, generation); break;
    case URING_OP_POLL: uring_polled(u, cqe, slot, generation); break;
    case URING_OP_NONE: break;
    }
}

static void drain(struct uring *u) {
    uint32_t head, ready = uring_ring_ready(&u->ring, &head), taken = 0;
    while (taken < ready && net_event_room(u->net)) {
        complete(u, uring_ring_cqe(&u->ring, head + taken));
        taken++;
    }
    u->net->stats.completion_count += taken;
    uring_wait_took(u, taken);
    uring_ring_give_back(&u->ring, head + taken);
}

static bool event_room_for_ready(struct uring *u) {
    uint32_t head;
    return u->net->event_count + uring_ring_ready(&u->ring, &head) < u->net->event_max;
}

/* ---- the turn */

/* A wait runs only part of the work that is due: what is behind it is fetched before the completions are looked at. A wait for a
 * batch of the usual size has run that much itself. */
static int turn(void *state, int timeout_ms) {
    struct uring *u = state;
    uring_buffers_turn(&u->buffers);
    if (UNLIKELY(!list_empty(&u->dirty))) settle_all(u);
    if (UNLIKELY(u->listen_dirty)) uring_listen_arm(u);
    int rc = uring_wait(u, timeout_ms);
    int again_max = u->min_wait_us ? 0 : ENTER_AGAIN_MAX;
    for (int i = 0; rc == 0 && i < again_max; i++) {
        uint32_t due = uring_ring_due(&u->ring);
        if (!due || !event_room_for_ready(u)) break;
        if (UNLIKELY(due & IORING_SQ_CQ_OVERFLOW)) {
            u->net->stats.overflow_count++;
            drain(u);
        }
        rc = uring_wait_again(u);
    }
    drain(u);
    return rc;
}

/* ---- the table's entries for connections */

/* Its receive is armed at the start of the next turn: were it armed now, its bytes could come in with this turn's second call,
 * before the caller has seen ACCEPTED and set the user pointer. */
static void conn_open(void *state, struct net_conn *conn) {
    struct uring *u = state;
    if (uring_files_has(&u->files, conn->slot)) conn->armed |= ARMED_NEW;
    mark(u, conn);
}

static void conn_send(void *state, struct net_conn *conn, const struct iovec *iov, int count,
                      size_t bytes) {
    struct uring *u = state;
    net_rest_set(conn, iov, count, bytes);
    if (UNLIKELY(!send_arm(u, conn))) mark(u, conn);
}

static void conn_pause(void *state, struct net_conn *conn) {
    mark(state, conn);
}

static void conn_receive_into(void *state, struct net_conn *conn) {
    if (conn->into.iov_len) mark(state, conn);
}

/* Shutdown first: the peer sees the end even while something else holds the file, a forked child or an operation that does not
 * let itself be cancelled. */
static void conn_close(void *state, struct net_conn *conn) {
    struct uring *u = state;
    shutdown(conn->fd, SHUT_RDWR);
    u->net->stats.syscall_count++;
    mark(u, conn);
}

/* Out of the ring's own table, where the socket would live on. */
static void direct_release(struct uring *u, const struct net_conn *conn) {
    struct io_uring_sqe *sqe = uring_entry(u);
    if (sqe) {
        uring_files_prepare(&u->files, sqe, conn->slot, -1);
        sqe->user_data = uring_name(URING_OP_NONE, 0, 0);
    } else {
        uring_files_remove(&u->files, &u->ring, conn->slot);
        u->net->stats.syscall_count++;
    }
}

/* The descriptor is closed with the turn's call. */
static void conn_release(void *state, struct net_conn *conn) {
    struct uring *u = state;
    if (conn->armed & ARMED_DIRECT) direct_release(u, conn);
    struct io_uring_sqe *sqe = uring_entry(u);
    if (!sqe) {
        close(conn->fd);
        u->net->stats.syscall_count++;
        return;
    }
    sqe->opcode = IORING_OP_CLOSE;
    sqe->fd = conn->fd;
    sqe->user_data = uring_name(URING_OP_NONE, 0, 0);
}

/* ---- life */

static uint32_t power_of_two(uint32_t n) {
    uint32_t power = 1;
    while (power < n) power *= 2;
    return power;
}

static struct uring_buffers_options buffer_options(const struct net_options *options,
                                                   bool incremental) {
    uint32_t bytes = options->receive_buffer_bytes, count = options->receive_buffer_count;
    if (!bytes) bytes = incremental ? BUFFER_BYTES : PLAIN_BUFFER_BYTES;
    uint32_t in_use = count ? count : MAX(BUFFER_IN_USE_BYTES / bytes, 2u);
    if (!count) count = incremental ? BUFFER_COUNT : PLAIN_BUFFER_COUNT;
    count = power_of_two(MIN(count, (uint32_t)BUFFER_COUNT_MAX));
    return (struct uring_buffers_options){
        .buffer_bytes = bytes, .count = count, .in_use = in_use, .incremental = incremental};
}

/* What was asked for beside the plain way; what this kernel does not have is gone without. */
struct extra {
    const char *name;
    bool wanted;
    int error; /* 0 or a negative errno */
};

static int napi_start(struct uring *u) {
    struct uring_napi napi = {.busy_poll_us = u->net->options.napi_us, .prefer_busy_poll = 1};
    return uring_ring_register(&u->ring, URING_REGISTER_NAPI, &napi, 1);
}

static void open_extras(struct uring *u, struct extra extras[3]) {
    const struct net_options *options = &u->net->options;
    bool can_wait = u->ring.features & URING_FEAT_MIN_TIMEOUT;
    u->min_wait_us = can_wait ? options->min_wait_us : 0;
    extras[0] = (struct extra){"direct descriptors", options->direct_descriptors, 0};
    if (extras[0].wanted)
        extras[0].error = uring_files_init(&u->files, &u->ring, u->net->slot_count);
    extras[1] = (struct extra){"minimal wait", options->min_wait_us, can_wait ? 0 : -EINVAL};
    extras[2] = (struct extra){"NAPI", options->napi_us, 0};
    if (extras[2].wanted) extras[2].error = napi_start(u);
}

static void describe(const struct uring *u, const struct extra extras[3], char *why,
                     size_t why_size) {
    struct utsname system;
    int release_len = 0;
    if (uname(&system) == 0) release_len = (int)strcspn(system.release, "-");
    snprintf(why, why_size, "multishot receive%s, %.*s",
             u->can.incremental ? ", incremental buffers" : "", release_len, system.release);
    for (int i = 0; i < 3; i++) {
        size_t len = strlen(why);
        if (!extras[i].wanted) continue;
        snprintf(why + len, why_size - len, extras[i].error < 0 ? ", no %s: %s" : ", %s",
                 extras[i].name, strerror(-extras[i].error));
    }
}

static int uring_open(struct net *net, void **state, char *why, size_t why_size) {
    const struct net_options *options = &net->options;
    const char *what;
    uint32_t entries = options->ring_entries ? options->ring_entries : RING_ENTRIES;
    struct uring_ring_options ring_options = {
        .entries = entries, .cq_entries = entries * CQ_FACTOR, .sqpoll = options->sqpoll};
    struct uring *u = mem_zalloc(sizeof *u);
    u->net = net;
    list_init(&u->dirty);
    int rc = uring_ring_init(&u->ring, &ring_options, &what);
    if (rc < 0) goto fail;
    struct uring_buffers_options buffers = buffer_options(options, !options->whole_receive_buffers);
    rc = uring_probe(&u->ring, &u->buffers, &buffers, &u->can, &what);
    if (rc < 0 && buffers.incremental) { /* a kernel before 6.12 */
        buffers = buffer_options(options, false);
        rc = uring_probe(&u->ring, &u->buffers, &buffers, &u->can, &what);
    }
    if (rc < 0) goto fail_ring;
    u->receive_limit = u->can.receive_limit ? options->receive_bytes : 0;
    u->messages = mem_zalloc(u->ring.sq_entries * sizeof *u->messages);
    struct extra extras[3];
    open_extras(u, extras);
    describe(u, extras, why, why_size);
    *state = u;
    return 0;
fail_ring:
    uring_ring_release(&u->ring);
fail:
    snprintf(why, why_size, "%s", what);
    mem_free(u);
    return rc;
}

/* Closing the ring cancels what is in flight, but only later: the receive buffers and the bytes of sends must not go before. So
 * every connection is closed and awaited, for a bounded time. */
static void quiesce(struct uring *u) {
    struct net *net = u->net;
    for (uint32_t i = 0; i < net->slot_used; i++) {
        if (net->conns[i].state != NET_CONN_OPEN) continue;
        net_conn_fail(&net->conns[i], 0);
        conn_close(u, &net->conns[i]);
    }
    int i = 0;
    do {
        net->event_count = 0;
        if (turn(u, net->conn_count ? QUIESCE_MS : 0) < 0) return;
    } while (net->conn_count && ++i < QUIESCE_TURNS);
}

static void uring_close(void *state) {
    struct uring *u = state;
    quiesce(u);
    uring_buffers_release(&u->buffers, &u->ring);
    uring_ring_release(&u->ring);
    uring_files_release(&u->files);
    mem_free(u->messages);
    mem_free(u);
}

static void uring_forked(void *state) {
    struct uring *u = state;
    close(u->ring.fd);
}

const struct net_backend net_backend_uring = {
    .name = "io_uring",
    .kind = NET_BACKEND_URING,
    .keeps_blocking = true,
    .open = uring_open,
    .close = uring_close,
    .forked = uring_forked,
    .listener_add = uring_listener_add,
    .listener_remove = uring_listener_remove,
    .watch = uring_watch,
    .unwatch = uring_unwatch,
    .turn = turn,
    .conn_open = conn_open,
    .conn_send = conn_send,
    .conn_pause = conn_pause,
    .conn_receive_into = conn_receive_into,
    .conn_close = conn_close,
    .conn_release = conn_release,
};
