/* Systems without Linux's knobs. */
#include "server/platform.h"

#include <errno.h>
#include <unistd.h>

int platform_disable_thp(void) {
    return -ENOTSUP;
}

int platform_set_processors(const char *list) {
    return -ENOTSUP;
}

int platform_oom_score_get(int *score) {
    return -ENOTSUP;
}

int platform_oom_score_set(int score) {
    return -ENOTSUP;
}

int platform_backlog_max(void) {
    return 0;
}

const char *platform_executable(char *out, size_t size) {
    out[0] = '\0';
    return out;
}

uint64_t platform_memory_bytes(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

void *platform_registers(void *context, void (*put)(const char *name, uint64_t value)) {
    return NULL;
}
