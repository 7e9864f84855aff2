/* Walks over hashes, scans and random fields. */
#include <string.h>

#include "base/check.h"
#include "types/fields_inside.h"

bool fields_random(const struct fields *f, struct random *random, struct field_pair *out) {
    uint32_t stride = fields_stride(f);
    if (fields_is_table(f)) {
        *out = fields_table_pair(table_random(&fields_table_of(f)->table, random));
    } else {
        uint64_t at = random_below(random, fields_count(f)) * stride;
        struct field_place place =
            fields_place_at(f, packed_index(fields_packed_of(f), (int64_t)at));
        *out = fields_place_pair(&place);
    }
    return !fields_is_due(out->deadline_ms);
}

/* -- walks */

void fields_walk_begin(struct fields_walk *walk, const struct fields *f) {
    walk->fields = f;
    walk->at = NULL;
    walk->ahead_count = 0;
    if (fields_is_table(f)) {
        walk->table = (struct table_walk){.table = &fields_table_of(f)->table};
        walk->ahead_count = (uint32_t)table_walk_next(&walk->table, walk->ahead, FIELDS_WALK_BATCH);
    } else {
        walk->at = packed_first(fields_packed_of(f));
    }
}

static uint32_t walk_packed(struct fields_walk *walk, struct field_pair *out) {
    uint32_t count = 0;
    while (walk->at && count < FIELDS_WALK_BATCH) {
        struct field_place place = fields_place_at(walk->fields, walk->at);
        out[count++] = fields_place_pair(&place);
        walk->at = fields_place_behind(walk->fields, &place);
    }
    return count;
}

/* The next batch is on its way while this one is read. */
static uint32_t walk_table(struct fields_walk *walk, struct field_pair *out) {
    void *elements[FIELDS_WALK_BATCH];
    uint32_t count = walk->ahead_count;
    memcpy(elements, walk->ahead, count * sizeof *elements);
    walk->ahead_count = (uint32_t)table_walk_next(&walk->table, walk->ahead, FIELDS_WALK_BATCH);
    for (uint32_t i = 0; i < count; i++) out[i] = fields_table_pair(elements[i]);
    return count;
}

uint32_t fields_walk_any(struct fields_walk *walk, struct field_pair *out) {
    return fields_is_table(walk->fields) ? walk_table(walk, out) : walk_packed(walk, out);
}

static uint32_t drop_due(struct field_pair *pairs, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!fields_is_due(pairs[i].deadline_ms)) pairs[kept++] = pairs[i];
    }
    return kept;
}

uint32_t fields_walk_next(struct fields_walk *walk, struct field_pair *out) {
    bool some_timed = fields_deadline_count(walk->fields) > 0;
    uint32_t count = fields_walk_any(walk, out), kept = some_timed ? drop_due(out, count) : count;
    while (count > 0 && kept == 0) {
        count = fields_walk_any(walk, out);
        kept = drop_due(out, count);
    }
    return kept;
}

struct scan {
    void (*visit)(const struct field_pair *pair, void *context);
    void *context;
};

static void visit_element(void *element, void *context) {
    const struct scan *scan = context;
    struct field_pair pair = fields_table_pair(element);
    if (!fields_is_due(pair.deadline_ms)) scan->visit(&pair, scan->context);
}

uint64_t fields_scan(const struct fields *f, uint64_t cursor,
                     void (*visit)(const struct field_pair *pair, void *context), void *context) {
    struct scan scan = {visit, context};
    DCHECK(fields_is_table(f));
    return table_scan(&fields_table_of(f)->table, cursor, visit_element, &scan);
}
