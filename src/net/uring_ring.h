/* One io_uring: its two queues mapped, and the one call. Written over the system calls: liburing 2.3, the oldest that is built
 * against, has neither NO_SQARRAY nor NO_IOWAIT, and hides how many entries a submit took. See io_uring(7), io_uring_enter(2).
 * Errors are negative errno. */
#ifndef NET_URING_RING_H
#define NET_URING_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compat.h"
#include "net/uring_compat.h"

struct uring_ring {
    /* Submission: the kernel moves the head, we the tail. */
    struct io_uring_sqe *sqes;
    uint32_t *sq_head, *sq_tail, *sq_flags;
    uint32_t sq_mask, sq_entries;
    uint32_t tail; /* ours, published by uring_ring_enter */

    /* Completion: the other way round. */
    struct io_uring_cqe *cqes;
    uint32_t *cq_head, *cq_tail;
    uint32_t cq_mask;

    int fd, enter_fd; /* enter_fd: the registered number, if the kernel took it */
    uint32_t enter_flags;
    uint32_t setup_flags, features;
    void *map, *sqe_map;
    size_t map_bytes, sqe_map_bytes;
};

struct uring_ring_options {
    uint32_t entries; /* of the submission queue; rounded up to a power of two */
    uint32_t cq_entries;
    bool sqpoll;
};

/* On failure *what names the call that refused. */
ATTR_MUST_USE int uring_ring_init(struct uring_ring *ring, const struct uring_ring_options *options,
                                  const char **what);
void uring_ring_release(struct uring_ring *ring);

/* A zeroed entry to fill in, or NULL when the queue is full. */
INLINE struct io_uring_sqe *uring_ring_sqe(struct uring_ring *ring) {
    if (UNLIKELY(ring->tail - __atomic_load_n(ring->sq_head, __ATOMIC_ACQUIRE) >= ring->sq_entries))
        return NULL;
    struct io_uring_sqe *sqe = &ring->sqes[ring->tail++ & ring->sq_mask];
    memset(sqe, 0, sizeof *sqe);
    return sqe;
}

/* The place of an entry in its queue: that of anything that must live as long as the entry does. */
INLINE uint32_t uring_ring_index(const struct uring_ring *ring, const struct io_uring_sqe *sqe) {
    return (uint32_t)(sqe - ring->sqes);
}

/* Completions that lie ready from *head on. They are given back by storing the head that was reached. */
INLINE uint32_t uring_ring_ready(const struct uring_ring *ring, uint32_t *head) {
    *head = *ring->cq_head;
    return __atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE) - *head;
}
INLINE const struct io_uring_cqe *uring_ring_cqe(const struct uring_ring *ring, uint32_t head) {
    return &ring->cqes[head & ring->cq_mask];
}
INLINE void uring_ring_give_back(struct uring_ring *ring, uint32_t head) {
    __atomic_store_n(ring->cq_head, head, __ATOMIC_RELEASE);
}

/* Task work is due or completions overflowed: another enter brings more. */
INLINE uint32_t uring_ring_due(const struct uring_ring *ring) {
    return __atomic_load_n(ring->sq_flags, __ATOMIC_RELAXED) &
           (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW);
}

/* What a call does beside handing over what is queued. SUBMIT: nothing. EVENTS: it runs the work that is due, without waiting;
 * `count` completions must lie ready already, and the kernel runs up to so many pieces of work (20 at least). WAIT: it waits until
 * `count` lie ready, timeout_us at most (-1: no bound); with min_us, after so many microseconds one is enough (Linux 6.12). */
enum uring_enter { URING_ENTER_SUBMIT, URING_ENTER_EVENTS, URING_ENTER_WAIT };
struct uring_wait {
    enum uring_enter how;
    uint32_t count;
    uint32_t min_us;
    int64_t timeout_us;
};
/* Returns the entries taken (possibly fewer than queued), -ETIME, -EINTR, ... */
ATTR_MUST_USE int uring_ring_enter(struct uring_ring *ring, const struct uring_wait *wait);
INLINE uint32_t uring_ring_queued(const struct uring_ring *ring) {
    return ring->tail - __atomic_load_n(ring->sq_head, __ATOMIC_RELAXED);
}

ATTR_MUST_USE int uring_ring_register(struct uring_ring *ring, unsigned operation, void *argument,
                                      unsigned count);

#endif
