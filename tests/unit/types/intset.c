/* Integer sets against a plain array, in seeded runs through all widths. */
#include "types/intset.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/random.h"
#include "test.h"

enum { UNIVERSE = 300, STEPS = 20000 };

/* Numbers of all widths, their borders among them, in ascending order. */
static int64_t number_at(uint32_t id) {
    static const int64_t borders[] = {INT64_MIN, INT64_MIN + 1, INT32_MIN - 1LL,
                                      INT32_MIN, INT16_MIN - 1, INT16_MIN};
    static const int64_t tops[] = {INT16_MAX,       INT16_MAX + 1, INT32_MAX,
                                   INT32_MAX + 1LL, INT64_MAX - 1, INT64_MAX};
    if (id < 6) return borders[id];
    if (id >= UNIVERSE - 6) return tops[id - (UNIVERSE - 6)];
    return (int64_t)id * 7 - 900;
}

static void check_against(const struct intset *s, const bool *there) {
    uint32_t index = 0;
    intset_check(s);
    for (uint32_t id = 0; id < UNIVERSE; id++) {
        EXPECT(intset_has(s, number_at(id)) == there[id]);
        if (there[id]) EXPECT_INT(number_at(id), intset_at(s, index++));
    }
    EXPECT_INT(index, intset_count(s));
}

static void test_intset_model(void) {
    static bool there[UNIVERSE];
    struct intset *s = intset_new();
    struct random random;
    memset(there, 0, sizeof there);
    random_init(&random, test_seed());
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t id = (uint32_t)random_below(&random, step < STEPS / 4 ? UNIVERSE - 6 : UNIVERSE);
        if (step < STEPS / 8) id = 6 + id % (UNIVERSE - 12);
        if (random_below(&random, 2)) {
            EXPECT_INT(!there[id], intset_add(&s, number_at(id)));
            there[id] = true;
        } else {
            EXPECT(intset_remove(&s, number_at(id)) == there[id]);
            there[id] = false;
        }
        if (step % 100 == 0) check_against(s, there);
    }
    check_against(s, there);
    intset_free(s);
}

static void test_intset_widths(void) {
    struct intset *s = intset_new();
    EXPECT_INT(1, intset_add(&s, 5));
    EXPECT_INT(2, s->width);
    EXPECT_INT(1, intset_add(&s, 70000));
    EXPECT_INT(4, s->width);
    EXPECT_INT(1, intset_add(&s, INT64_MIN));
    EXPECT_INT(8, s->width);
    EXPECT_INT(INT64_MIN, intset_at(s, 0));
    EXPECT_INT(70000, intset_at(s, 2));
    EXPECT(intset_remove(&s, INT64_MIN));
    EXPECT_INT(8, s->width);
    intset_free(s);
}

static void test_intset_copy_and_memory(void) {
    size_t before_bytes = mem_used_bytes();
    struct intset *s = intset_new(), *copy;
    for (int i = 0; i < 1000; i++) EXPECT_INT(1, intset_add(&s, i * 3));
    EXPECT_INT(before_bytes + intset_class_bytes(s), mem_used_bytes());
    copy = intset_copy(s);
    intset_remove_at(&s, 10);
    EXPECT(intset_has(copy, 30) && !intset_has(s, 30));
    intset_free(copy);
    intset_free(s);
    EXPECT_INT(before_bytes, mem_used_bytes());
}

static void test_intset_without_memory(void) {
    struct intset *s = intset_new();
    uint32_t refused = 0;
    for (int64_t i = 0; i < 5000; i++) {
        int64_t number = i * 123456789;
        mem_test_fail_at(1);
        if (intset_add(&s, number) == -ENOMEM) {
            refused++;
            EXPECT(!intset_has(s, number));
            mem_test_fail_at(0);
            EXPECT_INT(1, intset_add(&s, number));
        }
        mem_test_fail_at(0);
    }
    EXPECT(refused > 10);
    EXPECT_INT(5000, intset_count(s));
    intset_check(s);
    mem_test_fail_at(1);
    EXPECT(intset_copy(s) == NULL);
    mem_test_fail_at(0);
    intset_free(s);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"intset_model", test_intset_model},
        {"intset_widths", test_intset_widths},
        {"intset_copy_and_memory", test_intset_copy_and_memory},
        {"intset_without_memory", test_intset_without_memory},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
