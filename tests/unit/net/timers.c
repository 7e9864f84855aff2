#include "net/timers.h"

#include "test.h"

enum { COUNT = 500 };

static struct timers timers;
static int64_t fired[COUNT * 4];
static size_t fired_count;

static void note(struct timer *timer) {
    if (fired_count < ARRAY_LENGTH(fired)) fired[fired_count++] = timer->due_ms;
}

static void again(struct timer *timer) {
    note(timer);
    timer_set(&timers, timer, timer->due_ms + 10);
}

static void start(void) {
    timers_init(&timers);
    fired_count = 0;
}

static void test_wait(void) {
    struct timer a = {.fire = note};
    start();
    EXPECT_INT(-1, timers_wait_ms(&timers, 100, -1));
    EXPECT_INT(50, timers_wait_ms(&timers, 100, 50));
    timer_set(&timers, &a, 130);
    EXPECT_INT(30, timers_wait_ms(&timers, 100, -1));
    EXPECT_INT(30, timers_wait_ms(&timers, 100, 50));
    EXPECT_INT(20, timers_wait_ms(&timers, 100, 20));
    EXPECT_INT(0, timers_wait_ms(&timers, 130, -1));
    EXPECT_INT(0, timers_wait_ms(&timers, 1000, 20));
    timer_set(&timers, &a, INT64_MAX / 2);
    EXPECT_INT(INT32_MAX, timers_wait_ms(&timers, 0, -1));
    timers_release(&timers);
    EXPECT_INT(0, a.at);
}

static void test_order(void) {
    static struct timer nodes[COUNT];
    uint64_t random = test_seed();
    start();
    for (int i = 0; i < COUNT; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        nodes[i] = (struct timer){.fire = note};
        timer_set(&timers, &nodes[i], (int64_t)(random >> 54));
    }
    for (int i = 0; i < COUNT; i += 2) { /* move half of them, take a fifth away */
        random = random * 6364136223846793005u + 1442695040888963407u;
        timer_set(&timers, &nodes[i], (int64_t)(random >> 54));
    }
    for (int i = 0; i < COUNT; i += 5) {
        timer_cancel(&timers, &nodes[i]);
        timer_cancel(&timers, &nodes[i]);
    }
    EXPECT_INT(COUNT - COUNT / 5, timers.count);
    EXPECT_INT(COUNT - COUNT / 5, timers_run(&timers, 1024, UINT32_MAX));
    EXPECT_INT(COUNT - COUNT / 5, fired_count);
    for (size_t i = 1; i < fired_count; i++) EXPECT(fired[i - 1] <= fired[i]);
    timers_release(&timers);
}

static void test_only_due(void) {
    struct timer a = {.fire = note}, b = {.fire = note};
    start();
    timer_set(&timers, &a, 10);
    timer_set(&timers, &b, 20);
    EXPECT_INT(0, timers_run(&timers, 9, 10));
    EXPECT_INT(1, timers_run(&timers, 19, 10));
    EXPECT_INT(1, timers.count);
    EXPECT_INT(1, timers_run(&timers, 20, 10));
    timers_release(&timers);
}

static void test_sets_itself_again(void) {
    struct timer a = {.fire = again};
    start();
    timer_set(&timers, &a, 10);
    EXPECT_INT(3, timers_run(&timers, 100, 3)); /* bounded, however often it comes back */
    EXPECT_INT(40, a.due_ms);
    timer_cancel(&timers, &a);
    EXPECT_INT(0, timers_run(&timers, 1000, 3));
    timers_release(&timers);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"timers_wait", test_wait},
        {"timers_order", test_order},
        {"timers_only_due", test_only_due},
        {"timers_sets_itself_again", test_sets_itself_again},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
