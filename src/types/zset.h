/* The value of a sorted set: one packed block while it is small, a tree and a table when it is large. What callers hold is one word,
 * a pointer whose lowest bit says which:
 *
 *   packed   member, score, member, score, ... in order, with backward sizes. A score that is a whole number is stored as one (-0 as 0);
 *            others as "f" and the four bytes of a float when that is exact, or "d" and the eight of a double
 *   large    struct ztree and struct table over the same elements (see zelement.h), about 52 bytes for a 16-byte member
 *
 * Functions that change a sorted set take the address of the word. It never turns back from large by itself. Scores are never nan.
 * Spans handed out are valid until the next change; those given may not point into the set unless it is said. -ENOMEM leaves
 * everything as it was. */
#ifndef TYPES_ZSET_H
#define TYPES_ZSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/num.h"
#include "base/span.h"
#include "types/packed.h"
#include "types/table.h"
#include "types/ztree.h"

struct zset; /* the word; never followed outside zset.c */

/* What stays small: zset-max-listpack-entries, zset-max-listpack-value. */
struct zset_limits {
    uint64_t count_max;
    size_t bytes_max; /* of a member */
};

/* Empty, of the form that suits `count` members of up to `bytes` bytes. */
struct zset *zset_new(uint64_t count, size_t bytes, const struct zset_limits *limits);
void zset_free(struct zset *z);
struct zset *zset_copy(const struct zset *z);       /* NULL without memory */
size_t zset_memory_bytes(const struct zset *z);     /* O(1) */
uint64_t zset_free_effort(const struct zset *z);    /* O(1) */
bool zset_free_step(struct zset *z, uint32_t effort); /* true when all is gone */
bool zset_is_packed(const struct zset *z);
uint64_t zset_count(const struct zset *z);

/* About to get members, `count` of them and of up to `bytes` bytes: turns large when those alone are above the limits. */
ATTR_MUST_USE int zset_prepare(struct zset **z, uint64_t count, size_t bytes,
                               const struct zset_limits *limits);

/* -- one member. Its place is what zset_find found out, for the changes below; it is valid until the next change. */
struct zset_place {
    uint64_t hash; /* large */
    double score;  /* found */
    union {
        packed_at at;             /* found, packed */
        struct zelement *element; /* found, large */
    };
};
bool zset_find(const struct zset *z, struct span member, struct zset_place *place);
/* Asks for what finding members[0], members[step], ... will touch; nothing for small sets. Pays for ZSET_AHEAD at a time. */
enum { ZSET_AHEAD = 32 };
void zset_prefetch(const struct zset *z, const struct span *members, uint32_t count, uint32_t step);

/* After zset_find has said no. */
ATTR_MUST_USE int zset_insert(struct zset **z, const struct zset_place *place, struct span member,
                              double score, const struct zset_limits *limits);
/* After it has said yes. */
ATTR_MUST_USE int zset_set_score(struct zset **z, const struct zset_place *place,
                                 struct span member, double score);
void zset_remove(struct zset **z, const struct zset_place *place);
uint64_t zset_rank(const struct zset *z, const struct zset_place *place); /* 0: the first */

/* -- ranges, all by rank: O(log n) when large */
uint64_t zset_count_before(const struct zset *z, const struct ztree_bound *bound);
void zset_remove_range(struct zset **z, uint64_t rank, uint64_t count); /* as many as there are */
/* The same, but when few of many are to stay, the others are handed over as a set of their own, to be freed; else it is NULL. */
ATTR_MUST_USE struct zset *zset_cut_range(struct zset **z, uint64_t rank, uint64_t count);

/* A walk. The members of packed sets that are numbers are spelled out in the cursor, so it does not move. */
struct zset_cursor {
    struct span member;
    double score;
    const struct packed *packed; /* NULL: large */
    packed_at at;                /* the member's */
    struct ztree_path path;
    char text[NUM_INT_TEXT_MAX];
};
/* True: member and score are of the element there. False past the end. Must not be called after one that said false. */
bool zset_seek(const struct zset *z, uint64_t rank, struct zset_cursor *cursor);
bool zset_next(struct zset_cursor *cursor);
bool zset_previous(struct zset_cursor *cursor);

/* Of a large one: visits some members and moves the cursor on; see table_scan. A small one is visited whole. */
uint64_t zset_scan(const struct zset *z, uint64_t cursor,
                   void (*visit)(struct span member, double score, void *context), void *context);

/* -- making one of unsorted members, as of several sets. Zero-initialise, add, end. */
struct zset_build {
    struct table table;
    size_t element_bytes, member_bytes_max;
};
void zset_build_begin(struct zset_build *b);
INLINE uint64_t zset_build_count(const struct zset_build *b) {
    return b->table.count;
}
/* NULL: not there. The score may be changed in place. */
struct zelement *zset_build_find(const struct zset_build *b, struct span member, uint64_t hash);
ATTR_MUST_USE int zset_build_add(struct zset_build *b, struct span member, uint64_t hash,
                                 double score); /* not there yet */
bool zset_build_remove(struct zset_build *b, struct span member, uint64_t hash);
/* The set, in the form that the limits ask for; the builder is empty again. NULL without memory: the builder is as it was. */
struct zset *zset_build_end(struct zset_build *b, const struct zset_limits *limits);
void zset_build_abort(struct zset_build *b);

/* Structure checks for tests: aborts on a broken invariant. */
void zset_check(const struct zset *z);

#endif
