/* Sorted sets: which form a set has, and each operation for both. Hot path: find, insert, set_score, rank, walks. */
#include "types/zset.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "types/zset_large.h"

/* ---- scores in packed blocks */

#define WHOLE_MAX 9007199254740992.0 /* 2^53: whole numbers up to here are doubles without error */

enum { SCORE_TEXT_MAX = NUM_INT_TEXT_MAX };

static struct span score_text(double score, char *out) {
    if (fabs(score) < WHOLE_MAX && score == (double)(int64_t)score)
        return span_make(out, num_format_int(out, (int64_t)score));
    float narrow = fabs(score) <= FLT_MAX ? (float)score : 0;
    if ((double)narrow == score) {
        out[0] = 'f';
        memcpy(out + 1, &narrow, sizeof narrow);
        return span_make(out, 1 + sizeof narrow);
    }
    out[0] = 'd';
    memcpy(out + 1, &score, sizeof score);
    return span_make(out, 1 + sizeof score);
}

static double score_at(packed_at at) {
    struct packed_value value = packed_get(at);
    float narrow;
    double score;
    if (value.is_int) return (double)value.number;
    if (value.bytes.len == 1 + sizeof narrow) {
        memcpy(&narrow, value.bytes.data + 1, sizeof narrow);
        return narrow;
    }
    memcpy(&score, value.bytes.data + 1, sizeof score);
    return score;
}

/* ---- packed pairs: `at` is a member's address, its score follows */

static double pair_score(const struct packed *p, packed_at at) {
    return score_at(packed_behind(p, at));
}

static packed_at next_pair(const struct packed *p, packed_at at) {
    return packed_next(p, packed_behind(p, at));
}

static packed_at previous_pair(const struct packed *p, packed_at at) {
    packed_at score = packed_previous(p, at);
    return score ? packed_previous(p, score) : NULL;
}

static packed_at last_pair(const struct packed *p) {
    return packed_index(p, -2);
}

static bool pair_is_before(const struct packed *p, packed_at at, const struct ztree_bound *bound) {
    char text[NUM_INT_TEXT_MAX];
    double score = pair_score(p, at);
    switch (bound->kind) {
    case ZTREE_ELEMENT:
        if (score != bound->score) return score < bound->score;
        return span_compare(packed_bytes(at, text), bound->member) < 0;
    case ZTREE_SCORE: return score < bound->score;
    case ZTREE_SCORE_BEHIND: return score <= bound->score;
    case ZTREE_MEMBER: return span_compare(packed_bytes(at, text), bound->member) < 0;
    case ZTREE_MEMBER_BEHIND: return span_compare(packed_bytes(at, text), bound->member) <= 0;
    }
    return false;
}

static uint64_t packed_count_before(const struct packed *p, const struct ztree_bound *bound) {
    uint64_t count = 0;
    for (packed_at at = packed_first(p); at && pair_is_before(p, at, bound); at = next_pair(p, at))
        count++;
    return count;
}

/* Where a new pair belongs: before this one, NULL at the end, which is tried first. */
static packed_at place_for(const struct packed *p, struct span member, double score) {
    struct ztree_bound bound = {ZTREE_ELEMENT, score, member};
    packed_at at = packed_first(p);
    if (!at || pair_is_before(p, last_pair(p), &bound)) return NULL;
    while (pair_is_before(p, at, &bound)) at = next_pair(p, at);
    return at;
}

static struct packed *packed_put(struct packed *p, struct span member, double score) {
    char text[SCORE_TEXT_MAX];
    struct span pair[2] = {member, score_text(score, text)};
    return packed_insert_many(p, place_for(p, member, score), pair, 2, NULL);
}

/* May the pair keep its place with that score? */
static bool pair_may_stay(const struct packed *p, packed_at at, struct span member, double score) {
    struct ztree_bound bound = {ZTREE_ELEMENT, score, member};
    packed_at left = previous_pair(p, at), right = next_pair(p, at);
    return (!left || pair_is_before(p, left, &bound)) &&
           (!right || !pair_is_before(p, right, &bound));
}

/* The new pair goes in before the old one goes: without memory nothing has happened. */
static struct packed *packed_set_score(struct packed *p, packed_at at, struct span member,
                                       double score) {
    char text[SCORE_TEXT_MAX];
    struct span pair[2] = {member, score_text(score, text)};
    if (pair_may_stay(p, at, member, score))
        return packed_replace(p, packed_behind(p, at), pair[1], NULL);
    packed_at to = place_for(p, member, score);
    bool lower = to && to <= at;
    size_t offset = (size_t)(at - (packed_at)p), bytes = packed_used_bytes(p);
    struct packed *changed = packed_insert_many(p, to, pair, 2, NULL);
    if (!changed) return NULL;
    if (lower) offset += packed_used_bytes(changed) - bytes;
    return packed_remove(changed, (packed_at)changed + offset, 2, NULL);
}

/* ---- the word */

INLINE bool is_large(const struct zset *z) {
    return (uintptr_t)z & 1;
}
INLINE struct large *large_of(const struct zset *z) {
    return (struct large *)((uintptr_t)z - 1);
}
INLINE struct zset *word_of(struct large *l) {
    return (struct zset *)((uintptr_t)l | 1);
}
INLINE struct packed *packed_of(const struct zset *z) {
    return (struct packed *)(uintptr_t)z;
}

bool zset_is_packed(const struct zset *z) {
    return !is_large(z);
}

uint64_t zset_count(const struct zset *z) {
    return is_large(z) ? large_of(z)->tree.count : packed_count(packed_of(z)) / 2;
}

/* ---- life */

static bool fits(uint64_t count, size_t bytes, const struct zset_limits *limits) {
    return count <= limits->count_max && bytes <= limits->bytes_max;
}

struct zset *zset_new(uint64_t count, size_t bytes, const struct zset_limits *limits) {
    if (!fits(count, bytes, limits)) return word_of(large_new());
    return (struct zset *)packed_new(PACKED_BACKWARD);
}

void zset_free(struct zset *z) {
    if (!is_large(z)) {
        packed_free(packed_of(z));
        return;
    }
    while (!large_free_step(large_of(z))) {}
}

struct zset *zset_copy(const struct zset *z) {
    if (!is_large(z)) return (struct zset *)packed_copy(packed_of(z));
    struct large *copy = large_try_copy(large_of(z));
    return copy ? word_of(copy) : NULL;
}

size_t zset_memory_bytes(const struct zset *z) {
    return is_large(z) ? large_memory_bytes(large_of(z)) : packed_class_bytes(packed_of(z));
}

uint64_t zset_free_effort(const struct zset *z) {
    return is_large(z) ? large_of(z)->tree.count : 1;
}

bool zset_free_step(struct zset *z, uint32_t effort) {
    (void)effort; /* a step is one leaf or one segment */
    if (is_large(z)) return large_free_step(large_of(z));
    packed_free(packed_of(z));
    return true;
}

/* Turns large whatever the limits say. */
static int enlarge(struct zset **z) {
    const struct packed *p = packed_of(*z);
    struct large *l = large_new();
    char text[NUM_INT_TEXT_MAX];
    for (packed_at at = packed_first(p); at; at = next_pair(p, at)) {
        struct span member = packed_bytes(at, text);
        uint64_t hash = hash_bytes(member.data, member.len);
        if (large_insert(l, member, hash, pair_score(p, at)) == 0) continue;
        zset_free(word_of(l));
        return -ENOMEM;
    }
    packed_free(packed_of(*z));
    *z = word_of(l);
    return 0;
}

int zset_prepare(struct zset **z, uint64_t count, size_t bytes, const struct zset_limits *limits) {
    return is_large(*z) || fits(count, bytes, limits) ? 0 : enlarge(z);
}

/* ---- one member */

bool zset_find(const struct zset *z, struct span member, struct zset_place *place) {
    if (!is_large(z)) {
        const struct packed *p = packed_of(z);
        place->at = packed_find(p, packed_first(p), member, 1);
        if (place->at) place->score = pair_score(p, place->at);
        return place->at != NULL;
    }
    place->hash = hash_bytes(member.data, member.len);
    place->element = large_find(large_of(z), member, place->hash);
    if (place->element) place->score = place->element->score;
    return place->element != NULL;
}

void zset_prefetch(const struct zset *z, const struct span *members, uint32_t count,
                   uint32_t step) {
    uint64_t hashes[ZSET_AHEAD];
    if (!is_large(z)) return;
    const struct table *table = &large_of(z)->table;
    count = MIN(count, (uint32_t)ZSET_AHEAD);
    for (uint32_t i = 0; i < count; i++) {
        struct span member = members[i * step];
        hashes[i] = hash_bytes(member.data, member.len);
        table_prefetch_bucket(table, hashes[i]);
    }
    for (uint32_t i = 0; i < count; i++) table_prefetch_element(table, hashes[i]);
}

int zset_insert(struct zset **z, const struct zset_place *place, struct span member, double score,
                const struct zset_limits *limits) {
    uint64_t hash = place->hash;
    if (!is_large(*z)) {
        struct packed *p = packed_of(*z), *changed = NULL;
        if (fits(zset_count(*z) + 1, member.len, limits)) changed = packed_put(p, member, score);
        if (changed) {
            *z = (struct zset *)changed;
            return 0;
        }
        int rc = enlarge(z);
        if (rc < 0) return rc;
        hash = hash_bytes(member.data, member.len);
    }
    return large_insert(large_of(*z), member, hash, score);
}

int zset_set_score(struct zset **z, const struct zset_place *place, struct span member,
                   double score) {
    if (is_large(*z)) {
        ztree_set_score(&large_of(*z)->tree, place->element, score);
        return 0;
    }
    struct packed *changed = packed_set_score(packed_of(*z), place->at, member, score);
    if (!changed) return -ENOMEM;
    *z = (struct zset *)changed;
    return 0;
}

void zset_remove(struct zset **z, const struct zset_place *place) {
    if (is_large(*z)) {
        large_remove(large_of(*z), place->element, place->hash);
    } else {
        *z = (struct zset *)packed_remove(packed_of(*z), place->at, 2, NULL);
    }
}

uint64_t zset_rank(const struct zset *z, const struct zset_place *place) {
    if (is_large(z)) return ztree_rank(&large_of(z)->tree, place->element);
    const struct packed *p = packed_of(z);
    uint64_t rank = 0;
    for (packed_at at = packed_first(p); at != place->at; at = next_pair(p, at)) rank++;
    return rank;
}

/* ---- ranges */

uint64_t zset_count_before(const struct zset *z, const struct ztree_bound *bound) {
    if (is_large(z)) return ztree_count_before(&large_of(z)->tree, bound);
    return packed_count_before(packed_of(z), bound);
}

void zset_remove_range(struct zset **z, uint64_t rank, uint64_t count) {
    uint64_t there = zset_count(*z);
    if (rank >= there) return;
    count = MIN(count, there - rank);
    if (is_large(*z)) {
        large_remove_range(large_of(*z), rank, count);
    } else {
        struct packed *p = packed_of(*z);
        packed_at at = packed_index(p, (int64_t)rank * 2);
        *z = (struct zset *)packed_remove(p, at, (uint32_t)count * 2, NULL);
    }
}

struct zset *zset_cut_range(struct zset **z, uint64_t rank, uint64_t count) {
    uint64_t there = zset_count(*z);
    struct large *kept;
    count = rank < there ? MIN(count, there - rank) : 0;
    if (!is_large(*z) || !large_is_cut(there, count)) {
        zset_remove_range(z, rank, count);
        return NULL;
    }
    struct zset *cut = *z;
    kept = large_new();
    large_save_range(large_of(cut), rank + count, there - rank - count, kept);
    large_save_range(large_of(cut), 0, rank, kept);
    *z = word_of(kept);
    return cut;
}

/* ---- walks */

static bool show_pair(struct zset_cursor *cursor, packed_at at) {
    cursor->at = at;
    if (!at) return false;
    cursor->member = packed_bytes(at, cursor->text);
    cursor->score = pair_score(cursor->packed, at);
    return true;
}

INLINE bool show_element(struct zset_cursor *cursor, const struct zelement *e) {
    if (!e) return false;
    cursor->member = zelement_member(e);
    cursor->score = e->score;
    return true;
}

bool zset_seek(const struct zset *z, uint64_t rank, struct zset_cursor *cursor) {
    if (is_large(z)) {
        cursor->packed = NULL;
        return show_element(cursor, ztree_seek(&large_of(z)->tree, rank, &cursor->path));
    }
    cursor->packed = packed_of(z);
    if (rank >= zset_count(z)) return false;
    return show_pair(cursor, packed_index(cursor->packed, (int64_t)rank * 2));
}

bool zset_next(struct zset_cursor *cursor) {
    if (LIKELY(!cursor->packed)) return show_element(cursor, ztree_next(&cursor->path));
    return show_pair(cursor, next_pair(cursor->packed, cursor->at));
}

bool zset_previous(struct zset_cursor *cursor) {
    if (LIKELY(!cursor->packed)) return show_element(cursor, ztree_previous(&cursor->path));
    return show_pair(cursor, previous_pair(cursor->packed, cursor->at));
}

struct scan {
    void (*visit)(struct span member, double score, void *context);
    void *context;
};

static void visit_element(void *element, void *context) {
    const struct zelement *e = element;
    const struct scan *scan = context;
    scan->visit(zelement_member(e), e->score, scan->context);
}

uint64_t zset_scan(const struct zset *z, uint64_t cursor,
                   void (*visit)(struct span member, double score, void *context), void *context) {
    struct scan scan = {visit, context};
    struct zset_cursor walk;
    if (is_large(z)) return table_scan(&large_of(z)->table, cursor, visit_element, &scan);
    for (bool there = zset_seek(z, 0, &walk); there; there = zset_next(&walk))
        visit(walk.member, walk.score, context);
    return 0;
}

/* ---- building */

void zset_build_begin(struct zset_build *b) {
    *b = (struct zset_build){0};
    table_init(&b->table, &large_table_type);
}

struct zelement *zset_build_find(const struct zset_build *b, struct span member, uint64_t hash) {
    table_slot *slot = table_find(&b->table, hash, member);
    return slot ? table_element(slot) : NULL;
}

int zset_build_add(struct zset_build *b, struct span member, uint64_t hash, double score) {
    struct zelement *e = zelement_try_new(member, score);
    if (!e) return -ENOMEM;
    table_insert(&b->table, hash, e);
    b->element_bytes += zelement_class_bytes(e);
    b->member_bytes_max = MAX(b->member_bytes_max, member.len);
    return 0;
}

bool zset_build_remove(struct zset_build *b, struct span member, uint64_t hash) {
    table_slot *slot = table_find(&b->table, hash, member);
    if (!slot) return false;
    struct zelement *e = table_element(slot);
    table_remove(&b->table, slot, hash);
    b->element_bytes -= zelement_class_bytes(e);
    zelement_free(e);
    return true;
}

static void free_element(void *element, void *context) {
    zelement_free(element);
}

void zset_build_abort(struct zset_build *b) {
    table_release(&b->table, free_element, NULL);
}

/* The elements in a packed block of their own; NULL when there is no memory or no room for that. */
static struct packed *pack(const struct zset_build *b, const struct large_sorted *sorted) {
    struct packed *p = packed_new(PACKED_BACKWARD);
    for (uint64_t i = 0; i < b->table.count; i++) {
        char text[SCORE_TEXT_MAX];
        struct span pair[2] = {zelement_member(sorted[i].element),
                               score_text(sorted[i].score, text)};
        struct packed *changed = packed_insert_many(p, NULL, pair, 2, NULL);
        if (!changed) {
            packed_free(p);
            return NULL;
        }
        p = changed;
    }
    return p;
}

struct zset *zset_build_end(struct zset_build *b, const struct zset_limits *limits) {
    struct large_sorted *sorted = large_sort(&b->table);
    struct packed *p = NULL;
    struct zset *z;
    if (!sorted) return NULL;
    if (fits(b->table.count, b->member_bytes_max, limits)) p = pack(b, sorted);
    if (p) {
        z = (struct zset *)p;
        zset_build_abort(b);
    } else {
        z = word_of(large_from(&b->table, sorted, b->element_bytes));
    }
    mem_free(sorted);
    zset_build_begin(b);
    return z;
}

/* ---- checks */

void zset_check(const struct zset *z) {
    struct zset_cursor walk;
    char last_text[NUM_INT_TEXT_MAX];
    struct ztree_bound last = {0};
    bool first = true;
    if (is_large(z)) {
        large_check(large_of(z));
        return;
    }
    packed_check(packed_of(z));
    CHECK(packed_count(packed_of(z)) % 2 == 0);
    for (bool there = zset_seek(z, 0, &walk); there; there = zset_next(&walk)) {
        struct ztree_bound here = {ZTREE_ELEMENT, walk.score, walk.member};
        CHECK(first || last.score < here.score ||
              (last.score == here.score && span_compare(last.member, here.member) < 0));
        last = here;
        first = false;
        if (walk.member.data != walk.text) continue;
        memcpy(last_text, walk.text, sizeof last_text);
        last.member.data = last_text;
    }
}
