/* Inside src/commands only: what SORT's files share. Its table is in sort.c. */
#ifndef COMMANDS_SORT_H
#define COMMANDS_SORT_H

#include "base/buf.h"
#include "commands/command.h"

/* ---- sort_pattern.c: keys, and fields of hashes, whose names are made of an element */

struct sort_pattern {
    struct span before, after; /* of the key's name, around the element */
    struct span field;         /* of the hash at that key; data NULL: the key's string is meant */
    bool is_element;           /* "#" */
    bool is_constant;          /* no place for the element: nothing is found */
};
struct sort_pattern sort_pattern_parse(struct span text);

/* What a pattern has led to, borrowed from the database for the rest of the command. */
struct sort_value {
    bool found, is_int;
    int64_t number;
    struct span bytes;
    struct blob *blob; /* the same bytes, when they lie in one */
};

/* Some elements times some patterns, looked up side by side. */
enum { SORT_BATCH = 32, SORT_BATCH_BYTES = 64 * 1024 };
struct sort_batch {
    const struct sort_pattern *patterns;
    uint32_t pattern_count, element_count;
    struct sort_probe *probes; /* of each element each pattern's */
    struct buf names;
};
/* 0 or -ENOMEM: SORT_BATCH times pattern_count probes. */
ATTR_MUST_USE int sort_batch_init(struct sort_batch *batch, const struct sort_pattern *patterns,
                                  uint32_t pattern_count);
void sort_batch_release(struct sort_batch *batch);
/* Makes the names for as many of the elements, at most SORT_BATCH, as fit SORT_BATCH_BYTES, and asks for what they will touch. Returns
 * how many, or -ENOMEM. */
struct sort_item;
ATTR_MUST_USE int sort_batch_take(struct sort_batch *batch, struct call *call,
                                  const struct sort_item *items, uint64_t count);
/* Of the element (counted within the batch) the pattern's value. */
struct sort_value sort_batch_value(struct sort_batch *batch, struct call *call, uint32_t element,
                                   uint32_t pattern);

/* ---- sort_order.c */

struct sort_item {
    struct span element;
    union {
        double score;
        struct span by; /* data NULL: nothing to sort by was found, which comes first */
    };
};

enum sort_kind { SORT_NUMERIC, SORT_ALPHA, SORT_ALPHA_BY };
/* Stable; equal scores are in the order of the elements' bytes. 0 or -ENOMEM. */
ATTR_MUST_USE int sort_order(struct sort_item *items, uint64_t count, enum sort_kind kind,
                             bool descending);

#endif
