/* The order-statistic tree against a sorted array, in seeded runs over random, growing, falling and equal scores. */
#include "types/ztree.h"

#include <math.h>

#include "base/random.h"
#include "test.h"

enum { MODEL_MAX = 30000, MEMBER_MAX = 24 };

struct model {
    struct ztree tree;
    struct zelement *sorted[MODEL_MAX];
    uint32_t count, next_member;
    uint32_t style;
    struct random random;
};

static int compare_elements(const struct zelement *a, const struct zelement *b) {
    if (a->score != b->score) return a->score < b->score ? -1 : 1;
    return span_compare(zelement_member(a), zelement_member(b));
}

/* How many of the model's elements come before e. */
static uint32_t model_index(const struct model *m, const struct zelement *e) {
    uint32_t low = 0, high = m->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (compare_elements(m->sorted[middle], e) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void model_put(struct model *m, struct zelement *e) {
    uint32_t at = model_index(m, e);
    memmove(m->sorted + at + 1, m->sorted + at, (m->count - at) * sizeof m->sorted[0]);
    m->sorted[at] = e;
    m->count++;
}

static void model_cut(struct model *m, uint32_t at, uint32_t count) {
    m->count -= count;
    memmove(m->sorted + at, m->sorted + at + count, (m->count - at) * sizeof m->sorted[0]);
}

static double random_score(struct model *m) {
    struct random *r = &m->random;
    switch (m->style) {
    case 0: return (double)random_below(r, 1000000);
    case 1: return (double)m->next_member + (double)random_below(r, 4) / 8;
    case 2: return -(double)m->next_member * 1e6;
    case 3: return 7;
    case 4: return (double)random_below(r, 5) - 2;
    case 5: return ((double)random_next(r) - 9e18) * (random_below(r, 2) ? 1e280 : 1e-300);
    default:
        return random_below(r, 50) ? (double)random_below(r, 100)
                                   : (random_below(r, 2) ? 1 : -1) * (double)INFINITY;
    }
}

static struct zelement *new_element(struct model *m) {
    char text[MEMBER_MAX];
    uint32_t number = m->next_member++ * 2654435761u;
    return zelement_try_new(span_make(text, (size_t)snprintf(text, sizeof text, "m%x", number)),
                            random_score(m));
}

static void step_insert(struct model *m) {
    if (m->count == MODEL_MAX) return;
    struct zelement *e = new_element(m);
    model_put(m, e);
    ztree_insert(&m->tree, e);
}

static void step_remove(struct model *m, uint32_t at) {
    struct zelement *e = m->sorted[at];
    model_cut(m, at, 1);
    ztree_remove(&m->tree, e);
    zelement_free(e);
}

static void step_score(struct model *m, uint32_t at) {
    struct zelement *e = m->sorted[at];
    bool anew = m->style == 3 || random_below(&m->random, 2);
    double score = anew ? random_score(m) : e->score + 0.001;
    ztree_set_score(&m->tree, e, score);
    model_cut(m, at, 1);
    model_put(m, e);
}

static bool step_run(struct model *m, uint32_t at) {
    struct zelement *run[ZTREE_RUN_MAX];
    uint32_t max = 1 + (uint32_t)random_below(&m->random, ZTREE_RUN_MAX);
    uint32_t count = ztree_take_run(&m->tree, at, max, run);
    if (count == 0 || count > max) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (m->sorted[at + i] != run[i]) return false;
        zelement_free(run[i]);
    }
    model_cut(m, at, count);
    return true;
}

static bool same_order(struct model *m) {
    struct ztree_path path;
    struct zelement *e = ztree_seek(&m->tree, 0, &path);
    for (uint32_t i = 0; i < m->count; i++, e = ztree_next(&path)) {
        if (e != m->sorted[i]) return false;
    }
    if (e) return false;
    if (m->count == 0) return true;
    e = ztree_seek(&m->tree, m->count - 1, &path);
    for (uint32_t i = m->count; i-- > 0; e = ztree_previous(&path)) {
        if (e != m->sorted[i]) return false;
    }
    return e == NULL;
}

static uint64_t count_where(const struct model *m, const struct ztree_bound *bound) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        double score = m->sorted[i]->score;
        int order = span_compare(zelement_member(m->sorted[i]), bound->member);
        switch (bound->kind) {
        case ZTREE_ELEMENT:
            count += score < bound->score || (score == bound->score && order < 0);
            break;
        case ZTREE_SCORE: count += score < bound->score; break;
        case ZTREE_SCORE_BEHIND: count += score <= bound->score; break;
        case ZTREE_MEMBER: count += order < 0; break;
        case ZTREE_MEMBER_BEHIND: count += order <= 0; break;
        }
    }
    return count;
}

static bool same_counts(struct model *m) {
    uint32_t at = (uint32_t)random_below(&m->random, m->count);
    struct zelement *e = m->sorted[at];
    struct ztree_path path;
    if (ztree_rank(&m->tree, e) != at || ztree_seek(&m->tree, at, &path) != e) return false;
    int kinds = m->style == 3 ? ZTREE_MEMBER_BEHIND : ZTREE_SCORE_BEHIND;
    for (int kind = ZTREE_ELEMENT; kind <= kinds; kind++) {
        double score = random_below(&m->random, 2) ? e->score : random_score(m);
        struct ztree_bound bound = {(enum ztree_bound_kind)kind, score, zelement_member(e)};
        if (ztree_count_before(&m->tree, &bound) != count_where(m, &bound)) return false;
    }
    return true;
}

/* `tide`: of 100 steps, how many insert; the rest removes. */
static bool run_steps(struct model *m, uint32_t count, uint32_t tide) {
    for (uint32_t i = 0; i < count; i++) {
        if (m->count == 0 || random_below(&m->random, 100) < tide) {
            step_insert(m);
            continue;
        }
        uint32_t at = (uint32_t)random_below(&m->random, m->count);
        if (random_below(&m->random, 4) == 0) at = random_below(&m->random, 2) ? 0 : m->count - 1;
        switch (random_below(&m->random, 12)) {
        case 0:
            if (tide > 50) break;
            if (!step_run(m, at)) return false;
            break;
        case 1:
        case 2:
        case 3: step_score(m, at); break;
        default: step_remove(m, at); break;
        }
        if (i % 64 == 0 && m->count && !same_counts(m)) return false;
    }
    ztree_check(&m->tree);
    return same_order(m);
}

static void free_all(struct model *m) {
    uint64_t before = m->tree.count;
    while (!ztree_release_step(&m->tree, zelement_free)) {
        if (m->tree.count >= before) test_fail(__FILE__, __LINE__, "a step freed nothing");
        before = m->tree.count;
    }
    if (m->tree.memory_bytes) test_fail(__FILE__, __LINE__, "bytes are left");
    m->count = 0;
}

static void test_model(void) {
    static struct model m;
    random_init(&m.random, test_seed());
    for (m.style = 0; m.style < 7; m.style++) {
        static const uint32_t tides[] = {90, 45, 99, 20, 75, 0, 60, 5, 100};
        ztree_init(&m.tree);
        for (uint32_t i = 0; i < ARRAY_LENGTH(tides); i++) {
            EXPECT(run_steps(&m, 4000, tides[i]));
            EXPECT_INT(m.count, m.tree.count);
        }
        free_all(&m);
    }
}

/* What the header promises of memory. */
static void test_memory(void) {
    static struct model m;
    random_init(&m.random, test_seed());
    for (m.style = 0; m.style < 4; m.style++) {
        ztree_init(&m.tree);
        while (m.count < MODEL_MAX) {
            struct zelement *e = new_element(&m);
            m.sorted[m.count++] = e;
            ztree_insert(&m.tree, e);
        }
        EXPECT(m.tree.memory_bytes < m.tree.count * 10);
        free_all(&m);
    }
}

static void test_empty(void) {
    struct ztree t;
    struct ztree_path path;
    struct zelement *run[ZTREE_RUN_MAX];
    struct ztree_bound bound = {ZTREE_SCORE_BEHIND, 1, SPAN("")};
    ztree_init(&t);
    EXPECT(ztree_seek(&t, 0, &path) == NULL);
    EXPECT_INT(0, ztree_take_run(&t, 0, 5, run));
    EXPECT_INT(0, ztree_count_before(&t, &bound));
    EXPECT(ztree_release_step(&t, zelement_free));
    ztree_check(&t);
}

static void test_element(void) {
    static char bytes[70000];
    static const size_t lens[] = {0, 1, 16, 253, 254, 255, 256, 69999};
    for (uint32_t i = 0; i < ARRAY_LENGTH(lens); i++) {
        struct zelement *e = zelement_try_new(span_make(bytes, lens[i]), 1.5);
        EXPECT_SPAN(span_make(bytes, lens[i]), zelement_member(e));
        EXPECT(e->score == 1.5);
        zelement_free(e);
    }
    mem_test_fail_at(1);
    EXPECT(zelement_try_new(SPAN("x"), 1) == NULL);
    mem_test_fail_at(0);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"ztree_model", test_model},
        {"ztree_memory", test_memory},
        {"ztree_empty", test_empty},
        {"ztree_element", test_element},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
