/* One key and its value in one allocation.
 *
 *   narrow:  | head 4 | key len 1 | value len 1 |              [deadline 8] [word 8] key bytes | value bytes
 *   wide:    | head 4 | key len 4 | value len 4 |              [deadline 8] [word 8] key bytes | value bytes
 *
 *   head:    bits 0-2 type, 3 wide, 4 has deadline, 5 has word (value elsewhere), 6 raw (a string that was edited in place:
 *            OBJECT ENCODING says "raw"), 7 inner deadlines, 8-31 access clock (LRU seconds or LFU counter as the policy has it)
 *   deadline: ENTRY_NO_DEADLINE when it was removed and the room was left
 *   inner:   elements of the object have deadlines of their own (fields of a hash), and it begins with the earliest's lower bound, an
 *            int64_t of Unix time in ms
 *   word:    a struct blob * for a string of more than ENTRY_INLINE_BYTES_MAX bytes, else the type's object; the value len is 0. Types may keep what they
 *            like in the low three bits of theirs
 *
 * A 16-byte key with a 10-byte value takes 32 bytes, with 32 bytes 54 of a 64-byte class. The allocation is always of the size class
 * of the bytes in use: that is how an entry is freed and counted without a look at the allocator. Entries move when they
 * grow: only the keyspace (src/db) makes and replaces them; everyone else reads through the functions below. Hot path: inline. */
#ifndef DB_ENTRY_H
#define DB_ENTRY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/blob.h"
#include "base/compat.h"
#include "base/span.h"

/* TYPE's names are in entry_type_name. */
enum entry_type { ENTRY_STRING, ENTRY_LIST, ENTRY_SET, ENTRY_ZSET, ENTRY_HASH, ENTRY_STREAM };
enum { ENTRY_TYPE_COUNT = 6 };

enum { ENTRY_INLINE_BYTES_MAX = 2048 };
#define ENTRY_NO_DEADLINE INT64_MAX

struct entry {
    uint32_t head; /* private, as the rest */
    uint8_t bytes[];
};

enum entry_head {
    ENTRY_HEAD_TYPE = 7,
    ENTRY_HEAD_WIDE = 1 << 3,
    ENTRY_HEAD_DEADLINE = 1 << 4,
    ENTRY_HEAD_WORD = 1 << 5,
    ENTRY_HEAD_RAW = 1 << 6,
    ENTRY_HEAD_INNER = 1 << 7,
    ENTRY_HEAD_CLOCK_SHIFT = 8,
    ENTRY_NARROW_LEN_MAX = 255,
};

/* -- parts of the accessors below */
INLINE uint32_t entry_load32(const void *p) {
    uint32_t value;
    memcpy(&value, p, sizeof value);
    return value;
}
INLINE uint64_t entry_load64(const void *p) {
    uint64_t value;
    memcpy(&value, p, sizeof value);
    return value;
}
/* Where the lengths end. */
INLINE size_t entry_fixed_bytes(uint32_t head) {
    return head & ENTRY_HEAD_WIDE ? 12 : 6;
}
/* Where the key begins: one byte for each combination of wide, deadline, word. */
INLINE size_t entry_key_offset(uint32_t head) {
    return 0x1c16140e140e0c06u >> ((head >> 3 & 7) * 8) & 0xff;
}
INLINE size_t entry_key_len(const struct entry *e) {
    return UNLIKELY(e->head & ENTRY_HEAD_WIDE) ? entry_load32(e->bytes) : e->bytes[0];
}
INLINE size_t entry_inline_len(const struct entry *e) {
    return UNLIKELY(e->head & ENTRY_HEAD_WIDE) ? entry_load32(e->bytes + 4) : e->bytes[1];
}
INLINE const char *entry_at(const struct entry *e, size_t offset) {
    return (const char *)e + offset;
}
INLINE size_t entry_used_bytes(const struct entry *e) {
    return entry_key_offset(e->head) + entry_key_len(e) + entry_inline_len(e);
}
INLINE void *entry_word(const struct entry *e) {
    return (void *)(uintptr_t)entry_load64(entry_at(e, entry_key_offset(e->head) - 8));
}

INLINE enum entry_type entry_type(const struct entry *e) {
    return (enum entry_type)(e->head & ENTRY_HEAD_TYPE);
}
const char *entry_type_name(enum entry_type type); /* "string", "list", ... */

INLINE struct span entry_key(const struct entry *e) {
    return span_make(entry_at(e, entry_key_offset(e->head)), entry_key_len(e));
}
/* Unix time; ENTRY_NO_DEADLINE without one. */
INLINE int64_t entry_deadline_ms(const struct entry *e) {
    if (!(e->head & ENTRY_HEAD_DEADLINE)) return ENTRY_NO_DEADLINE;
    return (int64_t)entry_load64(entry_at(e, entry_fixed_bytes(e->head)));
}
/* Of a large string (borrowed), or NULL when it is inline or no string. */
INLINE struct blob *entry_blob(const struct entry *e) {
    if ((e->head & (ENTRY_HEAD_WORD | ENTRY_HEAD_TYPE)) != ENTRY_HEAD_WORD) return NULL;
    return (struct blob *)entry_word(e);
}
/* The bytes of a string value, wherever they lie. */
INLINE struct span entry_string(const struct entry *e) {
    if (UNLIKELY(e->head & ENTRY_HEAD_WORD)) return blob_span((const struct blob *)entry_word(e));
    return span_make(entry_at(e, entry_key_offset(e->head) + entry_key_len(e)),
                     entry_inline_len(e));
}
/* Of the other types. */
INLINE void *entry_object(const struct entry *e) {
    return entry_word(e);
}
/* The object has moved, as packed blocks do when they change: nothing is freed, counted or told. */
INLINE void entry_set_object(struct entry *e, void *object) {
    uint64_t word = (uintptr_t)object;
    memcpy((char *)e + entry_key_offset(e->head) - sizeof word, &word, sizeof word);
}
/* Of the object's elements; ENTRY_NO_DEADLINE when none has one. A lower bound. */
INLINE int64_t entry_inner_deadline_ms(const struct entry *e) {
    if (LIKELY(!(e->head & ENTRY_HEAD_INNER))) return ENTRY_NO_DEADLINE;
    return *(const int64_t *)((uintptr_t)entry_word(e) & ~(uintptr_t)7);
}
INLINE bool entry_is_raw(const struct entry *e) {
    return e->head & ENTRY_HEAD_RAW;
}
/* For values that count as edited although no byte of them changed. */
INLINE void entry_set_raw(struct entry *e) {
    e->head |= ENTRY_HEAD_RAW;
}
INLINE uint32_t entry_access_clock(const struct entry *e) {
    return e->head >> ENTRY_HEAD_CLOCK_SHIFT;
}
/* Writes only a changed clock: a key that is only read keeps its cache line clean. */
INLINE void entry_set_access_clock(struct entry *e, uint32_t clock) {
    uint32_t head = (e->head & 0xff) | clock << ENTRY_HEAD_CLOCK_SHIFT;
    if (head != e->head) e->head = head;
}
size_t entry_memory_bytes(
    const struct entry *e); /* class bytes of the entry and its blob; objects add their own */

/* Equality of `len` bytes without a call: keys are short. */
INLINE bool entry_bytes_equal(const char *a, const char *b, size_t len) {
    if (len >= 8) {
        for (size_t i = 0; i + 8 < len; i += 8) {
            if (entry_load64(a + i) != entry_load64(b + i)) return false;
        }
        return entry_load64(a + len - 8) == entry_load64(b + len - 8);
    }
    if (len >= 4) {
        return entry_load32(a) == entry_load32(b) &&
               entry_load32(a + len - 4) == entry_load32(b + len - 4);
    }
    for (size_t i = 0; i < len; i++) {
        if (a[i] != b[i]) return false;
    }
    return true;
}
/* The table's comparison. */
INLINE bool entry_has_key(const void *element, struct span key) {
    const struct entry *e = element;
    return entry_key_len(e) == key.len &&
           entry_bytes_equal(entry_at(e, entry_key_offset(e->head)), key.data, key.len);
}

#endif
