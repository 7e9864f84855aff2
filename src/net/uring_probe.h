/* Does io_uring really work here? Kernels, seccomp filters and sysctls refuse in many ways, some only at the operation itself: so
 * the ring that will serve receives real bytes through a socket pair first. */
#ifndef NET_URING_PROBE_H
#define NET_URING_PROBE_H

#include "net/uring_buffers.h"

/* What the multishot receive was found to be able to do. */
struct uring_abilities {
    bool incremental;   /* provided buffers are filled on (6.12) */
    bool receive_limit; /* a multishot receive ends after so many bytes (6.17) */
};

/* Fills in a receive of this kind for `fd`; limit_bytes: what one arming of it brings at most, 0: no limit. */
void uring_prepare_receive(struct io_uring_sqe *sqe, int fd, uint32_t limit_bytes);
/* The same for one receive only. */
void uring_prepare_receive_once(struct io_uring_sqe *sqe, int fd, uint32_t limit_bytes);

/* Sets up `buffers` on `ring` and probes. On failure they are released again, and *what names what refused. */
ATTR_MUST_USE int uring_probe(struct uring_ring *ring, struct uring_buffers *buffers,
                              const struct uring_buffers_options *options,
                              struct uring_abilities *out, const char **what);

#endif
