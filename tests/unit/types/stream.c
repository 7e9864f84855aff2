/* Streams against an array of entries in seeded runs at limits that make many blocks; the tree against a sorted array; groups against a
 * plain table of who has what; refused memory; freeing in steps; what an entry costs. */
#include "types/stream.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/random.h"
#include "test.h"
#include "types/stream_group.h"

enum { MODEL_MAX = 3000, PAIRS_MAX = 4, TEXT_MAX = 300 };

struct model_entry {
    struct stream_id id;
    uint32_t pair_count;
    uint32_t seed; /* of its texts */
};

struct model {
    struct stream *s;
    struct stream_limit limit;
    struct model_entry entries[MODEL_MAX];
    uint32_t count;
    struct stream_id max_deleted;
    uint64_t added;
    struct random random;
};

/* Field names are few, so that blocks share them; values are of all forms that elements have. */
static struct span make_text(char *out, uint32_t seed, uint32_t at) {
    uint32_t mixed = (seed + at) * 2654435761u;
    if (at % 2 == 0) return span_make(out, (size_t)snprintf(out, TEXT_MAX, "f%u", mixed >> 30));
    if (mixed >> 31)
        return span_make(out, num_format_int(out, (int64_t)((uint64_t)mixed * mixed - mixed)));
    size_t len = mixed >> 28 == 7 ? TEXT_MAX : mixed >> 27 & 31;
    memset(out, 'a' + (int)(mixed % 26), len);
    return span_make(out, len);
}

struct texts {
    char bytes[2 * PAIRS_MAX][TEXT_MAX];
    struct span spans[2 * PAIRS_MAX];
};

static const struct span *make_texts(struct texts *t, const struct model_entry *e) {
    for (uint32_t i = 0; i < 2 * e->pair_count; i++)
        t->spans[i] = make_text(t->bytes[i], e->seed, i);
    return t->spans;
}

static void model_init(struct model *m, struct stream_limit limit) {
    *m = (struct model){.s = stream_new(), .limit = limit};
    random_init(&m->random, test_seed());
}

static uint32_t below(struct model *m, uint32_t bound) {
    return (uint32_t)random_below(&m->random, bound);
}

/* The ways in which ids follow each other. */
static struct stream_id next_id(struct model *m, struct stream_id id) {
    switch (below(m, 6)) {
    case 0: return (struct stream_id){id.ms + 1 + below(m, 300), 0};
    case 1: return (struct stream_id){id.ms + 1 + below(m, 3), below(m, 100000)};
    case 2: return (struct stream_id){id.ms, id.seq + 2 + below(m, 300)};
    case 3: return (struct stream_id){id.ms + ((uint64_t)below(m, 1000) << 30) + 1, below(m, 2)};
    default: return (struct stream_id){id.ms, id.seq + 1};
    }
}

static int model_append(struct model *m) {
    struct texts texts;
    struct model_entry e = {.id = next_id(m, m->s->last_id),
                            .pair_count = below(m, 4) ? 2 : 1 + below(m, PAIRS_MAX),
                            .seed = below(m, 4) ? 0 : below(m, 1000)};
    int rc = stream_append(m->s, e.id, make_texts(&texts, &e), e.pair_count, &m->limit);
    if (rc < 0) return rc;
    m->entries[m->count++] = e;
    m->added++;
    return 0;
}

static void model_drop(struct model *m, uint32_t at, uint32_t count) {
    m->count -= count;
    memmove(m->entries + at, m->entries + at + count, (m->count - at) * sizeof m->entries[0]);
}

static bool value_is(struct packed_value value, struct span text) {
    char number[NUM_INT_TEXT_MAX];
    return span_eq(packed_value_bytes(&value, number), text);
}

static bool entry_agrees(struct stream_walk *w, const struct model_entry *e) {
    struct packed_value field, value;
    struct texts texts;
    const struct span *spans = make_texts(&texts, e);
    if (!stream_id_equal(w->entry.id, e->id) || w->entry.pair_count != e->pair_count) return false;
    for (uint32_t i = 0; stream_walk_pair(w, &field, &value); i++) {
        if (!value_is(field, spans[2 * i]) || !value_is(value, spans[2 * i + 1])) return false;
    }
    return true;
}

static bool range_agrees(const struct model *m, struct stream_range range, bool skip_pairs) {
    struct stream_walk w;
    uint32_t from = 0, to = m->count, at;
    bool there = stream_walk_begin(&w, m->s, range);
    while (from < to && stream_id_less(m->entries[from].id, range.low)) from++;
    while (to > from && stream_id_less(range.high, m->entries[to - 1].id)) to--;
    at = range.reverse ? to : from;
    for (; there; there = stream_walk_next(&w)) {
        if (range.reverse ? at-- == from : at == to) return false;
        if (!skip_pairs && !entry_agrees(&w, &m->entries[at])) return false;
        if (!stream_id_equal(w.entry.id, m->entries[at].id)) return false;
        at += !range.reverse;
    }
    return at == (range.reverse ? from : to);
}

static bool model_agrees(const struct model *m) {
    struct stream_id first = m->count ? m->entries[0].id : STREAM_ID_ZERO;
    struct stream_id last = m->count ? m->entries[m->count - 1].id : STREAM_ID_ZERO;
    struct stream_range all = {STREAM_ID_ZERO, STREAM_ID_MAX, false},
                        back = {STREAM_ID_ZERO, STREAM_ID_MAX, true};
    stream_check(m->s);
    return m->s->length == m->count && m->s->entries_added == m->added &&
           stream_id_equal(m->s->first_id, first) &&
           stream_id_equal(stream_last_entry_id(m->s), last) &&
           stream_id_equal(m->s->max_deleted_id, m->max_deleted) && range_agrees(m, all, false) &&
           range_agrees(m, back, false) && range_agrees(m, all, true);
}

static struct stream_id some_id(struct model *m) {
    struct stream_id id = STREAM_ID_ZERO;
    if (m->count) id = m->entries[below(m, m->count)].id;
    if (below(m, 4) == 0) stream_id_increment(&id);
    if (below(m, 4) == 0) stream_id_decrement(&id);
    return id;
}

static void model_delete(struct model *m) {
    struct stream_id id = some_id(m);
    uint32_t at = 0;
    while (at < m->count && !stream_id_equal(m->entries[at].id, id)) at++;
    EXPECT(stream_has(m->s, id) == (at < m->count));
    EXPECT(stream_delete(m->s, id) == (at < m->count));
    if (at == m->count) return;
    model_drop(m, at, 1);
    if (stream_id_less(m->max_deleted, id)) m->max_deleted = id;
}

static void model_trim(struct model *m) {
    struct stream_trim trim = {.kind = below(m, 2) ? STREAM_TRIM_LENGTH : STREAM_TRIM_BEFORE,
                               .whole_blocks = below(m, 2),
                               .length = m->count > 5 ? m->count - below(m, 5) : m->count,
                               .before = m->count ? m->entries[below(m, MIN(m->count, 10))].id
                                                  : STREAM_ID_ZERO};
    uint64_t exact = 0, removed;
    if (trim.kind == STREAM_TRIM_LENGTH) {
        exact = m->count - trim.length;
    } else {
        while (exact < m->count && stream_id_less(m->entries[exact].id, trim.before)) exact++;
    }
    if (trim.whole_blocks && below(m, 2)) trim.limit = 1 + below(m, 5);
    removed = stream_trim(m->s, &trim);
    if (trim.whole_blocks) {
        EXPECT(removed <= exact);
        if (trim.limit) EXPECT(removed <= trim.limit);
    } else {
        EXPECT_INT(exact, removed);
    }
    model_drop(m, 0, (uint32_t)removed);
}

static void model_range(struct model *m) {
    struct stream_range range = {some_id(m), some_id(m), below(m, 2)};
    EXPECT(range_agrees(m, range, below(m, 2)));
}

static void model_copy(struct model *m) {
    struct stream *copy = stream_try_copy(m->s), *old = m->s;
    EXPECT(copy);
    m->s = copy;
    stream_free(old);
}

static void model_run(struct stream_limit limit, uint32_t steps, uint32_t append_share) {
    static struct model m;
    model_init(&m, limit);
    for (uint32_t i = 0; i < steps && !test_failures; i++) {
        uint32_t dice = below(&m, 100);
        if (m.count < MODEL_MAX && dice < append_share) {
            EXPECT_INT(0, model_append(&m));
        } else if (dice < 80) {
            model_delete(&m);
        } else if (dice < 85) {
            model_trim(&m);
        } else if (dice < 99) {
            model_range(&m);
        } else if (dice == 99 && below(&m, 10) == 0) {
            model_copy(&m);
        }
        if (i % 97 == 0) EXPECT(model_agrees(&m));
    }
    EXPECT(model_agrees(&m));
    stream_free(m.s);
}

static void test_model(void) {
    model_run((struct stream_limit){.block_bytes = 400, .block_entries = 5}, 20000, 55);
    model_run((struct stream_limit){.block_bytes = 4096, .block_entries = 100}, 20000, 60);
    model_run((struct stream_limit){.block_entries = 1}, 8000, 55);
    model_run((struct stream_limit){0}, 8000, 60);
    model_run((struct stream_limit){.block_bytes = 4096, .block_entries = 100}, 10000, 40);
}

static void test_large(void) {
    struct stream *s = stream_new();
    struct stream_limit limit = {4096, 100};
    char *bytes = malloc(3000000);
    memset(bytes, 'x', 3000000);
    for (uint64_t i = 1; i <= 20; i++) {
        struct span pair[2] = {SPAN("f"), span_make(bytes, i * 100000)};
        EXPECT_INT(0, stream_append(s, (struct stream_id){i, 0}, pair, 1, &limit));
    }
    struct span huge[2] = {SPAN("f"), span_make(bytes, STREAM_ENTRY_BYTES_MAX)};
    EXPECT_INT(ERROR_LIMIT, stream_append(s, (struct stream_id){99, 0}, huge, 1, &limit));
    stream_check(s);
    EXPECT_INT(20, s->blocks.count);
    stream_free(s);
    free(bytes);
}

static void test_last_ids(void) {
    struct stream *s = stream_new();
    struct stream_limit limit = {4096, 100};
    struct span pair[2] = {SPAN("f"), SPAN("v")};
    struct stream_id ids[] = {{0, 1}, {UINT64_MAX, 0}, {UINT64_MAX, UINT64_MAX - 1}, STREAM_ID_MAX};
    for (size_t i = 0; i < ARRAY_LENGTH(ids); i++)
        EXPECT_INT(0, stream_append(s, ids[i], pair, 1, &limit));
    stream_check(s);
    for (size_t i = 0; i < ARRAY_LENGTH(ids); i++) EXPECT(stream_has(s, ids[i]));
    EXPECT(stream_delete(s, ids[1]) && stream_delete(s, ids[2]));
    stream_check(s);
    EXPECT(stream_has(s, ids[0]) && stream_has(s, ids[3]) && !stream_has(s, ids[1]));
    stream_free(s);
}

/* ---- the tree */

enum { TREE_MAX = 6000 };

static void tree_run(uint32_t bound, uint32_t insert_share, uint32_t steps) {
    static bool there[TREE_MAX];
    size_t bytes = 0;
    struct stream_tree t;
    struct random random;
    uint32_t count = 0;
    stream_tree_init(&t, &bytes);
    random_init(&random, test_seed());
    memset(there, 0, sizeof there);
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t at = (uint32_t)random_below(&random, bound);
        struct stream_id id = {at / 7, at % 7};
        if (random_below(&random, 100) < insert_share) {
            EXPECT((stream_tree_insert(&t, id, &there[at]) != NULL) == there[at]);
            count += !there[at];
            there[at] = true;
        } else {
            EXPECT((stream_tree_remove(&t, id) != NULL) == there[at]);
            count -= there[at];
            there[at] = false;
        }
        EXPECT(stream_tree_find(&t, id) == (there[at] ? &there[at] : NULL));
        EXPECT_INT(count, t.count);
        if (i % 500 == 0) stream_tree_check(&t);
    }
    struct stream_tree_path path;
    bool more = stream_tree_first(&t, &path);
    for (uint32_t at = 0; at < bound; at++) {
        struct stream_id id = {at / 7, at % 7};
        struct stream_tree_path back;
        if (!there[at]) continue;
        EXPECT(more && stream_id_equal(stream_tree_id(&path), id));
        EXPECT(stream_tree_seek_back(&t, id, &back) && stream_tree_value(&back) == &there[at]);
        more = stream_tree_next(&path);
    }
    EXPECT(!more);
    stream_tree_release(&t, NULL);
    EXPECT_INT(0, bytes);
    EXPECT_INT(0, t.node_count);
}

static void test_tree(void) {
    tree_run(TREE_MAX, 70, 60000);
    tree_run(TREE_MAX, 40, 60000);
    tree_run(100, 50, 20000);
}

/* Queues: added at one end, removed at the other or everywhere. */
static void test_tree_queue(void) {
    size_t bytes = 0;
    struct stream_tree t;
    struct stream_tree_path path;
    stream_tree_init(&t, &bytes);
    for (uint64_t i = 1; i <= 100000; i++) {
        stream_tree_insert(&t, (struct stream_id){i, 0}, &t);
        if (i > 5000) EXPECT(stream_tree_remove(&t, (struct stream_id){i - 5000, 0}) == &t);
    }
    stream_tree_check(&t);
    EXPECT(bytes < 5000 * 28);
    for (uint64_t i = 95001; i <= 100000; i++) {
        if (i % 50) stream_tree_remove(&t, (struct stream_id){i, 0});
    }
    stream_tree_check(&t);
    EXPECT_INT(100, t.count);
    EXPECT(bytes < 100 * 80);
    uint64_t seen = 0;
    for (bool more = stream_tree_last(&t, &path); more; more = stream_tree_previous(&path)) seen++;
    EXPECT_INT(100, seen);
    stream_tree_release(&t, NULL);
    EXPECT_INT(0, bytes);
}

/* ---- groups */

enum { GROUP_IDS = 500, CONSUMERS = 7 };

static struct stream_consumer *some_consumer(struct stream *s, struct stream_group *g, uint32_t i) {
    char name[8];
    struct span text = span_make(name, (size_t)snprintf(name, sizeof name, "c%u", i));
    struct stream_consumer *c = stream_consumer_find(g, text);
    return c ? c : stream_consumer_try_add(s, g, text, 1);
}

static void test_groups(void) {
    struct stream *s = stream_new();
    struct stream_group *g = stream_group_try_add(s, SPAN("g"), STREAM_ID_ZERO, 0);
    int owner[GROUP_IDS];
    uint64_t pending = 0;
    struct random random;
    random_init(&random, test_seed());
    memset(owner, -1, sizeof owner);
    for (int i = 0; i < 30000; i++) {
        uint32_t at = (uint32_t)random_below(&random, GROUP_IDS);
        uint32_t who = (uint32_t)random_below(&random, CONSUMERS);
        struct stream_id id = {at, 1};
        if (random_below(&random, 1000) == 0) {
            struct stream *cut = stream_consumer_remove(s, g, some_consumer(s, g, who));
            if (cut) stream_free(cut);
            for (int j = 0; j < GROUP_IDS; j++) {
                if (owner[j] != (int)who) continue;
                owner[j] = -1;
                pending--;
            }
        } else if (random_below(&random, 2)) {
            stream_deliver(g, some_consumer(s, g, who), id, i);
            pending += owner[at] < 0;
            owner[at] = (int)who;
        } else {
            EXPECT(stream_pending_remove(g, id) == (owner[at] >= 0));
            pending -= owner[at] >= 0;
            owner[at] = -1;
        }
        EXPECT_INT(pending, g->pending.count);
        if (i % 1000 == 0) stream_check(s);
    }
    struct stream *copy = stream_try_copy(s);
    EXPECT(copy);
    stream_check(copy);
    EXPECT_INT(pending, stream_group_at(copy, 0)->pending.count);
    stream_free(copy);
    stream_free(stream_group_cut(s, g));
    EXPECT_INT(mem_class_bytes(sizeof *s), stream_memory_bytes(s));
    stream_free(s);
}

/* ---- memory */

static void test_refused(void) {
    static struct model m;
    model_init(&m, (struct stream_limit){.block_bytes = 400, .block_entries = 7});
    for (uint32_t i = 0; i < 2000; i++) {
        mem_test_fail_at(1 + i % 2);
        int rc = model_append(&m);
        mem_test_fail_at(0);
        EXPECT(rc == 0 || rc < 0);
        if (i % 50 == 0) EXPECT(model_agrees(&m));
    }
    for (uint32_t i = 0; i < 500; i++) {
        mem_test_fail_at(1);
        model_delete(&m);
        model_trim(&m);
        mem_test_fail_at(0);
        if (i % 20 == 0) EXPECT(model_agrees(&m));
        EXPECT_INT(0, model_append(&m));
    }
    for (uint64_t n = 1; n < 10; n++) {
        mem_test_fail_at(n);
        struct stream *copy = stream_try_copy(m.s);
        mem_test_fail_at(0);
        if (copy) stream_free(copy);
    }
    EXPECT(model_agrees(&m));
    stream_free(m.s);
}

static void fill(struct stream *s, uint64_t count) {
    struct stream_limit limit = {4096, 100};
    struct span pair[2] = {SPAN("f"), SPAN("xxxxxxxxxxxxxxxxxxxx")};
    for (uint64_t i = 1; i <= count; i++) {
        int rc =
            stream_append(s, (struct stream_id){1700000000000 + i / 7, i % 7}, pair, 1, &limit);
        EXPECT_INT(0, rc);
    }
}

static void fill_more(struct stream *s, uint64_t count) {
    struct stream_limit limit = {4096, 100};
    struct span pair[2] = {SPAN("f"), SPAN("v")};
    for (uint64_t i = 1; i <= count; i++)
        EXPECT_INT(0, stream_append(s, (struct stream_id){1900000000000, i}, pair, 1, &limit));
}

static void test_memory(void) {
    size_t before = mem_used_bytes(), bytes;
    struct stream *s = stream_new();
    fill(s, 1000000);
    bytes = mem_used_bytes() - before;
    printf("# an entry of one 20-byte value: %.2f bytes\n", (double)bytes / 1e6);
    EXPECT(bytes < 31000000);
    if (strncmp(mem_allocator(), "jemalloc", 8) == 0) EXPECT_INT(bytes, stream_memory_bytes(s));
    stream_free(s);
    EXPECT_INT(before, mem_used_bytes());
}

/* What is cut off is a stream of its own, and both keep their accounts. */
static void test_cut(void) {
    enum { COUNT = 100000 };
    static const uint64_t lengths[] = {0, 1, 150, 5000, 20000};
    size_t before = mem_used_bytes();
    for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths * 2; i++) {
        uint64_t length = lengths[i / 2];
        struct stream *s = stream_new(), *cut;
        struct stream_trim trim = {.kind = STREAM_TRIM_LENGTH, .length = length};
        fill(s, COUNT);
        struct stream_group *g = stream_group_try_add(s, SPAN("g"), STREAM_ID_ZERO, 0);
        for (uint64_t id = 1; id <= 1000; id++)
            stream_deliver(g, some_consumer(s, g, 0), (struct stream_id){id, 0}, 1);
        if (i % 2) {
            uint64_t first = COUNT - length + 1;
            trim = (struct stream_trim){.kind = STREAM_TRIM_BEFORE,
                                        .before = {1700000000000 + first / 7, first % 7}};
        }
        EXPECT_INT(COUNT - length, stream_trim_cut(s, &trim, &cut));
        EXPECT((cut != NULL) == (length < 6000));
        EXPECT_INT(length, s->length);
        stream_check(s);
        if (cut) stream_free(cut);
        cut = i % 2 ? stream_group_cut(s, g) : stream_consumer_remove(s, g, some_consumer(s, g, 0));
        stream_check(s);
        stream_free(cut);
        if (i % 2 == 0) stream_free(stream_group_cut(s, g));
        fill_more(s, 100);
        stream_check(s);
        stream_free(s);
    }
    EXPECT_INT(before, mem_used_bytes());
}

static void test_free_steps(void) {
    size_t before = mem_used_bytes();
    struct stream *s = stream_new();
    uint32_t steps = 1;
    fill(s, 100000);
    struct stream_group *g = stream_group_try_add(s, SPAN("g"), STREAM_ID_ZERO, 0);
    for (uint64_t i = 1; i <= 1000; i++)
        stream_deliver(g, some_consumer(s, g, (uint32_t)i % 3), (struct stream_id){i, 0}, 1);
    EXPECT(stream_free_effort(s) > 2000);
    while (!stream_free_step(s, 64)) steps++;
    EXPECT(steps > 20);
    EXPECT_INT(before, mem_used_bytes());
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"stream_model", test_model},           {"stream_large", test_large},
        {"stream_last_ids", test_last_ids},     {"stream_tree", test_tree},
        {"stream_tree_queue", test_tree_queue}, {"stream_groups", test_groups},
        {"stream_refused", test_refused},       {"stream_memory", test_memory},
        {"stream_free_steps", test_free_steps}, {"stream_cut", test_cut},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
