/* Inside src/persist only: the elements of a serialized collection, in whatever of Redis's forms they lie. */
#ifndef PERSIST_ELEMENTS_H
#define PERSIST_ELEMENTS_H

#include "persist/listpack.h"
#include "persist/rdb.h"
#include "persist/ziplist.h"

enum elements_form {
    ELEMENTS_STRINGS,  /* a count, and so many strings one by one */
    ELEMENTS_PAIRS,    /* a count, and twice so many strings */
    ELEMENTS_LISTPACK, /* the others: one string that is a block */
    ELEMENTS_ZIPLIST,
    ELEMENTS_ZIPMAP,
    ELEMENTS_INTSET, /* | width 4: 2, 4 or 8 | count 4 | numbers, ascending |, low bytes first */
};

struct elements {
    enum elements_form form;
    struct rdb_reader *reader;
    uint64_t left;             /* strings */
    uint64_t count;            /* at least so many where it is told, else 0 */
    struct rdb_scratch block;  /* holds what was compressed */
    union {
        struct listpack_cursor listpack;
        struct ziplist_cursor ziplist;
        struct zipmap_cursor zipmap;
        struct intset_cursor {
            const unsigned char *at, *end;
            unsigned width;
            bool begun;
            int64_t previous;
        } intset;
    };
};

/* Reads the count or the block. 0, ERROR_SYNTAX or -ENOMEM; release in any case. */
ATTR_MUST_USE int elements_begin(struct elements *e, struct rdb_reader *reader,
                                 enum elements_form form);
void elements_release(struct elements *e);
/* 1 and the next element as bytes, in the input or in `scratch`: valid until that is used again. 0 behind the last; ERROR_SYNTAX;
 * -ENOMEM. */
ATTR_MUST_USE int elements_next(struct elements *e, struct rdb_scratch *scratch, struct span *out);
/* The same where there must be one: 0 with it. */
ATTR_MUST_USE int elements_need(struct elements *e, struct rdb_scratch *scratch, struct span *out);

#endif
