#include "test.h"

#include "base/alloc.h"
#include "resp/window.h"

static void test_alloc(void) {
    struct window_memory *w = window_memory_new();
    char *first = window_memory_alloc(w, 3), *second = window_memory_alloc(w, 0);
    char *third = window_memory_alloc(w, 8), *room;
    EXPECT(first && second && third);
    EXPECT(second == first + 8 && third == second);
    EXPECT_INT(0, (uintptr_t)first % 8);
    room = window_memory_try_room(w, 100);
    EXPECT(room == third + 8);
    EXPECT(window_memory_try_room(w, 100) == room);
    window_memory_took(w, 5);
    EXPECT((char *)window_memory_try_alloc(w, 1) == room + 8);
    window_memory_free(w);
}

/* Every byte of every size can be written, and blocks do not run into one another. */
static void test_sizes(void) {
    struct window_memory *w = window_memory_new();
    for (int round = 0; round < 3; round++) {
        for (size_t bytes = 0; bytes < 200000; bytes = bytes * 5 / 4 + 1) {
            char *p = bytes % 2 ? window_memory_alloc(w, bytes) : window_memory_try_alloc(w, bytes);
            EXPECT(p && (uintptr_t)p % 8 == 0);
            memset(p, 0x55, bytes);
        }
        window_memory_clear(w);
    }
    for (size_t bytes = 65400; bytes < 65700; bytes++) { /* about the usual block's size */
        memset(window_memory_alloc(w, bytes), 0x55, bytes);
        if (bytes % 10 == 0) window_memory_clear(w);
    }
    window_memory_free(w);
}

static void test_blocks_are_kept(void) {
    struct window_memory *w = window_memory_new();
    size_t used = mem_used_bytes(), kept;
    char *first = window_memory_alloc(w, 100);
    window_memory_clear(w);
    kept = mem_used_bytes();
    EXPECT(kept > used && window_memory_bytes(w) >= kept - used);
    for (int i = 0; i < 10; i++) {
        EXPECT((char *)window_memory_alloc(w, 100) == first);
        window_memory_clear(w);
    }
    EXPECT_INT(kept, mem_used_bytes());
    window_memory_alloc(w, 10 << 20);
    EXPECT(window_memory_bytes(w) > 10 << 20);
    for (int i = 0; i < 1000; i++) window_memory_alloc(w, 10000);
    window_memory_clear(w);
    EXPECT(window_memory_bytes(w) <= 2 << 20);
    window_memory_free(w);
    window_memory_free(NULL);
}

struct noted {
    struct window_deferred deferred;
    int *order, name;
};

static void note(struct window_deferred *deferred) {
    struct noted *n = CONTAINER_OF(deferred, struct noted, deferred);
    *n->order = *n->order * 10 + n->name;
}

static void test_defer(void) {
    struct window_memory *w = window_memory_new();
    int order = 0;
    for (int i = 1; i <= 3; i++) {
        struct noted *n = window_memory_alloc(w, sizeof *n);
        *n = (struct noted){.order = &order, .name = i};
        window_memory_defer(w, &n->deferred, note);
    }
    EXPECT_INT(0, order);
    window_memory_clear(w);
    EXPECT_INT(321, order);
    window_memory_clear(w);
    EXPECT_INT(321, order);
    window_memory_free(w);
}

static void test_without_memory(void) {
    struct window_memory *w = window_memory_new();
    mem_test_fail_at(1);
    EXPECT(!window_memory_try_alloc(w, 8));
    EXPECT(window_memory_try_alloc(w, 8));
    EXPECT(!window_memory_try_alloc(w, SIZE_MAX));
    EXPECT(!window_memory_try_alloc(w, SIZE_MAX - 20));
    EXPECT(!window_memory_try_alloc(w, PTRDIFF_MAX));
    mem_test_fail_at(1);
    EXPECT(window_memory_alloc(w, 100000)); /* does not count as one that may fail */
    EXPECT(!window_memory_try_alloc(w, 200000));
    window_memory_free(w);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"window_alloc", test_alloc},
        {"window_sizes", test_sizes},
        {"window_blocks_are_kept", test_blocks_are_kept},
        {"window_defer", test_defer},
        {"window_without_memory", test_without_memory},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
