/* Counting round the allocator. The counter moves by what the allocator gives out (its size class),
 * and by the same amount when the block goes back, whichever function either was done with. Hot
 * path: mem_alloc, mem_try_alloc, mem_free_sized are the allocator's own call and an addition. */
#include "base/alloc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/check.h"
#include "base/log.h"

#ifdef BASE_HAVE_JEMALLOC
#include "base/alloc_jemalloc.h"
#else
#include "base/alloc_libc.h"
#endif

static struct {
    size_t used_bytes, peak_bytes;
    uint64_t fail_at; /* mem_test_fail_at: try-allocations until the one that fails, 0 none */
} state;

INLINE void count_given(size_t bytes) {
    state.used_bytes += bytes;
    if (state.used_bytes > state.peak_bytes) state.peak_bytes = state.used_bytes;
}

INLINE void count_back(size_t bytes) {
    DCHECK(state.used_bytes >= bytes);
    state.used_bytes -= bytes;
}

ATTR_COLD NOINLINE ATTR_NORETURN static void out_of_memory(size_t bytes) {
    char text[96];
    int len = snprintf(text, sizeof text, "=== OUT OF MEMORY: cannot allocate %zu bytes\n", bytes);
    log_raw(text, (unsigned long)len);
    abort();
}

INLINE bool fails_for_test(void) {
    return UNLIKELY(state.fail_at != 0) && --state.fail_at == 0;
}

void mem_test_fail_at(uint64_t n) {
    state.fail_at = n;
}

void *mem_alloc(size_t bytes) {
    void *p = malloc(bytes);
    if (UNLIKELY(!p)) out_of_memory(bytes);
    count_given(allocator_given(p, bytes));
    return p;
}

void *mem_zalloc(size_t bytes) {
    void *p = calloc(1, bytes);
    if (UNLIKELY(!p)) out_of_memory(bytes);
    count_given(allocator_given(p, bytes));
    return p;
}

void *mem_alloc_aligned(size_t alignment, size_t bytes) {
    void *p;
    alignment = MAX(alignment, sizeof(void *));
    if (posix_memalign(&p, alignment, bytes) != 0) out_of_memory(bytes);
    count_given(
        mem_usable_bytes(p)); /* alignment may have made it larger than its size alone would */
    return p;
}

void *mem_try_alloc(size_t bytes) {
    void *p;
    if (fails_for_test()) return NULL;
    p = malloc(bytes);
    if (UNLIKELY(!p)) return NULL;
    count_given(allocator_given(p, bytes));
    return p;
}

/* realloc(3) that counts; a size of 0 is taken as 1, so that NULL always means failure. */
static void *realloc_counted(void *p, size_t bytes) {
    size_t old_bytes = p ? mem_usable_bytes(p) : 0;
    bytes = MAX(bytes, 1);
    p = realloc(p, bytes);
    if (UNLIKELY(!p)) return NULL;
    count_back(old_bytes);
    count_given(allocator_given(p, bytes));
    return p;
}

void *mem_realloc(void *p, size_t bytes) {
    p = realloc_counted(p, bytes);
    if (UNLIKELY(!p)) out_of_memory(bytes);
    return p;
}

void *mem_try_realloc(void *p, size_t bytes) {
    if (fails_for_test()) return NULL;
    return realloc_counted(p, bytes);
}

void mem_free(void *p) {
    if (!p) return;
    count_back(mem_usable_bytes(p));
    free(p);
}

void mem_free_sized(void *p, size_t bytes) {
    count_back(allocator_given(p, bytes));
    allocator_free_sized(p, bytes);
}

char *mem_strdup(const char *text) {
    size_t bytes = strlen(text) + 1;
    return memcpy(mem_alloc(bytes), text, bytes);
}

size_t mem_class_bytes(size_t bytes) {
    return allocator_class(bytes);
}

size_t mem_usable_bytes(const void *p) {
    return allocator_usable(p);
}

size_t mem_used_bytes(void) {
    return state.used_bytes;
}

size_t mem_peak_bytes(void) {
    return state.peak_bytes;
}

/* The second field of /proc/self/statm, in pages: proc_pid_statm(5). */
static size_t resident_by_proc(void) {
    char text[128];
    unsigned long total, resident;
    ssize_t len;
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    len = read(fd, text, sizeof text - 1);
    close(fd);
    if (len <= 0) return 0;
    text[len] = '\0';
    if (sscanf(text, "%lu %lu", &total, &resident) != 2) return 0;
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

#ifdef __APPLE__
enum { MAXRSS_UNIT_BYTES = 1 };
#else
enum { MAXRSS_UNIT_BYTES = 1024 };
#endif

/* Where there is no /proc: the largest that the process has been, getrusage(2). */
size_t mem_resident_bytes(void) {
    size_t bytes = resident_by_proc();
    struct rusage usage;
    if (bytes != 0 || getrusage(RUSAGE_SELF, &usage) != 0) return bytes;
    return (size_t)usage.ru_maxrss * MAXRSS_UNIT_BYTES;
}
