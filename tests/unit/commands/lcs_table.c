/* The longest common subsequence: known answers, and random strings against the plain table of lengths. */
#include "commands/lcs_table.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/random.h"
#include "test.h"

enum { STRING_BYTES_MAX = 70, RUNS_TEXT_BYTES = 1024 };

/* The runs as text: "4-7/5-8 2-3/0-1". */
static void runs_text(struct lcs_table *t, char *out, size_t size) {
    struct lcs_run run;
    size_t at = 0;
    out[0] = '\0';
    while (lcs_table_next(t, &run)) {
        at += (size_t)snprintf(out + at, size - at, "%s%zu-%zu/%zu-%zu", at ? " " : "", run.a_first,
                               run.a_first + run.len - 1, run.b_first, run.b_first + run.len - 1);
    }
}

static void test_known(void) {
    static const struct {
        const char *a, *b, *runs;
        uint32_t len;
    } cases[] = {
        {"ohmytext", "mynewtext", "4-7/5-8 2-3/0-1", 6},
        {"abc", "abc", "0-2/0-2", 3},
        {"abc", "xyz", "", 0},
        {"", "abc", "", 0},
        {"abc", "", "", 0},
        {"", "", "", 0},
        {"a", "a", "0-0/0-0", 1},
        {"ab", "ba", "1-1/0-0", 1},
        {"1234", "2345", "1-3/0-2", 3},
    };
    char runs[RUNS_TEXT_BYTES];
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct lcs_table t;
        EXPECT_INT(0, lcs_table_init(&t, span_of(cases[i].a), span_of(cases[i].b)));
        EXPECT_INT(cases[i].len, t.len);
        runs_text(&t, runs, sizeof runs);
        EXPECT_SPAN(span_of(cases[i].runs), span_of(runs));
        lcs_table_release(&t);
    }
}

static uint32_t plain_len(struct span a, struct span b) {
    static uint32_t lens[STRING_BYTES_MAX + 1][STRING_BYTES_MAX + 1];
    for (size_t i = 0; i <= a.len; i++) {
        for (size_t j = 0; j <= b.len; j++) {
            if (i == 0 || j == 0) {
                lens[i][j] = 0;
            } else if (a.data[i - 1] == b.data[j - 1]) {
                lens[i][j] = lens[i - 1][j - 1] + 1;
            } else {
                lens[i][j] = MAX(lens[i - 1][j], lens[i][j - 1]);
            }
        }
    }
    return lens[a.len][b.len];
}

static struct span random_text(struct random *random, char *out, unsigned letters) {
    size_t len = random_below(random, STRING_BYTES_MAX + 1);
    for (size_t i = 0; i < len; i++) out[i] = (char)('a' + random_below(random, letters));
    return span_make(out, len);
}

/* Runs come from the end, do not overlap, are shared by both strings, and their lengths add up. */
static bool runs_hold(struct lcs_table *t) {
    struct lcs_run run;
    size_t a_end = t->a.len, b_end = t->b.len, sum = 0;
    while (lcs_table_next(t, &run)) {
        if (run.a_first + run.len > a_end || run.b_first + run.len > b_end) return false;
        if (memcmp(t->a.data + run.a_first, t->b.data + run.b_first, run.len) != 0) return false;
        a_end = run.a_first;
        b_end = run.b_first;
        sum += run.len;
    }
    return sum == t->len && !lcs_table_next(t, &run);
}

static void test_random(void) {
    struct random random;
    char a_text[STRING_BYTES_MAX], b_text[STRING_BYTES_MAX];
    random_init(&random, test_seed());
    for (int i = 0; i < 2000; i++) {
        unsigned letters = 1 + (unsigned)random_below(&random, 4);
        struct span a = random_text(&random, a_text, letters);
        struct span b = random_text(&random, b_text, letters);
        struct lcs_table t;
        EXPECT_INT(0, lcs_table_init(&t, a, b));
        EXPECT_INT(plain_len(a, b), t.len);
        EXPECT(runs_hold(&t));
        lcs_table_release(&t);
    }
}

static void test_memory(void) {
    for (uint64_t n = 1; n <= 2; n++) {
        struct lcs_table t;
        mem_test_fail_at(n);
        EXPECT_INT(-ENOMEM, lcs_table_init(&t, SPAN("abc"), SPAN("abd")));
        mem_test_fail_at(0);
    }
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"known", test_known}, {"random", test_random}, {"memory", test_memory}};
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
