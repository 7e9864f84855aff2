#include "net/uring_files.h"

#include <errno.h>
#include <sys/resource.h>

#include "base/alloc.h"

int uring_files_init(struct uring_files *files, struct uring_ring *ring, uint32_t count) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < count)
        count = (uint32_t)limit.rlim_cur;
    struct io_uring_rsrc_register table = {.nr = count, .flags = IORING_RSRC_REGISTER_SPARSE};
    *files = (struct uring_files){0};
    int rc = uring_ring_register(ring, IORING_REGISTER_FILES2, &table, sizeof table);
    if (rc < 0) return rc;
    *files = (struct uring_files){mem_zalloc(count * sizeof *files->fds), count};
    return 0;
}

void uring_files_release(struct uring_files *files) {
    mem_free(files->fds);
    *files = (struct uring_files){0};
}

void uring_files_prepare(struct uring_files *files, struct io_uring_sqe *sqe, uint32_t slot,
                         int fd) {
    files->fds[slot] = fd;
    sqe->opcode = IORING_OP_FILES_UPDATE;
    sqe->fd = -1;
    sqe->addr = (uint64_t)(uintptr_t)&files->fds[slot];
    sqe->len = 1;
    sqe->off = slot;
}

void uring_files_remove(struct uring_files *files, struct uring_ring *ring, uint32_t slot) {
    files->fds[slot] = -1;
    struct io_uring_rsrc_update update = {.offset = slot,
                                          .data = (uint64_t)(uintptr_t)&files->fds[slot]};
    (void)!uring_ring_register(ring, IORING_REGISTER_FILES_UPDATE, &update, 1);
}
