/* Walks over a table: scan, sampling, deadlines, and the checks of its structure.
 *
 * A scan's cursor:   [ prefix, right-aligned: `depth` bits | place: 16 | depth: 5 ]
 *
 * It says: everything before (prefix, place) in that order was visited; `depth` is that of the segment met when it was made. Let
 * the segment that now holds the prefix have local depth L.
 *  - L >= depth (nothing happened, or it grew, shrank or split): its elements from `place` on are to be visited. Growth moves
 *    no place. The other parts of a split segment follow whole: some of them a second time.
 *  - L < depth (it merged with its buddies): those came before the prefix, and are done, or after it, and are not. The merged segment
 *    is visited whole at once, unless the cursor stands at its very beginning.
 * Either way the next cursor is greater in (prefix, place), so a scan ends whatever happens between its calls. */
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "types/table.h"
#include "types/table_segment.h"

enum {
    PREFETCH_AHEAD = 16,
    CURSOR_DEPTH_BITS = 5, /* for 0..TABLE_DEPTH_MAX */
    CURSOR_PREFIX_SHIFT = CURSOR_DEPTH_BITS + 16,
    RANDOM_TRIES_PER_SLOT =
        4, /* a segment is at least a third full: a miss this often is rare, and then a walk decides */
};

typedef void visit_fn(void *element, void *context);

/* -- scan */

static uint64_t cursor_make(uint64_t prefix, uint32_t place, uint32_t depth) {
    uint64_t aligned = depth == 0 ? 0 : prefix >> (64 - depth);
    return aligned << CURSOR_PREFIX_SHIFT | (uint64_t)place << CURSOR_DEPTH_BITS | depth;
}

static void bucket_prefetch_elements(const uint64_t *bucket) {
    for (unsigned i = 0; i < TABLE_BUCKET_SLOTS; i++) PREFETCH(table_element(bucket + i));
}

static void visit_home(const struct segment *s, uint32_t home, visit_fn *visit, void *context) {
    uint64_t *first = segment_buckets(s);
    uint32_t b = home;
    for (uint32_t left = s->bucket_count; left > 0; left--) {
        uint64_t *bucket = first + (size_t)b * TABLE_BUCKET_SLOTS;
        bucket_prefetch_elements(bucket);
        for (unsigned i = 0; i < TABLE_BUCKET_SLOTS && bucket[i] != 0; i++) {
            if (slot_home(bucket[i], s->bucket_count) == home) {
                visit(table_element(bucket + i), context);
            }
        }
        if (!bucket_full(bucket)) return;
        if (++b == s->bucket_count) b = 0;
    }
}

static void visit_segment(const struct segment *s, visit_fn *visit, void *context) {
    uint64_t *slots = segment_buckets(s);
    for (uint32_t i = 0; i < segment_slots(s); i++) {
        if (i % TABLE_BUCKET_SLOTS == 0) bucket_prefetch_elements(slots + i);
        if (slots[i] != 0) visit(table_element(slots + i), context);
    }
}

uint64_t table_scan(const struct table *t, uint64_t cursor, visit_fn *visit, void *context) {
    uint32_t depth = cursor & TABLE_DEPTH_MAX;
    uint32_t place = cursor >> CURSOR_DEPTH_BITS & 0xffff;
    uint64_t prefix = depth == 0 ? 0 : cursor >> CURSOR_PREFIX_SHIFT << (64 - depth);
    uint64_t word = table_word(t, prefix), next;
    const struct segment *s;
    uint32_t home;
    if (word == 0) return 0;
    s = word_segment(word);
    home = place * s->bucket_count >> 16;
    if (s->local_depth < depth && (place != 0 || prefix != prefix_of(prefix, s->local_depth))) {
        visit_segment(s, visit, context);
        home = s->bucket_count - 1;
    } else {
        visit_home(s, home, visit, context);
    }
    if (home + 1 < s->bucket_count) { /* the first place whose home is the next bucket */
        uint32_t n = s->bucket_count;
        return cursor_make(prefix, (((home + 1) << 16) + n - 1) / n, s->local_depth);
    }
    next = prefix_of(prefix, s->local_depth) + prefix_width(s->local_depth);
    return next == 0 ? 0 : cursor_make(next, 0, s->local_depth);
}

/* -- a whole walk */

/* From walk->slot on; true at the segment's end. */
static bool segment_walk(struct table_walk *walk, const struct segment *s, void **out, size_t max,
                         size_t *count) {
    const uint64_t *slots = segment_buckets(s);
    uint32_t slot_count = segment_slots(s);
    for (; walk->slot < slot_count; walk->slot++) {
        void *element = table_element(slots + walk->slot);
        if (!element) continue;
        if (*count == max) return false;
        PREFETCH(element);
        out[(*count)++] = element;
    }
    return true;
}

size_t table_walk_next(struct table_walk *walk, void **out, size_t max) {
    size_t count = 0;
    while (count < max && !walk->ended) {
        uint64_t word = table_word(walk->table, walk->position);
        const struct segment *s = word ? word_segment(word) : NULL;
        if (s && !segment_walk(walk, s, out, max, &count)) break;
        walk->slot = 0;
        if (s) {
            walk->position =
                prefix_of(walk->position, s->local_depth) + prefix_width(s->local_depth);
        }
        walk->ended = walk->position == 0;
    }
    return count;
}

/* -- sampling */

/* Every slot position is as likely as any other; an element that is passed over for an empty slot is not favoured. */
static void *segment_random(const struct segment *s, struct random *random) {
    uint64_t *slots = segment_buckets(s);
    uint32_t slot_count = segment_slots(s), at = 0;
    for (uint32_t tries = 0; tries < TABLE_BUCKET_SLOTS * RANDOM_TRIES_PER_SLOT; tries++) {
        at = (uint32_t)random_below(random, slot_count);
        if (slots[at] != 0) return table_element(slots + at);
    }
    for (uint32_t i = 0; i < slot_count; i++) {
        if (slots[(at + i) % slot_count] != 0) return table_element(slots + (at + i) % slot_count);
    }
    return NULL;
}

/* A random directory word weighs each segment by its share of the hashes, hence of the elements. */
void *table_random(const struct table *t, struct random *random) {
    uint64_t word_count = (uint64_t)1 << t->depth, at;
    if (t->count == 0) return NULL;
    at = random_below(random, word_count);
    for (uint64_t i = 0; i < word_count; i++) {
        void *element =
            segment_random(word_segment(directory_words(t)[(at + i) % word_count]), random);
        if (element) return element;
    }
    return NULL;
}

/* The place's high bits choose a directory word, its low half a slot. */
static uint64_t place_word(const struct table *t, uint64_t place) {
    return t->depth == 0 ? 0 : place >> (64 - t->depth);
}
static uint32_t place_slot(const struct segment *s, uint64_t place) {
    return (uint32_t)((place & UINT32_MAX) * segment_slots(s) >> 32);
}

void table_sample_prefetch(const struct table *t, uint64_t place) {
    const struct segment *s;
    if (t->count == 0) return;
    s = word_segment(directory_words(t)[place_word(t, place)]);
    PREFETCH(segment_buckets(s) + place_slot(s, place));
}

static size_t segment_sample(const struct segment *s, uint32_t at, void **out, size_t max) {
    uint64_t *slots = segment_buckets(s);
    uint32_t slot_count = segment_slots(s);
    size_t count = 0;
    for (uint32_t i = 0; i < slot_count && count < max; i++) {
        if (slots[at] != 0) {
            out[count] = table_element(slots + at);
            PREFETCH(out[count]);
            count++;
        }
        if (++at == slot_count) at = 0;
    }
    return count;
}

size_t table_sample(const struct table *t, uint64_t place, void **out, size_t max) {
    uint64_t word_count = (uint64_t)1 << t->depth, at = place_word(t, place);
    if (t->count == 0) return 0;
    for (uint64_t i = 0; i < word_count; i++) {
        const struct segment *s = word_segment(directory_words(t)[(at + i) % word_count]);
        size_t count = segment_sample(s, place_slot(s, place), out, max);
        if (count) return count;
    }
    return 0;
}

/* -- deadlines */

/* False when `due` is full before the segment's end: then its bound stays as it is. */
static bool segment_collect_due(const struct table *t, struct segment *s, int64_t now_ms,
                                void **due, size_t due_max, size_t *due_count) {
    uint64_t *slots = segment_buckets(s);
    uint32_t slot_count = segment_slots(s);
    int64_t earliest_ms = TABLE_NO_DEADLINE;
    for (uint32_t i = 0; i < slot_count; i++) {
        int64_t deadline_ms;
        if (i + PREFETCH_AHEAD < slot_count) PREFETCH(table_element(slots + i + PREFETCH_AHEAD));
        if (slots[i] == 0) continue;
        deadline_ms = t->type->deadline_ms(table_element(slots + i));
        if (deadline_ms > now_ms) {
            earliest_ms = MIN(earliest_ms, deadline_ms);
        } else if (*due_count < due_max) {
            due[(*due_count)++] = table_element(slots + i);
        } else {
            return false;
        }
    }
    s->earliest_ms = earliest_ms;
    return true;
}

/* Headers lie apart: the one a few directory words on is asked for early. */
static void prefetch_header_ahead(const struct table *t, uint64_t position) {
    size_t index = directory_index(t, position) + 8;
    if (index < (size_t)1 << t->depth) PREFETCH(word_segment(directory_words(t)[index]));
}

size_t table_collect_due(struct table *t, struct table_due_walk *walk, uint32_t segment_count_max,
                         int64_t now_ms, void **due, size_t due_max) {
    size_t due_count = 0;
    if (walk->position == 0) walk->earliest_ms = TABLE_NO_DEADLINE;
    walk->round_ended = false;
    if (!t->type->deadline_ms || table_word(t, 0) == 0) {
        walk->position = 0;
        walk->round_ended = true;
        return 0;
    }
    for (uint32_t left = segment_count_max; left > 0 && !walk->round_ended; left--) {
        struct segment *s = word_segment(table_word(t, walk->position));
        bool is_due = s->earliest_ms <= now_ms;
        prefetch_header_ahead(t, walk->position);
        if (is_due && !segment_collect_due(t, s, now_ms, due, due_max, &due_count)) break;
        walk->earliest_ms = MIN(walk->earliest_ms, s->earliest_ms);
        walk->position = prefix_of(walk->position, s->local_depth) + prefix_width(s->local_depth);
        walk->round_ended = walk->position == 0;
        if (is_due) break;
    }
    return due_count;
}

/* -- checks */

static void check_bucket_run(const struct segment *s, uint32_t home, uint32_t at) {
    const uint64_t *first = segment_buckets(s);
    for (uint32_t b = home; b != at; b = b + 1 == s->bucket_count ? 0 : b + 1) {
        CHECK(bucket_full(first + (size_t)b * TABLE_BUCKET_SLOTS));
    }
}

static void check_segment(const struct table *t, const struct segment *s, uint64_t prefix) {
    const uint64_t *slots = segment_buckets(s);
    uint32_t count = 0;
    CHECK(s->local_depth <= t->depth && (uintptr_t)slots % 64 == 0);
    CHECK(s->bucket_count == 1 || s->count <= s->bucket_count * (TABLE_BUCKET_SLOTS - 1));
    for (uint32_t i = 0; i < segment_slots(s); i++) {
        const void *element = table_element(slots + i);
        uint64_t hash;
        if (!element) {
            CHECK(slots[i] == 0 && (i % TABLE_BUCKET_SLOTS == 7 || slots[i + 1] == 0));
            continue;
        }
        hash = t->type->hash(element);
        CHECK(prefix_of(hash, s->local_depth) == prefix && slots[i] >> 48 == table_place(hash));
        CHECK(!t->type->deadline_ms || t->type->deadline_ms(element) >= s->earliest_ms);
        check_bucket_run(s, slot_home(slots[i], s->bucket_count), i / TABLE_BUCKET_SLOTS);
        count++;
    }
    CHECK(count == s->count);
}

void table_check(const struct table *t) {
    const uint64_t *words = directory_words(t);
    size_t word_count = (size_t)1 << t->depth, memory_bytes = 0;
    uint64_t count = 0;
    uint32_t segment_count = 0, deepest_count = 0;
    CHECK((t->depth == 0) == (t->directory == NULL));
    if (t->directory) memory_bytes += mem_usable_bytes(t->directory);
    for (size_t i = 0; i < word_count && words[i] != 0;) {
        const struct segment *s = word_segment(words[i]);
        uint64_t prefix = t->depth == 0 ? 0 : (uint64_t)i << (64 - t->depth);
        size_t end = i + ((size_t)1 << (t->depth - s->local_depth));
        CHECK(prefix == prefix_of(prefix, s->local_depth));
        check_segment(t, s, prefix);
        count += s->count;
        memory_bytes += mem_usable_bytes(s);
        segment_count++;
        deepest_count += s->local_depth == t->depth;
        for (; i < end; i++) CHECK(words[i] == segment_word(s));
    }
    CHECK(segment_count > 0 || t->depth == 0);
    CHECK(count == t->count && segment_count == t->segment_count);
    CHECK(deepest_count == t->deepest_count && memory_bytes == t->memory_bytes);
}
