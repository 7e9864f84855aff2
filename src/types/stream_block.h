/* Inside src/types only: a block of a stream, up to some kilobytes of entries side by side. The names of its first entry's fields stand
 * once at its beginning; entries that have the same hold values only.
 *
 *   block:  | base 16 | last 16 | high 16 | sizes 24 | names ... | entry | entry | ...
 *   entry:  | head 1 | id 0-20 | [ pairs 1-5, when its fields are its own ] | elements ... |     elements as in packed.h
 *   head:   bit 0 own fields; bits 1-2 how the id comes from that of the entry before (of the block's base for the first):
 *
 *     0  the next sequence number                  no bytes
 *     1  later milliseconds, sequence number 0     their difference
 *     2  the same milliseconds                     the difference of the sequence numbers
 *     3  later milliseconds, any sequence number   the difference, the sequence number
 *
 * Numbers are 7 bits a byte, low ones first, the high bit says that more follow. What stands for a successor's id after a removal is never
 * longer than what went. Entries are removed for good; blocks move when they change. */
#ifndef TYPES_STREAM_BLOCK_H
#define TYPES_STREAM_BLOCK_H

#include "base/span.h"
#include "types/packed.h"
#include "types/stream_id.h"

struct stream_block {
    struct stream_id base;  /* what it was made for: its key in the tree, for good */
    struct stream_id last;  /* of its last entry */
    struct stream_id high;  /* the highest that it ever held */
    uint32_t used_bytes, capacity; /* of the allocation, header included */
    uint32_t count, added_count;   /* entries; those that were ever put in */
    uint32_t name_count, names_bytes;
    unsigned char bytes[];
};

/* An entry where it lies. */
struct stream_entry {
    struct stream_id id;
    packed_at begin, elements;
    uint32_t pair_count;
    bool own_fields;
};

enum { STREAM_ENTRY_OWN_FIELDS = 1 };

/* One block for one entry; NULL without memory. It is empty, its names are those of the pairs. */
struct stream_block *stream_block_try_new(struct stream_id base, const struct span *pairs,
                                          uint32_t pair_count);
void stream_block_free(struct stream_block *b);
struct stream_block *stream_block_try_copy(const struct stream_block *b);
size_t stream_block_class_bytes(const struct stream_block *b);
/* Puts an entry behind the last: the block's new address, or NULL without memory. */
struct stream_block *stream_block_append(struct stream_block *b, struct stream_id id,
                                         const struct span *pairs, uint32_t pair_count);
/* No more is to be put in: gives back the room at the end. */
struct stream_block *stream_block_seal(struct stream_block *b);
/* Removes `count` entries, from the first that is `id` or later on; all of them must be there, and one must stay. */
struct stream_block *stream_block_remove(struct stream_block *b, struct stream_id id,
                                         uint32_t count);

INLINE packed_at stream_block_first(const struct stream_block *b) {
    return b->bytes + b->names_bytes;
}
INLINE packed_at stream_block_end(const struct stream_block *b) {
    return (packed_at)b + b->used_bytes;
}

INLINE uint64_t stream_number_read(packed_at *at) {
    uint64_t number = 0;
    unsigned shift = 0;
    packed_at p = *at;
    do {
        number |= (uint64_t)(*p & 0x7f) << shift;
        shift += 7;
    } while (*p++ & 0x80);
    *at = p;
    return number;
}

/* Reads the entry at `at`, whose predecessor's id (the block's base for the first) is in e->id; that becomes its own. Hot path. */
INLINE void stream_entry_read(const struct stream_block *b, packed_at at, struct stream_entry *e) {
    unsigned head = *at;
    e->begin = at++;
    switch (head >> 1) {
    case 0: e->id.seq++; break;
    case 1:
        e->id.ms += stream_number_read(&at);
        e->id.seq = 0;
        break;
    case 2: e->id.seq += stream_number_read(&at); break;
    default:
        e->id.ms += stream_number_read(&at);
        e->id.seq = stream_number_read(&at);
        break;
    }
    e->own_fields = head & STREAM_ENTRY_OWN_FIELDS;
    e->pair_count = e->own_fields ? (uint32_t)stream_number_read(&at) : b->name_count;
    e->elements = at;
}

/* Where the next entry begins. */
INLINE packed_at stream_entry_end(const struct stream_entry *e) {
    packed_at at = e->elements;
    for (uint64_t i = (uint64_t)e->pair_count << e->own_fields; i > 0; i--)
        at += packed_body_bytes(at);
    return at;
}

void stream_block_check(const struct stream_block *b);

#endif
