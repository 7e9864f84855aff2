/* Inside the table only: what table.c and table_walk.c share about segments. */
#ifndef TYPES_TABLE_SEGMENT_H
#define TYPES_TABLE_SEGMENT_H

#include "types/table.h"

enum {
    TABLE_DEPTH_MAX = 31,     /* directory of 2^31 words; with the place a scan cursor of 52 bits */
    SEGMENT_HEADER_WORDS = 8, /* one cache line: the buckets are aligned with it */
    SEGMENT_BUCKETS_SPLIT = 127, /* 8 KiB: a full segment of this size splits */
    SEGMENT_BUCKETS_MAX = 65535, /* what a directory word can say */
};

struct segment {
    uint32_t local_depth;
    uint32_t count; /* elements */
    uint32_t bucket_count;
    uint32_t spare;
    int64_t earliest_ms; /* no element's deadline is earlier */
};

INLINE struct segment *word_segment(uint64_t word) {
    return (struct segment *)(uintptr_t)((word & TABLE_ADDRESS_MASK) - SEGMENT_HEADER_WORDS * 8);
}
INLINE uint64_t *segment_buckets(const struct segment *s) {
    return (uint64_t *)(uintptr_t)s + SEGMENT_HEADER_WORDS;
}
INLINE uint64_t segment_word(const struct segment *s) {
    return (uint64_t)s->bucket_count << 48 | (uint64_t)(uintptr_t)segment_buckets(s);
}
INLINE uint32_t segment_slots(const struct segment *s) {
    return s->bucket_count * TABLE_BUCKET_SLOTS;
}
INLINE uint32_t slot_home(uint64_t slot_word, uint32_t bucket_count) {
    return (uint32_t)(slot_word >> 48) * bucket_count >> 16;
}
INLINE bool bucket_full(const uint64_t *bucket) {
    return bucket[TABLE_BUCKET_SLOTS - 1] != 0;
}
/* The hash prefix of the segment that `hash` falls into: its first `local_depth` bits, the rest 0. */
INLINE uint64_t prefix_of(uint64_t hash, uint32_t local_depth) {
    return local_depth == 0 ? 0 : hash & ~(uint64_t)0 << (64 - local_depth);
}
/* Hashes in a segment of that depth; 0 stands for all, 2^64. */
INLINE uint64_t prefix_width(uint32_t local_depth) {
    return local_depth == 0 ? 0 : (uint64_t)1 << (64 - local_depth);
}
INLINE uint64_t *directory_words(const struct table *t) {
    return t->depth == 0 ? (uint64_t *)(uintptr_t)&t->single : t->directory;
}
INLINE size_t directory_index(const struct table *t, uint64_t hash) {
    return t->depth == 0 ? 0 : (size_t)(hash >> (64 - t->depth));
}

void segment_free(struct table *t, struct segment *s);

#endif
