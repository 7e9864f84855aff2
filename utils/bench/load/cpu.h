/* CPU time of a process: all its threads, ended ones and the kernel's workers for its rings (iou-wrk, iou-sqp) included. */
#ifndef LOAD_CPU_H
#define LOAD_CPU_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum { CPU_THREADS_MAX = 64, CPU_NAME_MAX = 32 };

struct cpu_thread {
    int tid;
    char name[CPU_NAME_MAX];
    uint64_t ns, waited_ns; /* waited_ns: ready to run, while others ran */
};

struct cpu_sample {
    uint64_t total_ns;
    uint32_t thread_count; /* the first CPU_THREADS_MAX of them */
    struct cpu_thread threads[CPU_THREADS_MAX];
};

/* pid 0: this process. */
void cpu_take(struct cpu_sample *sample, pid_t pid);

/* How long threads had to wait for a processor. */
uint64_t cpu_waited_ns(const struct cpu_sample *from, const struct cpu_sample *to);

/* Prints {"name": ns, ...}, threads of one name together. */
void cpu_print_threads(FILE *out, const struct cpu_sample *from, const struct cpu_sample *to);

#endif
