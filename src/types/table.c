/* The table's structure: directory, segments, growth and shrinking. Walks over it are in table_walk.c. Hot paths: table_find_by
 * in the header, table_insert, table_remove.
 *
 *   directory (depth 2)          segments
 *   +----+                       +--------+----------+----------+- - -+
 *   | 00 |----------------------> header  | bucket 0 | bucket 1 |     |   local depth 2
 *   | 01 |--------+              +--------+----------+----------+- - -+
 *   | 10 |---+    |              +--------+----------+- - -+
 *   | 11 |---+    +-------------> header  | bucket 0 |     |              local depth 2
 *   +----+   |                   +--------+----------+- - -+
 *            |                   +--------+----------+- - -+
 *            +------------------> header  | bucket 0 |     |              local depth 1: two words
 *                                +--------+----------+- - -+
 *
 * Invariants (table_check holds them against a whole table):
 *  - a segment of local depth L stands in all 2^(depth - L) words whose first L bits are its prefix;
 *  - a bucket's elements fill its first slots, so "full" is one look at the last;
 *  - every bucket from an element's home up to the one it lies in is full: a search ends at the first that is not;
 *  - a segment of more than one bucket is never fuller than 7/8, so such a bucket exists.
 *
 * A segment grows through allocator classes (header and buckets: 2, 3, ... 8, 10, 12, 14, 16, 20 ... 128 lines), so no byte of
 * an allocation is unused. Why up to 14/16 full (averages over 0.7 to 1.4 million keys, prefetched, make bench-store's loops):
 *
 *     fill           12/16   13/16   14/16   15/16
 *     bytes a key    11.8    10.9    10.1     9.5
 *     find, ns        54      66      71      88     (17 of them: making the key)
 *     absent, ns      55      76     102     141
 *
 * Depth stops at TABLE_DEPTH_MAX, and the directory does not double while it is far larger than the segments are many: both
 * happen only when hashes are not random (a broken seed). Then a full segment keeps growing beyond 8 KiB, to 65535
 * buckets, and finds in it slow down; past that the process ends with a failed check. */
#include "types/table.h"

#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "types/table_segment.h"

enum {
    SPLIT_LOAD_PERCENT = 80,  /* at most, in the halves of a split */
    MERGE_LOAD_PERCENT = 75,  /* at most, in a segment made of two */
    SHRINK_LOAD_PERCENT = 70, /* at most, after shrinking */
    SHRINK_BELOW_PERCENT = 35,
    MERGE_COUNT_MAX =
        SEGMENT_BUCKETS_SPLIT * TABLE_BUCKET_SLOTS * 6 / 10, /* a split needs half as many again */
    PREFETCH_AHEAD = 32, /* elements whose lines are under way while hashes are recomputed */
};

void table_init(struct table *t, const struct table_type *type) {
    *t = (struct table){.type = type};
}

/* -- segments */

static struct segment *segment_new(struct table *t, uint32_t local_depth, uint32_t bucket_count) {
    size_t bytes = (size_t)(bucket_count + 1) * SEGMENT_HEADER_WORDS * 8;
    struct segment *s = mem_alloc_aligned(SEGMENT_HEADER_WORDS * 8, bytes);
    memset(s, 0, bytes);
    s->local_depth = local_depth;
    s->bucket_count = bucket_count;
    s->earliest_ms = TABLE_NO_DEADLINE;
    t->memory_bytes += mem_usable_bytes(s);
    t->segment_count++;
    if (local_depth == t->depth) t->deepest_count++;
    return s;
}

void segment_free(struct table *t, struct segment *s) {
    t->memory_bytes -= mem_usable_bytes(s);
    t->segment_count--;
    if (s->local_depth == t->depth) t->deepest_count--;
    mem_free(s);
}

INLINE uint32_t segment_count_max(const struct segment *s) {
    return s->bucket_count == 1 ? TABLE_BUCKET_SLOTS : s->bucket_count * (TABLE_BUCKET_SLOTS - 1);
}

/* The next larger bucket count, with which header and buckets fill an allocator class. */
static uint32_t bucket_count_above(uint32_t bucket_count) {
    uint32_t lines = bucket_count + 1;
    uint32_t step = lines < 8 ? 1 : (uint32_t)1 << (29 - __builtin_clz(lines));
    return lines + step - 1;
}

static uint32_t bucket_count_for(uint32_t count, uint32_t load_percent) {
    uint32_t n = 1;
    while ((uint64_t)count * 100 > (uint64_t)n * TABLE_BUCKET_SLOTS * load_percent) {
        n = bucket_count_above(n);
    }
    return n;
}

/* The first empty slot of a bucket that is not full, without a branch on how full it is. */
INLINE uint64_t *bucket_end(uint64_t *bucket) {
    unsigned used = (bucket[0] != 0) + (bucket[1] != 0) + (bucket[2] != 0) + (bucket[3] != 0) +
                    (bucket[4] != 0) + (bucket[5] != 0) + (bucket[6] != 0);
    return bucket + used;
}

/* Puts a slot word where it belongs; there must be room. */
static table_slot *segment_put(struct segment *s, uint64_t slot_word) {
    uint64_t *first = segment_buckets(s), *slot;
    uint32_t b = slot_home(slot_word, s->bucket_count);
    while (bucket_full(first + (size_t)b * TABLE_BUCKET_SLOTS)) {
        if (++b == s->bucket_count) b = 0;
    }
    slot = bucket_end(first + (size_t)b * TABLE_BUCKET_SLOTS);
    *slot = slot_word;
    s->count++;
    return slot;
}

/* A segment that is filled from others. How full its buckets are is kept at hand while it is small enough: an element moves in
 * 3 ns instead of 10, and each moves five times before it rests. */
struct filling {
    struct segment *segment;
    uint8_t used[SEGMENT_BUCKETS_SPLIT + 1];
};

static void filling_begin(struct filling *f, struct segment *s) {
    f->segment = s;
    if (s->bucket_count <= SEGMENT_BUCKETS_SPLIT) memset(f->used, 0, s->bucket_count);
}

INLINE void filling_put(struct filling *f, uint64_t slot_word) {
    struct segment *s = f->segment;
    uint32_t b = slot_home(slot_word, s->bucket_count);
    if (UNLIKELY(s->bucket_count > SEGMENT_BUCKETS_SPLIT)) {
        segment_put(s, slot_word);
        return;
    }
    while (UNLIKELY(f->used[b] == TABLE_BUCKET_SLOTS)) {
        if (++b == s->bucket_count) b = 0;
    }
    segment_buckets(s)[b * TABLE_BUCKET_SLOTS + f->used[b]++] = slot_word;
    s->count++;
}

static void filling_put_all(struct filling *f, const struct segment *from) {
    const uint64_t *slots = segment_buckets(from);
    for (uint32_t b = 0; b < from->bucket_count; b++, slots += TABLE_BUCKET_SLOTS) {
        for (unsigned i = 0; i < TABLE_BUCKET_SLOTS && slots[i] != 0; i++) filling_put(f, slots[i]);
    }
    f->segment->earliest_ms = MIN(f->segment->earliest_ms, from->earliest_ms);
}

/* -- the directory */

static void directory_set(struct table *t, uint64_t prefix, const struct segment *s) {
    uint64_t *words = directory_words(t) + directory_index(t, prefix);
    size_t word_count = (size_t)1 << (t->depth - s->local_depth);
    for (size_t i = 0; i < word_count; i++) words[i] = segment_word(s);
}

static uint64_t *directory_new(struct table *t, uint32_t depth) {
    uint64_t *words = mem_alloc(sizeof *words << depth);
    t->memory_bytes += mem_usable_bytes(words);
    return words;
}

static void directory_free(struct table *t) {
    if (t->directory) t->memory_bytes -= mem_usable_bytes(t->directory);
    mem_free(t->directory);
    t->directory = NULL;
}

/* The directory doubles only while it has not run far ahead of the segments: with random hashes the deepest segment is at most
 * a level or two below the others. */
static bool directory_may_double(const struct table *t) {
    uint64_t word_count = (uint64_t)1 << t->depth;
    return t->depth < TABLE_DEPTH_MAX && word_count <= (uint64_t)t->segment_count * 8 + 64;
}

static void directory_double(struct table *t) {
    uint64_t *old = directory_words(t), *words = directory_new(t, t->depth + 1);
    for (size_t i = 0; i < (size_t)1 << t->depth; i++) words[2 * i] = words[2 * i + 1] = old[i];
    directory_free(t);
    t->directory = words;
    t->depth++;
    t->deepest_count = 0;
}

/* Segments that stand in one word only: where the words of a pair differ, both are such. */
static uint32_t directory_count_deepest(const struct table *t) {
    uint32_t deepest_count = 0;
    if (t->depth == 0) return t->single != 0;
    for (size_t i = 0; i < (size_t)1 << t->depth; i += 2) {
        if (t->directory[i] != t->directory[i + 1]) deepest_count += 2;
    }
    return deepest_count;
}

static void directory_halve(struct table *t) {
    uint64_t *old = t->directory, *words;
    if (t->depth == 1) {
        t->single = old[0];
        directory_free(t);
    } else {
        words = directory_new(t, t->depth - 1);
        for (size_t i = 0; i < (size_t)1 << (t->depth - 1); i++) words[i] = old[2 * i];
        directory_free(t);
        t->directory = words;
    }
    t->depth--;
    t->deepest_count = directory_count_deepest(t);
}

/* -- growth */

static void segment_rebuild(struct table *t, struct segment *s, uint64_t hash,
                            uint32_t bucket_count) {
    struct segment *r = segment_new(t, s->local_depth, bucket_count);
    struct filling filling;
    filling_begin(&filling, r);
    filling_put_all(&filling, s);
    directory_set(t, prefix_of(hash, r->local_depth), r);
    segment_free(t, s);
}

/* What a split finds out about the elements before it moves them. */
struct split {
    uint8_t *sides; /* one byte a bucket: bit i set when slot i goes to the upper half */
    uint32_t counts[2];
    int64_t earliest_ms[2];
};

/* The elements' hashes are recomputed: cold lines, so they are asked for ahead. */
static void split_survey(const struct table *t, const struct segment *s, struct split *split) {
    const uint64_t *slots = segment_buckets(s);
    uint32_t slot_count = segment_slots(s), shift = 63 - s->local_depth;
    bool deadlines = t->type->deadline_ms && s->earliest_ms != TABLE_NO_DEADLINE;
    memset(split->sides, 0, s->bucket_count);
    for (uint32_t i = 0; i < MIN(slot_count, (uint32_t)PREFETCH_AHEAD); i++) {
        PREFETCH(table_element(slots + i));
    }
    for (uint32_t i = 0; i < slot_count; i++) {
        const void *element = table_element(slots + i);
        unsigned side;
        if (i + PREFETCH_AHEAD < slot_count) PREFETCH(table_element(slots + i + PREFETCH_AHEAD));
        if (!element) continue;
        side = t->type->hash(element) >> shift & 1;
        split->counts[side]++;
        split->sides[i / TABLE_BUCKET_SLOTS] |= (uint8_t)(side << i % TABLE_BUCKET_SLOTS);
        if (deadlines) {
            int64_t deadline_ms = t->type->deadline_ms(element);
            split->earliest_ms[side] = MIN(split->earliest_ms[side], deadline_ms);
        }
    }
}

static void segment_split(struct table *t, struct segment *s, uint64_t hash) {
    struct split split = {.sides = mem_alloc(s->bucket_count),
                          .earliest_ms = {TABLE_NO_DEADLINE, TABLE_NO_DEADLINE}};
    uint64_t prefix = prefix_of(hash, s->local_depth);
    const uint64_t *slots = segment_buckets(s);
    struct segment *halves[2];
    struct filling fillings[2];
    if (s->local_depth == t->depth) directory_double(t);
    split_survey(t, s, &split);
    for (int i = 0; i < 2; i++) {
        uint32_t bucket_count = bucket_count_for(split.counts[i], SPLIT_LOAD_PERCENT);
        halves[i] = segment_new(t, s->local_depth + 1, MIN(bucket_count, SEGMENT_BUCKETS_MAX));
        halves[i]->earliest_ms = split.earliest_ms[i];
        filling_begin(fillings + i, halves[i]);
    }
    for (uint32_t i = 0; i < segment_slots(s); i++) {
        unsigned side = split.sides[i / TABLE_BUCKET_SLOTS] >> i % TABLE_BUCKET_SLOTS & 1;
        if (slots[i] != 0) filling_put(fillings + side, slots[i]);
    }
    directory_set(t, prefix, halves[0]);
    directory_set(t, prefix | (uint64_t)1 << (63 - s->local_depth), halves[1]);
    segment_free(t, s);
    mem_free(split.sides);
}

static void segment_make_room(struct table *t, struct segment *s, uint64_t hash) {
    uint32_t bucket_count = bucket_count_above(s->bucket_count);
    bool may_split = s->local_depth < t->depth || directory_may_double(t);
    if (s->bucket_count >= SEGMENT_BUCKETS_SPLIT && may_split) {
        segment_split(t, s, hash);
        return;
    }
    CHECK(bucket_count <= SEGMENT_BUCKETS_MAX && "half a million equal hashes: the hash is broken");
    segment_rebuild(t, s, hash, bucket_count);
}

table_slot *table_insert(struct table *t, uint64_t hash, void *element) {
    uint64_t word = table_word(t, hash);
    struct segment *s;
    DCHECK(element && ((uintptr_t)element & ~(uintptr_t)TABLE_ADDRESS_MASK) == 0);
    if (UNLIKELY(word == 0)) {
        directory_set(t, 0, segment_new(t, 0, 1));
        word = t->single;
    }
    s = word_segment(word);
    while (UNLIKELY(s->count >= segment_count_max(s))) {
        segment_make_room(t, s, hash);
        s = word_segment(table_word(t, hash));
    }
    t->count++;
    if (t->type->deadline_ms) {
        int64_t deadline_ms = t->type->deadline_ms(element);
        if (deadline_ms < s->earliest_ms) s->earliest_ms = deadline_ms;
    }
    return segment_put(s, (uint64_t)table_place(hash) << 48 | (uint64_t)(uintptr_t)element);
}

void table_note_deadline(struct table *t, uint64_t hash, int64_t deadline_ms) {
    uint64_t word = table_word(t, hash);
    struct segment *s = word ? word_segment(word) : NULL;
    if (s && deadline_ms < s->earliest_ms) s->earliest_ms = deadline_ms;
}

/* -- finding */

table_slot *table_find(const struct table *t, uint64_t hash, struct span key) {
    return table_find_by(t, hash, key, t->type->has_key);
}

table_slot *table_find_element(const struct table *t, uint64_t hash, const void *element) {
    uint64_t word = table_word(t, hash), *bucket, *first;
    uint64_t wanted = (uint64_t)table_place(hash) << 48 | (uint64_t)(uintptr_t)element;
    if (UNLIKELY(word == 0)) return NULL;
    first = segment_buckets(word_segment(word));
    bucket = table_home_bucket(word, hash);
    for (uint64_t left = word >> 48; left > 0; left--) {
        for (unsigned i = 0; i < TABLE_BUCKET_SLOTS; i++) {
            if (bucket[i] == wanted) return bucket + i;
        }
        if (!bucket_full(bucket)) return NULL;
        bucket += TABLE_BUCKET_SLOTS;
        if (bucket == first + (word >> 48) * TABLE_BUCKET_SLOTS) bucket = first;
    }
    return NULL;
}

/* -- shrinking */

/* Takes a slot out of its bucket, moving the bucket's last word into its place. */
INLINE void bucket_take(uint64_t *bucket, uint64_t *slot) {
    unsigned last = TABLE_BUCKET_SLOTS - 1;
    while (bucket[last] == 0) last--;
    *slot = bucket[last];
    bucket[last] = 0;
}

/* An element of bucket `at` that may lie in bucket `hole` instead: its home is not past the hole. */
static uint64_t *bucket_find_movable(const struct segment *s, uint32_t at, uint32_t hole) {
    uint64_t *bucket = segment_buckets(s) + (size_t)at * TABLE_BUCKET_SLOTS;
    uint32_t n = s->bucket_count, hole_distance = at >= hole ? at - hole : at + n - hole;
    for (unsigned i = 0; i < TABLE_BUCKET_SLOTS && bucket[i] != 0; i++) {
        uint32_t home = slot_home(bucket[i], n);
        uint32_t distance = at >= home ? at - home : at + n - home;
        if (distance >= hole_distance) return bucket + i;
    }
    return NULL;
}

/* Bucket `hole` was full and lost an element: those that had to go past it come back, one at most for each hole, up to the first
 * bucket that is not full. */
static void segment_pull_back(struct segment *s, uint32_t hole) {
    uint64_t *first = segment_buckets(s);
    uint32_t at = hole;
    for (uint32_t left = s->bucket_count - 1; left > 0; left--) {
        uint64_t *bucket, *movable;
        bool was_full;
        if (++at == s->bucket_count) at = 0;
        bucket = first + (size_t)at * TABLE_BUCKET_SLOTS;
        was_full = bucket_full(bucket);
        movable = bucket_find_movable(s, at, hole);
        if (movable) {
            first[(size_t)hole * TABLE_BUCKET_SLOTS + TABLE_BUCKET_SLOTS - 1] = *movable;
            bucket_take(bucket, movable);
            hole = at;
        }
        if (!was_full) return;
    }
}

/* Makes one of the segment of `hash` and its buddy, the other half of their common prefix, when both are small. */
static bool segment_merge(struct table *t, struct segment *s, uint64_t hash) {
    struct segment *buddy, *merged;
    struct filling filling;
    if (s->local_depth == 0) return false;
    buddy = word_segment(table_word(t, hash ^ (uint64_t)1 << (64 - s->local_depth)));
    if (buddy->local_depth != s->local_depth || s->count + buddy->count > MERGE_COUNT_MAX) {
        return false;
    }
    merged = segment_new(t, s->local_depth - 1,
                         bucket_count_for(s->count + buddy->count, MERGE_LOAD_PERCENT));
    filling_begin(&filling, merged);
    filling_put_all(&filling, s);
    filling_put_all(&filling, buddy);
    directory_set(t, prefix_of(hash, merged->local_depth), merged);
    segment_free(t, s);
    segment_free(t, buddy);
    return true;
}

static void segment_thin_out(struct table *t, struct segment *s, uint64_t hash) {
    if (s->count == 0 && s->local_depth == 0) {
        segment_free(t, s);
        t->single = 0;
        return;
    }
    /* The buddy's header is another miss: not at every removal. */
    if (s->count <= MERGE_COUNT_MAX / 2 && s->count % 8 == 0 && segment_merge(t, s, hash)) {
        while (segment_merge(t, word_segment(table_word(t, hash)), hash)) continue;
        while (t->depth > 0 && t->deepest_count == 0) directory_halve(t);
        return;
    }
    if (s->bucket_count > 1 &&
        (uint64_t)s->count * 100 < (uint64_t)segment_slots(s) * SHRINK_BELOW_PERCENT) {
        segment_rebuild(t, s, hash, bucket_count_for(s->count, SHRINK_LOAD_PERCENT));
    }
}

void table_remove(struct table *t, table_slot *slot, uint64_t hash) {
    struct segment *s = word_segment(table_word(t, hash));
    uint64_t *first = segment_buckets(s);
    uint32_t b = (uint32_t)((size_t)(slot - first) / TABLE_BUCKET_SLOTS);
    uint64_t *bucket = first + (size_t)b * TABLE_BUCKET_SLOTS;
    bool was_full = bucket_full(bucket);
    DCHECK(b < s->bucket_count && *slot != 0);
    bucket_take(bucket, slot);
    if (was_full) segment_pull_back(s, b);
    s->count--;
    t->count--;
    segment_thin_out(t, s, hash);
}

/* -- releasing */

static void segment_release(struct table *t, struct segment *s,
                            void (*element_free)(void *element, void *context), void *context) {
    uint64_t *slots = segment_buckets(s);
    uint32_t slot_count = segment_slots(s);
    for (uint32_t i = 0; element_free && i < slot_count; i++) {
        if (i + PREFETCH_AHEAD < slot_count) PREFETCH(table_element(slots + i + PREFETCH_AHEAD));
        if (slots[i] != 0) element_free(table_element(slots + i), context);
    }
    t->count -= s->count;
    segment_free(t, s);
}

bool table_release_step(struct table *t, uint32_t segment_count_max,
                        void (*element_free)(void *element, void *context), void *context) {
    uint64_t *words = directory_words(t);
    for (uint32_t left = segment_count_max; left > 0 && t->segment_count > 0; left--) {
        struct segment *s = word_segment(words[t->release_index]);
        t->release_index += (uint32_t)1 << (t->depth - s->local_depth);
        segment_release(t, s, element_free, context);
    }
    if (t->segment_count > 0) return false;
    directory_free(t);
    table_init(t, t->type);
    return true;
}

void table_release(struct table *t, void (*element_free)(void *element, void *context),
                   void *context) {
    table_release_step(t, UINT32_MAX, element_free, context);
}
