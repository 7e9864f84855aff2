/* Output: a list of chunks that the kernel sends as they are. Replies are written straight into the last chunk; large values
 * stand in the list as counted references to their blobs. The pieces are sealed, handed out as an iovec, and released
 * when the kernel is done with them.
 *
 *   chunk_list: [chunk: headers, small values] -> [reference: blob bytes] -> [chunk: ...]
 *                ^ head: being sent or next to send                           ^ tail: being written
 *
 * Plain chunks come from a pool (struct chunk_pool) and go back to it: a burst costs no allocator call. Hot path. */
#ifndef BASE_CHUNK_H
#define BASE_CHUNK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/blob.h"
#include "base/compat.h"
#include "base/span.h"

enum {
    CHUNK_SMALL_BYTES = 1024,      /* room of a list's first chunk; with its header not a power of two, see chunk.c */
    CHUNK_LARGE_BYTES = 16 * 1024, /* room of the following ones */
};

struct chunk {
    struct chunk *next;
    const char *data;    /* what is sent: own bytes or the blob's */
    uint32_t len;        /* bytes of own data written; for a reference the length is in ref_len */
    uint32_t capacity;   /* room in bytes[]; 0 for a reference */
    struct blob *blob;   /* not NULL: a reference, counted */
    size_t ref_len;      /* bytes of a reference */
    char bytes[];
};

struct chunk_pool {
    struct chunk *small, *large; /* free lists */
    size_t small_count, large_count;
    size_t small_count_max, large_count_max; /* kept at most; more are freed */
    size_t small_count_low, large_count_low; /* fewest since the last trim */
    size_t out_bytes; /* memory of all chunks in lists and chains, headers included, blobs not (memory accounting) */
};
void chunk_pool_init(struct chunk_pool *pool);    /* the maxima may be changed afterwards */
void chunk_pool_release(struct chunk_pool *pool); /* all lists and chains must be empty */
size_t chunk_pool_idle_bytes(const struct chunk_pool *pool); /* memory of the chunks kept for reuse */
/* Frees the chunks that nobody has needed since the last trim. To be called now and then, as once a second: a burst's memory does not
 * stay. */
void chunk_pool_trim(struct chunk_pool *pool);

struct chunk_list {
    struct chunk *head, *tail;
    char *write;       /* next byte to write in tail, NULL when there is no writable tail */
    char *write_end;   /* end of tail's room */
    size_t sealed_bytes; /* bytes in all chunks but a writable tail: use chunk_list_bytes */
    size_t memory_bytes; /* see chunk_list_memory_bytes */
    struct chunk_pool *pool;
    uint64_t *copied_bytes, *referenced_bytes; /* counters of the owner, never NULL */
};

void chunk_list_init(struct chunk_list *list, struct chunk_pool *pool, uint64_t *copied_bytes, uint64_t *referenced_bytes);
void chunk_list_clear(struct chunk_list *list); /* drops everything that was written and not taken */

/* Bytes written and not yet taken. */
size_t chunk_list_bytes(const struct chunk_list *list);
/* Memory held: the chunks whole, with their headers, and the bytes of the references. O(1). */
size_t chunk_list_memory_bytes(const struct chunk_list *list);

/* At least `bytes` (1 to CHUNK_SMALL_BYTES) contiguous bytes of room; write there, then chunk_wrote. */
char *chunk_room_slow(struct chunk_list *list, size_t bytes);
INLINE char *chunk_room(struct chunk_list *list, size_t bytes) {
    if (LIKELY((size_t)(list->write_end - list->write) >= bytes)) return list->write;
    return chunk_room_slow(list, bytes);
}
INLINE void chunk_wrote(struct chunk_list *list, char *end) {
    list->write = end;
}

/* About `bytes` are to be written: begins with a large chunk if they need one, which saves a piece of the send. Optional. */
void chunk_expect(struct chunk_list *list, size_t bytes);

/* Any number of bytes, copied over as many chunks as it takes. */
void chunk_put(struct chunk_list *list, const void *data, size_t len);
/* `len` bytes from `offset` of the blob, by reference: takes a reference of its own. */
void chunk_put_blob(struct chunk_list *list, struct blob *blob, size_t offset, size_t len);

/* A place for a header whose value is known only later (an array's length): everything written after it goes to a new chunk.
 * chunk_fill_mark writes at most CHUNK_MARK_BYTES there, once; without bytes the mark leaves no trace. The list must not be taken,
 * cleared or appended to another in between. */
enum { CHUNK_MARK_BYTES = 40 };
struct chunk *chunk_mark(struct chunk_list *list);
void chunk_fill_mark(struct chunk_list *list, struct chunk *mark, const char *text, size_t len);

/* The bytes of one of the list's chunks, for who reads a capture where it lies. */
struct span chunk_list_span(const struct chunk_list *list, const struct chunk *chunk);
/* Drops what was written, as chunk_list_clear, but keeps a single plain chunk to write the next reply to. */
void chunk_list_rewind(struct chunk_list *list);

/* For transactions and captures: moves everything of `from` behind what `to` has; `from` is empty afterwards. Both use one pool.
 * O(1). */
void chunk_list_append(struct chunk_list *to, struct chunk_list *from);

/* A chain taken out of the list for one send. Its memory stays put until chunk_chain_release. */
struct chunk_chain {
    struct chunk *head;
    size_t bytes;
    size_t memory_bytes;
};
/* Takes from the front at most `iov_max` pieces and about `bytes_max` bytes (both > 0): whole pieces until bytes_max is reached, but
 * references are cut to at most bytes_max. Fills iov, returns the pieces (0: nothing to send). The chain is the caller's. What was
 * taken is not written to any more; the rest stays in the list. */
int chunk_list_take(struct chunk_list *list, struct chunk_chain *chain, struct iovec *iov, int iov_max, size_t bytes_max);
void chunk_chain_release(struct chunk_chain *chain, struct chunk_pool *pool);

#endif
