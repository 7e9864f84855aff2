#include "base/clock.h"

#include <time.h>

#include "test.h"

static int64_t now_ns(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void test_now(void) {
    int64_t before, real;
    clock_init();
    before = now_ns(CLOCK_REALTIME) / 1000;
    real = clock_real_us();
    EXPECT(real >= before && real <= now_ns(CLOCK_REALTIME) / 1000);
    before = now_ns(CLOCK_MONOTONIC) / 1000;
    real = clock_mono_us();
    EXPECT(real >= before && real <= now_ns(CLOCK_MONOTONIC) / 1000);
}

/* The milliseconds stand still between two refreshes. */
static void test_refresh(void) {
    int64_t real, mono;
    clock_init();
    real = clock_real_ms();
    mono = clock_mono_ms();
    EXPECT(real > 1600000000000);
    while (now_ns(CLOCK_MONOTONIC) / 1000000 < mono + 3) continue;
    EXPECT_INT(real, clock_real_ms());
    EXPECT_INT(mono, clock_mono_ms());
    clock_refresh();
    EXPECT(clock_mono_ms() >= mono + 3);
    EXPECT(clock_real_ms() > real);
}

/* 10 ms by both scales: do they agree within 2 %? */
static bool ticks_agree(void) {
    uint64_t ticks = clock_ticks(), ns;
    int64_t start_ns = now_ns(CLOCK_MONOTONIC), elapsed_ns;
    while ((elapsed_ns = now_ns(CLOCK_MONOTONIC) - start_ns) < 10000000) continue;
    ns = clock_ticks_to_ns(clock_ticks() - ticks);
    return ns > (uint64_t)(elapsed_ns - elapsed_ns / 50) &&
           ns < (uint64_t)(elapsed_ns + elapsed_ns / 50);
}

static void test_ticks(void) {
    uint64_t ticks;
    int tries = 10; /* the machine may take us off the processor between two readings */
    clock_init();
    while (!ticks_agree() && --tries) clock_init();
    EXPECT(tries > 0);
    EXPECT_INT(0, clock_ticks_to_ns(0));
    EXPECT(clock_ticks_to_ns(UINT64_MAX) > (uint64_t)1 << 60); /* no overflow on the way */
    ticks = clock_ticks_fallback();
    EXPECT(clock_ticks_fallback() >= ticks);
}

static void test_frozen(void) {
    clock_set_test(1700000000000, 5000);
    EXPECT_INT(1700000000000, clock_real_ms());
    EXPECT_INT(5000, clock_mono_ms());
    clock_refresh();
    EXPECT_INT(1700000000000, clock_real_ms());
    EXPECT_INT(1700000000000000, clock_real_us());
    EXPECT_INT(5000000, clock_mono_us());
    clock_advance_test(1500);
    EXPECT_INT(1700000001500, clock_real_ms());
    EXPECT_INT(6500, clock_mono_ms());
    EXPECT_INT(6500000, clock_mono_us());
    clock_init();
    EXPECT(clock_real_ms() != 1700000001500);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"clock_now", test_now},
        {"clock_refresh", test_refresh},
        {"clock_ticks", test_ticks},
        {"clock_frozen", test_frozen},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
