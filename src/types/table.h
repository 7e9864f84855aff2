/* The table: extendible hashing over pointers to elements that carry their own key. The keyspace is one, and so are large
 * hashes and sets. A lookup costs two cache misses, bucket and element, and both can be prefetched.
 *
 * hash (64 bits):  [ directory index: top `depth` bits | ............ | place: low 16 bits ]
 *
 *   directory word:  [ bucket count: 16 | address of the segment's first bucket: 48 ]
 *   segment:         a 64-byte header (local depth, count, earliest deadline), then its buckets
 *   bucket:          one cache line, eight slots
 *   slot:            [ place: 16 | address of the element: 48 ], 0 when empty
 *
 * An element's home bucket in its segment is (place * bucket_count) >> 16; it lies there or in the buckets that follow it
 * (wrapping), with every bucket between full. The 16 place bits in the slot are compared before the element is touched, and
 * they let a segment grow by a quarter (through jemalloc's classes) without touching an element. A segment at its largest
 * splits in two, alone: no second table, no pause. Emptying segments shrink and merge back.
 *
 * Places and prefixes of an element never change, so a scan in (prefix, place) order meets every element that was there
 * throughout; see table_scan. */
#ifndef TYPES_TABLE_H
#define TYPES_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compat.h"
#include "base/random.h"
#include "base/span.h"

struct table_type {
    uint64_t (*hash)(const void *element);                   /* the same as the caller passes in */
    bool (*has_key)(const void *element, struct span key);
    int64_t (*deadline_ms)(const void *element);             /* TABLE_NO_DEADLINE without one; NULL: elements never have one */
};

#define TABLE_NO_DEADLINE INT64_MAX

struct table {
    uint64_t *directory;     /* 1 << depth words; `single` while depth is 0 */
    uint64_t single;
    uint32_t depth;
    uint32_t segment_count;
    uint64_t count;          /* elements */
    size_t memory_bytes;     /* segments and directory, in class bytes; not the elements */
    const struct table_type *type;
};

typedef uint64_t table_slot; /* one word of a bucket; pointers to it are valid until the next insert, remove or clear */

void table_init(struct table *t, const struct table_type *type); /* allocates nothing */
/* Frees the structure; `element_free` (may be NULL) is called for each element. */
void table_release(struct table *t, void (*element_free)(void *element, void *context), void *context);

INLINE void *table_element(const table_slot *slot) {
    return (void *)(uintptr_t)(*slot & 0xffffffffffffu);
}
/* Puts another element with the same key into the slot (after a reallocation). */
INLINE void table_slot_set(table_slot *slot, void *element) {
    *slot = (*slot & ~(uint64_t)0xffffffffffffu) | (uint64_t)(uintptr_t)element;
}

/* The slot of the key, or NULL. Hot path (an inline variant with the comparison known at compile time may stand beside it). */
table_slot *table_find(const struct table *t, uint64_t hash, struct span key);
/* The key must not be there. Never fails for the user's sake: segments are small. Returns the element's slot. */
table_slot *table_insert(struct table *t, uint64_t hash, void *element);
void table_remove(struct table *t, table_slot *slot, uint64_t hash); /* the element itself is the caller's */

/* Hints; any hash will do. First the bucket, for a whole window; then, when it has arrived, the elements with a fitting place. */
void table_prefetch_bucket(const struct table *t, uint64_t hash);
void table_prefetch_element(const struct table *t, uint64_t hash);

/* Visits at least one home bucket's elements and moves the cursor on; 0 begins, 0 returned ends. What was in the table from
 * the first call to the last is visited at least once; anything may be visited more than once after merges or splits.
 * `visit` must not change the table. Cursor: prefix, place and depth; see table.c. */
uint64_t table_scan(const struct table *t, uint64_t cursor, void (*visit)(void *element, void *context), void *context);

/* An element picked at random, fair enough for sampling (each slot position of a random segment is tried); NULL when empty. */
void *table_random(const struct table *t, struct random *random);

/* Deadlines: each segment knows a lower bound of its elements' earliest. The owner tells it about new ones. */
void table_note_deadline(struct table *t, uint64_t hash, int64_t deadline_ms);
/* Looks at segments from *position on (a hash prefix; kept between calls), up to segment_count_max of them; collects into
 * `due` up to due_max elements whose deadline is <= now_ms and makes the bounds exact where it has seen a whole segment. Returns
 * the number collected; *position moves on (0 after a whole round). The caller removes them after the call. */
size_t table_collect_due(struct table *t, uint64_t *position, uint32_t segment_count_max, int64_t now_ms, void **due, size_t due_max);

/* Frees at most segment_count_max segments of a table that nobody reads any more; true when it is empty. For lazy freeing. */
bool table_release_step(struct table *t, uint32_t segment_count_max, void (*element_free)(void *element, void *context), void *context);

/* Structure checks for tests: aborts on a broken invariant. */
void table_check(const struct table *t);

#endif
