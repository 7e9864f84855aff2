/* The table: extendible hashing over pointers to elements that carry their own key. The keyspace is one, and so are large
 * hashes and sets. A lookup costs two cache misses, bucket and element, and both can be prefetched.
 *
 * hash (64 bits):  [ directory index: top `depth` bits | ............ | place: low 16 bits ]
 *
 *   directory word:  [ bucket count: 16 | address of the segment's first bucket: 48 ], 0 while there is no segment
 *   segment:         a 64-byte header (local depth, count, earliest deadline), then its buckets
 *   bucket:          one cache line, eight slots, filled from the first on
 *   slot:            [ place: 16 | address of the element: 48 ], 0 when empty
 *
 * An element's home bucket in its segment is (place * bucket_count) >> 16; it lies there or in the buckets that follow it
 * (wrapping), with every bucket between full. The 16 place bits in the slot are compared before the element is touched, and
 * they let a segment grow by a quarter (through jemalloc's classes) without touching an element. A segment at its largest
 * splits in two, alone: no second table, no pause. Emptying segments shrink and merge back.
 *
 * Places and prefixes of an element never change, so a scan in (prefix, place) order meets every element that was there
 * throughout; see table_scan. Memory: 9 to 12 bytes an element beyond the first few hundred, in steps of the growth. */
#ifndef TYPES_TABLE_H
#define TYPES_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compat.h"
#include "base/random.h"
#include "base/span.h"

struct table_type {
    uint64_t (*hash)(const void *element); /* the same as the caller passes in */
    bool (*has_key)(const void *element, struct span key);
    int64_t (*deadline_ms)(
        const void *element); /* TABLE_NO_DEADLINE without one; NULL: never any */
};

#define TABLE_NO_DEADLINE INT64_MAX

struct table {
    uint64_t *directory; /* 1 << depth words; NULL while depth is 0: `single` is the only word */
    uint64_t single;
    uint64_t count; /* elements */
    uint32_t depth;
    uint32_t segment_count;
    uint32_t deepest_count; /* segments whose local depth is `depth`; at 0 the directory halves */
    uint32_t release_index; /* table_release_step's next directory word */
    size_t memory_bytes;    /* segments and directory, in class bytes; not the elements */
    const struct table_type *type;
};

/* One word of a bucket; pointers to it are valid until the next insert, remove or clear. */
typedef uint64_t table_slot;

void table_init(struct table *t, const struct table_type *type); /* allocates nothing */
/* Frees the structure; `element_free` (may be NULL) is called for each element. The table is empty and usable afterwards. A
 * table may be moved as a struct: nothing points into it. */
void table_release(struct table *t, void (*element_free)(void *element, void *context),
                   void *context);

#define TABLE_ADDRESS_MASK 0xffffffffffffu
enum { TABLE_BUCKET_SLOTS = 8 };

INLINE void *table_element(const table_slot *slot) {
    return (void *)(uintptr_t)(*slot & TABLE_ADDRESS_MASK);
}
/* Puts another element with the same key into the slot (after a reallocation). */
INLINE void table_slot_set(table_slot *slot, void *element) {
    *slot = (*slot & ~(uint64_t)TABLE_ADDRESS_MASK) | (uint64_t)(uintptr_t)element;
}

/* -- the hot path, inline. First its parts. */
INLINE uint64_t table_word(const struct table *t, uint64_t hash) {
    if (t->depth == 0) return t->single;
    return t->directory[hash >> (64 - t->depth)];
}
INLINE uint32_t table_place(uint64_t hash) {
    return (uint32_t)hash & 0xffff;
}
INLINE uint64_t *table_home_bucket(uint64_t word, uint64_t hash) {
    uint64_t *first = (uint64_t *)(uintptr_t)(word & TABLE_ADDRESS_MASK);
    uint32_t home = table_place(hash) * (uint32_t)(word >> 48) >> 16;
    return first + (size_t)home * TABLE_BUCKET_SLOTS;
}
/* One bit for each slot whose place is `place`; eight comparisons without a branch (written out: gcc -O2 leaves a loop, which
 * costs a find 15 ns). An empty slot counts as place 0. */
INLINE unsigned table_slot_match(const uint64_t *bucket, unsigned i, uint64_t place) {
    return (unsigned)(bucket[i] >> 48 == place) << i;
}
INLINE unsigned table_bucket_matches(const uint64_t *bucket, uint64_t place) {
    unsigned low = table_slot_match(bucket, 0, place) | table_slot_match(bucket, 1, place) |
                   table_slot_match(bucket, 2, place) | table_slot_match(bucket, 3, place);
    unsigned high = table_slot_match(bucket, 4, place) | table_slot_match(bucket, 5, place) |
                    table_slot_match(bucket, 6, place) | table_slot_match(bucket, 7, place);
    return low | high;
}

/* table_find with the comparison known at compile time. */
INLINE table_slot *table_find_by(const struct table *t, uint64_t hash, struct span key,
                                 bool (*has_key)(const void *element, struct span key)) {
    uint64_t word = table_word(t, hash), *bucket;
    if (UNLIKELY(word == 0)) return NULL;
    bucket = table_home_bucket(word, hash);
    for (uint64_t left = word >> 48; left > 0; left--) {
        uint64_t *first = (uint64_t *)(uintptr_t)(word & TABLE_ADDRESS_MASK);
        unsigned matches = table_bucket_matches(bucket, table_place(hash));
        for (; matches; matches &= matches - 1) {
            table_slot *slot = bucket + __builtin_ctz(matches);
            if (LIKELY(*slot != 0) && has_key(table_element(slot), key)) return slot;
        }
        if (bucket[TABLE_BUCKET_SLOTS - 1] == 0) return NULL;
        bucket += TABLE_BUCKET_SLOTS;
        if (bucket == first + (word >> 48) * TABLE_BUCKET_SLOTS) bucket = first;
    }
    return NULL;
}

/* The slot of the key, or NULL. */
table_slot *table_find(const struct table *t, uint64_t hash, struct span key);
/* The slot of an element known to be there, found without touching any element. */
table_slot *table_find_element(const struct table *t, uint64_t hash, const void *element);
/* The key must not be there. Never fails for the user's sake: segments are small. Returns the element's slot. Tells the segment of the element's deadline, when it has one. */
table_slot *table_insert(struct table *t, uint64_t hash, void *element);
/* The element itself is the caller's, and may be gone already. Bounded: at worst one rebuild of a segment of up to 8 KiB and, rarely,
 * a merge or the halving of the directory. */
void table_remove(struct table *t, table_slot *slot, uint64_t hash);

/* To gcc a function that only prefetches is free of effects, and a call to it that was not inlined goes (gcc 12, bug or not):
 * this empty statement is an effect. */
INLINE void table_keep_prefetch(void) {
    __asm__ volatile("");
}
/* Hints; any hash will do. First the bucket, for a whole window; then, when it has arrived, the elements with a fitting place. */
INLINE void table_prefetch_bucket(const struct table *t, uint64_t hash) {
    uint64_t word = table_word(t, hash);
    if (LIKELY(word != 0)) PREFETCH(table_home_bucket(word, hash));
    table_keep_prefetch();
}
INLINE void table_prefetch_element(const struct table *t, uint64_t hash) {
    uint64_t word = table_word(t, hash), *bucket;
    unsigned matches;
    if (UNLIKELY(word == 0)) return;
    bucket = table_home_bucket(word, hash);
    matches = table_bucket_matches(bucket, table_place(hash));
    /* A full bucket's element may be in the next (asking for that one too: finds 10 % faster, of absent keys 15 %). */
    PREFETCH(bucket + (bucket[TABLE_BUCKET_SLOTS - 1] ? TABLE_BUCKET_SLOTS : 0));
    for (; matches; matches &= matches - 1) {
        /* A number, as an empty slot has no element to add to. */
        uintptr_t element = (uintptr_t)table_element(bucket + __builtin_ctz(matches));
        /* The second line too: GET of 100-byte values, 50 clients with 100 requests in flight, takes 433 instead of 552 ns. */
        PREFETCH((const void *)element);
        PREFETCH((const void *)(element + 64));
    }
    table_keep_prefetch();
}

/* Visits at least one home bucket's elements and moves the cursor on; 0 begins, 0 returned ends. What was in the table from
 * the first call to the last is visited at least once; anything may be visited more than once after merges or splits.
 * `visit` must not change the table. A cursor is prefix, place and depth (see table_walk.c), below 2^53, so that clients
 * whose numbers are doubles keep it whole; every call moves it forward, so any scan ends; any value is harmless. */
uint64_t table_scan(const struct table *t, uint64_t cursor,
                    void (*visit)(void *element, void *context), void *context);

/* A walk over a table that does not change meanwhile: every element once. Begin with the table and zeroes. */
struct table_walk {
    const struct table *table;
    uint64_t position; /* the hash prefix of the segment that is walked */
    uint32_t slot;     /* in it */
    bool ended;
};
/* Writes the next elements, at most `max`, to `out` and asks for their lines; returns how many, 0 at the end. Who takes one batch
 * ahead of the one that is read has no misses to wait for. */
size_t table_walk_next(struct table_walk *walk, void **out, size_t max);

/* An element picked at random, fair enough for sampling (each slot position of a random segment is tried); NULL when empty. */
void *table_random(const struct table *t, struct random *random);

/* Sampling for a choice among several: up to `max` elements that lie side by side from a random place on, all of one segment. Hash order
 * is random, so neighbours have nothing to do with each other; they share cache lines, which is what makes this cheaper than
 * table_random for each. `place` is 64 random bits; whoever draws them early asks for the place's line meanwhile. Returns how many:
 * 0 only when the table is empty. */
size_t table_sample(const struct table *t, uint64_t place, void **out, size_t max);
void table_sample_prefetch(const struct table *t, uint64_t place);

/* Deadlines: each segment knows a lower bound of its elements' earliest. The owner tells it about changed ones. */
void table_note_deadline(struct table *t, uint64_t hash, int64_t deadline_ms);

/* A walk over the segments that are due. Zero-initialised it stands at the start. */
struct table_due_walk {
    uint64_t position;   /* a hash prefix */
    int64_t earliest_ms; /* lower bound of the deadlines that were seen in this round and stay */
    bool round_ended;    /* the last call came to the table's end: what follows is a new round */
};
/* Looks at segments from walk->position on, at most segment_count_max of them and up to the first that may hold something due; of
 * this one it collects into `due` up to due_max elements whose deadline is <= now_ms, and makes the bound exact when it has
 * seen all. Returns the number collected; the caller removes them after the call, before the next one. */
size_t table_collect_due(struct table *t, struct table_due_walk *walk, uint32_t segment_count_max,
                         int64_t now_ms, void **due, size_t due_max);

/* Frees at most segment_count_max segments of a table that nobody reads any more; true when it is empty. For lazy freeing. */
bool table_release_step(struct table *t, uint32_t segment_count_max,
                        void (*element_free)(void *element, void *context), void *context);

/* Structure checks for tests: aborts on a broken invariant. */
void table_check(const struct table *t);

#endif
