/* Memory of one window of requests: argument arrays, unescaped inline arguments, what completed split requests owned, and what
 * handlers need for a moment. Everything in it is valid until window_memory_clear, which is O(what was used). Bump allocation in
 * blocks that are kept between windows: a request costs no allocator call. Hot path, inline. */
#ifndef RESP_WINDOW_H
#define RESP_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "base/compat.h"

/* Something to be done when the window is cleared; lives in the window's memory or in what `release` frees. */
struct window_deferred {
    struct window_deferred *next;
    void (*release)(struct window_deferred *deferred);
};

struct window_block;

/* The fields are window.c's; here so that the allocation is inline. */
struct window_memory {
    char *next, *end;           /* the room of the newest block, both 8-byte aligned */
    struct window_block *used;  /* newest first */
    struct window_block *spare; /* kept for reuse, all of the usual size */
    uint32_t spare_count;
    struct window_deferred *deferred; /* newest first */
};

struct window_memory *window_memory_new(void);
void window_memory_free(struct window_memory *memory); /* clears first; NULL is fine */
void window_memory_clear(struct window_memory *memory);
size_t window_memory_bytes(const struct window_memory *memory); /* its blocks, used and spare; O(blocks) */

/* What the inline functions do in a full block: begins a new one. */
char *window_memory_room_slow(struct window_memory *memory, size_t bytes);

/* At least `bytes` of room without taking them: write there, then window_memory_took, or leave it. NULL without memory.
 * 8-byte aligned. */
INLINE char *window_memory_try_room(struct window_memory *memory, size_t bytes) {
    /* more than, not as much as: the room is never NULL then, and whole words fit where the bytes do */
    if (LIKELY((size_t)(memory->end - memory->next) > bytes)) return memory->next;
    return window_memory_room_slow(memory, bytes);
}
/* Takes `bytes` of the room that was just made. */
INLINE void window_memory_took(struct window_memory *memory, size_t bytes) {
    memory->next += (bytes + 7) & ~(size_t)7;
}

/* 8-byte aligned; NULL without memory: for sizes that a user chose. */
INLINE void *window_memory_try_alloc(struct window_memory *memory, size_t bytes) {
    char *room = window_memory_try_room(memory, bytes);
    if (LIKELY(room)) window_memory_took(memory, bytes);
    return room;
}
/* 8-byte aligned, never NULL. */
void *window_memory_alloc(struct window_memory *memory, size_t bytes);

/* `release(deferred)` is called by the next clear, the newest first. */
INLINE void window_memory_defer(struct window_memory *memory, struct window_deferred *deferred,
                                void (*release)(struct window_deferred *deferred)) {
    deferred->release = release;
    deferred->next = memory->deferred;
    memory->deferred = deferred;
}

#endif
