#include "server/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/compat.h"
#include "base/num.h"

#ifndef PR_SET_THP_DISABLE
#define PR_SET_THP_DISABLE 41
#endif

int platform_disable_thp(void) {
    return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0 ? 0 : -errno;
}

/* -- processors */

static bool take_number(const char **at, uint64_t *out) {
    const char *start = *at;
    while (**at >= '0' && **at <= '9') (*at)++;
    return num_parse_uint(span_make(start, (size_t)(*at - start)), out) && *out < CPU_SETSIZE;
}

/* One "3", "0-7" or "0-7:2". */
static bool take_range(const char **at, cpu_set_t *set) {
    uint64_t first, last, step = 1;
    if (!take_number(at, &first)) return false;
    last = first;
    if (**at == '-' && ((*at)++, !take_number(at, &last))) return false;
    if (**at == ':' && ((*at)++, !take_number(at, &step))) return false;
    if (last < first || step == 0) return false;
    for (uint64_t cpu = first; cpu <= last; cpu += step) CPU_SET(cpu, set);
    return true;
}

int platform_set_processors(const char *list) {
    cpu_set_t set;
    CPU_ZERO(&set);
    do {
        if (!take_range(&list, &set)) return -EINVAL;
    } while (*list == ',' && *++list);
    if (*list) return -EINVAL;
    return sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : -errno;
}

/* -- small files of /proc */

static int read_number(const char *path, int64_t *out) {
    char text[32];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;
    if (fd < 0) return -errno;
    n = read(fd, text, sizeof text);
    close(fd);
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' ')) n--;
    return n > 0 && num_parse_int(span_make(text, (size_t)n), out) ? 0 : -EINVAL;
}

int platform_oom_score_get(int *score) {
    int64_t value;
    int status = read_number("/proc/self/oom_score_adj", &value);
    if (status == 0) *score = (int)value;
    return status;
}

int platform_oom_score_set(int score) {
    char text[16];
    int status = 0, len = snprintf(text, sizeof text, "%d\n", score);
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return -errno;
    if (write(fd, text, (size_t)len) != len) status = -errno;
    close(fd);
    return status;
}

int platform_backlog_max(void) {
    int64_t value;
    return read_number("/proc/sys/net/core/somaxconn", &value) == 0 ? (int)value : 0;
}

const char *platform_executable(char *out, size_t size) {
    ssize_t n = readlink("/proc/self/exe", out, size - 1);
    out[n > 0 ? n : 0] = '\0';
    return out;
}

uint64_t platform_memory_bytes(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

/* -- registers */

#if defined(__x86_64__)
void *platform_registers(void *context, void (*put)(const char *name, uint64_t value)) {
    static const struct {
        const char *name;
        int index;
    } registers[] = {
        {"RAX", REG_RAX}, {"RBX", REG_RBX}, {"RCX", REG_RCX}, {"RDX", REG_RDX}, {"RDI", REG_RDI},
        {"RSI", REG_RSI}, {"RBP", REG_RBP}, {"RSP", REG_RSP}, {"R8", REG_R8},   {"R9", REG_R9},
        {"R10", REG_R10}, {"R11", REG_R11}, {"R12", REG_R12}, {"R13", REG_R13}, {"R14", REG_R14},
        {"R15", REG_R15}, {"RIP", REG_RIP}, {"EFL", REG_EFL}, {"CR2", REG_CR2},
    };
    const ucontext_t *state = context;
    for (size_t i = 0; i < ARRAY_LENGTH(registers); i++) {
        put(registers[i].name, (uint64_t)state->uc_mcontext.gregs[registers[i].index]);
    }
    return (void *)state->uc_mcontext.gregs[REG_RIP];
}
#elif defined(__aarch64__)
void *platform_registers(void *context, void (*put)(const char *name, uint64_t value)) {
    static const char names[31][4] = {"X0",  "X1",  "X2",  "X3",  "X4",  "X5",  "X6",  "X7",
                                      "X8",  "X9",  "X10", "X11", "X12", "X13", "X14", "X15",
                                      "X16", "X17", "X18", "X19", "X20", "X21", "X22", "X23",
                                      "X24", "X25", "X26", "X27", "X28", "X29", "X30"};
    const ucontext_t *state = context;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) put(names[i], state->uc_mcontext.regs[i]);
    put("SP", state->uc_mcontext.sp);
    put("PC", state->uc_mcontext.pc);
    put("PSTATE", state->uc_mcontext.pstate);
    return (void *)state->uc_mcontext.pc;
}
#else
void *platform_registers(void *context, void (*put)(const char *name, uint64_t value)) {
    return NULL;
}
#endif
