/* The packed forms that Redis had before listpacks, for reading only: ziplists (lists, sorted sets, hashes before 7.0) and zipmaps (hashes
 * before 2.6).
 *
 *   ziplist:  | bytes 4 | offset of the last entry 4 | count 2, 65535: unknown | entry | entry | ... | ff |   low bytes first
 *   entry:    | size of the entry before 1, or fe and 4 | head | bytes |
 *
 *   head:     00llllll                       that many bytes follow
 *             01llllll llllllll              the same, high bits first
 *             10000000 and four bytes        the length, high byte first; that many bytes follow
 *             11000000 11010000 11100000 11110000 11111110 and 2, 4, 8, 3, 1 bytes        a number, two's complement
 *             1111nnnn                       the number n - 1, n from 1 to 13
 *
 *   zipmap:   | pairs 1, 254 and more: unknown | length | field | length | free 1 | value | free bytes | ... | ff |
 *   length:   one byte up to 253, or fe and 4
 *
 * Whatever bytes are read, nothing outside them is looked at. */
#ifndef PERSIST_ZIPLIST_H
#define PERSIST_ZIPLIST_H

#include "base/span.h"
#include "types/packed.h"

/* Each `begin` checks the head of a block: 0, or ERROR_SYNTAX. Each `next` gives 1 and an element, borrowed from the block; 0 behind
 * the last; or ERROR_SYNTAX. */
struct ziplist_cursor {
    const unsigned char *begin, *at, *end; /* the end's byte */
    const unsigned char *last;             /* as the header says */
    uint32_t count_left;
    bool count_known;
    size_t previous_bytes;
};
ATTR_MUST_USE int ziplist_begin(struct span block, struct ziplist_cursor *c);
ATTR_MUST_USE int ziplist_next(struct ziplist_cursor *c, struct packed_value *out);

struct zipmap_cursor {
    const unsigned char *at, *end;
    uint32_t count_left; /* pairs */
    bool count_known;
    bool value_next;
};
ATTR_MUST_USE int zipmap_begin(struct span block, struct zipmap_cursor *c);
ATTR_MUST_USE int zipmap_next(struct zipmap_cursor *c, struct packed_value *out); /* field, value, field ... */

#endif
