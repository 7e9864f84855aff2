/* The value of a set: a packed block or sorted integers while it is small, the table when it is large. What callers hold is one
 * word, a pointer whose low bits say which:
 *
 *   packed     the members side by side, forward only
 *   integers   struct intset
 *   table      struct table of elements, each one allocation:  | length 1, or 255 and length 4 | bytes |
 *
 * Functions that change a set take the address of the word. A set never turns back from a table. Members given are any bytes; a
 * canonical 64-bit integer is the same member as its number. Spans and values that are handed out point into the set and are
 * valid until its next change. -ENOMEM leaves the set as it was. */
#ifndef TYPES_SET_H
#define TYPES_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "base/span.h"
#include "types/packed.h"
#include "types/table.h"

struct set; /* the word; never followed outside set.c */

enum set_encoding { SET_PACKED, SET_INTSET, SET_TABLE };

/* What stays small: set-max-intset-entries, set-max-listpack-entries, set-max-listpack-value. */
struct set_limits {
    uint64_t intset_count_max, packed_count_max, packed_bytes_max;
};

/* Empty, of the encoding that suits `count` members like `first`. */
struct set *set_new(struct span first, uint64_t count, const struct set_limits *limits);
void set_free(struct set *s);
struct set *set_copy(const struct set *s); /* NULL without memory */
size_t set_memory_bytes(const struct set *s);
uint64_t set_free_effort(const struct set *s);
bool set_free_step(struct set *s, uint32_t effort); /* true when all is gone */

enum set_encoding set_encoding_of(const struct set *s);
uint64_t set_count(const struct set *s);

/* About to get `count` more members: turns to a table at once when they are many. 0 or -ENOMEM. */
ATTR_MUST_USE int set_prepare(struct set **s, uint64_t count, const struct set_limits *limits);
/* 1: added, 0: it was there, -ENOMEM. The span may not point into this set. */
ATTR_MUST_USE int set_add(struct set **s, struct span member, const struct set_limits *limits);
bool set_remove(struct set **s, struct span member); /* the span may point into the set */
bool set_has(const struct set *s, struct span member);
bool set_has_number(const struct set *s, int64_t number);

/* Asks for what looking up these members will touch; nothing for small sets. Pays for SET_AHEAD at a time. */
enum { SET_AHEAD = 32 };
void set_prefetch(const struct set *s, const struct span *members, uint32_t count);

/* A member picked at random; the set is not empty. */
struct packed_value set_random(const struct set *s, struct random *random);

/* Takes `count` members at random, fewer than there are, out of a set that is not a table; `take` is called for each before it
 * goes. For a table: set_random and set_remove. */
void set_sample_out(struct set **s, uint64_t count, struct random *random,
                    void (*take)(const struct packed_value *value, void *context), void *context);

/* A walk over a set that does not change meanwhile: every member once. */
enum { SET_WALK_BATCH = 32 };
struct set_walk {
    const struct set *set;
    packed_at at;
    uint32_t index;
    struct table_walk table;
    void *ahead[SET_WALK_BATCH];
    uint32_t ahead_count;
};
void set_walk_begin(struct set_walk *walk, const struct set *s);
/* The next members, at most SET_WALK_BATCH; 0 at the end. */
uint32_t set_walk_next(struct set_walk *walk, struct packed_value *out);

/* Of a table: visits some members and moves the cursor on; see table_scan. */
uint64_t set_scan(const struct set *s, uint64_t cursor,
                  void (*visit)(struct span member, void *context), void *context);

/* Structure checks for tests: aborts on a broken invariant. */
void set_check(const struct set *s);

#endif
