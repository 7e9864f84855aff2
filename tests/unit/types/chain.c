/* Lists against a plain array of strings, in seeded runs at limits that make many nodes; refused memory; freeing in steps. */
#include "types/chain.h"

#include "base/alloc.h"
#include "base/random.h"
#include "test.h"

enum { MODEL_MAX = 4000, TEXT_MAX = 5000 };

struct text {
    char *data;
    size_t len;
};

struct model {
    struct chain *c;
    struct chain_limit limit;
    struct text texts[MODEL_MAX];
    uint32_t count;
    struct random random;
};

static struct span text_span(struct text t) {
    return span_make(t.data, t.len);
}

static void model_put(struct model *m, uint32_t at, struct span bytes) {
    memmove(m->texts + at + 1, m->texts + at, (m->count - at) * sizeof *m->texts);
    m->texts[at] = (struct text){malloc(bytes.len + 1), bytes.len};
    if (bytes.len) memcpy(m->texts[at].data, bytes.data, bytes.len);
    m->count++;
}

static void model_drop(struct model *m, uint32_t at) {
    free(m->texts[at].data);
    m->count--;
    memmove(m->texts + at, m->texts + at + 1, (m->count - at) * sizeof *m->texts);
}

static void model_init(struct model *m, struct chain_limit limit) {
    *m = (struct model){.c = chain_new(), .limit = limit};
    random_init(&m->random, test_seed());
}

static void model_release(struct model *m) {
    while (m->count) model_drop(m, m->count - 1);
    chain_free(m->c);
}

static struct span value_span(struct chain_value v, char *number) {
    if (!v.value.is_int) return v.value.bytes;
    return span_make(number, num_format_int(number, v.value.number));
}

static bool model_agrees(const struct model *m) {
    struct chain_walk w;
    char number[NUM_INT_TEXT_MAX];
    uint32_t i = 0;
    chain_check(m->c);
    if (chain_count(m->c) != m->count) return false;
    for (bool there = chain_walk_at(&w, m->c, 0); there; there = chain_walk_next(&w), i++) {
        if (i >= m->count) return false;
        if (!span_eq(value_span(chain_walk_value(&w), number), text_span(m->texts[i])))
            return false;
    }
    return i == m->count;
}

/* Few different ones, so that values are found; some large, some numbers. */
static struct span random_text(struct model *m, char *out) {
    size_t len;
    switch (random_below(&m->random, 16)) {
    case 0: len = random_below(&m->random, 600); break;
    case 1: len = random_below(&m->random, 8) == 0 ? random_below(&m->random, TEXT_MAX) : 3; break;
    case 2:
    case 3:
    case 4: return span_make(out, num_format_int(out, (int64_t)random_below(&m->random, 300) - 20));
    default: len = random_below(&m->random, 24); break;
    }
    memset(out, (int)('a' + random_below(&m->random, 3)), len);
    return span_make(out, len);
}

static uint32_t random_index(struct model *m) {
    return (uint32_t)random_below(&m->random, m->count);
}

static void step_push(struct model *m, struct span bytes) {
    enum chain_end end = random_below(&m->random, 2) ? CHAIN_HEAD : CHAIN_TAIL;
    struct chain_item item = {.bytes = bytes};
    if (m->count == MODEL_MAX - 1) return;
    if (chain_push(m->c, end, &item, &m->limit) < 0) test_fail(__FILE__, __LINE__, "no memory");
    model_put(m, end == CHAIN_HEAD ? 0 : m->count, bytes);
}

static void step_pop(struct model *m) {
    enum chain_end end = random_below(&m->random, 2) ? CHAIN_HEAD : CHAIN_TAIL;
    uint32_t at = end == CHAIN_HEAD ? 0 : m->count - 1;
    char number[NUM_INT_TEXT_MAX];
    struct span value = value_span(chain_end_value(m->c, end), number);
    if (!span_eq(value, text_span(m->texts[at]))) test_fail(__FILE__, __LINE__, "pops another");
    chain_drop(m->c, end, &m->limit);
    model_drop(m, at);
}

static void step_set(struct model *m, struct span bytes) {
    uint32_t at = random_index(m);
    struct chain_item item = {.bytes = bytes};
    if (chain_set(m->c, at, &item, &m->limit) < 0) test_fail(__FILE__, __LINE__, "no memory");
    model_drop(m, at);
    model_put(m, at, bytes);
}

static uint32_t model_find(const struct model *m, struct span bytes) {
    uint32_t at = 0;
    while (at < m->count && !span_eq(text_span(m->texts[at]), bytes)) at++;
    return at;
}

static void step_insert(struct model *m, struct span bytes) {
    static char copy[TEXT_MAX];
    struct text pivot = m->texts[random_index(m)];
    bool after = random_below(&m->random, 2);
    struct chain_item item = {.bytes = bytes};
    uint32_t at = model_find(m, text_span(pivot));
    if (m->count == MODEL_MAX - 1) return;
    memcpy(copy, pivot.data, pivot.len);
    if (chain_insert(m->c, span_make(copy, pivot.len), after, &item, &m->limit) != 1) {
        test_fail(__FILE__, __LINE__, "the pivot is not found");
    }
    model_put(m, at + after, bytes);
}

static void step_remove(struct model *m) {
    uint32_t at = random_index(m),
             count = (uint32_t)random_below(&m->random, random_below(&m->random, 4) ? 5 : 200);
    count = MIN(count, m->count - at);
    chain_remove(m->c, at, count, &m->limit);
    while (count-- > 0) model_drop(m, at);
}

static void step_remove_equal(struct model *m, struct span bytes) {
    enum chain_end from = random_below(&m->random, 2) ? CHAIN_HEAD : CHAIN_TAIL;
    uint64_t count = random_below(&m->random, 6), removed = 0;
    uint64_t got = chain_remove_equal(m->c, bytes, from, count, &m->limit);
    for (uint32_t i = 0; i < m->count && (!count || removed < count);) {
        uint32_t at = from == CHAIN_HEAD ? i : m->count - 1 - i;
        if (span_eq(text_span(m->texts[at]), bytes)) {
            model_drop(m, at);
            removed++;
        } else {
            i++;
        }
    }
    if (got != removed) test_fail(__FILE__, __LINE__, "removes %d, not %d", (int)got, (int)removed);
}

struct findings {
    uint64_t index[MODEL_MAX];
    uint32_t count;
};

static void note_finding(uint64_t index, void *context) {
    struct findings *f = context;
    f->index[f->count++] = index;
}

static void model_findings(const struct model *m, struct span bytes, const struct chain_search *s,
                           struct findings *f) {
    uint64_t matches = 0;
    for (uint32_t i = 0; i < m->count && (!s->depth || i < s->depth); i++) {
        uint32_t at = s->from == CHAIN_HEAD ? i : m->count - 1 - i;
        if (!span_eq(text_span(m->texts[at]), bytes) || ++matches < s->rank) continue;
        note_finding(at, f);
        if (s->count && f->count == s->count) return;
    }
}

static void step_find(struct model *m, struct span bytes) {
    static struct findings wanted, got;
    struct chain_search search = {
        .from = random_below(&m->random, 2) ? CHAIN_HEAD : CHAIN_TAIL,
        .rank = 1 + random_below(&m->random, 3),
        .count = random_below(&m->random, 4),
        .depth = random_below(&m->random, 2) ? random_below(&m->random, m->count) : 0,
    };
    wanted.count = got.count = 0;
    model_findings(m, bytes, &search, &wanted);
    chain_find(m->c, bytes, &search, note_finding, &got);
    if (wanted.count != got.count ||
        memcmp(wanted.index, got.index, got.count * sizeof got.index[0]) != 0) {
        test_fail(__FILE__, __LINE__, "finds %u, not %u", got.count, wanted.count);
    }
}

static void step_index(struct model *m) {
    uint32_t at = random_index(m);
    char number[NUM_INT_TEXT_MAX];
    struct chain_walk w;
    if (!chain_walk_at(&w, m->c, at) ||
        !span_eq(value_span(chain_walk_value(&w), number), text_span(m->texts[at]))) {
        test_fail(__FILE__, __LINE__, "another at %u", at);
    }
}

static void model_step(struct model *m, uint32_t grow_percent) {
    static char text[TEXT_MAX];
    struct span bytes = random_text(m, text);
    if (m->count == 0 || random_below(&m->random, 100) < grow_percent) {
        step_push(m, bytes);
        return;
    }
    switch (random_below(&m->random, 12)) {
    case 0: step_set(m, bytes); break;
    case 1: step_insert(m, bytes); break;
    case 2: step_find(m, bytes); break;
    case 3: step_index(m); break;
    case 4:
        if (random_below(&m->random, 8) == 0) step_remove(m);
        break;
    case 5:
        if (random_below(&m->random, 16) == 0) step_remove_equal(m, bytes);
        break;
    default: step_pop(m); break;
    }
}

static void run_model(struct chain_limit limit, uint32_t steps) {
    static struct model m;
    model_init(&m, limit);
    for (uint32_t i = 0; i < steps && !test_failures; i++) {
        model_step(&m, i / 3000 % 2 ? 40 : 70);
        if (i % 32 == 0 && !model_agrees(&m))
            test_fail(__FILE__, __LINE__, "differs at step %u", i);
    }
    model_release(&m);
}

static void test_model_tiny(void) {
    run_model((struct chain_limit){64, UINT32_MAX}, 30000);
}
static void test_model_counted(void) {
    run_model((struct chain_limit){8192, 5}, 30000);
}
static void test_model_middle(void) {
    run_model((struct chain_limit){2500, UINT32_MAX}, 30000);
}
static void test_model_usual(void) {
    run_model(chain_limit_of(-2), 30000);
}

/* One direction in, each direction out: the forms that queues and stacks go through. */
static void run_queue(enum chain_end in, enum chain_end out) {
    struct chain *c = chain_new();
    struct chain_limit limit = chain_limit_of(-2);
    uint32_t next_out = 0, next_in = 0;
    char text[32];
    for (uint32_t round = 0; round < 8; round++) {
        for (uint32_t i = 0; i < 3000; i++, next_in++) {
            struct chain_item item = {
                .bytes = span_make(text, (size_t)snprintf(text, sizeof text, "job-%08u", next_in))};
            EXPECT_INT(0, chain_push(c, in, &item, &limit));
        }
        chain_check(c);
        uint32_t out_count = in == out ? 0 : round == 7 ? 24000 - next_out : 2500;
        for (uint32_t i = 0; i < out_count; i++, next_out++) {
            snprintf(text, sizeof text, "job-%08u", next_out);
            EXPECT_SPAN(span_of(text), chain_end_value(c, out).value.bytes);
            chain_drop(c, out, &limit);
        }
        chain_check(c);
    }
    while (in == out && chain_count(c)) {
        snprintf(text, sizeof text, "job-%08u", --next_in);
        EXPECT_SPAN(span_of(text), chain_end_value(c, out).value.bytes);
        chain_drop(c, out, &limit);
    }
    EXPECT_INT(0, chain_count(c));
    chain_free(c);
}

static void test_queues(void) {
    run_queue(CHAIN_HEAD, CHAIN_TAIL);
    run_queue(CHAIN_TAIL, CHAIN_HEAD);
    run_queue(CHAIN_HEAD, CHAIN_HEAD);
    run_queue(CHAIN_TAIL, CHAIN_TAIL);
}

/* A large element is kept by reference, small ones are not. */
static void test_blobs(void) {
    static char big[20000];
    struct chain *c = chain_new(), *copy;
    struct chain_limit limit = chain_limit_of(-2);
    struct blob *blob = blob_try_copy(span_make(big, sizeof big), sizeof big);
    struct chain_item item = {.bytes = blob_span(blob), .blob = blob};
    EXPECT_INT(0, chain_push(c, CHAIN_TAIL, &item, &limit));
    EXPECT(chain_end_value(c, CHAIN_HEAD).blob == blob);
    EXPECT_INT(2, blob->ref_count);
    EXPECT(strcmp(chain_encoding(c), "quicklist") == 0);
    copy = chain_try_copy(c);
    EXPECT_INT(3, blob->ref_count);
    chain_free(copy);
    item = (struct chain_item){.bytes = SPAN("small")};
    EXPECT_INT(0, chain_set(c, 0, &item, &limit));
    EXPECT(strcmp(chain_encoding(c), "listpack") == 0);
    EXPECT_INT(1, blob->ref_count);
    blob_unref(blob);
    chain_free(c);
}

/* Every allocation of a run in turn is refused: what fails leaves everything as it was. */
static void test_refused_memory(void) {
    static struct model m;
    static char text[TEXT_MAX];
    model_init(&m, (struct chain_limit){300, UINT32_MAX});
    for (uint32_t i = 0; i < 300; i++) step_push(&m, random_text(&m, text));
    for (uint32_t i = 0; i < 4000 && !test_failures; i++) {
        struct chain_item item = {.bytes = random_text(&m, text)};
        uint32_t at = random_index(&m), first = model_find(&m, text_span(m.texts[at]));
        int rc;
        mem_test_fail_at(1 + random_below(&m.random, 4));
        switch (random_below(&m.random, 3)) {
        case 0:
            rc = chain_push(m.c, CHAIN_HEAD, &item, &m.limit);
            if (rc == 0) model_put(&m, 0, item.bytes);
            break;
        case 1:
            rc = chain_set(m.c, at, &item, &m.limit);
            if (rc == 0) model_drop(&m, at);
            if (rc == 0) model_put(&m, at, item.bytes);
            break;
        default:
            rc = chain_insert(m.c, text_span(m.texts[at]), true, &item, &m.limit);
            if (rc == 1) model_put(&m, first + 1, item.bytes);
            break;
        }
        if (m.count > 250) {
            chain_remove(m.c, 10, 40, &m.limit);
            for (int j = 0; j < 40; j++) model_drop(&m, 10);
        }
        mem_test_fail_at(0);
        if (!model_agrees(&m)) test_fail(__FILE__, __LINE__, "differs at step %u", i);
    }
    for (uint64_t n = 1; n < 20; n++) {
        mem_test_fail_at(n);
        struct chain *copy = chain_try_copy(m.c);
        if (copy) chain_free(copy);
    }
    mem_test_fail_at(0);
    model_release(&m);
}

static void test_free_step(void) {
    struct chain *c = chain_new();
    struct chain_limit limit = {64, UINT32_MAX};
    size_t used_bytes;
    uint32_t steps = 1;
    for (int i = 0; i < 5000; i++) {
        struct chain_item item = {.bytes = SPAN("some element")};
        EXPECT_INT(0, chain_push(c, CHAIN_TAIL, &item, &limit));
    }
    used_bytes = mem_used_bytes();
    EXPECT(chain_free_effort(c) > 1000);
    while (!chain_free_step(c, 100)) steps++;
    EXPECT(steps > 10);
    EXPECT(mem_used_bytes() < used_bytes);
}

/* The accounts agree with the allocator, and an element of 20 bytes takes at most 22. */
static void test_memory(void) {
    size_t before_bytes = mem_used_bytes();
    struct chain *c = chain_new();
    struct chain_limit limit = chain_limit_of(-2);
    char text[32];
    for (int i = 0; i < 100000; i++) {
        struct chain_item item = {
            .bytes = span_make(text, (size_t)snprintf(text, sizeof text, "value:%014d", i))};
        EXPECT_INT(0, chain_push(c, i % 3 ? CHAIN_TAIL : CHAIN_HEAD, &item, &limit));
    }
    EXPECT(chain_memory_bytes(c) < 22 * 100000);
    EXPECT(strcmp(mem_allocator(), "libc") == 0 ||
           mem_used_bytes() - before_bytes == chain_memory_bytes(c));
    chain_free(c);
}

static uint64_t number_at(const struct chain *c, uint64_t index) {
    struct chain_walk w;
    if (!chain_walk_at(&w, c, index)) return UINT64_MAX;
    return (uint64_t)chain_walk_value(&w).value.number;
}

/* What is cut off is a chain of its own, and both keep their accounts. */
static void test_cut(void) {
    enum { COUNT = 20000 };
    struct chain_limit limit = chain_limit_of(64);
    size_t before = mem_used_bytes();
    for (uint64_t from = 0; from < COUNT; from += 1777) {
        struct chain *c = chain_new();
        for (uint64_t i = 0; i < COUNT; i++) {
            char text[24];
            struct chain_item item = {
                .bytes = span_make(text, (size_t)snprintf(text, sizeof text, "%d", (int)i))};
            EXPECT_INT(0, chain_push(c, CHAIN_TAIL, &item, &limit));
        }
        uint64_t count = MIN(COUNT - from, (uint64_t)9001), left = COUNT - count;
        size_t bytes = chain_memory_bytes(c);
        struct chain *cut = chain_cut(c, from, count, &limit);
        EXPECT((cut != NULL) == (count > 5000));
        EXPECT_INT(left, chain_count(c));
        chain_check(c);
        EXPECT_INT(0, number_at(c, 0) == 0 ? from == 0 : from > 0);
        if (from < left) EXPECT_INT(from + count, number_at(c, from));
        if (cut) {
            chain_check(cut);
            EXPECT(chain_count(cut) <= count && chain_count(cut) + 128 >= count);
            EXPECT(chain_memory_bytes(c) < bytes);
            EXPECT(chain_free_effort(cut) > 64);
            chain_free(cut);
        }
        chain_free(c);
    }
    EXPECT_INT(before, mem_used_bytes());
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"chain_cut", test_cut},
        {"model_tiny", test_model_tiny},
        {"model_counted", test_model_counted},
        {"model_middle", test_model_middle},
        {"model_usual", test_model_usual},
        {"queues", test_queues},
        {"blobs", test_blobs},
        {"refused_memory", test_refused_memory},
        {"free_step", test_free_step},
        {"memory", test_memory},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
