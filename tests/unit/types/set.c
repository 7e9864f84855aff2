/* Sets against a plain array of flags, in seeded runs across all encodings and limits. */
#include "types/set.h"

#include <errno.h>

#include "base/alloc.h"
#include "test.h"
#include "types/intset.h"

enum { MEMBERS_MAX = 4000, TEXT_MAX = 400 };

/* What members look like: numbers, short texts, some longer ones. */
enum look { LOOK_NUMBERS, LOOK_TEXTS, LOOK_MIXED };

struct model {
    struct set *set;
    struct set_limits limits;
    struct random random;
    enum look look;
    uint32_t member_count, count;
    bool there[MEMBERS_MAX];
};

static const struct set_limits usual = {512, 128, 64};

static struct span member_at(enum look look, uint32_t id, char *text) {
    int len;
    if (look == LOOK_NUMBERS || (look == LOOK_MIXED && id % 3 == 0)) {
        len = snprintf(text, TEXT_MAX, "%d", (int)id * (id % 5 == 0 ? -70001 : 1));
    } else if (id % 97 == 96) {
        len = snprintf(text, TEXT_MAX, "%0300u", id);
    } else {
        len = snprintf(text, TEXT_MAX, "member:%u", id);
    }
    return span_make(text, (size_t)len);
}

static void model_init(struct model *m, enum look look, uint32_t member_count,
                       struct set_limits limits) {
    char text[TEXT_MAX];
    *m = (struct model){.limits = limits, .look = look, .member_count = member_count};
    random_init(&m->random, test_seed());
    m->set = set_new(member_at(look, 0, text), 1, &m->limits);
}

static void model_step(struct model *m, bool add) {
    uint32_t id = (uint32_t)random_below(&m->random, m->member_count);
    char text[TEXT_MAX];
    struct span member = member_at(m->look, id, text);
    if (add) {
        EXPECT_INT(!m->there[id], set_add(&m->set, member, &m->limits));
        m->count += !m->there[id];
    } else {
        EXPECT(set_remove(&m->set, member) == m->there[id]);
        m->count -= m->there[id];
    }
    m->there[id] = add;
    EXPECT_INT(m->count, set_count(m->set));
}

static void model_check_walk(const struct model *m) {
    static uint8_t seen[MEMBERS_MAX];
    struct packed_value values[SET_WALK_BATCH];
    struct set_walk walk;
    uint32_t count, total = 0;
    struct set *ids = set_new(SPAN("x"), 1, &usual);
    memset(seen, 0, sizeof seen);
    set_walk_begin(&walk, m->set);
    while ((count = set_walk_next(&walk, values))) {
        for (uint32_t i = 0; i < count; i++) {
            char text[NUM_INT_TEXT_MAX];
            struct span member = packed_value_bytes(values + i, text);
            EXPECT_INT(1, set_add(&ids, member, &usual));
            EXPECT(set_has(m->set, member));
        }
        total += count;
    }
    EXPECT_INT(m->count, total);
    set_free(ids);
}

static void model_check(const struct model *m) {
    char text[TEXT_MAX];
    set_check(m->set);
    for (uint32_t id = 0; id < m->member_count; id++) {
        struct span member = member_at(m->look, id, text);
        set_prefetch(m->set, &member, 1);
        EXPECT(set_has(m->set, member) == m->there[id]);
    }
    model_check_walk(m);
}

static void run_model(enum look look, uint32_t member_count, struct set_limits limits) {
    struct model m;
    size_t before_bytes = mem_used_bytes();
    model_init(&m, look, member_count, limits);
    for (uint32_t round = 0; round < 6; round++) {
        uint32_t adds = round % 2 ? 3 : 7;
        for (uint32_t i = 0; i < member_count; i++) {
            model_step(&m, random_below(&m.random, 10) < adds);
        }
        model_check(&m);
        EXPECT_INT(before_bytes + set_memory_bytes(m.set), mem_used_bytes());
    }
    set_free(m.set);
    EXPECT_INT(before_bytes, mem_used_bytes());
}

static void test_set_model(void) {
    static const struct set_limits limits[] = {
        {512, 128, 64}, {0, 0, 0}, {10, 5, 8}, {100000, 100000, 100000}, {3, 1000, 10}};
    for (size_t i = 0; i < ARRAY_LENGTH(limits); i++) {
        for (enum look look = LOOK_NUMBERS; look <= LOOK_MIXED; look++) {
            run_model(look, 20, limits[i]);
            run_model(look, 400, limits[i]);
        }
    }
    run_model(LOOK_NUMBERS, MEMBERS_MAX, usual);
    run_model(LOOK_TEXTS, MEMBERS_MAX, usual);
}

static enum set_encoding encoding_after(uint32_t count, enum look look) {
    char text[TEXT_MAX];
    struct set *s = set_new(member_at(look, 1, text), 1, &usual);
    enum set_encoding encoding;
    for (uint32_t i = 1; i <= count; i++) {
        if (set_add(&s, member_at(look, i, text), &usual) < 0) abort();
    }
    encoding = set_encoding_of(s);
    set_free(s);
    return encoding;
}

static void test_set_encodings(void) {
    EXPECT_INT(SET_INTSET, encoding_after(512, LOOK_NUMBERS));
    EXPECT_INT(SET_TABLE, encoding_after(513, LOOK_NUMBERS));
    EXPECT_INT(SET_PACKED, encoding_after(90, LOOK_TEXTS));
    EXPECT_INT(SET_TABLE, encoding_after(96, LOOK_TEXTS)); /* the 96th is long */
    EXPECT_INT(SET_PACKED, encoding_after(90, LOOK_MIXED));
}

static void test_set_new_and_prepare(void) {
    struct set *s = set_new(SPAN("12"), 512, &usual);
    EXPECT_INT(SET_INTSET, set_encoding_of(s));
    EXPECT_INT(1, set_add(&s, SPAN("12"), &usual));
    EXPECT_INT(0, set_prepare(&s, 512, &usual));
    EXPECT_INT(SET_INTSET, set_encoding_of(s));
    EXPECT_INT(0, set_prepare(&s, 513, &usual));
    EXPECT_INT(SET_TABLE, set_encoding_of(s));
    EXPECT(set_has_number(s, 12) && !set_has(s, SPAN("012")));
    set_free(s);
    s = set_new(SPAN("12"), 513, &usual);
    EXPECT_INT(SET_TABLE, set_encoding_of(s));
    set_free(s);
    s = set_new(SPAN("012"), 128, &usual);
    EXPECT_INT(SET_PACKED, set_encoding_of(s));
    set_free(s);
}

/* The number at the text's end. */
static uint32_t id_of(struct span text) {
    uint32_t id = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        id = c >= '0' && c <= '9' ? id * 10 + (uint32_t)(c - '0') : 0;
    }
    return id;
}

/* Each member comes up about as often as any other, also when few are left of many. */
static void expect_fair(const struct set *s, struct random *random) {
    enum { DRAWS_EACH = 400 };
    uint64_t count = set_count(s);
    static uint32_t drawn[MEMBERS_MAX];
    double chi_square = 0;
    memset(drawn, 0, sizeof drawn);
    for (uint64_t i = 0; i < count * DRAWS_EACH; i++) {
        char text[NUM_INT_TEXT_MAX];
        struct packed_value value = set_random(s, random);
        struct span member = packed_value_bytes(&value, text);
        uint32_t id = id_of(member);
        EXPECT(id < MEMBERS_MAX);
        drawn[id]++;
    }
    for (uint32_t id = 0; id < MEMBERS_MAX; id++) {
        double off = (double)drawn[id] - DRAWS_EACH;
        if (drawn[id]) chi_square += off * off / DRAWS_EACH;
    }
    EXPECT(chi_square < (double)count * 2 + 50);
}

static void test_set_random(void) {
    static const uint32_t counts[] = {5, 100, 500};
    struct random random;
    random_init(&random, test_seed());
    for (size_t i = 0; i < ARRAY_LENGTH(counts); i++) {
        struct set *s = set_new(SPAN("x"), 1, &usual);
        char text[32];
        for (uint32_t id = 0; id < MEMBERS_MAX / 2; id++) {
            int len = snprintf(text, sizeof text, "member:%u", id);
            EXPECT_INT(1, set_add(&s, span_make(text, (size_t)len), &usual));
        }
        while (set_count(s) > counts[i]) {
            struct packed_value value = set_random(s, &random);
            EXPECT(set_remove(&s, value.bytes));
        }
        set_check(s);
        expect_fair(s, &random);
        set_free(s);
    }
}

static void take_count(const struct packed_value *value, void *context) {
    struct set **taken = context;
    char text[NUM_INT_TEXT_MAX];
    if (set_add(taken, packed_value_bytes(value, text), &usual) != 1) abort();
}

static void test_set_sample_out(void) {
    struct random random;
    random_init(&random, test_seed());
    for (enum look look = LOOK_NUMBERS; look <= LOOK_TEXTS; look++) {
        for (uint32_t count = 0; count <= 90; count += 9) {
            char text[TEXT_MAX];
            struct set *s = set_new(member_at(look, 1, text), 1, &usual);
            struct set *taken = set_new(member_at(look, 1, text), 1, &usual);
            for (uint32_t i = 1; i <= 90; i++) {
                EXPECT_INT(1, set_add(&s, member_at(look, i, text), &usual));
            }
            set_sample_out(&s, count, &random, take_count, &taken);
            EXPECT_INT(count, set_count(taken));
            EXPECT_INT(90 - count, set_count(s));
            for (uint32_t i = 1; i <= 90; i++) {
                struct span member = member_at(look, i, text);
                EXPECT(set_has(s, member) != set_has(taken, member));
            }
            set_check(s);
            set_free(s);
            set_free(taken);
        }
    }
}

static void count_visit(struct span member, void *context) {
    (void)member;
    ++*(uint32_t *)context;
}

static void test_set_scan_copy_steps(void) {
    size_t before_bytes = mem_used_bytes();
    struct set *s = set_new(SPAN("x"), 1000, &usual), *copy;
    uint32_t visited = 0;
    uint64_t cursor = 0;
    char text[TEXT_MAX];
    for (uint32_t i = 0; i < MEMBERS_MAX; i++) {
        EXPECT_INT(1, set_add(&s, member_at(LOOK_MIXED, i, text), &usual));
    }
    copy = set_copy(s);
    EXPECT(set_remove(&copy, member_at(LOOK_MIXED, 7, text)) && set_has(s, SPAN("member:7")));
    set_check(copy);
    do cursor = set_scan(s, cursor, count_visit, &visited);
    while (cursor);
    EXPECT_INT(MEMBERS_MAX, visited);
    EXPECT_INT(MEMBERS_MAX, set_free_effort(s));
    while (!set_free_step(s, 64)) continue;
    while (!set_free_step(copy, 64)) continue;
    EXPECT_INT(before_bytes, mem_used_bytes());
}

/* A failing allocation leaves the set as it was, in whatever encoding and on the way from one to another. */
static void test_set_without_memory(void) {
    static const struct set_limits small = {20, 10, 64};
    struct random random;
    random_init(&random, test_seed());
    for (enum look look = LOOK_NUMBERS; look <= LOOK_MIXED; look++) {
        char text[TEXT_MAX];
        struct set *s = set_new(member_at(look, 0, text), 1, &small);
        uint32_t refused = 0;
        for (uint32_t id = 0; id < 200; id++) {
            struct span member = member_at(look, id, text);
            for (uint64_t nth = 1;; nth++) {
                int rc;
                mem_test_fail_at(nth);
                rc = set_add(&s, member, &small);
                mem_test_fail_at(0);
                if (rc == 1) break;
                EXPECT_INT(-ENOMEM, rc);
                EXPECT_INT(id, set_count(s));
                EXPECT(!set_has(s, member));
                set_check(s);
                refused++;
            }
        }
        EXPECT(refused > 100);
        set_free(s);
    }
}

static void test_set_memory_target(void) {
    struct set *s = set_new(SPAN("x"), 1000, &usual);
    char text[TEXT_MAX];
    for (uint32_t i = 0; i < 300000; i++) {
        int len = snprintf(text, sizeof text, "member:%09u", i);
        EXPECT_INT(1, set_add(&s, span_make(text, (size_t)len), &usual));
    }
    EXPECT(set_memory_bytes(s) <= 300000 * (size_t)46);
    set_free(s);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"set_model", test_set_model},
        {"set_encodings", test_set_encodings},
        {"set_new_and_prepare", test_set_new_and_prepare},
        {"set_random", test_set_random},
        {"set_sample_out", test_set_sample_out},
        {"set_scan_copy_steps", test_set_scan_copy_steps},
        {"set_without_memory", test_set_without_memory},
        {"set_memory_target", test_set_memory_target},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
