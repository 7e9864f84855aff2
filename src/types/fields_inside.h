/* Inside the value of a hash only: its forms, and what fields.c, fields_walk.c and fields_table.c share. */
#ifndef TYPES_FIELDS_INSIDE_H
#define TYPES_FIELDS_INSIDE_H

#include "base/clock.h"
#include "types/fields.h"

struct fields_timed {
    int64_t earliest_ms; /* a lower bound. First: whoever holds the word may read it */
    struct packed *packed;
    uint64_t deadline_count;
};

struct fields_table {
    int64_t earliest_ms; /* of all deadlines, a lower bound. First: whoever holds the word may read it */
    struct table table;
    size_t element_bytes; /* of all elements, in class bytes */
    uint64_t deadline_count;

    /* a round of removing what is due */
    struct table_due_walk due_walk;
    int64_t new_earliest_ms; /* of the deadlines set since it began */
};

/* -- the word */

INLINE void *fields_untagged(const struct fields *f) {
    return (void *)((uintptr_t)f & ~(uintptr_t)FIELDS_TAG_MASK);
}

INLINE struct fields *fields_tagged(void *p, enum fields_encoding encoding) {
    return (struct fields *)((uintptr_t)p | (uintptr_t)encoding);
}

INLINE bool fields_is_table(const struct fields *f) {
    return fields_encoding_of(f) == FIELDS_TABLE;
}

INLINE bool fields_is_timed(const struct fields *f) {
    return fields_encoding_of(f) == FIELDS_TIMED;
}

INLINE struct fields_table *fields_table_of(const struct fields *f) {
    return fields_untagged(f);
}

INLINE struct fields_timed *fields_timed_of(const struct fields *f) {
    return fields_untagged(f);
}

/* The block of either packed form. */
INLINE struct packed *fields_packed_of(const struct fields *f) {
    return fields_is_timed(f) ? fields_timed_of(f)->packed : fields_untagged(f);
}

INLINE uint32_t fields_stride(const struct fields *f) {
    return fields_is_timed(f) ? 3 : 2;
}

INLINE bool fields_is_due(int64_t deadline_ms) {
    return deadline_ms <= clock_real_ms();
}

/* A field of the packed forms. */
struct field_place {
    packed_at field, value, deadline; /* deadline: NULL when it is not timed */
    int64_t deadline_ms;
};

INLINE int64_t fields_packed_deadline_ms(packed_at at) {
    int64_t deadline_ms = packed_number(at);
    return deadline_ms == 0 ? FIELDS_NO_DEADLINE : deadline_ms;
}

INLINE struct field_place fields_place_at(const struct fields *f, packed_at field) {
    const struct packed *p = fields_packed_of(f);
    struct field_place place = {.field = field, .deadline_ms = FIELDS_NO_DEADLINE};
    place.value = packed_behind(p, field);
    if (fields_is_timed(f)) {
        place.deadline = packed_behind(p, place.value);
        place.deadline_ms = fields_packed_deadline_ms(place.deadline);
    }
    return place;
}

INLINE packed_at fields_place_behind(const struct fields *f, const struct field_place *place) {
    return packed_next(fields_packed_of(f), place->deadline ? place->deadline : place->value);
}

INLINE struct field_pair fields_place_pair(const struct field_place *place) {
    return (struct field_pair){packed_get(place->field), packed_get(place->value),
                               place->deadline_ms};
}

/* -- fields_table.c. Fields are looked at whether their time has passed or not. */
struct fields_table *fields_table_new(void);
void fields_table_free(struct fields_table *t);
void fields_table_free_element(void *element, void *context);

void *fields_table_find(const struct fields_table *t, struct span field); /* the element, or NULL */
struct field_pair fields_table_pair(const void *element);
/* Adds the field, or gives the one that is there another value and deadline. 0 or -ENOMEM. */
ATTR_MUST_USE int fields_table_put(struct fields_table *t, struct span field, struct span value,
                                   int64_t deadline_ms);
ATTR_MUST_USE int fields_table_set_deadline(struct fields_table *t, void *element,
                                            int64_t deadline_ms);
void fields_table_remove(struct fields_table *t, void *element);
uint64_t fields_table_remove_due(struct fields_table *t, int64_t now_ms, uint64_t max);
void fields_table_check(const struct fields_table *t);

/* -- fields_walk.c */
uint32_t fields_walk_any(struct fields_walk *walk, struct field_pair *out); /* those past their deadline, too */

#endif
