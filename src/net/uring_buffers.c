#include "net/uring_buffers.h"

#include <errno.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/check.h"

enum {
    CALM_RECYCLES = 4096
}; /* recycles without want before the number in use shrinks by one with each */

static void *map(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    (void)madvise(memory, bytes, MADV_DONTFORK);
    return memory;
}

/* The kernel sees it with the next publish. */
static void give(struct uring_buffers *buffers, uint16_t number) {
    struct io_uring_buf *slot = &buffers->ring->bufs[buffers->tail++ & buffers->mask];
    slot->addr = (uint64_t)(uintptr_t)(buffers->memory + (size_t)number * buffers->buffer_bytes);
    slot->len = buffers->buffer_bytes;
    slot->bid = number;
}

static void publish(struct uring_buffers *buffers) {
    __atomic_store_n(&buffers->ring->tail, buffers->tail, __ATOMIC_RELEASE);
}

int uring_buffers_init(struct uring_buffers *buffers, struct uring_ring *ring,
                       const struct uring_buffers_options *options) {
    uint32_t count = options->count;
    *buffers = (struct uring_buffers){.buffer_bytes = options->buffer_bytes,
                                      .count = count,
                                      .mask = count - 1,
                                      .in_use = MIN(options->in_use, count),
                                      .in_use_min = MIN(options->in_use, count),
                                      .incremental = options->incremental};
    buffers->ring_bytes = count * sizeof(struct io_uring_buf);
    buffers->memory_bytes = (size_t)count * options->buffer_bytes;
    buffers->ring = map(buffers->ring_bytes);
    buffers->memory = map(buffers->memory_bytes);
    int rc = -ENOMEM;
    if (!buffers->ring || !buffers->memory) goto fail;
    struct uring_buf_reg registration = {.ring_addr = (uint64_t)(uintptr_t)buffers->ring,
                                         .ring_entries = count,
                                         .bgid = URING_BUFFER_GROUP,
                                         .flags = options->incremental ? URING_PBUF_RING_INC : 0};
    rc = uring_ring_register(ring, IORING_REGISTER_PBUF_RING, &registration, 1);
    if (rc < 0) goto fail;
    buffers->filled = mem_zalloc(count * sizeof *buffers->filled);
    buffers->spent = mem_zalloc(count * sizeof *buffers->spent);
    buffers->spare = mem_zalloc(count * sizeof *buffers->spare);
    for (uint32_t i = 0; i < buffers->in_use; i++) give(buffers, (uint16_t)i);
    for (uint32_t i = count; i > buffers->in_use; i--)
        buffers->spare[buffers->spare_count++] = (uint16_t)(i - 1);
    publish(buffers);
    return 0;
fail:
    if (buffers->ring) munmap(buffers->ring, buffers->ring_bytes);
    if (buffers->memory) munmap(buffers->memory, buffers->memory_bytes);
    *buffers = (struct uring_buffers){0};
    return rc;
}

void uring_buffers_release(struct uring_buffers *buffers, struct uring_ring *ring) {
    struct uring_buf_reg registration = {.bgid = URING_BUFFER_GROUP};
    if (!buffers->ring) return;
    (void)!uring_ring_register(ring, IORING_UNREGISTER_PBUF_RING, &registration, 1);
    munmap(buffers->ring, buffers->ring_bytes);
    munmap(buffers->memory, buffers->memory_bytes);
    mem_free(buffers->filled);
    mem_free(buffers->spent);
    mem_free(buffers->spare);
    *buffers = (struct uring_buffers){0};
}

static void grow(struct uring_buffers *buffers) {
    uint32_t more = MIN(buffers->in_use, buffers->spare_count);
    for (uint32_t i = 0; i < more; i++) give(buffers, buffers->spare[--buffers->spare_count]);
    buffers->in_use += more;
    buffers->calm_turns = 0;
}

/* One buffer leaves, and its pages go back to the system. */
static void retire(struct uring_buffers *buffers, uint16_t number) {
    (void)madvise(buffers->memory + (size_t)number * buffers->buffer_bytes, buffers->buffer_bytes,
                  MADV_DONTNEED);
    buffers->spare[buffers->spare_count++] = number;
    buffers->in_use--;
}

void uring_buffers_recycle(struct uring_buffers *buffers) {
    DCHECK(buffers->spent_count <= buffers->in_use);
    bool calm = ++buffers->calm_turns > CALM_RECYCLES && buffers->in_use > buffers->in_use_min;
    if (buffers->starved) {
        grow(buffers);
    } else if (calm && buffers->spent_count) {
        retire(buffers, buffers->spent[--buffers->spent_count]);
    }
    for (uint32_t i = 0; i < buffers->spent_count; i++) give(buffers, buffers->spent[i]);
    buffers->spent_count = 0;
    buffers->starved = false;
    publish(buffers);
}
