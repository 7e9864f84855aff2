/* What only one kernel has. One file each; the Makefile takes the one that fits. -ENOTSUP where there is nothing of the kind. */
#ifndef SERVER_PLATFORM_H
#define SERVER_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

int platform_disable_thp(void);
/* "0,2-3", "0-7:2": a list of numbers and ranges, each range with an optional step. */
int platform_set_processors(const char *list);
int platform_oom_score_get(int *score);
int platform_oom_score_set(int score);
int platform_backlog_max(void);          /* 0: unknown */
/* Absolute path of the running program, "" when it is unknown; returns `out`. */
const char *platform_executable(char *out, size_t size);
uint64_t platform_memory_bytes(void);    /* of the machine; 0: unknown */

/* The processor's state in a signal handler's context, for the crash report: calls `put` for each register. Async-signal-safe.
 * Returns the program counter, NULL when it is unknown. */
void *platform_registers(void *context, void (*put)(const char *name, uint64_t value));

#endif
