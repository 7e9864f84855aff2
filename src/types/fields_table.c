/* A large hash: the table of elements; their layout stands in fields.h. Hot paths: fields_table_find, fields_table_put.
 *
 * An element's allocation is of the size class of the bytes in use, so that it is freed and counted without a look at the allocator,
 * and a value is overwritten in place while the class stays. A round over the segments that hold something due goes on from call
 * to call; what is set meanwhile is noted apart and joins the bound when the round ends. */
#include "types/fields_inside.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/hash.h"

enum {
    ELEMENT_TIMED = 1,
    ELEMENT_WIDE = 2,
    NARROW_LEN_MAX = 255,
    DUE_BATCH = 64,
    DUE_SEGMENTS = 64, /* whose headers alone are read at a time */
};

/* -- elements */

/* Where things lie in an element. */
struct layout {
    unsigned char flags;
    size_t field_len, value_len;
};

static size_t layout_head_bytes(const struct layout *l) {
    return (l->flags & ELEMENT_WIDE ? 9u : 3u) + (l->flags & ELEMENT_TIMED ? 8u : 0u);
}

static size_t layout_bytes(const struct layout *l) {
    return layout_head_bytes(l) + l->field_len + l->value_len;
}

static struct layout layout_for(size_t field_len, size_t value_len, int64_t deadline_ms) {
    bool wide = field_len > NARROW_LEN_MAX || value_len > NARROW_LEN_MAX;
    unsigned flags =
        (wide ? ELEMENT_WIDE : 0u) | (deadline_ms != FIELDS_NO_DEADLINE ? ELEMENT_TIMED : 0u);
    return (struct layout){(unsigned char)flags, field_len, value_len};
}

INLINE struct layout layout_of(const void *element) {
    const unsigned char *e = element;
    uint32_t field_len, value_len;
    if (LIKELY(!(e[0] & ELEMENT_WIDE))) return (struct layout){e[0], e[1], e[2]};
    memcpy(&field_len, e + 1, sizeof field_len);
    memcpy(&value_len, e + 5, sizeof value_len);
    return (struct layout){e[0], field_len, value_len};
}

static void layout_store(const struct layout *l, void *element) {
    unsigned char *e = element;
    uint32_t field_len = (uint32_t)l->field_len, value_len = (uint32_t)l->value_len;
    e[0] = l->flags;
    if (l->flags & ELEMENT_WIDE) {
        memcpy(e + 1, &field_len, sizeof field_len);
        memcpy(e + 5, &value_len, sizeof value_len);
    } else {
        e[1] = (unsigned char)field_len;
        e[2] = (unsigned char)value_len;
    }
}

static void deadline_store(void *element, const struct layout *l, int64_t deadline_ms) {
    unsigned char *e = element;
    if (l->flags & ELEMENT_TIMED) {
        memcpy(e + layout_head_bytes(l) - 8, &deadline_ms, sizeof deadline_ms);
    }
}

static int64_t element_deadline_ms(const void *element) {
    const unsigned char *e = element;
    int64_t deadline_ms;
    if (LIKELY(!(e[0] & ELEMENT_TIMED))) return FIELDS_NO_DEADLINE;
    memcpy(&deadline_ms, e + (e[0] & ELEMENT_WIDE ? 9 : 3), sizeof deadline_ms);
    return deadline_ms;
}

static struct span element_field(const void *element) {
    struct layout l = layout_of(element);
    return span_make((const char *)element + layout_head_bytes(&l), l.field_len);
}

static struct span element_value(const void *element) {
    struct layout l = layout_of(element);
    return span_make((const char *)element + layout_head_bytes(&l) + l.field_len, l.value_len);
}

static size_t element_class_bytes(const void *element) {
    struct layout l = layout_of(element);
    return mem_class_bytes(layout_bytes(&l));
}

static void *element_try_new(struct span field, struct span value, int64_t deadline_ms) {
    struct layout l = layout_for(field.len, value.len, deadline_ms);
    char *e, *bytes;
    if (field.len > UINT32_MAX || value.len > UINT32_MAX) return NULL;
    e = mem_try_alloc(mem_class_bytes(layout_bytes(&l)));
    if (!e) return NULL;
    layout_store(&l, e);
    deadline_store(e, &l, deadline_ms);
    bytes = e + layout_head_bytes(&l);
    if (field.len) memcpy(bytes, field.data, field.len);
    if (value.len) memcpy(bytes + field.len, value.data, value.len);
    return e;
}

void fields_table_free_element(void *element, void *context) {
    struct layout l = layout_of(element);
    (void)context;
    mem_free_sized(element, layout_bytes(&l));
}

static uint64_t element_hash(const void *element) {
    struct span field = element_field(element);
    return hash_bytes(field.data, field.len);
}

static bool element_has_key(const void *element, struct span key) {
    struct span field = element_field(element);
    return field.len == key.len && memcmp(field.data, key.data, key.len) == 0;
}

static const struct table_type element_type = {element_hash, element_has_key, element_deadline_ms};

struct field_pair fields_table_pair(const void *element) {
    return (struct field_pair){
        .field = {.bytes = element_field(element)},
        .value = {.bytes = element_value(element)},
        .deadline_ms = element_deadline_ms(element),
    };
}

/* -- life */

struct fields_table *fields_table_new(void) {
    struct fields_table *t = mem_zalloc(mem_class_bytes(sizeof *t));
    t->earliest_ms = t->new_earliest_ms = FIELDS_NO_DEADLINE;
    table_init(&t->table, &element_type);
    return t;
}

void fields_table_free(struct fields_table *t) {
    table_release(&t->table, fields_table_free_element, NULL);
    mem_free(t);
}

/* -- looking and changing */

static table_slot *find_slot(const struct fields_table *t, uint64_t hash, struct span field) {
    return table_find_by(&t->table, hash, field, element_has_key);
}

void *fields_table_find(const struct fields_table *t, struct span field) {
    table_slot *slot = find_slot(t, hash_bytes(field.data, field.len), field);
    return slot ? table_element(slot) : NULL;
}

static void note_deadline(struct fields_table *t, uint64_t hash, int64_t before_ms,
                          int64_t after_ms) {
    if (before_ms == after_ms) return;
    if (before_ms != FIELDS_NO_DEADLINE) t->deadline_count--;
    if (after_ms == FIELDS_NO_DEADLINE) return;
    t->deadline_count++;
    t->earliest_ms = MIN(t->earliest_ms, after_ms);
    t->new_earliest_ms = MIN(t->new_earliest_ms, after_ms);
    table_note_deadline(&t->table, hash, after_ms);
}

/* Writes value and deadline where the element lies, when neither its layout nor its class changes. */
static bool overwrite(void *element, struct span value, int64_t deadline_ms) {
    struct layout old = layout_of(element), l = layout_for(old.field_len, value.len, deadline_ms);
    char *bytes = element;
    if (l.flags != old.flags) return false;
    if (mem_class_bytes(layout_bytes(&l)) != mem_class_bytes(layout_bytes(&old))) return false;
    layout_store(&l, element);
    deadline_store(element, &l, deadline_ms);
    bytes += layout_head_bytes(&l) + l.field_len;
    if (value.len) memmove(bytes, value.data, value.len);
    return true;
}

/* The field that is in `slot` gets another value and deadline; the value may be its own. */
static int renew(struct fields_table *t, table_slot *slot, uint64_t hash, struct span value,
                 int64_t deadline_ms) {
    void *old = table_element(slot), *e;
    int64_t before_ms = element_deadline_ms(old);
    if (!overwrite(old, value, deadline_ms)) {
        e = element_try_new(element_field(old), value, deadline_ms);
        if (!e) return -ENOMEM;
        t->element_bytes += element_class_bytes(e) - element_class_bytes(old);
        table_slot_set(slot, e);
        fields_table_free_element(old, NULL);
    }
    note_deadline(t, hash, before_ms, deadline_ms);
    return 0;
}

int fields_table_put(struct fields_table *t, struct span field, struct span value,
                     int64_t deadline_ms) {
    uint64_t hash = hash_bytes(field.data, field.len);
    table_slot *slot = find_slot(t, hash, field);
    void *e;
    if (slot) return renew(t, slot, hash, value, deadline_ms);
    e = element_try_new(field, value, deadline_ms);
    if (!e) return -ENOMEM;
    table_insert(&t->table, hash, e);
    t->element_bytes += element_class_bytes(e);
    note_deadline(t, hash, FIELDS_NO_DEADLINE, deadline_ms);
    return 0;
}

int fields_table_set_deadline(struct fields_table *t, void *element, int64_t deadline_ms) {
    uint64_t hash = element_hash(element);
    table_slot *slot = table_find_element(&t->table, hash, element);
    return renew(t, slot, hash, element_value(element), deadline_ms);
}

void fields_table_remove(struct fields_table *t, void *element) {
    uint64_t hash = element_hash(element);
    table_remove(&t->table, table_find_element(&t->table, hash, element), hash);
    note_deadline(t, hash, element_deadline_ms(element), FIELDS_NO_DEADLINE);
    t->element_bytes -= element_class_bytes(element);
    fields_table_free_element(element, NULL);
}

/* -- what is due */

uint64_t fields_table_remove_due(struct fields_table *t, int64_t now_ms, uint64_t max) {
    uint64_t removed = 0;
    while (removed < max && t->earliest_ms <= now_ms) {
        void *due[DUE_BATCH];
        size_t count;
        if (t->due_walk.position == 0) t->new_earliest_ms = FIELDS_NO_DEADLINE;
        count = table_collect_due(&t->table, &t->due_walk, DUE_SEGMENTS, now_ms, due, DUE_BATCH);
        for (size_t i = 0; i < count; i++) fields_table_remove(t, due[i]);
        removed += count;
        if (!t->due_walk.round_ended) continue;
        t->earliest_ms = MIN(t->due_walk.earliest_ms, t->new_earliest_ms);
        t->due_walk = (struct table_due_walk){0};
    }
    return removed;
}

/* -- checks */

void fields_table_check(const struct fields_table *t) {
    struct table_walk walk = {.table = &t->table};
    size_t element_bytes = 0, count;
    uint64_t deadline_count = 0;
    void *out[DUE_BATCH];
    table_check(&t->table);
    while ((count = table_walk_next(&walk, out, DUE_BATCH))) {
        for (size_t i = 0; i < count; i++) {
            CHECK(element_deadline_ms(out[i]) >= t->earliest_ms);
            CHECK(mem_usable_bytes(out[i]) >= element_class_bytes(out[i]));
            element_bytes += element_class_bytes(out[i]);
            deadline_count += element_deadline_ms(out[i]) != FIELDS_NO_DEADLINE;
        }
    }
    CHECK(element_bytes == t->element_bytes && deadline_count == t->deadline_count);
}
