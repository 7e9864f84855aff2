/* SORT's order and its patterns' reading. */
#include "commands/sort.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/random.h"
#include "test.h"

enum { COUNT_MAX = 1000 };
static char names[COUNT_MAX][2]; /* an item's address in here is its first place */

static void fill(struct sort_item *items, uint64_t count, enum sort_kind kind,
                 struct random *random) {
    for (uint64_t i = 0; i < count; i++) {
        names[i][0] = (char)('a' + random_below(random, 20));
        items[i].element = span_make(names[i], 1);
        if (kind == SORT_NUMERIC) {
            items[i].score = (double)random_below(random, 50) - 25;
        } else if (random_below(random, 4) == 0) {
            items[i].by = span_make(NULL, 0);
        } else {
            items[i].by = span_make(names[i], random_below(random, 2));
        }
    }
}

/* Below 0: a comes first; by the kind's own words. */
static int expected_order(const struct sort_item *a, const struct sort_item *b,
                          enum sort_kind kind) {
    if (kind == SORT_NUMERIC && a->score != b->score) return a->score < b->score ? -1 : 1;
    if (kind != SORT_ALPHA_BY) return a->element.data[0] - b->element.data[0];
    if (!a->by.data || !b->by.data) return (a->by.data != NULL) - (b->by.data != NULL);
    if (!a->by.len || !b->by.len) return (int)a->by.len - (int)b->by.len;
    return a->by.data[0] - b->by.data[0];
}

static bool is_sorted(const struct sort_item *items, uint64_t count, enum sort_kind kind,
                      bool descending) {
    bool seen[COUNT_MAX] = {false};
    for (uint64_t i = 0; i < count; i++) {
        size_t place = (size_t)(items[i].element.data - names[0]) / 2;
        if (place >= count || seen[place]) return false;
        seen[place] = true;
        if (i == 0) continue;
        int order = expected_order(&items[i - 1], &items[i], kind);
        if (descending ? order < 0 : order > 0) return false;
        if (order == 0 && items[i - 1].element.data > items[i].element.data) return false;
    }
    return true;
}

static void test_order(void) {
    struct sort_item items[COUNT_MAX];
    struct random random;
    random_init(&random, test_seed());
    for (uint32_t round = 0; round < 2000; round++) {
        uint64_t count = random_below(&random, round % 10 ? 40 : COUNT_MAX);
        enum sort_kind kind = (enum sort_kind)random_below(&random, 3);
        bool descending = random_below(&random, 2);
        fill(items, count, kind, &random);
        EXPECT_INT(0, sort_order(items, count, kind, descending));
        EXPECT(is_sorted(items, count, kind, descending));
    }
}

static void test_order_without_memory(void) {
    struct sort_item items[COUNT_MAX];
    struct random random;
    random_init(&random, test_seed());
    fill(items, COUNT_MAX, SORT_NUMERIC, &random);
    mem_test_fail_at(1);
    EXPECT_INT(-ENOMEM, sort_order(items, COUNT_MAX, SORT_NUMERIC, false));
    mem_test_fail_at(0);
    EXPECT_INT(0, sort_order(items, COUNT_MAX, SORT_NUMERIC, false));
    EXPECT(is_sorted(items, COUNT_MAX, SORT_NUMERIC, false));
}

static void test_pattern(void) {
    struct sort_pattern p = sort_pattern_parse(SPAN("a*b->f->g"));
    EXPECT_SPAN(SPAN("a"), p.before);
    EXPECT_SPAN(SPAN("b"), p.after);
    EXPECT_SPAN(SPAN("f->g"), p.field);
    p = sort_pattern_parse(SPAN("*->"));
    EXPECT_SPAN(SPAN("->"), p.after);
    EXPECT(p.field.data == NULL && !p.is_constant);
    p = sort_pattern_parse(SPAN("a->*"));
    EXPECT_SPAN(SPAN("a->"), p.before);
    EXPECT(p.field.data == NULL);
    EXPECT(sort_pattern_parse(SPAN("#")).is_element && sort_pattern_parse(SPAN("##")).is_constant);
    EXPECT(sort_pattern_parse(SPAN("")).is_constant && !sort_pattern_parse(SPAN("*")).is_constant);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"sort_order", test_order},
        {"sort_order_without_memory", test_order_without_memory},
        {"sort_pattern", test_pattern},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
