/* The receive buffers of io_uring: a ring of provided buffers that the kernel picks from when bytes come in.
 *
 *     number   0         1         2 ...
 *              +---------+---------+---------+--
 *     memory   |####...  |         |         |      '#': handed out; the kernel fills on from there (incremental), or
 *              +---------+---------+---------+--    takes a whole buffer for each receive (before 6.12)
 *
 * Incremental buffers pack the requests of many connections side by side, so a turn touches few cache lines and pages. A buffer
 * that is used up goes back to the kernel at the start of the next turn, since its bytes live until then. Only `in_use` of the
 * `count` buffers take part: more join when a receive found none, and leave again when they were not needed for long. */
#ifndef NET_URING_BUFFERS_H
#define NET_URING_BUFFERS_H

#include "base/span.h"
#include "net/uring_ring.h"

struct uring_buffers {
    struct io_uring_buf_ring *ring; /* shared with the kernel */
    char *memory;
    uint32_t *filled; /* of each buffer: bytes handed out (incremental) */
    uint16_t *spent;  /* used up in this turn */
    uint32_t spent_count;
    uint16_t *spare; /* take no part */
    uint32_t spare_count;
    uint32_t buffer_bytes, count, mask, in_use, in_use_min;
    uint16_t tail;
    bool incremental, starved;
    uint32_t calm_turns; /* recycles since buffers last ran out */
    size_t ring_bytes, memory_bytes;
};

enum { URING_BUFFER_GROUP = 0 };

struct uring_buffers_options {
    uint32_t buffer_bytes, count; /* count: a power of two */
    uint32_t in_use;              /* at the start */
    bool incremental;
};

ATTR_MUST_USE int uring_buffers_init(struct uring_buffers *buffers, struct uring_ring *ring,
                                     const struct uring_buffers_options *options);
void uring_buffers_release(struct uring_buffers *buffers, struct uring_ring *ring);

/* The bytes of a completion that carries a buffer. They live until the next uring_buffers_turn. */
INLINE struct span uring_buffers_take(struct uring_buffers *buffers,
                                      const struct io_uring_cqe *cqe) {
    uint32_t number = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
    uint32_t len = cqe->res > 0 ? (uint32_t)cqe->res : 0;
    struct span bytes = {
        buffers->memory + (size_t)number * buffers->buffer_bytes + buffers->filled[number], len};
    if (buffers->incremental && cqe->flags & URING_CQE_F_BUF_MORE) {
        buffers->filled[number] += len;
    } else {
        buffers->filled[number] = 0;
        buffers->spent[buffers->spent_count++] = (uint16_t)number;
    }
    return bytes;
}

void uring_buffers_recycle(struct uring_buffers *buffers);
/* Starts a turn: what was used up goes back to the kernel. */
INLINE void uring_buffers_turn(struct uring_buffers *buffers) {
    if (buffers->spent_count || buffers->starved) uring_buffers_recycle(buffers);
}

/* A receive found no buffer: more take part from the next turn on. */
INLINE void uring_buffers_starved(struct uring_buffers *buffers) {
    buffers->starved = true;
}

#endif
