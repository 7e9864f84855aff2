/* Hashes in their three forms; layouts stand in the header. Walks are in fields_walk.c, the
 * table's own matters in fields_table.c.
 *
 * The two packed forms differ in their stride alone: two elements a field, or three. A hash becomes timed when a field gets its
 * first deadline, and a table when it outgrows its limits. Hot paths: fields_get and fields_set. */
#include "types/fields.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/hash.h"
#include "types/fields_inside.h"

enum {
    STRIDE_MAX = 3,
    BLOCK_BYTES_MAX =
        1
        << 29, /* whatever the limits say: a block, made timed at that, stays within packed.h's bounds */
};

/* -- the word */

static void set_packed(struct fields **f, struct packed *p) {
    if (fields_is_timed(*f)) {
        fields_timed_of(*f)->packed = p;
    } else {
        *f = fields_tagged(p, FIELDS_PACKED);
    }
}

const struct packed *fields_packed(const struct fields *f) {
    return fields_encoding_of(f) == FIELDS_PACKED ? fields_untagged(f) : NULL;
}

/* -- life */

struct fields *fields_new(void) {
    return fields_tagged(packed_new(0), FIELDS_PACKED);
}

void fields_free(struct fields *f) {
    switch (fields_encoding_of(f)) {
    case FIELDS_PACKED: packed_free(fields_packed_of(f)); break;
    case FIELDS_TIMED:
        packed_free(fields_packed_of(f));
        mem_free(fields_timed_of(f));
        break;
    case FIELDS_TABLE: fields_table_free(fields_table_of(f)); break;
    }
}

size_t fields_memory_bytes(const struct fields *f) {
    const struct fields_table *t = fields_table_of(f);
    switch (fields_encoding_of(f)) {
    case FIELDS_PACKED: return packed_class_bytes(fields_packed_of(f));
    case FIELDS_TIMED:
        return mem_class_bytes(sizeof(struct fields_timed)) +
               packed_class_bytes(fields_packed_of(f));
    case FIELDS_TABLE: break;
    }
    return mem_class_bytes(sizeof *t) + t->table.memory_bytes + t->element_bytes;
}

uint64_t fields_free_effort(const struct fields *f) {
    return fields_is_table(f) ? fields_table_of(f)->table.count : 1;
}

/* A segment is the least that can be freed: some hundred elements. */
bool fields_free_step(struct fields *f, uint32_t effort) {
    struct fields_table *t = fields_table_of(f);
    (void)effort;
    if (fields_is_table(f)) {
        if (!table_release_step(&t->table, 1, fields_table_free_element, NULL)) return false;
        mem_free(t);
    } else {
        fields_free(f);
    }
    return true;
}

uint64_t fields_count(const struct fields *f) {
    if (fields_is_table(f)) return fields_table_of(f)->table.count;
    return packed_count(fields_packed_of(f)) / fields_stride(f);
}

uint64_t fields_deadline_count(const struct fields *f) {
    switch (fields_encoding_of(f)) {
    case FIELDS_PACKED: return 0;
    case FIELDS_TIMED: return fields_timed_of(f)->deadline_count;
    case FIELDS_TABLE: break;
    }
    return fields_table_of(f)->deadline_count;
}

int64_t fields_earliest_ms(const struct fields *f) {
    switch (fields_encoding_of(f)) {
    case FIELDS_PACKED: return FIELDS_NO_DEADLINE;
    case FIELDS_TIMED: return fields_timed_of(f)->earliest_ms;
    case FIELDS_TABLE: break;
    }
    return fields_table_of(f)->earliest_ms;
}

/* -- fields of the packed forms */

static bool find_place(const struct fields *f, struct span field, struct field_place *out) {
    const struct packed *p = fields_packed_of(f);
    packed_at at = packed_find(p, packed_first(p), field, fields_stride(f) - 1);
    if (!at) return false;
    *out = fields_place_at(f, at);
    return true;
}

/* The deadline as an element. `text` holds NUM_INT_TEXT_MAX. */
static struct span deadline_text(int64_t deadline_ms, char *text) {
    int64_t number = deadline_ms == FIELDS_NO_DEADLINE ? 0 : deadline_ms;
    return span_make(text, num_format_int(text, number));
}

static void note_deadline(struct fields *f, int64_t before_ms, int64_t after_ms) {
    struct fields_timed *timed = fields_timed_of(f);
    if (!fields_is_timed(f) || before_ms == after_ms) return;
    timed->deadline_count -= before_ms != FIELDS_NO_DEADLINE;
    timed->deadline_count += after_ms != FIELDS_NO_DEADLINE;
    timed->earliest_ms = MIN(timed->earliest_ms, after_ms);
}

/* -- one form from another. 0 or -ENOMEM. */

static int become_timed(struct fields **f) {
    struct packed *from = fields_packed_of(*f), *p = packed_new(0), *grown;
    struct fields_timed *timed;
    for (packed_at at = packed_first(from); at;) {
        char texts[2][NUM_INT_TEXT_MAX];
        packed_at value = packed_next(from, at);
        struct span triple[3] = {packed_bytes(at, texts[0]), packed_bytes(value, texts[1]),
                                 SPAN("0")};
        grown = packed_insert_many(p, NULL, triple, 3, NULL);
        if (!grown) {
            packed_free(p);
            return -ENOMEM;
        }
        p = grown;
        at = packed_next(from, value);
    }
    timed = mem_alloc(mem_class_bytes(sizeof *timed));
    *timed = (struct fields_timed){.earliest_ms = FIELDS_NO_DEADLINE, .packed = p};
    packed_free(from);
    *f = fields_tagged(timed, FIELDS_TIMED);
    return 0;
}

/* A table with the fields of any hash, those past their deadline included. */
static struct fields_table *table_try_copy(const struct fields *f);

static int become_table(struct fields **f) {
    struct fields_table *t = table_try_copy(*f);
    if (!t) return -ENOMEM;
    fields_free(*f);
    *f = fields_tagged(t, FIELDS_TABLE);
    return 0;
}

int fields_prepare(struct fields **f, uint64_t count, size_t len_max,
                   const struct fields_limits *limits) {
    if (fields_is_table(*f)) return 0;
    if (count <= limits->packed_count_max && len_max <= limits->packed_bytes_max) return 0;
    return become_table(f);
}

/* -- reading */

bool fields_get(const struct fields *f, struct span field, struct field_pair *out) {
    struct field_place place;
    void *element;
    if (fields_is_table(f)) {
        element = fields_table_find(fields_table_of(f), field);
        if (!element) return false;
        *out = fields_table_pair(element);
        return !fields_is_due(out->deadline_ms);
    }
    if (!find_place(f, field, &place) || fields_is_due(place.deadline_ms)) return false;
    out->value = packed_get(place.value);
    out->deadline_ms = place.deadline_ms;
    return true;
}

void fields_prefetch(const struct fields *f, const struct span *fields, uint32_t count,
                     uint32_t step) {
    const struct table *t = &fields_table_of(f)->table;
    uint64_t hashes[FIELDS_AHEAD];
    if (!fields_is_table(f)) return;
    count = MIN(count, (uint32_t)FIELDS_AHEAD);
    for (uint32_t i = 0; i < count; i++) {
        const struct span *field = fields + (size_t)i * step;
        hashes[i] = hash_bytes(field->data, field->len);
        table_prefetch_bucket(t, hashes[i]);
    }
    for (uint32_t i = 0; i < count; i++) table_prefetch_element(t, hashes[i]);
}

static struct fields_table *table_try_copy(const struct fields *f) {
    struct field_pair pairs[FIELDS_WALK_BATCH];
    struct fields_table *t = fields_table_new();
    struct fields_walk walk;
    uint32_t count;
    fields_walk_begin(&walk, f);
    while ((count = fields_walk_any(&walk, pairs))) {
        for (uint32_t i = 0; i < count; i++) {
            char texts[2][NUM_INT_TEXT_MAX];
            struct span field = packed_value_bytes(&pairs[i].field, texts[0]);
            struct span value = packed_value_bytes(&pairs[i].value, texts[1]);
            if (fields_table_put(t, field, value, pairs[i].deadline_ms) == 0) continue;
            fields_table_free(t);
            return NULL;
        }
    }
    return t;
}

static struct fields *copy_timed(const struct fields *f) {
    struct packed *p = packed_copy(fields_packed_of(f));
    struct fields_timed *timed;
    if (!p) return NULL;
    timed = mem_alloc(mem_class_bytes(sizeof *timed));
    *timed = *fields_timed_of(f);
    timed->packed = p;
    return fields_tagged(timed, FIELDS_TIMED);
}

struct fields *fields_copy(const struct fields *f) {
    void *copy;
    if (fields_is_timed(f)) return copy_timed(f);
    copy =
        fields_is_table(f) ? (void *)table_try_copy(f) : (void *)packed_copy(fields_packed_of(f));
    return copy ? fields_tagged(copy, fields_encoding_of(f)) : NULL;
}

/* -- writing */

/* May another field of so many bytes join the block? */
static bool has_room(const struct fields *f, size_t bytes) {
    const struct packed *p = fields_packed_of(f);
    return packed_used_bytes(p) + bytes <= BLOCK_BYTES_MAX &&
           packed_count(p) / fields_stride(f) < PACKED_COUNT_MAX / STRIDE_MAX;
}

/* A new field behind the others. */
static int put_place(struct fields **f, struct span field, struct span value, int64_t deadline_ms) {
    char text[NUM_INT_TEXT_MAX];
    struct span triple[STRIDE_MAX] = {field, value, deadline_text(deadline_ms, text)};
    struct packed *p =
        packed_insert_many(fields_packed_of(*f), NULL, triple, fields_stride(*f), NULL);
    if (!p) return -ENOMEM;
    set_packed(f, p);
    note_deadline(*f, FIELDS_NO_DEADLINE, deadline_ms);
    return 0;
}

/* Another value, and another deadline when it is timed. Both change at once or not at all: the new triple is put before the old one,
 * which then goes. */
static int renew_place(struct fields **f, const struct field_place *place, struct span field,
                       struct span value, int64_t deadline_ms) {
    char text[NUM_INT_TEXT_MAX];
    struct span triple[STRIDE_MAX] = {field, value, deadline_text(deadline_ms, text)};
    struct packed *p;
    packed_at at = NULL;
    if (place->deadline_ms == deadline_ms) {
        p = packed_replace(fields_packed_of(*f), place->value, value, NULL);
    } else {
        p = packed_insert_many(fields_packed_of(*f), place->field, triple, STRIDE_MAX, &at);
    }
    if (!p) return -ENOMEM;
    for (unsigned i = 0; at && i < STRIDE_MAX; i++) at = packed_behind(p, at);
    if (at) p = packed_remove(p, at, STRIDE_MAX, NULL);
    set_packed(f, p);
    note_deadline(*f, place->deadline_ms, deadline_ms);
    return 0;
}

static int set_in_table(struct fields **f, struct span field, struct span value,
                        int64_t deadline_ms) {
    struct fields_table *t = fields_table_of(*f);
    void *element = fields_table_find(t, field);
    int64_t before_ms = element ? fields_table_pair(element).deadline_ms : FIELDS_NO_DEADLINE;
    bool revived = fields_is_due(before_ms);
    int rc;
    if (deadline_ms == FIELDS_KEEP_DEADLINE) {
        deadline_ms = revived ? FIELDS_NO_DEADLINE : before_ms;
    }
    rc = fields_table_put(t, field, value, deadline_ms);
    if (rc < 0) return rc;
    if (revived) return FIELDS_REVIVED;
    return element ? FIELDS_UPDATED : FIELDS_ADDED;
}

static int set_in_new_table(struct fields **f, struct span field, struct span value,
                            int64_t deadline_ms) {
    int rc = become_table(f);
    return rc < 0 ? rc : set_in_table(f, field, value, deadline_ms);
}

int fields_set(struct fields **f, struct span field, struct span value, int64_t deadline_ms,
               const struct fields_limits *limits) {
    bool timed = deadline_ms != FIELDS_NO_DEADLINE && deadline_ms != FIELDS_KEEP_DEADLINE;
    struct field_place place;
    bool found, revived;
    int rc;
    if (fields_is_table(*f)) return set_in_table(f, field, value, deadline_ms);
    if (MAX(field.len, value.len) > limits->packed_bytes_max ||
        !has_room(*f, field.len + value.len)) {
        return set_in_new_table(f, field, value, deadline_ms);
    }
    if (timed && !fields_is_timed(*f)) {
        rc = become_timed(f);
        if (rc < 0) return rc;
    }
    found = find_place(*f, field, &place);
    revived = found && fields_is_due(place.deadline_ms);
    if (deadline_ms == FIELDS_KEEP_DEADLINE) {
        deadline_ms = found && !revived ? place.deadline_ms : FIELDS_NO_DEADLINE;
    }
    if (found) {
        rc = renew_place(f, &place, field, value, deadline_ms);
        if (rc < 0) return rc;
        return revived ? FIELDS_REVIVED : FIELDS_UPDATED;
    }
    if (fields_count(*f) >= limits->packed_count_max) {
        return set_in_new_table(f, field, value, deadline_ms);
    }
    rc = put_place(f, field, value, deadline_ms);
    return rc < 0 ? rc : FIELDS_ADDED;
}

static void remove_place(struct fields **f, const struct field_place *place) {
    set_packed(f, packed_remove(fields_packed_of(*f), place->field, fields_stride(*f), NULL));
    note_deadline(*f, place->deadline_ms, FIELDS_NO_DEADLINE);
}

static bool remove_field(struct fields **f, struct span field, bool even_due) {
    struct field_place place;
    void *element;
    if (fields_is_table(*f)) {
        element = fields_table_find(fields_table_of(*f), field);
        if (!element) return false;
        if (!even_due && fields_is_due(fields_table_pair(element).deadline_ms)) return false;
        fields_table_remove(fields_table_of(*f), element);
        return true;
    }
    if (!find_place(*f, field, &place)) return false;
    if (!even_due && fields_is_due(place.deadline_ms)) return false;
    remove_place(f, &place);
    return true;
}

bool fields_remove(struct fields **f, struct span field) {
    return remove_field(f, field, false);
}

bool fields_remove_any(struct fields **f, struct span field) {
    return remove_field(f, field, true);
}

/* -- deadlines */

static bool conditions_hold(unsigned conditions, int64_t before_ms, int64_t after_ms) {
    bool any = before_ms != FIELDS_NO_DEADLINE;
    if (conditions & FIELDS_IF_NONE && any) return false;
    if (conditions & FIELDS_IF_ANY && !any) return false;
    if (conditions & FIELDS_IF_LATER && (!any || after_ms <= before_ms)) return false;
    return !(conditions & FIELDS_IF_EARLIER && any && after_ms >= before_ms);
}

static int set_place_deadline(struct fields **f, struct span field, int64_t deadline_ms) {
    char text[NUM_INT_TEXT_MAX];
    struct field_place place = {0};
    struct packed *p;
    if (!fields_is_timed(*f)) {
        int rc = become_timed(f);
        if (rc < 0) return rc;
    }
    find_place(*f, field, &place);
    p = packed_replace(fields_packed_of(*f), place.deadline, deadline_text(deadline_ms, text),
                       NULL);
    if (!p) return -ENOMEM;
    set_packed(f, p);
    note_deadline(*f, place.deadline_ms, deadline_ms);
    return 0;
}

/* Of a field that is there. 0 or -ENOMEM. */
static int set_deadline(struct fields **f, struct span field, int64_t deadline_ms) {
    struct fields_table *t = fields_table_of(*f);
    if (!fields_is_table(*f)) return set_place_deadline(f, field, deadline_ms);
    return fields_table_set_deadline(t, fields_table_find(t, field), deadline_ms);
}

int fields_expire(struct fields **f, struct span field, int64_t deadline_ms, unsigned conditions) {
    struct field_pair pair;
    int rc;
    if (!fields_get(*f, field, &pair)) return FIELDS_ABSENT;
    if (!conditions_hold(conditions, pair.deadline_ms, deadline_ms)) return FIELDS_REFUSED;
    if (fields_is_due(deadline_ms)) {
        fields_remove(f, field);
        return FIELDS_EXPIRED;
    }
    rc = set_deadline(f, field, deadline_ms);
    return rc < 0 ? rc : FIELDS_CHANGED;
}

int fields_persist(struct fields **f, struct span field) {
    struct field_pair pair;
    int rc;
    if (!fields_get(*f, field, &pair)) return FIELDS_ABSENT;
    if (pair.deadline_ms == FIELDS_NO_DEADLINE) return FIELDS_WITHOUT;
    rc = set_deadline(f, field, FIELDS_NO_DEADLINE);
    return rc < 0 ? rc : FIELDS_CHANGED;
}

/* A packed hash is small: all at once. */
static uint64_t timed_remove_due(struct fields **f, int64_t now_ms) {
    struct fields_timed *timed = fields_timed_of(*f);
    packed_at at = packed_first(timed->packed);
    int64_t earliest_ms = FIELDS_NO_DEADLINE;
    uint64_t removed = 0;
    while (at) {
        struct field_place place = fields_place_at(*f, at);
        if (place.deadline_ms > now_ms) {
            earliest_ms = MIN(earliest_ms, place.deadline_ms);
            at = fields_place_behind(*f, &place);
            continue;
        }
        timed->packed = packed_remove(timed->packed, at, STRIDE_MAX, &at);
        timed->deadline_count--;
        removed++;
    }
    timed->earliest_ms = earliest_ms;
    return removed;
}

uint64_t fields_remove_due(struct fields **f, int64_t now_ms, uint64_t max) {
    if (fields_earliest_ms(*f) > now_ms) return 0;
    if (fields_is_timed(*f)) return timed_remove_due(f, now_ms);
    return fields_table_remove_due(fields_table_of(*f), now_ms, max);
}

/* -- checks */

void fields_check(const struct fields *f) {
    const struct packed *p;
    uint64_t deadline_count = 0;
    if (fields_is_table(f)) {
        fields_table_check(fields_table_of(f));
        return;
    }
    p = fields_packed_of(f);
    packed_check(p);
    CHECK(packed_count(p) % fields_stride(f) == 0);
    if (!fields_is_timed(f)) return;
    for (packed_at at = packed_first(p); at;) {
        struct field_place place = fields_place_at(f, at);
        CHECK(place.deadline_ms >= fields_timed_of(f)->earliest_ms);
        deadline_count += place.deadline_ms != FIELDS_NO_DEADLINE;
        at = fields_place_behind(f, &place);
    }
    CHECK(deadline_count == fields_timed_of(f)->deadline_count);
}
