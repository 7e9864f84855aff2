/* Output chunks. Three kinds of struct chunk:
 *
 *   small      +--------+----------------------+   a list's first; after a reference or a mark,
 *              | header | 1240 bytes of room   |   which often come in numbers with little in
 *              +--------+----------------------+   between
 *   large      +--------+-------- ... ---------+   when the one before ran out of room
 *              | header | 20440 bytes of room  |
 *              +--------+-------- ... ---------+
 *   reference  +--------+
 *              | header | -> bytes of a blob
 *              +--------+
 *
 * Whole chunks are 1280 and 20480 bytes: size classes of the allocator, so nothing is lost, and not
 * powers of two. Chunks of 2^n bytes would all begin in the same few sets of the first-level cache,
 * and the beginnings are what every reply touches.
 *
 * Invariants of a list:
 *  - head and tail are both NULL or both not; tail->next is NULL.
 *  - write is NULL, or tail is a plain chunk and write points into its room; that chunk's len is
 *    not up to date until it is sealed.
 *  - sealed_bytes is the sum of the lengths of all other chunks. memory_bytes is the sum of
 *    chunk_memory over all chunks.
 * The owner's counters move when a chunk is sealed.
 *
 * Hot path: chunk_room and chunk_wrote (inline), chunk_put, chunk_list_take,
 * chunk_chain_release. */
#include "base/chunk.h"

#include <string.h>

#include "base/alloc.h"
#include "base/check.h"

enum {
    SMALL_TOTAL = 1280,
    LARGE_TOTAL = 5 * 4096,
    SMALL_ROOM = SMALL_TOTAL - (int)sizeof(struct chunk),
    LARGE_ROOM = LARGE_TOTAL - (int)sizeof(struct chunk),

    /* Kept in the pool: what one turn of 1024 events hands out, 1.25 and 20 MiB, until the next
     * trim. */
    SMALL_KEPT = 1024,
    LARGE_KEPT = 1024,
};
_Static_assert((int)SMALL_ROOM >= (int)CHUNK_SMALL_BYTES,
               "a small chunk has the room that its name promises");
_Static_assert((int)LARGE_ROOM >= (int)CHUNK_LARGE_BYTES, "so has a large one");
_Static_assert((int)CHUNK_MARK_BYTES <= (int)CHUNK_SMALL_BYTES, "a mark fits any chunk");

INLINE size_t chunk_len(const struct chunk *c) {
    return c->blob ? c->ref_len : c->len;
}

/* What the chunk keeps from being freed. */
INLINE size_t chunk_memory(const struct chunk *c) {
    return sizeof *c + (c->blob ? c->ref_len : c->capacity);
}

/* ---- the pool */

void chunk_pool_init(struct chunk_pool *pool) {
    *pool = (struct chunk_pool){.small_count_max = SMALL_KEPT, .large_count_max = LARGE_KEPT};
}

static void free_plain_list(struct chunk *c) {
    while (c) {
        struct chunk *next = c->next;
        mem_free_sized(c, sizeof *c + c->capacity);
        c = next;
    }
}

void chunk_pool_release(struct chunk_pool *pool) {
    DCHECK(pool->out_bytes == 0);
    free_plain_list(pool->small);
    free_plain_list(pool->large);
    pool->small = pool->large = NULL;
    pool->small_count = pool->large_count = 0;
    pool->small_count_low = pool->large_count_low = 0;
}

/* Takes `count` chunks off a free list and frees them. */
static void free_first(struct chunk **list, size_t count) {
    while (count--) {
        struct chunk *c = *list;
        *list = c->next;
        mem_free_sized(c, sizeof *c + c->capacity);
    }
}

void chunk_pool_trim(struct chunk_pool *pool) {
    free_first(&pool->small, pool->small_count_low);
    free_first(&pool->large, pool->large_count_low);
    pool->small_count -= pool->small_count_low;
    pool->large_count -= pool->large_count_low;
    pool->small_count_low = pool->small_count;
    pool->large_count_low = pool->large_count;
}

size_t chunk_pool_idle_bytes(const struct chunk_pool *pool) {
    return pool->small_count * SMALL_TOTAL + pool->large_count * LARGE_TOTAL;
}

static struct chunk *plain_new(uint32_t room) {
    struct chunk *c = mem_alloc(sizeof *c + room);
    *c = (struct chunk){.data = c->bytes, .capacity = room};
    return c;
}

static struct chunk *small_get(struct chunk_pool *pool) {
    struct chunk *c = pool->small;
    pool->out_bytes += SMALL_TOTAL;
    if (UNLIKELY(!c)) return plain_new(SMALL_ROOM);
    pool->small = c->next;
    pool->small_count--;
    if (pool->small_count < pool->small_count_low) pool->small_count_low = pool->small_count;
    c->next = NULL;
    c->len = 0;
    return c;
}

static struct chunk *large_get(struct chunk_pool *pool) {
    struct chunk *c = pool->large;
    pool->out_bytes += LARGE_TOTAL;
    if (UNLIKELY(!c)) return plain_new(LARGE_ROOM);
    pool->large = c->next;
    pool->large_count--;
    if (pool->large_count < pool->large_count_low) pool->large_count_low = pool->large_count;
    c->next = NULL;
    c->len = 0;
    return c;
}

static struct chunk *reference_new(struct chunk_pool *pool, struct blob *blob, const char *data,
                                   size_t len) {
    struct chunk *c = mem_alloc(sizeof *c);
    *c = (struct chunk){.data = data, .blob = blob_ref(blob), .ref_len = len};
    pool->out_bytes += sizeof *c;
    return c;
}

/* Back to where it came from. */
static void chunk_put_back(struct chunk_pool *pool, struct chunk *c) {
    if (c->blob) {
        pool->out_bytes -= sizeof *c;
        blob_unref(c->blob);
        mem_free_sized(c, sizeof *c);
        return;
    }
    pool->out_bytes -= sizeof *c + c->capacity;
    if (c->capacity == SMALL_ROOM && pool->small_count < pool->small_count_max) {
        c->next = pool->small;
        pool->small = c;
        pool->small_count++;
    } else if (c->capacity == LARGE_ROOM && pool->large_count < pool->large_count_max) {
        c->next = pool->large;
        pool->large = c;
        pool->large_count++;
    } else {
        mem_free_sized(c, sizeof *c + c->capacity);
    }
}

/* ---- the list */

void chunk_list_init(struct chunk_list *list, struct chunk_pool *pool, uint64_t *copied_bytes,
                     uint64_t *referenced_bytes) {
    *list = (struct chunk_list){
        .pool = pool, .copied_bytes = copied_bytes, .referenced_bytes = referenced_bytes};
}

/* The list without chunks, whoever has them now. */
static void list_reset(struct chunk_list *list) {
    list->head = list->tail = NULL;
    list->write = list->write_end = NULL;
    list->sealed_bytes = list->memory_bytes = 0;
}

static void put_back_all(struct chunk_pool *pool, struct chunk *c) {
    while (c) {
        struct chunk *next = c->next;
        chunk_put_back(pool, c);
        c = next;
    }
}

void chunk_list_clear(struct chunk_list *list) {
    put_back_all(list->pool, list->head);
    list_reset(list);
}

INLINE size_t written_bytes(const struct chunk_list *list) {
    return list->write ? (size_t)(list->write - list->tail->bytes) : 0;
}

size_t chunk_list_bytes(const struct chunk_list *list) {
    return list->sealed_bytes + written_bytes(list);
}

size_t chunk_list_memory_bytes(const struct chunk_list *list) {
    return list->memory_bytes;
}

/* Ends writing to the tail. */
static void seal(struct chunk_list *list) {
    size_t len = written_bytes(list);
    if (!list->write) return;
    DCHECK(list->write <= list->write_end);
    list->tail->len = (uint32_t)len;
    list->sealed_bytes += len;
    *list->copied_bytes += len;
    list->write = list->write_end = NULL;
}

struct span chunk_list_span(const struct chunk_list *list, const struct chunk *chunk) {
    if (list->write && chunk == list->tail) return span_make(chunk->data, written_bytes(list));
    return span_make(chunk->data, chunk_len(chunk));
}

void chunk_list_rewind(struct chunk_list *list) {
    if (list->write && list->head == list->tail) {
        list->write = list->tail->bytes;
    } else {
        chunk_list_clear(list);
    }
}

static void push(struct chunk_list *list, struct chunk *c) {
    if (list->tail)
        list->tail->next = c;
    else
        list->head = c;
    list->tail = c;
    list->memory_bytes += chunk_memory(c);
}

static void push_writable(struct chunk_list *list, struct chunk *c) {
    seal(list);
    push(list, c);
    list->write = c->bytes;
    list->write_end = c->bytes + c->capacity;
}

char *chunk_room_slow(struct chunk_list *list, size_t bytes) {
    DCHECK(bytes <= CHUNK_SMALL_BYTES);
    push_writable(list, list->write ? large_get(list->pool) : small_get(list->pool));
    return list->write;
}

void chunk_expect(struct chunk_list *list, size_t bytes) {
    if (!list->write && bytes > SMALL_ROOM) push_writable(list, large_get(list->pool));
}

void chunk_put(struct chunk_list *list, const void *data, size_t len) {
    const char *from = data;
    size_t room = (size_t)(list->write_end - list->write);
    while (UNLIKELY(len > room)) {
        if (room) {
            memcpy(list->write, from, room);
            list->write += room;
            from += room;
            len -= room;
        }
        if (!list->write && len > SMALL_ROOM)
            chunk_expect(list, len);
        else
            chunk_room_slow(list, 1);
        room = (size_t)(list->write_end - list->write);
    }
    if (len == 0) return;
    memcpy(list->write, from, len);
    list->write += len;
}

void chunk_put_blob(struct chunk_list *list, struct blob *blob, size_t offset, size_t len) {
    DCHECK(offset <= blob->len && len <= blob->len - offset);
    if (len == 0) return;
    seal(list);
    push(list, reference_new(list->pool, blob, blob->data + offset, len));
    list->sealed_bytes += len;
    *list->referenced_bytes += len;
}

/* The mark is the tail itself, sealed while it has the room that the fill may need. */
struct chunk *chunk_mark(struct chunk_list *list) {
    chunk_room(list, CHUNK_MARK_BYTES);
    seal(list);
    return list->tail;
}

void chunk_fill_mark(struct chunk_list *list, struct chunk *mark, const char *text, size_t len) {
    DCHECK(len <= CHUNK_MARK_BYTES && len <= mark->capacity - mark->len);
    if (len == 0) return;
    memcpy(mark->bytes + mark->len, text, len);
    mark->len += (uint32_t)len;
    list->sealed_bytes += len;
    *list->copied_bytes += len;
}

void chunk_list_append(struct chunk_list *to, struct chunk_list *from) {
    size_t bytes = written_bytes(from);
    DCHECK(to->pool == from->pool && to != from);
    if (!from->head) return;
    if (from->head == from->tail && from->write && (size_t)(to->write_end - to->write) >= bytes) {
        /* A short reply behind another: a copy now is cheaper than one more piece in the send. */
        chunk_put(to, from->head->bytes, bytes);
        chunk_list_clear(from);
        return;
    }
    seal(to);
    if (to->tail)
        to->tail->next = from->head;
    else
        to->head = from->head;
    to->tail = from->tail;
    to->write = from->write;
    to->write_end = from->write_end;
    to->sealed_bytes += from->sealed_bytes;
    to->memory_bytes += from->memory_bytes;
    list_reset(from);
}

/* ---- sending */

/* The first `len` bytes of the reference `c`, which keeps the rest. */
static struct chunk *split_reference(struct chunk_list *list, struct chunk *c, size_t len) {
    struct chunk *first = reference_new(list->pool, c->blob, c->data, len);
    first->next = c;
    c->data += len;
    c->ref_len -= len;
    list->memory_bytes += sizeof *first;
    return first;
}

int chunk_list_take(struct chunk_list *list, struct chunk_chain *chain, struct iovec *iov,
                    int iov_max, size_t bytes_max) {
    struct chunk *c = list->head, **link = &chain->head;
    int count = 0;
    DCHECK(iov_max > 0 && bytes_max > 0);
    *chain = (struct chunk_chain){0};
    while (c && count < iov_max && chain->bytes < bytes_max) {
        struct chunk *next;
        size_t len;
        if (c == list->tail) seal(list);
        if (c->blob && c->ref_len > bytes_max) c = split_reference(list, c, bytes_max);
        next = c->next;
        len = chunk_len(c);
        list->memory_bytes -= chunk_memory(c);
        if (UNLIKELY(len == 0)) {
            chunk_put_back(list->pool, c);
        } else {
            iov[count++] = (struct iovec){(char *)(uintptr_t)c->data, len};
            chain->bytes += len;
            chain->memory_bytes += chunk_memory(c);
            *link = c;
            link = &c->next;
        }
        c = next;
    }
    *link = NULL;
    list->sealed_bytes -= chain->bytes;
    list->head = c;
    if (!c) list->tail = NULL;
    return count;
}

void chunk_chain_release(struct chunk_chain *chain, struct chunk_pool *pool) {
    put_back_all(pool, chain->head);
    *chain = (struct chunk_chain){0};
}
