/* The blocks behind a window's memory.
 *
 *   used:  [newest block: ...next....end] -> [full block] -> [large block] -> ...      spare: [block] -> [block]
 *
 * A block has the usual size, or it was made for one larger request and is freed with the window. Invariants:
 *  - next and end are NULL, or lie in the newest block of the usual size or in a large one that is newer still.
 *  - spare blocks have the usual size; there are BLOCKS_KEPT at most. */
#include "resp/window.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"

enum {
    BLOCK_BYTES = 64 * 1024, /* arguments of some 1300 GETs: a turn's window */
    BLOCKS_KEPT = 16,
};

struct window_block {
    struct window_block *next;
    size_t bytes; /* of the whole block */
    char room[];
};

struct window_memory *window_memory_new(void) {
    return mem_zalloc(sizeof(struct window_memory));
}

static void block_free(struct window_block *block) {
    mem_free_sized(block, block->bytes);
}

void window_memory_free(struct window_memory *memory) {
    if (!memory) return;
    window_memory_clear(memory);
    while (memory->spare) {
        struct window_block *next = memory->spare->next;
        block_free(memory->spare);
        memory->spare = next;
    }
    mem_free_sized(memory, sizeof *memory);
}

/* A debug build scribbles over what is not valid any more. */
#ifdef DEBUG
static const bool scribbles = true;
#else
static const bool scribbles = false;
#endif

void window_memory_clear(struct window_memory *memory) {
    bool newest = true;
    while (memory->deferred) {
        struct window_deferred *deferred = memory->deferred;
        memory->deferred = deferred->next;
        deferred->release(deferred);
    }
    while (memory->used) {
        struct window_block *block = memory->used;
        const char *end = newest ? memory->next : (char *)block + block->bytes;
        memory->used = block->next;
        newest = false;
        if (scribbles) memset(block->room, 0xdb, (size_t)(end - block->room));
        if (block->bytes == BLOCK_BYTES && memory->spare_count < BLOCKS_KEPT) {
            block->next =
                memory
                    ->spare; /* the oldest ends on top: the next window begins in the same memory */
            memory->spare = block;
            memory->spare_count++;
        } else {
            block_free(block);
        }
    }
    memory->next = memory->end = NULL;
}

size_t window_memory_bytes(const struct window_memory *memory) {
    size_t bytes = memory->spare_count * (size_t)BLOCK_BYTES;
    for (const struct window_block *b = memory->used; b; b = b->next) bytes += b->bytes;
    return bytes;
}

/* A block with more than `bytes` of room. */
static struct window_block *block_get(struct window_memory *memory, size_t bytes,
                                      void *(*alloc)(size_t)) {
    struct window_block *block = memory->spare;
    size_t total = BLOCK_BYTES;
    if (bytes >= BLOCK_BYTES - sizeof *block) {
        if (bytes > PTRDIFF_MAX - BLOCK_BYTES) return NULL;
        total = sizeof *block + (bytes | 7) + 1;
    } else if (block) {
        memory->spare = block->next;
        memory->spare_count--;
        return block;
    }
    block = alloc(total);
    if (block) block->bytes = total;
    return block;
}

static char *block_begin(struct window_memory *memory, struct window_block *block) {
    if (!block) return NULL;
    block->next = memory->used;
    memory->used = block;
    memory->next = block->room;
    memory->end = (char *)block + block->bytes;
    return memory->next;
}

char *window_memory_room_slow(struct window_memory *memory, size_t bytes) {
    return block_begin(memory, block_get(memory, bytes, mem_try_alloc));
}

void *window_memory_alloc(struct window_memory *memory, size_t bytes) {
    char *room = memory->next;
    if (UNLIKELY((size_t)(memory->end - memory->next) <= bytes)) {
        room = block_begin(memory, block_get(memory, bytes, mem_alloc));
        CHECK(room); /* NULL: more than an address space */
    }
    window_memory_took(memory, bytes);
    return room;
}
