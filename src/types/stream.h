/* A stream value: an append-only log of entries, each an id and field-value pairs, and its consumer groups.
 *
 *   stream --> tree of blocks by id --> blocks of entries (stream_block.h): 25 bytes for an entry of one 20-byte value
 *          --> groups by name (stream_group.h)
 *
 * Appending is O(1), finding an id O(log n) and a walk within its block. A block is full at so many bytes or entries as the limits
 * say. Functions that return int: 0, or a negative code with the stream as it was. */
#ifndef TYPES_STREAM_H
#define TYPES_STREAM_H

#include "base/span.h"
#include "types/packed.h"
#include "types/stream_block.h"
#include "types/stream_id.h"
#include "types/stream_tree.h"

/* Named things in the order of their names' bytes; each begins with its name. */
struct stream_names {
    void **at;
    uint32_t count, capacity;
};

struct stream { /* the ids and counts are for everybody to read */
    struct stream_tree blocks;
    struct stream_block *tail; /* the tree's last; NULL when empty */
    uint64_t length;
    uint64_t entries_added;           /* ever */
    struct stream_id first_id;        /* of the first entry; zero when empty */
    struct stream_id last_id;         /* the highest that was given out */
    struct stream_id max_deleted_id;  /* the highest that was deleted one by one; zero: none */
    struct stream_names groups;
    size_t block_bytes;  /* of the blocks, in class bytes */
    size_t memory_bytes; /* of all else, in class bytes */
};

struct stream_limit {
    uint64_t block_bytes, block_entries; /* 0: no limit of the user's */
};
/* What a block holds when nobody says less, and what all elements of an entry may take. */
#define STREAM_BLOCK_BYTES_DEFAULT ((uint64_t)64 * 1024)
#define STREAM_ENTRY_BYTES_MAX ((uint64_t)1 << 30)

struct stream *stream_new(void); /* empty; never NULL */
void stream_free(struct stream *s);
struct stream *stream_try_copy(const struct stream *s); /* groups included */
uint64_t stream_free_effort(const struct stream *s);
bool stream_free_step(struct stream *s, uint32_t effort); /* about that many blocks or pending entries */
INLINE size_t stream_memory_bytes(const struct stream *s) {
    return s->memory_bytes + s->block_bytes;
}

/* The id must be above last_id. Pairs: field, value, field, value ... ERROR_LIMIT above STREAM_ENTRY_BYTES_MAX, or -ENOMEM. */
ATTR_MUST_USE int stream_append(struct stream *s, struct stream_id id, const struct span *pairs,
                                uint32_t pair_count, const struct stream_limit *limit);
bool stream_has(const struct stream *s, struct stream_id id);
bool stream_delete(struct stream *s, struct stream_id id); /* false: it was not there */
/* The last entry's id; zero when empty. */
struct stream_id stream_last_entry_id(const struct stream *s);

/* Removes entries from the first on, and returns how many. */
struct stream_trim {
    enum stream_trim_kind { STREAM_TRIM_NONE, STREAM_TRIM_LENGTH, STREAM_TRIM_BEFORE } kind;
    bool whole_blocks;      /* only those that go completely */
    uint64_t limit;         /* at most so many, counted by whole blocks; 0: all */
    uint64_t length;        /* to be left */
    struct stream_id before; /* ids below it go */
};
uint64_t stream_trim(struct stream *s, const struct stream_trim *trim);
/* The same, but when few blocks of many are to stay, the others are handed over in *cut instead of being freed; else it is NULL. */
uint64_t stream_trim_cut(struct stream *s, const struct stream_trim *trim, struct stream **cut);

/* -- walking over the entries from `low` to `high`, both included, while nothing changes. Hot path: XRANGE, XREAD.
 *
 *     for (bool there = stream_walk_begin(&w, s, range); there; there = stream_walk_next(&w))
 *         while (stream_walk_pair(&w, &field, &value)) ...
 *
 * Backwards, entries of a block are found by reading it forward once for each STREAM_WALK_NOTED of them. */
enum { STREAM_WALK_NOTED = 128 };

struct stream_range {
    struct stream_id low, high;
    bool reverse;
};

struct stream_walk {
    const struct stream_block *block;
    struct stream_entry entry; /* the present one: its id, pair_count */
    packed_at field, at;       /* the pair that is next; `at` also: behind the entry when all were taken */
    uint32_t pairs_left;
    struct stream_range range;
    struct stream_tree_path path;
    uint32_t noted_count; /* backwards: entries before the present one, the last is next */
    struct stream_entry noted[STREAM_WALK_NOTED];
};

bool stream_walk_begin(struct stream_walk *w, const struct stream *s, struct stream_range range);
/* How many entries such a walk meets, or `max`, if they are as many: O(blocks between the ends). */
uint64_t stream_count_range(const struct stream *s, struct stream_range range, uint64_t max);
bool stream_walk_next(struct stream_walk *w);

INLINE bool stream_walk_pair(struct stream_walk *w, struct packed_value *field,
                             struct packed_value *value) {
    if (w->pairs_left == 0) return false;
    w->pairs_left--;
    if (w->entry.own_fields) {
        *field = packed_get(w->at);
        w->at += packed_body_bytes(w->at);
    } else {
        *field = packed_get(w->field);
        w->field += packed_body_bytes(w->field);
    }
    *value = packed_get(w->at);
    w->at += packed_body_bytes(w->at);
    return true;
}

/* Structure checks for tests: aborts on a broken invariant. */
void stream_check(const struct stream *s);

#endif
