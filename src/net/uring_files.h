/* Direct descriptors: the ring's own table of files, in which a connection's socket has the number of its slot. Operations that
 * name it so spare the kernel the look-up in the process's table and its reference count. The process's descriptor stays open
 * beside it, for names, options and shutdown(2). Registering is an entry of the submission queue: no call of its own.
 * See io_uring_register(2), IORING_REGISTER_FILES2; Linux 5.19 for a sparse table. */
#ifndef NET_URING_FILES_H
#define NET_URING_FILES_H

#include "net/uring_ring.h"

struct uring_files {
    int32_t *
        fds; /* what each slot's entry reads: must stand until the entry was taken. NULL: no table */
    uint32_t count;
};

/* A table of at most `count` slots: the limit of descriptors (RLIMIT_NOFILE) may leave fewer, and slots beyond have no number in it.
 * 0 or a negative errno. */
ATTR_MUST_USE int uring_files_init(struct uring_files *files, struct uring_ring *ring,
                                   uint32_t count);
void uring_files_release(struct uring_files *files);

/* Takes the slot's socket out with a call of its own: for when there is no entry. */
void uring_files_remove(struct uring_files *files, struct uring_ring *ring, uint32_t slot);

INLINE bool uring_files_has(const struct uring_files *files, uint32_t slot) {
    return slot < files->count;
}

/* Fills in an entry that puts `fd` into the slot; -1 takes it out. A socket that is not taken out lives on after its close. */
void uring_files_prepare(struct uring_files *files, struct io_uring_sqe *sqe, uint32_t slot,
                         int fd);

#endif
