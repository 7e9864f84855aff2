/* The unit tests' few words. A test program is a list of functions run in order, each named; the first failed check ends the
 * function and the program goes on with the next. Output: one line per test, "ok NAME" or "not ok NAME", which the runner counts.
 *
 *     static void test_span_eq(void) { EXPECT(span_eq(a, b)); EXPECT_INT(3, n); }
 *     int main(int argc, char **argv) {
 *         static const struct test tests[] = {{"span_eq", test_span_eq}};
 *         return test_main(tests, ARRAY_LENGTH(tests), argc, argv);    // an argument runs only the tests that contain it
 *     }
 */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compat.h"
#include "base/span.h"

struct test {
    const char *name;
    void (*run)(void);
};

extern int test_failures; /* failed checks of the running test */
int test_main(const struct test *tests, size_t count, int argc, char **argv);
void test_fail(const char *file, int line, const char *format, ...) ATTR_PRINTF(3, 4);
/* The seed of the run: RONDO_TEST_SEED or a random one; printed when a test fails. */
uint64_t test_seed(void);

#define EXPECT(condition)                                              \
    do {                                                               \
        if (!(condition)) {                                            \
            test_fail(__FILE__, __LINE__, "expected %s", #condition);  \
            return;                                                    \
        }                                                              \
    } while (0)
#define EXPECT_INT(expected, actual)                                                                          \
    do {                                                                                                      \
        int64_t expected_ = (int64_t)(expected), actual_ = (int64_t)(actual);                                 \
        if (expected_ != actual_) {                                                                           \
            test_fail(__FILE__, __LINE__, "%s: expected %" PRId64 ", got %" PRId64, #actual, expected_, actual_); \
            return;                                                                                           \
        }                                                                                                     \
    } while (0)
#define EXPECT_SPAN(expected, actual)                                                                          \
    do {                                                                                                       \
        struct span expected_ = (expected), actual_ = (actual);                                                \
        if (!span_eq(expected_, actual_)) {                                                                    \
            test_fail(__FILE__, __LINE__, "%s: expected \"%.*s\", got \"%.*s\"", #actual, (int)expected_.len,    \
                      expected_.data, (int)actual_.len, actual_.data);                                         \
            return;                                                                                            \
        }                                                                                                      \
    } while (0)

#endif
