#include "net/uring_probe.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PROBE_MS = 2000, PROBE_LIMIT_BYTES = 1 << 20 };

void uring_prepare_receive(struct io_uring_sqe *sqe, int fd, uint32_t limit_bytes) {
    sqe->opcode = IORING_OP_RECV;
    sqe->fd = fd;
    sqe->ioprio = IORING_RECV_MULTISHOT;
    sqe->flags = IOSQE_BUFFER_SELECT;
    sqe->buf_group = URING_BUFFER_GROUP;
    /* The kernel looks at the sum (`optlen` in newer headers) after each receive, and caps each by `len`: half for both. */
    if (limit_bytes) sqe->len = sqe->file_index = MAX(limit_bytes / 2, 1u);
}

void uring_prepare_receive_once(struct io_uring_sqe *sqe, int fd, uint32_t limit_bytes) {
    sqe->opcode = IORING_OP_RECV;
    sqe->fd = fd;
    sqe->flags = IOSQE_BUFFER_SELECT;
    sqe->buf_group = URING_BUFFER_GROUP;
    sqe->len = limit_bytes;
}

/* Waits for the next completion and copies it out. */
static int next(struct uring_ring *ring, struct io_uring_cqe *out) {
    uint32_t head;
    for (int i = 0; i < 16 && uring_ring_ready(ring, &head) == 0; i++) {
        const struct uring_wait wait = {
            .how = URING_ENTER_WAIT, .count = 1, .timeout_us = PROBE_MS * 1000};
        int rc = uring_ring_enter(ring, &wait);
        if (rc < 0 && rc != -EINTR) return rc;
    }
    if (uring_ring_ready(ring, &head) == 0) return -ETIME;
    *out = *uring_ring_cqe(ring, head);
    uring_ring_give_back(ring, head + 1);
    return 0;
}

/* One message through the armed receive. */
static int receive(struct uring_ring *ring, struct uring_buffers *buffers, int peer,
                   struct span message, uint32_t *flags) {
    struct io_uring_cqe cqe;
    if (send(peer, message.data, message.len, MSG_NOSIGNAL) != (ssize_t)message.len) return -errno;
    int rc = next(ring, &cqe);
    if (rc < 0) return rc;
    if (cqe.res < 0) return cqe.res;
    if (!(cqe.flags & IORING_CQE_F_BUFFER) || !(cqe.flags & IORING_CQE_F_MORE)) return -EOPNOTSUPP;
    *flags = cqe.flags;
    bool same = span_eq(message, uring_buffers_take(buffers, &cqe));
    uring_buffers_turn(buffers);
    return same ? 0 : -EIO;
}

/* Two receives, the second after the first in the same buffer where buffers are filled on; then the end of the stream. */
static int exercise(struct uring_ring *ring, struct uring_buffers *buffers, const int pair[2],
                    bool incremental, uint32_t limit_bytes) {
    struct io_uring_cqe cqe;
    uint32_t flags = 0;
    struct io_uring_sqe *sqe = uring_ring_sqe(ring);
    if (!sqe) return -EBUSY;
    uring_prepare_receive(sqe, pair[0], limit_bytes);
    int rc = uring_ring_enter(ring, &(struct uring_wait){.how = URING_ENTER_SUBMIT});
    if (rc >= 0) rc = receive(ring, buffers, pair[1], SPAN("probe"), &flags);
    if (rc == 0 && incremental && !(flags & URING_CQE_F_BUF_MORE)) rc = -EOPNOTSUPP;
    if (rc == 0) rc = receive(ring, buffers, pair[1], SPAN("again"), &flags);
    if (rc < 0) return rc;
    if (shutdown(pair[1], SHUT_WR) < 0) return -errno;
    rc = next(ring, &cqe);
    if (rc == 0 && (cqe.res != 0 || cqe.flags & IORING_CQE_F_MORE)) rc = -EIO;
    return rc;
}

static int try_on_pair(struct uring_ring *ring, struct uring_buffers *buffers, bool incremental,
                       uint32_t limit_bytes) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) return -errno;
    int rc = exercise(ring, buffers, pair, incremental, limit_bytes);
    close(pair[0]);
    close(pair[1]);
    uring_buffers_turn(buffers);
    return rc;
}

int uring_probe(struct uring_ring *ring, struct uring_buffers *buffers,
                const struct uring_buffers_options *options, struct uring_abilities *out,
                const char **what) {
    *what = "io_uring provided buffer ring";
    int rc = uring_buffers_init(buffers, ring, options);
    if (rc < 0) return rc;
    *what = "io_uring multishot receive";
    rc = try_on_pair(ring, buffers, options->incremental, PROBE_LIMIT_BYTES);
    *out = (struct uring_abilities){.incremental = options->incremental, .receive_limit = rc == 0};
    if (rc < 0) rc = try_on_pair(ring, buffers, options->incremental, 0);
    if (rc < 0) uring_buffers_release(buffers, ring);
    return rc;
}
