/* The value of a hash: fields with values, and deadlines of single fields. What callers hold is one word, a pointer whose low
 * bits say which of three it is:
 *
 *   packed     field, value, field, value ... in one packed block, forward only
 *   timed      | earliest deadline 8 | packed block * | how many have a deadline |, the block with a third element for each field:
 *              its deadline (Unix time in ms), 0 for none
 *   table      | earliest deadline 8 | ... | struct table of elements, each one allocation:
 *
 *     narrow:  | flags 1 | field len 1 | value len 1 | [deadline 8] field bytes | value bytes
 *     wide:    | flags 1 | field len 4 | value len 4 | [deadline 8] field bytes | value bytes
 *
 * A 16-byte field with a 20-byte value takes 48 bytes, and 10 of the table.
 *
 * A field whose deadline has passed (clock_real_ms) is not there for any function below that does not say otherwise; it takes room
 * and is counted until fields_remove_due, or a new value, takes its place. Functions that change a hash take the address of the
 * word. A hash never turns back from a table. What is handed out points into the hash and is valid until its next change; spans given
 * must not point into it. -ENOMEM leaves the hash as it was. */
#ifndef TYPES_FIELDS_H
#define TYPES_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "base/span.h"
#include "types/packed.h"
#include "types/table.h"

struct fields; /* the word; never followed outside fields.c */

enum fields_encoding { FIELDS_PACKED, FIELDS_TIMED, FIELDS_TABLE };

/* What stays small: hash-max-listpack-entries, hash-max-listpack-value. */
struct fields_limits {
    uint64_t packed_count_max, packed_bytes_max;
};

#define FIELDS_NO_DEADLINE TABLE_NO_DEADLINE
#define FIELDS_KEEP_DEADLINE (INT64_MAX - 1)

struct fields *fields_new(void); /* empty and packed */
void fields_free(struct fields *f);
struct fields *fields_copy(const struct fields *f); /* NULL without memory */
size_t fields_memory_bytes(const struct fields *f);
uint64_t fields_free_effort(const struct fields *f);
bool fields_free_step(struct fields *f, uint32_t effort); /* true when all is gone */

enum { FIELDS_TAG_MASK = 7 };
INLINE enum fields_encoding fields_encoding_of(const struct fields *f) {
    return (enum fields_encoding)((uintptr_t)f & FIELDS_TAG_MASK);
}
uint64_t fields_count(const struct fields *f);          /* those whose time has passed included */
uint64_t fields_deadline_count(const struct fields *f); /* how many have one, passed or not */
/* A lower bound of the earliest deadline; FIELDS_NO_DEADLINE while there is none. */
int64_t fields_earliest_ms(const struct fields *f);
/* The block of a hash that is FIELDS_PACKED: field and value in turn. NULL for the others. */
const struct packed *fields_packed(const struct fields *f);

/* -- reading */
struct field_pair {
    struct packed_value field, value;
    int64_t deadline_ms; /* FIELDS_NO_DEADLINE: none */
};
/* Fills value and deadline. */
bool fields_get(const struct fields *f, struct span field, struct field_pair *out);
/* Asks for what looking up these fields will touch: fields[0], fields[step], ...; nothing for small hashes. Pays for FIELDS_AHEAD at
 * a time. */
enum { FIELDS_AHEAD = 32 };
void fields_prefetch(const struct fields *f, const struct span *fields, uint32_t count,
                     uint32_t step);
/* One at random of a hash that is not empty. False when the one that came up is past its deadline. */
bool fields_random(const struct fields *f, struct random *random, struct field_pair *out);

/* A walk over a hash that does not change meanwhile: every field once. */
enum { FIELDS_WALK_BATCH = 16 };
struct fields_walk {
    const struct fields *fields;
    packed_at at;
    struct table_walk table;
    void *ahead[FIELDS_WALK_BATCH];
    uint32_t ahead_count;
};
void fields_walk_begin(struct fields_walk *walk, const struct fields *f);
/* The next ones, at most FIELDS_WALK_BATCH; 0 at the end. */
uint32_t fields_walk_next(struct fields_walk *walk, struct field_pair *out);

/* Of a table: visits some fields and moves the cursor on; see table_scan. */
uint64_t fields_scan(const struct fields *f, uint64_t cursor,
                     void (*visit)(const struct field_pair *pair, void *context), void *context);

/* -- writing */
/* About to get `count` fields of which the longest text has `len_max` bytes: turns to a table at once when that is much. 0 or
 * -ENOMEM. */
ATTR_MUST_USE int fields_prepare(struct fields **f, uint64_t count, size_t len_max,
                                 const struct fields_limits *limits);
/* deadline_ms: Unix time, FIELDS_NO_DEADLINE, or FIELDS_KEEP_DEADLINE for that of the field that is there. */
enum { FIELDS_UPDATED = 0, FIELDS_ADDED = 1, FIELDS_REVIVED = 2 /* added in the place of an expired one */ };
ATTR_MUST_USE int fields_set(struct fields **f, struct span field, struct span value,
                             int64_t deadline_ms, const struct fields_limits *limits);
bool fields_remove(struct fields **f, struct span field);
bool fields_remove_any(struct fields **f, struct span field); /* one past its deadline, too */

/* Conditions on the deadline that is there; none counts as endless. */
enum fields_condition {
    FIELDS_IF_NONE = 1,
    FIELDS_IF_ANY = 2,
    FIELDS_IF_LATER = 4, /* the new one is later */
    FIELDS_IF_EARLIER = 8,
};
enum {
    FIELDS_ABSENT = -2,
    FIELDS_WITHOUT = -1, /* fields_persist: it had none */
    FIELDS_REFUSED = 0,  /* the condition does not hold */
    FIELDS_CHANGED = 1,
    FIELDS_EXPIRED = 2, /* the deadline has passed already: the field went */
};
ATTR_MUST_USE int fields_expire(struct fields **f, struct span field, int64_t deadline_ms,
                                unsigned conditions);
ATTR_MUST_USE int fields_persist(struct fields **f, struct span field);

/* Removes fields whose deadline is <= now_ms, about `max` at most, and returns how many; fields_earliest_ms then tells when to come
 * again: at once when it is not later than now_ms. Works at a large hash part by part. */
uint64_t fields_remove_due(struct fields **f, int64_t now_ms, uint64_t max);

/* Structure checks for tests: aborts on a broken invariant. */
void fields_check(const struct fields *f);

#endif
