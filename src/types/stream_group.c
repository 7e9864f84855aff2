/* Consumer groups. What is allocated here is counted in its stream's memory_bytes, which the trees know, too. */
#include "types/stream_group.h"

#include "base/alloc.h"
#include "base/check.h"

/* ---- names: sorted arrays, found by halving */

static struct span name_of(const void *named) {
    return *(const struct span *)named;
}

static uint32_t names_place(const struct stream_names *names, struct span name, bool *there) {
    uint32_t low = 0, high = names->count;
    *there = false;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order = span_compare(name_of(names->at[middle]), name);
        if (order == 0) {
            *there = true;
            return middle;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void *names_find(const struct stream_names *names, struct span name) {
    bool there;
    uint32_t place = names_place(names, name, &there);
    return there ? names->at[place] : NULL;
}

static size_t names_bytes(const struct stream_names *names) {
    return names->capacity ? mem_class_bytes(names->capacity * sizeof(void *)) : 0;
}

static void names_add(struct stream_names *names, void *named, size_t *memory_bytes) {
    bool there;
    uint32_t place = names_place(names, name_of(named), &there);
    if (names->count == names->capacity) {
        *memory_bytes -= names_bytes(names);
        names->capacity = names->capacity ? names->capacity * 2 : 1;
        names->at = mem_realloc(names->at, names->capacity * sizeof(void *));
        *memory_bytes += names_bytes(names);
    }
    memmove(&names->at[place + 1], &names->at[place], (names->count - place) * sizeof(void *));
    names->at[place] = named;
    names->count++;
}

static void names_release(struct stream_names *names, size_t *memory_bytes) {
    *memory_bytes -= names_bytes(names);
    mem_free(names->at);
    *names = (struct stream_names){0};
}

static void names_remove(struct stream_names *names, const void *named, size_t *memory_bytes) {
    bool there;
    uint32_t place = names_place(names, name_of(named), &there);
    names->count--;
    memmove(&names->at[place], &names->at[place + 1], (names->count - place) * sizeof(void *));
    if (names->count == 0) names_release(names, memory_bytes);
}

/* ---- consumers */

static size_t consumer_bytes(const struct stream_consumer *c) {
    return sizeof *c + c->name.len;
}

struct stream_consumer *stream_consumer_find(const struct stream_group *g, struct span name) {
    return names_find(&g->consumers, name);
}

struct stream_consumer *stream_consumer_try_add(struct stream *s, struct stream_group *g,
                                                struct span name, int64_t now_ms) {
    struct stream_consumer *c = mem_try_alloc(sizeof *c + name.len);
    if (!c) return NULL;
    c->name = span_make(c->text, name.len);
    if (name.len) memcpy(c->text, name.data, name.len);
    c->seen_ms = now_ms;
    c->active_ms = -1;
    stream_tree_init(&c->pending, &s->memory_bytes);
    s->memory_bytes += mem_class_bytes(consumer_bytes(c));
    names_add(&g->consumers, c, &s->memory_bytes);
    return c;
}

static void consumer_free(struct stream *s, struct stream_consumer *c) {
    stream_tree_release(&c->pending, NULL);
    s->memory_bytes -= mem_class_bytes(consumer_bytes(c));
    mem_free_sized(c, consumer_bytes(c));
}

static void pending_free(struct stream_group *g, struct stream_pending *p) {
    *g->pending.memory_bytes -= mem_class_bytes(sizeof *p);
    mem_free_sized(p, sizeof *p);
}

/* ---- groups */

static size_t group_bytes(const struct stream_group *g) {
    return sizeof *g + g->name.len;
}

struct stream_group *stream_group_find(const struct stream *s, struct span name) {
    return names_find(&s->groups, name);
}

struct stream_group *stream_group_try_add(struct stream *s, struct span name,
                                          struct stream_id last_id, int64_t entries_read) {
    struct stream_group *g = mem_try_alloc(sizeof *g + name.len);
    if (!g) return NULL;
    g->name = span_make(g->text, name.len);
    if (name.len) memcpy(g->text, name.data, name.len);
    g->last_id = last_id;
    g->entries_read = entries_read;
    g->consumers = (struct stream_names){0};
    stream_tree_init(&g->pending, &s->memory_bytes);
    s->memory_bytes += mem_class_bytes(group_bytes(g));
    names_add(&s->groups, g, &s->memory_bytes);
    return g;
}

static void free_pending_value(void *value) {
    mem_free_sized(value, sizeof(struct stream_pending));
}

/* A leaf or a consumer of the group's; 0 when it is bare. Pending entries go with the group's own tree. */
static uint32_t group_free_step(struct stream *s, struct stream_group *g) {
    uint32_t freed = stream_tree_release_step(&g->pending, free_pending_value);
    s->memory_bytes -= freed * mem_class_bytes(sizeof(struct stream_pending));
    if (freed) return freed;
    if (g->consumers.count == 0) return 0;
    struct stream_consumer *c = stream_consumer_at(g, g->consumers.count - 1);
    freed = stream_tree_release_step(&c->pending, NULL);
    if (freed) return freed;
    names_remove(&g->consumers, c, &s->memory_bytes);
    consumer_free(s, c);
    return 1;
}

static void group_drop(struct stream *s, struct stream_group *g) {
    names_remove(&s->groups, g, &s->memory_bytes);
    s->memory_bytes -= mem_class_bytes(group_bytes(g));
    mem_free_sized(g, group_bytes(g));
}

uint32_t stream_groups_free_step(struct stream *s) {
    if (s->groups.count == 0) return 0;
    struct stream_group *g = stream_group_at(s, s->groups.count - 1);
    uint32_t freed = group_free_step(s, g);
    if (freed == 0) {
        group_drop(s, g);
        freed = 1;
    }
    return freed;
}

void stream_groups_free(struct stream *s) {
    while (stream_groups_free_step(s) > 0) {}
}

uint64_t stream_groups_free_effort(const struct stream *s) {
    uint64_t effort = 0;
    for (uint32_t i = 0; i < s->groups.count; i++) {
        const struct stream_group *g = stream_group_at(s, i);
        effort += 1 + 2 * g->pending.count + g->consumers.count;
    }
    return effort;
}

/* ---- cutting off */

static void move_bytes(struct stream *from, struct stream *to, size_t bytes) {
    from->memory_bytes -= bytes;
    to->memory_bytes += bytes;
}

static void move_pending(struct stream *from, struct stream *to, struct stream_tree *pending) {
    move_bytes(from, to, pending->count * mem_class_bytes(sizeof(struct stream_pending)));
    stream_tree_count_in(pending, &to->memory_bytes);
}

struct stream *stream_group_cut(struct stream *s, struct stream_group *g) {
    struct stream *cut = stream_new();
    names_remove(&s->groups, g, &s->memory_bytes);
    names_add(&cut->groups, g, &cut->memory_bytes);
    move_bytes(s, cut, mem_class_bytes(group_bytes(g)) + names_bytes(&g->consumers));
    move_pending(s, cut, &g->pending);
    for (uint32_t i = 0; i < g->consumers.count; i++) {
        struct stream_consumer *c = stream_consumer_at(g, i);
        move_bytes(s, cut, mem_class_bytes(consumer_bytes(c)));
        stream_tree_count_in(&c->pending, &cut->memory_bytes);
    }
    return cut;
}

/* The consumer and all that is pending become those of a group that is nowhere. NULL without memory. */
static struct stream *cut_consumer(struct stream *s, struct stream_group *g,
                                   struct stream_consumer *c) {
    struct stream *cut = stream_new();
    struct stream_group *nowhere = stream_group_try_add(cut, g->name, g->last_id, 0);
    if (!nowhere) {
        stream_free(cut);
        return NULL;
    }
    move_pending(s, cut, &g->pending);
    nowhere->pending = g->pending;
    stream_tree_init(&g->pending, &s->memory_bytes);
    names_remove(&g->consumers, c, &s->memory_bytes);
    names_add(&nowhere->consumers, c, &cut->memory_bytes);
    move_bytes(s, cut, mem_class_bytes(consumer_bytes(c)));
    stream_tree_count_in(&c->pending, &cut->memory_bytes);
    return cut;
}

struct stream *stream_consumer_remove(struct stream *s, struct stream_group *g,
                                      struct stream_consumer *c) {
    struct stream_tree_path path;
    struct stream *cut = NULL;
    if (c->pending.count > 0 && c->pending.count == g->pending.count) cut = cut_consumer(s, g, c);
    if (cut) return cut;
    for (bool there = stream_tree_first(&c->pending, &path); there;
         there = stream_tree_next(&path)) {
        pending_free(g, stream_tree_remove(&g->pending, stream_tree_id(&path)));
    }
    names_remove(&g->consumers, c, &s->memory_bytes);
    consumer_free(s, c);
    return NULL;
}

/* ---- copies */

static bool copy_consumers(struct stream *to, struct stream_group *copy,
                           const struct stream_group *g) {
    for (uint32_t i = 0; i < g->consumers.count; i++) {
        const struct stream_consumer *c = stream_consumer_at(g, i);
        struct stream_consumer *made = stream_consumer_try_add(to, copy, c->name, c->seen_ms);
        if (!made) return false;
        made->active_ms = c->active_ms;
    }
    return true;
}

static void copy_pending(struct stream_group *copy, const struct stream_group *g) {
    struct stream_tree_path path;
    for (bool there = stream_tree_first(&g->pending, &path); there;
         there = stream_tree_next(&path)) {
        struct stream_id id = stream_tree_id(&path);
        const struct stream_pending *p = stream_tree_value(&path);
        struct stream_pending *made = stream_pending_add(copy, id, p->delivery_ms);
        made->delivery_count = p->delivery_count;
        stream_pending_assign(made, id, stream_consumer_find(copy, p->consumer->name));
    }
}

bool stream_groups_try_copy(struct stream *to, const struct stream *from) {
    for (uint32_t i = 0; i < from->groups.count; i++) {
        const struct stream_group *g = stream_group_at(from, i);
        struct stream_group *copy = stream_group_try_add(to, g->name, g->last_id, g->entries_read);
        if (!copy || !copy_consumers(to, copy, g)) return false;
        copy_pending(copy, g);
    }
    return true;
}

/* ---- pending entries */

struct stream_pending *stream_pending_add(struct stream_group *g, struct stream_id id,
                                          int64_t now_ms) {
    struct stream_pending *p = mem_alloc(sizeof *p);
    *p = (struct stream_pending){.delivery_ms = now_ms, .delivery_count = 1};
    *g->pending.memory_bytes += mem_class_bytes(sizeof *p);
    stream_tree_insert(&g->pending, id, p);
    return p;
}

void stream_pending_assign(struct stream_pending *p, struct stream_id id,
                           struct stream_consumer *c) {
    if (p->consumer == c) return;
    if (p->consumer) stream_tree_remove(&p->consumer->pending, id);
    p->consumer = c;
    stream_tree_insert(&c->pending, id, p);
}

void stream_deliver(struct stream_group *g, struct stream_consumer *c, struct stream_id id,
                    int64_t now_ms) {
    struct stream_pending *p = stream_tree_find(&g->pending, id);
    if (!p) p = stream_pending_add(g, id, now_ms);
    stream_pending_assign(p, id, c);
    p->delivery_ms = now_ms;
    p->delivery_count = 1;
}

bool stream_pending_remove(struct stream_group *g, struct stream_id id) {
    struct stream_pending *p = stream_tree_remove(&g->pending, id);
    if (!p) return false;
    stream_tree_remove(&p->consumer->pending, id);
    pending_free(g, p);
    return true;
}

/* ---- how far a group has read */

/* Whether an entry from `from` on may have been deleted one by one. */
static bool has_gap_from(const struct stream *s, struct stream_id from) {
    if (s->length == 0 || stream_id_is_zero(s->max_deleted_id)) return false;
    return !stream_id_less(s->max_deleted_id, from);
}

int64_t stream_entries_up_to(const struct stream *s, struct stream_id id) {
    int64_t added = (int64_t)s->entries_added, length = (int64_t)s->length;
    if (added == 0) return 0;
    if (length == 0 && stream_id_compare(id, s->last_id) <= 0) return added;
    if (!stream_id_is_zero(id) && stream_id_less(id, s->max_deleted_id))
        return STREAM_ENTRIES_READ_UNKNOWN;
    if (stream_id_equal(id, s->last_id)) return added;
    if (stream_id_less(s->last_id, id)) return STREAM_ENTRIES_READ_UNKNOWN;
    if (stream_id_is_zero(s->max_deleted_id) || stream_id_less(s->max_deleted_id, s->first_id)) {
        if (stream_id_less(id, s->first_id)) return added - length;
        if (stream_id_equal(id, s->first_id)) return added - length + 1;
    }
    return STREAM_ENTRIES_READ_UNKNOWN;
}

bool stream_group_lag(const struct stream *s, const struct stream_group *g, int64_t *lag) {
    int64_t read = g->entries_read;
    *lag = 0;
    if (s->entries_added == 0) return true;
    if (read == STREAM_ENTRIES_READ_UNKNOWN || has_gap_from(s, g->last_id))
        read = stream_entries_up_to(s, g->last_id);
    *lag = (int64_t)s->entries_added - read;
    return read != STREAM_ENTRIES_READ_UNKNOWN;
}

void stream_group_advance(const struct stream *s, struct stream_group *g, struct stream_id id) {
    if (g->entries_read != STREAM_ENTRIES_READ_UNKNOWN &&
        !stream_id_less(g->last_id, s->first_id) && !has_gap_from(s, g->last_id)) {
        g->entries_read++;
    } else if (s->entries_added) {
        g->entries_read = stream_entries_up_to(s, id);
    }
    g->last_id = id;
}

/* ---- checks */

static void check_group(const struct stream_group *g) {
    struct stream_tree_path path;
    uint64_t count = 0;
    stream_tree_check(&g->pending);
    for (uint32_t i = 0; i < g->consumers.count; i++) {
        const struct stream_consumer *c = stream_consumer_at(g, i);
        stream_tree_check(&c->pending);
        count += c->pending.count;
        if (i > 0) CHECK(span_compare(stream_consumer_at(g, i - 1)->name, c->name) < 0);
    }
    CHECK(count == g->pending.count);
    for (bool there = stream_tree_first(&g->pending, &path); there;
         there = stream_tree_next(&path)) {
        const struct stream_pending *p = stream_tree_value(&path);
        CHECK(stream_tree_find(&p->consumer->pending, stream_tree_id(&path)) == p);
    }
}

void stream_groups_check(const struct stream *s) {
    for (uint32_t i = 0; i < s->groups.count; i++) check_group(stream_group_at(s, i));
}
