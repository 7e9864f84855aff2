/* Inside src/db only: making entries and writing to them. The layout is in entry.h. */
#ifndef DB_ENTRY_MAKE_H
#define DB_ENTRY_MAKE_H

#include "base/alloc.h"
#include "db/entry.h"

/* What an entry is made of. */
struct entry_parts {
    uint32_t head; /* type, raw and access clock; the layout's bits are found out */
    struct span key;
    struct span value; /* inline bytes; none with a word */
    size_t value_len;  /* >= value.len: the bytes behind the given ones are zero */
    void *word;        /* NULL: an inline value */
    int64_t deadline_ms;
};

/* The layout's bits for such an entry, and its bytes in all. */
uint32_t entry_layout(size_t key_len, size_t inline_len, bool has_deadline, bool has_word);
INLINE size_t entry_layout_bytes(uint32_t layout, size_t key_len, size_t inline_len) {
    return entry_key_offset(layout) + key_len + inline_len;
}

struct entry *entry_try_make(const struct entry_parts *parts); /* NULL without memory */
/* The parts of an entry as it is, pointing into it. */
struct entry_parts entry_take_apart(const struct entry *e);

/* Can the entry take such an inline value where it is, in a block that is not larger than need be? */
bool entry_fits_inline(const struct entry *e, size_t value_len, bool has_deadline);
/* The same for a word. */
bool entry_fits_word(const struct entry *e, bool has_deadline);

INLINE void entry_free(struct entry *e) { /* not what its word points to */
    mem_free_sized(e, entry_used_bytes(e));
}
INLINE void entry_set_bits(struct entry *e, uint32_t mask, uint32_t bits) {
    e->head = (e->head & ~mask) | bits;
}
/* Needs the room: ENTRY_HEAD_DEADLINE. */
INLINE void entry_store_deadline(struct entry *e, int64_t deadline_ms) {
    memcpy((char *)e + entry_fixed_bytes(e->head), &deadline_ms, sizeof deadline_ms);
}
INLINE void entry_store_word(struct entry *e, const void *word) {
    uint64_t bits = (uintptr_t)word;
    memcpy((char *)e + entry_key_offset(e->head) - 8, &bits, sizeof bits);
}
INLINE char *entry_inline_data(struct entry *e) {
    return (char *)e + entry_key_offset(e->head) + entry_key_len(e);
}
INLINE void entry_store_inline_len(struct entry *e, size_t len) {
    uint32_t wide = (uint32_t)len;
    if (UNLIKELY(e->head & ENTRY_HEAD_WIDE)) {
        memcpy(e->bytes + 4, &wide, sizeof wide);
    } else {
        e->bytes[1] = (uint8_t)len;
    }
}
/* Makes room for a deadline where the size class allows it. */
bool entry_try_widen_for_deadline(struct entry *e);

#endif
