/* The total is the process's CPU clock (clock_getcpuclockid(3)): the kernel adds a thread's time to it when the thread ends, and a
 * ring's workers are threads of the process since Linux 5.12. The single threads come from /proc/PID/task/TID/schedstat. */
#include "cpu.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t process_ns(pid_t pid) {
    struct timespec time;
    clockid_t clock;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int read_file(const char *path, char *text, size_t size) {
    FILE *file = fopen(path, "r");
    size_t len;
    if (!file) return 0;
    len = fread(text, 1, size - 1, file);
    fclose(file);
    text[len] = '\0';
    return 1;
}

static int take_thread(struct cpu_thread *thread, pid_t pid, int tid) {
    char path[64], text[128], *end;
    thread->tid = tid;
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", pid, tid);
    if (!read_file(path, text, sizeof text)) return 0;
    thread->ns = strtoull(text, &end, 10);
    thread->waited_ns = strtoull(end, NULL, 10);
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", pid, tid);
    if (!read_file(path, text, sizeof text)) return 0;
    text[strcspn(text, "\n")] = '\0';
    for (int i = 0; i < CPU_NAME_MAX; i++) { /* a kernel worker's name ends with a number */
        thread->name[i] = i == CPU_NAME_MAX - 1 ? '\0' : text[i];
        if (!text[i]) break;
        if (!isalnum((unsigned char)text[i]) && text[i] != '-' && text[i] != '_') {
            thread->name[i] = '_';
        }
        if (strncmp(text, "iou-", 4) == 0 && i == 7) {
            thread->name[i] = '\0';
            break;
        }
    }
    return 1;
}

void cpu_take(struct cpu_sample *sample, pid_t pid) {
    char path[64];
    DIR *folder;
    memset(sample, 0, sizeof *sample);
    if (pid == 0) pid = getpid();
    sample->total_ns = process_ns(pid);
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    folder = opendir(path);
    if (!folder) return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        int tid = (int)strtol(entry->d_name, NULL, 10);
        if (tid == 0 || sample->thread_count == CPU_THREADS_MAX) continue;
        sample->thread_count +=
            (uint32_t)take_thread(sample->threads + sample->thread_count, pid, tid);
    }
    closedir(folder);
}

/* What a thread had in an earlier sample; all 0 if it was not there. */
static struct cpu_thread earlier(const struct cpu_sample *sample, int tid) {
    for (uint32_t i = 0; i < sample->thread_count; i++) {
        if (sample->threads[i].tid == tid) return sample->threads[i];
    }
    return (struct cpu_thread){0};
}

uint64_t cpu_waited_ns(const struct cpu_sample *from, const struct cpu_sample *to) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < to->thread_count; i++) {
        sum += to->threads[i].waited_ns - earlier(from, to->threads[i].tid).waited_ns;
    }
    return sum;
}

void cpu_print_threads(FILE *out, const struct cpu_sample *from, const struct cpu_sample *to) {
    const char *comma = "";
    fputs("{", out);
    for (uint32_t i = 0; i < to->thread_count; i++) {
        uint64_t sum = 0;
        uint32_t first = 0;
        while (strcmp(to->threads[first].name, to->threads[i].name) != 0) first++;
        if (first < i) continue;
        for (uint32_t k = i; k < to->thread_count; k++) {
            if (strcmp(to->threads[k].name, to->threads[i].name) != 0) continue;
            sum += to->threads[k].ns - earlier(from, to->threads[k].tid).ns;
        }
        fprintf(out, "%s\"%s\": %llu", comma, to->threads[i].name, (unsigned long long)sum);
        comma = ", ";
    }
    fputs("}", out);
}
