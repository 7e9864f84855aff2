#include "net/uring_ring.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SQPOLL_IDLE_MS = 1000 };

/* Tried from the left; each EINVAL gives up the next flag of the second list. */
static const uint32_t setup_wanted = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                                     IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SUBMIT_ALL |
                                     IORING_SETUP_CQSIZE | IORING_SETUP_COOP_TASKRUN |
                                     URING_SETUP_NO_SQARRAY | IORING_SETUP_CLAMP;
static const uint32_t setup_peeled[] = {
    URING_SETUP_NO_SQARRAY,     IORING_SETUP_DEFER_TASKRUN,
    IORING_SETUP_SINGLE_ISSUER, IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
    IORING_SETUP_SUBMIT_ALL,
};
static const uint32_t features_needed = IORING_FEAT_SINGLE_MMAP | IORING_FEAT_NODROP |
                                        IORING_FEAT_SUBMIT_STABLE | IORING_FEAT_FAST_POLL |
                                        IORING_FEAT_EXT_ARG;

static int setup(struct uring_ring *ring, const struct uring_ring_options *options,
                 struct io_uring_params *params) {
    uint32_t flags = setup_wanted;
    if (options->sqpoll) {
        flags &=
            ~(IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG);
        flags |= IORING_SETUP_SQPOLL;
    }
    for (size_t peel = 0;;) {
        *params = (struct io_uring_params){.flags = flags,
                                           .cq_entries = options->cq_entries,
                                           .sq_thread_idle = options->sqpoll ? SQPOLL_IDLE_MS : 0};
        ring->fd = (int)syscall(__NR_io_uring_setup, options->entries, params);
        if (ring->fd >= 0) break;
        if (errno != EINVAL) return -errno;
        while (peel < ARRAY_LENGTH(setup_peeled) && !(flags & setup_peeled[peel])) peel++;
        if (peel == ARRAY_LENGTH(setup_peeled)) return -EINVAL;
        flags &= ~setup_peeled[peel++];
    }
    ring->setup_flags = flags;
    ring->features = params->features;
    return 0;
}

/* A forked child has no use for the queues, and must not write to them. */
static int map(struct uring_ring *ring, const struct io_uring_params *params) {
    size_t sq_bytes = params->sq_off.array + params->sq_entries * sizeof(uint32_t);
    size_t cq_bytes = params->cq_off.cqes + params->cq_entries * sizeof(struct io_uring_cqe);
    ring->map_bytes = MAX(sq_bytes, cq_bytes);
    ring->map = mmap(NULL, ring->map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                     ring->fd, IORING_OFF_SQ_RING);
    if (ring->map == MAP_FAILED) {
        ring->map = NULL;
        return -errno;
    }
    ring->sqe_map_bytes = params->sq_entries * sizeof(struct io_uring_sqe);
    ring->sqe_map = mmap(NULL, ring->sqe_map_bytes, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQES);
    if (ring->sqe_map == MAP_FAILED) {
        ring->sqe_map = NULL;
        return -errno;
    }
    (void)madvise(ring->map, ring->map_bytes, MADV_DONTFORK);
    (void)madvise(ring->sqe_map, ring->sqe_map_bytes, MADV_DONTFORK);
    return 0;
}

static uint32_t *field(const struct uring_ring *ring, uint32_t offset) {
    return (uint32_t *)(void *)((char *)ring->map + offset);
}

static void locate(struct uring_ring *ring, const struct io_uring_params *params) {
    ring->sqes = ring->sqe_map;
    ring->sq_head = field(ring, params->sq_off.head);
    ring->sq_tail = field(ring, params->sq_off.tail);
    ring->sq_flags = field(ring, params->sq_off.flags);
    ring->sq_mask = *field(ring, params->sq_off.ring_mask);
    ring->sq_entries = params->sq_entries;
    ring->tail = *ring->sq_tail;
    ring->cqes = (struct io_uring_cqe *)(void *)field(ring, params->cq_off.cqes);
    ring->cq_head = field(ring, params->cq_off.head);
    ring->cq_tail = field(ring, params->cq_off.tail);
    ring->cq_mask = *field(ring, params->cq_off.ring_mask);
    if (ring->setup_flags & URING_SETUP_NO_SQARRAY) return;
    uint32_t *array = field(ring, params->sq_off.array);
    for (uint32_t i = 0; i < params->sq_entries; i++) array[i] = i;
}

/* A registered ring spares each call the look-up of its descriptor. Kernels before 5.18 do without. */
static void register_self(struct uring_ring *ring) {
    struct io_uring_rsrc_update update = {.offset = -1u, .data = (uint64_t)ring->fd};
    ring->enter_fd = ring->fd;
    if (uring_ring_register(ring, IORING_REGISTER_RING_FDS, &update, 1) != 1) return;
    ring->enter_fd = (int)update.offset;
    ring->enter_flags |= IORING_ENTER_REGISTERED_RING;
}

int uring_ring_init(struct uring_ring *ring, const struct uring_ring_options *options,
                    const char **what) {
    struct io_uring_params params;
    *ring = (struct uring_ring){.fd = -1};
    *what = "io_uring_setup";
    int rc = setup(ring, options, &params);
    if (rc < 0) return rc;
    if ((ring->features & features_needed) != features_needed) {
        *what = "io_uring features";
        rc = -EOPNOTSUPP;
        goto fail;
    }
    *what = "mmap of the io_uring";
    rc = map(ring, &params);
    if (rc < 0) goto fail;
    locate(ring, &params);
    register_self(ring);
    if (ring->features & URING_FEAT_NO_IOWAIT) ring->enter_flags |= URING_ENTER_NO_IOWAIT;
    return 0;
fail:
    uring_ring_release(ring);
    return rc;
}

void uring_ring_release(struct uring_ring *ring) {
    struct io_uring_rsrc_update update = {.offset = (uint32_t)ring->enter_fd};
    if (ring->enter_flags & IORING_ENTER_REGISTERED_RING) {
        (void)!uring_ring_register(ring, IORING_UNREGISTER_RING_FDS, &update, 1);
    }
    if (ring->map) munmap(ring->map, ring->map_bytes);
    if (ring->sqe_map) munmap(ring->sqe_map, ring->sqe_map_bytes);
    if (ring->fd >= 0) close(ring->fd);
    *ring = (struct uring_ring){.fd = -1};
}

int uring_ring_register(struct uring_ring *ring, unsigned operation, void *argument,
                        unsigned count) {
    int rc = (int)syscall(__NR_io_uring_register, ring->fd, operation, argument, count);
    return rc < 0 ? -errno : rc;
}

/* With a kernel thread that submits, only a sleeping one needs a call. */
static bool sqpoll_awake(const struct uring_ring *ring, unsigned *flags) {
    if (!(ring->setup_flags & IORING_SETUP_SQPOLL)) return false;
    __atomic_thread_fence(
        __ATOMIC_SEQ_CST); /* the tail must be seen before the flag is read: io_uring_setup(2) */
    if (__atomic_load_n(ring->sq_flags, __ATOMIC_RELAXED) & IORING_SQ_NEED_WAKEUP) {
        *flags |= IORING_ENTER_SQ_WAKEUP;
        return false;
    }
    return true;
}

int uring_ring_enter(struct uring_ring *ring, const struct uring_wait *wait) {
    struct __kernel_timespec timeout = {.tv_sec = wait->timeout_us / 1000000,
                                        .tv_nsec = wait->timeout_us % 1000000 * 1000};
    bool waits = wait->how == URING_ENTER_WAIT, ends = waits && wait->timeout_us >= 0;
    struct uring_getevents_arg bound = {.ts = ends ? (uint64_t)(uintptr_t)&timeout : 0,
                                        .min_wait_usec = waits ? wait->min_us : 0};
    bool bounded = ends || bound.min_wait_usec;
    unsigned flags = ring->enter_flags;
    __atomic_store_n(ring->sq_tail, ring->tail, __ATOMIC_RELEASE);
    bool awake = sqpoll_awake(ring, &flags);
    if (awake && wait->how == URING_ENTER_SUBMIT) return 0;
    if (wait->how != URING_ENTER_SUBMIT) flags |= IORING_ENTER_GETEVENTS;
    if (bounded) flags |= IORING_ENTER_EXT_ARG;
    long rc = syscall(__NR_io_uring_enter, ring->enter_fd, uring_ring_queued(ring), wait->count,
                      flags, bounded ? (void *)&bound : NULL, bounded ? sizeof bound : 0);
    return rc < 0 ? -errno : (int)rc;
}
