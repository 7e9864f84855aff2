#include "test.h"

#include <stdarg.h>

#include "base/random.h"

int test_failures;
static uint64_t seed;

uint64_t test_seed(void) {
    if (seed == 0) {
        const char *text = getenv("RONDO_TEST_SEED");
        if (text) seed = strtoull(text, NULL, 10);
        while (seed == 0) random_bytes(&seed, sizeof seed);
    }
    return seed;
}

void test_fail(const char *file, int line, const char *format, ...) {
    va_list args;
    test_failures++;
    printf("# %s:%d: ", file, line);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

int test_main(const struct test *tests, size_t count, int argc, char **argv) {
    int failed = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < count; i++) {
        if (argc > 1 && !strstr(tests[i].name, argv[1])) continue;
        test_failures = 0;
        tests[i].run();
        printf("%s %s\n", test_failures ? "not ok" : "ok", tests[i].name);
        if (test_failures) {
            printf("# RONDO_TEST_SEED=%" PRIu64 "\n", test_seed());
            failed++;
        }
    }
    return failed ? 1 : 0;
}
