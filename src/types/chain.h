/* A list value: its elements in packed blocks side by side. (Named so because `list` is base's.)
 *
 * While small it is one packed block alone (OBJECT ENCODING "listpack"); above list-max-listpack-size it is an array of nodes
 * ("quicklist"), each a packed block of up to that size, or a blob that holds one large element:
 *
 *   small:  | one node | count |
 *   chain:  | nodes | count | --> | node | node | node | node | node |      16 bytes each, room at both ends
 *                                    |      |      |      |      |
 *                                 reversed fwd    fwd    blob  backward
 *
 * The ends are made for pushing and popping: the first node grows by its end too, for it holds its elements in reverse; the last has
 * backward sizes. What lies between is forward-only, which saves a byte an element. Only speed and memory hang on
 * that: every function takes every node as it is, and a node that there was no memory to turn round stays.
 *
 * Ends cost O(1). An index is found over the array of counts from the nearer end (4 nodes a cache line), then within the node.
 * Functions that return int: 0 or more, or -ENOMEM with the elements as they were. An empty chain is the caller's to drop. */
#ifndef TYPES_CHAIN_H
#define TYPES_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/blob.h"
#include "base/compat.h"
#include "types/packed.h"

enum chain_form {
    CHAIN_PACKED,   /* block order is list order */
    CHAIN_REVERSED, /* block order is the opposite: the node's first element is the block's last */
    CHAIN_BLOB,     /* one large element */
};

struct chain_node {
    union {
        struct packed *packed;
        struct blob *blob;
    };
    uint32_t count; /* elements */
    uint32_t form;  /* enum chain_form */
};

struct chain_nodes {
    uint32_t first, count, capacity; /* at[first] is the first node */
    size_t bytes;                    /* of all blocks and blobs, in class bytes */
    struct chain_node at[];
};

struct chain {                 /* private; here for the walk */
    struct chain_node one;     /* while nodes is NULL */
    struct chain_nodes *nodes; /* NULL: small */
    uint64_t count;            /* elements */
};

enum chain_end { CHAIN_HEAD, CHAIN_TAIL };

/* What a node may hold, from list-max-listpack-size: -1 to -5 are 4 to 64 KiB, more than 0 that many elements. Elements above `bytes`
 * get a blob of their own. */
struct chain_limit {
    size_t bytes;
    uint32_t count;
};
struct chain_limit chain_limit_of(int64_t setting);

/* An element to be put in. */
struct chain_item {
    struct span bytes;
    struct blob *
        blob; /* the same bytes, if they are already in a blob: a large element takes a reference of its own. May be NULL */
};

/* An element as it lies there, borrowed until the next change. */
struct chain_value {
    struct packed_value value;
    struct blob *blob; /* not NULL: of a large one; value.bytes are its bytes */
};

struct chain *chain_new(void); /* empty; never NULL */
void chain_free(struct chain *c);
struct chain *chain_try_copy(const struct chain *c);
uint64_t chain_free_effort(const struct chain *c);
bool chain_free_step(struct chain *c,
                     uint32_t effort);            /* about that many nodes; true when all is gone */
size_t chain_memory_bytes(const struct chain *c); /* O(1) */
const char *chain_encoding(const struct chain *c);

INLINE uint64_t chain_count(const struct chain *c) {
    return c->count;
}

/* -- ends */
ATTR_MUST_USE int chain_push(struct chain *c, enum chain_end end, const struct chain_item *item,
                             const struct chain_limit *limit);
/* Of a chain that is not empty. Taking the value first makes the end ready for cheap drops. */
struct chain_value chain_end_value(struct chain *c, enum chain_end end);
void chain_drop(struct chain *c, enum chain_end end, const struct chain_limit *limit);

/* -- by index: counted from 0, within the count */
ATTR_MUST_USE int chain_set(struct chain *c, uint64_t index, const struct chain_item *item,
                            const struct chain_limit *limit);
void chain_remove(struct chain *c, uint64_t index, uint64_t count, const struct chain_limit *limit);
/* The same, but many whole nodes are handed over as a chain of their own instead of being freed. NULL: nothing was. */
ATTR_MUST_USE struct chain *chain_cut(struct chain *c, uint64_t index, uint64_t count,
                                      const struct chain_limit *limit);

/* -- by value */
/* Next to the first element that equals `pivot`: 1, or 0 when there is none. */
ATTR_MUST_USE int chain_insert(struct chain *c, struct span pivot, bool after,
                               const struct chain_item *item, const struct chain_limit *limit);
/* The first `count` that equal `bytes` from that end on; 0: all. Returns how many went. */
uint64_t chain_remove_equal(struct chain *c, struct span bytes, enum chain_end from, uint64_t count,
                            const struct chain_limit *limit);
/* Where elements equal `bytes`. */
struct chain_search {
    enum chain_end from;
    uint64_t rank;  /* 1: from the first match on */
    uint64_t count; /* at most so many; 0: all */
    uint64_t depth; /* looks at that many elements from the end; 0: all */
};
void chain_find(const struct chain *c, struct span bytes, const struct chain_search *search,
                void (*found)(uint64_t index, void *context), void *context);

/* -- walking from head to tail, while nothing changes. Hot path: LRANGE.
 *
 *     for (bool there = chain_walk_at(&w, c, index); there; there = chain_walk_next(&w)) ... chain_walk_value(&w)
 */
struct chain_walk {
    const struct chain *chain;
    const struct packed *packed; /* NULL: at a blob */
    packed_at at;
    struct blob *blob;
    uint32_t node; /* from 0 */
    bool reversed;
};
bool chain_walk_at(struct chain_walk *w, const struct chain *c,
                   uint64_t index); /* false: no such index */
bool chain_walk_next_node(struct chain_walk *w);
bool chain_walk_back(struct chain_walk *w); /* within a reversed node */

INLINE bool chain_walk_next(struct chain_walk *w) {
    if (UNLIKELY(!w->packed)) return chain_walk_next_node(w);
    if (w->reversed) return chain_walk_back(w);
    w->at = packed_behind(w->packed, w->at);
    return LIKELY(w->at < packed_end(w->packed)) ? true : chain_walk_next_node(w);
}
INLINE struct chain_value chain_walk_value(const struct chain_walk *w) {
    if (LIKELY(w->packed != NULL)) return (struct chain_value){.value = packed_get(w->at)};
    return (struct chain_value){.value.bytes = blob_span(w->blob), .blob = w->blob};
}

/* Structure checks for tests: aborts on a broken invariant. */
void chain_check(const struct chain *c);

#endif
