#include "base/alloc.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "test.h"

static bool with_jemalloc(void) {
    return strncmp(mem_allocator(), "jemalloc-", 9) == 0;
}

/* jemalloc: the computed class is what the allocator gives. Otherwise it is an estimate: never less
 * than asked for. */
static bool class_is_right(size_t bytes) {
    void *p = mem_try_alloc(bytes);
    size_t given = p ? mem_usable_bytes(p) : 0, class_bytes = mem_class_bytes(bytes);
    mem_free(p);
    if (class_bytes < bytes || mem_class_bytes(class_bytes) != class_bytes) return false;
    return !with_jemalloc() || given == class_bytes;
}

static void test_classes(void) {
    for (size_t bytes = 0; bytes <= 70000; bytes++) EXPECT(class_is_right(bytes));
    for (size_t power = 1 << 16; power <= (size_t)1 << 30; power *= 2) {
        for (size_t quarter = 0; quarter < 4; quarter++) {
            size_t edge = power + power / 4 * quarter;
            EXPECT(class_is_right(edge - 1));
            EXPECT(class_is_right(edge));
            EXPECT(class_is_right(edge + 1));
        }
    }
}

static void test_known_classes(void) {
    static const size_t classes[] = {8,   16,  32,  48,  64,  80,  96,  112, 128,  160,  192,
                                     224, 256, 320, 384, 448, 512, 640, 768, 1024, 1280, 20480};
    if (!with_jemalloc()) return;
    for (size_t i = 0; i < ARRAY_LENGTH(classes); i++)
        EXPECT_INT(classes[i], mem_class_bytes(classes[i]));
    EXPECT_INT(8, mem_class_bytes(1));
    EXPECT_INT(16, mem_class_bytes(9));
    EXPECT_INT(1024, mem_class_bytes(897));
}

/* Every way to get, change and give back a block, in random order: the counter follows and ends
 * where it began. */
static void test_counter(void) {
    enum { SLOTS = 256 };
    struct slot {
        char *p;
        size_t bytes;
        bool aligned;
    } slots[SLOTS] = {0};
    struct random r;
    size_t used_before = mem_used_bytes();
    random_init(&r, test_seed());
    for (int i = 0; i < 200000; i++) {
        struct slot *s = &slots[random_below(&r, SLOTS)];
        size_t bytes = random_below(&r, (uint64_t)1 << random_below(&r, 18));
        if (!s->p) {
            s->bytes = bytes;
            s->aligned = false;
            switch (random_below(&r, 4)) {
            case 0: s->p = mem_alloc(bytes); break;
            case 1: s->p = mem_zalloc(bytes); break;
            case 2: s->p = mem_try_alloc(bytes); break;
            case 3:
                s->aligned = true;
                s->p = mem_alloc_aligned((size_t)1 << random_below(&r, 13), bytes);
                break;
            }
        } else if (random_below(&r, 2)) {
            char first = s->bytes ? s->p[0] : 0;
            s->p = random_below(&r, 2) ? mem_realloc(s->p, bytes) : mem_try_realloc(s->p, bytes);
            EXPECT(s->p != NULL);
            if (s->bytes && bytes) EXPECT_INT(first, s->p[0]);
            s->bytes = MAX(bytes, 1);
            s->aligned = false;
        } else {
            if (s->aligned || random_below(&r, 2))
                mem_free(s->p);
            else
                mem_free_sized(s->p, s->bytes);
            s->p = NULL;
            continue;
        }
        memset(s->p, (int)i, s->bytes);
    }
    EXPECT(mem_used_bytes() > used_before);
    EXPECT(mem_peak_bytes() >= mem_used_bytes());
    if (with_jemalloc()) {
        size_t sum = 0;
        for (int i = 0; i < SLOTS; i++) sum += slots[i].p ? mem_usable_bytes(slots[i].p) : 0;
        EXPECT_INT(sum, mem_used_bytes() - used_before);
    }
    for (int i = 0; i < SLOTS; i++) mem_free(slots[i].p);
    EXPECT_INT(used_before, mem_used_bytes());
}

static void test_kinds(void) {
    unsigned char *z;
    char *copy = mem_strdup("text"), *p;
    EXPECT_SPAN(SPAN("text"), span_of(copy));
    mem_free(copy);
    mem_free(NULL);
    z = mem_zalloc(1000);
    for (int i = 0; i < 1000; i++) EXPECT_INT(0, z[i]);
    mem_free_sized(z, 1000);
    for (size_t alignment = 1; alignment <= 65536; alignment *= 2) {
        p = mem_alloc_aligned(alignment, 100);
        EXPECT_INT(0, (uintptr_t)p % alignment);
        mem_free(p);
    }
    p = mem_realloc(NULL, 10);
    EXPECT(p != NULL);
    p = mem_realloc(p, 0); /* stays a block */
    EXPECT(p != NULL);
    mem_free(p);
    p = mem_alloc(0);
    EXPECT(p != NULL);
    mem_free_sized(p, 0);
}

static void test_fail_at(void) {
    void *p[3], *same;
    mem_test_fail_at(3);
    p[0] = mem_try_alloc(10);
    p[1] = mem_try_realloc(NULL, 10);
    p[2] = mem_alloc(10); /* cannot fail: not counted */
    EXPECT(p[0] && p[1] && p[2]);
    EXPECT(mem_try_alloc(10) == NULL);
    same = mem_try_alloc(10); /* once only */
    EXPECT(same != NULL);
    mem_free(same);
    mem_test_fail_at(1);
    EXPECT(mem_try_realloc(p[0], 5000) == NULL);
    mem_test_fail_at(1);
    mem_test_fail_at(0);
    p[0] = mem_try_realloc(p[0], 5000);
    EXPECT(p[0] != NULL);
    for (int i = 0; i < 3; i++) mem_free(p[i]);
}

static void test_too_much(void) {
    size_t used_before = mem_used_bytes();
    char *p = mem_alloc(10);
    p[0] = 'x';
    EXPECT(mem_try_alloc(PTRDIFF_MAX) == NULL);
    EXPECT(mem_try_realloc(p, PTRDIFF_MAX) == NULL);
    EXPECT_INT('x', p[0]);
    mem_free(p);
    EXPECT_INT(used_before, mem_used_bytes());
}

static void test_out_of_memory_ends(void) {
    int status;
    pid_t pid;
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        signal(SIGABRT, SIG_DFL);
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        mem_alloc(PTRDIFF_MAX);
        _exit(0);
    }
    EXPECT(waitpid(pid, &status, 0) == pid);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void test_stats(void) {
    struct mem_stats stats;
    void *p = mem_zalloc(1 << 20);
    memset(p, 1, 1 << 20);
    mem_stats_get(&stats);
    EXPECT(mem_resident_bytes() > 1 << 20);
    EXPECT(stats.resident_bytes > 0);
    if (with_jemalloc()) {
        EXPECT(stats.allocated_bytes >= 1 << 20);
        EXPECT(stats.active_bytes >= stats.allocated_bytes);
    }
    mem_free(p);
    mem_purge();
    EXPECT(with_jemalloc() || strcmp(mem_allocator(), "libc") == 0);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"alloc_classes", test_classes},
        {"alloc_known_classes", test_known_classes},
        {"alloc_counter", test_counter},
        {"alloc_kinds", test_kinds},
        {"alloc_fail_at", test_fail_at},
        {"alloc_too_much", test_too_much},
        {"alloc_out_of_memory_ends", test_out_of_memory_ends},
        {"alloc_stats", test_stats},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
