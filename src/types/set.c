/* Sets in their three encodings; the layout stands in the header. Hot paths: set_add, set_has, set_walk_next.
 *
 * A table's elements are counted in class bytes as they come and go, so that the set's memory is known without a walk. */
#include "types/set.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/hash.h"
#include "types/intset.h"

enum {
    TAG_MASK = 7,
    ELEMENT_SHORT_MAX = 254,
    ELEMENT_LONG = 255,
    BLOCK_BYTES_MAX = 1 << 29, /* whatever the limits say: within packed.h's bounds */
};

struct set_table {
    struct table table;
    size_t element_bytes; /* of all elements, in class bytes */
};

/* -- the word */

static void *untagged(const struct set *s) {
    return (void *)((uintptr_t)s & ~(uintptr_t)TAG_MASK);
}

static struct set *tagged(void *p, enum set_encoding encoding) {
    return (struct set *)((uintptr_t)p | (uintptr_t)encoding);
}

enum set_encoding set_encoding_of(const struct set *s) {
    return (enum set_encoding)((uintptr_t)s & TAG_MASK);
}

static struct packed *packed_of(const struct set *s) {
    return untagged(s);
}

static struct intset *intset_of(const struct set *s) {
    return untagged(s);
}

static struct set_table *table_of(const struct set *s) {
    return untagged(s);
}

/* -- a table's elements */

static size_t element_used_bytes(size_t len) {
    return (len <= ELEMENT_SHORT_MAX ? 1 : 5) + len;
}

static void *element_try_new(struct span member) {
    size_t used_bytes = element_used_bytes(member.len);
    uint32_t len = (uint32_t)member.len;
    unsigned char *e;
    if (member.len > UINT32_MAX) return NULL;
    e = mem_try_alloc(mem_class_bytes(used_bytes));
    if (!e) return NULL;
    e[0] = (unsigned char)(len <= ELEMENT_SHORT_MAX ? len : ELEMENT_LONG);
    if (len > ELEMENT_SHORT_MAX) memcpy(e + 1, &len, sizeof len);
    if (len) memcpy(e + used_bytes - len, member.data, len);
    return e;
}

static struct span element_span(const void *element) {
    const unsigned char *e = element;
    uint32_t len;
    if (LIKELY(e[0] <= ELEMENT_SHORT_MAX)) return span_make(e + 1, e[0]);
    memcpy(&len, e + 1, sizeof len);
    return span_make(e + 5, len);
}

static size_t element_class_bytes(const void *element) {
    return mem_class_bytes(element_used_bytes(element_span(element).len));
}

static void element_free(void *element, void *context) {
    (void)context;
    mem_free_sized(element, element_used_bytes(element_span(element).len));
}

static uint64_t element_hash(const void *element) {
    struct span member = element_span(element);
    return hash_bytes(member.data, member.len);
}

static bool element_has_key(const void *element, struct span key) {
    struct span member = element_span(element);
    return member.len == key.len && memcmp(member.data, key.data, key.len) == 0;
}

static const struct table_type element_type = {.hash = element_hash, .has_key = element_has_key};

static table_slot *element_find(const struct set_table *t, uint64_t hash, struct span member) {
    return table_find_by(&t->table, hash, member, element_has_key);
}

/* -- tables */

static struct set_table *table_new(void) {
    struct set_table *t = mem_zalloc(mem_class_bytes(sizeof *t));
    table_init(&t->table, &element_type);
    return t;
}

static void table_free(struct set_table *t) {
    table_release(&t->table, element_free, NULL);
    mem_free(t);
}

/* The member is not there yet. */
static int table_put(struct set_table *t, uint64_t hash, struct span member) {
    void *element = element_try_new(member);
    if (!element) return -ENOMEM;
    table_insert(&t->table, hash, element);
    t->element_bytes += element_class_bytes(element);
    return 1;
}

static int table_add(struct set_table *t, struct span member) {
    uint64_t hash = hash_bytes(member.data, member.len);
    if (element_find(t, hash, member)) return 0;
    return table_put(t, hash, member);
}

/* The span may be the element's own: it is freed last. */
static bool table_take(struct set_table *t, struct span member) {
    uint64_t hash = hash_bytes(member.data, member.len);
    table_slot *slot = element_find(t, hash, member);
    void *element;
    if (!slot) return false;
    element = table_element(slot);
    table_remove(&t->table, slot, hash);
    t->element_bytes -= element_class_bytes(element);
    element_free(element, NULL);
    return true;
}

/* -- life */

struct set *set_new(struct span first, uint64_t count, const struct set_limits *limits) {
    int64_t number;
    if (count <= limits->intset_count_max && num_parse_int(first, &number)) {
        return tagged(intset_new(), SET_INTSET);
    }
    if (count <= limits->packed_count_max) return tagged(packed_new(0), SET_PACKED);
    return tagged(table_new(), SET_TABLE);
}

void set_free(struct set *s) {
    switch (set_encoding_of(s)) {
    case SET_PACKED: packed_free(packed_of(s)); break;
    case SET_INTSET: intset_free(intset_of(s)); break;
    case SET_TABLE: table_free(table_of(s)); break;
    }
}

/* A table with the members of any set. */
static struct set_table *table_try_copy(const struct set *s) {
    struct packed_value values[SET_WALK_BATCH];
    struct set_table *t = table_new();
    struct set_walk walk;
    uint32_t count;
    set_walk_begin(&walk, s);
    while ((count = set_walk_next(&walk, values))) {
        for (uint32_t i = 0; i < count; i++) {
            char text[NUM_INT_TEXT_MAX];
            struct span member = packed_value_bytes(values + i, text);
            if (table_put(t, hash_bytes(member.data, member.len), member) > 0) continue;
            table_free(t);
            return NULL;
        }
    }
    return t;
}

struct set *set_copy(const struct set *s) {
    void *copy = NULL;
    switch (set_encoding_of(s)) {
    case SET_PACKED: copy = packed_copy(packed_of(s)); break;
    case SET_INTSET: copy = intset_copy(intset_of(s)); break;
    case SET_TABLE: copy = table_try_copy(s); break;
    }
    return copy ? tagged(copy, set_encoding_of(s)) : NULL;
}

size_t set_memory_bytes(const struct set *s) {
    const struct set_table *t = table_of(s);
    switch (set_encoding_of(s)) {
    case SET_PACKED: return packed_class_bytes(packed_of(s));
    case SET_INTSET: return intset_class_bytes(intset_of(s));
    case SET_TABLE: break;
    }
    return mem_class_bytes(sizeof *t) + t->table.memory_bytes + t->element_bytes;
}

uint64_t set_free_effort(const struct set *s) {
    return set_encoding_of(s) == SET_TABLE ? table_of(s)->table.count : 1;
}

/* A segment is the least that can be freed: some hundred elements. */
bool set_free_step(struct set *s, uint32_t effort) {
    struct set_table *t = table_of(s);
    (void)effort;
    if (set_encoding_of(s) == SET_TABLE) {
        if (!table_release_step(&t->table, 1, element_free, NULL)) return false;
        mem_free(t);
    } else {
        set_free(s);
    }
    return true;
}

uint64_t set_count(const struct set *s) {
    switch (set_encoding_of(s)) {
    case SET_PACKED: return packed_count(packed_of(s));
    case SET_INTSET: return intset_count(intset_of(s));
    case SET_TABLE: break;
    }
    return table_of(s)->table.count;
}

/* -- turning into another encoding. 0 or -ENOMEM. */

static int become_table(struct set **s) {
    struct set_table *t = table_try_copy(*s);
    if (!t) return -ENOMEM;
    set_free(*s);
    *s = tagged(t, SET_TABLE);
    return 0;
}

static int become_packed(struct set **s) {
    const struct intset *numbers = intset_of(*s);
    struct packed *p = packed_new(0), *grown;
    for (uint32_t i = 0; i < intset_count(numbers); i++, p = grown) {
        char text[NUM_INT_TEXT_MAX];
        size_t len = num_format_int(text, intset_at(numbers, i));
        grown = packed_append(p, span_make(text, len));
        if (grown) continue;
        packed_free(p);
        return -ENOMEM;
    }
    set_free(*s);
    *s = tagged(p, SET_PACKED);
    return 0;
}

int set_prepare(struct set **s, uint64_t count, const struct set_limits *limits) {
    enum set_encoding encoding = set_encoding_of(*s);
    bool packed_over = encoding == SET_PACKED && count > limits->packed_count_max;
    bool intset_over = encoding == SET_INTSET && count > limits->intset_count_max;
    return packed_over || intset_over ? become_table(s) : 0;
}

/* -- adding */

static int add_to_table(struct set **s, struct span member) {
    int rc = become_table(s);
    return rc < 0 ? rc : table_add(table_of(*s), member);
}

static int add_to_packed(struct set **s, struct span member, const struct set_limits *limits) {
    struct packed *p = packed_of(*s);
    if (packed_find(p, packed_first(p), member, 0)) return 0;
    if (packed_count(p) >= MIN(limits->packed_count_max, PACKED_COUNT_MAX) ||
        member.len > limits->packed_bytes_max ||
        packed_used_bytes(p) + member.len > BLOCK_BYTES_MAX) {
        return add_to_table(s, member);
    }
    p = packed_append(p, member);
    if (!p) return -ENOMEM;
    *s = tagged(p, SET_PACKED);
    return 1;
}

static size_t number_len(int64_t number) {
    char text[NUM_INT_TEXT_MAX];
    return num_format_int(text, number);
}

/* Would these numbers fit a packed block? */
static bool numbers_fit(const struct intset *numbers, const struct set_limits *limits) {
    uint32_t count = intset_count(numbers);
    size_t len_max;
    if (count == 0) return true;
    if (count >= MIN(limits->packed_count_max, PACKED_COUNT_MAX)) return false;
    len_max = MAX(number_len(intset_at(numbers, 0)), number_len(intset_at(numbers, count - 1)));
    return len_max <= limits->packed_bytes_max;
}

static int add_to_intset(struct set **s, struct span member, const struct set_limits *limits) {
    struct intset *numbers = intset_of(*s);
    int64_t number;
    int rc;
    if (num_parse_int(member, &number)) {
        rc = intset_add(&numbers, number);
        *s = tagged(numbers, SET_INTSET);
        if (rc <= 0) return rc;
        if (intset_count(numbers) <= MIN(limits->intset_count_max, INTSET_COUNT_MAX - 1)) return rc;
        rc = become_table(s);
        if (rc == 0) return 1;
        intset_remove(&numbers, number);
        *s = tagged(numbers, SET_INTSET);
        return rc;
    }
    if (!numbers_fit(numbers, limits) || member.len > limits->packed_bytes_max) {
        return add_to_table(s, member);
    }
    rc = become_packed(s);
    return rc < 0 ? rc : add_to_packed(s, member, limits);
}

int set_add(struct set **s, struct span member, const struct set_limits *limits) {
    switch (set_encoding_of(*s)) {
    case SET_PACKED: return add_to_packed(s, member, limits);
    case SET_INTSET: return add_to_intset(s, member, limits);
    case SET_TABLE: break;
    }
    return table_add(table_of(*s), member);
}

/* -- looking and removing */

bool set_has(const struct set *s, struct span member) {
    const struct packed *p = packed_of(s);
    int64_t number;
    switch (set_encoding_of(s)) {
    case SET_PACKED: return packed_find(p, packed_first(p), member, 0);
    case SET_INTSET: return num_parse_int(member, &number) && intset_has(intset_of(s), number);
    case SET_TABLE: break;
    }
    return element_find(table_of(s), hash_bytes(member.data, member.len), member);
}

bool set_has_number(const struct set *s, int64_t number) {
    char text[NUM_INT_TEXT_MAX];
    if (set_encoding_of(s) == SET_INTSET) return intset_has(intset_of(s), number);
    return set_has(s, span_make(text, num_format_int(text, number)));
}

static bool remove_packed(struct set **s, struct span member) {
    struct packed *p = packed_of(*s);
    packed_at at = packed_find(p, packed_first(p), member, 0);
    if (!at) return false;
    *s = tagged(packed_remove(p, at, 1, NULL), SET_PACKED);
    return true;
}

static bool remove_number(struct set **s, struct span member) {
    struct intset *numbers = intset_of(*s);
    int64_t number;
    if (!num_parse_int(member, &number) || !intset_remove(&numbers, number)) return false;
    *s = tagged(numbers, SET_INTSET);
    return true;
}

bool set_remove(struct set **s, struct span member) {
    switch (set_encoding_of(*s)) {
    case SET_PACKED: return remove_packed(s, member);
    case SET_INTSET: return remove_number(s, member);
    case SET_TABLE: break;
    }
    return table_take(table_of(*s), member);
}

void set_prefetch(const struct set *s, const struct span *members, uint32_t count) {
    const struct table *t = &table_of(s)->table;
    uint64_t hashes[SET_AHEAD];
    if (set_encoding_of(s) != SET_TABLE) return;
    count = MIN(count, (uint32_t)SET_AHEAD);
    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = hash_bytes(members[i].data, members[i].len);
        table_prefetch_bucket(t, hashes[i]);
    }
    for (uint32_t i = 0; i < count; i++) table_prefetch_element(t, hashes[i]);
}

/* -- random members */

static struct packed_value number_value(int64_t number) {
    return (struct packed_value){.is_int = true, .number = number};
}

struct packed_value set_random(const struct set *s, struct random *random) {
    const struct packed *p = packed_of(s);
    const struct intset *numbers = intset_of(s);
    switch (set_encoding_of(s)) {
    case SET_PACKED:
        return packed_get(packed_index(p, (int64_t)random_below(random, packed_count(p))));
    case SET_INTSET:
        return number_value(
            intset_at(numbers, (uint32_t)random_below(random, intset_count(numbers))));
    case SET_TABLE: break;
    }
    return (struct packed_value){.bytes = element_span(table_random(&table_of(s)->table, random))};
}

/* One walk: of those left, each goes with the probability that makes all choices equally likely. */
static void sample_packed(struct set **s, uint64_t count, struct random *random,
                          void (*take)(const struct packed_value *value, void *context),
                          void *context) {
    struct packed *p = packed_of(*s);
    packed_at at = packed_first(p);
    uint64_t left = packed_count(p);
    for (; count > 0 && at; left--) {
        struct packed_value value = packed_get(at);
        if (random_below(random, left) >= count) {
            at = packed_next(p, at);
            continue;
        }
        take(&value, context);
        p = packed_remove(p, at, 1, &at);
        count--;
    }
    *s = tagged(p, SET_PACKED);
}

static void sample_intset(struct set **s, uint64_t count, struct random *random,
                          void (*take)(const struct packed_value *value, void *context),
                          void *context) {
    struct intset *numbers = intset_of(*s);
    for (uint32_t i = intset_count(numbers); count > 0 && i > 0; i--) {
        struct packed_value value = number_value(intset_at(numbers, i - 1));
        if (random_below(random, i) >= count) continue;
        take(&value, context);
        intset_remove_at(&numbers, i - 1);
        count--;
    }
    *s = tagged(numbers, SET_INTSET);
}

void set_sample_out(struct set **s, uint64_t count, struct random *random,
                    void (*take)(const struct packed_value *value, void *context), void *context) {
    switch (set_encoding_of(*s)) {
    case SET_PACKED: sample_packed(s, count, random, take, context); break;
    case SET_INTSET: sample_intset(s, count, random, take, context); break;
    case SET_TABLE: CHECK(!"a table is not sampled by a walk"); break;
    }
}

/* -- walks */

void set_walk_begin(struct set_walk *walk, const struct set *s) {
    walk->set = s;
    walk->at = NULL;
    walk->index = 0;
    walk->ahead_count = 0;
    if (set_encoding_of(s) == SET_PACKED) {
        walk->at = packed_first(packed_of(s));
    } else if (set_encoding_of(s) == SET_TABLE) {
        walk->table = (struct table_walk){.table = &table_of(s)->table};
        walk->ahead_count = (uint32_t)table_walk_next(&walk->table, walk->ahead, SET_WALK_BATCH);
    }
}

static uint32_t walk_packed(struct set_walk *walk, struct packed_value *out) {
    const struct packed *p = packed_of(walk->set);
    uint32_t count = 0;
    for (; walk->at && count < SET_WALK_BATCH; walk->at = packed_next(p, walk->at)) {
        out[count++] = packed_get(walk->at);
    }
    return count;
}

static uint32_t walk_intset(struct set_walk *walk, struct packed_value *out) {
    const struct intset *numbers = intset_of(walk->set);
    uint32_t count = 0;
    while (walk->index < intset_count(numbers) && count < SET_WALK_BATCH) {
        out[count++] = number_value(intset_at(numbers, walk->index++));
    }
    return count;
}

/* The next batch is on its way while this one is read. */
static uint32_t walk_table(struct set_walk *walk, struct packed_value *out) {
    void *elements[SET_WALK_BATCH];
    uint32_t count = walk->ahead_count;
    memcpy(elements, walk->ahead, count * sizeof *elements);
    walk->ahead_count = (uint32_t)table_walk_next(&walk->table, walk->ahead, SET_WALK_BATCH);
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (struct packed_value){.bytes = element_span(elements[i])};
    }
    return count;
}

uint32_t set_walk_next(struct set_walk *walk, struct packed_value *out) {
    switch (set_encoding_of(walk->set)) {
    case SET_PACKED: return walk_packed(walk, out);
    case SET_INTSET: return walk_intset(walk, out);
    case SET_TABLE: break;
    }
    return walk_table(walk, out);
}

struct scan {
    void (*visit)(struct span member, void *context);
    void *context;
};

static void visit_element(void *element, void *context) {
    const struct scan *scan = context;
    scan->visit(element_span(element), scan->context);
}

uint64_t set_scan(const struct set *s, uint64_t cursor,
                  void (*visit)(struct span member, void *context), void *context) {
    struct scan scan = {visit, context};
    DCHECK(set_encoding_of(s) == SET_TABLE);
    return table_scan(&table_of(s)->table, cursor, visit_element, &scan);
}

/* -- checks */

static void check_table(const struct set_table *t) {
    struct table_walk walk = {.table = &t->table};
    size_t element_bytes = 0, elements = 0, count;
    void *out[SET_WALK_BATCH];
    table_check(&t->table);
    while ((count = table_walk_next(&walk, out, SET_WALK_BATCH))) {
        for (size_t i = 0; i < count; i++) element_bytes += element_class_bytes(out[i]);
        elements += count;
    }
    CHECK(element_bytes == t->element_bytes && elements == t->table.count);
}

void set_check(const struct set *s) {
    switch (set_encoding_of(s)) {
    case SET_PACKED: packed_check(packed_of(s)); break;
    case SET_INTSET: intset_check(intset_of(s)); break;
    case SET_TABLE: check_table(table_of(s)); break;
    }
}
