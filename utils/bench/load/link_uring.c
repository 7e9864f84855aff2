/* One io_uring_enter a turn: multishot receives into a ring of shared buffers, one send of a connection at a time.
 *
 * user_data: | connection: 32 | 1 of a send, 0 of a receive | */
#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "link.h"

enum { RING_ENTRIES = 4096, BUFFER_COUNT = 1024, BUFFER_BYTES = 16384, GROUP = 1, SLEEP_MS = 10 };

struct uring_conn {
    int fd;
    const char *bytes;
    size_t len;
};

struct uring_link {
    const struct link_handler *handler;
    struct uring_conn *conns;
    uint32_t count;
    struct io_uring ring;
    struct io_uring_buf_ring *buffers;
    char *memory;
};

static struct io_uring_sqe *entry(struct uring_link *link) {
    struct io_uring_sqe *sqe = io_uring_get_sqe(&link->ring);
    if (sqe) return sqe;
    io_uring_submit(&link->ring);
    sqe = io_uring_get_sqe(&link->ring);
    if (!sqe) die("the submission ring stays full");
    return sqe;
}

static void arm(struct uring_link *link, uint32_t conn) {
    struct io_uring_sqe *sqe = entry(link);
    io_uring_prep_recv_multishot(sqe, link->conns[conn].fd, NULL, 0, 0);
    sqe->flags |= IOSQE_BUFFER_SELECT;
    sqe->buf_group = GROUP;
    io_uring_sqe_set_data64(sqe, (uint64_t)conn << 1);
}

static void give_back(struct uring_link *link, unsigned id) {
    io_uring_buf_ring_add(link->buffers, link->memory + (size_t)id * BUFFER_BYTES, BUFFER_BYTES,
                          (unsigned short)id, io_uring_buf_ring_mask(BUFFER_COUNT), 0);
    io_uring_buf_ring_advance(link->buffers, 1);
}

static void make_buffers(struct uring_link *link) {
    struct io_uring_buf_reg reg = {.ring_entries = BUFFER_COUNT, .bgid = GROUP};
    void *ring;
    if (posix_memalign(&ring, 4096, BUFFER_COUNT * sizeof(struct io_uring_buf))) die("no memory");
    link->buffers = ring;
    link->memory = malloc((size_t)BUFFER_COUNT * BUFFER_BYTES);
    reg.ring_addr = (uintptr_t)ring;
    if (!link->memory || io_uring_register_buf_ring(&link->ring, &reg, 0)) die("no buffer ring");
    io_uring_buf_ring_init(link->buffers);
    for (unsigned i = 0; i < BUFFER_COUNT; i++) give_back(link, i);
}

static void *uring_open(const int *fds, uint32_t count, const struct link_handler *handler) {
    struct uring_link *link = calloc(1, sizeof *link);
    struct io_uring_params params = {.flags = IORING_SETUP_SINGLE_ISSUER |
                                              IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE,
                                     .cq_entries = 4 * RING_ENTRIES};
    if (!link) die("no memory");
    if (io_uring_queue_init_params(RING_ENTRIES, &link->ring, &params) != 0) {
        free(link);
        return NULL;
    }
    io_uring_register_ring_fd(&link->ring);
    link->handler = handler;
    link->count = count;
    link->conns = calloc(count, sizeof *link->conns);
    if (!link->conns) die("no memory");
    make_buffers(link);
    for (uint32_t i = 0; i < count; i++) {
        link->conns[i].fd = fds[i];
        arm(link, i);
    }
    return link;
}

static void uring_close(void *impl) {
    struct uring_link *link = impl;
    io_uring_queue_exit(&link->ring);
    free(link->buffers);
    free(link->memory);
    free(link->conns);
    free(link);
}

static void uring_send(void *impl, uint32_t conn, const char *bytes, size_t len) {
    struct uring_link *link = impl;
    struct io_uring_sqe *sqe = entry(link);
    link->conns[conn].bytes = bytes;
    link->conns[conn].len = len;
    io_uring_prep_send(sqe, link->conns[conn].fd, bytes, len, MSG_NOSIGNAL | MSG_WAITALL);
    io_uring_sqe_set_data64(sqe, (uint64_t)conn << 1 | 1);
}

static void sent(struct uring_link *link, uint32_t conn, int result) {
    struct uring_conn *c = link->conns + conn;
    if (result < 0) die("send: %s", strerror(-result));
    if ((size_t)result == c->len) {
        link->handler->sent(link->handler->arg, conn);
    } else {
        uring_send(link, conn, c->bytes + result, c->len - (size_t)result);
    }
}

static void received(struct uring_link *link, uint32_t conn, const struct io_uring_cqe *cqe) {
    unsigned id = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
    if (cqe->res == 0) die("the server closed a connection");
    if (cqe->res < 0 && cqe->res != -ENOBUFS) die("receive: %s", strerror(-cqe->res));
    if (cqe->res > 0) {
        link->handler->data(link->handler->arg, conn, link->memory + (size_t)id * BUFFER_BYTES,
                            (size_t)cqe->res);
        give_back(link, id);
    }
    if (!(cqe->flags & IORING_CQE_F_MORE)) arm(link, conn);
}

static void uring_turn(void *impl, bool sleep) {
    struct uring_link *link = impl;
    struct __kernel_timespec timeout = {.tv_nsec = SLEEP_MS * 1000000};
    struct io_uring_cqe *cqe;
    unsigned head, count = 0;
    if (sleep) {
        io_uring_submit_and_wait_timeout(&link->ring, &cqe, 1, &timeout, NULL);
    } else {
        io_uring_submit_and_get_events(&link->ring);
    }
    io_uring_for_each_cqe(&link->ring, head, cqe) {
        uint32_t conn = (uint32_t)(cqe->user_data >> 1);
        if (cqe->user_data & 1) {
            sent(link, conn, cqe->res);
        } else {
            received(link, conn, cqe);
        }
        count++;
    }
    io_uring_cq_advance(&link->ring, count);
}

const struct link_api link_uring = {"io_uring", uring_open, uring_close, uring_send, uring_turn};
