/* Listpacks: elements side by side, strings or numbers, as in serialized values. (types/packed.h is ours; this one is Redis's.)
 *
 *   | bytes 4 | count 2, 65535: unknown | element | element | ... | ff |       low bytes first
 *   element:  | head and bytes | their size backwards 1-5 |
 *
 *   head:     0nnnnnnn                       the number n
 *             10llllll                       that many bytes follow
 *             110nnnnn nnnnnnnn              a number of 13 bits, two's complement, high bits first
 *             1110llll llllllll              that many bytes follow, high bits first
 *             11110000 and four bytes        the length; that many bytes follow
 *             11110001 11110010 11110011 11110100 and 2, 3, 4, 8 bytes       a number, two's complement
 *   size backwards: seven bits a byte, the lowest in the last; the high bit says that another precedes
 *
 * Whatever bytes are read, nothing outside them is looked at. */
#ifndef PERSIST_LISTPACK_H
#define PERSIST_LISTPACK_H

#include "persist/rdb.h"
#include "types/packed.h"

/* -- reading: 0 or 1, or ERROR_SYNTAX for damaged bytes */
struct listpack_cursor {
    const unsigned char *at, *end; /* the end's byte */
    uint32_t count_left;           /* as the header says */
    bool count_known;
};
ATTR_MUST_USE int listpack_begin(struct span block, struct listpack_cursor *c);
/* 1 and the element, borrowed from the block; 0 behind the last. */
ATTR_MUST_USE int listpack_next(struct listpack_cursor *c, struct packed_value *out);
/* An element that must be there, and be a number. */
ATTR_MUST_USE int listpack_next_number(struct listpack_cursor *c, int64_t *out);

/* -- writing: elements behind one another in `w`, then the whole around them */
void listpack_write_number(struct rdb_writer *w, int64_t number);
void listpack_write_value(struct rdb_writer *w, const struct packed_value *value);
/* `count` elements in `parts` become one listpack at the end of `w`, written as a string. */
void listpack_write_block(struct rdb_writer *w, const struct span *parts, uint32_t part_count,
                          uint64_t count);

#endif
