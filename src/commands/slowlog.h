/* The slow log and the latency monitor: what took longer than a threshold, kept up to a bound. */
#ifndef COMMANDS_SLOWLOG_H
#define COMMANDS_SLOWLOG_H

#include "base/span.h"
#include "resp/reply.h"

struct session;

enum { SLOWLOG_ARGS_MAX = 32, SLOWLOG_ARG_BYTES_MAX = 128 }; /* as Redis: more are summed up in words */

struct slowlog;
struct slowlog *slowlog_new(void);
void slowlog_free(struct slowlog *log);
void slowlog_add(struct slowlog *log, struct session *session, const struct span *argv, uint32_t argc, uint64_t us, uint32_t max_len);
void slowlog_reset(struct slowlog *log);
uint32_t slowlog_len(const struct slowlog *log);
void slowlog_reply(const struct slowlog *log, struct reply *reply, int64_t count); /* newest first; -1: all */
void slowlog_trim(struct slowlog *log, uint32_t max_len);

/* Latency events ("command", "expire-cycle", "fork", ...): a time series of the last LATENCY_SAMPLES seconds with a spike each. */
enum { LATENCY_SAMPLES = 160 };
struct latency_sample {
    int32_t time_s;
    uint32_t ms;
};
struct latency_event {
    char *name;
    uint32_t index;      /* next to write */
    uint32_t max_ms;
    uint64_t sum_ms, total_count; /* of all, not only those in the ring */
    struct latency_sample samples[LATENCY_SAMPLES];
};
struct latency_monitor;
struct latency_monitor *latency_new(void);
void latency_free(struct latency_monitor *m);
void latency_add(struct latency_monitor *m, const char *event, uint32_t ms);
struct latency_event *latency_find(const struct latency_monitor *m, struct span event);
uint32_t latency_count(const struct latency_monitor *m);
struct latency_event *latency_at(const struct latency_monitor *m, uint32_t at);
uint32_t latency_reset(struct latency_monitor *m, const struct span *events, uint32_t count); /* 0: all; how many were removed */

#endif
