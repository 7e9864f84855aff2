/* Sorted sets of both forms against a plain array, in seeded runs with limits that are crossed again and again; builders; refused
 * memory. */
#include "types/zset.h"

#include <math.h>

#include "base/alloc.h"
#include "base/random.h"
#include "test.h"

enum { MODEL_MAX = 1200, MEMBER_MAX = 320 };

struct item {
    double score;
    size_t len;
    char bytes[MEMBER_MAX];
};

/* A set and what should be in it, in order. */
struct model {
    struct zset *z;
    struct item *items[MODEL_MAX];
    uint32_t count;
    struct zset_limits limits;
    struct random random;
};

static struct span item_member(const struct item *item) {
    return span_make(item->bytes, item->len);
}

static bool item_is_before(const struct item *a, double score, struct span member) {
    if (a->score != score) return a->score < score;
    return span_compare(item_member(a), member) < 0;
}

static void model_put(struct model *m, struct item *item) {
    uint32_t at = 0;
    while (at < m->count && item_is_before(m->items[at], item->score, item_member(item))) at++;
    memmove(m->items + at + 1, m->items + at, (m->count - at) * sizeof m->items[0]);
    m->items[at] = item;
    m->count++;
}

static struct item *model_cut(struct model *m, uint32_t at) {
    struct item *item = m->items[at];
    m->count--;
    memmove(m->items + at, m->items + at + 1, (m->count - at) * sizeof m->items[0]);
    return item;
}

static uint32_t model_find(const struct model *m, struct span member) {
    uint32_t at = 0;
    while (at < m->count && !span_eq(item_member(m->items[at]), member)) at++;
    return at;
}

static void model_release(struct model *m) {
    while (m->count) free(model_cut(m, m->count - 1));
    zset_free(m->z);
}

static struct span random_member(struct random *r, char *out) {
    switch (random_below(r, 12)) {
    case 0:
        return span_make(out, num_format_int(out, (int64_t)random_next(r) >> random_below(r, 64)));
    case 1:
        memset(out, 'a' + (int)random_below(r, 3), MEMBER_MAX);
        return span_make(out, random_below(r, MEMBER_MAX));
    default: return span_make(out, (size_t)snprintf(out, 32, "%d", (int)random_below(r, 1500)));
    }
}

static double random_score(struct random *r) {
    switch (random_below(r, 10)) {
    case 0: return INFINITY;
    case 1: return -INFINITY;
    case 2: return (double)random_below(r, 1000) / 7;
    case 3: return (double)random_below(r, 1000) * 0.25 - 100;
    case 4: return ((double)random_next(r) - 9e18) * 1e250;
    case 5: return 9007199254740992.0 * (double)random_below(r, 4);
    default: return (double)random_below(r, 50) - 25;
    }
}

static bool step_put(struct model *m) {
    char text[MEMBER_MAX];
    struct span member = random_member(&m->random, text);
    double score = random_score(&m->random);
    struct zset_place place;
    uint32_t at = model_find(m, member);
    bool there = zset_find(m->z, member, &place);
    if (there != (at < m->count)) return false;
    if (there) {
        struct item *item = model_cut(m, at);
        if (place.score != item->score) return false;
        if (zset_set_score(&m->z, &place, member, score) < 0) return false;
        item->score = score;
        model_put(m, item);
        return true;
    }
    if (m->count == MODEL_MAX) return true;
    struct item *item = calloc(1, sizeof *item);
    *item = (struct item){.score = score, .len = member.len};
    memcpy(item->bytes, member.data, member.len);
    model_put(m, item);
    return zset_insert(&m->z, &place, member, score, &m->limits) == 0;
}

static bool step_remove(struct model *m) {
    struct item *item = model_cut(m, (uint32_t)random_below(&m->random, m->count));
    struct zset_place place;
    bool there = zset_find(m->z, item_member(item), &place) && place.score == item->score;
    if (there) zset_remove(&m->z, &place);
    free(item);
    return there;
}

static void step_remove_range(struct model *m) {
    uint64_t rank = random_below(&m->random, m->count + 2);
    uint64_t count = random_below(&m->random, random_below(&m->random, 4) ? 8 : 200);
    zset_remove_range(&m->z, rank, count);
    for (; count > 0 && rank < m->count; count--) free(model_cut(m, (uint32_t)rank));
}

static bool cursor_is(const struct zset_cursor *cursor, const struct item *item) {
    return span_eq(cursor->member, item_member(item)) && cursor->score == item->score;
}

static bool same_items(const struct model *m) {
    struct zset_cursor cursor;
    bool there = zset_seek(m->z, 0, &cursor);
    if (zset_count(m->z) != m->count) return false;
    for (uint32_t i = 0; i < m->count; i++, there = zset_next(&cursor)) {
        if (!there || !cursor_is(&cursor, m->items[i])) return false;
    }
    if (there) return false;
    there = m->count && zset_seek(m->z, m->count - 1, &cursor);
    for (uint32_t i = m->count; i-- > 0; there = zset_previous(&cursor)) {
        if (!there || !cursor_is(&cursor, m->items[i])) return false;
    }
    return !there;
}

static bool same_ranks(struct model *m) {
    uint32_t at = (uint32_t)random_below(&m->random, m->count);
    const struct item *item = m->items[at];
    struct zset_place place;
    struct ztree_bound bound = {ZTREE_SCORE, item->score, SPAN("")};
    uint32_t below = 0, upto = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        below += m->items[i]->score < item->score;
        upto += m->items[i]->score <= item->score;
    }
    if (!zset_find(m->z, item_member(item), &place) || zset_rank(m->z, &place) != at) return false;
    if (zset_count_before(m->z, &bound) != below) return false;
    bound.kind = ZTREE_SCORE_BEHIND;
    return zset_count_before(m->z, &bound) == upto;
}

static bool same_copy(struct model *m) {
    struct model copy = *m;
    copy.z = zset_copy(m->z);
    if (!copy.z) return false;
    zset_check(copy.z);
    bool same = same_items(&copy);
    while (!zset_free_step(copy.z, 64)) {}
    return same;
}

static void test_model(void) {
    static const struct zset_limits limits[] = {{128, 64}, {0, 0}, {20, 300}, {5000, 5000}};
    uint64_t seed = test_seed();
    for (uint32_t run = 0; run < 4 * ARRAY_LENGTH(limits); run++) {
        static struct model m;
        m = (struct model){.limits = limits[run % ARRAY_LENGTH(limits)]};
        random_init(&m.random, seed + run);
        m.z = zset_new(0, 0, &m.limits);
        uint32_t puts = run < 8 ? 70 : 95;
        for (uint32_t i = 0; i < 4000; i++) {
            if (m.count == 0 || random_below(&m.random, 100) < puts) {
                EXPECT(step_put(&m));
            } else if (random_below(&m.random, 20)) {
                EXPECT(step_remove(&m));
            } else {
                step_remove_range(&m);
            }
            if (i % 50 == 0 && m.count) EXPECT(same_ranks(&m));
            if (i % 400 == 0) zset_check(m.z);
            if (i % 400 == 0) EXPECT(same_items(&m));
        }
        EXPECT(same_items(&m) && same_copy(&m));
        EXPECT(zset_is_packed(m.z) == (m.limits.count_max == 5000));
        model_release(&m);
    }
}

static void test_scores(void) {
    static const double scores[] = {0,
                                    1,
                                    -1,
                                    0.5,
                                    0.1,
                                    1e300,
                                    -1e300,
                                    5e-324,
                                    4096,
                                    -4097,
                                    9007199254740991.0,
                                    9007199254740993.0,
                                    1e-40,
                                    3.4e38,
                                    3.5e38};
    struct zset_limits limits = {128, 64};
    struct zset *z = zset_new(0, 0, &limits);
    for (uint32_t i = 0; i < ARRAY_LENGTH(scores); i++) {
        char text[NUM_INT_TEXT_MAX];
        struct zset_place place;
        struct span member = span_make(text, num_format_uint(text, i));
        EXPECT(!zset_find(z, member, &place));
        EXPECT_INT(0, zset_insert(&z, &place, member, scores[i], &limits));
        EXPECT(zset_find(z, member, &place) && place.score == scores[i]);
    }
    EXPECT(zset_is_packed(z));
    zset_check(z);
    zset_free(z);
}

static void fill_build(struct zset_build *b, uint32_t count) {
    zset_build_begin(b);
    for (uint32_t i = 0; i < count; i++) {
        char text[NUM_INT_TEXT_MAX];
        struct span member = span_make(text, num_format_uint(text, i * 7919u % 100003));
        uint64_t hash = hash_bytes(member.data, member.len);
        int rc = zset_build_add(b, member, hash, (double)(i % 100));
        if (rc < 0) test_fail(__FILE__, __LINE__, "no memory");
    }
}

static void test_build(void) {
    static const uint32_t counts[] = {0, 1, 128, 129, 5000};
    struct zset_limits limits = {128, 64};
    for (uint32_t i = 0; i < ARRAY_LENGTH(counts); i++) {
        struct zset_build b;
        uint32_t count = counts[i];
        fill_build(&b, count);
        if (count) EXPECT(zset_build_remove(&b, SPAN("0"), hash_bytes("0", 1)));
        EXPECT(!zset_build_remove(&b, SPAN("0"), hash_bytes("0", 1)));
        struct zset *z = zset_build_end(&b, &limits);
        EXPECT(z != NULL);
        zset_check(z);
        EXPECT_INT(count ? count - 1 : 0, zset_count(z));
        EXPECT(zset_is_packed(z) == (count <= 129));
        zset_free(z);
    }
}

/* Every allocation for the user's sake is refused in turn: nothing changes, nothing leaks. */
static void test_refused(void) {
    for (uint32_t large = 0; large < 2; large++) {
        struct zset_limits limits = {large ? 8 : 100, 64};
        struct zset *z = zset_new(0, 0, &limits);
        for (uint32_t i = 0; i < 8; i++) {
            char text[NUM_INT_TEXT_MAX];
            struct span member = span_make(text, num_format_uint(text, i));
            struct zset_place place = {.hash = hash_bytes(text, member.len)};
            EXPECT_INT(0, zset_insert(&z, &place, member, i, &limits));
        }
        struct span member =
            SPAN("a member of more bytes than fit a packed block as it is, surely");
        struct zset_place place = {.hash = hash_bytes(member.data, member.len)};
        int rc = -1;
        for (uint64_t n = 1; rc < 0; n++) {
            mem_test_fail_at(n);
            rc = zset_insert(&z, &place, member, 4.1, &limits);
            mem_test_fail_at(0);
            zset_check(z);
            EXPECT_INT(rc < 0 ? 8 : 9, zset_count(z));
            EXPECT(n < 100);
        }
        mem_test_fail_at(3);
        struct zset *copy = zset_copy(z);
        mem_test_fail_at(0);
        EXPECT(!large || copy == NULL);
        if (copy) zset_free(copy);
        zset_free(z);
    }
}

/* What the header promises of memory. */
static void test_memory(void) {
    struct zset_limits limits = {0, 0};
    struct zset *z = zset_new(0, 0, &limits);
    struct random random;
    random_init(&random, test_seed());
    for (uint32_t i = 0; i < 100000; i++) {
        char text[32];
        struct span member = span_make(text, (size_t)snprintf(text, sizeof text, "key:%012u", i));
        struct zset_place place = {.hash = hash_bytes(text, member.len)};
        EXPECT_INT(0,
                   zset_insert(&z, &place, member, (double)random_below(&random, 100000), &limits));
    }
    EXPECT(zset_memory_bytes(z) < 60 * zset_count(z));
    zset_free(z);
}

/* Few stay of many: what goes is a set of its own. */
static void test_cut(void) {
    static const struct zset_limits limits = {128, 64};
    enum { COUNT = 20000 };
    size_t before = mem_used_bytes();
    for (uint64_t kept = 0; kept < COUNT; kept += 1999) {
        struct zset *z = zset_new(0, 0, &limits);
        for (uint32_t i = 0; i < COUNT; i++) {
            char text[24];
            struct span member = span_make(text, (size_t)snprintf(text, sizeof text, "m%u", i));
            struct zset_place place;
            EXPECT(!zset_find(z, member, &place));
            EXPECT_INT(0, zset_insert(&z, &place, member, i % 500, &limits));
        }
        struct zset *cut = zset_cut_range(&z, kept / 3, COUNT - kept);
        EXPECT((cut != NULL) == (3 * kept <= COUNT));
        EXPECT_INT(kept, zset_count(z));
        if (kept) zset_check(z);
        if (cut) {
            EXPECT_INT(COUNT - kept, zset_count(cut));
            zset_free(cut); /* all that may be done with it */
        }
        zset_free(z);
    }
    EXPECT_INT(before, mem_used_bytes());
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"zset_model", test_model},     {"zset_scores", test_scores}, {"zset_build", test_build},
        {"zset_refused", test_refused}, {"zset_memory", test_memory}, {"zset_cut", test_cut},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
